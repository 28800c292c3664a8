//! The third reading: a matrix that remembers how it was made.

use crate::attention::{Mask, Softmax};
use crate::layers::{Rowwise, centred, deviations, divided};
use crate::tensor::{Float, Matrix, Tensor, sum};
use nalgebra::convert;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::cell::RefCell;
use std::ops::AddAssign;
use std::rc::{Rc, Weak};

/// Where a matrix stands among all that were computed, and its size.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    index: usize,
    shape: (usize, usize),
}

/// A matrix, and its place.
#[derive(Clone)]
pub(crate) struct Node<F: Float> {
    /// The numbers.
    pub value: Rc<Matrix<F>>,
    /// All that a step needs if it does not need the numbers.
    pub place: Place,
}

/// The way back over one operation: given the gradient of its result, adds
/// to the gradients of its inputs.
type Step<F> = Box<dyn FnOnce(&Matrix<F>, &mut Gradients<F>)>;

/// An operation: its result, as long as somebody holds it, and the way back.
struct Operation<F: Float> {
    result: Weak<Matrix<F>>,
    back: Step<F>,
}

/// Every operation of a computation, in the order it happened.
#[derive(Clone)]
pub struct Tape<F: Float> {
    steps: Rc<RefCell<Vec<Operation<F>>>>,
    /// In training, what part of the numbers to drop, and who chooses them.
    dropout: Option<(f64, Rc<RefCell<ChaCha8Rng>>)>,
}

/// A matrix on a tape.
#[derive(Clone)]
pub struct Variable<F: Float> {
    pub(crate) node: Node<F>,
    pub(crate) tape: Tape<F>,
}

/// ∂loss/∂x for every x on the tape; nothing where the loss does not depend
/// on x.
pub struct Gradients<F: Float>(Vec<Option<Matrix<F>>>);

impl<F: Float> Default for Tape<F> {
    fn default() -> Self {
        Self { steps: Rc::default(), dropout: None }
    }
}

impl<F: Float> Tape<F> {
    /// A tape on which dropout drops: a part `rate` of the numbers.
    ///
    /// # Panics
    /// If the rate is not from 0 to below 1.
    pub fn dropping(rate: f64, rng: ChaCha8Rng) -> Self {
        assert!((0.0..1.0).contains(&rate), "no dropout of {rate}");
        let dropout = Some((rate, Rc::new(RefCell::new(rng))));
        Self { steps: Rc::default(), dropout }
    }

    /// A matrix from outside: a parameter, or a constant.
    pub fn variable(&self, value: Matrix<F>) -> Variable<F> {
        self.record(value, |_, _| ())
    }

    /// The result of an operation, and the way back over it.
    pub(crate) fn record(
        &self,
        value: impl Into<Rc<Matrix<F>>>,
        back: impl FnOnce(&Matrix<F>, &mut Gradients<F>) + 'static,
    ) -> Variable<F> {
        let value = value.into();
        let mut steps = self.steps.borrow_mut();
        let place = Place { index: steps.len(), shape: value.shape() };
        let result = Rc::downgrade(&value);
        steps.push(Operation { result, back: Box::new(back) });
        Variable { node: Node { value, place }, tape: self.clone() }
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
        gradients.add(loss.node.place, Matrix::from_element(1, 1, F::one()));
        while let Some(Operation { result, back }) = steps.pop() {
            // All that use this result came later, so its gradient is whole.
            let Some(gradient) = gradients.0[steps.len()].take() else {
                continue;
            };
            back(&gradient, &mut gradients);
            // Who has let go of a result will not ask for its gradient.
            if result.strong_count() > 0 {
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
        let gradient = self.0[x.node.place.index].clone();
        gradient.unwrap_or_else(|| Matrix::zeros(rows, cols))
    }

    /// The same, for the last time.
    pub(crate) fn take(&mut self, x: &Variable<F>) -> Matrix<F> {
        let (rows, cols) = x.shape();
        let gradient = self.0[x.node.place.index].take();
        gradient.unwrap_or_else(|| Matrix::zeros(rows, cols))
    }

    /// One more use of `x`: its gradients add up.
    pub(crate) fn add(&mut self, x: Place, gradient: Matrix<F>) {
        match &mut self.0[x.index] {
            Some(sum) => *sum += gradient,
            none => *none = Some(gradient),
        }
    }

    /// The sum so far, for those who add to a part of it.
    fn part_of(&mut self, x: Place) -> &mut Matrix<F> {
        let (rows, cols) = x.shape;
        self.0[x.index].get_or_insert_with(|| Matrix::zeros(rows, cols))
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
        value: impl Into<Rc<Matrix<F>>>,
        back: impl FnOnce(&Matrix<F>) -> Matrix<F> + 'static,
    ) -> Self {
        let x = self.node.place;
        self.tape.record(value, move |g, to| to.add(x, back(g)))
    }
}

impl<F: Float> Tensor for Variable<F> {
    fn shape(&self) -> (usize, usize) {
        self.value().shape()
    }

    fn matmul(&self, other: &Self) -> Self {
        let (a, b) = (self.node.clone(), other.node.clone());
        self.tape.record(a.value.matmul(&b.value), move |g, to| {
            to.add(a.place, g.matmul_t(&b.value));
            to.add(b.place, a.value.transpose().matmul(g));
        })
    }

    fn transpose(&self) -> Self {
        self.then(self.value().transpose(), |g| g.transpose())
    }

    fn add(&self, other: &Self) -> Self {
        let (a, b) = (self.node.place, other.node.place);
        self.tape.record(self.value().add(other.value()), move |g, to| {
            to.add(a, g.clone());
            to.add(b, g.clone());
        })
    }

    fn scale(&self, factor: f64) -> Self {
        let value = Tensor::scale(self.value(), factor);
        self.then(value, move |g| Tensor::scale(g, factor))
    }

    fn gather(&self, rows: &[usize]) -> Self {
        let (x, rows) = (self.node.place, rows.to_vec());
        self.tape.record(self.value().gather(&rows), move |g, to| {
            let sum = to.part_of(x).column_iter_mut();
            for (mut sum, g) in sum.zip(g.column_iter()) {
                for (&row, &g) in rows.iter().zip(&g) {
                    sum[row] += g;
                }
            }
        })
    }

    fn split(&self, parts: usize) -> Vec<Self> {
        let values = self.value().split(parts).into_iter().enumerate();
        let part = |(i, value): (usize, Matrix<F>)| {
            let x = self.node.place;
            self.tape.record(value, move |g, to| {
                let columns = i * g.ncols()..(i + 1) * g.ncols();
                to.part_of(x).columns_range_mut(columns).add_assign(g);
            })
        };
        values.map(part).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let places: Vec<_> = parts.iter().map(|x| x.node.place).collect();
        let values: Vec<_> =
            parts.iter().map(|x| x.value().clone()).collect();
        parts[0].tape.record(Matrix::concat(&values), move |g, to| {
            let mut start = 0;
            for x in places {
                let (_, width) = x.shape;
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
        let p = Rc::new(self.value().softmax(mask));
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

/// The sum over all rows, as one row.
pub(crate) fn total<F: Float>(m: &Matrix<F>) -> Matrix<F> {
    let sums = m.column_iter().map(|column| sum(column.as_slice()));
    Matrix::from_iterator(1, m.ncols(), sums)
}

impl<F: Float> Tape<F> {
    /// What dropout multiplies with, if there is any: 0 for a part of the
    /// numbers. The others grow, so that their sum stays on average.
    pub(crate) fn kept(
        &self,
        (rows, cols): (usize, usize),
    ) -> Option<Matrix<F>> {
        let (rate, rng) = self.dropout.as_ref()?;
        let mut dice = vec![0; rows * cols];
        rng.borrow_mut().fill::<u16>(&mut dice);
        let limit = (rate * 65536.0) as u16;
        let grown: F = convert(1.0 / (1.0 - rate));
        let factor = |&die| if die < limit { F::zero() } else { grown };
        let factors = dice.iter().map(factor);
        Some(Matrix::from_iterator(rows, cols, factors))
    }
}

impl<F: Float> Rowwise for Variable<F> {
    fn add_row(&self, row: &Self) -> Self {
        let value = self.value().add_row(row.value());
        let (x, row) = (self.node.place, row.node.place);
        self.tape.record(value, move |g, to| {
            to.add(x, g.clone());
            to.add(row, total(g));
        })
    }

    fn mul_row(&self, row: &Self) -> Self {
        let (x, row) = (self.node.clone(), row.node.clone());
        self.tape.record(x.value.mul_row(&row.value), move |g, to| {
            to.add(x.place, g.mul_row(&row.value));
            to.add(row.place, total(&g.component_mul(&x.value)));
        })
    }

    fn relu(&self) -> Self {
        let y = Rc::new(self.value().relu());
        self.then(y.clone(), move |g| {
            g.zip_map(&y, |g, y| if y > F::zero() { g } else { F::zero() })
        })
    }

    fn standardize(&self) -> Self {
        let centred_x = centred(self.value());
        let deviations = deviations(&centred_x);
        let y = Rc::new(divided(centred_x, &deviations));
        self.then(y.clone(), move |g| {
            let along = g.component_mul(&y).column_mean();
            let mut slope = centred(g);
            for (mut slope, y) in slope.column_iter_mut().zip(y.column_iter())
            {
                slope -= y.component_mul(&along);
            }
            divided(slope, &deviations)
        })
    }

    fn dropout(&self) -> Self {
        let Some(kept) = self.tape.kept(self.shape()) else {
            return self.clone();
        };
        self.then(self.value().component_mul(&kept), move |g| {
            g.component_mul(&kept)
        })
    }
}
