//! The decoder, and who asks whom: `cargo run --example decoder`

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::decoder::{Decoder, DecoderLayer};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::plain::{decode, encode, softmax};
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::Token;
use all_you_need::translation::{HeadWeights, Translator};
use nalgebra::dmatrix;
use print::{Fixed, fixed, grouped, log, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::sync::LazyLock;

#[path = "decoder/oracle.rs"]
mod oracle;
#[path = "decoder/scene.rs"]
mod scene;
#[path = "shared/whole.rs"]
mod whole;

fn main() {
    let (scene, translator) = (scene::Scene::new(), Translator::captions());
    two_questions();
    parameters();
    trained_cross_attention(&translator);
    next_words(&translator);
    scene.all_at_once();
    scene.who_knows();
    unshifted();
    scene.wirings();
    oracle::check();
    oracle::slips();
}

/// Two rows of the target ask, three words of the source answer.
fn two_questions() {
    let q = dmatrix![2.0, 0.0; 0.0, 2.0];
    let k = dmatrix![2.0, 0.0; 1.0, 1.0; 0.0, 2.0];
    let weights = softmax(&(&q * k.transpose() / f64::sqrt(2.0)));
    let line = |(i, word, asks): (usize, &'static str, &'static str)| {
        (word, asks, fixed(weights.row(i), 2))
    };
    section("Two questions");
    let lines = [(0, "Mir", "(2, 0)"), (1, "gut", "(0, 2)")].map(line);
    table(["to say", "asks", "I", "am", "fine"], lines);
}

/// What a layer of the base model has to learn.
fn parameters() {
    let (base, bill) = (Config::base(), &mut Bill::default());
    let layer = DecoderLayer::<Shape>::new(&base, bill);
    section("Parameters of a layer");
    value("decoder layer", grouped(parameter_count(&layer)));
}

/// Captions that the translator of the book has not seen, and the one that
/// is drawn.
static CAPTIONS: LazyLock<&str> =
    LazyLock::new(|| log::file("translation-own.en"));
pub const CAPTION: &str = "a dog jumps over a fence .";

/// A head of the decoder's cross-attention.
pub struct Head {
    pub layer: usize,
    pub head: usize,
    /// The largest weight of a row, on average.
    pub largest: f64,
}

/// The heads of the decoder's cross-attention, the surest first.
pub fn surest_heads(translator: &Translator) -> Vec<Head> {
    let captions: Vec<&str> = CAPTIONS.lines().collect();
    let german = translate(translator, &captions);
    let mut heads: Vec<Head> = Vec::new();
    for (english, german) in captions.iter().zip(&german) {
        let (_, _, maps) = cross_attention(translator, english, german);
        for (layer, maps) in maps.iter().enumerate() {
            for (head, map) in maps.iter().enumerate() {
                let here = |h: &Head| (h.layer, h.head) == (layer, head);
                let known = heads.iter().position(here);
                let i = known.unwrap_or_else(|| {
                    heads.push(Head { layer, head, largest: 0.0 });
                    heads.len() - 1
                });
                let rows = map.row_iter().map(|row| f64::from(row.max()));
                let mean = rows.sum::<f64>() / map.nrows() as f64;
                heads[i].largest += mean / captions.len() as f64;
            }
        }
    }
    heads.sort_by(|a, b| b.largest.total_cmp(&a.largest));
    heads
}

/// How sure the trained heads are.
fn trained_cross_attention(translator: &Translator) {
    let heads = surest_heads(translator);
    section("A trained cross-attention");
    value("captions", CAPTIONS.lines().count());
    value("heads", heads.len());
    for (name, i) in [("first", 0), ("second", 1), ("last", heads.len() - 1)]
    {
        let largest = heads[i].largest;
        value(format!("largest of the {name}"), largest.fixed(2));
    }
    value("caption", CAPTION);
    value("translation", &translate(translator, &[CAPTION])[0]);
}

pub fn translate(translator: &Translator, captions: &[&str]) -> Vec<String> {
    let found = translator.translate(captions, &translator.beam(5, 0.6, 1));
    found.expect("short lines")
}

/// The tokens of a caption, those of its translation but for the end, and
/// the weights of each layer's heads. After the end nothing is written.
pub fn cross_attention(
    translator: &Translator,
    english: &str,
    german: &str,
) -> (Vec<Token>, Vec<Token>, Vec<HeadWeights>) {
    let source = translator.tokenizer.encode_source(english);
    let mut target = translator.tokenizer.encode_target(german);
    target.pop();
    let maps = translator.attention_maps(&source, &target).cross;
    (source, target, maps)
}

/// How the trained decoder goes on, for two sources and two beginnings.
fn next_words(translator: &Translator) {
    let line = |(colour, written): (&'static str, &'static str)| {
        let source = format!("a man in a {colour} shirt .");
        let more = continued(translator, &source, written);
        (source, written, more)
    };
    let lines = [
        ("red", "ein mann in einem"),
        ("blue", "ein mann in einem"),
        ("red", "ein mann in einer"),
    ];
    section("The next words");
    table(["source", "written", "goes on"], lines.map(line));
}

/// What the model writes after this beginning of a translation, greedily.
fn continued(translator: &Translator, source: &str, written: &str) -> String {
    let model = whole::model(translator);
    let z = encode(&model, &whole::tokens(translator, source));
    let [begin, end] = whole::ends(translator);
    let written = whole::tokens(translator, written);
    let mut target = [&[begin], &written[..written.len() - 1]].concat();
    let begun = target.len();
    while target.len() < begun + 20 {
        let scores = decode(&model, &target, &z);
        let (next, _) = scores.row(target.len() - 1).transpose().argmax();
        if next == end {
            break;
        }
        target.push(next);
    }
    whole::text(translator, &target[begun..]).trim().to_owned()
}

/// How often one untrained layer points at the word it was fed, and how
/// often at the word after it.
fn unshifted() {
    let (vocabulary, d_model, n, m) = (1000, 64, 31, 12);
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let config = Config {
        vocabulary,
        d_model,
        d_ff: 256,
        layers: 1,
        heads: 4,
        d_k: 16,
        d_v: 16,
    };
    let embedding: Embedding<Matrix> =
        Embedding::new(vocabulary, d_model, rng);
    let decoder: Decoder<Matrix> = Decoder::new(&config, rng);
    let positions: Vec<usize> = (0..n).collect();
    let (mut asked, mut fed, mut next) = (0, 0, 0);
    for _ in 0..20 {
        let words: Vec<Token> = (0..n)
            .map(|_| rng.random_range(0..vocabulary as Token))
            .collect();
        let y = embedding.embed(&words) + sinusoidal(&positions, d_model);
        let x = rng.uniform(m, d_model, 1.0);
        let z = decoder.forward(&y, &x, &Mask::causal(n), &Mask::none(n, m));
        let likeness = z * embedding.table.transpose();
        for (i, pair) in words.windows(2).enumerate() {
            let nearest = likeness.row(i).transpose().argmax().0;
            asked += 1;
            fed += usize::from(nearest == pair[0] as usize);
            next += usize::from(nearest == pair[1] as usize);
        }
    }
    section("One untrained layer");
    value("words", asked);
    value("right without the shift", fed);
    value("right with the shift", next);
}
