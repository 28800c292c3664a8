use all_you_need::recurrence::{AdditiveScore, Gated, Recurrent, Row};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::largest;

/// Sizes that all differ, so that no two roles can be swapped unseen.
const D: usize = 3;
const D_INPUT: usize = 4;
const N: usize = 6;

fn words(n: usize, d: usize, seed: u64) -> Vec<Row> {
    let words: Matrix = ChaCha8Rng::seed_from_u64(seed).uniform(n, d, 0.5);
    words.row_iter().map(|word| word.into_owned()).collect()
}

fn network() -> Recurrent {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    Recurrent { w: rng.uniform(D, D, 0.5), u: rng.uniform(D_INPUT, D, 0.5) }
}

fn memory() -> Gated {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let (u, f) = (rng.uniform(D_INPUT, D, 0.5), rng.uniform(D_INPUT, D, 0.5));
    Gated { u, f, bias: 1.0 }
}

fn number(x: f64) -> Row {
    Row::from_element(1, x)
}

/// Where two lists of vectors differ at all.
fn moved(a: &[Row], b: &[Row]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| a != b).collect()
}

#[test]
fn one_number_of_memory_can_be_followed_by_hand() {
    let network = Recurrent { w: dmatrix![0.5], u: dmatrix![2.0] };
    let states = network.states(&[0.4, -0.1].map(number));
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
    let rest = |first: Row| {
        inputs[1..].iter().fold(first, |h, x| network.step(&h, x))
    };
    let jacobian = network.jacobian(&states[1..]);
    for i in 0..D {
        let mut nudge = Row::zeros(D);
        nudge[i] = 1e-6;
        let (more, less) = (&states[0] + &nudge, &states[0] - &nudge);
        let slope = (rest(more) - rest(less)) / 2e-6;
        assert!(largest(&(jacobian.row(i) - slope)) < 1e-9);
    }
}

#[test]
fn no_step_passes_on_more_than_w_does() {
    let network = network();
    let states = network.states(&words(N, D_INPUT, 5));
    for h in &states {
        let step = network.jacobian(std::slice::from_ref(h));
        for (step, w) in step.column_iter().zip(network.w.column_iter()) {
            assert!(step.norm() < w.norm());
        }
    }
}

#[test]
fn sentences_side_by_side_keep_their_states() {
    let network = network();
    let sentences = [6, 7].map(|seed| words(N, D_INPUT, seed));
    let mut h = Matrix::zeros(2, D);
    for t in 0..N {
        let x = sentences.each_ref().map(|sentence| sentence[t].clone());
        let x = Matrix::from_rows(&x);
        h = (h * &network.w + x * &network.u).map(f64::tanh);
    }
    for (h, sentence) in h.row_iter().zip(&sentences) {
        assert!(largest(&(h - &network.states(sentence)[N - 1])) < 1e-15);
    }
}

#[test]
fn a_gate_lets_through_a_part() {
    for x in words(N, D_INPUT, 8) {
        let gate = memory().gate(&(x * 5.0));
        assert!(gate.iter().all(|&part| 0.0 < part && part < 1.0));
    }
}

/// σ(x F + b), which is above one half where x F + b is above 0.
#[test]
fn a_gate_is_the_sigmoid_of_what_it_reads() {
    let memory = Gated { u: dmatrix![1.0], f: dmatrix![2.0], bias: 0.5 };
    for x in [-3.0f64, -0.25, 0.0, 2.0] {
        let expected = 1.0 / (1.0 + (-(2.0 * x + 0.5)).exp());
        let found = memory.gate(&number(x))[0];
        assert!((found - expected).abs() < 1e-15, "{x}: {found}");
    }
}

#[test]
fn an_open_gate_keeps_and_a_closed_one_replaces() {
    let inputs = words(N, D_INPUT, 9);
    let open = Gated { bias: 40.0, ..memory() }.memories(&inputs);
    assert!(largest(&open[N - 1]) < 1e-14);
    let closed = Gated { bias: -40.0, ..memory() }.memories(&inputs);
    let news = (&inputs[N - 1] * memory().u).map(f64::tanh);
    assert!(largest(&(&closed[N - 1] - news)) < 1e-14);
}

/// The first word writes something else, with the gate as it was: the
/// difference is all that later gates can act on.
#[test]
fn what_the_gates_keep_is_what_is_left_of_a_nudge() {
    let memory = Gated {
        u: dmatrix![0.3, -0.5; 0.7, 0.2; 0.1, 0.9],
        f: dmatrix![0.0, 0.0; 0.4, 0.6; -0.8, 0.3],
        bias: 1.0,
    };
    let mut inputs = words(N, 3, 10);
    let before = memory.memories(&inputs);
    inputs[0][0] += 0.5;
    let after = memory.memories(&inputs);
    let kept = memory.gate_product(&inputs[1..]);
    let nudge = &after[0] - &before[0];
    let arrived = &after[N - 1] - &before[N - 1];
    assert!(nudge.iter().all(|number| number.abs() > 0.01));
    assert!(largest(&(kept.component_mul(&nudge) - arrived)) < 1e-15);
}

#[test]
fn the_ledgers_forget_paths_hold() {
    for (f, golden) in
        [(0.73, 1.4660305011932648e-07), (0.982, 0.4032500123367322)]
    {
        let bias = f64::ln(f / (1.0 - f));
        let deaf = Matrix::zeros(D_INPUT, D);
        let kept = Gated { f: deaf, bias, ..memory() };
        let kept = kept.gate_product(&words(50, D_INPUT, 11));
        assert!(largest(&(kept / golden).add_scalar(-1.0)) < 1e-12);
    }
}

#[test]
fn an_additive_score_agrees_with_two_loops() {
    let rng = &mut ChaCha8Rng::seed_from_u64(12);
    let (d, d_q, d_k) = (5, 2, 3);
    let score = AdditiveScore {
        w_q: rng.uniform(d_q, d, 1.0),
        w_k: rng.uniform(d_k, d, 1.0),
        v: words(1, d, 13).remove(0),
    };
    let (q, k) = (words(1, d_q, 14).remove(0), words(1, d_k, 15).remove(0));
    let by_hand: f64 = (0..d)
        .map(|i| {
            let from_q: f64 =
                (0..d_q).map(|j| q[j] * score.w_q[(j, i)]).sum();
            let from_k: f64 =
                (0..d_k).map(|j| k[j] * score.w_k[(j, i)]).sum();
            (from_q + from_k).tanh() * score.v[i]
        })
        .sum();
    assert!((score.score(&q, &k) - by_hand).abs() < 1e-15);
}
