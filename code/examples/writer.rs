//! A decoder without an encoder: `cargo run --example writer`

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::decoder::DecoderLayer;
use all_you_need::encoder::{Config, EncoderLayer};
use all_you_need::gradient::Variable;
use all_you_need::loss::{TiedCrossEntropy, shift_right};
use all_you_need::parameters::parameter_count;
use all_you_need::search::{Sampling, sample};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, words};
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{
    Half, Ngram, Past, Text, Trainer, TrainingExample, WINDOW, config, recipe,
};
use plot::{Chart, Diagram, Hue, Side};
use print::grouped;
use print::log::{number, spread, table};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::BTreeSet;

fn main() {
    after_the();
    different_before();
    two_layers();
    draw_subtraction();
    without_a_mask();
    the_pages();
    scores();
    draw_learning();
    what_it_writes();
    what_a_token_costs();
    two_vocabularies();
}

/// Three sentences to count in.
const STORY: &str = "the cat jumped over the fence . \
    the dog jumped over the wall . the cat saw the dog .";

fn story() -> (Vocabulary, Vec<Token>) {
    let words = words(STORY);
    let vocabulary = Vocabulary::of(&words);
    let tokens = vocabulary.encode(&words).expect("words of the story");
    (vocabulary, tokens)
}

/// Half of what is said comes from the longest context, half from the others.
const WEIGHT: f64 = 0.5;

fn after_the() {
    let (vocabulary, tokens) = story();
    let models = [1, 2, 3].map(|order| {
        let mut ngram = Ngram::new(order, vocabulary.len(), WEIGHT);
        ngram.count(&tokens);
        ngram
    });
    let ids = |text| vocabulary.encode(&words(text)).expect("known words");
    let past = ids("jumped over the");
    println!("== After over the");
    println!("next     anywhere   after the   after over the");
    let all: Vec<Token> = (0..vocabulary.len() as Token).collect();
    for (token, word) in all.iter().zip(vocabulary.decode(&all)) {
        let [one, two, three] =
            models.each_ref().map(|ngram| ngram.probability(&past, *token));
        println!("{word:8} {one:8.3} {two:11.3} {three:16.3}");
    }
    println!("\n== The cat");
    let cat = ids("cat")[0];
    let [one, two, _] =
        models.each_ref().map(|ngram| ngram.probability(&past, cat));
    println!("words of the story = {}", tokens.len());
    println!("different words = {}", vocabulary.len());
    println!("cat anywhere = {one:.3}");
    println!("cat after the = {two:.3}");
}

/// What Kneser and Ney subtract from each count.
const DISCOUNT: f64 = 0.75;

/// After how many different words each word of the story comes.
fn different_before() {
    let (vocabulary, tokens) = story();
    println!("\n== Times and different words before");
    println!("word     times   different words before");
    let before = |id: Token| {
        let pairs = tokens.windows(2).filter(|pair| pair[1] == id);
        pairs.map(|pair| pair[0]).collect::<BTreeSet<Token>>().len()
    };
    let ids: Vec<Token> = (0..vocabulary.len() as Token).collect();
    for (&id, word) in ids.iter().zip(vocabulary.decode(&ids)) {
        let times = tokens.iter().filter(|&&token| token == id).count();
        println!("{word:8} {times:5} {:24}", before(id));
    }
    let two = vocabulary.encode(&words("the jumped")).expect("two words");
    let [the, jumped] = two[..] else { panic!("not two tokens") };
    let after: Vec<Token> = tokens
        .windows(2)
        .filter(|pair| pair[0] == the)
        .map(|pair| pair[1])
        .collect();
    let all = after.len() as f64;
    let different = after.iter().collect::<BTreeSet<_>>().len() as f64;
    println!("\n== Discounted");
    println!("discount = {DISCOUNT}");
    println!("cat keeps = {:.3}", (2.0 - DISCOUNT) / all);
    let given_away = different * DISCOUNT / all;
    println!("given away = {given_away:.2}");
    let all_before: usize = ids.iter().map(|&id| before(id)).sum();
    let part = before(jumped) as f64 / all_before as f64;
    println!("jumped after the = {:.3}", given_away * part);
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
    println!("\n== Two layers");
    println!("under the causal mask = {:.0e}", apart(&past));
    println!("without a mask = {:.1}", apart(&all));
    let base = Config::base();
    let layer = DecoderLayer::new(&base, &mut Bill::default());
    let (before, after) = (
        parameter_count::<Shape>(&layer),
        parameter_count::<Shape>(&without_source(&layer)),
    );
    println!("decoder layer = {}", grouped(before));
    println!("without the source = {}", grouped(after));
    let half: Half<Shape> = Half::new(&base, &mut Bill::default());
    println!("base model = {}", grouped(base.parameters()));
    println!("half of it = {}", grouped(parameter_count(&half)));
}

/// A decoder layer, and what is left of it.
fn draw_subtraction() {
    let text = "Two layers from the bottom up. On the left a decoder layer: \
        self-attention under the causal mask, cross-attention to the memory, \
        feed-forward, each with its norm. On the right the same layer without \
        cross-attention and its norm: self-attention under the causal mask \
        and feed-forward.";
    let title = "A decoder layer, and what is left";
    let mut figure = Diagram::new(title, text, 28.0, 20.6).across(18.0);
    let parts = [
        (18.0, "self-attention\nadd & norm", Hue::Rule),
        (11.6, "cross-attention\nadd & norm", Hue::Orange),
        (5.2, "feed-forward\nadd & norm", Hue::Rule),
    ];
    for (x, skipped) in [(9.0, false), (22.0, true)] {
        let mut from = (x, 20.4);
        for (y, name, hue) in parts {
            if skipped && hue == Hue::Orange {
                continue;
            }
            let block = figure.block((x, y), (8.0, 2.8), name, hue);
            figure.arrow(&[from, block.bottom()], Hue::Ink);
            from = block.top();
        }
        figure.arrow(&[from, (x, 2.2)], Hue::Ink);
    }
    figure.note((9.0, 1.2), Side::On, "decoder layer");
    figure.note((22.0, 1.2), Side::On, "what is left");
    figure.arrow(&[(1.6, 11.6), (5.0, 11.6)], Hue::SOURCE);
    figure.note((2.6, 10.4), Side::On, "memory");
    figure.note((15.5, 18.0), Side::On, "causal\nmask");
    plot::save("writer-subtraction", &figure.draw());
}

/// A example that shows all of the text to every row.
#[derive(Clone)]
struct Unmasked(Text);

impl TrainingExample<Half<Variable<f32>>, Variable<f32>> for Unmasked {
    fn answers(&self) -> usize {
        self.0.0.len() - 1
    }

    fn loss(
        model: &Half<Variable<f32>>,
        examples: &[Self],
        label_smoothing: f64,
    ) -> Variable<f32> {
        let shifted = examples.iter().map(|Self(Text(t))| shift_right(t));
        let (inputs, answers): (Vec<_>, Vec<_>) = shifted.unzip();
        let (z, table) =
            (model.bidirectional(&inputs), &model.embedding.table);
        z.tied_cross_entropy(table, &answers.concat(), label_smoothing)
    }
}

/// The story is learned by heart, with a causal mask and without.
fn without_a_mask() {
    let (vocabulary, tokens) = story();
    let sizes = Config {
        vocabulary: vocabulary.len(),
        layers: 1,
        d_model: 32,
        d_ff: 64,
        d_k: 16,
        d_v: 16,
        ..Config::toy()
    };
    let steps = 150;
    let new = || -> Trainer<Half<Matrix<f32>>> {
        let recipe = Recipe {
            parts: 1,
            updates: steps,
            warmup: 20,
            peak_lr: 0.01,
            label_smoothing: 0.0,
            ..Recipe::toy()
        };
        Trainer::new(recipe, |rng| Half::new(&sizes, rng))
    };
    let says = |model: &Half<Matrix<f32>>| {
        let bos = vocabulary.encode(&words("the")).expect("a word")[0];
        // No end: the story is cut off.
        let greedy = Sampling { top_k: 1, ..Sampling::new(bos, Token::MAX) };
        let rng = &mut generator(1, Stream::Data);
        let said = sample(&mut Past::new(model), 8, &greedy, rng);
        vocabulary.decode(&said.expect("finite logits")).join(" ")
    };
    println!("\n== Without a mask");
    let mut with = new();
    let mut last = [0.0; 2];
    let example = Text(tokens);
    for _ in 0..steps {
        let update = with.update(std::slice::from_ref(&example));
        last[0] = update.expect("a finite loss");
    }
    let mut without = new();
    let unmasked = Unmasked(example);
    for _ in 0..steps {
        let update = without.update(std::slice::from_ref(&unmasked));
        last[1] = update.expect("a finite loss");
    }
    println!("steps = {steps}");
    println!("loss with the mask = {:.3}", last[0]);
    println!("loss without it = {:.3}", last[1]);
    println!("with it = the {}", says(&with.model));
    println!("without it = the {}", says(&without.model));
}

// What `src/logs/writer.sh` has measured

const COUNTS: &str = include_str!("../../src/logs/writer-counts.tsv");
const MIXED: &str = include_str!("../../src/logs/writer-mixed.tsv");
const SAID: &str = include_str!("../../src/logs/writer-said.tsv");
const RUNS: [&str; 5] = [
    include_str!("../../src/logs/writer-run-1.tsv"),
    include_str!("../../src/logs/writer-run-2.tsv"),
    include_str!("../../src/logs/writer-run-3.tsv"),
    include_str!("../../src/logs/writer-run-4.tsv"),
    include_str!("../../src/logs/writer-run-5.tsv"),
];

fn the_pages() {
    let [_, _, _, read, tokens, _, _] =
        table(COUNTS).next().expect("a row of counts");
    let sizes = config(500 + 256 + 2);
    let half: Half<Shape> = Half::new(&sizes, &mut Bill::default());
    let recipe = recipe(1);
    println!("\n== The pages");
    println!("tokens to learn from = {}", grouped(read));
    println!("tokens held out = {}", grouped(tokens));
    println!("vocabulary = {}", sizes.vocabulary);
    println!("layers = {}", sizes.layers);
    println!("d_model = {}", sizes.d_model);
    println!("parameters = {}", grouped(parameter_count(&half)));
    println!("window = {WINDOW}");
    println!("updates = {}", grouped(recipe.updates));
    let tokens = recipe.updates * recipe.batch_tokens;
    let epochs = tokens as f64 / number::<f64>(read);
    println!("times each page = {epochs:.0}");
}

/// The rows of a run: update, seconds, training, held out, perplexity.
fn run(log: &'static str) -> Vec<[f64; 5]> {
    table(log).map(|row: [&str; 5]| row.map(number)).collect()
}

fn last(log: &'static str) -> [f64; 5] {
    *run(log).last().expect("a row of a run")
}

/// Perplexities of counts with this many merges.
fn counted(merges: &str, how: &str) -> Vec<(usize, f64)> {
    let rows = table::<7>(COUNTS);
    let rows = rows.filter(|row| row[0] == merges && row[2] == how);
    rows.map(|row| (number(row[1]), number(row[6]))).collect()
}

fn scores() {
    let (mixed, discounted) =
        (counted("500", "interpolated"), counted("500", "Kneser-Ney"));
    let sizes = config(500 + 256 + 2);
    println!("\n== Perplexity on the held-out pages");
    println!("                     interpolated   Kneser–Ney");
    println!("all tokens alike {:17}", sizes.vocabulary);
    for ((order, one), (_, other)) in mixed.iter().zip(&discounted) {
        let name = match order {
            1 => "single tokens",
            2 => "bigram",
            3 => "trigram",
            4 => "4-gram",
            _ => "5-gram",
        };
        println!("{name:20} {one:13.1} {other:12.1}");
    }
    let p = RUNS.map(|log| last(log)[4]);
    let (mean, std) = spread(&p);
    println!("the writer           {mean:12.1}");
    let best = |rows: &[(usize, f64)]| {
        rows.iter().map(|row| row.1).fold(f64::INFINITY, f64::min)
    };
    println!("\n== Five seeds");
    println!("mean = {mean:.1}");
    println!("standard deviation = {std:.2}");
    let worst = p.iter().copied().fold(0.0, f64::max);
    println!("the worst = {worst:.1}");
    println!("interpolated trigram = {:.1}", best(&mixed));
    println!("Kneser–Ney at best = {:.1}", best(&discounted));
    assert!(worst < best(&mixed), "a writer that counts beat");
    let minutes = RUNS.map(|log| last(log)[1] / 60.0);
    let (low, high) = minutes
        .iter()
        .fold((f64::MAX, 0.0_f64), |m, &x| (m.0.min(x), m.1.max(x)));
    println!("minutes = {low:.0} to {high:.0}");
    let mixed: Vec<[&str; 3]> = table(MIXED).collect();
    println!("half of each = {:.1}", number::<f64>(mixed[2][2]));
    println!("training loss = {:.2}", last(RUNS[0])[2]);
    println!("held-out loss = {:.2}", last(RUNS[0])[3]);
}

fn draw_learning() {
    let interpolated = counted("500", "interpolated")[2].1;
    let kneser_ney = counted("500", "Kneser-Ney")[3].1;
    let ends: Vec<String> =
        RUNS.iter().map(|log| format!("{:.1}", last(log)[4])).collect();
    let text = format!(
        "The perplexity on the held-out pages by the number of updates, for \
         {} seeds. They fall together, fast at first, below \
         the interpolated trigram at {interpolated:.1}, and end at {}. \
         Kneser and Ney's counts are at {kneser_ney:.1}.",
        RUNS.len(),
        ends.join(", ")
    );
    let mut chart = Chart::new("The writer learns", &text)
        .size(470.0, 300.0)
        .x("updates")
        .y("perplexity, held out")
        .log_y()
        .guide_y(interpolated, "interpolated trigram")
        .guide_y(kneser_ney, "Kneser–Ney 4-gram");
    let runs = RUNS.map(run);
    let mean = |row: usize| {
        let sum: f64 = runs.iter().map(|run| run[row][4]).sum();
        (runs[0][row][0], sum / runs.len() as f64)
    };
    let all = runs.iter().flatten().map(|row| (row[0], row[4]));
    chart = chart
        .line("mean of five", (0..runs[0].len()).map(mean))
        .dots("a writer", all.collect::<Vec<_>>());
    plot::save("writer-learning", &chart.draw());
}

/// Lines of at most this many characters.
const WIDTH: usize = 72;

fn folded(text: &str) -> String {
    let (mut lines, mut width) = (String::from("   "), 3);
    for word in text.split_whitespace() {
        let letters = word.chars().count() + 1;
        if width + letters > WIDTH {
            lines += "\n   ";
            width = 3;
        }
        lines += &format!(" {word}");
        width += letters;
    }
    lines
}

fn what_it_writes() {
    let sections = [
        ("It writes", "writer", "as it is"),
        ("It writes with temperature", "writer", "temperature 0.5"),
        ("It writes the most probable", "writer", "top-k 1"),
        ("A trigram writes", "trigram", "as it is"),
    ];
    for (title, who, settings) in sections {
        println!("\n== {title}");
        for [by, how, beginning, goes_on] in table(SAID) {
            if (by, how) == (who, settings) {
                println!("{beginning} …\n{}", folded(goes_on));
            }
        }
    }
}

/// A token of the base model without its encoder: what it costs at a
/// position, if all rows before it are computed anew, and with the cache.
fn what_a_token_costs() {
    let bill = Bill::default();
    let half: Half<Shape> = Half::new(&Config::base(), &mut bill.clone());
    let mut spent = 0;
    let mut since = || {
        let before = std::mem::replace(&mut spent, bill.cost().multiply_adds);
        (bill.cost().multiply_adds - before) as f64 / 1e6
    };
    let mut past = Past::new(&half);
    let shown = [1, 10, 30, 100, 300, 1000];
    let (mut anew, mut cached) = (Vec::new(), Vec::new());
    println!("\n== What a token costs, in millions of multiply-adds");
    println!("position   all anew   cached   times");
    since();
    for n in 1..=1000 {
        let _ = past.feed(0);
        let one = since();
        if !shown.contains(&n) {
            continue;
        }
        let z = half.causal(&[vec![0; n]]).gather(&[n - 1]);
        let _ = z.matmul_t(&half.embedding.table);
        let all = since();
        let times = all / one;
        let anew_text = grouped(format!("{all:.0}"));
        println!("{n:8} {anew_text:>10} {one:8.1} {times:7.0}");
        anew.push((n as f64, all));
        cached.push((n as f64, one));
    }
    let at = |line: &[(f64, f64)], n: f64| {
        let found = line.iter().find(|(at, _)| *at == n);
        found.expect("a position that is shown").1
    };
    println!("\n== Ten and a thousand");
    for n in [10.0, 1000.0] {
        println!("anew at {n} = {}", grouped(format!("{:.0}", at(&anew, n))));
        println!("cached at {n} = {:.0}", at(&cached, n));
    }
    let [first, last] = [cached[0].1, cached[cached.len() - 1].1];
    println!("cached, first = {first:.1}");
    println!("more at the end = {:.0} %", 100.0 * (last / first - 1.0));
    draw_costs(anew, cached);
}

fn draw_costs(anew: Vec<(f64, f64)>, cached: Vec<(f64, f64)>) {
    let list = |line: &[(f64, f64)]| {
        let each = line.iter();
        let all = |cost: f64| grouped(format!("{:.0}", 1e6 * cost));
        let each = each.map(|&(n, cost)| format!("{} at {n}", all(cost)));
        each.collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "Multiply-adds for one token by its position, both axes \
         logarithmic. Without a cache they rise with the position: {}. With \
         the cache they hardly rise: {}.",
        list(&anew),
        list(&cached)
    );
    let chart = Chart::new("What a token costs at its position", &text)
        .size(470.0, 290.0)
        .x("position of the token")
        .y("multiply-adds, in millions")
        .log_x()
        .log_y()
        .line("all anew", anew)
        .line("cached", cached);
    plot::save("writer-cost", &chart.draw());
}

/// The same pages with twice the merges.
fn two_vocabularies() {
    println!("\n== Two vocabularies");
    println!("merges   tokens held out   perplexity   nats of all of them");
    for [merges, order, how, _, tokens, nats, p] in table(COUNTS) {
        if order == "3" && how == "interpolated" {
            let all = number::<f64>(tokens) * number::<f64>(nats);
            let p: f64 = number(p);
            println!(
                "{merges:>6} {:>17} {p:12.1} {:>21}",
                grouped(tokens),
                grouped(format!("{all:.0}"))
            );
        }
    }
}
