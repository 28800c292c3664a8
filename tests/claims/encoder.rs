use all_you_need::attention::{Mask, attention};
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::layers::LayerNorm;
use all_you_need::parameters::Parameters;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix, Tensor};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::{SplitMix64, close, largest, noise, normal};

/// Those of the chapter on small tasks.
#[test]
fn the_toy_is_half_as_wide_and_half_as_deep_as_the_tiny_one() {
    let (toy, tiny) = (Config::toy(), Config::tiny());
    assert_eq!(2 * toy.layers, tiny.layers);
    assert_eq!(2 * toy.d_model, tiny.d_model);
    assert_eq!(2 * toy.d_ff, tiny.d_ff);
    assert_eq!(2 * toy.heads, tiny.heads);
    assert_eq!((toy.d_k, toy.d_v), (tiny.d_k, tiny.d_v));
}

/// Sizes that all differ, so that no two roles can be swapped unseen.
const N: usize = 5;
const SMALL: Config = Config {
    vocabulary: 9,
    layers: 3,
    d_model: 8,
    d_ff: 13,
    heads: 2,
    d_k: 3,
    d_v: 6,
};

fn encoder() -> Encoder<Matrix> {
    Encoder::new(&SMALL, &mut ChaCha8Rng::seed_from_u64(1))
}

/// One layer, and no two of its parameters alike.
fn layer() -> EncoderLayer<Matrix> {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let layer: EncoderLayer<Matrix> = EncoderLayer::new(&SMALL, rng);
    let mut other = |_: &str, p: &Matrix| -> Matrix {
        p + rng.uniform(p.nrows(), p.ncols(), 0.3)
    };
    layer.map("", &mut other)
}

#[test]
fn a_layer_is_its_four_steps_in_order() {
    let (layer, x, mask) = (layer(), noise(N, 8, 3), Mask::none(N, N));
    let norm = |norm: &LayerNorm<Matrix>, x: Matrix| {
        Matrix::from_fn(N, 8, |i, j| {
            let (mean, variance) = (x.row(i).mean(), x.row(i).variance());
            let scaled = (x[(i, j)] - mean) / (variance + 1e-5).sqrt();
            scaled * norm.gain[j] + norm.bias[j]
        })
    };
    let seen = layer.attention.forward(&x, &x, &mask);
    let y = norm(&layer.attention_norm, &x + seen);
    let thought = layer.feed_forward.forward(&y);
    let z = norm(&layer.feed_forward_norm, &y + thought);
    close(&layer.forward(&x, &mask), &z, 1e-13);
}

#[test]
fn the_stack_goes_from_the_bottom_up() {
    let (encoder, x, mask) = (encoder(), noise(N, 8, 3), Mask::none(N, N));
    let [one, two, three] = &encoder.layers[..] else {
        panic!("three layers")
    };
    let by_hand =
        three.forward(&two.forward(&one.forward(&x, &mask), &mask), &mask);
    assert_eq!(encoder.forward(&x, &mask), by_hand);
}

#[test]
fn every_layer_has_weights_of_its_own() {
    let layers = encoder().layers;
    for (i, one) in layers.iter().enumerate() {
        for other in &layers[..i] {
            assert_ne!(one.attention.w_q, other.attention.w_q);
            let (one, other) = (&one.feed_forward, &other.feed_forward);
            assert_ne!(one.inner.weight, other.inner.weight);
        }
    }
}

#[test]
fn there_is_a_row_for_each_word() {
    for n in [1, 2, 30] {
        let z = encoder().forward(&noise(n, 8, 4), &Mask::none(n, n));
        assert_eq!(z.shape(), (n, 8));
        assert!(z.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn every_word_hears_every_word_after_one_layer() {
    let (layer, x, mask) = (layer(), noise(N, 8, 5), Mask::none(N, N));
    let before = layer.forward(&x, &mask);
    for j in 0..N {
        let mut other = x.clone();
        other.set_row(j, &noise(1, 8, 6).row(0));
        let after = layer.forward(&other, &mask);
        for i in 0..N {
            let moved = largest(&(before.row(i) - after.row(i)));
            assert!(moved > 1e-3, "{i} does not hear {j}: {moved}");
        }
    }
}

#[test]
fn one_word_has_other_vectors_in_other_sentences() {
    let table = noise(SMALL.vocabulary, 8, 7);
    let read = |ids: &[usize]| {
        let positions: Vec<usize> = (0..ids.len()).collect();
        let x = table.gather(ids) + sinusoidal(&positions, 8);
        let n = ids.len();
        (x.clone(), encoder().forward(&x, &Mask::none(n, n)))
    };
    let (x, z) = read(&[1, 4, 2]);
    let (other_x, other_z) = read(&[5, 4, 7]);
    assert_eq!(x.row(1), other_x.row(1));
    assert!(largest(&(z.row(1) - other_z.row(1))) > 0.1);
}

#[test]
fn without_positions_order_only_orders_the_rows() {
    let (encoder, x, mask) = (encoder(), noise(N, 8, 8), Mask::none(N, N));
    let order = [3, 0, 4, 1, 2];
    let (there, back) = (
        encoder.forward(&x, &mask),
        encoder.forward(&x.gather(&order), &mask),
    );
    close(&back, &there.gather(&order), 1e-12);
    assert!(largest(&(&back - &there)) > 0.1, "it is not invariant");
    let means = back.row_mean() - there.row_mean();
    assert!(largest(&means) < 1e-12);
}

#[test]
fn with_positions_order_matters() {
    let encoder = encoder();
    let positions = sinusoidal(&[0, 1, 2, 3, 4], 8);
    let read =
        |x: Matrix| encoder.forward(&(x + &positions), &Mask::none(N, N));
    let (x, order) = (noise(N, 8, 8), [4, 3, 2, 1, 0]);
    let gap = read(x.gather(&order)) - read(x).gather(&order);
    assert!(largest(&gap) > 0.1);
}

#[test]
fn what_stands_in_the_padding_reaches_no_real_word() {
    let (encoder, mask) = (encoder(), Mask::padding(N, N, 3));
    let x = noise(N, 8, 9);
    let mut other = x.clone();
    other.rows_mut(3, 2).fill(7.0);
    let (one, two) =
        (encoder.forward(&x, &mask), encoder.forward(&other, &mask));
    assert_eq!(one.rows(0, 3), two.rows(0, 3));
    let alone = encoder.forward(&x.rows(0, 3).into(), &Mask::none(3, 3));
    close(&one.rows(0, 3).into(), &alone, 1e-12);
}

#[test]
fn other_values_leave_the_weights_alone() {
    let (one, x, mask) = (layer(), noise(N, 8, 5), Mask::none(N, N));
    let mut two = one.clone();
    two.attention.w_v = noise(8, 12, 6);
    assert_eq!(
        one.attention.weights(&x, &x, &mask),
        two.attention.weights(&x, &x, &mask)
    );
    assert!(
        largest(&(one.forward(&x, &mask) - two.forward(&x, &mask))) > 0.1
    );
}

#[test]
fn f32_and_f64_agree() {
    let encoder = encoder();
    let narrow: Encoder<Matrix<f32>> =
        encoder.map("", &mut |_, p: &Matrix| p.map(|x| x as f32));
    let (x, mask) = (noise(N, 8, 3), Mask::none(N, N));
    let out = narrow.forward(&x.map(|x| x as f32), &mask);
    close(&out.map(f64::from), &encoder.forward(&x, &mask), 1e-4);
}

#[test]
#[should_panic(expected = "matmul: 5×7 times 8×6: 7 columns meet 8 rows")]
fn rows_of_another_width_are_refused() {
    let _ = encoder().forward(&noise(N, 7, 1), &Mask::none(N, N));
}

#[test]
#[should_panic(expected = "softmax: scores 5×5 under a mask 4×4")]
fn a_mask_for_another_sentence_is_refused() {
    let _ = encoder().forward(&noise(N, 8, 1), &Mask::none(4, 4));
}

/// One head without biases or norms, as the ledger ran it.
fn head(x: &Matrix, [q, k, v]: &[Matrix; 3]) -> Matrix {
    let n = x.nrows();
    attention(&(x * q), &(x * k), &(x * v), &Mask::none(n, n))
}

fn square(g: &mut SplitMix64) -> Matrix {
    normal(g, 8, 8) / 8f64.sqrt()
}

/// How far order reaches (E6), and how far token 4 moves from one sentence
/// to the other (E20).
#[test]
fn the_ledgers_golden_values_hold() {
    let x = normal(&mut SplitMix64(11), 6, 8);
    let w = [12, 13, 14].map(|seed| square(&mut SplitMix64(seed)));
    let order = [3, 0, 5, 1, 4, 2];
    let (there, back) = (head(&x, &w), head(&x.gather(&order), &w));
    close(&back, &there.gather(&order), 1e-14);
    assert!((largest(&(&back - &there)) - 2.8438715655995375).abs() < 1e-13);

    let g = &mut SplitMix64(81);
    let table = normal(g, 10, 8);
    let w = [(); 3].map(|()| square(g));
    let [one, two] = [[1, 4, 2], [5, 4, 7]].map(|ids| table.gather(&ids));
    assert_eq!(one.row(1), two.row(1));
    let gap = largest((head(&one, &w) - head(&two, &w)).row(1).iter());
    assert!((gap - 1.6898826300665417).abs() < 1e-13);
}
