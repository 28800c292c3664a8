//! From texts to a translator: `cargo run --example translation`

#[path = "shared/counted.rs"]
mod counted;
#[path = "translation/earlier.rs"]
mod earlier;
#[path = "translation/judged.rs"]
mod judged;
#[path = "translation/logged.rs"]
mod logged;
#[path = "translation/vocabulary.rs"]
mod vocabulary;

use all_you_need::bleu::Counts;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::loss::perplexity;
use all_you_need::parameters::parameter_count;
use all_you_need::tokens::words;
use all_you_need::training::Recipe;
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use counted::{ratio, resampled};
pub use judged::{Judged, Looks, SHOWN, judged, looks};
pub use logged::{Row, log, lowest, rows};
use logged::{SEEDS, TESTS, chosen, of_all_seeds, on_val, score, sentences};
use print::log::{number, table};
use print::{
    Fixed, grouped, least, mean, most, plus_minus, section, spread, value,
};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    recipe();
    the_run();
    choosing();
    two_penalties();
    three_tests();
    one_pair();
    a_look_up();
    another_model();
    three_seeds();
    earlier::four_earlier_runs();
    judged::what_it_says(&Translator::captions());
    earlier::rare_words();
    vocabulary::no_space_before();
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
    let (config, recipe) = (Config::tiny(), Recipe::tiny());
    let model: Transformer<Shape> =
        Transformer::new(&config, &mut Bill::default());
    section("The recipe");
    value("parameters", grouped(parameter_count(&model)));
    value("layers", config.layers);
    value("d_model", config.d_model);
    value("d_ff", config.d_ff);
    value("heads", config.heads);
    value("vocabulary", grouped(config.vocabulary));
    value("dropout", recipe.dropout);
    value("label smoothing", recipe.label_smoothing);
    value("peak", recipe.peak_lr);
    value("warmup", grouped(recipe.warmup));
    value("batch", grouped(recipe.batch_tokens));
    value("decay", recipe.weight_decay);
    value("both directions", grouped(recipe.bidirectional_updates));
    value("updates", grouped(recipe.updates));
    // 100,000 updates with 25,000 target tokens (§5.1, §5.2), and three
    // multiply-adds a parameter for each of them.
    let theirs = 1e5 * 25_000.0 * 3.0 * Config::base().parameters() as f64;
    let last = rows(log("run-1")).pop().expect("a row");
    let ours = last.tokens / LENGTH as f64 * lesson();
    let times = (theirs / ours / 100.0).round() * 100.0;
    value("times ours", grouped(times as u64));
}

fn the_run() {
    let rows = rows(log("run-1"));
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    let best = lowest(&rows);
    let lessons = last.tokens / LENGTH as f64 * lesson();
    section("The run");
    value("minutes", (last.seconds / 60.0).fixed(0));
    value("millions of tokens", (last.tokens / 1e6).fixed(1));
    value("tokens a second", grouped((last.tokens / last.seconds) as u64));
    value("trillions of multiply-adds", (lessons / 1e12).fixed(0));
    let early = rows.iter().find(|row| row.update == 800).expect("a row");
    value("perplexity then", perplexity(first.validation).fixed(1));
    value("perplexity after 800", perplexity(early.validation).fixed(0));
    value("best perplexity", perplexity(best.validation).fixed(2));
    value("best at", grouped(best.update));
}

/// What greedy search scores for each seed, and each choice after it.
fn choosing() {
    section("Choosing on val");
    let rows = SEEDS.map(|seed| {
        let best = chosen(seed);
        let [greedy, beam, mean] = [(1, 1), (1, 5), (best.mean_of, 5)]
            .map(|(mean_of, beam)| on_val(seed, mean_of, beam).fixed(2));
        let (alpha, bleu) = (best.alpha.fixed(1), best.bleu.fixed(2));
        let seed = format!("seed {seed}");
        (seed, greedy, beam, best.mean_of, mean, alpha, bleu)
    });
    let names = [
        "",
        "last: greedy",
        "last: beam",
        "mean of",
        "mean: beam",
        "best α",
        "mean, best α",
    ];
    print::table(names, rows);
    section("What was chosen");
    value("checkpoints", chosen(SEEDS[0]).mean_of);
    value("alpha", chosen(SEEDS[0]).alpha.fixed(1));
    let adds = SEEDS.map(|seed| {
        let mean = on_val(seed, chosen(seed).mean_of, 5);
        let by = mean - on_val(seed, 1, 5);
        format!("{by:+.2}").replace('-', "−")
    });
    value("the mean adds", adds.join(", "));
}

/// A row of the table of the tests.
fn tests_row(name: &str, cell: impl Fn(&str) -> String) {
    let cells = TESTS.map(|(set, _)| format!("{:19}", cell(set))).concat();
    println!("{}", format!("{name:21}{cells}").trim_end());
}

fn three_tests() {
    section("Three tests");
    tests_row("", str::to_owned);
    for seed in SEEDS {
        tests_row(&format!("seed {seed}"), |set| {
            let rng = &mut ChaCha8Rng::seed_from_u64(1);
            let all = resampled(&sentences(seed, set), 1000, rng);
            let (low, high) = (all[25], all[974]);
            format!("{:.2} [{low:.1}, {high:.1}]", score(seed, set))
        });
    }
    tests_row("mean", |set| plus_minus(&of_all_seeds(set), 2));
    let theirs = |set: &str| TESTS.iter().find(|test| test.0 == set);
    tests_row("Wu and others (2021)", |set| {
        theirs(set).expect("a test").1.into()
    });
}

/// A score that another program can report, too.
fn one_pair() {
    let said = "ein mann repariert vor seinem haus ein fahrrad .";
    let wanted = "ein mann repariert ein fahrrad vor seinem haus .";
    section("One pair");
    value("said", said);
    value("wanted", wanted);
    let found = Counts::of(&words(said), &words(wanted)).bleu();
    value("scores", found.score.fixed(2));
}

/// A rival that looks up the most similar caption.
fn a_look_up() {
    section("A look-up");
    for [set, by, bleu, _, _] in table::<5>(log("rival")) {
        if set != "val" {
            value(format!("{set} by {by}"), bleu);
        }
    }
}

/// By how much we are below Wu and others.
fn another_model() {
    section("Another model");
    let below = TESTS.map(|(set, theirs)| {
        number::<f64>(theirs) - mean(&of_all_seeds(set))
    });
    value("below theirs by at least", least(&below).fixed(1));
    value("below theirs by at most", most(&below).fixed(1));
}

/// The length penalty that was chosen beside the paper's, on the captions by
/// which it was chosen.
fn two_penalties() {
    section("Two penalties");
    let [paper, chosen] = ["0.6\t", "1.8\t"].map(|alpha| {
        let lines = log("penalties").lines();
        let own: Vec<_> =
            lines.filter_map(|l| l.strip_prefix(alpha)).collect();
        counted::sentences(&own.join("\n"))
    });
    let best = logged::chosen(SEEDS[0]);
    let before = on_val(SEEDS[0], best.mean_of, 5);
    value("ahead in the table", (best.bleu - before).fixed(2));
    value("words with the paper's", ratio(&paper).percent(1));
    value("words with the chosen", ratio(&chosen).percent(1));
}

/// How far the seeds are apart, and how much too long their translations are.
fn three_seeds() {
    section("Three seeds");
    let deviations = TESTS.map(|(set, _)| spread(&of_all_seeds(set)).1);
    value("smallest spread", least(&deviations).fixed(2));
    value("largest spread", most(&deviations).fixed(2));
    let set = TESTS[0].0;
    let words = mean(&SEEDS.map(|seed| ratio(&sentences(seed, set))));
    value(format!("words on {set}"), words.percent(1));
    // Without them each precision would be larger by this factor.
    let surplus = (words - 1.0) * mean(&of_all_seeds(set));
    value("surplus may cost", surplus.fixed(1));
}
