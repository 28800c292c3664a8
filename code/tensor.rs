//! Matrices, what the model asks of them, and matrices without numbers.

use nalgebra::{DMatrix, RealField, convert};
use rand::{Rng, RngExt};
use std::{cell::Cell, rc::Rc};

/// The numbers in a matrix: `f32` to be quick, `f64` to be sure.
pub trait Float: RealField + Copy {
    /// Each number becomes its exponential.
    fn exp_all(numbers: &mut [Self]) {
        numbers.iter_mut().for_each(|x| *x = x.exp());
    }
}

impl Float for f64 {}

/// All numbers taken together by `f`, in sixteen strands that do not wait
/// for each other.
pub(crate) fn fold<F: Float>(
    numbers: &[F],
    start: F,
    f: impl Fn(F, F) -> F,
) -> F {
    let (blocks, rest) = numbers.as_chunks::<16>();
    let mut strands = [start; 16];
    for block in blocks {
        for (strand, &x) in strands.iter_mut().zip(block) {
            *strand = f(*strand, x);
        }
    }
    strands.iter().chain(rest).fold(start, |all, &x| f(all, x))
}

/// Σ x.
pub(crate) fn sum<F: Float>(numbers: &[F]) -> F {
    fold(numbers, F::zero(), |a, b| a + b)
}

/// Rows are positions, columns are features.
pub type Matrix<F = f64> = DMatrix<F>;

/// What every formula of the model is written in.
///
/// A [`Matrix`] computes the value. A [`Shape`] counts what it would cost.
/// Where two sizes do not fit, both panic with the same sentence.
pub trait Tensor: Clone {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);

    /// The matrix product: n × k times k × m is n × m.
    fn matmul(&self, other: &Self) -> Self;

    /// Rows become columns: n × m is m × n.
    fn transpose(&self) -> Self;

    /// A Bᵀ, the dot product of every row of A with every row of B:
    /// n × k and m × k give n × m.
    fn matmul_t(&self, other: &Self) -> Self {
        self.matmul(&other.transpose())
    }

    /// Cell by cell, both n × m.
    fn add(&self, other: &Self) -> Self;

    /// Every cell times the same number.
    fn scale(&self, factor: f64) -> Self;

    /// The rows named, in the order named: of n × m, `rows.len()` × m.
    fn gather(&self, rows: &[usize]) -> Self;

    /// Cut into `parts` of equal width: n × m is so many of n × m/parts.
    fn split(&self, parts: usize) -> Vec<Self>;

    /// Side by side: the reverse of [`split`](Tensor::split).
    fn concat(parts: &[Self]) -> Self;

    /// Numbers from outside, given and not learned, to compute with `self`.
    fn constant(&self, values: &Matrix) -> Self;
}

type Size = (usize, usize);

/// The size of a product, or a sentence that says why there is none.
fn product((n, k): Size, (l, m): Size) -> Size {
    assert!(
        k == l,
        "matmul: {n}×{k} times {l}×{m}: {k} columns meet {l} rows"
    );
    (n, m)
}

fn equal((n, m): Size, (k, l): Size) -> Size {
    assert!((n, m) == (k, l), "add: {n}×{m} and {k}×{l} differ in size");
    (n, m)
}

fn gathered((n, m): Size, rows: &[usize]) -> Size {
    if let Some(row) = rows.iter().find(|&&row| row >= n) {
        panic!("gather: no row {row} among {n}, counted from 0");
    }
    (rows.len(), m)
}

fn divided((n, m): Size, parts: usize) -> Size {
    assert!(
        parts > 0 && m.is_multiple_of(parts),
        "split: {m} columns do not make {parts} equal parts"
    );
    (n, m / parts)
}

fn joined((n, m): Size, (k, l): Size) -> Size {
    assert!(n == k, "concat: {n} rows beside {k} rows");
    (n, m + l)
}

/// The first reading: a matrix, and the value.
impl<F: Float> Tensor for Matrix<F> {
    fn shape(&self) -> Size {
        (self.nrows(), self.ncols())
    }

    fn matmul(&self, other: &Self) -> Self {
        product(self.shape(), other.shape());
        self * other
    }

    fn transpose(&self) -> Self {
        DMatrix::transpose(self)
    }

    fn add(&self, other: &Self) -> Self {
        equal(self.shape(), other.shape());
        self + other
    }

    fn scale(&self, factor: f64) -> Self {
        self * convert::<f64, F>(factor)
    }

    fn gather(&self, rows: &[usize]) -> Self {
        gathered(self.shape(), rows);
        self.select_rows(rows)
    }

    fn split(&self, parts: usize) -> Vec<Self> {
        let (_, width) = divided(self.shape(), parts);
        let part = |i| self.columns(i * width, width).into_owned();
        (0..parts).map(part).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let size = parts.iter().map(Tensor::shape).reduce(joined);
        let (rows, cols) = size.expect("concat: nothing to join");
        let columns = parts.iter().flat_map(|part| part.column_iter());
        let cells = columns.flat_map(|column| column.into_iter().copied());
        Self::from_iterator(rows, cols, cells)
    }

    fn constant(&self, values: &Matrix) -> Self {
        values.map(convert)
    }
}

/// The cost of a computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Multiplications whose result is added to a sum.
    pub multiply_adds: u64,
    /// Exponentials, all of them a softmax's.
    pub exponentials: u64,
    /// Numbers written: the memory, if nothing is forgotten.
    pub numbers: u64,
}

/// What a computation costs, added up by all the shapes that took part in it.
#[derive(Clone, Default)]
pub struct Bill(Rc<Cell<Cost>>);

/// The second reading: a matrix without its numbers.
///
/// Computes nothing, but knows the size of every result and writes down what
/// the numbers would have cost.
#[derive(Clone)]
pub struct Shape {
    rows: usize,
    cols: usize,
    bill: Bill,
}

impl Bill {
    /// A matrix that has a size and no numbers, and puts its costs here.
    pub fn shape(&self, rows: usize, cols: usize) -> Shape {
        let bill = self.clone();
        Shape { rows, cols, bill }
    }

    /// What has been spent so far.
    pub fn cost(&self) -> Cost {
        self.0.get()
    }
}

impl Shape {
    /// The result of an operation: of this size, for this much work.
    pub(crate) fn result(&self, (rows, cols): Size, work: Cost) -> Self {
        let spent = self.bill.cost();
        self.bill.0.set(Cost {
            multiply_adds: spent.multiply_adds + work.multiply_adds,
            exponentials: spent.exponentials + work.exponentials,
            numbers: spent.numbers + (rows * cols) as u64,
        });
        self.bill.shape(rows, cols)
    }

    /// A result that was only written: nothing multiplied and summed up.
    fn written(&self, size: Size) -> Self {
        self.result(size, Cost::default())
    }
}

impl Tensor for Shape {
    fn shape(&self) -> Size {
        (self.rows, self.cols)
    }

    fn matmul(&self, other: &Self) -> Self {
        let (rows, cols) = product(self.shape(), other.shape());
        let multiply_adds = (rows * self.cols * cols) as u64;
        let work = Cost { multiply_adds, ..Cost::default() };
        self.result((rows, cols), work)
    }

    fn transpose(&self) -> Self {
        self.written((self.cols, self.rows))
    }

    fn add(&self, other: &Self) -> Self {
        self.written(equal(self.shape(), other.shape()))
    }

    fn scale(&self, _: f64) -> Self {
        self.written(self.shape())
    }

    fn gather(&self, rows: &[usize]) -> Self {
        self.written(gathered(self.shape(), rows))
    }

    fn split(&self, parts: usize) -> Vec<Self> {
        let size = divided(self.shape(), parts);
        (0..parts).map(|_| self.written(size)).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let size = parts.iter().map(Tensor::shape).reduce(joined);
        let size = size.expect("concat: nothing to join");
        parts[0].written(size)
    }

    fn constant(&self, values: &Matrix) -> Self {
        self.bill.shape(values.nrows(), values.ncols())
    }
}

/// Where a layer's parameters come from, in either reading.
pub trait Init<T> {
    /// Random numbers, independent, with mean 0 and deviation `deviation`.
    fn noise(&mut self, rows: usize, cols: usize, deviation: f64) -> T;

    /// The same number everywhere.
    fn filled(&mut self, rows: usize, cols: usize, value: f64) -> T;

    /// A weight matrix as Glorot and Bengio (2010) start it, so that numbers
    /// keep their size on the way forward and gradients on the way back.
    fn weight(&mut self, rows: usize, cols: usize) -> T {
        self.beside(rows, cols, cols)
    }

    /// One of several that stand side by side and read the same rows: they
    /// start as a single one with all their columns would.
    fn beside(&mut self, rows: usize, cols: usize, all: usize) -> T {
        self.noise(rows, cols, (2.0 / (rows + all) as f64).sqrt())
    }
}

/// A generator of random numbers makes matrices.
impl<F: Float, R: Rng> Init<Matrix<F>> for R {
    fn noise(
        &mut self,
        rows: usize,
        cols: usize,
        deviation: f64,
    ) -> Matrix<F> {
        // Uniform on ±a has the deviation a/√3.
        let a = deviation * 3f64.sqrt();
        let number = |_, _| convert(self.random_range(-a..=a));
        Matrix::from_fn(rows, cols, number)
    }

    fn filled(&mut self, rows: usize, cols: usize, value: f64) -> Matrix<F> {
        Matrix::from_element(rows, cols, convert(value))
    }
}

/// A bill makes shapes.
impl Init<Shape> for Bill {
    fn noise(&mut self, rows: usize, cols: usize, _: f64) -> Shape {
        self.shape(rows, cols)
    }

    fn filled(&mut self, rows: usize, cols: usize, _: f64) -> Shape {
        self.shape(rows, cols)
    }
}
