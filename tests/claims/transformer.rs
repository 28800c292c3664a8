use all_you_need::attention::{Mask, Softmax};
use all_you_need::costs::{Bill, Shape};
use all_you_need::decoder::{Decoder, DecoderLayer};
use all_you_need::dictionary::softmax;
use all_you_need::embedding::Embedding;
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::gradient::{Gradients, Tape, Variable};
use all_you_need::heads::{KeysValues, MultiHead};
use all_you_need::layers::{FeedForward, LayerNorm, Linear};
use all_you_need::optimizer::Adam;
use all_you_need::parameters::Parameters;
use all_you_need::position::sinusoidal;
use all_you_need::search::{Beam, Cache, Hypothesis};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Bpe, Token, Tokenizer, Vocabulary};
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::{NotFinite, Packed, Transformer};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::BTreeSet;
use std::fmt::Debug;

use crate::golden::{close, largest, random, sizes};

/// Says `u` after `t` for each pair, whatever the source: the table is the
/// identity, no attention is heard, and one feed-forward network knows what
/// comes next.
fn parrot(pairs: &[(usize, usize)]) -> Transformer<Matrix> {
    let v = 16;
    let config = Config { layers: 1, d_model: v, d_ff: v, ..sizes(v) };
    let identity = Matrix::identity(v, v);
    let mut leads = Matrix::zeros(v, v);
    for &pair in pairs {
        leads[pair] = 10.0;
    }
    random(&config, 1).map("", &mut |name, leaf| match name {
        "embedding.table" => identity.clone(),
        "decoder.layers.0.feed_forward.inner.weight" => identity.clone(),
        "decoder.layers.0.feed_forward.inner.bias" => leaf.add_scalar(-1.0),
        "decoder.layers.0.feed_forward.outer.weight" => leads.clone(),
        _ if name.ends_with("w_o") => leaf * 0.0,
        _ => leaf.clone(),
    })
}

#[test]
fn a_batch_gives_what_its_sentences_give_alone() {
    let model = random(&sizes(11), 1);
    let sources = [vec![1, 2, 3, 4], vec![5, 6]];
    let targets = [vec![7, 8, 9], vec![10, 0, 1, 2, 3]];
    let together = model.forward(&sources, &targets);
    assert_eq!(together.shape(), (8, 11));
    let first = model.forward(&sources[..1], &targets[..1]);
    let second = model.forward(&sources[1..], &targets[1..]);
    close(&together.rows(0, 3).into(), &first, 1e-12);
    close(&together.rows(3, 5).into(), &second, 1e-12);
}

#[test]
fn positions_start_anew_with_each_sentence() {
    let model = random(&sizes(11), 2);
    let rows = model.embed(&[vec![4, 4, 4], vec![4, 4]]);
    let places = sinusoidal(&[0, 1, 2, 0, 1], 8);
    let token = model.embedding.embed(&[4; 5]);
    close(&rows.rows, &(token + places), 1e-14);
    assert_eq!(rows.lengths, [3, 2]);
}

#[test]
fn one_table_reads_and_scores() {
    let model = random(&sizes(11), 3);
    let (sources, targets) = ([vec![1, 2, 3]], [vec![4, 5, 6, 7]]);
    let memory = model.encode(&sources);
    let y = model.embed(&targets);
    let past = Mask::causal(4);
    let source = Mask::none(4, 3);
    let z = model.decoder.forward(&y.rows, &memory.rows, &past, &source);
    let scores = Matrix::from_fn(4, 11, |i, word| {
        z.row(i).dot(&model.embedding.table.row(word))
    });
    close(&model.forward(&sources, &targets), &scores, 1e-13);

    // A word's row changes its score where nothing reads the word.
    let mut other = model.clone();
    other.embedding.table.row_mut(9).fill(0.0);
    let moved = other.forward(&sources, &targets);
    assert_eq!(largest(moved.column(9).iter()), 0.0);
    assert_eq!(
        moved.columns(0, 9),
        model.forward(&sources, &targets).columns(0, 9)
    );
}

#[test]
fn scores_need_not_be_one_in_all_and_probabilities_are() {
    let model = random(&sizes(11), 4);
    let logits = model.forward(&[vec![1, 2]], &[vec![3, 4, 5]]);
    let probabilities = logits.softmax(&Mask::none(3, 11));
    for (scores, p) in logits.row_iter().zip(probabilities.row_iter()) {
        assert!((scores.sum() - 1.0).abs() > 0.01);
        assert!((p.sum() - 1.0).abs() < 1e-14);
        assert_eq!(scores.transpose().argmax().0, p.transpose().argmax().0);
    }
}

/// Over all sentences of three words from a vocabulary of three.
#[test]
fn probabilities_of_all_sentences_are_one_in_all_only_under_the_mask() {
    let model = random(&sizes(3), 5);
    let memory = model.encode(&[vec![0, 1, 2, 1]]);
    let total = |past: &Mask| -> f64 {
        let probability = |y: [Token; 3]| -> f64 {
            let fed = model.embed(&[[0, y[0], y[1]]]).rows;
            let source = Mask::none(3, 4);
            let Packed { rows: x, .. } = &memory;
            let z = model.decoder.forward(&fed, x, past, &source);
            let scores = z.matmul_t(&model.embedding.table);
            let row = |i| softmax(scores.row(i).transpose().as_slice());
            (0..3).map(|i| row(i)[y[i] as usize]).product()
        };
        (0..27).map(|i| probability([i / 9, i / 3 % 3, i % 3])).sum()
    };
    assert!((total(&Mask::causal(3)) - 1.0).abs() < 1e-13);
    assert!((total(&Mask::none(3, 3)) - 1.0).abs() > 0.01);
}

#[test]
fn greedy_stops_at_the_end_token() {
    let model = parrot(&[(0, 2), (2, 3), (3, 1)]);
    assert_eq!(model.greedy(&[4, 4], 0, 1).unwrap(), [2, 3]);
    assert_eq!(model.greedy(&[4, 4], 3, 1).unwrap(), [0; 0]);
}

#[test]
fn greedy_stops_50_words_after_the_length_of_the_source() {
    let model = parrot(&[(0, 5), (5, 0)]);
    for length in [0, 1, 7] {
        let said = model.greedy(&vec![3; length], 0, 2).unwrap();
        assert_eq!(said.len(), length + 50);
        for pair in said.chunks(2) {
            assert_eq!(*pair, [5, 0][..pair.len()]);
        }
    }
}

/// The same choice as from all scores computed at once.
#[test]
fn greedy_takes_the_highest_score_of_every_row() {
    let model = random(&sizes(11), 6);
    let source = vec![1, 2, 3];
    let said = model.greedy(&source, 0, 99).unwrap();
    assert_eq!(said.len(), 53);
    let fed = [&[0], &said[..52]].concat();
    let scores = model.forward(&[source], &[fed]);
    for (row, word) in scores.row_iter().zip(said) {
        let chosen = row[word as usize];
        assert!(row.iter().all(|score| score - chosen < 1e-9));
    }
}

#[test]
fn single_and_double_precision_agree() {
    let exact = random(&sizes(11), 7);
    let quick: Transformer<Matrix<f32>> =
        exact.map("", &mut |_, leaf| leaf.map(|x| x as f32));
    let (sources, targets) =
        ([vec![1, 2, 3], vec![4]], [vec![5, 6], vec![7, 8, 9, 10]]);
    let scores = quick.forward(&sources, &targets).map(f64::from);
    close(&scores, &exact.forward(&sources, &targets), 1e-5);
    assert_eq!(
        quick.greedy(&[1, 2], 0, 9).unwrap(),
        exact.greedy(&[1, 2], 0, 9).unwrap()
    );
}

/// Words with a capital or a `_` are names, and so are a few others.
#[test]
fn the_picture_of_the_whole_names_what_there_is() {
    let picture =
        include_str!("../../src/figures/transformer-architecture.svg");
    let code = [
        include_str!("../../code/tensor.rs"),
        include_str!("../../code/embedding.rs"),
        include_str!("../../code/position.rs"),
        include_str!("../../code/attention.rs"),
        include_str!("../../code/heads.rs"),
        include_str!("../../code/layers.rs"),
        include_str!("../../code/encoder.rs"),
        include_str!("../../code/decoder.rs"),
    ]
    .concat();
    let (_, drawn) = picture.split_once("</desc>").expect("a description");
    let texts = drawn.split('>').filter_map(|part| part.split('<').next());
    let words = texts.flat_map(|text| {
        text.split(|c: char| !c.is_alphabetic() && c != '_')
    });
    let names: BTreeSet<&str> = words
        .filter(|word| {
            let capital = word.starts_with(char::is_uppercase);
            capital && word.len() > 4
                || word.contains('_')
                || ["attention", "sinusoidal", "softmax"].contains(word)
        })
        .collect();
    assert_eq!(names.len(), 14, "{names:?}");
    for name in names {
        let declared = [
            format!("pub struct {name}<"),
            format!("pub {name}: "),
            format!("fn {name}("),
        ];
        let found = declared.iter().any(|line| code.contains(line));
        assert!(found, "the crate has no {name}");
    }
}

#[test]
#[should_panic(expected = "as many sentences on both sides")]
fn targets_without_a_source_are_refused() {
    let model = random(&sizes(11), 9);
    let _ = model.forward(&[[1, 2]], &[[3], [4]]);
}

#[test]
#[should_panic(expected = "gather: no row 11 among 11")]
fn a_word_that_is_not_in_the_table_is_refused() {
    let _ = random(&sizes(11), 10).encode(&[[1, 11]]);
}

#[test]
#[should_panic(expected = "softmax: scores 2×4 under a mask 2×3")]
fn the_memory_of_another_source_is_refused() {
    let model = random(&sizes(11), 11);
    let Packed { rows, .. } = model.encode(&[[1, 2, 3, 4]]);
    let _ = model.decode(&[[5, 6]], &Packed { rows, lengths: vec![3] });
}

#[test]
fn a_batch_may_be_made_of_arrays_of_vectors_or_of_slices() {
    let model = random(&sizes(11), 12);
    let arrays = model.forward(&[[1, 2]], &[[3, 4, 5]]);
    let vectors = model.forward(&[vec![1, 2]], &[vec![3, 4, 5]]);
    let (source, target): (&[Token], &[Token]) = (&[1, 2], &[3, 4, 5]);
    assert_eq!(arrays, vectors);
    assert_eq!(arrays, model.forward(&[source], &[target]));
}

/// It does not compile unless all of them can.
#[test]
fn models_and_what_they_are_made_of_can_be_printed_and_copied() {
    fn can<T: Debug + Clone>() {}
    fn can_all<T: Debug + Clone>() {
        can::<Transformer<T>>();
        can::<Packed<T>>();
        can::<Embedding<T>>();
        can::<Encoder<T>>();
        can::<EncoderLayer<T>>();
        can::<Decoder<T>>();
        can::<DecoderLayer<T>>();
        can::<MultiHead<T>>();
        can::<KeysValues<T>>();
        can::<FeedForward<T>>();
        can::<LayerNorm<T>>();
        can::<Linear<T>>();
        can::<Adam<Transformer<T>>>();
    }
    can_all::<Matrix<f32>>();
    can_all::<Variable<f64>>();
    can_all::<Shape>();
    can::<(Config, Recipe, Training, Tape<f32>, Gradients<f32>, Bill)>();
    can::<(Bpe, Tokenizer, Vocabulary, Example, Mask, Beam, Hypothesis)>();
    fn printed<T: Debug>() {}
    printed::<Cache<Matrix<f32>>>();
    let said = format!("{:?}", random(&sizes(3), 1));
    assert!(said.starts_with("Transformer { embedding: Embedding"));
}

/// So that threads can share one.
#[test]
fn models_can_be_sent_to_other_threads() {
    fn can<T: Send + Sync>() {}
    can::<Training<f32>>();
    can::<Transformer<Matrix>>();
}

#[test]
fn greedy_decoding_ends_with_an_error_if_a_logit_is_not_a_number() {
    let config = Config { vocabulary: 10, ..Config::toy() };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut model: Transformer<Matrix> = Transformer::new(&config, rng);
    assert!(model.greedy(&[1, 2], 0, 9).is_ok());
    model.decoder.layers[0].feed_forward.outer.bias[0] = f64::NAN;
    assert_eq!(model.greedy(&[1, 2], 0, 9), Err(NotFinite));
}
