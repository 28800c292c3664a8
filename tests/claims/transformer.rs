use all_you_need::attention::{Mask, Softmax};
use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::layers::Linear;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Bill, Matrix, Shape, Tensor};
use all_you_need::transformer::{Parameters, Transformer, count};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::BTreeSet;

use crate::golden::close;

fn small(vocabulary: usize) -> Config {
    Config {
        vocabulary,
        layers: 2,
        d_model: 8,
        d_ff: 12,
        heads: 2,
        d_k: 3,
        d_v: 5,
    }
}

fn random(config: &Config, seed: u64) -> Transformer<Matrix> {
    Transformer::new(config, &mut ChaCha8Rng::seed_from_u64(seed))
}

fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

/// Says `u` after `t` for each pair, whatever the source: the table is the
/// identity, no attention is heard, and one feed-forward network knows what
/// comes next.
fn parrot(pairs: &[(usize, usize)]) -> Transformer<Matrix> {
    let v = 16;
    let config = Config { layers: 1, d_model: v, d_ff: v, ..small(v) };
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
fn the_papers_models_have_the_papers_sizes() {
    assert_eq!(count(&shapes(&Config::base())), 63_045_632);
    assert_eq!(count(&shapes(&Config::big())), 214_171_648);
}

#[test]
fn a_matrix_and_a_shape_count_the_same() {
    let config = small(11);
    assert_eq!(count(&random(&config, 1)), count(&shapes(&config)));
}

#[test]
fn the_layers_are_counted_by_their_formulas() {
    let config = small(11);
    let model = shapes(&config);
    let (k, v) = (2 * 3, 2 * 5);
    let attention = 8 * (2 * k + 2 * v);
    let (network, norm) = (8 * 12 + 12 + 12 * 8 + 8, 2 * 8);
    let encoder = attention + network + 2 * norm;
    let decoder = 2 * attention + network + 3 * norm;
    assert_eq!(count(&model.encoder), 2 * encoder);
    assert_eq!(count(&model.decoder), 2 * decoder);
    assert_eq!(count(&model), 11 * 8 + 2 * (encoder + decoder));
}

#[test]
fn a_batch_gives_what_its_sentences_give_alone() {
    let model = random(&small(11), 1);
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
    let model = random(&small(11), 2);
    let rows = model.embed(&[vec![4, 4, 4], vec![4, 4]]);
    let places = sinusoidal(&[0, 1, 2, 0, 1], 8);
    let token = model.embedding.embed(&[4; 5]);
    close(&rows, &(token + places), 1e-14);
}

#[test]
fn one_table_reads_and_scores() {
    let model = random(&small(11), 3);
    let (sources, targets) = ([vec![1, 2, 3]], [vec![4, 5, 6, 7]]);
    let memory = model.encode(&sources);
    let y = model.embed(&targets);
    let past = Mask::causal(4);
    let z = model.decoder.forward(&y, &memory, &past, &Mask::none(4, 3));
    let scores = Matrix::from_fn(4, 11, |i, word| {
        z.row(i).dot(&model.embedding.table.row(word))
    });
    close(&model.forward(&sources, &targets), &scores, 1e-13);

    // A word's row changes its score where nothing reads the word.
    let mut other = model.clone();
    other.embedding.table.row_mut(9).fill(0.0);
    let moved = other.forward(&sources, &targets);
    assert_eq!(moved.column(9).amax(), 0.0);
    assert_eq!(
        moved.columns(0, 9),
        model.forward(&sources, &targets).columns(0, 9)
    );
}

#[test]
fn scores_need_not_be_one_in_all_and_probabilities_are() {
    let model = random(&small(11), 4);
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
    let model = random(&small(3), 5);
    let memory = model.encode(&[vec![0, 1, 2, 1]]);
    let total = |past: &Mask| -> f64 {
        let probability = |y: [usize; 3]| -> f64 {
            let fed = model.embed(&[vec![0, y[0], y[1]]]);
            let source = Mask::none(3, 4);
            let z = model.decoder.forward(&fed, &memory, past, &source);
            let scores = z.matmul_t(&model.embedding.table);
            let row = |i| softmax(scores.row(i).transpose().as_slice());
            (0..3).map(|i| row(i)[y[i]]).product()
        };
        (0..27).map(|i| probability([i / 9, i / 3 % 3, i % 3])).sum()
    };
    assert!((total(&Mask::causal(3)) - 1.0).abs() < 1e-13);
    assert!((total(&Mask::none(3, 3)) - 1.0).abs() > 0.01);
}

#[test]
fn greedy_stops_at_the_end_token() {
    let model = parrot(&[(0, 2), (2, 3), (3, 1)]);
    assert_eq!(model.greedy(&[4, 4], 0, 1), [2, 3]);
    assert_eq!(model.greedy(&[4, 4], 3, 1), [0; 0]);
}

#[test]
fn greedy_stops_50_words_after_the_length_of_the_source() {
    let model = parrot(&[(0, 5), (5, 0)]);
    for length in [0, 1, 7] {
        let said = model.greedy(&vec![3; length], 0, 2);
        assert_eq!(said.len(), length + 50);
        for pair in said.chunks(2) {
            assert_eq!(*pair, [5, 0][..pair.len()]);
        }
    }
}

/// The same choice as from all scores computed at once.
#[test]
fn greedy_takes_the_highest_score_of_every_row() {
    let model = random(&small(11), 6);
    let source = vec![1, 2, 3];
    let said = model.greedy(&source, 0, 99);
    assert_eq!(said.len(), 53);
    let fed = [&[0], &said[..52]].concat();
    let scores = model.forward(&[source], &[fed]);
    for (row, word) in scores.row_iter().zip(said) {
        assert!(row.max() - row[word] < 1e-9);
    }
}

#[test]
fn single_and_double_precision_agree() {
    let exact = random(&small(11), 7);
    let quick: Transformer<Matrix<f32>> =
        exact.map("", &mut |_, leaf| leaf.map(|x| x as f32));
    let (sources, targets) =
        ([vec![1, 2, 3], vec![4]], [vec![5, 6], vec![7, 8, 9, 10]]);
    let scores = quick.forward(&sources, &targets).map(f64::from);
    close(&scores, &exact.forward(&sources, &targets), 1e-5);
    assert_eq!(quick.greedy(&[1, 2], 0, 9), exact.greedy(&[1, 2], 0, 9));
}

#[test]
fn every_parameter_has_a_name_of_its_own() {
    let mut names = Vec::new();
    shapes(&small(11)).map("", &mut |name, _| names.push(name.to_string()));
    assert_eq!(names.len(), 1 + 2 * 12 + 2 * 18);
    assert_eq!(names[0], "embedding.table");
    assert_eq!(names[1], "encoder.layers.0.attention.w_q");
    assert_eq!(
        names.last().expect("a name"),
        "decoder.layers.1.feed_forward_norm.bias"
    );
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
}

#[test]
fn names_start_with_what_is_given() {
    let mut names = Vec::new();
    let layer: Linear<Shape> = Linear::new(2, 3, &mut Bill::default());
    layer.map("here.", &mut |name, _| names.push(name.to_string()));
    assert_eq!(names, ["here.weight", "here.bias"]);
}

#[test]
fn a_tree_mapped_through_a_copy_is_the_same_tree() {
    let model = random(&small(11), 8);
    let copy = model.map("", &mut |_, leaf| leaf.clone());
    let (sources, targets) = ([vec![1, 2, 3]], [vec![4, 5]]);
    assert_eq!(
        copy.forward(&sources, &targets),
        model.forward(&sources, &targets)
    );
}

/// One for each parameter on a token's way, and the weights of attention.
#[test]
fn a_forward_pass_costs_its_products() {
    let (n, m) = (30, 20);
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut bill.clone());
    let scores = model.forward(&[vec![0; m]], &[vec![0; n]]);
    assert_eq!(Tensor::shape(&scores), (n, 37_000));
    let (d, attention, network) = (512, 4 * 512 * 512, 2 * 512 * 2048);
    let encoder = m * (attention + network) + 2 * m * m * d;
    let own = n * (attention + network) + 2 * n * n * d;
    let cross = (n + m) * attention / 2 + 2 * n * m * d;
    let all = 6 * (encoder + own + cross) + n * d * 37_000;
    assert_eq!(bill.cost().multiply_adds, all as u64);
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
    let model = random(&small(11), 9);
    model.forward(&[vec![1, 2]], &[vec![3], vec![4]]);
}

#[test]
#[should_panic(expected = "gather: no row 11 among 11")]
fn a_word_that_is_not_in_the_table_is_refused() {
    random(&small(11), 10).encode(&[vec![1, 11]]);
}

#[test]
#[should_panic(expected = "softmax: scores 2×4 under a mask 2×3")]
fn the_memory_of_another_source_is_refused() {
    let model = random(&small(11), 11);
    let memory = model.encode(&[vec![1, 2, 3, 4]]);
    model.decode(&[vec![5, 6]], &[vec![1, 2, 3]], &memory);
}
