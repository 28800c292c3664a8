//! Automatic differentiation: a matrix that remembers how it was made.
//!
//! ```
//! use all_you_need::gradient::Tape;
//! use all_you_need::tensor::Tensor;
//! use nalgebra::dmatrix;
//!
//! let tape = Tape::default();
//! let x = tape.variable(dmatrix![3.0]);
//! let loss = x.matmul(&x); // x², whose derivative is 2x
//! assert_eq!(tape.gradients(&loss).of(&x), dmatrix![6.0]);
//! ```

use crate::attention::{Mask, Softmax};
use crate::layers::{Rowwise, centred, divide_rows, row_stds};
use crate::tensor::{Float, Matrix, Tensor, dot, same_size, sum};
use nalgebra::{convert, convert_unchecked};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::cell::RefCell;
use std::fmt;
use std::ops::AddAssign;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

/// Which matrix on which tape, and its size: all that the way back needs of
/// a matrix if it does not need its numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeId {
    tape: u64,
    index: usize,
    shape: (usize, usize),
}

/// A matrix on a tape, and its id.
#[derive(Clone, Debug)]
pub(crate) struct Node<F: Float> {
    pub value: Arc<Matrix<F>>,
    pub id: NodeId,
}

/// The way back over one operation: given the gradient of its result, adds
/// to the gradients of its inputs.
type Backward<F> = Box<dyn FnOnce(&Matrix<F>, &mut Gradients<F>)>;

/// An operation: its result, as long as it is in use, and the way back.
struct Operation<F: Float> {
    result: Weak<Matrix<F>>,
    back: Backward<F>,
}

/// The operations of one computation, in the order they happened.
struct Record<F: Float> {
    /// Which computation this is.
    id: u64,
    operations: Vec<Operation<F>>,
}

impl<F: Float> Default for Record<F> {
    fn default() -> Self {
        static RECORDS: AtomicU64 = AtomicU64::new(0);
        let id = RECORDS.fetch_add(1, Relaxed);
        Self { id, operations: Vec::new() }
    }
}

/// Records every operation on its variables, so that it can compute
/// gradients (backpropagation).
#[derive(Clone)]
pub struct Tape<F: Float> {
    record: Rc<RefCell<Record<F>>>,
    /// In training, the part of the numbers to drop, and the generator that
    /// chooses them.
    dropout: Option<(f64, Rc<RefCell<ChaCha8Rng>>)>,
}

/// The third implementation of [`Tensor`]: a matrix on a tape.
#[derive(Clone, Debug)]
pub struct Variable<F: Float> {
    pub(crate) node: Node<F>,
    pub(crate) tape: Tape<F>,
}

/// ∂loss/∂x for every variable x of a tape, computed by
/// [`Tape::gradients`].
#[derive(Clone, Debug)]
pub struct Gradients<F: Float> {
    tape: u64,
    /// For each variable the sum so far, if the loss depends on it.
    sums: Vec<Option<Matrix<F>>>,
}

impl<F: Float> Default for Tape<F> {
    fn default() -> Self {
        Self { record: Rc::default(), dropout: None }
    }
}

impl<F: Float> fmt::Debug for Tape<F> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let record = self.record.borrow();
        write!(f, "Tape of {} operations", record.operations.len())
    }
}

impl<F: Float> Tape<F> {
    /// A matrix that was not computed on this tape, such as a parameter.
    pub fn variable(&self, value: impl Into<Arc<Matrix<F>>>) -> Variable<F> {
        self.record(&[], value, |_, _| ())
    }

    /// The result of an operation on `inputs`, and the way back over it.
    pub(crate) fn record(
        &self,
        inputs: &[NodeId],
        value: impl Into<Arc<Matrix<F>>>,
        back: impl FnOnce(&Matrix<F>, &mut Gradients<F>) + 'static,
    ) -> Variable<F> {
        let value = value.into();
        let mut record = self.record.borrow_mut();
        let tape = record.id;
        assert!(
            inputs.iter().all(|input| input.tape == tape),
            "a variable of another tape, or from before this tape computed \
             its gradients"
        );
        let index = record.operations.len();
        let id = NodeId { tape, index, shape: value.shape() };
        let result = Arc::downgrade(&value);
        record.operations.push(Operation { result, back: Box::new(back) });
        Variable { node: Node { value, id }, tape: self.clone() }
    }

    /// The gradient of `loss`, 1 × 1, with respect to every variable of this
    /// tape, from the last operation back to the first.
    ///
    /// This uses up the record: the tape is empty afterwards, and variables
    /// made before can be asked for their gradients, but not computed with.
    ///
    /// # Panics
    /// If the loss is not a single number, or not of this tape.
    #[must_use]
    pub fn gradients(&self, loss: &Variable<F>) -> Gradients<F> {
        assert!(
            loss.shape() == (1, 1),
            "a loss is 1×1, not {:?}",
            loss.shape()
        );
        let Record { id, mut operations } = self.record.take();
        let sums = vec![None; operations.len()];
        let mut gradients = Gradients { tape: id, sums };
        gradients.check(loss.node.id);
        gradients.add(loss.node.id, Matrix::from_element(1, 1, F::one()));
        while let Some(Operation { result, back }) = operations.pop() {
            // All uses of this result came later: its gradient is complete.
            let index = operations.len();
            let Some(gradient) = gradients.sums[index].take() else {
                continue;
            };
            back(&gradient, &mut gradients);
            // Without its variable nothing can ask for this gradient.
            if result.strong_count() > 0 {
                gradients.sums[index] = Some(gradient);
            }
        }
        gradients
    }
}

impl<F: Float> Gradients<F> {
    /// Panics unless these are the gradients of x's tape.
    fn check(&self, x: NodeId) {
        assert!(
            x.tape == self.tape,
            "these are the gradients of another tape, or of an earlier loss"
        );
    }

    /// ∂loss/∂x, in the shape of x: 0 where the loss does not depend on x.
    ///
    /// # Panics
    /// If x is of another tape, or was made after these gradients.
    pub fn of(&self, x: &Variable<F>) -> Matrix<F> {
        let (rows, cols) = x.shape();
        self.check(x.node.id);
        let gradient = self.sums[x.node.id.index].clone();
        gradient.unwrap_or_else(|| Matrix::zeros(rows, cols))
    }

    /// [`of`](Self::of), without a copy: x cannot be asked for again.
    pub(crate) fn take(&mut self, x: &Variable<F>) -> Matrix<F> {
        let (rows, cols) = x.shape();
        self.check(x.node.id);
        let gradient = self.sums[x.node.id.index].take();
        gradient.unwrap_or_else(|| Matrix::zeros(rows, cols))
    }

    /// The gradient from one more use of x, added to the others.
    pub(crate) fn add(&mut self, x: NodeId, gradient: Matrix<F>) {
        match &mut self.sums[x.index] {
            Some(sum) => *sum += gradient,
            none => *none = Some(gradient),
        }
    }

    /// The sum so far, to add to a part of it.
    pub(crate) fn sum_mut(&mut self, x: NodeId) -> &mut Matrix<F> {
        let (rows, cols) = x.shape;
        self.sums[x.index].get_or_insert_with(|| Matrix::zeros(rows, cols))
    }
}

impl<F: Float> Variable<F> {
    /// The numbers of this matrix.
    pub fn value(&self) -> &Matrix<F> {
        &self.node.value
    }

    /// The result of an operation of your own on these variables: its value,
    /// and the way back, which turns the gradient of the result into that of
    /// each input.
    ///
    /// ```
    /// use all_you_need::gradient::{Tape, Variable};
    /// use nalgebra::dmatrix;
    ///
    /// /// x / y, cell by cell.
    /// fn divide(x: &Variable<f64>, y: &Variable<f64>) -> Variable<f64> {
    ///     let (b, ratio) = (y.value().clone(), x.value().component_div(y.value()));
    ///     Variable::operation([x, y], ratio.clone(), move |g| {
    ///         let to_x = g.component_div(&b);
    ///         let to_y = -to_x.component_mul(&ratio);
    ///         [to_x, to_y]
    ///     })
    /// }
    /// let tape = Tape::default();
    /// let (x, y) = (tape.variable(dmatrix![6.0]), tape.variable(dmatrix![2.0]));
    /// let gradients = tape.gradients(&divide(&x, &y));
    /// assert_eq!(gradients.of(&x), dmatrix![0.5]);
    /// assert_eq!(gradients.of(&y), dmatrix![-1.5]);
    /// ```
    ///
    /// [`check_gradient`](crate::parameters::check_gradient) says whether the
    /// derivative is right.
    ///
    /// # Panics
    /// If there are no inputs or they are of different tapes. On the way
    /// back, if a gradient has another size than its input.
    pub fn operation<const N: usize>(
        inputs: [&Self; N],
        value: Matrix<F>,
        back: impl FnOnce(&Matrix<F>) -> [Matrix<F>; N] + 'static,
    ) -> Self {
        let ids = inputs.map(|input| input.node.id);
        let first = inputs.first().expect("an operation has an input");
        first.tape.record(&ids, value, move |g, to| {
            for (x, gradient) in ids.into_iter().zip(back(g)) {
                same_size(
                    "a gradient and its input",
                    gradient.shape(),
                    x.shape,
                );
                to.add(x, gradient);
            }
        })
    }

    /// The result of an operation on this variable alone.
    pub(crate) fn unary(
        &self,
        value: impl Into<Arc<Matrix<F>>>,
        back: impl FnOnce(&Matrix<F>) -> Matrix<F> + 'static,
    ) -> Self {
        let x = self.node.id;
        self.tape.record(&[x], value, move |g, to| to.add(x, back(g)))
    }
}

impl<F: Float> Tensor for Variable<F> {
    fn shape(&self) -> (usize, usize) {
        self.value().shape()
    }

    fn matmul(&self, other: &Self) -> Self {
        let (a, b) = (self.node.clone(), other.node.clone());
        let product = a.value.matmul(&b.value);
        self.tape.record(&[a.id, b.id], product, move |g, to| {
            to.add(a.id, g.matmul_t(&b.value));
            to.add(b.id, a.value.transpose().matmul(g));
        })
    }

    fn transpose(&self) -> Self {
        self.unary(self.value().transpose(), |g| g.transpose())
    }

    fn add(&self, other: &Self) -> Self {
        let (a, b) = (self.node.id, other.node.id);
        let sum = self.value().add(other.value());
        self.tape.record(&[a, b], sum, move |g, to| {
            to.add(a, g.clone());
            to.add(b, g.clone());
        })
    }

    fn scale(&self, factor: f64) -> Self {
        let value = Tensor::scale(self.value(), factor);
        self.unary(value, move |g| Tensor::scale(g, factor))
    }

    fn gather(&self, rows: &[usize]) -> Self {
        let (x, rows) = (self.node.id, rows.to_vec());
        let value = self.value().gather(&rows);
        self.tape.record(&[x], value, move |g, to| {
            let sum = to.sum_mut(x).column_iter_mut();
            for (mut sum, g) in sum.zip(g.column_iter()) {
                for (&row, &g) in rows.iter().zip(&g) {
                    sum[row] += g;
                }
            }
        })
    }

    fn chunk(&self, chunks: usize) -> Vec<Self> {
        let x = self.node.id;
        let values = self.value().chunk(chunks).into_iter().enumerate();
        let chunk = |(i, value): (usize, Matrix<F>)| {
            self.tape.record(&[x], value, move |g, to| {
                let columns = i * g.ncols()..(i + 1) * g.ncols();
                to.sum_mut(x).columns_range_mut(columns).add_assign(g);
            })
        };
        values.map(chunk).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let ids: Vec<_> = parts.iter().map(|x| x.node.id).collect();
        let values: Vec<_> =
            parts.iter().map(|x| x.value().clone()).collect();
        let joined = Matrix::concat(&values);
        parts[0].tape.record(&ids.clone(), joined, move |g, to| {
            let mut start = 0;
            for x in ids {
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
        let p = Arc::new(self.value().softmax(mask));
        self.unary(p.clone(), move |g| {
            let mut gradient = p.component_mul(g);
            for (mut row, p) in gradient.row_iter_mut().zip(p.row_iter()) {
                let mean = row.sum();
                row -= p * mean;
            }
            gradient
        })
    }
}

/// The sum of all rows, as one row.
pub(crate) fn sum_rows<F: Float>(m: &Matrix<F>) -> Matrix<F> {
    let sums = m.column_iter().map(|column| sum(column.as_slice()));
    Matrix::from_iterator(1, m.ncols(), sums)
}

impl<F: Float> Rowwise for Variable<F> {
    fn add_row(&self, row: &Self) -> Self {
        let value = self.value().add_row(row.value());
        let (x, row) = (self.node.id, row.node.id);
        self.tape.record(&[x, row], value, move |g, to| {
            to.add(x, g.clone());
            to.add(row, sum_rows(g));
        })
    }

    fn mul_row(&self, row: &Self) -> Self {
        let (x, row) = (self.node.clone(), row.node.clone());
        let value = x.value.mul_row(&row.value);
        self.tape.record(&[x.id, row.id], value, move |g, to| {
            to.add(x.id, g.mul_row(&row.value));
            let columns = g.column_iter().zip(x.value.column_iter());
            let sums = columns.map(|(g, x)| dot(g.as_slice(), x.as_slice()));
            to.add(row.id, Matrix::from_iterator(1, g.ncols(), sums));
        })
    }

    fn relu(&self) -> Self {
        let y = Arc::new(self.value().relu());
        self.unary(y.clone(), move |g| {
            g.zip_map(&y, |g, y| if y <= F::zero() { F::zero() } else { g })
        })
    }

    fn mul_cells(&self, other: &Self) -> Self {
        let (a, b) = (self.node.value.clone(), other.node.value.clone());
        let product = a.mul_cells(&b);
        Self::operation([self, other], product, move |g| {
            [g.component_mul(&b), g.component_mul(&a)]
        })
    }

    fn map_cells(
        &self,
        f: impl Fn(f64) -> f64,
        derivative: impl Fn(f64) -> f64 + 'static,
    ) -> Self {
        let x = self.node.value.clone();
        let value = x.map(|x| convert(f(convert_unchecked(x))));
        self.unary(value, move |g| {
            let slope =
                |x| convert::<f64, F>(derivative(convert_unchecked(x)));
            g.zip_map(&x, |g, x| g * slope(x))
        })
    }

    fn standardize(&self) -> Self {
        let centred_x = centred(self.value());
        let stds = row_stds(&centred_x);
        let y = Arc::new(divide_rows(centred_x, &stds));
        self.unary(y.clone(), move |g| {
            let along = g.component_mul(&y).column_mean();
            let mut gradient = centred(g);
            for (mut column, y) in
                gradient.column_iter_mut().zip(y.column_iter())
            {
                column -= y.component_mul(&along);
            }
            divide_rows(gradient, &stds)
        })
    }

    fn dropout(&self) -> Self {
        let Some(mask) = self.tape.dropout_mask(self.shape()) else {
            return self.clone();
        };
        self.unary(self.value().component_mul(&mask), move |g| {
            g.component_mul(&mask)
        })
    }
}

/// The highest part of the numbers that dropout can set to 0.
pub const MAX_DROPOUT: f64 = 0.99;

impl<F: Float> Tape<F> {
    /// A tape on which [`Rowwise::dropout`] sets a random part `rate` of the
    /// numbers to 0. With a rate of 0 it draws no random numbers.
    ///
    /// A number is dropped by 16 random bits, so the rate is rounded down to
    /// a multiple of 1/65536. Up to [`MAX_DROPOUT`] the mean of what is left
    /// is then at most 0.2 % too large.
    ///
    /// # Panics
    /// If the rate is not from 0 to [`MAX_DROPOUT`].
    pub fn with_dropout(rate: f64, rng: ChaCha8Rng) -> Self {
        let possible = (0.0..=MAX_DROPOUT).contains(&rate);
        assert!(possible, "dropout of {rate} is not from 0 to {MAX_DROPOUT}");
        let dropout = (rate > 0.0).then(|| (rate, Rc::new(rng.into())));
        Self { record: Rc::default(), dropout }
    }

    /// The dropout mask, if there is dropout: 0 for a random part of the
    /// numbers. The others grow, so that their sum stays the same on
    /// average.
    pub(crate) fn dropout_mask(
        &self,
        (rows, cols): (usize, usize),
    ) -> Option<Matrix<F>> {
        let (rate, rng) = self.dropout.as_ref()?;
        let mut dice = vec![0; rows * cols];
        rng.borrow_mut().fill::<u16>(&mut dice);
        let limit = (rate * 65536.0) as u16;
        let kept: F = convert(1.0 / (1.0 - rate));
        let factor = |&die| if die < limit { F::zero() } else { kept };
        let factors = dice.iter().map(factor);
        Some(Matrix::from_iterator(rows, cols, factors))
    }
}
