//! The third reading: a matrix that remembers how it was made.

use crate::attention::{Mask, Softmax};
use crate::heads::Heads;
use crate::layers::{EPSILON, Network};
use crate::tensor::{Float, Matrix, Tensor};
use nalgebra::convert;
use std::cell::RefCell;
use std::ops::AddAssign;
use std::rc::Rc;

/// A matrix, and its place among all that were computed.
#[derive(Clone)]
struct Node<F: Float> {
    value: Rc<Matrix<F>>,
    place: usize,
}

/// The way back over one operation: given the gradient of its result, adds
/// to the gradients of its inputs.
type Step<F> = Box<dyn FnOnce(&Matrix<F>, &mut Gradients<F>)>;

/// Every operation of a computation, in the order it happened.
#[derive(Clone, Default)]
pub struct Tape<F: Float> {
    steps: Rc<RefCell<Vec<Step<F>>>>,
}

/// A matrix on a tape.
#[derive(Clone)]
pub struct Variable<F: Float> {
    node: Node<F>,
    tape: Tape<F>,
}

/// ∂loss/∂x for every x on the tape; nothing where the loss does not depend
/// on x.
pub struct Gradients<F: Float>(Vec<Option<Matrix<F>>>);

impl<F: Float> Tape<F> {
    /// A matrix from outside: a parameter, or a constant.
    pub fn variable(&self, value: Matrix<F>) -> Variable<F> {
        self.record(value, |_, _| ())
    }

    /// The result of an operation, and the way back over it.
    fn record(
        &self,
        value: Matrix<F>,
        step: impl FnOnce(&Matrix<F>, &mut Gradients<F>) + 'static,
    ) -> Variable<F> {
        let mut steps = self.steps.borrow_mut();
        let node = Node { value: Rc::new(value), place: steps.len() };
        steps.push(Box::new(step));
        Variable { node, tape: self.clone() }
    }

    /// Back over every step, the last first. Leaves the tape empty.
    ///
    /// # Panics
    /// If the loss is not a single number.
    pub fn gradients(&self, loss: &Variable<F>) -> Gradients<F> {
        assert!(
            loss.shape() == (1, 1),
            "a loss is 1×1, not {:?}",
            loss.shape()
        );
        let mut steps = self.steps.take();
        let mut gradients = Gradients(vec![None; steps.len()]);
        gradients.add(&loss.node, Matrix::from_element(1, 1, F::one()));
        while let Some(step) = steps.pop() {
            // All that use this result came later, so its gradient is whole.
            if let Some(gradient) = gradients.0[steps.len()].take() {
                step(&gradient, &mut gradients);
                gradients.0[steps.len()] = Some(gradient);
            }
        }
        gradients
    }
}

impl<F: Float> Gradients<F> {
    /// ∂loss/∂x, in the shape of x.
    pub fn of(&self, x: &Variable<F>) -> Matrix<F> {
        let (rows, cols) = x.shape();
        let gradient = self.0[x.node.place].clone();
        gradient.unwrap_or_else(|| Matrix::zeros(rows, cols))
    }

    /// One more use of `x`: its gradients add up.
    fn add(&mut self, x: &Node<F>, gradient: Matrix<F>) {
        match &mut self.0[x.place] {
            Some(sum) => *sum += gradient,
            none => *none = Some(gradient),
        }
    }

    /// The sum so far, for those who add to a part of it.
    fn part_of(&mut self, x: &Node<F>) -> &mut Matrix<F> {
        let (rows, cols) = x.value.shape();
        self.0[x.place].get_or_insert_with(|| Matrix::zeros(rows, cols))
    }
}

impl<F: Float> Variable<F> {
    /// The numbers themselves.
    pub fn value(&self) -> &Matrix<F> {
        &self.node.value
    }

    /// The result of an operation on this variable alone.
    pub(crate) fn then(
        &self,
        value: Matrix<F>,
        back: impl FnOnce(&Matrix<F>) -> Matrix<F> + 'static,
    ) -> Self {
        let x = self.node.clone();
        self.tape.record(value, move |g, to| to.add(&x, back(g)))
    }
}

impl<F: Float> Tensor for Variable<F> {
    fn shape(&self) -> (usize, usize) {
        self.value().shape()
    }

    fn matmul(&self, other: &Self) -> Self {
        let (a, b) = (self.node.clone(), other.node.clone());
        self.tape.record(a.value.matmul(&b.value), move |g, to| {
            to.add(&a, g.matmul_t(&b.value));
            to.add(&b, a.value.transpose().matmul(g));
        })
    }

    fn transpose(&self) -> Self {
        self.then(self.value().transpose(), |g| g.transpose())
    }

    fn add(&self, other: &Self) -> Self {
        let (a, b) = (self.node.clone(), other.node.clone());
        self.tape.record(a.value.add(&b.value), move |g, to| {
            to.add(&a, g.clone());
            to.add(&b, g.clone());
        })
    }

    fn scale(&self, factor: f64) -> Self {
        let value = Tensor::scale(self.value(), factor);
        self.then(value, move |g| Tensor::scale(g, factor))
    }

    fn gather(&self, rows: &[usize]) -> Self {
        let (x, rows) = (self.node.clone(), rows.to_vec());
        self.tape.record(x.value.gather(&rows), move |g, to| {
            let sum = to.part_of(&x);
            for (row, &place) in g.row_iter().zip(&rows) {
                sum.row_mut(place).add_assign(row);
            }
        })
    }

    fn split(&self, parts: usize) -> Vec<Self> {
        let values = self.value().split(parts).into_iter().enumerate();
        let part = |(i, value): (usize, Matrix<F>)| {
            let x = self.node.clone();
            self.tape.record(value, move |g, to| {
                let columns = i * g.ncols()..(i + 1) * g.ncols();
                to.part_of(&x).columns_range_mut(columns).add_assign(g);
            })
        };
        values.map(part).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let nodes: Vec<_> = parts.iter().map(|x| x.node.clone()).collect();
        let values: Vec<_> =
            parts.iter().map(|x| x.value().clone()).collect();
        parts[0].tape.record(Matrix::concat(&values), move |g, to| {
            let mut start = 0;
            for x in &nodes {
                let width = x.value.ncols();
                to.add(x, g.columns(start, width).into_owned());
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
        let p = self.value().softmax(mask);
        self.then(p.clone(), move |g| {
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

/// The sum over all rows, as one row.
fn total<F: Float>(m: &Matrix<F>) -> Matrix<F> {
    Matrix::from_row_slice(1, m.ncols(), m.row_sum().as_slice())
}

impl<F: Float> Network for Variable<F> {
    fn add_row(&self, row: &Self) -> Self {
        let (x, row) = (self.node.clone(), row.node.clone());
        self.tape.record(x.value.add_row(&row.value), move |g, to| {
            to.add(&x, g.clone());
            to.add(&row, total(g));
        })
    }

    fn mul_row(&self, row: &Self) -> Self {
        let (x, row) = (self.node.clone(), row.node.clone());
        self.tape.record(x.value.mul_row(&row.value), move |g, to| {
            to.add(&x, g.mul_row(&row.value));
            to.add(&row, total(&g.component_mul(&x.value)));
        })
    }

    fn relu(&self) -> Self {
        let y = self.value().relu();
        self.then(y.clone(), move |g| {
            g.zip_map(&y, |g, y| if y > F::zero() { g } else { F::zero() })
        })
    }

    fn standardize(&self) -> Self {
        let (x, y) = (self.node.clone(), self.value().standardize());
        self.then(y.clone(), move |g| {
            let mut slope = g.clone();
            for (i, mut row) in slope.row_iter_mut().enumerate() {
                let (x, y) = (x.value.row(i), y.row(i));
                let deviation = (x.variance() + convert(EPSILON)).sqrt();
                let mean = row.mean();
                let along = row.component_mul(&y).mean();
                row.zip_apply(&y, |g, y| {
                    *g = (*g - mean - y * along) / deviation
                });
            }
            slope
        })
    }
}
