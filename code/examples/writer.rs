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
    Half, Past, Text, Trainer, TrainingExample, WINDOW, config, recipe,
};
use print::log::{self, number, spread};
use print::{grouped, section, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    two_layers();
    without_a_mask();
    the_pages();
    scores();
    what_it_writes();
    what_a_token_costs();
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
    value("without a mask", format!("{:.1}", apart(&all)));
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

/// An example that shows all of the text to every row.
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
    section("Without a mask");
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
    value("steps", steps);
    value("loss with the mask", format!("{:.3}", last[0]));
    value("loss without it", format!("{:.3}", last[1]));
    println!("with it = the {}", says(&with.model));
    println!("without it = the {}", says(&without.model));
}

// What `src/logs/writer.sh` has measured

const COUNTS: &str = include_str!("../../src/logs/ngram-counts.tsv");
const MIXED: &str = include_str!("../../src/logs/writer-mixed.tsv");
const SAID: &str = include_str!("../../src/logs/writer-said.tsv");
pub const RUNS: [&str; 5] = [
    include_str!("../../src/logs/writer-run-1.tsv"),
    include_str!("../../src/logs/writer-run-2.tsv"),
    include_str!("../../src/logs/writer-run-3.tsv"),
    include_str!("../../src/logs/writer-run-4.tsv"),
    include_str!("../../src/logs/writer-run-5.tsv"),
];

fn the_pages() {
    let [_, _, _, _, read, ..]: [&str; 8] =
        log::table(COUNTS).next().expect("a row of counts");
    let sizes = config(500 + 256 + 2);
    let half: Half<Shape> = Half::new(&sizes, &mut Bill::default());
    let recipe = recipe(1);
    section("The pages");
    value("vocabulary", sizes.vocabulary);
    value("layers", sizes.layers);
    value("d_model", sizes.d_model);
    value("parameters", grouped(parameter_count(&half)));
    value("window", WINDOW);
    value("updates", grouped(recipe.updates));
    let tokens = recipe.updates * recipe.batch_tokens;
    let epochs = tokens as f64 / number::<f64>(read);
    value("times each page", format!("{epochs:.0}"));
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
    let (mean, std) = spread(&p);
    section("Five seeds");
    value("mean", format!("{mean:.1}"));
    value("standard deviation", format!("{std:.2}"));
    let minutes = RUNS.map(|log| last(log)[1] / 60.0);
    let most = minutes.iter().copied().fold(0.0, f64::max);
    let least = minutes.iter().copied().fold(f64::MAX, f64::min);
    value("minutes", format!("{least:.0} to {most:.0}"));
    let mixed: Vec<[&str; 3]> = log::table(MIXED).collect();
    let p = |row: usize| format!("{:.1}", number::<f64>(mixed[row][2]));
    section("Perplexity on the held-out windows");
    let names = ["Kneser–Ney 5-gram", "the first writer", "half of each"];
    let rows = names.into_iter().zip([p(1), p(0), p(2)]);
    let rows = rows.map(|(name, p)| [name.to_owned(), p]);
    print::table(["predicted by", "perplexity"], rows);
    section("Mixed, and with more past");
    let long = last(include_str!("../../src/logs/writer-long.tsv"));
    value("three times the updates", format!("{:.1}", long[4]));
    value("minutes of it", format!("{:.0}", long[1] / 60.0));
    value("half of each", p(2));
    value("with half a window of past", p(3));
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
        section(title);
        for [by, how, beginning, goes_on] in log::table(SAID) {
            if (by, how) == (who, settings) {
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
        [
            n.to_string(),
            grouped(format!("{all:.0}")),
            format!("{one:.1}"),
            format!("{:.0}", all / one),
        ]
    };
    let rows = anew.iter().zip(&cached).map(row);
    print::table(["position", "all anew", "cached", "times"], rows);
    section("Ten and a thousand");
    for n in [10.0, 1000.0] {
        let all = format!("{:.0}", at(&anew, n));
        value(&format!("anew at {n}"), grouped(all));
        value(&format!("cached at {n}"), format!("{:.0}", at(&cached, n)));
    }
    let more = 100.0 * (at(&cached, 1000.0) / at(&cached, 1.0) - 1.0);
    value("more at the end", format!("{more:.0} %"));
}

/// Positions, and millions of multiply-adds.
type Line = Vec<(f64, f64)>;

/// What a token costs at some positions, computed anew and with the cache.
pub fn token_costs() -> [Line; 2] {
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
