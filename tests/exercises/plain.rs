use all_you_need::parameters::Parameters;
use all_you_need::plain::{
    self, DecoderLayer, Heads, Matrix, Model, add_norm, feed_forward, heads,
    read, softmax,
};
use all_you_need::tensor::Init;
use all_you_need::tokens::Token;
use all_you_need::translation::Translator;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::largest;

#[path = "../../exercises/checks/plain.rs"]
mod check;

// Exercise 1
//
// 1 + 2 + … + 8 = 36, of which 28 have been computed before. For t tokens and
// the end it is (t + 1)(t + 2)/2, so twice the length makes 3.3 times as many
// rows here, and nearly four times as many in a long sentence. The 28 could
// have been kept: because of the mask a row depends on no later row, so it
// comes out as before.
#[test]
fn rows_that_were_computed_come_out_as_before() {
    assert_eq!((1..=8).sum::<usize>(), 36);
    assert_eq!((1..=7).sum::<usize>(), 28);
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut random = |rows, columns| rng.uniform(rows, columns, 1.0);
    let look = Heads(2, [(); 4].map(|()| random(8, 8)));
    let read = Heads(2, [(); 4].map(|()| random(8, 8)));
    let norm = || [Matrix::from_element(1, 8, 1.0), Matrix::zeros(1, 8)];
    let think = [random(8, 9), random(1, 9), random(9, 8), random(1, 8)];
    let (y, z) = (random(5, 8), random(3, 8));
    let layer = (look, norm(), read, norm(), think, norm());
    let five = plain::decoder_layer(&layer, &y, &z);
    let four = plain::decoder_layer(&layer, &y.rows(0, 4).into(), &z);
    assert!(largest(&(five.rows(0, 4) - four)) < 1e-12);
}

// Exercise 2
//
// Less than one fears. The short caption is translated as before with two
// heads, and without positions. Without the mask the translation skips words,
// because the rows of earlier words see later ones, which never happened in
// training. A longer caption, *a man in a blue shirt is standing on a ladder
// cleaning a window .*, goes wrong with all three. With two heads the man stands
// on a window (*auf einem fenster*), without positions the ladder is blue, and
// without the mask there is neither ladder nor standing: *ein mann in blauem
// hemd putzt ein fenster .* So a translation that looks right is no proof of a
// right program.
#[test]
fn a_changed_model_still_writes() {
    let translator = Translator::captions();
    let leaves = translator.model.leaves().into_iter();
    let mut matrices = leaves.map(|(_, leaf)| leaf.map(f64::from));
    let p = read::model(4, 4, &mut matrices);
    let mut two = p.clone();
    two.1.iter_mut().for_each(|layer| layer.0.0 = 2);
    two.2.iter_mut().for_each(|layer| (layer.0.0, layer.2.0) = (2, 2));
    let tries = [(&two, true, true), (&p, false, true), (&p, true, false)];
    let short = "a dog runs through the snow .";
    let long = "a man in a blue shirt is standing on a ladder cleaning a \
                window .";
    let right = "ein hund rennt durch den schnee .";
    let expected = [
        (short, [right, right, "ein hund durch ."]),
        (
            long,
            [
                "ein mann in einem blauen oberteil steht auf einem fenster \
                 und putzt ein fenster .",
                "ein mann in einer blauen bluse steht auf einer blauen \
                 leiter und putzt ein fenster .",
                "ein mann in blauem hemd putzt ein fenster .",
            ],
        ),
    ];
    for (caption, expected) in expected {
        for ((p, places, masked), expected) in tries.into_iter().zip(expected)
        {
            let written = written(p, &translator, caption, places, masked);
            assert_eq!(written, expected);
        }
    }
}

/// What the program writes, with or without its positions and its mask.
fn written(
    p: &Model,
    translator: &Translator,
    caption: &str,
    places: bool,
    masked: bool,
) -> String {
    let Model(table, encoder, decoder) = p;
    let tokenizer = &translator.tokenizer;
    let rows = |tokens: &[Token]| {
        let tokens: Vec<_> = tokens.iter().map(|&t| t as usize).collect();
        let positions = plain::positions(tokens.len(), table.ncols());
        let x = plain::embed(table, &tokens);
        if places { x } else { x - positions }
    };
    let source = tokenizer.encode_source(caption);
    let all = |n: usize, m: usize| Matrix::zeros(n, m);
    let read = |x: Matrix, layer| {
        plain::encoder_layer(layer, &x, &all(x.nrows(), x.nrows()))
    };
    let z = encoder.iter().fold(rows(&source), read);
    let mut fed = vec![tokenizer.bos()];
    loop {
        let n = fed.len();
        let past = if masked { plain::causal(n) } else { all(n, n) };
        let up = |y: Matrix, layer: &DecoderLayer| {
            let (look, norm1, read, norm2, think, norm3) = layer;
            let y = &add_norm(norm1, &y, &heads(look, &y, &y, &past));
            let seen = heads(read, y, &z, &all(n, z.nrows()));
            let y = &add_norm(norm2, y, &seen);
            add_norm(norm3, y, &feed_forward(think, y))
        };
        let y = decoder.iter().fold(rows(&fed), up);
        let scores = y.row(n - 1) * table.transpose();
        match scores.transpose().argmax().0 as Token {
            end if end == tokenizer.eos() => break,
            next => fed.push(next),
        }
    }
    tokenizer.decode(&fed[1..])
}

// Exercise 3
//
// It is `attend` without the values, for one head.

/// The weights of head i, from 0, n × m, when the rows of x attend to those of
/// y.
pub fn weights(
    p: &Heads,
    i: usize,
    x: &Matrix,
    y: &Matrix,
    mask: &Matrix,
) -> Matrix {
    let Heads(h, [w_q, w_k, ..]) = p;
    let d_k = w_q.ncols() / h;
    let own = |w: &Matrix| w.columns(i * d_k, d_k).into_owned();
    let scores = x * own(w_q) * (y * own(w_k)).transpose();
    softmax(&(scores / (d_k as f64).sqrt() + mask))
}

// Exercise 4
//
// The table is used twice. The rows that go in are those of before, but the
// logits, which are products with the same table, are √d times as large.
// Greedy search still takes the largest, so its translation stays; but the
// probabilities are those of a temperature of 1/√d, nearly always 1 for one
// token, and a beam or a draw finds something else. The logits have to be
// divided by √d.
#[test]
fn a_table_that_is_larger_makes_larger_logits() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let table: Matrix = rng.uniform(6, 16, 0.25);
    let model = Model(table.clone(), vec![], vec![]);
    let z = plain::encode(&model, &[1, 2]);
    let logits = plain::decode(&model, &[0, 3], &z);
    let root = 4.0;
    let larger = &table * root;
    let rows = larger.select_rows(&[0, 3]) + plain::positions(2, 16);
    let theirs = rows * larger.transpose();
    assert!(largest(&(&theirs / root - &logits)) < 1e-12);
    assert!(largest(&(theirs - logits)) > 0.1);
}
