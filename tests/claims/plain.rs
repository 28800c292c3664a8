use all_you_need::attention::{Mask, attention};
use all_you_need::decoder::DecoderLayer;
use all_you_need::encoder::EncoderLayer;
use all_you_need::parameters::Parameters;
use all_you_need::plain::{self, read, writer};
use all_you_need::position::sinusoidal;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use all_you_need::writer::Half;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::{Highest, close, random, sizes};

/// The file once more, as a reader would copy it into a program.
#[allow(dead_code, missing_docs)]
#[path = "../../code/plain.rs"]
mod copied;

#[test]
fn a_copy_of_the_file_needs_nalgebra_and_nothing_else() {
    let file = include_str!("../../code/plain.rs");
    let code = file.lines().filter(|line| !line.trim().starts_with("//"));
    for line in code {
        let foreign = ["use ", "mod ", "crate::", "super::", "std::"];
        let is_foreign = foreign.iter().any(|word| line.contains(word));
        assert!(!is_foreign || line == "use nalgebra::DMatrix;", "{line}");
    }
    let (_, plain::Model(table, ..)) = both(1);
    let found = copied::embed(&table, &[3, 1]);
    assert_eq!(found, plain::embed(&table, &[3, 1]));
}

/// A random model of the crate, and the plain model with its parameters.
fn both(seed: u64) -> (Transformer<Matrix>, plain::Model) {
    let (config, model) = (sizes(11), random(&sizes(11), seed));
    let leaves = model.leaves();
    let mut matrices = leaves.into_iter().map(|(_, leaf)| leaf.clone());
    let plain = read::model(config.heads, config.layers, &mut matrices);
    assert!(matrices.next().is_none(), "a matrix was not read");
    (model, plain)
}

const SOURCE: [Token; 4] = [3, 1, 4, 1];
const TARGET: [Token; 3] = [9, 2, 6];

fn plain_tokens(tokens: &[Token]) -> Vec<usize> {
    tokens.iter().map(|&token| token as usize).collect()
}

#[test]
fn attention_and_its_masks_are_the_crates() {
    let q = Matrix::from_fn(3, 4, |i, j| (i as f64 - j as f64) * 0.7);
    let k = Matrix::from_fn(3, 4, |i, j| ((i * j) as f64).sin());
    let v = Matrix::from_fn(3, 2, |i, j| (i + 2 * j) as f64);
    let causal = plain::causal(3);
    assert_eq!(causal, Mask::causal(3).matrix());
    for (mask, own) in
        [(Mask::causal(3), causal), (Mask::none(3, 3), q.clone() * 0.0)]
    {
        let own = own.columns(0, 3).into_owned();
        let expected = attention(&q, &k, &v, &mask);
        close(&plain::attend(&q, &k, &v, &own), &expected, 1e-14);
    }
}

#[test]
fn positions_are_the_crates() {
    let places: Vec<usize> = (0..20).collect();
    close(&plain::positions(20, 8), &sinusoidal(&places, 8), 1e-12);
}

#[test]
fn every_layer_of_the_encoder_gives_what_the_crates_gives() {
    let (model, plain::Model(table, layers, _)) = both(1);
    let mut x = model.embed(&[SOURCE]).rows;
    close(&plain::embed(&table, &plain_tokens(&SOURCE)), &x, 1e-12);
    assert_eq!(layers.len(), model.encoder.layers.len());
    for (own, layer) in layers.iter().zip(&model.encoder.layers) {
        let layer: &EncoderLayer<Matrix> = layer;
        let expected = layer.forward(&x, &Mask::none(4, 4));
        let found = plain::encoder_layer(own, &x, &Matrix::zeros(4, 4));
        close(&found, &expected, 1e-12);
        x = expected;
    }
}

#[test]
fn every_layer_of_the_decoder_gives_what_the_crates_gives() {
    let (model, plain::Model(_, _, layers)) = both(2);
    let memory = model.encode(&[SOURCE]).rows;
    let mut y = model.embed(&[TARGET]).rows;
    assert_eq!(layers.len(), model.decoder.layers.len());
    for (own, layer) in layers.iter().zip(&model.decoder.layers) {
        let layer: &DecoderLayer<Matrix> = layer;
        let masks = (Mask::causal(3), Mask::none(3, 4));
        let expected = layer.forward(&y, &memory, &masks.0, &masks.1);
        close(&plain::decoder_layer(own, &y, &memory), &expected, 1e-12);
        y = expected;
    }
}

#[test]
fn the_whole_model_gives_the_crates_logits() {
    let (model, own) = both(3);
    let memory = plain::encode(&own, &plain_tokens(&SOURCE));
    close(&memory, &model.encode(&[SOURCE]).rows, 1e-12);
    let logits = plain::decode(&own, &plain_tokens(&TARGET), &memory);
    close(&logits, &model.forward(&[SOURCE], &[TARGET]), 1e-11);
}

#[test]
fn the_books_model_translates_as_with_the_crate() {
    let translator = Translator::captions();
    let leaves = translator.model.leaves();
    let mut matrices =
        leaves.into_iter().map(|(_, leaf)| leaf.map(f64::from));
    let config = &translator.config;
    let own = read::model(config.heads, config.layers, &mut matrices);
    let tokenizer = &translator.tokenizer;
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    for caption in [
        "a dog runs through the snow .",
        "two women in red coats are talking .",
    ] {
        let source = tokenizer.encode_source(caption);
        let expected = translator.model.greedy(&source, bos, eos).unwrap();
        let ends = [bos as usize, eos as usize];
        let found = plain::greedy(&own, &plain_tokens(&source), ends);
        assert_eq!(found, plain_tokens(&expected), "{caption}");
        assert!(!found.is_empty(), "{caption}");
    }
}

#[test]
fn a_model_that_does_not_end_is_stopped() {
    let (_, own) = both(3);
    for length in [1, 4] {
        let source = plain_tokens(&SOURCE[..length]);
        // No token has this number.
        let found = plain::greedy(&own, &source, [1, usize::MAX]);
        assert_eq!(found.len(), length + 50);
    }
}

fn writers(seed: u64) -> (Half<Matrix>, writer::Writer) {
    let config = sizes(11);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let half: Half<Matrix> = Half::new(&config, &mut rng);
    let leaves = half.leaves();
    let mut matrices = leaves.into_iter().map(|(_, leaf)| leaf.clone());
    let own = read::writer(config.heads, config.layers, &mut matrices);
    assert!(matrices.next().is_none(), "a matrix was not read");
    (half, own)
}

#[test]
fn a_decoder_alone_gives_the_crates_logits() {
    let (half, own) = writers(4);
    let z = half.causal(&[SOURCE]);
    let expected = z * half.embedding.table.transpose();
    let found = writer::scores(&own, &plain_tokens(&SOURCE));
    close(&found, &expected, 1e-12);
}

#[test]
fn a_decoder_alone_draws_each_token_with_its_probability() {
    let (_, own) = writers(5);
    let shares = plain::softmax(&writer::scores(&own, &[3, 1]));
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut counts = [0; 11];
    let draws = 4000;
    for _ in 0..draws {
        let mut text = vec![3, 1];
        writer::write(&own, &mut text, 3, &mut rng);
        assert_eq!((text.len(), &text[..2]), (3, &[3, 1][..]));
        counts[text[2]] += 1;
    }
    for (token, count) in counts.into_iter().enumerate() {
        let (share, found) =
            (shares[(1, token)], f64::from(count) / f64::from(draws));
        assert!((share - found).abs() < 0.03, "{token}: {share} {found}");
    }
}

/// What rounding leaves belongs to the last token.
#[test]
fn the_highest_number_draws_the_last_token() {
    let (_, own) = writers(5);
    for first in 0..11 {
        let mut text = vec![first];
        writer::write(&own, &mut text, 8, &mut Highest);
        assert_eq!(text[1..], [10; 7]);
    }
}
