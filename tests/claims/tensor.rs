use all_you_need::costs::{Bill, Shape};
use all_you_need::gradient::Tape;
use all_you_need::tensor::{Float, Init, Matrix, Tensor};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::golden::{SplitMix64, close, noise, row};

/// Sizes that all differ, so that no two roles can be swapped unseen.
const N: usize = 3;
const K: usize = 4;
const M: usize = 6;

#[test]
fn a_product_agrees_with_three_loops() {
    let (a, b) = (noise(N, K, 1), noise(K, M, 2));
    let mut loops = Matrix::zeros(N, M);
    for i in 0..N {
        for j in 0..M {
            for l in 0..K {
                loops[(i, j)] += a[(i, l)] * b[(l, j)];
            }
        }
    }
    close(&a.matmul(&b), &loops, 1e-14);
}

#[test]
fn each_row_of_a_product_mixes_the_rows_on_the_right() {
    let values: Matrix = dmatrix![10.0, 8.0; 5.0, 6.0; 2.0, 0.0];
    let weights: Matrix = dmatrix![0.6, 0.4, 0.0; 0.0, 0.1, 0.9];
    close(&weights.matmul(&values), &dmatrix![8.0, 7.2; 2.3, 0.6], 1e-15);
}

#[test]
fn matmul_t_is_the_dot_product_of_every_row_with_every_row() {
    let (a, b) = (noise(N, K, 1), noise(M, K, 2));
    let dots = Matrix::from_fn(N, M, |i, j| {
        (0..K).map(|l| a[(i, l)] * b[(j, l)]).sum()
    });
    close(&a.matmul_t(&b), &dots, 1e-14);
}

#[test]
fn products_with_few_rows_are_those_of_nalgebra() {
    // Rows that are no multiple of what is added up together, and columns
    // that are no pairs.
    for (rows, k, m) in [(1, 1, 1), (3, 7, 5), (16, 42, 30), (5, 6, 2500)] {
        let (a, b) = (noise(rows, k, 1), noise(k, m, 2));
        let b_t = b.transpose();
        let product = &a * &b;
        close(&a.matmul(&b), &product, 1e-12);
        close(&a.matmul_t(&b_t), &product, 1e-12);
        close(&b_t.matmul_t(&a), &product.transpose(), 1e-12);
    }
}

#[test]
fn a_number_that_is_none_stays_none_in_products_with_few_rows() {
    let (a, b) = (noise(2, 7, 1), noise(7, 30, 2));
    let mut broken = a.clone();
    broken[(1, 5)] = f64::NAN;
    for product in [broken.matmul(&b), broken.matmul_t(&b.transpose())] {
        assert!(product.row(0).iter().all(|x| x.is_finite()));
        assert!(product.row(1).iter().all(|x| x.is_nan()));
    }
}

#[test]
fn a_transposed_product_is_the_product_of_transposes_the_other_way_round() {
    let (a, b) = (noise(N, K, 1), noise(K, M, 2));
    let turned = Tensor::transpose(&a.matmul(&b));
    close(&turned, &b.transpose().matmul(&a.transpose()), 1e-14);
}

#[test]
fn sums_and_scales_go_cell_by_cell() {
    let (a, b): (Matrix, Matrix) =
        (dmatrix![1.0, 2.0, 3.0], dmatrix![0.5, 0.0, -3.0]);
    assert_eq!(Tensor::add(&a, &b), dmatrix![1.5, 2.0, 0.0]);
    assert_eq!(Tensor::scale(&a, -2.0), dmatrix![-2.0, -4.0, -6.0]);
}

#[test]
fn gathered_rows_come_in_the_order_named_and_as_often() {
    let a = dmatrix![1.0, 2.0; 3.0, 4.0; 5.0, 6.0];
    let rows = a.gather(&[2, 0, 2, 1]);
    assert_eq!(rows, dmatrix![5.0, 6.0; 1.0, 2.0; 5.0, 6.0; 3.0, 4.0]);
    assert_eq!(a.gather(&[]), Matrix::zeros(0, 2));
}

#[test]
fn split_takes_columns_and_concat_puts_them_back() {
    let a = noise(N, M, 1);
    let parts = a.chunk(2);
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[1], a.columns(3, 3));
    assert_eq!(Matrix::concat(&parts), a);
    let uneven = [noise(N, 2, 2), noise(N, 5, 3)];
    let joined = Matrix::concat(&uneven);
    assert_eq!(joined.columns(0, 2), uneven[0]);
    assert_eq!(joined.columns(2, 5), uneven[1]);
}

#[test]
fn in_single_precision_the_same_comes_out_to_six_digits() {
    let (a, b) = (noise(N, K, 1), noise(K, M, 2));
    let (a32, b32) = (a.map(|x| x as f32), b.map(|x| x as f32));
    close(&a32.matmul(&b32).map(f64::from), &a.matmul(&b), 1e-6);
}

#[test]
fn brackets_change_the_bill_and_not_the_result() {
    let [x, a, b] = [noise(N, 512, 1), noise(512, 64, 2), noise(64, 512, 3)];
    let (left, right) = (x.matmul(&a).matmul(&b), x.matmul(&a.matmul(&b)));
    assert!((&left - right).norm() < 1e-13 * left.norm());
}

#[test]
fn a_constant_takes_the_precision_of_what_it_meets() {
    let values: Matrix = dmatrix![0.1, 0.2];
    let single = Matrix::<f32>::zeros(1, 1).constant(&values);
    assert_eq!(single, dmatrix![0.1f32, 0.2f32]);
}

/// One test for each sentence, said by numbers, by shapes and by variables.
macro_rules! refused {
    ($($name:ident: $sentence:literal, $work:expr;)*) => {
        mod refused {
            use super::*;
            $(mod $name {
                use super::*;

                fn work<T: Tensor>(a: T, b: T) {
                    let work: fn(&T, &T) = $work;
                    work(&a, &b);
                }

                #[test]
                #[should_panic(expected = $sentence)]
                fn by_numbers() {
                    work(noise(2, 3, 1), noise(2, 4, 2));
                }

                #[test]
                #[should_panic(expected = $sentence)]
                fn by_shapes() {
                    let bill = Bill::default();
                    work(bill.shape(2, 3), bill.shape(2, 4));
                }

                #[test]
                #[should_panic(expected = $sentence)]
                fn by_variables() {
                    let tape = Tape::default();
                    let variable = |m: Matrix| tape.variable(m);
                    work(variable(noise(2, 3, 1)), variable(noise(2, 4, 2)));
                }
            })*
        }
    };
}

refused! {
    a_product_whose_inner_sizes_differ:
        "matmul: 2×3 times 2×4: 3 columns meet 2 rows",
        |a, b| drop(a.matmul(b));
    a_sum_of_different_sizes:
        "add: 2×3 and 2×4 differ in size",
        |a, b| drop(a.add(b));
    a_row_that_is_not_there:
        "gather: no row 2 among 2, counted from 0",
        |a, _| drop(a.gather(&[0, 2]));
    parts_that_are_not_equal:
        "chunk: 3 columns do not make 2 equal chunks",
        |a, _| drop(a.chunk(2));
    no_parts_at_all:
        "chunk: 3 columns do not make 0 equal chunks",
        |a, _| drop(a.chunk(0));
    different_heights_side_by_side:
        "concat: 2 rows beside 3 rows",
        |a, b| drop(T::concat(&[b.clone(), a.transpose()]));
    nothing_to_join:
        "concat: nothing to join",
        |_, _| drop(T::concat(&[]));
}

fn deviation<F: Float>(m: &Matrix<F>) -> F {
    m.variance().sqrt()
}

#[test]
fn noise_has_the_standard_deviation_asked_for_and_mean_0() {
    let m: Matrix = ChaCha8Rng::seed_from_u64(1).uniform(200, 300, 0.7);
    assert_eq!(m.shape(), (200, 300));
    assert!(m.mean().abs() < 0.01);
    assert!((deviation(&m) - 0.7).abs() < 0.01);
    let f: Matrix<f32> = ChaCha8Rng::seed_from_u64(1).uniform(200, 300, 0.7);
    close(&f.map(f64::from), &m, 1e-6);
}

#[test]
fn the_same_seed_starts_the_same() {
    assert_eq!(noise(N, K, 5), noise(N, K, 5));
    assert_ne!(noise(N, K, 5), noise(N, K, 6));
}

#[test]
fn weights_start_between_what_the_two_ways_need() {
    let w: Matrix = ChaCha8Rng::seed_from_u64(1).weight(100, 400);
    assert!((deviation(&w) - (2.0f64 / 500.0).sqrt()).abs() < 1e-3);
}

#[test]
fn filled_is_the_same_number_everywhere() {
    let ones: Matrix = ChaCha8Rng::seed_from_u64(1).filled(N, K, 1.0);
    assert_eq!(ones, Matrix::from_element(N, K, 1.0));
    let shape: Shape = Bill::default().filled(N, K, 1.0);
    assert_eq!(Tensor::shape(&shape), (N, K));
}

#[test]
fn through_square_weights_numbers_keep_their_size() {
    for (factor, after_ten) in
        [(0.5, 1.0 / 1024.0), (1.0, 1.0), (2.0, 1024.0)]
    {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut x: Matrix = rng.uniform(64, 256, 1.0);
        for _ in 0..10 {
            let w: Matrix = rng.weight(256, 256);
            x = x.matmul(&w.scale(factor));
        }
        assert!((deviation(&x) / after_ten - 1.0).abs() < 0.1);
    }
}

#[test]
fn a_cross_product_with_itself_is_nothing() {
    let a: Matrix = dmatrix![1.0, 2.0, 3.0];
    assert_eq!(a.cross(&a), Matrix::zeros(1, 3));
    assert_eq!(a.matmul_t(&a)[0], 14.0);
}

#[test]
#[should_panic(expected = "cross product dimension mismatch")]
fn there_is_no_cross_product_of_four_numbers() {
    drop(noise(1, 4, 1).cross(&noise(1, 4, 2)));
}

/// The matrix behind the ledger's golden values.
#[test]
fn the_generator_gives_the_ledgers_numbers() {
    let x = SplitMix64(1).matrix(16, 32);
    let first = [
        0.566_561_575_172_280_9,
        0.745_781_757_262_701,
        0.971_002_753_586_796_2,
        0.444_359_217_055_772_1,
    ];
    close(&x.view((0, 0), (1, 4)).into(), &row(&first), 1e-15);
    assert!((x[(15, 31)] - 0.381_275_333_957_816_54).abs() < 1e-15);
    assert!((x.sum() - 249.315_168_763_786_2).abs() < 1e-11);
}

/// Without the check the count of their numbers would be 0 modulo 2⁶⁴, and
/// a number would be written beside the memory of the matrix.
#[test]
fn a_size_whose_product_wraps_is_refused() {
    let said = |make: fn(&mut ChaCha8Rng) -> Matrix| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let made = catch_unwind(AssertUnwindSafe(|| make(&mut rng)));
        *made.unwrap_err().downcast::<String>().unwrap()
    };
    let half = 1_u64 << 32;
    let expected = format!("a matrix of {half}×{half} has more than 2³⁰");
    let noise = said(|rng| rng.uniform(1 << 32, 1 << 32, 1.0));
    assert!(noise.starts_with(&expected), "{noise}");
    let filled = said(|rng| rng.filled(1 << 32, 1 << 32, 1.0));
    assert!(filled.starts_with(&expected), "{filled}");
    let product = said(|_| {
        let (tall, wide) = (Matrix::zeros(1 << 32, 0), (0, 1 << 32));
        tall.matmul(&Matrix::zeros(wide.0, wide.1))
    });
    assert_eq!(product, format!("matmul: {half}×{half} is too large"));
}
