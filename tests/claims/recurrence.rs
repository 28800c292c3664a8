use all_you_need::attention::Mask;
use all_you_need::heads::MultiHead;
use all_you_need::recurrence::{
    AdditiveScore, Gated, Layer, Recurrent, convolve,
};
use all_you_need::tensor::{Bill, Init, Matrix, Shape};
use nalgebra::{DVector, dmatrix, dvector};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// Sizes that all differ, so that no two roles can be swapped unseen.
const D: usize = 3;
const D_INPUT: usize = 4;
const N: usize = 6;

fn words(n: usize, d: usize, seed: u64) -> Vec<DVector<f64>> {
    let words: Matrix = ChaCha8Rng::seed_from_u64(seed).noise(d, n, 0.5);
    words.column_iter().map(|word| word.into_owned()).collect()
}

fn network() -> Recurrent {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    Recurrent { w: rng.noise(D, D, 0.5), u: rng.noise(D, D_INPUT, 0.5) }
}

fn memory() -> Gated {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let (u, f) = (rng.noise(D, D_INPUT, 0.5), rng.noise(D, D_INPUT, 0.5));
    Gated { u, f, bias: 1.0 }
}

/// Where two lists of vectors differ at all.
fn moved(a: &[DVector<f64>], b: &[DVector<f64>]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| a != b).collect()
}

#[test]
fn one_number_of_memory_can_be_followed_by_hand() {
    let network = Recurrent { w: dmatrix![0.5], u: dmatrix![2.0] };
    let states = network.states(&[dvector![0.4], dvector![-0.1]]);
    let first = 0.8f64.tanh();
    assert!((states[0][0] - first).abs() < 1e-15);
    assert!((states[1][0] - (0.5 * first - 0.2).tanh()).abs() < 1e-15);
}

#[test]
fn a_state_knows_its_own_word_and_those_before() {
    let mut inputs = words(N, D_INPUT, 3);
    let before = network().states(&inputs);
    let remembered = memory().memories(&inputs);
    inputs[2][1] += 0.1;
    let expected = [false, false, true, true, true, true];
    assert_eq!(moved(&before, &network().states(&inputs)), expected);
    assert_eq!(moved(&remembered, &memory().memories(&inputs)), expected);
}

#[test]
fn the_jacobian_is_what_a_small_nudge_does() {
    let (network, inputs) = (network(), words(N, D_INPUT, 4));
    let states = network.states(&inputs);
    let rest = |first: DVector<f64>| {
        inputs[1..].iter().fold(first, |h, x| network.step(&h, x))
    };
    let jacobian = network.jacobian(&states[1..]);
    for j in 0..D {
        let mut nudge = DVector::zeros(D);
        nudge[j] = 1e-6;
        let (more, less) = (&states[0] + &nudge, &states[0] - &nudge);
        let slope = (rest(more) - rest(less)) / 2e-6;
        assert!((jacobian.column(j) - slope).amax() < 1e-9);
    }
}

#[test]
fn no_step_passes_on_more_than_w_does() {
    let network = network();
    let states = network.states(&words(N, D_INPUT, 5));
    for h in &states {
        let step = network.jacobian(std::slice::from_ref(h));
        for (step, w) in step.row_iter().zip(network.w.row_iter()) {
            assert!(step.norm() < w.norm());
        }
    }
}

#[test]
fn sentences_side_by_side_keep_their_states() {
    let network = network();
    let sentences = [6, 7].map(|seed| words(N, D_INPUT, seed));
    let mut h = Matrix::zeros(D, 2);
    for t in 0..N {
        let x = sentences.each_ref().map(|sentence| sentence[t].clone());
        let x = Matrix::from_columns(&x);
        h = (&network.w * h + &network.u * x).map(f64::tanh);
    }
    for (h, sentence) in h.column_iter().zip(&sentences) {
        assert!((h - &network.states(sentence)[N - 1]).amax() < 1e-15);
    }
}

#[test]
fn a_gate_lets_through_a_part() {
    for x in words(N, D_INPUT, 8) {
        let gate = memory().gate(&(x * 5.0));
        assert!(gate.min() > 0.0 && gate.max() < 1.0);
    }
}

#[test]
fn an_open_gate_keeps_and_a_closed_one_replaces() {
    let inputs = words(N, D_INPUT, 9);
    let open = Gated { bias: 40.0, ..memory() }.memories(&inputs);
    assert!(open[N - 1].amax() < 1e-14);
    let closed = Gated { bias: -40.0, ..memory() }.memories(&inputs);
    let news = (&memory().u * &inputs[N - 1]).map(f64::tanh);
    assert!((&closed[N - 1] - news).amax() < 1e-14);
}

/// The first word writes something else, with the gate as it was: the
/// difference is all that later gates can act on.
#[test]
fn what_the_gates_keep_is_what_is_left_of_a_nudge() {
    let memory = Gated {
        u: dmatrix![0.3, 0.7, 0.1; -0.5, 0.2, 0.9],
        f: dmatrix![0.0, 0.4, -0.8; 0.0, 0.6, 0.3],
        bias: 1.0,
    };
    let mut inputs = words(N, 3, 10);
    let before = memory.memories(&inputs);
    inputs[0][0] += 0.5;
    let after = memory.memories(&inputs);
    let kept = memory.kept(&inputs[1..]);
    let nudge = &after[0] - &before[0];
    let arrived = &after[N - 1] - &before[N - 1];
    assert!(nudge.amin() > 0.01);
    assert!((kept.component_mul(&nudge) - arrived).amax() < 1e-15);
}

#[test]
fn the_ledgers_forget_paths_hold() {
    for (f, golden) in
        [(0.73, 1.4660305011932648e-07), (0.982, 0.4032500123367322)]
    {
        let bias = f64::ln(f / (1.0 - f));
        let deaf = Matrix::zeros(D, D_INPUT);
        let kept = Gated { f: deaf, bias, ..memory() };
        let kept = kept.kept(&words(50, D_INPUT, 11));
        assert!((kept / golden).add_scalar(-1.0).amax() < 1e-12);
    }
}

#[test]
fn an_additive_score_agrees_with_two_loops() {
    let rng = &mut ChaCha8Rng::seed_from_u64(12);
    let (d, d_q, d_k) = (5, 2, 3);
    let score = AdditiveScore {
        w_q: rng.noise(d, d_q, 1.0),
        w_k: rng.noise(d, d_k, 1.0),
        v: words(1, d, 13).remove(0),
    };
    let (q, k) = (words(1, d_q, 14).remove(0), words(1, d_k, 15).remove(0));
    let by_hand: f64 = (0..d)
        .map(|i| {
            let from_q: f64 =
                (0..d_q).map(|j| score.w_q[(i, j)] * q[j]).sum();
            let from_k: f64 =
                (0..d_k).map(|j| score.w_k[(i, j)] * k[j]).sum();
            score.v[i] * (from_q + from_k).tanh()
        })
        .sum();
    assert!((score.score(&q, &k) - by_hand).abs() < 1e-15);
}

#[test]
fn a_convolution_looks_back_as_far_as_its_kernel() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0];
    let kernel = [10.0, 1.0];
    assert_eq!(convolve(&x, &kernel, 1), [10.0, 21.0, 32.0, 43.0, 54.0]);
    assert_eq!(convolve(&x, &kernel, 3), [10.0, 20.0, 30.0, 41.0, 52.0]);
}

#[test]
fn a_kernel_of_one_sees_no_neighbour() {
    assert_eq!(convolve(&[1.0, 2.0, 3.0], &[4.0], 1), [4.0, 8.0, 12.0]);
}

/// Layers of ones, until the first word reaches the last.
fn layers_until_arrival(n: usize, k: usize, dilated: bool) -> usize {
    let mut x = vec![0.0; n];
    x[0] = 1.0;
    let mut step = 1;
    for layers in 1..=n {
        x = convolve(&x, &vec![1.0; k], step);
        if x[n - 1] > 0.0 {
            return layers;
        }
        step *= if dilated { k } else { 1 };
    }
    panic!("{n} layers and nothing arrives")
}

#[test]
fn the_path_through_convolutions_is_as_long_as_it_takes_to_arrive() {
    for n in 2..40 {
        for k in 2..6 {
            let path = Layer::Convolution(k).path(n);
            assert_eq!(path, layers_until_arrival(n, k, false), "{n} {k}");
            let path = Layer::Dilated(k).path(n);
            assert_eq!(path, layers_until_arrival(n, k, true), "{n} {k}");
        }
    }
}

/// A window is a neighbourhood to both sides, the last `r` words to one.
#[test]
fn restricted_attention_hands_on_word_by_word() {
    let (n, r) = (17, 4);
    let sees = Mask::window(n, r - 1).visible;
    let mut reached = 0;
    let mut layers = 0;
    while reached < n - 1 {
        reached = (0..n).rfind(|i| sees[*i].contains(&reached)).unwrap();
        layers += 1;
    }
    assert_eq!(Layer::Restricted(r).path(n), layers);
}

#[test]
fn the_ledgers_paths_hold() {
    for (n, golden) in
        [(10, [9, 5, 3, 1]), (100, [99, 50, 5, 1]), (1000, [999, 500, 7, 1])]
    {
        let layers = [
            Layer::Recurrent,
            Layer::Convolution(3),
            Layer::Dilated(3),
            Layer::Attention,
        ];
        assert_eq!(layers.map(|layer| layer.path(n)), golden);
    }
}

#[test]
fn the_ledgers_costs_hold() {
    for (n, attention, recurrent, convolution) in [
        (30, 460_800, 7_864_320, 23_592_960),
        (512, 134_217_728, 134_217_728, 402_653_184),
        (2048, 2_147_483_648, 536_870_912, 1_610_612_736),
    ] {
        assert_eq!(Layer::Attention.cost(n, 512), attention);
        assert_eq!(Layer::Recurrent.cost(n, 512), recurrent);
        assert_eq!(Layer::Convolution(3).cost(n, 512), convolution);
        assert_eq!(Layer::Dilated(3).cost(n, 512), convolution);
        assert_eq!(Layer::Restricted(7).cost(n, 512), 7 * n * 512);
    }
}

#[test]
fn attention_is_cheaper_than_recurrence_while_n_is_less_than_d() {
    let (n, d) = (11, 13);
    assert!(Layer::Attention.cost(n, d) < Layer::Recurrent.cost(n, d));
    assert!(Layer::Attention.cost(d, n) > Layer::Recurrent.cost(d, n));
}

#[test]
fn counted_to_the_end_attention_is_2n2d_and_4nd2() {
    let d = 24;
    for n in [5, 2 * d] {
        let mut bill = Bill::default();
        let heads: MultiHead<Shape> = MultiHead::new(4, d, (6, 6), &mut bill);
        let x = bill.shape(n, d);
        heads.forward(&x, &x, &Mask::none(n, n));
        let counted = bill.cost().multiply_adds as usize;
        assert_eq!(counted, 2 * n * n * d + 4 * n * d * d);
        let lstm = 8 * n * d * d;
        assert_eq!(counted == lstm, n == 2 * d);
    }
}

#[test]
fn only_recurrence_waits() {
    let others = [
        Layer::Convolution(3),
        Layer::Dilated(3),
        Layer::Attention,
        Layer::Restricted(3),
    ];
    assert_eq!(Layer::Recurrent.rounds(7), 7);
    assert_eq!(others.map(|layer| layer.rounds(7)), [1; 4]);
}

#[test]
#[should_panic(expected = "a layer one word wide leads to no other word")]
fn a_kernel_of_one_has_no_path() {
    Layer::Dilated(1).path(5);
}
