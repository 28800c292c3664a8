//! Millions of pairs: `cargo run --example corpus`

use all_you_need::corpus::{Corpus, survey};
use all_you_need::encoder::Config;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{
    Example, Examples, Recipe, Stream, Training, generator,
};
use all_you_need::transformer::Transformer;
use all_you_need::translation::{TextPair, Translator};
use plot::{Diagram, Hue, Side};
use print::grouped;
use print::log::table;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

fn main() {
    all_in_memory();
    different_words();
    let corpus = packed(&three_pairs());
    let order = an_epoch(&corpus);
    draw(&corpus, &order);
    measured();
    in_a_window();
}

/// What `src/logs/corpus.sh` measured.
const STEPS: &str = include_str!("../../src/logs/corpus-steps.tsv");
const MEMORY: &str = include_str!("../../src/logs/corpus-memory.tsv");
const WORDS: &str = include_str!("../../src/logs/corpus-words.tsv");

/// The pairs in the smaller and in the larger files.
const PAIRS: [usize; 2] = [450_000, 4_500_000];

/// The numbers in the row of a log that starts like this.
fn row(log: &str, start: &str) -> Vec<f64> {
    let row = log.lines().find_map(|line| line.strip_prefix(start));
    let row = row.unwrap_or_else(|| panic!("no row for {start}"));
    let number = |cell: &str| cell.parse().expect("a number");
    row.split_whitespace().map(number).collect()
}

/// What was measured of so many pairs.
struct Steps {
    /// Bytes of text.
    text: f64,
    /// Different words.
    distinct: f64,
    /// Tokens in the file.
    tokens: f64,
    /// Bytes of the table.
    table: f64,
    /// Seconds of processors for counting, learning and packing.
    processor: [f64; 3],
    /// Milliseconds to read a batch.
    batch: f64,
}

fn steps(pairs: usize) -> Steps {
    let row = row(STEPS, &format!("{pairs}\t"));
    let [text, distinct, tokens, table, .., batch] = row[..] else {
        panic!("a row of {} numbers", row.len());
    };
    let processor = [5, 7, 9].map(|i| row[i]);
    Steps { text, distinct, tokens, table, processor, batch }
}

/// The bytes of a text or a list, besides what is in it.
const HANDLE: f64 = size_of::<Vec<Token>>() as f64;

/// What all pairs would take as texts and as tokens.
fn all_in_memory() {
    let (pairs, log) = (PAIRS[1] as f64, steps(PAIRS[1]));
    let (text, tokens) = (log.text / pairs, log.tokens / pairs);
    assert_eq!(size_of::<String>(), size_of::<Vec<Token>>());
    let (as_text, as_tokens) =
        (2.0 * HANDLE + text, 2.0 * HANDLE + 4.0 * tokens);
    println!("== All in memory");
    println!("bytes of a handle = {HANDLE}");
    println!("bytes of text in a pair = {text:.0}");
    println!("bytes of a pair as texts = {as_text:.0}");
    println!("tokens in a pair = {tokens:.0}");
    println!("bytes of a pair as tokens = {as_tokens:.0}");
    println!("bytes of a pair = {:.0}", as_text + as_tokens);
    let all = (as_text + as_tokens) * pairs / 1e9;
    println!("gigabytes of all pairs = {all:.1}");
}

fn different_words() {
    println!("\n== Different words");
    println!(" pairs   different words");
    for [pairs, words] in table(WORDS) {
        println!("{:>6} {:>17}", grouped(pairs), grouped(words));
    }
}

fn three_pairs() -> Vec<TextPair> {
    let pairs = [
        ("a dog jumps", "ein hund springt"),
        ("two ducks", "zwei enten"),
        ("a man waits in the rain", "ein mann wartet im regen"),
    ];
    pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()
}

/// How many tokens the two sides of an example have, and how many bytes they
/// take in the file.
fn lengths(corpus: &Corpus, i: usize) -> (usize, usize, usize) {
    let Example { source, target } =
        corpus.example(i).expect("a file that can be read");
    let (source, target) = (source.len(), target.len());
    (source, target, size_of::<Token>() * (source + target))
}

/// The examples of these pairs, in a file.
fn packed(pairs: &[TextPair]) -> Corpus {
    let tokenizer = Translator::captions().tokenizer;
    let texts = || pairs.iter().cloned().map(Ok);
    let (digest, words) = survey(texts()).expect("no file is read");
    println!("\n== Counted");
    println!("distinct words = {}", words.distinct());
    let file = tempfile::tempfile().expect("a temporary file");
    let corpus = Corpus::pack(texts(), &digest, &tokenizer, file);
    let corpus = corpus.expect("room for some bytes");
    println!("\n== Three examples in a file");
    for i in 0..corpus.count() {
        let Example { source, target } =
            corpus.example(i).expect("a file that can be read");
        println!("example {i}");
        println!("  source  {source:?}");
        println!("  target  {target:?}");
    }
    println!("\n== The table");
    println!("example   first byte   source   target   bytes in the file");
    let mut start = 0;
    for i in 0..corpus.count() {
        let (source, target, bytes) = lengths(&corpus, i);
        println!("{i:7} {start:12} {source:8} {target:8} {bytes:19}");
        start += bytes;
    }
    let ((first, answer, bytes), (source, _, next)) =
        (lengths(&corpus, 0), lengths(&corpus, 1));
    println!("\n== In memory");
    println!("bytes of the table = {}", corpus.memory());
    println!("tokens of its source = {first}");
    println!("tokens of its target = {answer}");
    println!("its bytes = {bytes}");
    println!("bytes of the next = {next}");
    println!("tokens of the next source = {source}");
    corpus
}

/// The picks of the first epoch in both directions, as `batches` makes them.
fn an_epoch(corpus: &Corpus) -> Vec<u32> {
    let recipe = Recipe {
        batch_tokens: 10,
        bidirectional_updates: 2,
        ..Recipe::toy()
    };
    let n = corpus.count();
    let mut order: Vec<u32> = (0..2 * n as u32).collect();
    let stream = Stream::BidirectionalOrder(0);
    order.shuffle(&mut generator(recipe.seed, stream));
    let mut picks = order.iter();
    println!("\n== An epoch");
    println!("batch   pick   example              tokens to predict");
    for (batch, examples) in
        recipe.batches(corpus, 0).flatten().take(2).enumerate()
    {
        for (example, &pick) in examples.iter().zip(picks.by_ref()) {
            let (i, back) = (pick as usize % n, pick as usize / n == 1);
            let one = corpus.example(i).expect("a file that can be read");
            assert_eq!(*example, if back { one.reversed() } else { one });
            let name = format!("{i}{}", if back { ", reversed" } else { "" });
            let tokens = example.target_tokens();
            println!("{batch:5} {pick:6}   {name:13} {tokens:24}");
        }
    }
    let left: Vec<_> = picks.map(u32::to_string).collect();
    println!("\n== Left out");
    println!("left out = {}", left.join(", "));
    order
}

/// The picks point into the table, and the table into the file.
fn draw(corpus: &Corpus, order: &[u32]) {
    let (n, mut start) = (corpus.count(), 0);
    let rows: Vec<_> = (0..n)
        .map(|i| {
            let (source, target, bytes) = lengths(corpus, i);
            start += bytes;
            (start - bytes, source, target)
        })
        .collect();
    let entries = rows.iter().map(|(start, source, target)| {
        format!("byte {start}, {source} and {target} tokens")
    });
    let description = format!(
        "Three rows of boxes. At the top the order of an epoch, the numbers \
         {}. Below it the table with a box for each example: {}. At the \
         bottom the file, in which each example is a box for its source and \
         a box for its target. Arrows lead from the first two numbers of the \
         order to their examples in the table, and from each box of the \
         table to where its example begins in the file.",
        order.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        entries.collect::<Vec<_>>().join("; ")
    );
    let mut figure = Diagram::new(
        "An order, a table and a file",
        &description,
        27.0,
        15.4,
    )
    .across(18.5);
    let middle = 13.5;
    let heading = |y: f64| (0.5, y);
    let text = "in memory: the order of an epoch";
    figure.note(heading(0.8), Side::Right, text);
    let mut picks = Vec::new();
    for (i, pick) in order.iter().enumerate() {
        let place = (middle + 2.4 * (i as f64 - 2.5), 2.4);
        let hue = if i < 2 { Hue::Green } else { Hue::Rule };
        picks.push(figure.block(place, (2.0, 1.6), &pick.to_string(), hue));
    }
    // At the right, where no arrow comes through.
    figure.note((26.5, 4.6), Side::Left, "in memory: the table");
    let cell = (27.0 - 1.0) / (start / 4) as f64;
    for (i, &(start, source, target)) in rows.iter().enumerate() {
        let text = format!("{i}\n{start} · {source} · {target}");
        let place = (middle + 8.0 * (i as f64 - 1.0), 7.4);
        let entry = figure.block(place, (6.0, 3.0), &text, Hue::Rule);
        for (pick, block) in order.iter().zip(&picks).take(2) {
            if *pick as usize % n == i {
                figure.arrow(&[block.bottom(), entry.top()], Hue::Ink);
            }
        }
        let left = 0.5 + cell * (start / 4) as f64;
        figure.arrow(&[entry.bottom(), (left + 0.3, 11.9)], Hue::Ink);
        let mut side = |left: f64, tokens: usize, name: &str, hue: Hue| {
            let width = cell * tokens as f64;
            let place = (left + width / 2.0, 13.0);
            figure.block(place, (width - 0.15, 2.0), name, hue);
        };
        side(left, source, "source", Hue::SOURCE);
        let left = left + cell * source as f64;
        side(left, target, "target", Hue::TARGET);
    }
    figure.note(heading(14.8), Side::Right, "in the file: tokens");
    plot::save("corpus-file", &figure.draw());
}

/// The highest resident memory of a program, in megabytes.
fn memory(program: &str, pairs: usize) -> f64 {
    let kilobytes = row(MEMORY, &format!("{program}\t{pairs}\t"))[0];
    kilobytes * 1024.0 / 1e6
}

fn measured() {
    println!("\n== Megabytes of memory");
    let [less, more] = PAIRS;
    println!(
        "{:32} {less:>9} pairs {more:>9} pairs",
        "",
        less = grouped(less),
        more = grouped(more)
    );
    let line = |name: &str, megabytes: [f64; 2]| {
        let [less, more] = megabytes.map(|x| grouped(x.round()));
        println!("{name:32} {less:>15} {more:>15}");
    };
    let of = |program| PAIRS.map(|pairs| memory(program, pairs));
    let (now, table) = (of("now"), PAIRS.map(|n| steps(n).table / 1e6));
    let order = PAIRS.map(|n| 2.0 * 4.0 * n as f64 / 1e6);
    line("megabytes, everything in vectors", of("before"));
    line("megabytes now", now);
    line("    the table", table);
    line("    the order, both directions", order);
    let rest = [0, 1].map(|i| now[i] - table[i] - order[i]);
    line("    the rest", rest);
    println!("\n== Memory");
    let distinct = PAIRS.map(|pairs| steps(pairs).distinct);
    let [less, more] = [0, 1].map(|i| rest[i] * 1e6 / distinct[i]);
    println!("bytes of rest for a word, fewer pairs = {less:.0}");
    println!("bytes of rest for a word, more pairs = {more:.0}");
    println!("all in memory = {}", grouped(of("before")[1].round()));
    println!("now = {:.0}", now[1]);
    println!("\n== Steps");
    println!("          different    processor seconds for       pairs for");
    println!("    pairs     words  counting  learning  packing     a second");
    for pairs in PAIRS {
        let Steps { distinct, processor, .. } = steps(pairs);
        let speed = pairs as f64 / processor.iter().sum::<f64>();
        let [a, b, c] = processor;
        println!(
            "{:>9} {:>9} {a:>7.0} {b:>9.0} {c:>8.0} {:>13}",
            grouped(pairs),
            grouped(distinct),
            grouped(speed.round())
        );
    }
    let seconds: f64 = steps(PAIRS[1]).processor.iter().sum();
    println!("\n== Time");
    println!("minutes = {:.1}", seconds / 60.0);
    let packing = steps(PAIRS[1]).processor[2];
    println!("minutes with two = {:.1}", (seconds - packing / 2.0) / 60.0);
    let pairs = PAIRS[1];
    let Steps { tokens, table, batch, .. } = steps(pairs);
    println!("\n== {} pairs", grouped(pairs));
    println!("{pairs}, megabytes of tokens = {:.0}", 4.0 * tokens / 1e6);
    println!("{pairs}, megabytes of the table = {}", table / 1e6);
    println!("{pairs}, milliseconds of a batch = {batch:.0}");
}

/// Two kinds of letters, eight of each, begin and end of sequence.
const KINDS: [u32; 2] = [0, 8];
const BOS: Token = 16;
const EOS: Token = 17;

/// Words of one kind of letters, each with itself backwards.
fn words(first: Token, count: usize, seed: u64) -> Vec<Example> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut word = || {
        let length = rng.random_range(3..=6);
        let letters = (0..length).map(|_| first + rng.random_range(0..8));
        let source: Vec<Token> = letters.chain([EOS]).collect();
        let answer = source[..length].iter().rev().copied();
        let target = [BOS].into_iter().chain(answer).chain([EOS]).collect();
        Example { source, target }
    };
    (0..count).map(|_| word()).collect()
}

/// How many of a hundred words a model has right, of each kind.
fn right(model: &Transformer<Matrix<f32>>) -> [usize; 2] {
    KINDS.map(|first| {
        let words = words(first, 100, 99);
        let right = |Example { source, target }: &&Example| {
            model.greedy(source, BOS, EOS).expect("finite logits")
                == target[1..target.len() - 1]
        };
        words.iter().filter(right).count()
    })
}

/// Trains for an epoch, after the words have been shuffled in windows.
fn epoch(words: &[Example], window: usize) -> [usize; 2] {
    let config = Config {
        vocabulary: 18,
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    };
    let recipe = Recipe { peak_lr: 0.01, ..Recipe::toy() };
    let mut training: Training = Training::new(&config, recipe);
    let mut order: Vec<usize> = (0..words.len()).collect();
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    order.chunks_mut(window).for_each(|window| window.shuffle(rng));
    for batch in order.chunks(50) {
        let batch: Vec<_> = batch.iter().map(|&i| words[i].clone()).collect();
        training.update(&batch).expect("a finite loss");
    }
    right(&training.model)
}

/// A file whose two halves are different, shuffled in windows.
fn in_a_window() {
    let half = 20_000;
    let [first, second] = KINDS.map(|first| words(first, half, 1));
    let file = [first, second].concat();
    println!("\n== Shuffled in a window");
    println!("                          right, of a hundred words");
    println!("window          of the first half   of the second half");
    for window in [1, 1000, file.len()] {
        let [first, second] = epoch(&file, window);
        println!("{:>6} {first:>26} {second:>20}", grouped(window));
    }
    println!("\n== The words");
    println!("words in the file = {}", grouped(file.len()));
}
