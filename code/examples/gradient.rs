//! Which way each number should move: `cargo run --example gradient`

use all_you_need::gradient::Tape;
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;
use print::{Fixed, grouped, section, table, value};

#[path = "gradient/models.rs"]
mod models;

fn main() {
    trying_it_out();
    two_rides();
    one_ride_on_a_tape();
    learning();
    one_product();
    are_they_right();
    models::a_layer();
    models::the_whole_model();
}

/// Two rides in a taxi: how many kilometres, and what was paid.
pub const RIDES: [(f64, f64); 2] = [(1.0, 7.0), (3.0, 13.0)];

/// The first guess: the price of a kilometre, and the base fare.
pub const GUESS: (f64, f64) = (4.0, 2.0);

/// The numbers of one computation in the order in which they were computed,
/// and for each of them the places of its inputs and its slopes.
#[derive(Default)]
pub struct Numbers {
    pub values: Vec<f64>,
    inputs: Vec<Vec<(usize, f64)>>,
}

impl Numbers {
    /// Writes a number down. Returns its place.
    pub fn record(&mut self, value: f64, inputs: &[(usize, f64)]) -> usize {
        self.values.push(value);
        self.inputs.push(inputs.to_vec());
        self.values.len() - 1
    }

    pub fn add(&mut self, a: usize, b: usize) -> usize {
        let sum = self.values[a] + self.values[b];
        self.record(sum, &[(a, 1.0), (b, 1.0)])
    }

    fn mul(&mut self, a: usize, b: usize) -> usize {
        let (x, y) = (self.values[a], self.values[b]);
        self.record(x * y, &[(a, y), (b, x)])
    }

    /// The derivative of the number at `loss` with respect to every number.
    pub fn gradients(&self, loss: usize) -> Vec<f64> {
        let mut gradients = vec![0.0; self.values.len()];
        gradients[loss] = 1.0;
        for place in (0..=loss).rev() {
            for &(input, slope) in &self.inputs[place] {
                gradients[input] += slope * gradients[place];
            }
        }
        gradients
    }

    /// The same with a mistake: the last use overwrites the others.
    fn overwritten(&self, loss: usize) -> Vec<f64> {
        let mut gradients = vec![0.0; self.values.len()];
        gradients[loss] = 1.0;
        for place in (0..=loss).rev() {
            for &(input, slope) in &self.inputs[place] {
                gradients[input] = slope * gradients[place];
            }
        }
        gradients
    }
}

/// The squared error of one ride, with the price of a kilometre at the place
/// w and the base fare at b.
pub fn squared_error(
    tape: &mut Numbers,
    (km, paid): (f64, f64),
    (w, b): (usize, usize),
) -> usize {
    let km = tape.record(km, &[]);
    let minus_paid = tape.record(-paid, &[]);
    let distance = tape.mul(w, km);
    let fare = tape.add(distance, b);
    let error = tape.add(fare, minus_paid);
    tape.mul(error, error)
}

/// The squared errors of both rides, added up, and the places of w, of b and
/// of the loss.
fn both_rides(w: f64, b: f64) -> (Numbers, [usize; 3]) {
    let mut tape = Numbers::default();
    let (w, b) = (tape.record(w, &[]), tape.record(b, &[]));
    let short = squared_error(&mut tape, RIDES[0], (w, b));
    let long = squared_error(&mut tape, RIDES[1], (w, b));
    let loss = tape.add(short, long);
    (tape, [w, b, loss])
}

/// Moves w and b a little against their derivatives, so many times.
fn learn(steps: usize, back: fn(&Numbers, usize) -> Vec<f64>) -> (f64, f64) {
    let (mut w, mut b) = GUESS;
    for _ in 0..steps {
        let (tape, [at_w, at_b, loss]) = both_rides(w, b);
        let gradients = back(&tape, loss);
        w -= 0.05 * gradients[at_w];
        b -= 0.05 * gradients[at_b];
    }
    (w, b)
}

/// The loss of the long ride alone, as a function of w.
pub fn loss_of_one(w: f64) -> f64 {
    let (km, paid) = RIDES[1];
    (w * km + GUESS.1 - paid).powi(2)
}

/// Every derivative of f at x, by moving each cell a little up and down.
pub fn by_trying(f: impl Fn(&Matrix) -> f64, x: &Matrix) -> Matrix {
    let h = 1e-5;
    Matrix::from_fn(x.nrows(), x.ncols(), |i, j| {
        let moved = |by: f64| {
            let mut x = x.clone();
            x[(i, j)] += by;
            f(&x)
        };
        (moved(h) - moved(-h)) / (2.0 * h)
    })
}

fn trying_it_out() {
    let (w, h) = (GUESS.0, 0.001);
    let [down, here, up] = [w - h, w, w + h].map(loss_of_one);
    section("Trying it out");
    value("up", ((up - here) / h).fixed(3));
    value("down", ((here - down) / h).fixed(3));
    value("from down to up", ((up - down) / (2.0 * h)).fixed(3));
}

/// A number without decimals, and with a true minus.
fn whole(x: f64) -> String {
    grouped(x.fixed(0))
}

fn two_rides() {
    let (w, b) = GUESS;
    let row = |(km, paid): (f64, f64)| {
        let mut tape = Numbers::default();
        let at = (tape.record(w, &[]), tape.record(b, &[]));
        let loss = squared_error(&mut tape, (km, paid), at);
        let gradients = tape.gradients(loss);
        let fare = w * km + b;
        let row = [fare, paid, fare - paid, gradients[at.0], gradients[at.1]];
        (format!("{km} km"), row.map(whole))
    };
    let names = ["ride", "fare", "paid", "error", "∂loss/∂w", "∂loss/∂b"];
    section("Two rides");
    table(names, RIDES.map(row));
}

fn one_ride_on_a_tape() {
    let mut tape = Numbers::default();
    let at = (tape.record(GUESS.0, &[]), tape.record(GUESS.1, &[]));
    let loss = squared_error(&mut tape, RIDES[1], at);
    let gradients = tape.gradients(loss);
    let names =
        ["w", "b", "km", "−paid", "distance", "fare", "error", "error²"];
    section("The tape of one ride");
    let rows = names.iter().enumerate().map(|(place, name)| {
        let inputs = tape.inputs[place].iter();
        let inputs: Vec<_> = inputs
            .map(|(input, slope)| format!("{input} (× {})", whole(*slope)))
            .collect();
        let [number, gradient] =
            [tape.values[place], gradients[place]].map(whole);
        (format!("{place} {name}"), number, inputs.join(", "), gradient)
    });
    table(["place", "value", "inputs (× slope)", "gradient"], rows);
}

fn learning() {
    section("Learning a fare");
    let row = |steps: usize| {
        let (w, b) = learn(steps, Numbers::gradients);
        let (tape, [_, _, loss]) = both_rides(w, b);
        (steps, [w, b, tape.values[loss]].fixed(4))
    };
    table(["", "w", "b", "loss"], [0, 1, 2, 50, 100, 200].map(row));
    let (tape, [at_w, _, loss]) = both_rides(GUESS.0, GUESS.1);
    let (w, b) = learn(200, Numbers::overwritten);
    let [short, long] = RIDES.map(|(km, _)| w * km + b);
    section("Overwritten");
    value(
        "derivative by w, overwritten",
        whole(tape.overwritten(loss)[at_w]),
    );
    value("fare of the short ride", short.fixed(2));
    value("fare of the long ride", long.fixed(2));
}

/// The rows of a small matrix of whole numbers in a line.
fn rows(m: &Matrix) -> String {
    let rows = m.row_iter().map(|row| {
        let cells: Vec<String> = row.iter().copied().map(whole).collect();
        format!("({})", cells.join(" "))
    });
    rows.collect::<Vec<_>>().join(" ")
}

/// Two factors of a product, and a gradient with respect to it.
pub fn factors() -> [Matrix; 3] {
    [
        dmatrix![2.0, 3.0; 1.0, -1.0],
        dmatrix![1.0, 4.0; 5.0, 0.0],
        dmatrix![1.0, 2.0; 0.0, -1.0],
    ]
}

fn one_product() {
    let [a, b, g] = factors();
    let (by_a, by_b) = (&g * b.transpose(), a.transpose() * &g);
    // A loss whose gradient with respect to the product is g.
    let loss = |a: &Matrix, b: &Matrix| (a * b).component_mul(&g).sum();
    let off_a = (by_trying(|a| loss(a, &b), &a) - &by_a).amax();
    let off_b = (by_trying(|b| loss(&a, b), &b) - &by_b).amax();
    assert!(off_a.max(off_b) < 1e-8);
    section("One product");
    let named =
        [("A", &a), ("B", &b), ("G", &g), ("G Bᵀ", &by_a), ("Aᵀ G", &by_b)];
    table(["", "its rows"], named.map(|(name, m)| (name, rows(m))));
}

/// The gradient of a matrix that is used three times, by both ways.
fn are_they_right() {
    let (left, right) = (dmatrix![1.0, -2.0], dmatrix![0.5; 4.0]);
    let x = dmatrix![2.0, 3.0; 1.0, -1.0];
    let tape = Tape::default();
    let [l, v, r] = [&left, &x, &right].map(|m| tape.variable(m.clone()));
    let y = v.add(&v.matmul(&v));
    let gradient = tape.gradients(&l.matmul(&y).matmul(&r)).of(&v);
    let tried = by_trying(|x| (&left * (x + x * x) * &right)[0], &x);
    assert!((gradient - tried).amax() < 1e-8);
}
