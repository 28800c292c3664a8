use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::{Gradients, Tape, Variable};
use all_you_need::heads::{Heads, attend_by_head};
use all_you_need::loss::{CrossEntropy, TiedCrossEntropy};
use all_you_need::search::CacheOps;
use all_you_need::speed::ROWS;
use all_you_need::tensor::{Float, Init, Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::training::{Example, Recipe, Training};
use proptest::prelude::any;
use proptest::sample::Index;
use proptest::strategy::Strategy;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rayon::ThreadPoolBuilder;

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

/// What attention in blocks says of these inputs, there and back, and what
/// the formula says.
fn both_ways((inputs, heads, mask): Inputs) -> [[Matrix; 4]; 2] {
    type Y = Variable<f64>;
    type Way = fn(&Y, &Y, &Y, usize, &Mask) -> Y;
    let ways: [Way; 2] = [Variable::attend_heads, attend_by_head];
    ways.map(|way| {
        let tape = Tape::default();
        let x = inputs.clone().map(|x| tape.variable(x));
        let y = way(&x[0], &x[1], &x[2], heads, &mask);
        let gradients = tape.gradients(&weighed(&y));
        let [q, k, v] = x.map(|x| gradients.of(&x));
        [y.value().clone(), q, k, v]
    })
}

/// So many rows in a block are not multiplied by the same lines as few, and
/// so many numbers are shared by threads, one for each head.
#[test]
fn large_blocks_are_attention_too() {
    let lengths = [70, 260, 65, 130];
    let packed = Mask::packed(&lengths, &lengths);
    let n = packed.queries();
    let inputs = [1, 2, 3].map(|seed| noise(n, 128, seed));
    for mask in [packed.and(&Mask::causal(n)), packed] {
        let [fast, formula] = both_ways((inputs.clone(), 4, mask));
        for (fast, formula) in fast.iter().zip(&formula) {
            close(fast, formula, 1e-10);
        }
    }
}

#[test]
fn threads_change_no_bit_of_an_update() {
    let config = Config { vocabulary: 1000, d_model: 64, ..Config::toy() };
    let recipe = Recipe { parts: 1, dropout: 0.1, ..Recipe::toy() };
    let word = |i: usize, j: usize| ((7 * i + 31 * j) % 1000) as Token;
    let example = |i| Example {
        source: (0..20).map(|j| word(i, j)).collect(),
        target: (0..21).map(|j| word(j, i)).collect(),
    };
    let batch: Vec<Example> = (0..20).map(example).collect();
    let learned = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let mut training = Training::<f32>::new(&config, recipe.clone());
            let losses =
                [(); 2].map(|()| training.update(&batch).unwrap().to_bits());
            (
                losses,
                training.model.decoder.layers[0].self_attention.w_q.clone(),
            )
        })
    };
    let alone = learned(1);
    assert!([2, 3, 5].into_iter().all(|threads| learned(threads) == alone));
}

#[test]
fn its_way_back_is_the_formula_s() {
    for_any(64, any_inputs(), |inputs| {
        let [fast, formula] = both_ways(inputs);
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

/// Without a check the last row of keys would belong to no head.
#[test]
#[should_panic(expected = "chunk: 4 columns do not make 3 equal chunks")]
fn a_cache_wants_the_sizes_that_the_formula_wants() {
    let (q, keys) = (noise(1, 4, 1), noise(4, 5, 2));
    let _ = Matrix::attend_columns(&q, &keys, &keys, 3, &[vec![0, 4]]);
}

/// Products around the size from which they are shared, cut along their rows
/// and along their columns. A pool of one thread shares nothing.
#[test]
fn threads_change_no_bit_of_a_product() {
    let alone = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (n, k, m) in [
        (160, 160, 160),
        (162, 163, 164),
        (301, 200, 103),
        (103, 200, 301),
        (17, 5000, 65),
        (65, 5000, 17),
        (20, 20_000, 20),
    ] {
        let rng = &mut ChaCha8Rng::seed_from_u64(n as u64);
        let a: Matrix<f32> = rng.uniform(n, k, 1.0);
        let b: Matrix<f32> = rng.uniform(k, m, 1.0);
        let product = alone.install(|| a.matmul(&b));
        assert_eq!(a.matmul(&b), product, "{n}×{k}×{m}");
    }
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

/// Rows that are shorter than a block, as long, and longer by some numbers.
#[test]
fn dot_products_of_some_rows_with_two_are_dot_products() {
    for n in [0, 1, 7, 8, 33, 128] {
        let row = |seed| -> Vec<f32> {
            noise(1, n, seed).iter().map(|&x| x as f32).collect()
        };
        let (rows, others) = ([1, 2, 3].map(row), [4, 5].map(row));
        let found = f32::dots(
            rows.each_ref().map(|row| &row[..]),
            others.each_ref().map(|row| &row[..]),
        );
        for (dots, row) in found.iter().zip(&rows) {
            for (&dot, other) in dots.iter().zip(&others) {
                let exact = row.iter().zip(other);
                let exact = exact.map(|(&a, &b)| f64::from(a) * f64::from(b));
                let exact: f64 = exact.sum();
                assert!((f64::from(dot) - exact).abs() < 1e-5, "{n} numbers");
            }
        }
    }
}

#[test]
fn products_with_few_rows_are_the_same_in_both_kinds_of_numbers() {
    for (n, k, m) in [(1, 7, 3), (5, 42, 300), (11, 128, 270)] {
        let (a, b) = (noise(n, k, 1), noise(k, m, 2));
        let exact = &a * &b;
        let [a, b]: [Matrix<f32>; 2] = [a, b].map(|x| x.map(|x| x as f32));
        let near = |found: Matrix<f32>| {
            close(&found.map(f64::from), &exact, 1e-4);
        };
        near(a.matmul(&b));
        near(a.matmul_t(&Tensor::transpose(&b)));
    }
}
