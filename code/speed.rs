//! Faster ways to the same numbers: attention in blocks of the mask, a loss
//! that never holds all logits, and exponentials of many `f32`s.
//!
//! Nothing here is called by its name. The functions implement traits of
//! earlier modules for matrices and variables, and replace their default
//! methods, which compute the formulas as they are written.
//!
//! ```
//! use all_you_need::attention::Mask;
//! use all_you_need::heads::{Heads, attend_by_head};
//! use all_you_need::tensor::Matrix;
//!
//! // Two sentences of 2 and 3 words, two heads.
//! let mask = Mask::packed(&[2, 3], &[2, 3]);
//! let x = Matrix::from_fn(5, 4, |i, j| ((i + j) as f64).sin());
//! let fast = Matrix::attend_heads(&x, &x, &x, 2, &mask);
//! let formula = attend_by_head(&x, &x, &x, 2, &mask);
//! assert!((fast - formula).norm() < 1e-12);
//! ```

use crate::attention::Mask;
use crate::costs::Bill;
use crate::gradient::Variable;
use crate::heads::{Heads, attend_by_head};
use crate::loss::{TiedCrossEntropy, summand};
use crate::search::CacheOps;
use crate::tensor::{
    Columns, Float, LANES, Matrix, concat_size, dot, max, multiply, sum,
    times, turned, turned_times,
};
use crate::tokens::Token;
use nalgebra::{DMatrixView, Dyn, convert};
use rayon::prelude::*;
use std::f32::consts::LOG2_E;
use std::ops::Range;
use wide::f32x8;

/// The blocks of a mask: neighbouring queries whose ranges of keys begin at
/// the same key, and the keys that they see, if any.
fn blocks(mask: &Mask) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let mut first = 0;
    let together = mask.visible().chunk_by(|a, b| a.start == b.start);
    let blocks = together.map(move |seen| {
        let queries = first..first + seen.len();
        first = queries.end;
        let end = seen.iter().map(|keys| keys.end).max();
        (queries, seen[0].start..end.unwrap_or(0))
    });
    blocks.filter(|(_, keys)| !keys.is_empty())
}

/// With fewer numbers than this the heads are not worth a thread each.
const APART: usize = 1 << 16;

/// The columns of each head in a matrix of these numbers, for a thread each
/// if they are many.
fn by_head<F: Float>(
    cells: &mut [F],
    heads: usize,
) -> impl IndexedParallelIterator<Item = &mut [F]> {
    let together = if cells.len() < APART { heads } else { 1 };
    let width = (cells.len() / heads).max(1);
    cells.par_chunks_mut(width).with_min_len(together)
}

/// The columns of one of all heads.
fn columns<F: Float>(
    m: &Matrix<F>,
    heads: usize,
    head: usize,
) -> Range<usize> {
    let width = m.ncols() / heads;
    head * width..(head + 1) * width
}

/// These rows of these columns of a matrix, where they are.
fn part<'a, F: Float>(
    matrix: &'a Matrix<F>,
    rows: &Range<usize>,
    columns: &Range<usize>,
) -> Columns<'a, F> {
    let stride = matrix.nrows();
    let cells = &matrix.as_slice()[columns.start * stride + rows.start..];
    Columns { cells, stride }
}

/// Their transpose.
fn transpose_of<F: Float>(
    matrix: &Matrix<F>,
    rows: &Range<usize>,
    columns: &Range<usize>,
) -> Matrix<F> {
    let size = (rows.len(), columns.len());
    turned(part(matrix, rows, columns), size, columns.len())
}

/// A copy of them. Zeros below fill the last block of rows.
fn padded<F: Float>(
    matrix: &Matrix<F>,
    rows: &Range<usize>,
    columns: &Range<usize>,
) -> Matrix<F> {
    let height = rows.len().next_multiple_of(LANES);
    let mut copy = Matrix::zeros(height, columns.len());
    let to = copy.as_mut_slice().chunks_exact_mut(height);
    for (to, column) in to.zip(columns.clone()) {
        to[..rows.len()].copy_from_slice(cells(matrix, rows, column));
    }
    copy
}

/// Adds a tile, times a factor, to these rows of a head's columns, each of
/// which has `height` numbers.
fn add_tile<F: Float>(
    head: &mut [F],
    height: usize,
    rows: &Range<usize>,
    tile: &Matrix<F>,
    factor: F,
) {
    let columns = tile.as_slice().chunks_exact(tile.nrows());
    for (to, column) in head.chunks_exact_mut(height).zip(columns) {
        for (to, &x) in to[rows.clone()].iter_mut().zip(column) {
            *to += factor * x;
        }
    }
}

/// Replaces each score s by e^(s − max). Returns the maximum, and the sum of
/// the new numbers.
fn exp_minus_max<F: Float>(scores: &mut [F]) -> (F, F) {
    let max = max(scores);
    scores.iter_mut().for_each(|score| *score -= max);
    F::exp_all(scores);
    (max, sum(scores))
}

/// Turns scores into weights that sum to 1.
fn softmax<F: Float>(scores: &mut [F]) {
    let (_, sum) = exp_minus_max(scores);
    let share = F::one() / sum;
    scores.iter_mut().for_each(|power| *power *= share);
}

/// Turns scores, keys × queries, into attention weights, column by column.
/// Each query sees the first of the block's keys, and as many as its range in
/// `visible` has. In whole blocks of lanes no exponential is computed alone.
fn softmax_columns<F: Float>(
    scores: &mut Matrix<F>,
    visible: &[Range<usize>],
) {
    let height = scores.nrows();
    let columns = scores.as_mut_slice().chunks_exact_mut(height);
    for (column, seen) in columns.zip(visible) {
        let lanes = seen.len().next_multiple_of(LANES);
        let (near, unseen) = column.split_at_mut(lanes);
        near[seen.len()..].fill(convert(f64::NEG_INFINITY));
        softmax(near);
        unseen.fill(F::zero());
    }
}

/// The attention weights of one head in each block of a mask, keys × queries.
/// Below the keys are rows of zeros.
type Weights<F> = Vec<Matrix<F>>;

/// [`attend_by_head`], block by block: the result, n × h·d_v, and the weights
/// of each head.
fn attend_blocks<F: Float>(
    [q, k, v]: [&Matrix<F>; 3],
    heads: usize,
    mask: &Mask,
) -> (Matrix<F>, Vec<Weights<F>>) {
    check_sizes([q, k, v], heads, mask);
    let (n, scale) = (q.nrows(), scale(q, heads));
    let mut result = Matrix::zeros(n, v.ncols());
    let head = |(head, result): (usize, &mut [F])| {
        let [in_q, in_k, in_v] = [q, k, v].map(|m| columns(m, heads, head));
        let block = |(queries, keys): (Range<usize>, Range<usize>)| {
            let q_t = transpose_of(q, &queries, &in_q);
            let keys_here = padded(k, &keys, &in_k);
            let mut p = times(&keys_here, (&q_t).into(), queries.len());
            p *= scale;
            softmax_columns(&mut p, &mask.visible()[queries.clone()]);
            let values = part(v, &keys, &in_v);
            let answers = turned_times(&p, keys.len(), values, in_v.len());
            add_tile(result, n, &queries, &answers, F::one());
            p
        };
        blocks(mask).map(block).collect()
    };
    let weights = by_head(result.as_mut_slice(), heads).enumerate().map(head);
    let weights = weights.collect();
    (result, weights)
}

impl<F: Float> Heads for Matrix<F> {
    fn attend_heads(
        q: &Self,
        k: &Self,
        v: &Self,
        heads: usize,
        mask: &Mask,
    ) -> Self {
        attend_blocks([q, k, v], heads, mask).0
    }
}

/// Panics as the formula does if the sizes do not fit: it runs on shapes.
fn check_sizes<F: Float>(
    [q, k, v]: [&Matrix<F>; 3],
    heads: usize,
    mask: &Mask,
) {
    let bill = Bill::default();
    let [q, k, v] = [q, k, v].map(|x| bill.shape(x.nrows(), x.ncols()));
    let _ = attend_by_head(&q, &k, &v, heads, mask);
}

/// 1 / √d_k, for queries q of all heads, n × h·d_k.
fn scale<F: Float>(q: &Matrix<F>, heads: usize) -> F {
    convert((heads as f64 / q.ncols() as f64).sqrt())
}

/// Turns the gradient of attention weights into that of their scores, both
/// keys × queries. Below the first `keys` rows are zeros.
fn softmax_backward<F: Float>(p: &Matrix<F>, g: &mut Matrix<F>, keys: usize) {
    for (mut g, p) in g.column_iter_mut().zip(p.column_iter()) {
        let mean = g.rows(0, keys).dot(&p.rows(0, keys));
        g.zip_apply(&p, |g, p| *g = p * (*g - mean));
    }
}

/// The gradients of queries, keys and values, given the gradient `g` of the
/// result and the weights of each head.
fn attend_backward<F: Float>(
    g: &Matrix<F>,
    [q, k, v]: [&Matrix<F>; 3],
    heads: usize,
    mask: &Mask,
    weights: &[Weights<F>],
) -> [Matrix<F>; 3] {
    let scale = scale(q, heads);
    let mut to = [q, k, v].map(|m| Matrix::zeros(m.nrows(), m.ncols()));
    let [to_q, to_k, to_v] =
        to.each_mut().map(|to| by_head(to.as_mut_slice(), heads));
    let (n, m) = (q.nrows(), k.nrows());
    let gradients = to_q.zip(to_k).zip(to_v).zip(weights).enumerate();
    gradients.for_each(|(head, (((to_q, to_k), to_v), weights))| {
        let [in_q, in_k, in_v] = [q, k, v].map(|m| columns(m, heads, head));
        for ((queries, keys), p) in blocks(mask).zip(weights) {
            // Blocks may share keys, but not queries.
            let here = times(p, part(g, &queries, &in_v), in_v.len());
            add_tile(to_v, m, &keys, &here, F::one());
            let values = padded(v, &keys, &in_v);
            let g_t = transpose_of(g, &queries, &in_v);
            let mut to_p = times(&values, (&g_t).into(), queries.len());
            softmax_backward(p, &mut to_p, keys.len());
            let here = times(&to_p, part(q, &queries, &in_q), in_q.len());
            add_tile(to_k, m, &keys, &here, scale);
            let here = part(k, &keys, &in_k);
            let here = turned_times(&to_p, keys.len(), here, in_k.len());
            add_tile(to_q, n, &queries, &here, scale);
        }
    });
    to
}

impl<F: Float> Heads for Variable<F> {
    fn attend_heads(
        q: &Self,
        k: &Self,
        v: &Self,
        heads: usize,
        mask: &Mask,
    ) -> Self {
        let inputs = [q, k, v].map(|x| x.node.clone());
        let mask = mask.clone();
        let values = [q, k, v].map(Variable::value);
        let (result, weights) = attend_blocks(values, heads, &mask);
        let ids = inputs.each_ref().map(|x| x.id);
        q.tape.record(&ids, result, move |g, to| {
            let values = inputs.each_ref().map(|x| &*x.value);
            let gradients =
                attend_backward(g, values, heads, &mask, &weights);
            for (x, gradient) in inputs.iter().zip(gradients) {
                to.add(x.id, gradient);
            }
        })
    }
}

impl<F: Float> CacheOps for Matrix<F> {
    fn append_columns(&mut self, columns: &Self) {
        let sizes = [self.shape(), columns.shape()];
        let (rows, cols) = concat_size(sizes.into_iter());
        let old = std::mem::replace(self, Self::zeros(0, 0));
        let mut cells: Vec<F> = old.data.into();
        cells.extend_from_slice(columns.as_slice());
        *self = Self::from_vec(rows, cols, cells);
    }

    fn attend_columns(
        q: &Self,
        k_t: &Self,
        v_t: &Self,
        heads: usize,
        columns: &[Vec<usize>],
    ) -> Self {
        check_columns([q, k_t, v_t], heads, columns);
        let (q_t, scale) = (q.transpose(), scale(q, heads));
        let mut result = Matrix::zeros(v_t.nrows(), q.nrows());
        let (d_k, d_v) = (k_t.nrows() / heads, v_t.nrows() / heads);
        let mut weights = Vec::new();
        for (i, columns) in columns.iter().enumerate() {
            let mut result = result.column_mut(i);
            for (head, result) in
                result.as_mut_slice().chunks_exact_mut(d_v).enumerate()
            {
                let d_k = head * d_k..(head + 1) * d_k;
                let d_v = head * d_v..(head + 1) * d_v;
                let query = cells(&q_t, &d_k, i);
                let score =
                    |&key: &usize| dot(query, cells(k_t, &d_k, key)) * scale;
                weights.clear();
                weights.extend(columns.iter().map(score));
                softmax(&mut weights);
                let values = columns.iter().map(|&key| cells(v_t, &d_v, key));
                weighted_sum(result, &weights, values);
            }
        }
        result.transpose()
    }
}

/// The sizes must fit as they must for shapes, and the columns exist.
fn check_columns<F: Float>(
    [q, k_t, v_t]: [&Matrix<F>; 3],
    heads: usize,
    columns: &[Vec<usize>],
) {
    let bill = Bill::default();
    let [q, k, v] = [q, k_t, v_t].map(|x| bill.shape(x.nrows(), x.ncols()));
    let _ = CacheOps::attend_columns(&q, &k, &v, heads, columns);
}

/// Some rows of a column.
fn cells<'a, F: Float>(
    matrix: &'a Matrix<F>,
    rows: &Range<usize>,
    column: usize,
) -> &'a [F] {
    &matrix.as_slice()[column * matrix.nrows()..][rows.clone()]
}

/// Σ weight · column. The sums of sixteen rows are formed together, in the
/// registers of the processor.
fn weighted_sum<'a, F: Float>(
    sum: &mut [F],
    weights: &[F],
    columns: impl Iterator<Item = &'a [F]> + Clone,
) {
    let (blocks, rest) = sum.as_chunks_mut::<16>();
    for (i, block) in blocks.iter_mut().enumerate() {
        for (&weight, column) in weights.iter().zip(columns.clone()) {
            let column = &column.as_chunks::<16>().0[i];
            for (sum, &x) in block.iter_mut().zip(column) {
                *sum += weight * x;
            }
        }
    }
    let done = 16 * blocks.len();
    for (&weight, column) in weights.iter().zip(columns) {
        for (sum, &x) in rest.iter_mut().zip(&column[done..]) {
            *sum += weight * x;
        }
    }
}

/// The cross-entropy of one row of logits, in nats. Replaces them by their
/// gradient, p − q.
fn cross_entropy_row<F: Float>(
    scores: &mut [F],
    target: Token,
    smoothing: f64,
) -> F {
    let sure: F = convert(1.0 - smoothing);
    let even: F = convert(smoothing / scores.len() as f64);
    let target = target as usize;
    let wanted = summand(sure, scores[target]) + summand(even, sum(scores));
    let (max, total) = exp_minus_max(scores);
    let share = F::one() / total;
    scores.iter_mut().for_each(|p| *p = *p * share - even);
    scores[target] -= sure;
    max + total.ln() - wanted
}

/// For how many rows of z the logits are computed at a time, at most. More
/// rows would not fit the caches; with fewer, the table is read too often.
pub const ROWS: usize = 256;

/// The mean cross-entropy of rows z, n × d_model, whose logits are z Eᵀ with
/// a table E, V × d_model: 1 × 1. The logits are computed for a chunk of rows
/// at a time. `then` gets the rows of each chunk and the gradient of the sum
/// of their cross-entropies by their logits, V × rows.
fn cross_entropy_chunks<F: Float>(
    z: &Matrix<F>,
    table: &Matrix<F>,
    targets: &[Token],
    smoothing: f64,
    mut then: impl FnMut(Range<usize>, &DMatrixView<F, Dyn, Dyn>),
) -> Matrix<F> {
    let bill = Bill::default();
    let [rows, tokens] = [z, table].map(|x| bill.shape(x.nrows(), x.ncols()));
    let _ = rows.tied_cross_entropy(&tokens, targets, smoothing);
    let (z_t, vocabulary) = (z.transpose(), table.nrows());
    let every_row: DMatrixView<F, Dyn, Dyn> = z_t.as_view();
    let mut nats = F::zero();
    // As many chunks as needed, all of about the same size.
    let size = z.nrows().div_ceil(z.nrows().div_ceil(ROWS));
    let mut scores = Matrix::zeros(vocabulary, size);
    for start in (0..z.nrows()).step_by(size) {
        let rows = start..z.nrows().min(start + size);
        let here = scores.columns_mut(0, rows.len());
        let columns = every_row.columns_range(rows.clone());
        multiply(here, &table.as_view(), &columns, (F::one(), F::zero()));
        let cells = scores.as_mut_slice().par_chunks_exact_mut(vocabulary);
        let losses = cells
            .zip(&targets[rows.clone()])
            .with_min_len(APART / vocabulary + 1)
            .map(|(row, &target)| cross_entropy_row(row, target, smoothing));
        // In the order of the rows, whoever computed them.
        nats = losses
            .collect::<Vec<_>>()
            .into_iter()
            .fold(nats, |sum, loss| sum + loss);
        let gradients: DMatrixView<F, Dyn, Dyn> = scores.as_view();
        then(rows.clone(), &gradients.columns_range(..rows.len()));
    }
    Matrix::from_element(1, 1, nats / convert(z.nrows() as f64))
}

impl<F: Float> TiedCrossEntropy for Matrix<F> {
    fn tied_cross_entropy(
        &self,
        table: &Self,
        targets: &[Token],
        smoothing: f64,
    ) -> Self {
        cross_entropy_chunks(self, table, targets, smoothing, |_, _| ())
    }
}

impl<F: Float> TiedCrossEntropy for Variable<F> {
    fn tied_cross_entropy(
        &self,
        table: &Self,
        targets: &[Token],
        smoothing: f64,
    ) -> Self {
        let (z, e, e_t) =
            (self.value(), table.value(), table.value().transpose());
        let mut to_z = Matrix::zeros(z.ncols(), z.nrows());
        let mut to_e = Matrix::zeros(e.nrows(), e.ncols());
        let loss = cross_entropy_chunks(
            z,
            e,
            targets,
            smoothing,
            |rows, gradients| {
                let more = (F::one(), F::one());
                let z: DMatrixView<F, Dyn, Dyn> = z.as_view();
                let here = z.rows_range(rows.clone());
                let to_z = to_z.columns_range_mut(rows);
                multiply(to_z, &e_t.as_view(), gradients, more);
                multiply(to_e.as_view_mut(), gradients, &here, more);
            },
        );
        let part: F = convert(1.0 / targets.len() as f64);
        let (z, e) = (self.node.id, table.node.id);
        self.tape.record(&[z, e], loss, move |g, to| {
            to.add(z, to_z.transpose() * (g[0] * part));
            to.add(e, to_e * (g[0] * part));
        })
    }
}

/// From here down an exponential counts as 0: e⁻⁴⁰ is 4·10⁻¹⁸, and an `f32`
/// has no digits for that next to the 1 of the highest score.
const CUTOFF: f32 = -40.0;

/// a · b + c, in one instruction where the processor is known to have it.
#[inline]
fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

/// eˣ = 2ⁿ · eʳ with a whole n and |r| ≤ ½ ln 2. The relative error is at
/// most 3·10⁻⁷; from [`CUTOFF`] down the result is 0, and that of NaN is NaN.
///
/// It consists of sums and products alone, so that the processor can work on
/// many numbers at the same time.
#[inline]
fn exp(x: f32) -> f32 {
    // A float of about 1.5 · 2²³ has no bits left for a fraction.
    const WHOLE: f32 = 12_582_912.0;
    // ln 2 in two parts: n times the first is exact.
    const LN_2: (f32, f32) = (0.693_359_4, -0.000_212_194_44);
    let x = x.clamp(CUTOFF, 88.0);
    let shifted = mul_add(x, LOG2_E, WHOLE);
    let n = shifted - WHOLE;
    let r = mul_add(-n, LN_2.1, mul_add(-n, LN_2.0, x));
    // n is in the last bits, and is added to the exponent of 1.
    let exponent = (shifted.to_bits() << 23).wrapping_add(1f32.to_bits());
    let series = [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let power_of_e =
        series.iter().fold(1.0 / 720.0, |sum, &term| mul_add(sum, r, term));
    let power = power_of_e * f32::from_bits(exponent);
    if x <= CUTOFF { 0.0 } else { power }
}

/// Rows in blocks of eight numbers, and what is left of each.
#[inline]
fn blocks_of<const N: usize>(
    rows: [&[f32]; N],
) -> ([&[[f32; 8]]; N], [&[f32]; N]) {
    let blocks = rows[0].len() / 8;
    let near = rows.map(|row| &row.as_chunks().0[..blocks]);
    (near, rows.map(|row| &row[8 * blocks..]))
}

impl Float for f32 {
    fn exp_all(numbers: &mut [Self]) {
        numbers.iter_mut().for_each(|x| *x = exp(*x));
    }

    #[inline]
    fn plus_product(self, a: Self, b: Self) -> Self {
        mul_add(a, b, self)
    }

    #[inline]
    fn dots<const N: usize>(
        rows: [&[Self]; N],
        others: [&[Self]; 2],
    ) -> [[Self; 2]; N] {
        let (others_near, others_rest) = blocks_of(others);
        let (near, rest) = blocks_of(rows);
        let mut sums = [[f32x8::ZERO; 2]; N];
        for i in 0..near[0].len() {
            let others = others_near.map(|other| f32x8::new(other[i]));
            for (sums, row) in sums.iter_mut().zip(near) {
                let row = f32x8::new(row[i]);
                for (sum, other) in sums.iter_mut().zip(others) {
                    *sum = row.mul_add(other, *sum);
                }
            }
        }
        let mut dots = sums.map(|sums| sums.map(f32x8::reduce_add));
        if !rest[0].is_empty() {
            for (dots, row) in dots.iter_mut().zip(rest) {
                for (sum, other) in dots.iter_mut().zip(others_rest) {
                    *sum += dot(row, other);
                }
            }
        }
        dots
    }
}
