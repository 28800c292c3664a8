use all_you_need::attention::Mask;
use all_you_need::costs::Bill;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::heads::MultiHead;
use all_you_need::layers::{
    FeedForward, LAYER_NORM_EPSILON, LayerNorm, Linear, Rowwise,
};
use all_you_need::parameters::Parameters;
use all_you_need::tensor::{Init, Matrix, Tensor};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::{SplitMix64, close, largest, noise, normal, row};

/// Sizes that all differ, so that no two roles can be swapped unseen.
const N: usize = 5;
const D: usize = 3;
const D_FF: usize = 7;

/// A network whose biases are not 0.
fn network() -> FeedForward<Matrix> {
    FeedForward {
        inner: Linear { weight: noise(D, D_FF, 1), bias: noise(1, D_FF, 2) },
        outer: Linear { weight: noise(D_FF, D, 3), bias: noise(1, D, 4) },
    }
}

/// Equation 2 in loops, without a matrix product.
fn by_hand(net: &FeedForward<Matrix>, x: &Matrix) -> Matrix {
    let FeedForward { inner, outer } = net;
    Matrix::from_fn(x.nrows(), D, |i, c| {
        let hinge = |h: usize| {
            let terms = (0..D).map(|l| x[(i, l)] * inner.weight[(l, h)]);
            let sum = terms.sum::<f64>() + inner.bias[h];
            if sum > 0.0 { sum } else { 0.0 }
        };
        let terms = (0..D_FF).map(|h| hinge(h) * outer.weight[(h, c)]);
        terms.sum::<f64>() + outer.bias[c]
    })
}

#[test]
fn the_feed_forward_network_agrees_with_loops() {
    let (net, x) = (network(), noise(N, D, 5));
    close(&net.forward(&x), &by_hand(&net, &x), 1e-14);
}

#[test]
fn a_linear_layer_makes_its_bias_of_zero() {
    let layer = Linear { weight: noise(D, D_FF, 1), bias: noise(1, D_FF, 2) };
    let out = layer.forward(&Matrix::zeros(N, D));
    for i in 0..N {
        assert_eq!(out.row(i), layer.bias.row(0));
    }
}

#[test]
fn a_new_linear_layer_only_multiplies() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let layer: Linear<Matrix> = Linear::new(D, D_FF, rng);
    let x = noise(N, D, 5);
    close(&layer.forward(&x), &(&x * &layer.weight), 1e-14);
    let [x, y] = [x, noise(N, D, 6)];
    let apart = layer.forward(&x) + layer.forward(&y);
    close(&layer.forward(&(x + y)), &apart, 1e-14);
}

#[test]
fn another_word_moves_its_own_row_and_no_other() {
    let (net, norm) = (network(), new_norm(D));
    let x = noise(N, D, 5);
    let mut other = x.clone();
    other.row_mut(3).fill(9.0);
    let both = [
        (net.forward(&x), net.forward(&other)),
        (norm.forward(&x), norm.forward(&other)),
    ];
    for (x, other) in both {
        for i in 0..N {
            assert_eq!(x.row(i) == other.row(i), i != 3, "row {i}");
        }
    }
}

#[test]
fn a_row_alone_becomes_what_it_becomes_in_company() {
    let (net, x) = (network(), noise(N, D, 5));
    let all = net.forward(&x);
    for i in 0..N {
        let alone = net.forward(&x.rows(i, 1).into());
        close(&alone, &all.rows(i, 1).into(), 1e-14);
    }
}

#[test]
fn relu_cuts_at_zero() {
    let cut = dmatrix![-2.0, 0.0; 3.0, -1e-300].relu();
    assert_eq!(cut, dmatrix![0.0, 0.0; 3.0, 0.0]);
}

/// Forward and backward: a network must not hide that it has gone wrong.
#[test]
fn what_is_not_a_number_passes_through_relu() {
    let x = dmatrix![f64::NAN, -1.0, 2.0];
    let y = x.relu();
    assert!(y[0].is_nan());
    assert_eq!((y[1], y[2]), (0.0, 2.0));
    let gradient = |x: &Matrix, weights: Matrix| {
        let tape = Tape::default();
        let x = tape.variable(x.clone());
        let loss = x.relu().matmul(&tape.variable(weights));
        tape.gradients(&loss).of(&x)
    };
    assert_eq!(gradient(&x, dmatrix![3.0; 5.0; 7.0]), row(&[3.0, 0.0, 7.0]));
    let broken =
        gradient(&row(&[1.0, -1.0, 2.0]), dmatrix![f64::NAN; 5.0; 7.0]);
    assert!(broken[0].is_nan());
    assert_eq!((broken[1], broken[2]), (0.0, 7.0));
}

#[test]
fn a_nan_in_a_row_makes_the_whole_row_nan_after_the_norm() {
    for place in 0..N * D {
        let mut x = noise(N, D, 9);
        x[place] = f64::NAN;
        let y = new_norm(D).add_norm(&x, &noise(N, D, 10));
        for (i, row) in y.row_iter().enumerate() {
            let broken = i == place % N;
            assert!(row.iter().all(|number| number.is_nan() == broken));
        }
    }
}

fn new_norm(d_model: usize) -> LayerNorm<Matrix> {
    LayerNorm::new(d_model, &mut ChaCha8Rng::seed_from_u64(0))
}

#[test]
fn a_row_of_four_comes_out_as_by_hand() {
    let out = new_norm(4).forward(&dmatrix![3.0, 9.0, 11.0, 17.0]);
    // The variance is 25, and all but ε of it is divided away.
    close(&out, &row(&[-1.4, -0.2, 0.2, 1.4]), LAYER_NORM_EPSILON / 25.0);
    assert!(out[3] < 1.4, "ε makes every number a little smaller");
    let exact = 7.0 / (25.0 + LAYER_NORM_EPSILON).sqrt();
    assert!((out[3] - exact).abs() < 1e-15);
}

#[test]
fn every_row_has_mean_0_and_variance_1() {
    let out = (noise(N, 11, 7) * 50.0).add_scalar(8.0).standardize();
    for row in out.row_iter() {
        assert!(row.mean().abs() < 1e-14);
        let square = row.iter().map(|x| x * x).sum::<f64>() / 11.0;
        assert!((square - 1.0).abs() < 1e-6, "{square}");
    }
}

#[test]
fn neither_stretching_nor_shifting_a_row_changes_its_norm() {
    let x = noise(N, 11, 7) * 10.0;
    let other = (&x * 30.0).add_scalar(-400.0);
    close(&other.standardize(), &x.standardize(), 1e-6);
    // Turned round it comes out turned round.
    close(&(-&x).standardize(), &-x.standardize(), 1e-14);
}

#[test]
fn a_row_of_equal_numbers_becomes_zeros() {
    let x = Matrix::from_element(N, 4, 5.0);
    assert_eq!(x.standardize(), Matrix::zeros(N, 4));
}

#[test]
fn gain_and_bias_stretch_and_shift_each_column() {
    let norm = LayerNorm {
        gain: dmatrix![2.0, 1.0, -1.0, 0.0],
        bias: dmatrix![0.0, 1.0, 0.0, 7.0],
    };
    let out = norm.forward(&dmatrix![3.0, 9.0, 11.0, 17.0]);
    close(&out, &row(&[-2.8, 0.8, -0.2, 7.0]), 1e-5);
}

#[test]
fn the_sum_comes_before_the_norm() {
    let (x, change) = (noise(N, D, 1), noise(N, D, 2));
    let norm = LayerNorm { gain: noise(1, D, 3), bias: noise(1, D, 4) };
    let out = norm.add_norm(&x, &change);
    close(&out, &norm.forward(&(&x + &change)), 0.0);
    assert!(largest(&(&out - (&x + norm.forward(&change)))) > 0.1);
}

/// With the same generator, both drop the same numbers.
#[test]
fn dropout_meets_the_sub_layer_and_not_the_row_around_it() {
    let norm = LayerNorm { gain: noise(1, D, 3), bias: noise(1, D, 4) };
    let y = |add: fn(&LayerNorm<_>, &Variable<f64>, &Variable<f64>) -> _| {
        let tape = Tape::with_dropout(0.4, ChaCha8Rng::seed_from_u64(5));
        let norm = norm.map("", &mut |_, leaf| tape.variable(leaf.clone()));
        let [x, sublayer] =
            [1, 2].map(|seed| tape.variable(noise(N, D, seed)));
        let y: Variable<f64> = add(&norm, &x, &sublayer);
        y.value().clone()
    };
    let found = y(|norm, x, sublayer| norm.add_norm(x, sublayer));
    let formula =
        y(|norm, x, sublayer| norm.forward(&x.add(&sublayer.dropout())));
    assert_eq!(found, formula);
    let without = norm.add_norm(&noise(N, D, 1), &noise(N, D, 2));
    assert!(largest(&(found - without)) > 0.1);
}

#[test]
fn a_sub_layer_that_says_nothing_changes_nothing() {
    let norm = new_norm(11);
    let x = norm.forward(&noise(N, 11, 8));
    close(&norm.add_norm(&x, &Matrix::zeros(N, 11)), &x, 1e-4);
}

#[test]
fn without_training_dropout_drops_nothing() {
    let x = noise(N, D, 1);
    assert_eq!(x.dropout(), x);
}

#[test]
fn values_that_are_all_alike_stay_as_they_are() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let mut heads: MultiHead<Matrix> = MultiHead::new(2, 4, (3, 2), rng);
    let x = noise(N, 4, 3);
    // Whatever is seen, the values are those of one and the same row.
    let kv = heads.keys_values(&noise(1, 4, 4).select_rows(&[0; N]));
    let one = kv.values.rows(0, 1) * &heads.w_o;
    for seed in 5..8 {
        heads.w_q = noise(4, 6, seed);
        let seen = heads.attend(&x, &kv, &Mask::none(N, N));
        close(&seen, &one.select_rows(&[0; N]), 1e-14);
    }
}

/// How much of the numbers the rows do not have in common.
fn apart(x: &Matrix) -> f64 {
    let mean = x.row_mean().select_rows(&vec![0; x.nrows()]);
    (x - mean).norm() / x.norm()
}

/// Random attention and feed-forward in turn, three layers.
fn three_layers(
    seed: u64,
    order: impl Fn(&Matrix, Matrix) -> Matrix,
) -> Matrix {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut x: Matrix = rng.uniform(6, 64, 1.0);
    for _ in 0..3 {
        let heads: MultiHead<Matrix> = MultiHead::new(4, 64, (16, 16), rng);
        let net: FeedForward<Matrix> = FeedForward::new(64, 256, rng);
        x = order(&x, heads.forward(&x, &x, &Mask::none(6, 6)));
        x = order(&x, net.forward(&x));
    }
    x
}

#[test]
fn without_the_sum_six_rows_become_one() {
    for seed in 0..10 {
        let bare = three_layers(seed, |_, s| s);
        let normed = three_layers(seed, |_, s| s.standardize());
        let paper = three_layers(seed, |x, s| (x + s).standardize());
        assert!(apart(&bare) < 0.01, "seed {seed}: {}", apart(&bare));
        assert!(apart(&normed) < 0.01, "seed {seed}: {}", apart(&normed));
        assert!(apart(&paper) > 0.2, "seed {seed}: {}", apart(&paper));
    }
}

#[test]
fn f32_and_f64_agree() {
    let (net, norm, x) = (network(), new_norm(D), noise(N, D, 5));
    let narrow = |m: &Matrix| m.map(|x| x as f32);
    let linear = |l: &Linear<Matrix>| Linear {
        weight: narrow(&l.weight),
        bias: narrow(&l.bias),
    };
    let small =
        FeedForward { inner: linear(&net.inner), outer: linear(&net.outer) };
    let norm32 =
        LayerNorm { gain: narrow(&norm.gain), bias: narrow(&norm.bias) };
    let wide = norm.add_norm(&x, &net.forward(&x));
    let x = narrow(&x);
    let out = norm32.add_norm(&x, &small.forward(&x));
    close(&out.map(f64::from), &wide, 1e-5);
}

#[test]
#[should_panic(expected = "3 columns meet a row 1×4")]
fn a_bias_of_another_width_is_refused() {
    let _ = noise(N, 3, 1).add_row(&noise(1, 4, 2));
}

#[test]
#[should_panic(expected = "3 columns meet a row 2×3")]
fn a_gain_of_two_rows_is_refused() {
    let _ = noise(N, 3, 1).mul_row(&noise(2, 3, 2));
}

#[test]
#[should_panic(expected = "add: 5×3 and 5×4 differ in size")]
fn a_sub_layer_of_another_width_cannot_be_added() {
    let _ = new_norm(3).add_norm(&noise(N, 3, 1), &noise(N, 4, 2));
}

/// The ledger's network of 8 and 32: how far it is from being affine, the
/// variances after the norm, and how far from x + LayerNorm(Sublayer(x)).
#[test]
fn the_ledgers_golden_values_hold() {
    let g = &mut SplitMix64(31);
    let x = normal(g, 5, 8);
    let inner = Linear {
        weight: normal(g, 8, 32) / 8f64.sqrt(),
        bias: normal(g, 1, 32) * 0.1,
    };
    let outer = Linear {
        weight: normal(g, 32, 8) / 32f64.sqrt(),
        bias: normal(g, 1, 8) * 0.1,
    };
    let y = normal(g, 5, 8);
    let net = FeedForward { inner, outer };
    let defect = |f: &dyn Fn(&Matrix) -> Matrix| {
        largest(&(f(&(&x + &y)) - f(&x) - f(&y) + f(&Matrix::zeros(5, 8))))
    };
    let bent = defect(&|x| net.forward(x));
    assert!((bent - 0.7772165744725565).abs() < 1e-13);
    let flat = defect(&|x| net.outer.forward(&net.inner.forward(x)));
    assert!(flat < 1e-14);

    let (norm, change) = (new_norm(8), net.forward(&x));
    let out = norm.add_norm(&x, &change);
    let variances = [0.999977, 0.99996, 0.999995, 0.999987, 0.999986];
    for (row, variance) in out.row_iter().zip(variances) {
        assert!((row.variance() - variance).abs() < 1e-6);
    }
    let swapped = &x + norm.forward(&change);
    assert!((largest(&(out - swapped)) - 1.6671592838583917).abs() < 1e-13);
}

#[test]
fn cells_are_multiplied_and_mapped_one_by_one() {
    let (a, b) = (noise(N, D, 1), noise(N, D, 2));
    let (product, sines) = (a.mul_cells(&b), a.map_cells(f64::sin, f64::cos));
    for i in 0..a.len() {
        assert_eq!(product[i], a[i] * b[i]);
        assert_eq!(sines[i], a[i].sin());
    }
    let bill = Bill::default();
    let [a, b] = [(); 2].map(|()| bill.shape(N, D));
    assert_eq!(a.mul_cells(&b).shape(), (N, D));
    assert_eq!(a.map_cells(f64::sin, f64::cos).shape(), (N, D));
    assert_eq!(bill.cost().numbers, 2 * (N * D) as u64);
}

#[test]
#[should_panic(expected = "mul_cells: 5×3 and 3×5 differ in size")]
fn a_product_of_cells_needs_two_matrices_of_one_size() {
    let _ = noise(N, D, 1).mul_cells(&noise(D, N, 2));
}
