use all_you_need::embedding::Embedding;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Token, one_hot};
use nalgebra::convert;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::close;

const V: usize = 11;
const D: usize = 6;
const IDS: [Token; 4] = [3, 7, 0, 7];
const ROWS: [usize; 4] = [3, 7, 0, 7];

fn embedding() -> Embedding<Matrix> {
    Embedding::new(V, D, &mut ChaCha8Rng::seed_from_u64(1))
}

#[test]
fn one_hot_times_a_matrix_is_its_rows_exactly() {
    let w: Matrix = ChaCha8Rng::seed_from_u64(2).uniform(V, D, 1.0);
    let product = one_hot(&IDS, V) * &w;
    assert_eq!(product, w.select_rows(&ROWS));
    assert_eq!(product, w.gather(&ROWS));
}

#[test]
fn embedding_is_the_row_times_the_root_of_its_width() {
    let embedding = embedding();
    let x = embedding.embed(&IDS);
    assert_eq!(x.shape(), (IDS.len(), D));
    for (row, id) in x.row_iter().zip(ROWS) {
        assert_eq!(row, embedding.table.row(id) * 6f64.sqrt());
    }
}

#[test]
fn one_token_has_one_vector_in_any_place_and_any_company() {
    let embedding = embedding();
    let x = embedding.embed(&IDS);
    let elsewhere = embedding.embed(&[7, 1, 2, 10, 5]);
    assert_eq!(x.row(1), x.row(3));
    assert_eq!(x.row(1), elsewhere.row(0));
    assert_ne!(x.row(0), x.row(1));
}

#[test]
fn another_order_gives_the_same_rows_in_another_order() {
    let embedding = embedding();
    let turned = embedding.embed(&[7, 7, 3, 0]);
    assert_eq!(turned, embedding.embed(&IDS).select_rows(&[1, 3, 0, 2]));
}

#[test]
fn rows_start_about_one_long_whatever_their_width() {
    for d in [64, 512] {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        let embedding: Embedding<Matrix> = Embedding::new(50, d, rng);
        let ids: Vec<Token> = (0..50).collect();
        let root = (d as f64).sqrt();
        let rows = embedding.embed(&ids);
        for (plain, scaled) in embedding.table.row_iter().zip(rows.row_iter())
        {
            assert!((plain.norm() - 1.0).abs() < 0.2);
            assert!((scaled.norm() - root).abs() < 0.2 * root);
        }
    }
}

/// Ledger, section 9, row 7: √512 = 22.6 against 16.
#[test]
fn scaled_words_are_longer_than_places_by_the_root_of_two() {
    let places = sinusoidal(&[0, 1, 7, 1000], 512);
    for place in places.row_iter() {
        assert!((place.norm() - 16.0).abs() < 1e-12);
    }
    let ones: Embedding<Matrix> =
        Embedding { table: Matrix::identity(512, 512) };
    let word = ones.embed(&[5]).norm();
    assert!((word - 22.627_416_997_969_52).abs() < 1e-12);
    assert!((word / 16.0 - 2f64.sqrt()).abs() < 1e-12);
}

#[test]
fn random_rows_are_nearly_perpendicular() {
    let d = 400;
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let embedding: Embedding<Matrix> = Embedding::new(60, d, rng);
    let dots = embedding.table.matmul_t(&embedding.table);
    let below = (0..60).flat_map(|i| (0..i).map(move |j| (i, j)));
    let squares: Vec<f64> = below.map(|at| dots[at] * dots[at]).collect();
    let typical = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    assert!((typical - 1.0 / 20.0).abs() < 0.005);
}

#[test]
fn single_precision_finds_the_same_rows() {
    let embedding = embedding();
    let quick: Embedding<Matrix<f32>> =
        Embedding { table: embedding.table.map(convert) };
    let rows: Matrix = quick.embed(&IDS).map(convert);
    close(&rows, &embedding.embed(&IDS), 1e-6);
}

#[test]
#[should_panic(expected = "gather: no row")]
fn a_token_that_has_no_row_is_refused() {
    let _ = embedding().embed(&[V as Token]);
}
