//! Matrices, and the operations that every formula of the model is written in.
//!
//! Rows are positions (words, queries, keys), columns are features.
//!
//! ```
//! use all_you_need::tensor::{Matrix, Tensor};
//! use nalgebra::dmatrix;
//!
//! let weights: Matrix = dmatrix![0.6, 0.4]; // 1 × 2
//! let values: Matrix = dmatrix![10.0; 5.0]; // 2 × 1
//! assert_eq!(weights.matmul(&values), dmatrix![8.0]);
//! ```

use nalgebra::{
    DMatrix, DMatrixView, DMatrixViewMut, Dyn, RealField, convert,
};
use rand::{Rng, RngExt};
use std::array::from_fn;
use std::cell::Cell;
use std::ops::Range;

/// The type of the numbers in a matrix: `f32` for speed, `f64` for checks.
pub trait Float: RealField + Copy {
    /// Replaces each number x by eˣ.
    fn exp_all(numbers: &mut [Self]) {
        numbers.iter_mut().for_each(|x| *x = x.exp());
    }

    /// This number plus a · b, rounded once if the processor can.
    #[must_use]
    fn plus_product(self, a: Self, b: Self) -> Self {
        self + a * b
    }

    /// The dot products of some rows of numbers with two others of their
    /// length, Σ a b.
    fn dots<const N: usize>(
        rows: [&[Self]; N],
        others: [&[Self]; 2],
    ) -> [[Self; 2]; N] {
        rows.map(|row| others.map(|other| dot(row, other)))
    }
}

impl Float for f64 {}

/// A matrix of numbers. Rows are positions, columns are features.
pub type Matrix<F = f64> = DMatrix<F>;

/// What every formula of the model is written in.
///
/// A [`Matrix`] computes the numbers. A [`Variable`](crate::gradient::Variable)
/// also remembers how they were made, and a [`Shape`](crate::costs::Shape)
/// only counts what they would cost. Where two sizes do not fit, all three
/// panic with the same sentence.
pub trait Tensor: Clone {
    /// The numbers of rows and columns.
    fn shape(&self) -> (usize, usize);

    /// The matrix product: n × k times k × m is n × m.
    ///
    /// # Panics
    /// If the columns of `self` are not as many as the rows of `other`.
    #[must_use]
    fn matmul(&self, other: &Self) -> Self;

    /// Turns rows into columns: n × m becomes m × n.
    #[must_use]
    fn transpose(&self) -> Self;

    /// A Bᵀ, the dot product of every row of A with every row of B:
    /// n × k and m × k give n × m.
    ///
    /// # Panics
    /// If the two have different numbers of columns.
    #[must_use]
    fn matmul_t(&self, other: &Self) -> Self {
        self.matmul(&other.transpose())
    }

    /// The sum, cell by cell, of two matrices of one size, n × m.
    ///
    /// # Panics
    /// If the sizes differ.
    #[must_use]
    fn add(&self, other: &Self) -> Self;

    /// Every cell multiplied by the same number.
    #[must_use]
    fn scale(&self, factor: f64) -> Self;

    /// The rows with these numbers, in this order: from n × m,
    /// `rows.len()` × m.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    fn gather(&self, rows: &[usize]) -> Self;

    /// Cuts n × m into `chunks` matrices of equal width, each n × m/chunks.
    ///
    /// # Panics
    /// If `chunks` does not divide the number of columns.
    #[must_use]
    fn chunk(&self, chunks: usize) -> Vec<Self>;

    /// Joins matrices side by side, the reverse of
    /// [`chunk`](Tensor::chunk): all have n rows, and their columns add up.
    ///
    /// # Panics
    /// If there are none, or their numbers of rows differ.
    #[must_use]
    fn concat(parts: &[Self]) -> Self;

    /// Numbers that are given and not learned, as a tensor of the same
    /// kind as `self`.
    #[must_use]
    fn constant(&self, values: &Matrix) -> Self;
}

type Size = (usize, usize);

/// The most numbers of a matrix whose size is given, and does not follow
/// from other matrices. Beyond 2⁶⁴ their count would begin again at 0.
const MAX_NUMBERS: usize = 1 << 30;

/// Panics unless a matrix can have this size.
pub(crate) fn check_size((rows, cols): Size) {
    let numbers = rows.checked_mul(cols);
    assert!(
        numbers.is_some_and(|numbers| numbers <= MAX_NUMBERS),
        "a matrix of {rows}×{cols} has more than 2³⁰ numbers"
    );
}

/// The size of a matrix product.
pub(crate) fn matmul_size((n, k): Size, (l, m): Size) -> Size {
    assert!(
        k == l,
        "matmul: {n}×{k} times {l}×{m}: {k} columns meet {l} rows"
    );
    // With k = 0 even two empty matrices have a product of any size.
    assert!(n.checked_mul(m).is_some(), "matmul: {n}×{m} is too large");
    (n, m)
}

/// The size of what is made cell by cell from two matrices.
pub(crate) fn same_size(what: &str, (n, m): Size, (k, l): Size) -> Size {
    assert!((n, m) == (k, l), "{what}: {n}×{m} and {k}×{l} differ in size");
    (n, m)
}

/// The size of a selection of rows.
pub(crate) fn gather_size((n, m): Size, rows: &[usize]) -> Size {
    if let Some(row) = rows.iter().find(|&&row| row >= n) {
        panic!("gather: no row {row} among {n}, counted from 0");
    }
    (rows.len(), m)
}

/// The size of each chunk.
pub(crate) fn chunk_size((n, m): Size, chunks: usize) -> Size {
    assert!(
        chunks > 0 && m.is_multiple_of(chunks),
        "chunk: {m} columns do not make {chunks} equal chunks"
    );
    (n, m / chunks)
}

/// The size of matrices joined side by side.
pub(crate) fn concat_size(sizes: impl Iterator<Item = Size>) -> Size {
    let join = |(n, m): Size, (k, l): Size| {
        assert!(n == k, "concat: {n} rows beside {k} rows");
        (n, m + l)
    };
    sizes.reduce(join).expect("concat: nothing to join")
}

/// The transpose of an n × k matrix `m`, without a copy. In the memory of `m`
/// a step down a column is 1 number long, and a step along a row n numbers.
/// In the view it is the other way round.
fn transposed<F: Float>(m: &Matrix<F>) -> DMatrixView<'_, F, Dyn, Dyn> {
    let (n, k) = m.shape();
    DMatrixView::from_slice_with_strides(m.as_slice(), k, n, n, 1)
}

/// Columns of numbers as they lie in memory: column j begins at the number
/// j · stride. They can be a part of a larger matrix.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a, F> {
    pub cells: &'a [F],
    pub stride: usize,
}

impl<'a, F: Float> From<&'a Matrix<F>> for Columns<'a, F> {
    fn from(m: &'a Matrix<F>) -> Self {
        Self { cells: m.as_slice(), stride: m.nrows() }
    }
}

/// The transpose of n × m numbers, with zeros below if `height` is more than
/// m. A square of numbers at a time comes from memory, is turned in the
/// nearest cache, and goes back: neighbours always travel together.
pub(crate) fn turned<F: Float>(
    from: Columns<F>,
    (n, m): Size,
    height: usize,
) -> Matrix<F> {
    let mut result = Matrix::zeros(height, n);
    for i in (0..n).step_by(LANES) {
        for j in (0..m).step_by(LANES) {
            let rows = LANES.min(n - i);
            let columns = LANES.min(m - j);
            let mut square = [[F::zero(); LANES]; LANES];
            let near = from.cells[j * from.stride..].chunks(from.stride);
            for (b, column) in near.take(columns).enumerate() {
                for (row, &x) in square.iter_mut().zip(&column[i..i + rows]) {
                    row[b] = x;
                }
            }
            let to = result.as_mut_slice()[i * height..].chunks_mut(height);
            for (to, row) in to.zip(&square[..rows]) {
                to[j..j + columns].copy_from_slice(&row[..columns]);
            }
        }
    }
    result
}

thread_local! {
    /// How many threads a product may take that is computed here.
    static THREADS: Cell<Option<usize>> = const { Cell::new(None) };
}

/// What `work` returns, whose large products are shared by so many threads.
pub(crate) fn with_threads<R>(threads: usize, work: impl FnOnce() -> R) -> R {
    let before = THREADS.replace(Some(threads));
    let result = work();
    THREADS.set(before);
    result
}

/// Without [`with_threads`], a thread that is one of several at work has only
/// itself, and any other has all.
fn threads() -> usize {
    let alone = rayon::current_thread_index().is_none();
    let all = || if alone { rayon::current_num_threads() } else { 1 };
    THREADS.get().unwrap_or_else(all)
}

/// With fewer multiply-adds than this a second thread is not worth waking.
const SHARED: usize = 1 << 22;

/// C = α A B + β C. Half of the threads compute the upper rows of the result
/// and half the lower ones, or the left columns and the right ones. How many
/// there are changes no number, since each cell is computed as before.
pub(crate) fn multiply<F: Float>(
    c: DMatrixViewMut<F>,
    a: &DMatrixView<F, Dyn, Dyn>,
    b: &DMatrixView<F, Dyn, Dyn>,
    factors: (F, F),
) {
    multiply_on(threads(), c, a, b, factors);
}

/// The same on so many threads.
fn multiply_on<F: Float>(
    threads: usize,
    mut c: DMatrixViewMut<F>,
    a: &DMatrixView<F, Dyn, Dyn>,
    b: &DMatrixView<F, Dyn, Dyn>,
    factors: (F, F),
) {
    let ((n, k), m) = (a.shape(), b.ncols());
    // In halves of fewer rows nalgebra would multiply in another way.
    let small = n * k * m < SHARED || n.max(m) < 4 * LANES;
    if threads == 1 || small {
        return c.gemm(factors.0, a, b, factors.1);
    }
    let half = (n.max(m) / 2).next_multiple_of(LANES);
    let (some, others) = (threads / 2, threads - threads / 2);
    if n > m {
        let (upper, lower) = c.rows_range_pair_mut(..half, half..);
        let (a, below) = (a.rows_range(..half), a.rows_range(half..));
        rayon::join(
            || multiply_on(some, upper, &a, b, factors),
            || multiply_on(others, lower, &below, b, factors),
        );
    } else {
        let (left, right) = c.columns_range_pair_mut(..half, half..);
        let (b, beside) = (b.columns_range(..half), b.columns_range(half..));
        rayon::join(
            || multiply_on(some, left, a, &b, factors),
            || multiply_on(others, right, a, &beside, factors),
        );
    }
}

/// A B, by [`multiply`]. What one thread computes needs no zeros to begin
/// with.
fn product<F: Float>(
    a: &DMatrixView<F, Dyn, Dyn>,
    b: &DMatrixView<F, Dyn, Dyn>,
) -> Matrix<F> {
    if threads() == 1 {
        return a * b;
    }
    let mut c = Matrix::zeros(a.nrows(), b.ncols());
    multiply(c.as_view_mut(), a, b, (F::one(), F::zero()));
    c
}

/// With so few rows on one side, a product is computed here. nalgebra first
/// copies both matrices into another order, which pays for many rows only.
const FEW_ROWS: usize = 16;

/// A column of a matrix, which is in one piece in memory.
fn column<F: Float>(m: &Matrix<F>, j: usize) -> &[F] {
    &m.as_slice()[j * m.nrows()..][..m.nrows()]
}

/// How many columns of X are met by the same numbers while these are in
/// registers, at most.
const TOGETHER: usize = 5;

/// Xᵀ W, n × m, for X, k × n, with few columns, and W, k × m. Two columns of
/// W come from memory once, and meet all columns of X.
fn few_rows<F: Float>(x: &Matrix<F>, w: &Matrix<F>) -> Matrix<F> {
    let (n, m) = (x.ncols(), w.ncols());
    let mut result = Matrix::zeros(n, m);
    for next in (0..m).step_by(2) {
        let next = [next, m.min(next + 2) - 1];
        let mut first = 0;
        while first < n {
            let meet = match n - first {
                1 => meet::<F, 1>,
                2..TOGETHER => meet::<F, 2>,
                _ => meet::<F, TOGETHER>,
            };
            first += meet(&mut result, x, w, next, first);
        }
    }
    result
}

/// The cells of N rows of the result, from `first` on, in two columns.
/// Returns N.
fn meet<F: Float, const N: usize>(
    result: &mut Matrix<F>,
    x: &Matrix<F>,
    w: &Matrix<F>,
    columns: [usize; 2],
    first: usize,
) -> usize {
    let rows = from_fn(|i| column(x, first + i));
    let dots = F::dots::<N>(rows, columns.map(|j| column(w, j)));
    for (i, dots) in dots.into_iter().enumerate() {
        for (j, dot) in columns.into_iter().zip(dots) {
            result[(first + i, j)] = dot;
        }
    }
    N
}

/// How many rows of a result are added up in registers.
pub(crate) const LANES: usize = 16;

/// So many features of E, or more while they fit the nearest cache, are met by
/// all columns of X before the next ones are. Memory delivers whole columns
/// faster than pieces of them.
const FEATURES: usize = 16;

/// How many numbers fit the nearest cache.
const NEAR: usize = 4096;

/// A tile with more rows than this is one for nalgebra.
const LOW: usize = 4 * LANES;

impl<'a, F: Float> Columns<'a, F> {
    /// One of the columns, and what comes after it.
    fn column(self, j: usize) -> &'a [F] {
        &self.cells[j * self.stride..]
    }

    /// The first `rows` of so many columns.
    fn view(
        self,
        rows: usize,
        columns: usize,
    ) -> DMatrixView<'a, F, Dyn, Dyn> {
        let Self { cells, stride } = self;
        DMatrixView::from_slice_with_strides(cells, rows, columns, 1, stride)
    }
}

/// E X, m × n, for a tile E, m × k, and the first k rows of n columns.
pub(crate) fn times<F: Float>(
    e: &Matrix<F>,
    x: Columns<F>,
    n: usize,
) -> Matrix<F> {
    match e.nrows() {
        ..=LOW => few_columns(e, x, n),
        _ => e * x.view(e.ncols(), n),
    }
}

/// Eᵀ X, m × n, for the first k rows of a tile E with m columns, and of n
/// columns. There may be more rows, which are no use.
pub(crate) fn turned_times<F: Float>(
    e: &Matrix<F>,
    k: usize,
    x: Columns<F>,
    n: usize,
) -> Matrix<F> {
    let m = e.ncols();
    if e.nrows() > LOW {
        // The tile is the largest of the three, and stays as it is.
        let result = turned(x, (k, n), n) * e.rows(0, k);
        return turned((&result).into(), (n, m), m);
    }
    let e = turned(e.into(), (k, m), m.next_multiple_of(LANES));
    few_columns(&e, x, n)
}

/// The same if E has few rows or X few columns. Each number of E comes from
/// memory once, and meets all columns of X.
fn few_columns<F: Float>(
    e: &Matrix<F>,
    x: Columns<F>,
    n: usize,
) -> Matrix<F> {
    let (m, k) = e.shape();
    let mut result = Matrix::zeros(m, n);
    let wide = FEATURES.max(NEAR / m.max(1));
    for feature in (0..k).step_by(wide) {
        let features = feature..k.min(feature + wide);
        let mut first = 0;
        while first < n {
            let add = match n - first {
                1 => add_features::<F, 1>,
                2..TOGETHER => add_features::<F, 2>,
                _ => add_features::<F, TOGETHER>,
            };
            first += add(&mut result, e, x, &features, first);
        }
    }
    result
}

/// Adds to N columns of the result, from `first` on, what some features of E
/// give with N columns of X. Returns N.
fn add_features<F: Float, const N: usize>(
    result: &mut Matrix<F>,
    e: &Matrix<F>,
    x: Columns<F>,
    features: &Range<usize>,
    first: usize,
) -> usize {
    let rest = e.nrows() - e.nrows() % LANES;
    for row in (0..rest).step_by(LANES) {
        add_block::<F, LANES, N>(result, e, x, row, features, first);
    }
    for row in rest..e.nrows() {
        for column in first..first + N {
            add_block::<F, 1, 1>(result, e, x, row, features, column);
        }
    }
    N
}

/// The same for L rows, whose sums are read and written once.
#[inline]
fn add_block<F: Float, const L: usize, const N: usize>(
    result: &mut Matrix<F>,
    e: &Matrix<F>,
    x: Columns<F>,
    row: usize,
    features: &Range<usize>,
    first: usize,
) {
    let factors: [&[F]; N] =
        from_fn(|j| &x.column(first + j)[features.clone()]);
    let mut sums = [[F::zero(); L]; N];
    for (j, sums) in sums.iter_mut().enumerate() {
        sums.copy_from_slice(&column(result, first + j)[row..][..L]);
    }
    for (i, feature) in features.clone().enumerate() {
        let cells: [F; L] =
            *column(e, feature)[row..].first_chunk().expect("L rows");
        for (sums, factors) in sums.iter_mut().zip(&factors) {
            let factor = factors[i];
            for (sum, cell) in sums.iter_mut().zip(cells) {
                *sum = sum.plus_product(cell, factor);
            }
        }
    }
    let m = result.nrows();
    for (j, sums) in sums.iter().enumerate() {
        result.as_mut_slice()[(first + j) * m..][row..][..L]
            .copy_from_slice(sums);
    }
}

/// The first implementation: a matrix computes the numbers.
impl<F: Float> Tensor for Matrix<F> {
    fn shape(&self) -> Size {
        (self.nrows(), self.ncols())
    }

    fn matmul(&self, other: &Self) -> Self {
        matmul_size(self.shape(), other.shape());
        if self.nrows() <= FEW_ROWS {
            return few_rows(&self.transpose(), other);
        }
        product(&self.as_view(), &other.as_view())
    }

    fn transpose(&self) -> Self {
        turned(self.into(), self.shape(), self.ncols())
    }

    fn matmul_t(&self, other: &Self) -> Self {
        let (n, k) = other.shape();
        matmul_size(self.shape(), (k, n));
        if other.nrows() <= FEW_ROWS {
            return few_columns(self, (&other.transpose()).into(), n);
        }
        if self.nrows() <= FEW_ROWS {
            let x = self.transpose();
            return few_columns(other, (&x).into(), x.ncols()).transpose();
        }
        product(&self.as_view(), &transposed(other))
    }

    fn add(&self, other: &Self) -> Self {
        same_size("add", self.shape(), other.shape());
        self + other
    }

    fn scale(&self, factor: f64) -> Self {
        self * convert::<f64, F>(factor)
    }

    fn gather(&self, rows: &[usize]) -> Self {
        gather_size(self.shape(), rows);
        self.select_rows(rows)
    }

    fn chunk(&self, chunks: usize) -> Vec<Self> {
        let (_, width) = chunk_size(self.shape(), chunks);
        let chunk = |i| self.columns(i * width, width).into_owned();
        (0..chunks).map(chunk).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let (rows, cols) = concat_size(parts.iter().map(Tensor::shape));
        let columns = parts.iter().flat_map(|part| part.column_iter());
        let cells = columns.flat_map(|column| column.into_iter().copied());
        Self::from_iterator(rows, cols, cells)
    }

    fn constant(&self, values: &Matrix) -> Self {
        values.map(convert)
    }
}

/// Where the parameters of a new layer come from.
///
/// Every random number generator is one: it makes matrices, of at most 2³⁰
/// numbers, and panics if one should be larger.
pub trait Init<T> {
    /// `rows` × `cols` independent random numbers with mean 0 and standard
    /// deviation `std`, all between the same bounds equally likely.
    fn uniform(&mut self, rows: usize, cols: usize, std: f64) -> T;

    /// A matrix, `rows` × `cols`, with this number in every cell.
    fn filled(&mut self, rows: usize, cols: usize, value: f64) -> T;

    /// A weight matrix, `rows` × `cols`, as Glorot and Bengio (2010) start
    /// it, so that numbers keep their size on the way forward and gradients
    /// on the way back.
    fn weight(&mut self, rows: usize, cols: usize) -> T {
        self.fused_weight(rows, cols, cols)
    }

    /// One of several weight matrices that multiply the same rows. Side by
    /// side they are one matrix of `fan_out` columns, and this one gets
    /// numbers of the size that the wide one would get.
    fn fused_weight(
        &mut self,
        rows: usize,
        cols: usize,
        fan_out: usize,
    ) -> T {
        self.uniform(rows, cols, (2.0 / (rows + fan_out) as f64).sqrt())
    }
}

impl<F: Float, R: Rng> Init<Matrix<F>> for R {
    fn uniform(&mut self, rows: usize, cols: usize, std: f64) -> Matrix<F> {
        check_size((rows, cols));
        // Numbers spread evenly from −a to a have the standard deviation a/√3.
        let a = std * 3f64.sqrt();
        let number = |_, _| convert(self.random_range(-a..=a));
        Matrix::from_fn(rows, cols, number)
    }

    fn filled(&mut self, rows: usize, cols: usize, value: f64) -> Matrix<F> {
        check_size((rows, cols));
        Matrix::from_element(rows, cols, convert(value))
    }
}

/// Combines all numbers with `f`, in sixteen independent strands: a
/// processor adds several numbers at once if none waits for another.
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
    for (strand, &x) in strands.iter_mut().zip(rest) {
        *strand = f(*strand, x);
    }
    combine(strands, f)
}

/// One number from sixteen strands, as in a tree.
#[inline]
fn combine<F: Float>(mut strands: [F; 16], f: impl Fn(F, F) -> F) -> F {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            strands[i] = f(strands[i], strands[i + half]);
        }
    }
    strands[0]
}

/// The dot product of two rows of numbers, Σ a b.
#[inline]
pub(crate) fn dot<F: Float>(a: &[F], b: &[F]) -> F {
    let (a, rest_a) = a.as_chunks::<16>();
    let (b, rest_b) = b.as_chunks::<16>();
    let mut strands = [F::zero(); 16];
    for (a, b) in a.iter().zip(b) {
        for i in 0..16 {
            strands[i] += a[i] * b[i];
        }
    }
    for (sum, (&a, &b)) in strands.iter_mut().zip(rest_a.iter().zip(rest_b)) {
        *sum += a * b;
    }
    combine(strands, |a, b| a + b)
}

/// The largest number, −∞ if there are none. NaN may be passed over.
pub(crate) fn max<F: Float>(numbers: &[F]) -> F {
    let lowest = convert(f64::NEG_INFINITY);
    fold(numbers, lowest, |a, b| if a > b { a } else { b })
}

/// The sum of all numbers.
pub(crate) fn sum<F: Float>(numbers: &[F]) -> F {
    fold(numbers, F::zero(), |a, b| a + b)
}
