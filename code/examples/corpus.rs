//! Millions of pairs: `cargo run --example corpus`

use all_you_need::corpus::{Corpus, survey};
use all_you_need::tokens::Token;
use all_you_need::training::{Example, Examples};
use all_you_need::translation::{TextPair, Translator};
use print::log::{self, number};
use print::{Fixed, grouped, section, table, value};

fn main() {
    let corpus = packed();
    three_examples(&corpus);
    all_in_memory();
    different_words();
    megabytes();
    steps();
    four_and_a_half_million();
    in_a_window();
}

/// Three examples in a file.
pub fn packed() -> Corpus {
    let pairs = [
        ("a dog jumps", "ein hund springt"),
        ("two ducks", "zwei enten"),
        ("a man waits in the rain", "ein mann wartet im regen"),
    ];
    let pairs: [TextPair; 3] = pairs.map(|(a, b)| (a.into(), b.into()));
    let texts = || pairs.iter().cloned().map(Ok);
    let (digest, _) = survey(texts()).expect("no file is read");
    let file = tempfile::tempfile().expect("a temporary file");
    let tokenizer = Translator::captions().tokenizer;
    Corpus::pack(texts(), &digest, &tokenizer, file).expect("some room")
}

fn example(corpus: &Corpus, i: usize) -> Example {
    corpus.example(i).expect("a file that can be read")
}

/// A row of the table in memory: where an example begins, and how many tokens
/// its two sides have.
pub fn places(corpus: &Corpus) -> Vec<[usize; 3]> {
    let mut end = 0;
    let place = |i| {
        let Example { source, target } = example(corpus, i);
        let (source, target) = (source.len(), target.len());
        let start = end;
        end += size_of::<Token>() * (source + target);
        [start, source, target]
    };
    (0..corpus.count()).map(place).collect()
}

fn three_examples(corpus: &Corpus) {
    section("Three examples in a file");
    for i in 0..corpus.count() {
        let Example { source, target } = example(corpus, i);
        println!("example {i}\n  source  {source:?}\n  target  {target:?}");
    }
    section("The table");
    let places = places(corpus);
    let row = |(i, place): (usize, &[usize; 3])| {
        (i, *place, size_of::<Token>() * (place[1] + place[2]))
    };
    let names =
        ["example", "first byte", "source", "target", "bytes in the file"];
    table(names, places.iter().enumerate().map(row));
    section("In memory");
    value("its bytes", places[1][0]);
    value("bytes of the next", places[2][0] - places[1][0]);
    value("tokens of the next source", places[1][1]);
}

/// The pairs in the smaller and in the larger files.
const PAIRS: [usize; 2] = [450_000, 4_500_000];

/// The numbers in the row that starts like this, of what `src/logs/corpus.sh`
/// measured.
fn row(name: &str, start: &str) -> Vec<f64> {
    let log = log::read(&format!("corpus-{name}"));
    let row = log.lines().find_map(|line| line.strip_prefix(start));
    let row = row.unwrap_or_else(|| panic!("no row for {start}"));
    row.split_whitespace().map(log::number).collect()
}

/// What was measured of so many pairs.
struct Measured {
    /// Bytes of text.
    text: f64,
    /// Different words.
    distinct: f64,
    /// Tokens in the file.
    tokens: f64,
    /// Bytes of the table.
    table: f64,
    /// Seconds of processors for counting, learning and packing.
    seconds: [f64; 3],
    /// Milliseconds to read a batch.
    batch: f64,
}

fn measured(pairs: usize) -> Measured {
    let row = row("steps", &format!("{pairs}\t"));
    let [text, distinct, tokens, table, .., batch] = row[..] else {
        panic!("a row of {} numbers", row.len());
    };
    let seconds = [5, 7, 9].map(|i| row[i]);
    Measured { text, distinct, tokens, table, seconds, batch }
}

/// What all pairs would take as texts and as tokens.
fn all_in_memory() {
    let (pairs, log) = (PAIRS[1] as f64, measured(PAIRS[1]));
    let (text, tokens) = (log.text / pairs, log.tokens / pairs);
    let handle = size_of::<Vec<Token>>() as f64;
    assert_eq!(size_of::<String>() as f64, handle);
    let as_text = 2.0 * handle + text;
    let as_tokens = 2.0 * handle + 4.0 * tokens;
    section("All in memory");
    value("bytes of a handle", handle);
    value("bytes of text of a pair", text.fixed(0));
    value("tokens of a pair", tokens.fixed(0));
    value("bytes of a pair as texts", as_text.fixed(0));
    value("bytes of a pair as tokens", as_tokens.fixed(0));
    let bytes = as_text + as_tokens;
    let all = format!("{:.1}", bytes * pairs / 1e9);
    value("gigabytes of all pairs", all);
}

fn different_words() {
    section("Different words");
    let rows = log::table(log::read("corpus-words"));
    let rows = rows.map(|row: [&str; 2]| row.map(grouped));
    table(["pairs", "different words"], rows);
}

/// The highest resident memory of a program, in megabytes.
fn memory(program: &str, pairs: usize) -> f64 {
    let kilobytes = row("memory", &format!("{program}\t{pairs}\t"))[0];
    kilobytes * 1024.0 / 1e6
}

fn megabytes() {
    let now = PAIRS.map(|pairs| memory("now", pairs));
    let places = PAIRS.map(|pairs| measured(pairs).table / 1e6);
    let order = PAIRS.map(|pairs| 2.0 * 4.0 * pairs as f64 / 1e6);
    let rest = [0, 1].map(|i| now[i] - places[i] - order[i]);
    let before = PAIRS.map(|pairs| memory("before", pairs));
    let line = |(name, megabytes): (&'static str, [f64; 2])| {
        (name, megabytes.map(|x| grouped(x.round())))
    };
    let names = PAIRS.map(|pairs| grouped(pairs) + " pairs");
    section("Megabytes of memory");
    let rows = [
        ("everything in vectors", before),
        ("tokens in a file", now),
        ("  the table", places),
        ("  the order, both directions", order),
        ("  everything else", rest),
    ];
    table(("", names), rows.map(line));
    section("Memory");
    let words = measured(PAIRS[0]).distinct;
    value("kilobytes of a word", (1e3 * rest[0] / words).fixed(1));
}

fn steps() {
    section("Steps");
    let row = |pairs: usize| {
        let Measured { distinct, seconds, .. } = measured(pairs);
        (grouped(pairs), grouped(distinct), seconds.fixed(0))
    };
    let names =
        ["pairs", "different words", "counting", "learning", "packing"];
    table(names, PAIRS.map(row));
}

fn four_and_a_half_million() {
    let Measured { seconds, tokens, table, batch, .. } = measured(PAIRS[1]);
    section("Four and a half million");
    value("seconds of learning", seconds[1].fixed(0));
    value("megabytes of tokens", grouped((4.0 * tokens / 1e6).round()));
    value("megabytes of the table", table / 1e6);
    value("milliseconds of a batch", batch.fixed(0));
}

/// What a model has learned from words that were shuffled in windows.
fn in_a_window() {
    section("Shuffled in a window");
    let rows = log::table(log::read("corpus-window"));
    let rows: Vec<[&str; 3]> = rows.collect();
    let named = |&[window, first, second]: &[&'static str; 3]| {
        (grouped(number::<usize>(window)), [first, second])
    };
    let names = ["window", "right: first half", "second half"];
    table(names, rows.iter().map(named));
    section("The words");
    let [.., [all, ..]] = rows[..] else { unreachable!() };
    value("words in the file", grouped(number::<usize>(all)));
}
