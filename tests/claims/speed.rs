use all_you_need::attention::Mask;
use all_you_need::gradient::{Gradients, Tape, Variable};
use all_you_need::heads::{Heads, attend_by_head};
use all_you_need::loss::{CrossEntropy, TiedCrossEntropy};
use all_you_need::speed::ROWS;
use all_you_need::tensor::{Float, Matrix, Tensor};
use all_you_need::tokens::Token;
use proptest::prelude::any;
use proptest::sample::Index;
use proptest::strategy::Strategy;

use crate::golden::{close, noise};
use crate::mask::any_mask;
use crate::property::for_any;

/// Queries, keys and values for so many heads under a mask.
type Inputs = ([Matrix; 3], usize, Mask);

/// Inputs of any size under any mask.
fn any_inputs() -> impl Strategy<Value = Inputs> {
    let sizes = (any_mask(), 1..4usize, 1..6usize, 1..6usize);
    sizes.prop_map(|(mask, heads, d_k, d_v)| {
        let inputs = [
            noise(mask.queries(), heads * d_k, 1),
            noise(mask.keys(), heads * d_k, 2),
            noise(mask.keys(), heads * d_v, 3),
        ];
        (inputs, heads, mask)
    })
}

/// The loss Σ c ⊙ y, with numbers c of its own for every cell.
fn weighed(y: &Variable<f64>) -> Variable<f64> {
    let (rows, cols) = y.shape();
    let left = y.constant(&noise(1, rows, 91));
    let right = y.constant(&noise(cols, 1, 92));
    left.matmul(y).matmul(&right)
}

#[test]
fn attention_in_blocks_is_attention() {
    for_any(64, any_inputs(), |([q, k, v], heads, mask)| {
        let blocks = Matrix::attend_heads(&q, &k, &v, heads, &mask);
        close(&blocks, &attend_by_head(&q, &k, &v, heads, &mask), 1e-13);
    });
}

#[test]
fn its_way_back_is_the_formula_s() {
    type Y = Variable<f64>;
    type Way = fn(&Y, &Y, &Y, usize, &Mask) -> Y;
    let ways: [Way; 2] = [Variable::attend_heads, attend_by_head];
    for_any(64, any_inputs(), |(inputs, heads, mask)| {
        let [fast, formula] = ways.map(|way| {
            let tape = Tape::default();
            let x = inputs.clone().map(|x| tape.variable(x));
            let y = way(&x[0], &x[1], &x[2], heads, &mask);
            let gradients = tape.gradients(&weighed(&y));
            x.map(|x| gradients.of(&x))
        });
        for (fast, formula) in fast.iter().zip(&formula) {
            close(fast, formula, 1e-12);
        }
    });
}

#[test]
#[should_panic(expected = "softmax: scores 9×11 under a mask 9×12")]
fn blocks_want_the_sizes_that_the_formula_wants() {
    let (q, k) = (noise(9, 12, 1), noise(11, 12, 2));
    let _ = Matrix::attend_heads(&q, &k, &k, 3, &Mask::none(9, 12));
}

/// With more rows than one block has, and fewer, and a last block that is
/// not full.
#[test]
fn the_loss_in_blocks_is_the_loss() {
    for rows in [1, ROWS, ROWS + 1, 2 * ROWS + 88] {
        let (z, table) = (noise(rows, 6, 4), noise(13, 6, 5));
        let targets: Vec<Token> =
            (0..rows as Token).map(|i| i * 7 % 13).collect();
        let formula = z.matmul_t(&table).cross_entropy(&targets, 0.1);
        let blocks = z.tied_cross_entropy(&table, &targets, 0.1);
        close(&blocks, &formula, 1e-12);
        let gradients =
            |loss: &dyn Fn(&Variable<f64>, &Variable<f64>) -> _| {
                let tape = Tape::default();
                let x = [&z, &table].map(|x| tape.variable(x.clone()));
                let loss: Variable<f64> = loss(&x[0], &x[1]);
                // Twice the loss, so that its own gradient is not 1.
                let gradients: Gradients<f64> =
                    tape.gradients(&loss.scale(2.0));
                x.map(|x| gradients.of(&x))
            };
        let fast = gradients(&|z, e| z.tied_cross_entropy(e, &targets, 0.1));
        let formula =
            gradients(&|z, e| z.matmul_t(e).cross_entropy(&targets, 0.1));
        for (fast, formula) in fast.iter().zip(&formula) {
            close(fast, formula, 1e-12);
        }
    }
}

/// A NaN in a query, a key or a value is in every row that meets it.
#[test]
fn a_nan_passes_through_attention_in_blocks() {
    let place = (0..3usize, any::<Index>());
    for_any(64, (any_inputs(), place), |((mut inputs, heads, mask), at)| {
        let (i, rows) = (at.0, inputs[at.0].nrows());
        if rows == 0 {
            return;
        }
        let broken = at.1.index(rows);
        inputs[i][broken] = f64::NAN;
        let [q, k, v] = inputs;
        let found = Matrix::attend_heads(&q, &k, &v, heads, &mask);
        for (row, seen) in mask.visible().iter().enumerate() {
            let asks = i == 0 && row == broken && !seen.is_empty();
            if asks || i > 0 && seen.contains(&broken) {
                assert!(found.row(row).iter().any(|x| x.is_nan()));
            }
        }
    });
}

#[test]
fn the_quick_exponential_is_right_to_the_seventh_digit() {
    for x in [0.0f32, -1e-3, -0.3, -0.35, -1.0, 1.0, -20.5, 60.0, -39.9] {
        let mut power = [x];
        f32::exp_all(&mut power);
        let exact = f64::from(x).exp();
        let off = (f64::from(power[0]) - exact).abs() / exact;
        assert!(off < 3e-7, "e^{x} is off by {off}");
    }
    let mut far = [f32::NEG_INFINITY, -1e9, -40.0, f32::NAN];
    f32::exp_all(&mut far);
    assert!(far[..3] == [0.0; 3] && far[3].is_nan());
}

/// Heads that are very sure, and a small gradient from above: a weight of
/// e⁻⁸⁷ would come back with one that an `f32` holds only in part.
#[test]
fn no_gradient_is_too_small_for_its_digits() {
    let mask = Mask::none(7, 9);
    let large = |rows, seed| noise(rows, 12, seed).map(|x| 9.0 * x as f32);
    let tape = Tape::default();
    let inputs = [large(7, 11), large(9, 12), large(9, 13)];
    let x = inputs.map(|x| tape.variable(x));
    let y = Variable::attend_heads(&x[0], &x[1], &x[2], 3, &mask).scale(1e-9);
    let ones = |rows, cols| y.constant(&Matrix::repeat(rows, cols, 1.0));
    let loss = ones(1, 7).matmul(&y).matmul(&ones(12, 1));
    let gradients = tape.gradients(&loss);
    for x in x {
        let gradient = gradients.of(&x);
        assert!(!gradient.iter().any(|g: &f32| g.is_subnormal()));
        assert!(gradient.iter().any(|&g| g != 0.0));
    }
}
