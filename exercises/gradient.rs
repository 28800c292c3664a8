//! Exercises of the chapter on gradients.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/gradient.rs"]
mod check;

/// The numbers of one computation in the order in which they were computed,
/// and for each of them the places of its inputs and its slopes.
#[derive(Default)]
pub struct Numbers {
    pub values: Vec<f64>,
    pub inputs: Vec<Vec<(usize, f64)>>,
}

impl Numbers {
    /// Writes a number down. Returns its place.
    pub fn record(&mut self, value: f64, inputs: &[(usize, f64)]) -> usize {
        self.values.push(value);
        self.inputs.push(inputs.to_vec());
        self.values.len() - 1
    }
}

// Exercise 2

impl Numbers {
    /// Writes down e to the power of the number at `a`, and returns its place.
    pub fn exp(&mut self, a: usize) -> usize {
        todo!("record the value, with the place and the slope of its input")
    }

    /// Writes down the number at `a` divided by that at `b`, and returns its
    /// place.
    pub fn div(&mut self, a: usize, b: usize) -> usize {
        todo!("record the value, with the places and slopes of both inputs")
    }
}

// Exercise 3

/// The gradient of the scores, from the weights p = softmax(scores) and
/// their gradient g, row by row. There is a mistake in it.
pub fn softmax_backward(p: &Matrix, g: &Matrix) -> Matrix {
    let mut gradient = p.component_mul(g);
    for (mut row, p) in gradient.row_iter_mut().zip(p.row_iter()) {
        let mean = row.mean();
        row -= p * mean;
    }
    gradient
}
