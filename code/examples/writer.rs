//! A decoder without an encoder: `cargo run --example writer`

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::decoder::DecoderLayer;
use all_you_need::encoder::{Config, EncoderLayer};
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::writer::{Half, Past, WINDOW, config, recipe};
use print::log::{self, number};
use print::{
    Fixed, folded, grouped, least, most, section, spread, table, value,
};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::sync::LazyLock;

#[path = "writer/unmasked.rs"]
mod unmasked;

fn main() {
    two_layers();
    unmasked::without_a_mask();
    the_pages();
    scores();
    what_it_writes();
    what_a_token_costs();
}

/// The sizes of the comparison: those of the base model's layers, smaller.
fn small() -> Config {
    Config { vocabulary: 50, ..Config::toy() }
}

/// A decoder layer without its cross-attention.
fn without_source<T: Clone>(layer: &DecoderLayer<T>) -> EncoderLayer<T> {
    let layer = layer.clone();
    EncoderLayer {
        attention: layer.self_attention,
        attention_norm: layer.self_norm,
        feed_forward: layer.feed_forward,
        feed_forward_norm: layer.feed_forward_norm,
    }
}

fn two_layers() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut decoder: DecoderLayer<Matrix> = DecoderLayer::new(&small(), rng);
    decoder.cross_attention.w_o.fill(0.0);
    let encoder = without_source(&decoder);
    let [y, memory]: [Matrix; 2] = [6, 4].map(|n| rng.uniform(n, 64, 1.0));
    let (past, all) = (Mask::causal(6), Mask::none(6, 6));
    let silent = decoder.forward(&y, &memory, &past, &Mask::none(6, 4));
    let apart = |mask| (encoder.forward(&y, mask) - &silent).amax();
    section("Two layers");
    value("under the causal mask", format!("{:.0e}", apart(&past)));
    value("without a mask", apart(&all).fixed(1));
    let base = Config::base();
    let layer = DecoderLayer::new(&base, &mut Bill::default());
    let (before, after) = (
        parameter_count::<Shape>(&layer),
        parameter_count::<Shape>(&without_source(&layer)),
    );
    value("decoder layer", grouped(before));
    value("without the source", grouped(after));
    let half: Half<Shape> = Half::new(&base, &mut Bill::default());
    value("base model", grouped(base.parameters()));
    value("half of it", grouped(parameter_count(&half)));
}

// What `src/logs/writer.sh` has measured

pub static RUNS: LazyLock<[&str; 5]> =
    LazyLock::new(|| log::seeds("writer-run"));

fn the_pages() {
    let [_, _, _, _, read, ..]: [&str; 8] =
        log::table(log::read("ngram-counts"))
            .next()
            .expect("a row of counts");
    let sizes = config(500 + 256 + 2);
    let half: Half<Shape> = Half::new(&sizes, &mut Bill::default());
    let recipe = recipe(1);
    section("The pages");
    value("layers", sizes.layers);
    value("d_model", sizes.d_model);
    value("parameters", grouped(parameter_count(&half)));
    value("window", WINDOW);
    value("updates", grouped(recipe.updates));
    let tokens = recipe.updates * recipe.batch_tokens;
    let epochs = tokens as f64 / number::<f64>(read);
    value("times each page", epochs.fixed(0));
}

/// The rows of a run: update, seconds, training, held out, perplexity.
pub fn run(log: &'static str) -> Vec<[f64; 5]> {
    log::table(log).map(|row: [&str; 5]| row.map(number)).collect()
}

pub fn last(log: &'static str) -> [f64; 5] {
    *run(log).last().expect("a row of a run")
}

fn scores() {
    let p = RUNS.map(|log| last(log)[4]);
    let (mean, deviation) = spread(&p);
    section("Five seeds");
    value("mean", mean.fixed(2));
    value("standard deviation", deviation.fixed(2));
    let minutes = RUNS.map(|log| last(log)[1] / 60.0);
    let ends = [least(&minutes), most(&minutes)].fixed(0);
    value("minutes", ends.join(" to "));
    let mixed: Vec<[&str; 3]> =
        log::table(log::read("writer-mixed")).collect();
    let p = |row: usize| format!("{:.1}", number::<f64>(mixed[row][2]));
    section("Perplexity on the held-out windows");
    let interpolated = |order: &str| {
        log::table(log::read("ngram-counts"))
            .find(|row: &[_; 8]| row[..3] == ["500", order, "interpolated"])
            .map(|row| number::<f64>(row[7]).fixed(1))
            .expect("counts of this order")
    };
    let trigram = interpolated("3");
    let long = last(log::read("writer-long"));
    let longer = long[4].fixed(1);
    let rows = [
        ("interpolated trigram", trigram.clone()),
        ("interpolated 4-gram", interpolated("4")),
        ("the writer of seed 1", p(0)),
        ("a writer with three times the updates", longer.clone()),
        ("Kneser–Ney 5-gram", p(1)),
        ("half of the writer of seed 1, half of the 5-gram", p(2)),
    ];
    table(["predicted by", "perplexity"], rows);
    section("Mixed, and with more past");
    value("of the trigram", trigram);
    value("three times the updates", longer);
    value("minutes of it", (long[1] / 60.0).fixed(0));
    value("the writer of seed 1", p(0));
    value("with half a window of past", p(3));
}

fn what_it_writes() {
    let sections = [
        ("It writes", "writer", "as it is"),
        ("It writes the most probable", "writer", "top-k 1"),
        ("A trigram writes", "trigram", "as it is"),
    ];
    for (title, who, settings) in sections {
        section(title);
        for [by, how, beginning, goes_on] in
            log::table(log::read("writer-said"))
        {
            // The most probable go in the same circle after any beginning.
            let shown = how != "top-k 1" || beginning == "Attention is";
            if (by, how) == (who, settings) && shown {
                println!("{beginning} …\n{}", folded(goes_on));
            }
        }
    }
}

/// A token of the base model without its encoder: what it costs at a
/// position, if all rows before it are computed anew, and with the cache.
fn what_a_token_costs() {
    let [anew, cached] = token_costs();
    let at = |line: &Line, n: f64| {
        let found = line.iter().find(|(at, _)| *at == n);
        found.expect("a position that is shown").1
    };
    section("What a token costs, in millions of multiply-adds");
    let row = |(&(n, all), &(_, one)): (&(f64, f64), &(f64, f64))| {
        (n, grouped(all.fixed(0)), one.fixed(1), (all / one).fixed(0))
    };
    let rows = anew.iter().zip(&cached).map(row);
    table(["position", "all anew", "cached", "times"], rows);
    section("One and a thousand");
    let more = at(&cached, 1000.0) / at(&cached, 1.0) - 1.0;
    value("more at the end", more.percent(0));
}

/// Positions, and millions of multiply-adds.
type Line = Vec<(f64, f64)>;

/// What a token costs at some positions, computed anew and with the cache.
fn token_costs() -> [Line; 2] {
    let bill = Bill::default();
    let half: Half<Shape> = Half::new(&Config::base(), &mut bill.clone());
    let mut spent = 0;
    let mut since = || {
        let before = std::mem::replace(&mut spent, bill.cost().multiply_adds);
        (bill.cost().multiply_adds - before) as f64 / 1e6
    };
    let mut past = Past::new(&half);
    let shown = [1, 10, 30, 100, 300, 1000];
    let (mut anew, mut cached) = (Line::new(), Line::new());
    since();
    for n in 1..=1000 {
        let _ = past.feed(0);
        let one = since();
        if shown.contains(&n) {
            let z = half.causal(&[vec![0; n]]).gather(&[n - 1]);
            let _ = z.matmul_t(&half.embedding.table);
            anew.push((n as f64, since()));
            cached.push((n as f64, one));
        }
    }
    [anew, cached]
}
