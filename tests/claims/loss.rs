use all_you_need::attention::{Mask, Softmax};
use all_you_need::costs::Bill;
use all_you_need::encoder::Config;
use all_you_need::gradient::Tape;
use all_you_need::loss::{
    CrossEntropy, TiedCrossEntropy, log_sum_exp, perplexity, shift_right,
    smoothed,
};
use all_you_need::parameters::Parameters;
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::{close, noise, row, small};
use crate::gradient::check_loss;

/// Three rows of scores for five words, and the words that came.
const N: usize = 3;
const V: usize = 5;
const TARGETS: [Token; N] = [4, 0, 4];

/// The formula once more, in loops, and without taking anything off.
fn by_hand(scores: &Matrix, targets: &[Token], smoothing: f64) -> f64 {
    let (n, v) = scores.shape();
    let mut sum = 0.0;
    for i in 0..n {
        let total: f64 = (0..v).map(|j| scores[(i, j)].exp()).sum();
        for j in 0..v {
            let hit =
                if targets[i] as usize == j { 1.0 - smoothing } else { 0.0 };
            let q = hit + smoothing / v as f64;
            sum -= q * (scores[(i, j)].exp() / total).ln();
        }
    }
    sum / n as f64
}

#[test]
fn cross_entropy_agrees_with_three_loops() {
    let scores = noise(N, V, 1);
    for smoothing in [0.0, 0.1, 1.0] {
        let loss = scores.cross_entropy(&TARGETS, smoothing);
        assert_eq!(loss.shape(), (1, 1));
        let expected = by_hand(&scores, &TARGETS, smoothing);
        assert!((loss[0] - expected).abs() < 1e-14);
    }
}

#[test]
fn who_knows_nothing_pays_ln_v_and_has_the_perplexity_v() {
    let nats = Matrix::<f64>::zeros(2, 37).cross_entropy(&[5, 36], 0.1)[0];
    assert!((nats - 37f64.ln()).abs() < 1e-13);
    assert!((perplexity(nats) - 37.0).abs() < 1e-11);
}

#[test]
fn the_loss_is_the_mean_of_what_each_row_costs() {
    let scores = noise(N, V, 2);
    let alone = |i: usize| {
        let row: Matrix = scores.rows(i, 1).into();
        row.cross_entropy(&[TARGETS[i]], 0.1)[0]
    };
    let mean = (0..N).map(alone).sum::<f64>() / N as f64;
    assert!((scores.cross_entropy(&TARGETS, 0.1)[0] - mean).abs() < 1e-14);
}

#[test]
fn adding_the_same_to_all_scores_of_a_row_changes_nothing() {
    let scores = noise(N, V, 3);
    let moved = scores.add_scalar(1e3).cross_entropy(&TARGETS, 0.1);
    close(&moved, &scores.cross_entropy(&TARGETS, 0.1), 1e-11);
}

#[test]
fn scores_too_far_apart_for_an_exponential_still_cost_a_finite_number() {
    let nats = dmatrix![-1e4, 1e4].cross_entropy(&[0], 0.0)[0];
    assert_eq!(nats, 2e4);
    let nats = dmatrix![-1e4f32, 1e4].cross_entropy(&[1], 0.0)[0];
    assert_eq!(nats, 0.0);
}

#[test]
fn single_and_double_precision_agree() {
    let scores = noise(N, V, 4);
    let single: Matrix<f32> = scores.map(|x| x as f32);
    let double = scores.cross_entropy(&TARGETS, 0.1)[0];
    let single = single.cross_entropy(&TARGETS, 0.1)[0];
    assert!((f64::from(single) - double).abs() < 1e-6);
}

#[test]
fn a_smoothed_target_is_a_probability_and_highest_at_the_target() {
    let q: Matrix = smoothed(&[2, 0], V, 0.1);
    close(&q.rows(0, 1).into(), &row(&[0.02, 0.02, 0.92, 0.02, 0.02]), 1e-15);
    close(&row(q.column_sum().as_slice()), &row(&[1.0; 2]), 1e-15);
    assert_eq!(q.row(1).transpose().argmax().0, 0);
    let hard: Matrix = smoothed(&[2], V, 0.0);
    assert_eq!(hard, row(&[0.0, 0.0, 1.0, 0.0, 0.0]));
}

/// The ledger's floors.
#[test]
fn a_smoothed_target_costs_at_least_its_own_entropy() {
    for (v, floor) in [(5, 0.3896729206581786), (37_000, 1.3769132225560563)]
    {
        let best = smoothed::<f64>(&[2], v, 0.1).map(f64::ln);
        let nats = best.cross_entropy(&[2], 0.1)[0];
        assert!((nats - floor).abs() < 1e-12, "{nats}");
        let other = &best + noise(1, v, 5);
        assert!(other.cross_entropy(&[2], 0.1)[0] > floor);
    }
}

#[test]
fn the_gradient_is_p_minus_q_over_the_rows() {
    let scores = noise(N, V, 6);
    let tape = Tape::default();
    let x = tape.variable(scores.clone());
    let loss = x.cross_entropy(&TARGETS, 0.1);
    close(loss.value(), &scores.cross_entropy(&TARGETS, 0.1), 0.0);
    let p = scores.softmax(&Mask::none(N, V));
    let q: Matrix = smoothed(&TARGETS, V, 0.1);
    let gradient = tape.gradients(&loss.scale(3.0)).of(&x);
    close(&gradient, &((p - q) * (3.0 / N as f64)), 1e-15);
}

#[test]
fn cross_entropy_agrees_with_finite_differences() {
    check_loss(&[&noise(N, V, 7)], |x| x[0].cross_entropy(&TARGETS, 0.0));
    check_loss(&[&noise(N, V, 7)], |x| x[0].cross_entropy(&TARGETS, 0.1));
    check_loss(&[&noise(N, 4, 8), &noise(V, 4, 9)], |x| {
        x[0].tied_cross_entropy(&x[1], &TARGETS, 0.1)
    });
}

#[test]
fn the_loss_of_the_whole_model_agrees_with_finite_differences() {
    let model = small();
    let leaves: Vec<_> = model.leaves().into_iter().map(|l| l.1).collect();
    check_loss(&leaves, |leaves| {
        let mut next = leaves.iter();
        let model = model.map("", &mut |_, _| next.next().unwrap().clone());
        let sources = [vec![1, 2, 3], vec![4]];
        model.loss(&sources, &[vec![5, 0, 6], vec![5, 2, 1, 6]], 0.1)
    });
}

#[test]
fn a_row_is_fed_the_token_before_the_one_it_is_asked_for() {
    let (fed, asked) = shift_right(&[8, 3, 1, 4, 9]);
    assert_eq!(fed, [8, 3, 1, 4]);
    assert_eq!(asked, [3, 1, 4, 9]);
    assert_eq!(shift_right(&[8, 9]), (&[8][..], &[9][..]));
}

#[test]
#[should_panic(expected = "a target of 1 tokens, and not from bos to eos")]
fn a_target_without_an_end_is_refused() {
    shift_right(&[8]);
}

#[test]
fn the_loss_of_a_batch_counts_all_tokens_alike() {
    let model = small();
    let (sources, targets) =
        ([vec![1, 2, 3], vec![4]], [vec![5, 0, 6], vec![5, 2, 1, 3, 3, 6]]);
    let alone = |i: usize| {
        let (source, target) = (&sources[i..=i], &targets[i..=i]);
        let answers = targets[i].len() as f64 - 1.0;
        answers * model.loss(source, target, 0.1)[0]
    };
    let both = model.loss(&sources, &targets, 0.1)[0];
    assert!((both - (alone(0) + alone(1)) / 7.0).abs() < 1e-14);
}

/// P(y) is the product of what the model gives to each token and to the end.
#[test]
fn the_loss_of_a_sentence_is_minus_ln_of_its_probability_over_its_length() {
    let model = small();
    let p = model.forward(&[[1, 2, 3]], &[[5, 4, 0]]);
    let p = p.softmax(&Mask::none(3, 7));
    let product = p[(0, 4)] * p[(1, 0)] * p[(2, 6)];
    let loss = model.loss(&[&[1, 2, 3][..]], &[&[5, 4, 0, 6]], 0.0)[0];
    assert!((loss + product.ln() / 3.0).abs() < 1e-14);
}

#[test]
fn an_untrained_model_pays_about_half_a_nat_more_than_guessing() {
    let config = Config {
        vocabulary: 502,
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    let sentence = |i: Token| -> Vec<Token> {
        (0..9).map(|j| (53 * i + 31 * j) % 500).collect()
    };
    let sources: Vec<Vec<Token>> = (0..20).map(sentence).collect();
    let target = |i| [vec![500], sentence(i), vec![501]].concat();
    let targets: Vec<Vec<Token>> = (20..40).map(target).collect();
    let loss = model.loss(&sources, &targets, 0.0)[0];
    let excess = loss - 502f64.ln();
    assert!((0.3..0.9).contains(&excess), "{excess}");
}

#[test]
fn exponentials_of_log_probabilities_sum_to_one() {
    let scores = [0.3f64, -2.0, 1.5, 0.0];
    let total = log_sum_exp(&scores);
    let sum: f64 = scores.iter().map(|score| (score - total).exp()).sum();
    assert!((sum - 1.0).abs() < 1e-15);
    assert!((log_sum_exp(&[7.0f32; 4]) - (7.0 + 4f32.ln())).abs() < 1e-6);
}

#[test]
fn scores_of_any_size_have_log_probabilities() {
    assert_eq!(log_sum_exp(&[1e4, -1e4]), 1e4);
    assert_eq!(log_sum_exp(&[-1e4, -1e5]), -1e4);
    assert_eq!(log_sum_exp(&[2.0, f64::NEG_INFINITY]), 2.0);
}

#[test]
fn a_table_may_come_along_instead_of_the_scores() {
    let (z, table) = (noise(N, 4, 8), noise(V, 4, 9));
    let scores = z.matmul_t(&table);
    close(
        &z.tied_cross_entropy(&table, &TARGETS, 0.1),
        &scores.cross_entropy(&TARGETS, 0.1),
        0.0,
    );
}

#[test]
#[should_panic(expected = "cross_entropy: 3 rows of scores for 2 targets")]
fn rows_without_a_target_are_refused() {
    let _ = noise(N, V, 1).cross_entropy(&[0, 1], 0.1);
}

#[test]
#[should_panic(expected = "cross_entropy: no token 5 among 5")]
fn a_target_that_is_no_token_is_refused() {
    let _ = noise(N, V, 1).cross_entropy(&[0, 5, 1], 0.1);
}

#[test]
#[should_panic(expected = "cross_entropy: no rows, no mean")]
fn a_loss_of_nothing_is_refused() {
    let _ = Matrix::<f64>::zeros(0, V).cross_entropy(&[], 0.1);
}

#[test]
#[should_panic(expected = "a smoothing of 10 is not from 0 to 1")]
fn a_smoothing_in_percent_is_refused() {
    let _ = Bill::default().shape(N, V).cross_entropy(&TARGETS, 10.0);
}

/// Neither version panics, nor gives a number, wherever the NaN is.
#[test]
fn a_nan_among_the_scores_makes_the_loss_nan() {
    let scores = noise(N, V, 11);
    for place in 0..N * V {
        let mut broken = scores.clone();
        broken[place] = f64::NAN;
        for smoothing in [0.0, 0.1] {
            let tape = Tape::default();
            let x = tape.variable(broken.clone());
            let loss = x.cross_entropy(&TARGETS, smoothing);
            assert!(broken.cross_entropy(&TARGETS, smoothing)[0].is_nan());
            assert!(loss.value()[0].is_nan());
            assert!(tape.gradients(&loss).of(&x)[place].is_nan());
        }
    }
}

#[test]
fn a_nan_in_a_row_or_in_the_table_makes_the_tied_loss_nan() {
    let (rows, table) = (noise(N, 4, 12), noise(V, 4, 13));
    let single = |m: &Matrix| m.map(|x| x as f32);
    for place in 0..4 * (N + V) {
        let (mut rows, mut table) = (rows.clone(), table.clone());
        match place.checked_sub(4 * N) {
            None => rows[place] = f64::NAN,
            Some(place) => table[place] = f64::NAN,
        }
        for smoothing in [0.0, 0.1] {
            let loss = rows.tied_cross_entropy(&table, &TARGETS, smoothing);
            assert!(loss[0].is_nan(), "{place}");
            let (rows, table) = (single(&rows), single(&table));
            let loss = rows.tied_cross_entropy(&table, &TARGETS, smoothing);
            assert!(loss[0].is_nan(), "{place}");
        }
        let tape = Tape::default();
        let [rows, table] = [rows, table].map(|x| tape.variable(x));
        let loss = rows.tied_cross_entropy(&table, &TARGETS, 0.1);
        let gradients = tape.gradients(&loss);
        assert!(loss.value()[0].is_nan(), "{place}");
        assert!(gradients.of(&rows).iter().any(|g| g.is_nan()));
        assert!(gradients.of(&table).iter().any(|g| g.is_nan()));
    }
}

#[test]
fn a_nan_among_the_scores_makes_their_log_sum_exp_nan() {
    for place in 0..20 {
        let mut scores = [0.5f64; 20];
        scores[place] = f64::NAN;
        assert!(log_sum_exp(&scores).is_nan());
        assert!(log_sum_exp(&scores.map(|x| x as f32)).is_nan());
    }
    assert!(log_sum_exp(&[f64::NEG_INFINITY; 2]).is_nan());
    assert!(log_sum_exp(&[0.0, f64::INFINITY]).is_nan());
}

#[test]
#[should_panic(expected = "a vocabulary has at least one token")]
fn a_sum_over_no_scores_is_refused() {
    log_sum_exp::<f64>(&[]);
}

/// What is impossible and not asked for costs nothing.
#[test]
fn a_logit_of_minus_infinity_is_a_probability_of_0() {
    let logits = dmatrix![1.0, f64::NEG_INFINITY, 2.0];
    let loss = logits.cross_entropy(&[0], 0.0)[0];
    assert!((loss - (1.0 + 1f64.exp()).ln()).abs() < 1e-15);
    assert_eq!(logits.cross_entropy(&[1], 0.0)[0], f64::INFINITY);
    assert_eq!(logits.cross_entropy(&[0], 0.1)[0], f64::INFINITY);
    // The tied loss, from a table with a row that no other can be near.
    let table = dmatrix![1.0; f64::NEG_INFINITY; 2.0];
    let tied = dmatrix![1.0].tied_cross_entropy(&table, &[0], 0.0)[0];
    assert!((tied - loss).abs() < 1e-15);
    let (value, gradient) = {
        let tape = Tape::default();
        let x = tape.variable(logits.clone());
        let loss = x.cross_entropy(&[0], 0.0);
        (loss.value()[0], tape.gradients(&loss).of(&x))
    };
    assert!((value - loss).abs() < 1e-15);
    assert_eq!(gradient[1], 0.0);
    assert!((gradient[0] + gradient[2]).abs() < 1e-15);
}
