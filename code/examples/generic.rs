//! One formula, given three kinds of tensors: `cargo run --example generic`

use all_you_need::attention::{Mask, Softmax};
use all_you_need::costs::Bill;
use all_you_need::gradient::{Gradients, Tape, Variable};
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;
use print::{Fixed, fixed, section, table, value};

fn main() {
    section("Three uses");
    let weights = of_prices();
    let slopes = format!("∂/∂prices = {}", list(&weights));
    let (answer, (shape, work)) = (computed().fixed(2), counted());
    let rows = [
        ("Matrix", answer.clone(), "nothing".to_owned()),
        ("Shape", shape, work),
        ("Variable", answer, slopes),
    ];
    table(["given", "the answer", "what else is known"], rows);
    section("Three uses, in the text");
    value("weight of apple", weights[0].fixed(2));
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

/// What shapes say of the answer: its size, and what it would cost.
pub fn counted() -> (String, String) {
    let bill = Bill::default();
    let [q, k, v] = inputs().map(|m| bill.shape(m.nrows(), m.ncols()));
    let (rows, columns) = attend(&q, &k, &v, &open()).shape();
    let cost = bill.cost();
    let work = format!(
        "{} multiply-adds, {} exponentials",
        cost.multiply_adds, cost.exponentials
    );
    (format!("{rows} × {columns}"), work)
}

/// The answer on a tape, and how it follows each of its inputs.
fn remembered() -> ([Variable<f64>; 3], Gradients<f64>) {
    let tape = Tape::default();
    let variables = inputs().map(|m| tape.variable(m));
    let [q, k, v] = &variables;
    let answer = attend(q, k, v, &open());
    assert_eq!(answer.value()[0], computed());
    (variables, tape.gradients(&answer))
}

/// By how much the answer rises with the price of each word.
pub fn of_prices() -> Matrix {
    let ([_, _, v], gradients) = remembered();
    gradients.of(&v)
}

/// Numbers with two decimals.
pub fn list(numbers: &Matrix) -> String {
    fixed(numbers, 2).join(", ")
}
