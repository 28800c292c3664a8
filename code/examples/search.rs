//! Greedy, beams, a penalty and sampling: `cargo run --example search`

#[path = "search/language.rs"]
mod language;
#[path = "search/random.rs"]
mod random;
#[path = "search/sampling.rs"]
mod sampling;
#[path = "search/translated.rs"]
mod translated;
#[path = "shared/whole.rs"]
mod whole;

use all_you_need::search::{Cache, length_penalty, search};
use language::{ENDS, SCATTERED, find, wide};
pub use language::{I_AM_FINE, Language, joined};
use print::log::number;
use print::{Fixed, log, mean, section, table, value};
use random::{
    LIMIT, SOURCE, logarithms, logits, random as random_model, recomputed,
};
pub use sampling::{SETTINGS, first_words};

fn main() {
    greedy();
    all_sentences();
    two_at_a_time();
    wider_beams();
    short_and_long();
    the_translator();
    sampling::a_thousand_draws();
    translated::drawn_translations();
    not_always();
    sums_of_logits();
    wider_and_worse();
}

/// ((5 + |Y|) / 6)^α, where |Y| counts the end, too.
fn lp(length: usize, alpha: f64) -> f64 {
    ((5.0 + length as f64) / 6.0).powf(alpha)
}

/// The best sentence that a beam finds, with its score. After some tokens,
/// `next` gives the log-probabilities of all tokens that may follow.
fn beam(
    next: impl Fn(&[usize]) -> Vec<f64>,
    [begin, end]: [usize; 2],
    (width, alpha, longest): (usize, f64, usize),
) -> (Vec<usize>, f64) {
    let (mut live, mut finished) = (vec![(vec![begin], 0.0)], vec![]);
    while !live.is_empty() {
        let mut all = Vec::new();
        for (said, sum) in &live {
            for (token, log) in next(said).into_iter().enumerate() {
                if token == end || said.len() <= longest {
                    all.push(([&said[..], &[token]].concat(), sum + log));
                }
            }
        }
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(width);
        let ended = |(said, _): &(Vec<_>, _)| said.ends_with(&[end]);
        finished.extend(all.extract_if(.., |found| ended(found)));
        live = all;
    }
    let score = |(said, sum): (Vec<_>, f64)| {
        let score = sum / lp(said.len() - 1, alpha);
        (said, score)
    };
    let scores = finished.into_iter().map(score);
    scores.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a sentence")
}

/// What a beam finds in answer to *I am fine*, with its score.
fn fine(width: usize, alpha: f64) -> (String, f64) {
    let language = Language::new(I_AM_FINE);
    let next = |said: &[usize]| language.logs(said);
    let (said, score) = beam(next, ENDS, (width, alpha, 10));
    let words = said[1..said.len() - 1].iter().map(|&i| language.words[i]);
    (words.collect::<Vec<_>>().join(" "), score)
}

fn greedy() {
    let (sentence, sum) = fine(1, 0.0);
    let overlooked = Language::new(I_AM_FINE).probability("Mir geht es gut");
    section("Greedy");
    value("greedy finds", sentence);
    value("greedy's probability", sum.exp().fixed(3));
    value("overlooked", overlooked.fixed(3));
}

fn all_sentences() {
    let all = Language::new(I_AM_FINE).sentences();
    section("Every sentence");
    for (said, p) in all.iter().take(5) {
        println!("{said:24} {p:.3}");
    }
    section("To be sure");
    value("sentences", all.len());
    let digits = 30.0 * 37_000f64.log10();
    value("digits in 37,000 to the 30", digits.ceil());
}

/// What a beam of two keeps in each step.
pub fn two_steps() -> Language {
    let mut language = Language::new(I_AM_FINE);
    find(&mut language, &wide(2, 0.0));
    language
}

fn two_at_a_time() {
    let language = two_steps();
    section("A beam of two");
    for said in &language.steps[1..] {
        let each = said.iter().map(|said| {
            let p = language.probability(said);
            format!("{:30}", format!("{said} {p:.3}"))
        });
        println!("{}", each.collect::<String>().trim_end());
    }
}

fn wider_beams() {
    section("Wider beams");
    let row = |width: usize| {
        let [none, some] = [0.0, 0.6].map(|alpha| fine(width, alpha).0);
        let mut language = Language::new(I_AM_FINE);
        let crates = find(&mut language, &wide(width, 0.6));
        assert_eq!(language.sentence(&crates.tokens), some);
        (width, [none, some].map(|said| format!("{said:>20}")))
    };
    table(["width", "α = 0", "α = 0.6"], [1, 2, 3, 4, 16].map(row));
    section("Thousandths of a second for a caption");
    // Fifty captions were translated ten times.
    for [width, seconds] in log::table(log::read("search-widths")) {
        let each = number::<f64>(seconds) * 1000.0 / 500.0;
        value(format!("beam of {width}"), each.fixed(1));
    }
}

/// The score of a sentence whose tokens all have the probability 0.8.
pub fn of_four_fifths(tokens: usize, alpha: f64) -> f64 {
    tokens as f64 * 0.8f64.ln() / length_penalty(tokens, alpha)
}

fn short_and_long() {
    let language = Language::new(I_AM_FINE);
    section("Gut, or Mir geht es gut");
    let row = |said: &'static str| {
        let length = said.split_whitespace().count();
        let p = language.probability(said);
        let scores = [0.0, 0.6, 1.0].map(|alpha| p.ln() / lp(length, alpha));
        let words = said.trim_end_matches(" <end>");
        (words, length, p.fixed(3), scores.fixed(3))
    };
    let both = ["Gut <end>", "Mir geht es gut <end>"].map(row);
    table(["", "tokens", "P", "α = 0", "α = 0.6", "α = 1"], both);
    section("Penalties at 0.6");
    value("lp(2)", lp(2, 0.6).fixed(3));
    value("lp(5)", lp(5, 0.6).fixed(3));
}

/// The same with the translator of this book, from its log.
fn the_translator() {
    let log = log::read("translation-beams");
    let rows: Vec<[&str; 8]> = log::table(log).collect();
    let [none, some]: [f64; 2] = [0, 1].map(|row| number(rows[row][4]));
    section("A trained translator");
    println!("        {:17}α = {some}", format!("α = {none}"));
    println!("width   length   BLEU    length   BLEU");
    for both in rows.chunks(2) {
        let [none, some] = [&both[0], &both[1]].map(|row| {
            let [length, bleu] = [row[7], row[5]].map(number::<f64>);
            format!("{length:6.3} {bleu:6.2}")
        });
        assert_eq!(both[0][3], both[1][3]);
        println!("{:>5}   {none}    {some}", both[0][3]);
    }
    section("Its penalty");
    value("its α", some);
}

/// How often a wider beam finds less in a hundred random models.
fn not_always() {
    let models: Vec<_> = (0..100).map(random_model).collect();
    let scores = |width, alpha| {
        let beam = wide(width, alpha);
        let score = |model| {
            let mut cache = Cache::new(model, &[SOURCE.to_vec()]);
            let found = search(&mut cache, &[LIMIT], &beam);
            found.expect("finite logits")[0][0].score
        };
        models.iter().map(score).collect::<Vec<_>>()
    };
    let (mut compared, mut worse) = (0, 0);
    for alpha in [0.0, 0.6, 1.0] {
        let widths = [1, 2, 4, 8, 16].map(|width| scores(width, alpha));
        for pair in widths.windows(2) {
            let both = pair[0].iter().zip(&pair[1]);
            compared += both.len();
            worse += both.filter(|(a, b)| **b < **a - 1e-9).count();
        }
    }
    section("Not always");
    value("compared with half the width", compared);
    value("worse than with half the width", worse);
}

/// Beams of four that add logarithms, and such that add logits.
fn sums_of_logits() {
    section("Sums of logits");
    type Kind = fn(&[f64]) -> Vec<f64>;
    let row = |(name, kind): (&'static str, Kind)| {
        let found = (0..100).map(|seed| {
            let model = random_model(seed);
            let next = |said: &[usize]| kind(&logits(&model, said));
            let (said, sum) = beam(next, ENDS, (4, 0.0, LIMIT));
            [said.len() as f64 - 2.0, sum, recomputed(&model, &said)]
        });
        let found: Vec<[f64; 3]> = found.collect();
        let mean =
            |i: usize| mean(&Vec::from_iter(found.iter().map(|all| all[i])));
        (name, mean(0).fixed(1), [mean(1), mean(2)].fixed(2))
    };
    let rows: [(&str, Kind); 2] =
        [("logarithms", logarithms), ("logits", <[f64]>::to_vec)];
    table(["sums of", "words", "its sum", "ln P"], rows.map(row));
}

/// A language in which a beam of two finds less than greedy.
fn wider_and_worse() {
    section("Wider and worse");
    let row = |width: usize| {
        let mut language = Language::new(SCATTERED);
        let found = find(&mut language, &wide(width, 0.0));
        let said = language.sentence(&found.tokens);
        (width, said, found.log_probability.exp().fixed(4))
    };
    table(["width", "found", "probability"], [1, 2, 3].map(row));
}
