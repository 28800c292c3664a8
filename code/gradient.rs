//! The third reading: a matrix that remembers how it was made.

use crate::attention::{Mask, Softmax};
use crate::heads::Heads;
use crate::layers::{EPSILON, Network};
use crate::tensor::{Float, Matrix, Tensor};
use nalgebra::convert;
use std::cell::RefCell;
use std::rc::Rc;

/// Every step of a computation, in the order it was taken.
#[derive(Clone, Default)]
pub struct Tape<F: Float>(Rc<RefCell<Vec<Step<F>>>>);

/// Takes the gradient of a step's result to the gradients of its inputs.
type Step<F> = Box<dyn FnOnce(&Matrix<F>, &mut Gradients<F>)>;

/// ∂loss/∂x for every x on a tape, as far as it is known.
pub struct Gradients<F: Float>(Vec<Option<Matrix<F>>>);

/// A value, and its place on the tape.
#[derive(Clone)]
struct Node<F: Float> {
    value: Rc<Matrix<F>>,
    place: usize,
}

/// A matrix that remembers how it was made.
#[derive(Clone)]
pub struct Variable<F: Float> {
    node: Node<F>,
    tape: Tape<F>,
}

impl<F: Float> Tape<F> {
    /// A value from outside: a parameter, or a constant.
    pub fn variable(&self, value: Matrix<F>) -> Variable<F> {
        self.record(value, |_, _| ())
    }

    fn record(
        &self,
        value: Matrix<F>,
        step: impl FnOnce(&Matrix<F>, &mut Gradients<F>) + 'static,
    ) -> Variable<F> {
        let mut steps = self.0.borrow_mut();
        let node = Node { value: Rc::new(value), place: steps.len() };
        steps.push(Box::new(step));
        Variable { node, tape: self.clone() }
    }

    /// Back along the tape from `loss`, a single number. Empties the tape.
    pub fn gradients(&self, loss: &Variable<F>) -> Gradients<F> {
        let mut steps = self.0.take();
        let mut gradients = Gradients(steps.iter().map(|_| None).collect());
        gradients.0[loss.node.place] =
            Some(Matrix::from_element(1, 1, F::one()));
        while let Some(step) = steps.pop() {
            let place = steps.len();
            if let Some(gradient) = gradients.0[place].take() {
                step(&gradient, &mut gradients);
                gradients.0[place] = Some(gradient);
            }
        }
        gradients
    }
}

impl<F: Float> Gradients<F> {
    /// ∂loss/∂x: zero if the loss does not depend on it.
    pub fn of(&self, x: &Variable<F>) -> Matrix<F> {
        let (rows, cols) = x.shape();
        let gradient = self.0[x.node.place].clone();
        gradient.unwrap_or_else(|| Matrix::zeros(rows, cols))
    }

    /// What one more use of `x` adds.
    fn add(&mut self, x: &Node<F>, gradient: Matrix<F>) {
        match &mut self.0[x.place] {
            Some(sum) => *sum += gradient,
            none => *none = Some(gradient),
        }
    }

    /// The sum so far, to add to a part of it.
    fn sum(&mut self, x: &Node<F>) -> &mut Matrix<F> {
        let (rows, cols) = x.value.shape();
        self.0[x.place].get_or_insert_with(|| Matrix::zeros(rows, cols))
    }
}

impl<F: Float> Variable<F> {
    /// The value.
    pub fn value(&self) -> &Matrix<F> {
        &self.node.value
    }

    fn one(
        &self,
        value: Matrix<F>,
        slope: impl FnOnce(&Matrix<F>) -> Matrix<F> + 'static,
    ) -> Self {
        let x = self.node.clone();
        self.tape
            .record(value, move |g, gradients| gradients.add(&x, slope(g)))
    }
}

impl<F: Float> Tensor for Variable<F> {
    fn shape(&self) -> (usize, usize) {
        self.value().shape()
    }

    fn matmul(&self, other: &Self) -> Self {
        let (a, b) = (self.node.clone(), other.node.clone());
        self.tape.record(a.value.matmul(&b.value), move |g, gradients| {
            gradients.add(&a, g.matmul_t(&b.value));
            gradients.add(&b, a.value.transpose().matmul(g));
        })
    }

    fn transpose(&self) -> Self {
        self.one(self.value().transpose(), |g| g.transpose())
    }

    fn add(&self, other: &Self) -> Self {
        let (a, b) = (self.node.clone(), other.node.clone());
        self.tape.record(a.value.add(&b.value), move |g, gradients| {
            gradients.add(&a, g.clone());
            gradients.add(&b, g.clone());
        })
    }

    fn scale(&self, factor: f64) -> Self {
        self.one(Tensor::scale(self.value(), factor), move |g| {
            Tensor::scale(g, factor)
        })
    }

    fn gather(&self, rows: &[usize]) -> Self {
        let (x, rows) = (self.node.clone(), rows.to_vec());
        self.tape.record(x.value.gather(&rows), move |g, gradients| {
            let sum = gradients.sum(&x);
            for (from, &to) in g.row_iter().zip(&rows) {
                let mut row = sum.row_mut(to);
                row += from;
            }
        })
    }

    fn split(&self, parts: usize) -> Vec<Self> {
        let split = self.value().split(parts).into_iter().enumerate();
        let part = |(i, value): (usize, Matrix<F>)| {
            let x = self.node.clone();
            self.tape.record(value, move |g, gradients| {
                let (_, width) = g.shape();
                let mut part =
                    gradients.sum(&x).columns_mut(i * width, width);
                part += g;
            })
        };
        split.map(part).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let values: Vec<_> =
            parts.iter().map(|p| p.value().clone()).collect();
        let nodes: Vec<_> = parts.iter().map(|p| p.node.clone()).collect();
        parts[0].tape.record(Matrix::concat(&values), move |g, gradients| {
            let mut start = 0;
            for x in &nodes {
                let width = x.value.ncols();
                gradients.add(x, g.columns(start, width).into_owned());
                start += width;
            }
        })
    }

    fn constant(&self, values: &Matrix) -> Self {
        self.tape.variable(values.map(convert))
    }
}

impl<F: Float> Softmax for Variable<F> {
    fn softmax(&self, mask: &Mask) -> Self {
        let p = Rc::new(self.value().softmax(mask));
        self.one((*p).clone(), move |g| {
            let mut slope = p.component_mul(g);
            for (mut row, p) in slope.row_iter_mut().zip(p.row_iter()) {
                let mean = row.sum();
                row -= p * mean;
            }
            slope
        })
    }
}

impl<F: Float> Heads for Variable<F> {}

impl<F: Float> Network for Variable<F> {
    fn add_row(&self, row: &Self) -> Self {
        let (x, row) = (self.node.clone(), row.node.clone());
        self.tape.record(x.value.add_row(&row.value), move |g, gradients| {
            gradients.add(&x, g.clone());
            gradients.add(
                &row,
                Matrix::from_row_slice(1, g.ncols(), g.row_sum().as_slice()),
            );
        })
    }

    fn mul_row(&self, row: &Self) -> Self {
        let (x, row) = (self.node.clone(), row.node.clone());
        self.tape.record(x.value.mul_row(&row.value), move |g, gradients| {
            let by_row = g.component_mul(&x.value).row_sum();
            gradients.add(&x, g.mul_row(&row.value));
            gradients.add(
                &row,
                Matrix::from_row_slice(1, g.ncols(), by_row.as_slice()),
            );
        })
    }

    fn relu(&self) -> Self {
        let x = self.node.clone();
        self.one(x.value.relu(), move |g| {
            g.zip_map(
                &x.value,
                |g, x| if x > F::zero() { g } else { F::zero() },
            )
        })
    }

    fn standardize(&self) -> Self {
        let x = self.node.clone();
        let y = Rc::new(x.value.standardize());
        self.one((*y).clone(), move |g| {
            let mut slope = g.clone();
            let rows = slope
                .row_iter_mut()
                .zip(y.row_iter())
                .zip(x.value.row_iter());
            for ((mut g, y), x) in rows {
                let deviation = (x.variance() + convert(EPSILON)).sqrt();
                let (mean, along) =
                    (g.mean(), g.dot(&y) / convert(y.len() as f64));
                g.zip_apply(&y, |g, y| {
                    *g = (*g - mean - y * along) / deviation
                });
            }
            slope
        })
    }
}
