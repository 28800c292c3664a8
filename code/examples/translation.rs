//! From texts to a translator: `cargo run --example translation`

use all_you_need::bleu::{Counts, Tokenize, signature};
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::loss::perplexity;
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::training::Recipe;
use all_you_need::transformer::Transformer;
use all_you_need::translation::learn_tokenizer;
use all_you_need::translation::{HeadWeights, TextPair, Translator};
use print::log::{number, spread, table};
use print::{grouped, section, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn main() {
    one_vocabulary();
    recipe();
    the_run();
    choosing();
    two_penalties();
    let intervals = intervals();
    three_tests(&intervals);
    a_look_up();
    another_model();
    seeds_and_sentences();
    four_earlier_runs();
    what_it_says();
    rare_words();
    many_together();
    line_breaks();
    no_space_before();
    twice();
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
    println!("== One vocabulary for two languages");
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

fn recipe() {
    println!("\n== The recipe");
    let config = Config::tiny();
    let model: Transformer<Shape> =
        Transformer::new(&config, &mut Bill::default());
    println!("parameters = {}", grouped(parameter_count(&model)));
    println!("layers = {}", config.layers);
    println!("d_model = {}", config.d_model);
    println!("d_ff = {}", config.d_ff);
    println!("heads = {}", config.heads);
    println!("vocabulary = {}", grouped(config.vocabulary));
    let recipe = Recipe::tiny();
    println!("dropout = {}", recipe.dropout);
    println!("label smoothing = {}", recipe.label_smoothing);
    println!("peak = {}", recipe.peak_lr);
    println!("warmup = {}", grouped(recipe.warmup));
    println!("batch = {}", grouped(recipe.batch_tokens));
    println!("decay = {}", recipe.weight_decay);
    println!("both directions = {}", grouped(recipe.bidirectional_updates));
    println!("updates = {}", grouped(recipe.updates));
    println!("caption length = {LENGTH}");
    println!("millions of multiply-adds a lesson = {:.0}", lesson() / 1e6);
    println!("times fewer pairs = {:.0}", 4.5e6 / 29_000.0);
    // 100,000 updates with 25,000 target tokens (§5.1, §5.2), and three
    // multiply-adds a parameter for each of them.
    let theirs = 1e5 * 25_000.0 * 3.0 * Config::base().parameters() as f64;
    value("multiply-adds of the paper", format!("{:.1}", theirs / 1e17));
    let last = rows(&log("run-1")).pop().expect("a row");
    let ours = last.tokens / LENGTH as f64 * lesson();
    let times = (theirs / ours / 100.0).round() * 100.0;
    value("times ours", grouped(times as u64));
    value(
        "of what the cards could do",
        format!("{:.0} %", 100.0 * 2.0 * theirs / 3.3e18),
    );
}

/// The seeds, first that of the book's model.
const SEEDS: &[&str] = &["1", "2", "3"];

/// A log of `translation.sh`.
pub fn log(name: &str) -> String {
    let logs = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/logs");
    let path = Path::new(logs).join(format!("translation-{name}.tsv"));
    fs::read_to_string(&path).expect("a log")
}

/// A row of the log of a run.
pub struct Row {
    pub update: usize,
    pub training: f64,
    pub validation: f64,
    pub tokens: f64,
    pub seconds: f64,
}

pub fn rows(log: &str) -> Vec<Row> {
    let row = |[update, _, training, validation, tokens, seconds]: [&str;
                   6]| Row {
        update: number(update),
        training: number(training),
        validation: number(validation),
        tokens: number(tokens),
        seconds: number(seconds),
    };
    table(log).map(row).collect()
}

fn the_run() {
    println!("\n== The run");
    let rows = rows(&log("run-1"));
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    println!("minutes = {:.0}", last.seconds / 60.0);
    println!("millions of tokens = {:.1}", last.tokens / 1e6);
    let speed = (last.tokens / last.seconds) as u64;
    println!("tokens a second = {}", grouped(speed));
    let lessons = last.tokens / LENGTH as f64 * lesson();
    println!("trillions of multiply-adds = {:.0}", lessons / 1e12);
    println!("first row at = {}", grouped(first.update));
    println!("perplexity then = {:.1}", perplexity(first.validation));
    let best = lowest(&rows);
    println!("best perplexity = {:.2}", perplexity(best.validation));
    println!("best at = {}", grouped(best.update));
    println!("guessing = {:.2}", (Config::tiny().vocabulary as f64).ln());
}

/// The row with the lowest loss on the validation captions.
pub fn lowest(rows: &[Row]) -> &Row {
    let lower = |a: &&Row, b: &&Row| a.validation.total_cmp(&b.validation);
    rows.iter().min_by(lower).expect("a row")
}

/// A row of the scores.
struct Score {
    seed: String,
    set: String,
    mean_of: usize,
    beam: usize,
    alpha: f64,
    bleu: f64,
}

fn scores(name: &str) -> Vec<Score> {
    let score = |fields: [&str; 8]| {
        let [seed, set, mean_of, beam, alpha, bleu, _, _] = fields;
        Score {
            seed: seed.to_owned(),
            set: set.to_owned(),
            mean_of: number(mean_of),
            beam: number(beam),
            alpha: number(alpha),
            bleu: number(bleu),
        }
    };
    table(&log(name)).map(score).collect()
}

/// What greedy search scores for each seed, and each choice after it.
fn choosing() {
    section("Choosing on val");
    let rows = SEEDS.iter().map(|&seed| {
        let best = chosen(seed);
        let [greedy, beam, mean] = [(1, 1), (1, 5), (best.mean_of, 5)]
            .map(|(mean_of, beam)| on_val(seed, mean_of, beam));
        let cell = |bleu: f64| format!("{bleu:.2}");
        let (mean_of, alpha) = (best.mean_of.to_string(), best.alpha);
        let last = [cell(mean), format!("{alpha:.1}"), cell(best.bleu)];
        let [mean, alpha, bleu] = last;
        let seed = format!("seed {seed}");
        [seed, cell(greedy), cell(beam), mean_of, mean, alpha, bleu]
    });
    let names =
        ["", "greedy", "beam of 5", "mean of", "BLEU", "α", "BLEU at this α"];
    print::table(names, rows);
    let best = chosen(SEEDS[0]);
    section("What was chosen");
    value("checkpoints", best.mean_of);
    value("alpha", format!("{:.1}", best.alpha));
    value("chosen", format!("{:.2}", best.bleu));
    let adds = SEEDS.iter().map(|&seed| {
        let mean = on_val(seed, chosen(seed).mean_of, 5);
        signed(mean - on_val(seed, 1, 5))
    });
    value("the mean adds", adds.collect::<Vec<_>>().join(", "));
}

/// A difference.
fn signed(difference: f64) -> String {
    format!("{difference:+.2}").replace('-', "−")
}

/// The BLEU of a mean of checkpoints on val, with the paper's α.
fn on_val(seed: &str, mean_of: usize, beam: usize) -> f64 {
    let asked = (seed, "val", mean_of, beam, 0.6);
    let is = |score: &Score| {
        let Score { seed, set, mean_of, beam, alpha, .. } = score;
        (seed.as_str(), set.as_str(), *mean_of, *beam, *alpha) == asked
    };
    scores("scores").into_iter().find(is).expect("a score").bleu
}

/// What is chosen for a seed, as the script chooses: of equals the first. One
/// row is greedy.
fn chosen(seed: &str) -> Score {
    let all = scores("scores").into_iter();
    let beams = all.filter(|score| {
        score.seed == seed && score.set == "val" && score.beam > 1
    });
    let best = beams.reduce(|a, b| if b.bleu > a.bleu { b } else { a });
    best.expect("a beam")
}

/// The tests, and what Wu and others (2021) report for them.
const TESTS: [(&str, &str); 3] =
    [("test2016", "41.02"), ("test2017", "33.36"), ("mscoco", "29.88")];

/// A row of the table of the tests.
fn tests_row(name: &str, cell: impl Fn(&str) -> String) {
    let cells = TESTS.map(|(set, _)| format!("{:20}", cell(set))).concat();
    println!("{}", format!("{name:15}{cells}").trim_end());
}

/// The bootstrap intervals of all seeds on all tests.
type Intervals = BTreeMap<(&'static str, &'static str), (f64, f64)>;

fn intervals() -> Intervals {
    let cells = SEEDS.iter().flat_map(|&seed| {
        TESTS.map(|(set, _)| ((seed, set), interval(&sentences(seed, set))))
    });
    cells.collect()
}

fn three_tests(intervals: &Intervals) {
    println!("\n== Three tests");
    tests_row("", str::to_owned);
    for &seed in SEEDS {
        tests_row(&format!("seed {seed}"), |set| {
            let (low, high) = intervals[&(seed, set)];
            format!("{:.2} [{low:.1}, {high:.1}]", score(seed, set))
        });
    }
    tests_row("mean", |set| {
        let (mean, deviation) = spread(&of_all_seeds(set));
        format!("{mean:.2} ± {deviation:.2}")
    });
    let theirs = |set: &str| TESTS.iter().find(|test| test.0 == set);
    tests_row("Wu and others", |set| theirs(set).expect("a test").1.into());
    println!("\n== How it was counted");
    println!("signature = {}", signature(Tokenize::None, 1));
    let ratios = SEEDS.iter().flat_map(|seed| {
        TESTS.map(|(set, _)| 100.0 * ratio(&sentences(seed, set)) - 100.0)
    });
    let longer: Vec<f64> = ratios.collect();
    println!("longer by at least = {:.0} %", least(&longer));
    println!("longer by at most = {:.0} %", most(&longer));
}

/// The BLEU of all seeds on a test.
fn of_all_seeds(set: &str) -> Vec<f64> {
    SEEDS.iter().map(|seed| score(seed, set)).collect()
}

/// The BLEU of a seed on a test.
fn score(seed: &str, set: &str) -> f64 {
    sentences(seed, set).into_iter().sum::<Counts>().bleu().score
}

/// The words of the translations, divided by those of the references.
fn ratio(counts: &[Counts]) -> f64 {
    let words = counts.iter().map(|counts| counts.totals[0]);
    let wanted = counts.iter().map(|counts| counts.reference_length);
    words.sum::<usize>() as f64 / wanted.sum::<usize>() as f64
}

/// What was counted in each sentence of a test.
fn sentences(seed: &str, set: &str) -> Vec<Counts> {
    let log = log(&format!("sentences-{seed}-{set}"));
    log.lines().map(counts).collect()
}

/// What was counted in a sentence.
fn counts(line: &str) -> Counts {
    let numbers: Vec<usize> = line.split('\t').map(number).collect();
    Counts {
        matches: numbers[..4].try_into().expect("four numbers"),
        totals: numbers[4..8].try_into().expect("four numbers"),
        reference_length: numbers[8],
    }
}

/// The bootstrap interval of a test: 95 of 100 resampled tests are inside.
fn interval(counts: &[Counts]) -> (f64, f64) {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut draw = || counts[rng.random_range(0..counts.len())];
    let mut resampled: Vec<f64> = (0..1000)
        .map(|_| counts.iter().map(|_| draw()).sum::<Counts>().bleu().score)
        .collect();
    resampled.sort_by(f64::total_cmp);
    (resampled[25], resampled[974])
}

/// A rival that looks up the most similar caption.
fn a_look_up() {
    println!("\n== A look-up");
    for [set, by, bleu, _, _] in table::<5>(&log("rival")) {
        println!("{set} by {by} = {bleu}");
    }
}

/// How many words the translations of Wu and others have, and the references,
/// in what their program printed for test2016.
const THEIR_WORDS: [usize; 2] = [12_096, 12_103];

/// What can be compared with them.
fn another_model() {
    println!("\n== Another model");
    let [theirs, wanted] = THEIR_WORDS;
    println!("theirs, words = {}", grouped(theirs));
    println!("theirs, words of the references = {}", grouped(wanted));
    println!("theirs, ratio = {:.3}", theirs as f64 / wanted as f64);
    let (set, _) = TESTS[0];
    let counts: Counts = sentences(SEEDS[0], set).into_iter().sum();
    println!("ours, words = {}", grouped(counts.totals[0]));
    let wanted = grouped(counts.reference_length);
    println!("ours, words of the references = {wanted}");
    let below = TESTS.map(|(set, theirs)| {
        number::<f64>(theirs) - spread(&of_all_seeds(set)).0
    });
    println!("below theirs by at least = {:.1}", least(&below));
    println!("below theirs by at most = {:.1}", most(&below));
}

/// By how much the one is ahead of the other in 1,000 resampled tests, with
/// the same sentences for both: from the least to the most.
fn paired(one: &[Counts], other: &[Counts]) -> Vec<f64> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut ahead = || {
        let drawn: Vec<usize> =
            one.iter().map(|_| rng.random_range(0..one.len())).collect();
        let score = |all: &[Counts]| {
            let counts = drawn.iter().map(|&i| all[i]);
            counts.sum::<Counts>().bleu().score
        };
        score(one) - score(other)
    };
    let mut all: Vec<f64> = (0..1000).map(|_| ahead()).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// In how many of the resampled tests the first is better.
fn better(ahead: &[f64]) -> String {
    let better = ahead.iter().filter(|by| **by > 0.0).count();
    format!("{:.0} %", better as f64 / 10.0)
}

/// The length penalty that was chosen beside the paper's, on the captions by
/// which it was chosen.
fn two_penalties() {
    section("Two penalties");
    let log = log("penalties");
    let [paper, chosen] = ["0.6\t", "1.8\t"].map(|alpha| -> Vec<Counts> {
        log.lines()
            .filter_map(|l| l.strip_prefix(alpha))
            .map(counts)
            .collect()
    });
    let score =
        |all: &[Counts]| all.iter().copied().sum::<Counts>().bleu().score;
    let ahead = paired(&chosen, &paper);
    value("ahead by", format!("{:.2}", score(&chosen) - score(&paper)));
    value("ahead from", format!("{:.2}", ahead[25]));
    value("ahead to", format!("{:.2}", ahead[974]));
    value("chosen is better in", better(&ahead));
    value(
        "words with the paper's",
        format!("{:.1} %", 100.0 * ratio(&paper)),
    );
    value(
        "words with the chosen",
        format!("{:.1} %", 100.0 * ratio(&chosen)),
    );
}

fn seeds_and_sentences() {
    section("Two seeds");
    let [one, other] = ["1", "3"].map(|seed| sentences(seed, "test2017"));
    value("one is better in", better(&paired(&one, &other)));
    let deviations = TESTS.map(|(set, _)| spread(&of_all_seeds(set)).1);
    value("smallest spread", format!("{:.2}", least(&deviations)));
    value("largest spread", format!("{:.2}", most(&deviations)));
}

fn least(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::MAX, f64::min)
}

fn most(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::MIN, f64::max)
}

/// Earlier runs, and what each did for the first time.
const EARLIER: [(&str, &str); 4] = [
    ("first", ""),
    ("second", "smaller initial parameters"),
    ("third", "weight decay"),
    ("fourth", "both directions, larger batches"),
];

fn four_earlier_runs() {
    println!("\n== Four earlier runs");
    println!(
        "run     new in it                        million tokens    val  \
         test2016"
    );
    let (mut fourth, mut search) = ([0.0; 2], Vec::new());
    for (name, what) in EARLIER {
        let rows = rows(&log(&format!("{name}-run")));
        let tokens = rows[rows.len() - 1].tokens / 1e6;
        let scores = log(&format!("{name}-scores"));
        let scores: Vec<[&str; 6]> = table(&scores).collect();
        let is_test = |row: &&[&str; 6]| row[0] == "test2016";
        let test = scores.iter().find(is_test).expect("a test");
        let same =
            |row: &&[&str; 6]| row[0] == "val" && row[1..5] == test[1..5];
        let val = scores.iter().find(same).expect("a score on val");
        println!(
            "{name:7} {what:32} {tokens:14.0} {:>6} {:>9}",
            val[5], test[5]
        );
        fourth = [val[5], test[5]].map(number);
        search = test.map(str::to_owned).to_vec();
    }
    println!("\n== The same recipe");
    println!("fourth, checkpoints = {}", search[2]);
    println!("fourth, alpha = {}", search[4]);
    println!("fourth on val = {}", fourth[0]);
    println!("fourth on test2016 = {}", fourth[1]);
    let seeds = of_all_seeds(TESTS[0].0);
    println!("best seed on test2016 = {:.2}", most(&seeds));
    println!("seeds apart on test2016 = {:.1}", most(&seeds) - least(&seeds));
}

/// Fifty captions, which were written before the model was trained.
const OWN: &str = include_str!("../../src/logs/translation-own.en");

/// A caption, what the model makes of it, and what we think of that.
pub struct Judged {
    pub english: String,
    pub german: String,
    pub verdict: String,
    /// What the German says, in English.
    pub gloss: String,
}

/// All of them. They were judged once: if the model says something else one
/// day, the example fails, and they have to be judged again.
pub fn judged(translator: &Translator) -> Vec<Judged> {
    let english: Vec<&str> = OWN.lines().collect();
    let beam = translator.beam(5, Translator::CAPTIONS_ALPHA, 1);
    let said = translator.translate(&english, &beam).expect("short lines");
    let log = log("judged");
    let judged = table(&log).zip(english).zip(said);
    let judged = judged.map(|(([german, verdict, gloss], english), said)| {
        assert_eq!(said, german, "{english}");
        let [verdict, gloss] = [verdict, gloss].map(str::to_owned);
        Judged { english: english.to_owned(), german: said, verdict, gloss }
    });
    judged.collect()
}

/// How many of the fifty are like the captions the model has learned from;
/// the others are meant to be difficult.
const ORDINARY: usize = 30;

/// Which of them the model gets wrong in a way that can be explained.
const WRONG: [usize; 4] = [21, 31, 40, 48];

/// Which of them are shown first, and drawn.
pub const SHOWN: [usize; 3] = [0, 3, 8];

fn what_it_says() {
    let translator = Translator::captions();
    let all = judged(&translator);
    println!("\n== Three captions");
    for Judged { english, german, .. } in SHOWN.map(|i| &all[i]) {
        println!("{english}\n    {german}");
    }
    println!("\n== Ten of fifty captions");
    let fifth = |i: &usize| i % 5 == 4;
    let each = |i: usize| show(i, &all[i]);
    (0..all.len()).filter(fifth).for_each(each);
    println!("\n== Some that went wrong");
    WRONG.into_iter().for_each(each);
    println!("\n== The others");
    (0..all.len()).filter(|i| !fifth(i)).for_each(each);
    count(&all);
    two_looks(&translator, &all[SHOWN[2]]);
}

fn show(i: usize, judged: &Judged) {
    let Judged { english, german, verdict, gloss } = judged;
    let kind = if i < ORDINARY { "ordinary" } else { "difficult" };
    println!("{english}\n    {german}\n    {kind}, {verdict}: {gloss}");
}

/// How many there are of each verdict.
fn count(all: &[Judged]) {
    println!("\n== Counted");
    println!("                     right  slip  wrong");
    let of = |some: &[Judged], verdict: &str| {
        some.iter().filter(|judged| judged.verdict == verdict).count()
    };
    let (ordinary, difficult) = all.split_at(ORDINARY);
    for (name, some) in
        [("ordinary", ordinary), ("difficult", difficult), ("all", all)]
    {
        let [right, slip, wrong] =
            ["right", "slip", "wrong"].map(|verdict| of(some, verdict));
        assert_eq!(right + slip + wrong, some.len());
        println!(
            "{name:9} {:>3} {right:>12} {slip:>5} {wrong:>6}",
            some.len()
        );
    }
    println!("\n== Verdicts");
    println!("captions = {}", all.len());
    println!("ordinary = {}", ordinary.len());
    println!("ordinary and right = {}", of(ordinary, "right"));
    println!("difficult = {}", difficult.len());
    println!("difficult and right = {}", of(difficult, "right"));
    for (name, some) in [("ordinary", ordinary), ("difficult", difficult)] {
        let (low, high) = wilson(of(some, "right"), some.len());
        let range = format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high);
        value(&format!("interval of the {name}"), range);
    }
}

/// The interval in which a share is with 95 per cent, if so many of n were
/// counted (Wilson, 1927).
fn wilson(counted: usize, n: usize) -> (f64, f64) {
    let (z, n) = (1.96_f64, n as f64);
    let share = counted as f64 / n;
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let all = 1.0 + z * z / n;
    ((middle - half) / all, (middle + half) / all)
}

/// In how many training captions the words are that went wrong.
fn rare_words() {
    println!("\n== Words in the training captions");
    println!("word        captions  in German");
    for [word, captions, german, with_it] in table(&log("words")) {
        let with_it = match german {
            "" => String::new(),
            _ => format!("{german} in {with_it}"),
        };
        println!("{}", format!("{word:11} {captions:>8}  {with_it}").trim());
    }
}

/// Four sentences, two at a time: how many steps it takes until the longer of
/// each two is done.
fn many_together() {
    println!("\n== Many sentences together");
    let mut lengths = [5, 30, 6, 28];
    let steps = |lengths: &[usize]| -> usize {
        lengths.chunks(2).map(|pair| pair[0].max(pair[1])).sum()
    };
    println!("steps as they come = {}", steps(&lengths));
    lengths.sort_unstable();
    println!("steps when sorted = {}", steps(&lengths));
}

/// The cross-attention of the decoder's last layer.
pub struct Looks {
    /// The tokens of the translation, which are queries.
    pub rows: Vec<String>,
    /// The tokens of the caption, which are keys.
    pub columns: Vec<String>,
    pub heads: HeadWeights,
}

pub fn looks(translator: &Translator, judged: &Judged) -> Looks {
    let Translator { tokenizer, .. } = translator;
    let source = tokenizer.encode_source(&judged.english);
    let mut target = tokenizer.encode_target(&judged.german);
    // After the end of the sequence nothing is looked for.
    target.pop();
    let mut maps = translator.attention_maps(&source, &target);
    let spell = |ids: &[Token]| -> Vec<String> {
        ids.iter().map(|&id| tokenizer.name(id)).collect()
    };
    let heads = maps.cross.pop().expect("a layer");
    Looks { rows: spell(&target), columns: spell(&source), heads }
}

/// What one head looks at for two words that German has in the other order:
/// the head that is the surest of both.
fn two_looks(translator: &Translator, judged: &Judged) {
    println!("\n== Two looks");
    let Looks { rows, columns, heads } = looks(translator, judged);
    let place = |tokens: &[String], word| {
        tokens.iter().position(|token| token == word).expect("a token")
    };
    let looks = [("nachts", "night"), ("straße", "street")];
    let looks = looks.map(|(german, english)| {
        (german, place(&rows, german) - 1, place(&columns, english))
    });
    let surest = |head: &Matrix<f32>| {
        looks
            .iter()
            .map(|&(_, row, key)| head[(row, key)])
            .fold(1.0, f32::min)
    };
    let best = |&a: &usize, &b: &usize| {
        surest(&heads[a]).total_cmp(&surest(&heads[b]))
    };
    let head = (0..heads.len()).max_by(best).expect("a head");
    println!("jumping head = {}", head + 1);
    for (word, row, key) in looks {
        let weight = heads[head][(row, key)];
        println!("before {word}, weight = {weight:.2}");
    }
}

/// What becomes of the merges if the text is learned from with its lines.
fn line_breaks() {
    println!("\n== Lines instead of spaces");
    let lines = CAPTIONS.map(|(a, b)| format!("{a}\n{b}\n")).concat();
    let tokens = Bpe::train(&lines, 60);
    let breaks = |&id: &Token| tokens.bytes(id).contains(&b'\n');
    let merged = 256..tokens.len() as Token;
    let wasted: Vec<Token> = merged.filter(breaks).collect();
    println!("merges with a line break = {}", wasted.len());
    let spelled =
        wasted.iter().map(|&id| format!("{:?}", tokens.decode(&[id])));
    println!(
        "some of them = {}",
        spelled.take(4).collect::<Vec<_>>().join(", ")
    );
}

/// What it costs that the first word of a line has no space before it.
fn no_space_before() {
    println!("\n== The first word of a line");
    let Translator { tokenizer, .. } = Translator::captions();
    let tokens = |text: &str| tokenizer.encode(text).len();
    let counted = |count| match count {
        1 => "one token".to_owned(),
        _ => format!("{count} tokens"),
    };
    println!("menschen within = {}", counted(tokens(" menschen")));
    println!("menschen at the beginning = {}", counted(tokens("menschen")));
    let more =
        OWN.lines().map(|line| tokens(line) - tokens(&format!(" {line}")));
    println!("tokens too many = {}", more.sum::<usize>());
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
