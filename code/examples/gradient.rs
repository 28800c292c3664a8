//! Back along the tape: `cargo run --example gradient`

use all_you_need::attention::{Mask, Softmax, attention, weights};
use all_you_need::costs::Bill;
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::layers::{LayerOps, Rowwise};
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::words;
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use plot::{Diagram, HeatMaps, Hue, Panel, Side};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    by_hand();
    three_readings();
    whole_model();
    influence();
    wrong_turns();
}

/// (relu(2w))², nudged and differentiated.
fn by_hand() {
    let tape = Tape::default();
    let w = tape.variable(dmatrix![3.0]);
    let a = w.scale(2.0);
    let b = a.relu();
    let loss = b.matmul(&b);
    let values = [&w, &a, &b, &loss].map(|x| x.value()[0]);
    let gradients = tape.gradients(&loss);
    let slopes = [&w, &a, &b, &loss].map(|x| gradients.of(x)[0]);
    println!("== By hand");
    println!("               w    a = 2w    b = max(0, a)    loss = b²");
    let [w, a, b, loss] = values;
    println!("value       {w:4} {a:9} {b:16} {loss:12}");
    let [w, a, b, loss] = slopes;
    println!("∂loss/∂     {w:4} {a:9} {b:16} {loss:12}");
    let nudged = |w: f64| (2.0 * w).max(0.0).powi(2);
    let slope = (nudged(3.001) - nudged(2.999)) / 0.002;
    println!("\nnudged by a thousandth = {slope:.3}");
    draw_tape(values, slopes);
}

fn draw_tape(values: [f64; 4], slopes: [f64; 4]) {
    let list = |numbers: [f64; 4]| numbers.map(|x| x.to_string()).join(", ");
    let mut figure = Diagram::new(
        "Forward for the values, back for the gradients",
        &format!(
            "Four boxes in a row: w, a, b and the loss. Arrows to the right \
             carry the values {}; arrows back to the left the gradients {}.",
            list(values),
            list(std::array::from_fn(|i| slopes[3 - i]))
        ),
        34.0,
        7.5,
    );
    let names = ["w", "a = 2w", "b = max(0, a)", "loss = b²"];
    let steps = ["× 2", "× 1, as a > 0", "× 2b"];
    let mut left: Option<plot::Block> = None;
    for (i, name) in names.iter().enumerate() {
        let x = 3.5 + 9.0 * i as f64;
        let text = format!("{name}\n{}", values[i]);
        let hue = if i == 3 { Hue::Orange } else { Hue::Blue };
        let block = figure.block((x, 2.2), (5.2, 2.4), &text, hue);
        figure.note((x, 5.6), Side::On, &format!("∂loss/∂ = {}", slopes[i]));
        if let Some(left) = left {
            figure.arrow(&[left.right(), block.left()], Hue::Ink);
            let (from, to) = ((x - 1.5, 4.6), (x - 7.5, 4.6));
            figure.arrow(&[from, to], Hue::Orange);
            let middle = ((from.0 + to.0) / 2.0, 4.0);
            figure.note(middle, Side::On, steps[i - 1]);
        }
        left = Some(block);
    }
    plot::save("gradient-tape", &figure.draw());
}

/// One formula, given matrices, shapes and variables.
fn three_readings() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (n, m, d_k, d_v) = (3, 5, 4, 2);
    let [q, k, v]: [Matrix; 3] =
        [(n, d_k), (m, d_k), (m, d_v)].map(|(r, c)| rng.noise(r, c, 1.0));
    let mask = Mask::none(n, m);
    println!("\n== Three readings");
    let value = attention(&q, &k, &v, &mask);
    let [first, second] = [value[(0, 0)], value[(0, 1)]];
    println!("matrix     the first row is {first:.3} {second:.3}");
    let bill = Bill::default();
    let [a, b, c] = [&q, &k, &v].map(|m| bill.shape(m.nrows(), m.ncols()));
    let (rows, columns) = attention(&a, &b, &c, &mask).shape();
    let spent = bill.cost().multiply_adds;
    println!("shape      {rows} × {columns} for {spent} multiply-adds");
    let tape = Tape::default();
    let [a, b, c] = [&q, &k, &v].map(|m| tape.variable(m.clone()));
    let seen = attention(&a, &b, &c, &mask);
    let gap = (seen.value() - &value).amax();
    let gradients = tape.gradients(&first_cell(&seen));
    println!("variable   the same, off by {gap}, and of its first cell");
    for (name, x) in [("queries", &a), ("keys", &b), ("values", &c)] {
        let gradient = gradients.of(x);
        let (rows, columns) = gradient.shape();
        let moved = gradient.row_iter().filter(|r| r.amax() > 0.0).count();
        println!(
            "           ∂/∂{name}: {rows} × {columns}, {moved} rows not 0"
        );
    }
}

/// The cell in the upper left, as 1 × 1.
fn first_cell(y: &Variable<f64>) -> Variable<f64> {
    cell(y, 0, 0)
}

/// Row i, column j, as 1 × 1.
fn cell(y: &Variable<f64>, i: usize, j: usize) -> Variable<f64> {
    let (_, columns) = y.shape();
    y.gather(&[i]).split(columns)[j].clone()
}

/// The sum of all logits' squares, in either reading.
fn loss<T: LayerOps>(model: &Transformer<T>) -> T {
    let logits = model
        .forward(&[vec![1, 2, 3], vec![4]], &[vec![5, 0], vec![6, 2, 1]]);
    let (rows, columns) = logits.shape();
    let ones = |rows, columns| {
        logits.constant(&Matrix::from_element(rows, columns, 1.0))
    };
    let positive = logits.relu();
    ones(1, rows).matmul(&positive).matmul(&ones(columns, 1))
}

/// Every parameter of a small Transformer, differentiated and nudged.
fn whole_model() {
    let config = Config {
        vocabulary: 7,
        layers: 1,
        d_model: 6,
        d_ff: 5,
        heads: 2,
        d_k: 3,
        d_v: 2,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    let tape = Tape::default();
    let variables = model.map("", &mut |_, m| tape.variable(m.clone()));
    let gradients = tape.gradients(&loss(&variables));
    println!("\n== The whole model");
    println!("parameter of the decoder        shape    cells   agree");
    let (mut place, mut agree) = (0, 0);
    variables.map("", &mut |name, variable| {
        let (rows, columns) = variable.shape();
        let near = agreeing(&model, place, &gradients.of(variable));
        if let Some(name) = name.strip_prefix("decoder.layers.0.") {
            let cells = rows * columns;
            println!("{name:27} {rows:3} × {columns} {cells:8} {near:7}");
        }
        agree += near;
        place += 1;
    });
    println!("\nparameters = {}", parameter_count(&model));
    println!("parameters that agree = {agree}");
    println!(
        "forward passes for the nudges = {}",
        2 * parameter_count(&model)
    );
}

/// In how many cells of the leaf at `place` a nudge to both sides confirms
/// the gradient, to a millionth.
fn agreeing(
    model: &Transformer<Matrix>,
    place: usize,
    gradient: &Matrix,
) -> usize {
    let nudged = |cell: usize, by: f64| {
        let mut here = 0;
        let model = model.map("", &mut |_, leaf: &Matrix| {
            let mut leaf = leaf.clone();
            if here == place {
                leaf[cell] += by;
            }
            here += 1;
            leaf
        });
        loss(&model)[0]
    };
    let agrees = |&cell: &usize| {
        let slope = (nudged(cell, 1e-5) - nudged(cell, -1e-5)) / 2e-5;
        (slope - gradient[cell]).abs() <= 1e-6 * slope.abs().max(1e-2)
    };
    (0..gradient.len()).filter(agrees).count()
}

/// How much each word's row moves each result: the gradient's answer beside
/// that of the weights.
fn influence() {
    let sentence = words("The cat jumped over the fence");
    let (n, d_model, d_k, d_v) = (sentence.len(), 16, 4, 3);
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let x: Matrix = rng.noise(n, d_model, 1.0);
    let [w_q, w_k, w_v]: [Matrix; 3] =
        [d_k, d_k, d_v].map(|d| rng.weight(d_model, d));
    let mask = Mask::none(n, n);
    let weights = weights(&(&x * &w_q), &(&x * &w_k), &mask);
    let norm = |i: usize| {
        let mut squares = vec![0.0; n];
        for j in 0..d_v {
            let tape = Tape::default();
            let [x, q, k, v] =
                [&x, &w_q, &w_k, &w_v].map(|m| tape.variable(m.clone()));
            let seen =
                attention(&x.matmul(&q), &x.matmul(&k), &x.matmul(&v), &mask);
            let gradient = tape.gradients(&cell(&seen, i, j)).of(&x);
            let rows = gradient.row_iter().map(|row| row.norm_squared());
            squares.iter_mut().zip(rows).for_each(|(sum, row)| *sum += row);
        }
        squares
    };
    let moves: Vec<f64> = (0..n).flat_map(norm).map(f64::sqrt).collect();
    let moves = Matrix::from_row_slice(n, n, &moves);
    let own = |m: &Matrix| m.diagonal().mean() / m.mean();
    println!("\n== Who moves whom");
    println!("own weight, over the mean = {:.1}", own(&weights));
    println!("own influence, over the mean = {:.1}", own(&moves));
    let panel = |m: &Matrix, title| {
        let panel =
            Panel::new(m).title(title).rows(&sentence).columns(&sentence);
        panel.axes("result", "input").numbers(2).cell(38.0, 26.0)
    };
    let figure = HeatMaps::new(
        "Weights, and what moves the result",
        &format!(
            "Two {n} × {n} maps for The cat jumped over the fence: the \
             weights, and the size of the derivative of each result by each \
             input. Where a weight is close to zero the derivative need not be."
        ),
    )
    .panel(panel(&weights, "weights"))
    .next_row()
    .panel(panel(&moves, "size of ∂result/∂input"));
    plot::save("gradient-influence", &figure.draw());
}

/// Two derivatives that look right, and a scale that is not.
fn wrong_turns() {
    println!("\n== Wrong turns");
    let tape = Tape::default();
    let x = tape.variable(dmatrix![-1.0]);
    let whole = tape.gradients(&x.add(&x.relu())).of(&x)[0];
    let x = tape.variable(dmatrix![-1.0]);
    let last = tape.gradients(&x.relu()).of(&x)[0];
    println!("slope of x + max(0, x) at −1 = {whole}");
    println!("if the last use overwrites the first = {last}");
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let scores: Matrix = rng.noise(1, 5, 1.0);
    let p = scores.softmax(&Mask::none(1, 5));
    let x = tape.variable(scores);
    let same = tape.variable(dmatrix![7.0; 7.0; 7.0; 7.0; 7.0]);
    let seen = x.softmax(&Mask::none(1, 5)).matmul(&same);
    let right = tape.gradients(&seen).of(&x).norm();
    println!("five equal values, gradient of the scores = {right:.3}");
    println!("without taking off the mean = {:.3}", (p * 7.0).norm());
    let scaled = 512f64.powf(-0.5);
    let (raw, scaled) = (score_gradient(1.0), score_gradient(scaled));
    println!("gradient of the scores, unscaled = {raw:.3}");
    println!("gradient of the scores, scaled = {scaled:.3}");
}

/// The mean size of ∂/∂scores for 16 keys of width 512, times a factor.
fn score_gradient(factor: f64) -> f64 {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let draws = 100;
    let size = |_| {
        let [q, k, v]: [Matrix; 3] =
            [(1, 512), (16, 512), (16, 1)].map(|(r, c)| rng.noise(r, c, 1.0));
        let tape = Tape::default();
        let scores = tape.variable(q * k.transpose() * factor);
        let seen =
            scores.softmax(&Mask::none(1, 16)).matmul(&tape.variable(v));
        tape.gradients(&seen).of(&scores).norm()
    };
    (0..draws).map(size).sum::<f64>() / f64::from(draws)
}
