//! One formula, given three kinds of tensors: `cargo run --example generic`

use all_you_need::attention::{Mask, Softmax};
use all_you_need::costs::{Bill, Cost};
use all_you_need::gradient::Tape;
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;
use print::{Fixed, fixed, section, size, table, value};
use std::cell::Cell;

/// What three kinds of tensors say.
const KINDS: [&str; 3] = ["given", "the answer", "what else is known"];

fn main() {
    section("Three uses");
    let weights = of_prices();
    let slopes = format!("slope for each price = {}", list(&weights));
    let (answer, (shape, work)) = (computed().fixed(2), in_words(counted()));
    let rows = [
        ("Matrix", answer.clone(), "nothing".to_owned()),
        ("Shape", shape, work),
        ("Variable", answer, slopes),
    ];
    table(KINDS, rows);
    section("Three uses, in the text");
    value("weight of apple", weights[0].fixed(2));
    one_operation(weights.transpose());
}

/// All that a formula may ask of its inputs.
trait Product {
    fn matmul(&self, other: &Self) -> Self;
}

/// Weights, 1 × n, times prices, n × 1.
fn mix<T: Product>(weights: &T, prices: &T) -> T {
    weights.matmul(prices)
}

impl Product for Matrix {
    fn matmul(&self, other: &Self) -> Self {
        self * other
    }
}

struct Size<'a> {
    rows: usize,
    cols: usize,
    bill: &'a Cell<usize>,
}

impl Product for Size<'_> {
    fn matmul(&self, other: &Self) -> Self {
        let work = self.rows * self.cols * other.cols;
        self.bill.set(self.bill.get() + work);
        Size { cols: other.cols, ..*self }
    }
}

#[derive(Clone)]
struct Noted {
    value: Matrix,
    factors: Vec<Noted>,
}

impl Product for Noted {
    fn matmul(&self, other: &Self) -> Self {
        let value = &self.value * &other.value;
        Noted { value, factors: vec![self.clone(), other.clone()] }
    }
}

/// The formula `mix`, given the three kinds.
fn one_operation(weights: Matrix) {
    let [_, _, prices] = inputs();
    let answer = mix(&weights, &prices)[0];
    let bill = Cell::new(0);
    let sized = |rows, cols| Size { rows, cols, bill: &bill };
    let counted = mix(&sized(1, 3), &sized(3, 1));
    let [w, p] =
        [weights, prices].map(|value| Noted { value, factors: Vec::new() });
    let noted = mix(&w, &p);
    let came_from = noted.factors.iter().map(|f| list(&f.value));
    let came_from = came_from.collect::<Vec<_>>().join("  and  ");
    section("One operation");
    let work = format!("{} multiply-adds", bill.get());
    let rows = [
        ("Matrix", answer.fixed(2), "nothing".to_owned()),
        ("Size", size((counted.rows, counted.cols)), work),
        ("Noted", noted.value[0].fixed(2), came_from),
    ];
    table(KINDS, rows);
}

/// softmax(Q Kᵀ / √d_k) V, for whatever has these operations.
pub fn attend<T: Softmax>(q: &T, k: &T, v: &T, mask: &Mask) -> T {
    let (_, d_k) = q.shape();
    let scores = q.matmul_t(k).scale(1.0 / (d_k as f64).sqrt());
    scores.softmax(mask).matmul(v)
}

/// *fruit*, and the three words that it can find with their prices.
pub fn inputs() -> [Matrix; 3] {
    let keys = dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0];
    [dmatrix![2.0, 0.0], keys, dmatrix![10.0; 5.0; 2.0]]
}

/// The query may look at all three keys.
fn open() -> Mask {
    Mask::none(1, 3)
}

/// The answer that matrices give.
pub fn computed() -> f64 {
    let [q, k, v] = inputs();
    attend(&q, &k, &v, &open())[0]
}

/// The size of the answer, and what it would cost.
pub fn counted() -> ((usize, usize), Cost) {
    let bill = Bill::default();
    let [q, k, v] = inputs().map(|m| bill.shape(m.nrows(), m.ncols()));
    (attend(&q, &k, &v, &open()).shape(), bill.cost())
}

/// By how much the answer rises with the price of each word.
pub fn of_prices() -> Matrix {
    let tape = Tape::default();
    let [q, k, v] = inputs().map(|m| tape.variable(m));
    let answer = attend(&q, &k, &v, &open());
    assert_eq!(answer.value()[0], computed());
    tape.gradients(&answer).of(&v)
}

/// A size and a cost as a reader would say them.
pub fn in_words((shape, cost): ((usize, usize), Cost)) -> (String, String) {
    let Cost { multiply_adds, exponentials, .. } = cost;
    let work =
        format!("{multiply_adds} multiply-adds, {exponentials} exponentials");
    (size(shape), work)
}

/// Numbers with two decimals.
pub fn list(numbers: &Matrix) -> String {
    fixed(numbers, 2).join(", ")
}
