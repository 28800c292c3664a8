//! What a search asks, and what a cache saves: `cargo run --example cache`

#[path = "search/language.rs"]
mod language;
#[path = "cache/logged.rs"]
mod logged;
#[path = "search/random.rs"]
mod random;

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::search::{Beam, Cache, Hypothesis, LanguageModel, search};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use language::{I_AM_FINE, Language, find, wide};
use print::{Fixed, grouped, section, table, value};
use random::{LIMIT, SOURCE, random, recomputed};

fn main() {
    two_together();
    dropped_early();
    logged::patience();
    what_is_kept();
    logged::times();
    what_is_saved();
    past_of_another();
}

/// A language that writes down how it is asked.
struct Asked {
    language: Language,
    /// The sentence of each hypothesis.
    owners: Vec<usize>,
    step: usize,
}

impl LanguageModel<f64> for Asked {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        self.owners = parents.iter().map(|&i| self.owners[i]).collect();
        self.step += 1;
        let each = parents.iter().zip(tokens).zip(&self.owners);
        let mut lists = [const { (Vec::new(), Vec::new()) }; 2];
        for ((parent, &token), &owner) in each {
            lists[owner].0.push(parent.to_string());
            lists[owner].1.push(self.language.words[token as usize]);
        }
        let [(a, one), (b, other)] = lists;
        let [a, b, one, other] =
            [a.join(" "), b.join(" "), one.join(" "), other.join(" ")];
        let row = format!("{:4}   {a:8} {b:8} {one:12} {other}", self.step);
        println!("{}", row.trim_end());
        self.language.next_logits(parents, tokens)
    }
}

/// A beam of two for two sentences, where *Mir* has been said in the second.
fn two_together() {
    section("Two together");
    println!("       parents           tokens");
    println!("step   first    second   first        second");
    let mut language = Language::new(I_AM_FINE);
    language.said.push("Mir".to_string());
    let mut asked = Asked { language, owners: vec![0, 1], step: 0 };
    let found = search(&mut asked, &[10, 10], &wide(2, 0.0));
    assert_eq!(found.expect("finite logits").len(), 2);
}

/// From which sum on a hypothesis can no longer win.
fn dropped_early() {
    let gut = find(&mut Language::new(I_AM_FINE), &wide(4, 0.0));
    let lp = |tokens| all_you_need::search::length_penalty(tokens, 0.6);
    let score = gut.log_probability / lp(2);
    section("Dropped early");
    value("score of Gut", grouped(score.fixed(3)));
    value("lp(11)", lp(11).fixed(3));
    value("dropped below", grouped(format!("{:.2}", score * lp(11))));
}

/// The columns of a beam of four in its fourth step: the beginnings that the
/// hypotheses had in each step until then.
pub fn four_steps() -> Vec<Vec<String>> {
    let mut language = Language::new(I_AM_FINE);
    find(&mut language, &Beam { n_best: 4, ..wide(4, 0.6) });
    language.steps.truncate(4);
    language.steps
}

/// How large a cache gets.
fn what_is_kept() {
    section("What is kept");
    let sizes = [
        ("toy", Config::toy()),
        ("tiny", Config::tiny()),
        ("base", Config::base()),
    ];
    let row = |(name, Config { layers, d_model, heads, d_k, d_v, .. }): (
        &'static str,
        Config,
    )| {
        let numbers = layers * heads * (d_k + d_v);
        let beam =
            format!("{} kB", grouped((4 * 60 * 4 * numbers + 500) / 1000));
        (name, layers, d_model, grouped(numbers), grouped(4 * numbers), beam)
    };
    let names =
        ["", "layers", "d_model", "numbers", "bytes", "4 × 60 tokens"];
    table(names, sizes.map(row));
    section("As large as the model");
    let base = Config::base();
    let model: Transformer<Shape> =
        Transformer::new(&base, &mut Bill::default());
    let numbers = base.layers * base.heads * (base.d_k + base.d_v);
    let tokens = parameter_count(&model) / numbers;
    value("megabytes of base", 4 * parameter_count(&model) / 1_000_000);
    value("tokens as large", grouped(tokens));
    value("sentences as large", tokens.div_ceil(4 * 60));
}

/// What the base model's decoder has spent after so many words, in
/// multiply-adds, for a source of thirty.
struct Spent {
    /// If it computes everything anew for every word, the source included.
    anew: Vec<f64>,
    /// If it keeps what it has made of the source.
    source_kept: Vec<f64>,
    /// With the cache.
    cached: Vec<f64>,
    /// In one pass over the first thirty words, with all their logits.
    once: f64,
}

/// Counts with shapes.
fn spent() -> Spent {
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut bill.clone());
    let sources = [vec![0; 30]];
    let mut total = 0;
    let mut since = || {
        let before = std::mem::replace(&mut total, bill.cost().multiply_adds);
        (bill.cost().multiply_adds - before) as f64
    };
    let memory = model.encode(&sources);
    let encoded = since();
    let mut cache = Cache::new(&model, &sources);
    let source = since() - encoded;
    let mut sums = [0.0, source, source];
    let mut all = [const { Vec::new() }; 3];
    for n in 1..=60 {
        let z = model.decode(&[vec![0; n]], &memory);
        let _ = model.logits(&z.gather(&[n - 1]));
        let pass = since();
        cache.feed(&[0], &[0]);
        let steps = [pass, pass - source, since()];
        for ((sum, step), line) in sums.iter_mut().zip(steps).zip(&mut all) {
            *sum += step;
            line.push(*sum);
        }
    }
    let z = model.decode(&[vec![0; 30]], &memory);
    let _ = model.logits(&z);
    let [anew, source_kept, cached] = all;
    Spent { anew, source_kept, cached, once: since() }
}

fn what_is_saved() {
    let Spent { anew, source_kept, cached, once } = spent();
    section("Multiply-adds of the decoder, in millions");
    let row = |n: usize| {
        let millions =
            |line: &[f64]| grouped(format!("{:.0}", line[n - 1] / 1e6));
        let times = format!("{:.1}", source_kept[n - 1] / cached[n - 1]);
        (
            n,
            (n * (n + 1) / 2),
            millions(&anew),
            millions(&source_kept),
            millions(&cached),
            times,
        )
    };
    let names =
        ["words", "rows", "all anew", "source kept", "cached", "times"];
    table(names, [1, 10, 30, 60].map(row));
    section("One pass");
    value("thirty one by one", grouped(format!("{:.0}", cached[29] / 1e6)));
    value("one pass over thirty", grouped(format!("{:.0}", once / 1e6)));
    // Under the mask are pairs that only the single pass multiplies: those of
    // a query and a key, and of a weight and a value.
    let Config { layers, d_model, .. } = Config::base();
    let hidden = (layers * (30 * 29 / 2) * 2 * d_model) as f64;
    assert_eq!(once - cached[29], hidden);
}

/// Every hypothesis goes on from the past of the one in its place.
struct Forgetful<'a>(Cache<'a, Matrix>, usize);

impl LanguageModel<f64> for Forgetful<'_> {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        let last = self.1 - 1;
        self.1 = parents.len();
        let wrong: Vec<usize> =
            (0..parents.len()).map(|i| i.min(last)).collect();
        self.0.next_logits(&wrong, tokens)
    }
}

fn past_of_another() {
    let beam = wide(4, 0.6);
    let (mut differ, mut gaps) = (0, Vec::new());
    for seed in 0..100 {
        let model = random(seed);
        let cache = || Cache::new(&model, &[SOURCE.to_vec()]);
        let best = |found: Result<Vec<Vec<Hypothesis>>, _>| {
            found.expect("finite logits").swap_remove(0).swap_remove(0)
        };
        let right = best(search(&mut cache(), &[LIMIT], &beam));
        let mut forgetful = Forgetful(cache(), 1);
        let found = best(search(&mut forgetful, &[LIMIT], &beam));
        differ += usize::from(found.tokens != right.tokens);
        let ids = found.tokens.iter().map(|&id| id as usize);
        let said: Vec<usize> =
            [0].into_iter().chain(ids).chain([1]).collect();
        gaps.push((found.log_probability - recomputed(&model, &said)).abs());
    }
    gaps.retain(|gap| *gap > 1e-9);
    section("The past of another");
    value("other sentences", differ);
    value("wrong sums", gaps.len());
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    value("off by", mean.fixed(2));
}
