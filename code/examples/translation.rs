//! From texts to a translator: `cargo run --example translation`

use all_you_need::bleu::{Tokenize, bleu};
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::loss::perplexity;
use all_you_need::parameters::parameter_count;
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::transformer::Transformer;
use all_you_need::translation::{TextPair, corpus, learn_tokenizer};
use plot::print::grouped;
use plot::{Chart, Figure};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::BTreeSet;
use std::fs;
use std::str::FromStr;

fn main() {
    plot::read_arguments();
    no_corpus();
    one_vocabulary();
    side_by_side();
    size_of_the_model();
    the_run();
    scores();
    lengths();
    four_runs();
    captions();
    looks();
    line_breaks();
    twice();
    one_line_off();
}

/// What is said of files that are no corpus.
fn no_corpus() {
    println!("== Four files that will not do");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let files: [(&str, &[u8]); 4] = [
        ("short.de", b"eine Katze .\n"),
        ("gap.de", b"eine Katze .\n\nein Hund .\n"),
        ("latin.de", b"eine Katze .\nzw\xf6lf Hunde .\nein Ofen .\n"),
        ("empty.de", b""),
    ];
    fs::write(path("a.en"), "a cat .\ntwelve dogs .\na stove .\n").unwrap();
    for (name, text) in files {
        fs::write(path(name), text).unwrap();
        let error = corpus(&path("a.en"), &path(name)).unwrap_err();
        let folder = format!("{}/", folder.path().display());
        println!("{}", format!("{error:#}").replace(&folder, ""));
    }
}

/// Twelve captions in two languages.
const CAPTIONS: [(&str, &str); 12] = [
    (
        "a man holds his hand in the wind .",
        "ein mann hält seine hand in den wind .",
    ),
    ("two men stand in the sand .", "zwei männer stehen im sand ."),
    (
        "a man with a hat stands in the wind .",
        "ein mann mit hut steht im wind .",
    ),
    ("the band stands on the bus .", "die band steht auf dem bus ."),
    ("a hand full of sand .", "eine hand voll sand ."),
    ("a winter in warm sand .", "ein winter im warmen sand ."),
    ("two men in a warm bus .", "zwei männer in einem warmen bus ."),
    ("the wind takes the man his hat .", "der wind nimmt dem mann den hut ."),
    ("a man and his arm .", "ein mann und sein arm ."),
    ("the band plays in the winter .", "die band spielt im winter ."),
    ("a boy stands on his hands .", "ein junge steht auf den händen ."),
    ("sand in the hat of a man .", "sand im hut von einem mann ."),
];

fn pairs() -> Vec<TextPair> {
    CAPTIONS.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()
}

/// The tokens of a text, with a dot for a space.
fn spelled(text: &str, tokens: &Tokenizer) -> String {
    let spell = |&id: &Token| tokens.decode(&[id]).replace(' ', "·");
    let spelled: Vec<String> =
        tokens.encode(text).iter().map(spell).collect();
    spelled.join(" ")
}

fn one_vocabulary() {
    println!("\n== One vocabulary for two languages");
    let tokens = learn_tokenizer(&pairs(), 60);
    let (english, german) = CAPTIONS[4];
    println!("{}", spelled(english, &tokens));
    println!("{}", spelled(german, &tokens));
    let used = |side: fn(&(&'static str, &'static str)) -> &'static str| {
        let ids = CAPTIONS.iter().flat_map(|pair| tokens.encode(side(pair)));
        ids.filter(|&id| id > 255).collect::<BTreeSet<_>>()
    };
    let (english, german) = (used(|pair| pair.0), used(|pair| pair.1));
    println!("merged tokens in English = {}", english.len());
    println!("in German = {}", german.len());
    println!("in both = {}", english.intersection(&german).count());
}

/// A thousand sentences, forty at a time: how many steps it takes until the
/// longest of each forty is done.
fn side_by_side() {
    println!("\n== Forty at a time");
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut lengths: Vec<usize> = (0..1000)
        .map(|_| 5 + rng.random_range(0..6) * rng.random_range(0..6))
        .collect();
    let steps = |lengths: &[usize]| -> usize {
        let groups = lengths.chunks(40);
        groups.map(|group| group.iter().max().expect("a group")).sum()
    };
    println!("steps as they come = {}", steps(&lengths));
    lengths.sort_unstable();
    println!("steps when sorted = {}", steps(&lengths));
}

/// How many tokens a caption has, about.
const LENGTH: usize = 14;

/// Multiply-adds of one caption and its translation, there and back.
fn lesson() -> f64 {
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::tiny(), &mut bill.clone());
    let caption = [vec![0; LENGTH]];
    let _ = model.forward(&caption, &caption);
    3.0 * bill.cost().multiply_adds as f64
}

fn size_of_the_model() {
    println!("\n== The model");
    let model: Transformer<Shape> =
        Transformer::new(&Config::tiny(), &mut Bill::default());
    println!("parameters = {}", grouped(parameter_count(&model) as u64));
    println!("in the table = {}", grouped(10_000 * 128));
    println!("millions of multiply-adds a lesson = {:.0}", lesson() / 1e6);
}

/// A run: its log as the program wrote it, and what the script found.
struct Run {
    log: &'static str,
    scores: &'static str,
}

/// The heads started with larger numbers, and no weight decayed.
const FIRST: Run = Run {
    log: include_str!("../../src/logs/translation-first-run.tsv"),
    scores: include_str!("../../src/logs/translation-first-scores.tsv"),
};

/// No weight decayed.
const SECOND: Run = Run {
    log: include_str!("../../src/logs/translation-second-run.tsv"),
    scores: include_str!("../../src/logs/translation-second-scores.tsv"),
};

/// Decay, and one way only.
const THIRD: Run = Run {
    log: include_str!("../../src/logs/translation-third-run.tsv"),
    scores: include_str!("../../src/logs/translation-third-scores.tsv"),
};

/// The run of the book.
const LAST: Run = Run {
    log: include_str!("../../src/logs/translation-fourth-run.tsv"),
    scores: include_str!("../../src/logs/translation-fourth-scores.tsv"),
};

/// A line of the log.
struct Line {
    update: f64,
    nats: f64,
    valid: f64,
    tokens: f64,
    seconds: f64,
}

/// The lines of a log, each with N fields, without the one that names them.
fn table<const N: usize>(
    log: &'static str,
) -> impl Iterator<Item = [&'static str; N]> {
    let fields = |line: &'static str| -> [&'static str; N] {
        let fields = line.split('\t').collect::<Vec<_>>().try_into();
        fields.unwrap_or_else(|_| panic!("{N} fields, not {line}"))
    };
    log.lines().skip(1).map(fields)
}

fn number<T: FromStr>(field: &str) -> T {
    field.parse().ok().expect("a number")
}

impl Run {
    fn lines(&self) -> Vec<Line> {
        let line = |fields: [&str; 6]| {
            let [update, _, nats, valid, tokens, seconds] =
                fields.map(number);
            Line { update, nats, valid, tokens, seconds }
        };
        table(self.log).map(line).collect()
    }
}

fn the_run() {
    println!("\n== The run");
    let log = LAST.lines();
    let (first, last) = (&log[0], &log[log.len() - 1]);
    println!("updates = {}", grouped(last.update as u64));
    println!("minutes = {:.0}", last.seconds / 60.0);
    println!("millions of tokens = {:.1}", last.tokens / 1e6);
    println!(
        "tokens a second = {}",
        grouped((last.tokens / last.seconds) as u64)
    );
    let lessons = last.tokens / LENGTH as f64 * lesson();
    println!("trillions of multiply-adds = {:.0}", lessons / 1e12);
    println!("first line at = {}", grouped(first.update as u64));
    println!("perplexity then = {:.1}", perplexity(first.valid));
    let best = log.iter().map(|line| line.valid).fold(f64::MAX, f64::min);
    println!("best perplexity = {:.2}", perplexity(best));
    println!("guessing = {:.2}", 1e4_f64.ln());
    draw(&log);
}

fn draw(log: &[Line]) {
    let text = "Nats a token against target tokens, on the \
        training texts with dropout and smoothing, and on texts held out \
        without them. Both fall fast at first, the held-out curve below the \
        other. In the middle both take a step down. The held-out curves of \
        two earlier runs fall sooner, and end above where this one ends.";
    fn along(log: &[Line], y: fn(&Line) -> f64) -> Vec<(f64, f64)> {
        log.iter().map(|line| (line.tokens / 1e6, y(line))).collect()
    }
    let held_out = |log: &[Line]| along(log, |line| line.valid);
    let chart = Chart::new("The loss of the run", text);
    let chart = chart.x("million target tokens").y("nats a token");
    let chart = chart.y_range(1.5..3.5);
    let chart = chart.line("training", along(log, |line| line.nats));
    let chart = chart.line("held out", held_out(log));
    let chart = chart.line("one way", held_out(&THIRD.lines()));
    let chart = chart.line("no decay", held_out(&SECOND.lines()));
    plot::save("translation-loss", &chart.draw());
}

/// What is left to learn after so many tokens, and what came of it.
fn four_runs() {
    let runs = [FIRST, SECOND, THIRD, LAST];
    println!("\n== Four runs, in nats");
    println!("million tokens    first   second    third   fourth");
    let logs = runs.each_ref().map(Run::lines);
    for millions in [5, 10, 20, 30, 40] {
        let after = |log: &Vec<Line>| {
            let read =
                |line: &&Line| line.tokens >= 1e6 * f64::from(millions);
            let line = log.iter().find(read);
            line.map_or("–".to_owned(), |line| format!("{:.2}", line.valid))
        };
        let [first, second, third, fourth] = logs.each_ref().map(after);
        println!(
            "{millions:14} {first:>8} {second:>8} {third:>8} {fourth:>8}"
        );
    }
    println!("\n== Four runs, in BLEU");
    println!("        million tokens  learned    val   test2016");
    let names = ["first", "second", "third", "fourth"];
    for ((name, run), log) in names.iter().zip(&runs).zip(&logs) {
        let found = run.found();
        let search = chosen(&found);
        let [learned, val, test] = ["learned", "val", "test2016"]
            .map(|set| bleu_of(&found, set, search));
        let tokens = log[log.len() - 1].tokens / 1e6;
        println!(
            "{name:7} {tokens:14.0} {learned:8.2} {val:6.2} {test:10.2}"
        );
    }
}

/// Updates, checkpoints in the mean, the width of the beam, and α.
type Search = (usize, usize, usize, f64);

/// A line of them: what was translated, by which search, and how well.
struct Score {
    set: &'static str,
    search: Search,
    bleu: f64,
}

impl Run {
    fn found(&self) -> Vec<Score> {
        let score = |fields: [&'static str; 6]| {
            let [set, updates, mean_of, beam, alpha, bleu] = fields;
            let (updates, mean_of) = (number(updates), number(mean_of));
            let search = (updates, mean_of, number(beam), number(alpha));
            Score { set, search, bleu: number(bleu) }
        };
        table(self.scores).map(score).collect()
    }
}

/// The search that was chosen: the test has been asked no other.
fn chosen(found: &[Score]) -> Search {
    let test = found.iter().find(|score| score.set == "test2016");
    test.expect("a score").search
}

/// What a search has found.
fn bleu_of(found: &[Score], set: &str, search: Search) -> f64 {
    let is = |score: &&Score| (score.set, score.search) == (set, search);
    found.iter().find(is).expect("a score").bleu
}

fn scores() {
    println!("\n== BLEU");
    let found = LAST.found();
    println!("{:8} updates  mean of  beam  alpha   BLEU", "set");
    for Score { set, search, bleu } in &found {
        let &(updates, mean_of, beam, alpha) = search;
        let updates = grouped(updates);
        println!(
            "{set:8} {updates:>7} {mean_of:>8} {beam:>5} {alpha:>6.1}  {bleu:.2}"
        );
    }
    println!("\n== Step by step");
    let search @ (last, mean_of, width, alpha) = chosen(&found);
    let val = |search| bleu_of(&found, "val", search);
    let greedy = val((last, 1, 1, 0.6));
    let beam = val((last, 1, width, 0.6));
    let mean = val((last, mean_of, width, 0.6));
    let best = val(search);
    let third = last / 3;
    println!("greedy = {greedy:.2}");
    println!("the beam adds = {}", signed(beam - greedy));
    println!("the mean adds = {}", signed(mean - beam));
    println!("checkpoints = {mean_of}");
    println!("alpha = {alpha:.1}");
    println!("alpha adds = {}", signed(best - mean));
    println!("chosen = {best:.2}");
    let tried = found.iter().filter(|score| score.set == "val");
    let highest = tried.max_by(|a, b| a.bleu.total_cmp(&b.bleu));
    let highest = highest.expect("a score");
    println!("highest = {:.2}", highest.bleu);
    println!("checkpoints of the highest = {}", highest.search.1);
    println!("alpha of the highest = {:.1}", highest.search.3);
    let after = |updates| val((updates, mean_of, width, alpha));
    println!("after a third = {:.2}", after(third));
    println!("after two thirds = {:.2}", after(2 * third));
    let other = |set| bleu_of(&found, set, search);
    println!("learned = {:.2}", other("learned"));
    println!("test2016 = {:.2}", other("test2016"));
}

const WORDS: &str = include_str!("../../src/logs/translation-words.tsv");

/// How many words of German there are for a hundred of English.
fn lengths() {
    println!("\n== German for a hundred words of English");
    for [set, english, german] in table(WORDS) {
        let (english, german): (f64, f64) = (number(english), number(german));
        println!("words in {set} = {:.1}", 100.0 * german / english);
    }
}

/// A difference.
fn signed(difference: f64) -> String {
    format!("{difference:+.2}").replace('-', "−")
}

const ENGLISH: &str = include_str!("../../src/logs/translation-captions.en");
const GERMAN: &str = include_str!("../../src/logs/translation-captions.de");

fn captions() {
    println!("\n== Ten captions");
    for (english, german) in ENGLISH.lines().zip(GERMAN.lines()) {
        println!("{english}\n    {german}");
    }
}

/// The last layer's cross-attention for each of the captions, as
/// `transformer attend` drew it.
const LOOKS: [&str; 10] = [
    include_str!("../../src/logs/translation-looks-1.svg"),
    include_str!("../../src/logs/translation-looks-2.svg"),
    include_str!("../../src/logs/translation-looks-3.svg"),
    include_str!("../../src/logs/translation-looks-4.svg"),
    include_str!("../../src/logs/translation-looks-5.svg"),
    include_str!("../../src/logs/translation-looks-6.svg"),
    include_str!("../../src/logs/translation-looks-7.svg"),
    include_str!("../../src/logs/translation-looks-8.svg"),
    include_str!("../../src/logs/translation-looks-9.svg"),
    include_str!("../../src/logs/translation-looks-10.svg"),
];

fn looks() {
    plot::save_frames("translation-looks", &LOOKS.map(Figure::drawn));
}

/// What becomes of the merges if the text is learned from with its lines.
fn line_breaks() {
    println!("\n== Lines instead of blanks");
    let lines = CAPTIONS.map(|(a, b)| format!("{a}\n{b}\n")).concat();
    let tokens = Bpe::train(&lines, 60);
    let breaks = |&id: &Token| tokens.bytes(id).contains(&b'\n');
    let merged = 256..tokens.len() as Token;
    let wasted: Vec<Token> = merged.filter(breaks).collect();
    println!("merges that no line has = {}", wasted.len());
    let spelled =
        wasted.iter().map(|&id| format!("{:?}", tokens.decode(&[id])));
    println!(
        "some of them = {}",
        spelled.take(4).collect::<Vec<_>>().join(", ")
    );
}

/// What each side learns if it has a vocabulary of its own.
fn twice() {
    println!("\n== A vocabulary each");
    let learn = |text: String| {
        let tokens = Bpe::train(&text, 60);
        (256..tokens.len() as Token).map(|id| tokens.decode(&[id])).collect()
    };
    let english: BTreeSet<String> =
        learn(CAPTIONS.map(|(english, _)| format!(" {english}")).concat());
    let german: BTreeSet<String> =
        learn(CAPTIONS.map(|(_, german)| format!(" {german}")).concat());
    let both: Vec<_> = english.intersection(&german).collect();
    println!("learned twice = {}", both.len());
}

/// The German captions held against themselves, and against their neighbours.
fn one_line_off() {
    println!("\n== One line off");
    let german = CAPTIONS.map(|(_, german)| german);
    let score = |off| {
        let found = bleu(&german[off..], &german[..12 - off], Tokenize::None);
        found.score
    };
    println!("each with its own = {:.0}", score(0));
    println!("each with the one before = {:.1}", score(1));
}
