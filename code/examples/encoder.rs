//! The encoder, layer by layer: `cargo run --example encoder`

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::{Config, Encoder};
use all_you_need::parameters::parameter_count;
use all_you_need::plain::{self, Matrix, attend, embed, encoder_layer};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use print::{Fixed, grouped, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[path = "encoder/by_hand.rs"]
mod by_hand;
#[path = "encoder/oracle.rs"]
mod oracle;
#[path = "shared/whole.rs"]
#[expect(dead_code)] // it writes nothing
mod whole;

use whole::tokens;

fn main() {
    by_hand::steps();
    parameters();
    mothers();
    in_context();
    backwards();
    oracle::check();
    oracle::slips();
}

/// Parameters of a layer and of the stack, of the paper's base model.
fn parameters() {
    section("Parameters");
    let (base, bill) = (Config::base(), &mut Bill::default());
    let encoder: Encoder<Shape> = Encoder::new(&base, bill);
    let layer = parameter_count(&encoder.layers[0]);
    value("d_model, base", base.d_model);
    value("a layer, base", grouped(layer));
    value("six layers, base", grouped(parameter_count(&encoder)));
    value("d_model, big", Config::big().d_model);
}

/// Everybody knows their mother. A layer is one round of questions.
fn mothers() {
    let names =
        ["Ann", "Bea", "Cleo", "Dot", "Eve", "Fay", "Gwen", "Hana", "Ivy"];
    let n = names.len();
    let (who, all) = (Matrix::identity(n, n), Matrix::zeros(n, n));
    let mut known = who.select_rows(&[1, 2, 3, 4, 5, 6, 7, 8, 8]);
    let after = |layers: usize| {
        let name = |i| names[known.row(i).transpose().argmax().0].to_string();
        let cells: [String; 10] = std::array::from_fn(|i| match i {
            0 => layers.to_string(),
            _ => name(i - 1),
        });
        // Ask, loudly, for the one you know; take what she knows.
        known = attend(&(&known * 100.0), &who, &known, &all);
        cells
    };
    section("Mothers");
    let [a, b, c, d, e, f, g, h, i] = names;
    let lines: Vec<_> = (0..=3).map(after).collect();
    table(["layers", a, b, c, d, e, f, g, h, i], lines);
}

/// The word that is looked at, and captions that have it in one place, as a
/// part of a body and as a part of a thing.
const WORD: &str = "back";
const BODY: [&str; 3] =
    ["a child on his back .", "a bag on her back .", "a cat on its back ."];
const THING: [&str; 3] = [
    "a man in the back of a truck .",
    "a seat in the back of a bus .",
    "a child at the back of a room .",
];

/// A part of a body, with the neighbours of a part of a thing.
const TATTOO: &str = "a tattoo on the back of a man .";

/// The rows of a text before the first layer and after each.
fn read(model: &plain::Model, x: Matrix, mask: &Matrix) -> Vec<Matrix> {
    let mut rows = vec![x];
    for layer in &model.1 {
        rows.push(encoder_layer(layer, &rows[rows.len() - 1], mask));
    }
    rows
}

/// The rows of the word in a caption, before the first layer and after each.
fn read_word(translator: &Translator, caption: &str) -> Vec<Matrix> {
    let source = tokens(translator, caption);
    let name = |token: usize| translator.tokenizer.name(token as u32);
    let place = source.iter().position(|&token| name(token) == WORD);
    let place = place.expect("the word");
    let model = whole::model(translator);
    let all = Matrix::zeros(source.len(), source.len());
    let rows = read(&model, embed(&model.0, &source), &all);
    rows.into_iter().map(|rows| rows.rows(place, 1).into()).collect()
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let numbers: Vec<f64> = numbers.collect();
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn cosine(a: &Matrix, b: &Matrix) -> f64 {
    a.dot(b) / (a.norm() * b.norm())
}

/// The rows of the word in three captions of a body and three of a thing.
pub type Senses = [[Vec<Matrix>; 3]; 2];

pub fn senses(translator: &Translator) -> Senses {
    [BODY, THING].map(|of| of.map(|caption| read_word(translator, caption)))
}

/// The mean cosine of two rows with the same sense, after so many layers.
pub fn same_sense(senses: &Senses, l: usize) -> f64 {
    let pairs = [(0, 1), (0, 2), (1, 2)].into_iter();
    mean(pairs.flat_map(|(i, j)| {
        senses.each_ref().map(|rows| cosine(&rows[i][l], &rows[j][l]))
    }))
}

/// The mean cosine of two rows with different senses.
pub fn other_sense([body, thing]: &Senses, l: usize) -> f64 {
    let pairs = body.iter().flat_map(|b| thing.iter().map(move |t| (b, t)));
    mean(pairs.map(|(b, t)| cosine(&b[l], &t[l])))
}

/// By how much two rows with the same sense are more alike.
fn gap(senses: &Senses, l: usize) -> f64 {
    same_sense(senses, l) - other_sense(senses, l)
}

/// One word in two senses, as the trained translator reads it.
fn in_context() {
    let translator = Translator::captions();
    section("Six captions");
    let lines = BODY.into_iter().zip(THING);
    let lines = lines.map(|(b, t)| [b, t].map(String::from));
    table(["of a body", "of a thing"], lines);
    let rows = senses(&translator);
    let last = rows[0][0].len() - 1;
    section("Two senses");
    value("same sense", same_sense(&rows, last).fixed(2));
    value("other sense", other_sense(&rows, last).fixed(2));
    value("gap", gap(&rows, last).fixed(3));
    value("tattooed", TATTOO);
    tattooed(&translator, &rows, "tattoo");
    // The same captions, read before anything has been learned.
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model = Transformer::new(&Config::tiny(), rng);
    let untrained = Translator { model, ..translator };
    let rows = senses(&untrained);
    value("untrained, same sense", same_sense(&rows, last).fixed(2));
    value("untrained, other sense", other_sense(&rows, last).fixed(2));
    value("untrained, gap", gap(&rows, last).fixed(3));
    tattooed(&untrained, &rows, "untrained tattoo");
}

/// How much the tattoo's row is like those of a body and of a thing.
fn tattooed(translator: &Translator, senses: &Senses, name: &str) {
    let rows = read_word(translator, TATTOO);
    let last = rows.len() - 1;
    for (of, those) in ["body", "thing"].into_iter().zip(senses) {
        let cosines = those.iter().map(|one| cosine(&one[last], &rows[last]));
        value(format!("{name} and a {of}"), mean(cosines).fixed(2));
    }
}

/// How far each row moves, as a share of its length.
fn moves(before: &Matrix, after: &Matrix) -> Vec<f64> {
    let rows = before.row_iter().zip(after.row_iter());
    rows.map(|(b, a)| (b - a).norm() / b.norm()).collect()
}

const CAPTION: &str = "a dog jumps over a fence .";

/// The caption backwards, with positions and without.
fn backwards() {
    let translator = Translator::captions();
    let model = whole::model(&translator);
    let source = tokens(&translator, CAPTION);
    let turned: Vec<_> = source.iter().rev().copied().collect();
    let all = Matrix::zeros(source.len(), source.len());
    let bare = |tokens: &[usize]| {
        embed(&model.0, tokens)
            - plain::positions(tokens.len(), model.0.ncols())
    };
    let off = |embed: &dyn Fn(&[usize]) -> Matrix| {
        let [there, back] = [&source, &turned].map(|tokens| {
            read(&model, embed(tokens), &all).pop().expect("a layer")
        });
        let places: Vec<_> = (0..source.len()).rev().collect();
        mean(moves(&there, &back.select_rows(&places)).into_iter())
    };
    section("Backwards");
    let without = off(&bare);
    assert!(without < 1e-12, "{without}");
    value("without positions", "less than 10⁻¹²");
    let with = off(&|tokens| embed(&model.0, tokens));
    value("with positions", with.fixed(2));
}
