//! Which way each number should move: `cargo run --example gradient`

use all_you_need::attention::{Mask, attention};
use all_you_need::costs::Bill;
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::layers::{LayerOps, Rowwise};
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Side};
use print::grouped;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::panic::{self, AssertUnwindSafe};

fn main() {
    trying_it_out();
    along_a_chain();
    two_rides();
    learn();
    one_product();
    there_and_back();
    a_layer();
    another_tape();
    standardized();
    three_implementations();
    whole_model();
    overwritten_forks();
    too_small_a_step();
}

/// Two rides in a taxi: how many kilometres, and what they cost.
const RIDES: [(f64, f64); 2] = [(1.0, 7.0), (3.0, 13.0)];

/// The first guess: the price of a kilometre, and what each ride costs more.
const GUESS: (f64, f64) = (4.0, 2.0);

/// The numbers of one computation in the order in which they were computed,
/// and for each of them the places of its inputs and its slopes by them.
#[derive(Default)]
struct Numbers {
    values: Vec<f64>,
    inputs: Vec<Vec<(usize, f64)>>,
}

impl Numbers {
    /// Writes a number down. Returns its place.
    fn record(&mut self, value: f64, inputs: &[(usize, f64)]) -> usize {
        self.values.push(value);
        self.inputs.push(inputs.to_vec());
        self.values.len() - 1
    }

    fn add(&mut self, a: usize, b: usize) -> usize {
        let sum = self.values[a] + self.values[b];
        self.record(sum, &[(a, 1.0), (b, 1.0)])
    }

    fn mul(&mut self, a: usize, b: usize) -> usize {
        let (x, y) = (self.values[a], self.values[b]);
        self.record(x * y, &[(a, y), (b, x)])
    }

    /// The derivative of the number at the place `loss` by every number.
    fn gradients(&self, loss: usize) -> Vec<f64> {
        let mut gradients = vec![0.0; self.values.len()];
        gradients[loss] = 1.0;
        for place in (0..=loss).rev() {
            for &(input, slope) in &self.inputs[place] {
                gradients[input] += slope * gradients[place];
            }
        }
        gradients
    }
}

/// The squared error of one ride, with the price of a kilometre at the place
/// w and the base fare at b.
fn squared_error(
    tape: &mut Numbers,
    (km, price): (f64, f64),
    (w, b): (usize, usize),
) -> usize {
    let km = tape.record(km, &[]);
    let minus_price = tape.record(-price, &[]);
    let way = tape.mul(w, km);
    let fare = tape.add(way, b);
    let error = tape.add(fare, minus_price);
    tape.mul(error, error)
}

/// The squared errors of both rides on a tape, added up. Returns the places
/// of w, of b and of the loss.
fn both_rides(w: f64, b: f64) -> (Numbers, [usize; 3]) {
    let mut tape = Numbers::default();
    let (w, b) = (tape.record(w, &[]), tape.record(b, &[]));
    let short = squared_error(&mut tape, RIDES[0], (w, b));
    let long = squared_error(&mut tape, RIDES[1], (w, b));
    let loss = tape.add(short, long);
    (tape, [w, b, loss])
}

/// With the minus sign of printed texts.
fn signed(x: f64) -> String {
    format!("{x:.1}").trim_end_matches(".0").replace('-', "−")
}

/// The loss of the second ride alone, as a function of w.
fn loss_of_one(w: f64) -> f64 {
    let (km, price) = RIDES[1];
    (w * km + GUESS.1 - price).powi(2)
}

fn trying_it_out() {
    let w = GUESS.0;
    let nudge = 0.001;
    println!("== Trying it out");
    println!(
        "              w        loss   change of the loss ÷ change of w"
    );
    println!("as it is  {w:.3}  {:10.6}", loss_of_one(w));
    let mut tried = Vec::new();
    for (name, by) in [("up", nudge), ("down", -nudge)] {
        let loss = loss_of_one(w + by);
        let slope = (loss - loss_of_one(w)) / by;
        println!("{name:8}  {:.3}  {loss:10.6}{slope:12.3}", w + by);
        tried.push(loss);
    }
    let between = (tried[0] - tried[1]) / (2.0 * nudge);
    println!("\nfrom down to up = {between:.3}");
    draw_slope();
}

/// The loss of one ride for many w, and how steep it is at two of them.
fn draw_slope() {
    let (km, price) = RIDES[1];
    let curve = (0..=70).map(|i| 3.0 + f64::from(i) / 50.0);
    let curve = curve.map(|w| (w, loss_of_one(w)));
    let tangent = |at: f64, reach: f64| {
        let slope = 2.0 * km * (at * km + GUESS.1 - price);
        let line = [at - reach, at + reach];
        let line = line.map(|w| (w, loss_of_one(at) + slope * (w - at)));
        (slope, line)
    };
    let (guess, low) = (GUESS.0, 3.4);
    let (right, left) = (tangent(guess, 0.16), tangent(low, 0.16));
    let figure = Chart::new(
        "The loss of one ride",
        &format!(
            "A curve like a bowl over w. At {guess} it rises with a slope of \
             {}, at {low} its slope is {}. Between them it touches zero.",
            signed(right.0),
            signed(left.0)
        ),
    )
    .size(460.0, 290.0)
    .x("*w*, the price of a kilometre")
    .y("loss")
    .line("loss", curve)
    .line(&format!("slope {}", signed(right.0)), right.1)
    .line(&format!("slope {}", signed(left.0)), left.1);
    plot::save("gradient-slope", &figure.draw());
}

/// The second ride on the tape, with the derivative of its loss by each
/// number.
fn along_a_chain() {
    let mut tape = Numbers::default();
    let (w, b) = (tape.record(GUESS.0, &[]), tape.record(GUESS.1, &[]));
    let loss = squared_error(&mut tape, RIDES[1], (w, b));
    let gradients = tape.gradients(loss);
    let names = ["w", "b", "km", "−price", "way", "fare", "error", "error²"];
    println!("\n== The tape of one ride");
    println!("place  name     value  inputs (× slope)   gradient");
    for (place, name) in names.iter().enumerate() {
        let inputs = tape.inputs[place].iter();
        let inputs = inputs
            .map(|(input, slope)| format!("{input} (× {})", signed(*slope)))
            .collect::<Vec<_>>()
            .join(", ");
        println!(
            "{place:5}  {name:7}{:>7}  {inputs:17}{:>10}",
            signed(tape.values[place]),
            signed(gradients[place])
        );
    }
    draw_chain(&tape, &gradients);
}

/// From w over the fare to the loss, and back.
fn draw_chain(tape: &Numbers, gradients: &[f64]) {
    let chain =
        [(0, "*w*"), (4, "way"), (5, "fare"), (6, "error"), (7, "loss")];
    let list = |numbers: &[f64]| {
        let numbers = chain.map(|(place, _)| signed(numbers[place]));
        numbers.join(", ")
    };
    let mut figure = Diagram::new(
        "Forward for the values, back for the derivatives",
        &format!(
            "Five boxes in a row, from w to the loss. Arrows to the right \
             carry the values {}. Arrows back to the left multiply by the \
             slope of each step; the derivatives of the loss are, from left \
             to right, {}.",
            list(&tape.values),
            list(gradients)
        ),
        36.5,
        8.4,
    );
    let (km, price) = RIDES[1];
    let steps = [
        format!("× {km}"),
        format!("+ {}", GUESS.1),
        format!("− {price}"),
        "squared".to_string(),
    ];
    let mut left: Option<plot::Block> = None;
    for (i, (place, name)) in chain.into_iter().enumerate() {
        let x = 3.0 + 7.6 * i as f64;
        let hue = if i == 4 { Hue::Orange } else { Hue::Blue };
        let text = format!("{name}\n{}", signed(tape.values[place]));
        let block = figure.block((x, 2.6), (4.4, 2.4), &text, hue);
        let derivative =
            format!("∂loss/∂{name}\n{}", signed(gradients[place]));
        figure.note((x, 6.6), Side::On, &derivative);
        if let Some(left) = left {
            figure.arrow(&[left.right(), block.left()], Hue::Ink);
            figure.note((x - 3.8, 2.6), Side::Above, &steps[i - 1]);
            figure.arrow(&[(x - 1.2, 5.2), (x - 6.4, 5.2)], Hue::Orange);
            // The error is both inputs of its square.
            let slope = gradients[chain[i - 1].0] / gradients[place];
            let slope = format!("× {}", signed(slope));
            figure.note((x - 3.8, 5.2), Side::Above, &slope);
        }
        left = Some(block);
    }
    plot::save("gradient-chain", &figure.draw());
}

fn two_rides() {
    let (w, b) = GUESS;
    let (tape, [at_w, at_b, loss]) = both_rides(w, b);
    let gradients = tape.gradients(loss);
    let (by_w, by_b) = (gradients[at_w], gradients[at_b]);
    let at = |w, b| {
        let (tape, [_, _, loss]) = both_rides(w, b);
        tape.values[loss]
    };
    let slope = |up: f64, down: f64| (up - down) / 0.002;
    println!("\n== Two rides");
    println!("ride             fare   paid  error   ∂loss/∂w  ∂loss/∂b");
    for (km, price) in RIDES {
        let mut tape = Numbers::default();
        let (w, b) = (tape.record(w, &[]), tape.record(b, &[]));
        let loss = squared_error(&mut tape, (km, price), (w, b));
        let gradients = tape.gradients(loss);
        println!(
            "{km} km {:15} {price:6} {:>6} {:>10} {:>9}",
            tape.values[5],
            signed(tape.values[6]),
            signed(gradients[w]),
            signed(gradients[b])
        );
    }
    println!("both together {:33} {by_b:9}", by_w);
    let tried = [
        slope(at(w + 0.001, b), at(w - 0.001, b)),
        slope(at(w, b + 0.001), at(w, b - 0.001)),
    ];
    println!("two-sided {:37.3} {:9.3}", tried[0], tried[1].abs());
    draw_fork(by_w);
}

/// The two ways from w to the loss, and the derivatives that come back.
fn draw_fork(sum: f64) {
    let mut tape = Numbers::default();
    let (w, b) = (tape.record(GUESS.0, &[]), tape.record(GUESS.1, &[]));
    let squares = RIDES.map(|ride| squared_error(&mut tape, ride, (w, b)));
    let loss = tape.add(squares[0], squares[1]);
    let gradients = tape.gradients(loss);
    let by_w = [0, 1].map(|i| RIDES[i].0 * gradients[squares[i] - 2]);
    assert_eq!(by_w[0] + by_w[1], sum);
    let mut figure = Diagram::new(
        "One number, two ways",
        &format!(
            "From w two arms lead over the fares and errors of the two rides \
             to the loss. Back along the upper arm {} comes to w, along the \
             lower arm {}, together {}.",
            signed(by_w[0]),
            signed(by_w[1]),
            signed(sum)
        ),
        35.0,
        13.0,
    );
    let value = |place: usize| signed(tape.values[place]);
    let w_text = format!("*w*\n{}", value(w));
    let start = figure.block((3.0, 6.0), (4.4, 4.0), &w_text, Hue::Blue);
    let loss_text = format!("loss\n{}", value(loss));
    let end = figure.block((31.6, 6.0), (4.4, 4.0), &loss_text, Hue::Orange);
    for (i, (km, _)) in RIDES.into_iter().enumerate() {
        let side = [-1.0, 1.0][i];
        let (y, error) = (6.0 + 3.8 * side, squares[i] - 1);
        let fare = error - 1;
        let mut block = |x: f64, text: String| {
            figure.block((x, y), (4.6, 2.4), &text, Hue::Blue)
        };
        let fare_block = block(13.2, format!("fare\n{}", value(fare)));
        let error_block = block(22.0, format!("error\n{}", value(error)));
        let steps = [
            (
                start.right(),
                fare_block.left(),
                format!("× {km}, + {}", GUESS.1),
                by_w[i],
            ),
            (
                fare_block.right(),
                error_block.left(),
                format!("− {}", RIDES[i].1),
                gradients[fare],
            ),
            (
                error_block.right(),
                end.left(),
                "squared".to_string(),
                gradients[error],
            ),
        ];
        for (from, to, step, derivative) in steps {
            let (outside, inside) = (0.35 * side, -0.35 * side);
            let moved = |(x, y): (f64, f64), by: f64| (x, y + by);
            // The arms leave the blocks of w and the loss above and below.
            let spread = |(x, y): (f64, f64)| {
                if y == 6.0 { (x, y + 1.2 * side) } else { (x, y) }
            };
            let (from, to) = (spread(from), spread(to));
            figure
                .arrow(&[moved(from, outside), moved(to, outside)], Hue::Ink);
            figure.arrow(
                &[moved(to, inside), moved(from, inside)],
                Hue::Orange,
            );
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            let (out, back) = if side < 0.0 {
                (Side::Above, Side::Below)
            } else {
                (Side::Below, Side::Above)
            };
            // Where an arm leaves or enters at a slant, its text moves off it.
            let slant = (to.1 - from.1) * 0.4 * side;
            let beside = (middle.0 - slant, middle.1 + outside);
            figure.note(beside, out, &step);
            figure.note(moved(middle, inside), back, &signed(derivative));
        }
    }
    let sum = format!(
        "∂loss/∂*w* = {} + {} = {}",
        signed(by_w[0]),
        signed(by_w[1]),
        signed(sum)
    );
    figure.note((0.2, 12.0), Side::Right, &sum);
    plot::save("gradient-fork", &figure.draw());
}

/// A price per kilometre and a base fare that suit both rides.
fn learn() {
    println!("\n== Learning a fare");
    println!("step       w       b       loss");
    let (mut w, mut b) = GUESS;
    for step in 0..=200 {
        let (tape, [at_w, at_b, loss]) = both_rides(w, b);
        let gradients = tape.gradients(loss);
        if step < 3 || step % 50 == 0 {
            let loss = tape.values[loss];
            println!("{step:4} {w:7.3} {b:7.3} {loss:10.6}");
        }
        w -= 0.05 * gradients[at_w];
        b -= 0.05 * gradients[at_b];
    }
}

/// All cells of two matrices, differentiated by the rules and by trying.
fn one_product() {
    let a = dmatrix![2.0, 3.0; 1.0, -1.0];
    let b = dmatrix![1.0, 4.0; 5.0, 0.0];
    let g = dmatrix![1.0, 2.0; 0.0, -1.0];
    let (by_a, by_b) = (&g * b.transpose(), a.transpose() * &g);
    // A loss whose gradient by the product is g.
    let loss = |a: &Matrix, b: &Matrix| (a * b).component_mul(&g).sum();
    println!("\n== One product");
    println!("    A          B          G      for A: GBᵀ  for B: AᵀG");
    for i in 0..2 {
        let row = |m: &Matrix| {
            let cells = [m[(i, 0)], m[(i, 1)]].map(signed);
            format!("{:>3} {:>3}", cells[0], cells[1])
        };
        let [a, b, g, by_a, by_b] = [&a, &b, &g, &by_a, &by_b].map(row);
        println!("{a}    {b}    {g}     {by_a}     {by_b}");
    }
    let tried = |m: &Matrix, loss: &dyn Fn(&Matrix) -> f64| {
        Matrix::from_fn(2, 2, |i, j| {
            let moved = |by: f64| {
                let mut m = m.clone();
                m[(i, j)] += by;
                loss(&m)
            };
            (moved(0.001) - moved(-0.001)) / 0.002
        })
    };
    let tried_a = tried(&a, &|a| loss(a, &b));
    let tried_b = tried(&b, &|b| loss(&a, b));
    let near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-9;
    let pairs = tried_a.iter().zip(&by_a).chain(tried_b.iter().zip(&by_b));
    println!("\ncells that agree = {}", pairs.filter(|p| near(*p)).count());
    draw_product(&a, &b);
}

/// A linear layer with ReLU on the crate's tape: what is computed, and the
/// gradient of the sum of all results with respect to it.
fn a_layer() {
    let tape = Tape::default();
    let x = tape.variable(dmatrix![1.0, 2.0; 0.0, 1.0]);
    let w = tape.variable(dmatrix![1.0, -3.0; 1.0, 1.0]);
    let b = tape.variable(dmatrix![1.0, 0.0]);
    let product = x.matmul(&w);
    let sum = product.add_row(&b);
    let y = sum.relu();
    let [left, right] =
        [(1, 2), (2, 1)].map(|(n, m)| y.constant(&Matrix::repeat(n, m, 1.0)));
    let loss = left.matmul(&y).matmul(&right);
    let gradients = tape.gradients(&loss);
    println!("\n== A layer on the tape");
    println!("place  what            value          gradient");
    let all = [&x, &w, &b, &product, &sum, &y];
    let names = ["x", "W", "b", "product", "sum", "ReLU"];
    for (place, (name, variable)) in names.iter().zip(all).enumerate() {
        let gradient = gradients.of(variable);
        println!(
            "{place:<7}{name:16}{:15}{}",
            rows(variable.value()),
            rows(&gradient)
        );
    }
}

/// The rows of a small matrix of whole numbers in a line.
fn rows(m: &Matrix) -> String {
    let rows = m.row_iter().map(|row| {
        let cells: Vec<String> = row.iter().copied().map(signed).collect();
        format!("({})", cells.join(" "))
    });
    rows.collect::<Vec<_>>().join(" ")
}

/// Where the product changes if one cell of a factor grows by 1.
fn draw_product(a: &Matrix, b: &Matrix) {
    let (mut left, mut right) = (Matrix::zeros(2, 2), Matrix::zeros(2, 2));
    (left[(0, 0)], right[(0, 1)]) = (1.0, 1.0);
    let panel = |m: &Matrix, title: &str| {
        Panel::new(m).title(title).numbers(0).cell(40.0, 30.0).full(5.0)
    };
    let figure = HeatMaps::new(
        "What one cell moves",
        "Above, the cell in the upper left of A grows: the upper row of the \
         product changes by the upper row of B. Below, the cell in the upper \
         right of B grows: the right column of the product changes by the \
         left column of A.",
    )
    .panel(panel(&left, "change of *A*"))
    .sign("·")
    .panel(panel(b, "*B*"))
    .sign("=")
    .panel(panel(&(&left * b), "change of *AB*"))
    .next_row()
    .panel(panel(a, "*A*"))
    .sign("·")
    .panel(panel(&right, "change of *B*"))
    .sign("=")
    .panel(panel(&(a * &right), "change of *AB*"));
    plot::save("gradient-product", &figure.draw());
}

/// The multiply-adds of a product and of its way back: thirty rows through
/// the first matrix of the base model's feed-forward network.
fn there_and_back() {
    let (n, k, m) = (30, 512, 2048);
    let (there, back) = (Bill::default(), Bill::default());
    let _ = there.shape(n, k).matmul(&there.shape(k, m));
    let _ = back.shape(n, m).matmul_t(&back.shape(k, m));
    let _ = back.shape(n, k).transpose().matmul(&back.shape(n, m));
    let [there, back] = [there, back].map(|bill| bill.cost().multiply_adds);
    println!("\n== There and back");
    println!("there = {}", grouped(there));
    println!("back = {}", grouped(back));
}

/// What is said when two tapes meet.
fn another_tape() {
    let [x, y] = [3.0, 2.0].map(|number| {
        let tape = Tape::<f64>::default();
        tape.variable(dmatrix![number])
    });
    println!("\n== A variable of another tape");
    panic::set_hook(Box::new(|info| {
        let said = info.payload().downcast_ref::<&str>();
        println!("{}", said.expect("a sentence"));
    }));
    let sum = panic::catch_unwind(AssertUnwindSafe(|| x.add(&y)));
    drop(panic::take_hook());
    assert!(sum.is_err());
}

/// The way back over the norm, for a loss that depends on the first number of
/// its result only.
fn standardized() {
    let x = dmatrix![3.0, 9.0, 11.0, 17.0];
    let weights = dmatrix![5.0, 0.0, 0.0, 0.0];
    let tape = Tape::default();
    let variable = tape.variable(x.clone());
    let y = variable.standardize();
    let loss = y.matmul_t(&tape.variable(weights.clone()));
    let gradient = tape.gradients(&loss).of(&variable);
    let loss = |x: &Matrix| x.standardize().dot(&weights);
    let tried = Matrix::from_fn(1, 4, |_, j| {
        let moved = |by: f64| {
            let mut x = x.clone();
            x[j] += by;
            loss(&x)
        };
        (moved(0.001) - moved(-0.001)) / 0.002
    });
    println!("\n== The way back over a norm");
    for (name, row, decimals) in [
        ("x", &x, 1),
        ("y", y.value(), 1),
        ("g", &weights, 1),
        ("by the rule", &gradient, 2),
        ("by trying", &tried, 2),
    ] {
        let cells = row.iter().map(|cell| format!("{cell:8.decimals$}"));
        let cells = cells.collect::<String>().replace('-', "−");
        println!("{name:12}{cells}");
    }
}

/// One formula, given matrices, shapes and variables.
fn three_implementations() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (n, m, d_k, d_v) = (3, 5, 4, 2);
    let [q, k, v]: [Matrix; 3] =
        [(n, d_k), (m, d_k), (m, d_v)].map(|(r, c)| rng.uniform(r, c, 1.0));
    let mask = Mask::none(n, m);
    println!("\n== Three implementations");
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
    println!("variable   the same, off by {gap}");
    for (name, x) in [("queries", &a), ("keys", &b), ("values", &c)] {
        let gradient = gradients.of(x);
        let (rows, columns) = gradient.shape();
        let moved = gradient.row_iter().filter(|r| r.amax() > 0.0).count();
        println!(
            "           ∂loss/∂{name}: {rows} × {columns}, {moved} rows not 0"
        );
    }
}

/// The cell in the upper left, as 1 × 1.
fn first_cell(y: &Variable<f64>) -> Variable<f64> {
    let (_, columns) = y.shape();
    y.gather(&[0]).chunk(columns).swap_remove(0)
}

/// The sum of all positive logits, for either implementation.
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

/// A Transformer with six hundred parameters.
fn small_model() -> Transformer<Matrix> {
    let config = Config {
        vocabulary: 7,
        layers: 1,
        d_model: 6,
        d_ff: 5,
        heads: 2,
        d_k: 3,
        d_v: 2,
    };
    Transformer::new(&config, &mut ChaCha8Rng::seed_from_u64(1))
}

/// Every parameter of a small Transformer, differentiated and nudged.
fn whole_model() {
    let model = small_model();
    let tape = Tape::default();
    let variables = model.map("", &mut |_, m| tape.variable(m.clone()));
    let gradients = tape.gradients(&loss(&variables));
    println!("\n== The whole model");
    println!("parameter of the decoder        shape    cells   agree");
    let (mut place, mut agree) = (0, 0);
    variables.map("", &mut |name, variable| {
        let (rows, columns) = variable.shape();
        let gradient = gradients.of(variable);
        let near = agreeing(&model, place, &gradient, 1e-5);
        if let Some(name) = name.strip_prefix("decoder.layers.0.") {
            let cells = rows * columns;
            println!("{name:27} {rows:3} × {columns} {cells:8} {near:7}");
        }
        agree += near;
        place += 1;
    });
    println!("\n== How many agree");
    println!("parameters = {}", parameter_count(&model));
    println!("parameters that agree = {agree}");
    println!(
        "forward passes for the nudges = {}",
        grouped(2 * parameter_count(&model))
    );
}

/// In how many cells of the leaf at `place` a nudge of h to both sides
/// confirms the gradient, to a millionth.
fn agreeing(
    model: &Transformer<Matrix>,
    place: usize,
    gradient: &Matrix,
    h: f64,
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
        let slope = (nudged(cell, h) - nudged(cell, -h)) / (2.0 * h);
        (slope - gradient[cell]).abs() <= 1e-6 * slope.abs().max(1e-2)
    };
    (0..gradient.len()).filter(agrees).count()
}

/// The same check with other steps.
fn too_small_a_step() {
    let model = small_model();
    let tape = Tape::default();
    let variables = model.map("", &mut |_, m| tape.variable(m.clone()));
    let gradients = tape.gradients(&loss(&variables));
    println!("\n== How large a step");
    println!("    h   agree");
    for h in [1e-1, 1e-3, 1e-5, 1e-7, 1e-9] {
        let leaves = variables.leaves().into_iter().enumerate();
        let agree = leaves.map(|(place, (_, variable))| {
            agreeing(&model, place, &gradients.of(variable), h)
        });
        println!("{h:.0e} {:7}", agree.sum::<usize>());
    }
}

/// The way back with a mistake: the last use overwrites the others.
fn overwritten(tape: &Numbers, loss: usize) -> Vec<f64> {
    let mut gradients = vec![0.0; tape.values.len()];
    gradients[loss] = 1.0;
    for place in (0..=loss).rev() {
        for &(input, slope) in &tape.inputs[place] {
            gradients[input] = slope * gradients[place];
        }
    }
    gradients
}

fn overwritten_forks() {
    let (mut w, mut b) = GUESS;
    let slopes = |w, b| {
        let (tape, [at_w, at_b, loss]) = both_rides(w, b);
        let gradients = overwritten(&tape, loss);
        (gradients[at_w], gradients[at_b])
    };
    println!("\n== Overwritten");
    println!("derivative by w, overwritten = {}", signed(slopes(w, b).0));
    for _ in 0..200 {
        let (by_w, by_b) = slopes(w, b);
        w -= 0.05 * by_w;
        b -= 0.05 * by_b;
    }
    let [short, long] = RIDES.map(|(km, _)| w * km + b);
    println!("fare of the short ride = {short:.2}");
    println!("fare of the long ride = {long:.2}");
}
