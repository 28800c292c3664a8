//! Matrices in the format safetensors, which other programs read, too.

use crate::costs::{Bill, Shape};
use crate::encoder::Config;
use crate::parameters::Parameters;
use crate::tensor::{Matrix, Tensor};
use crate::transformer::Transformer;
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::collections::HashSet;

/// A model with the numbers that are saved.
pub(super) type Model = Transformer<Matrix<f32>>;

/// A tensor as the file has it: its sizes, and its numbers row by row.
pub(super) struct Stored {
    pub shape: Vec<usize>,
    pub numbers: Vec<f32>,
}

impl Stored {
    /// In memory, a matrix of ours lies column by column.
    pub(super) fn new(m: &Matrix<f32>) -> Self {
        let numbers = m.transpose().as_slice().to_vec();
        Self { shape: vec![m.nrows(), m.ncols()], numbers }
    }
}

/// A file of tensors, each with its name.
pub(super) fn pack(tensors: &[(String, Stored)]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for (name, Stored { numbers, .. }) in tensors {
        check_finite(name, numbers)?;
        let each = numbers.iter().flat_map(|number| number.to_le_bytes());
        bytes.push(each.collect::<Vec<u8>>());
    }
    let views = tensors.iter().zip(&bytes).map(|((name, stored), bytes)| {
        let shape = stored.shape.clone();
        Ok((name, TensorView::new(Dtype::F32, shape, bytes)?))
    });
    let views = views.collect::<Result<Vec<_>, SafeTensorError>>();
    let packed = views.and_then(|views| serialize(views, None));
    packed.map_err(|error| error.to_string())
}

/// One number that is not finite soon makes others so.
fn check_finite(name: &str, numbers: &[f32]) -> Result<(), String> {
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err(format!(
            "{name} has numbers that are infinite or not a number"
        )),
    }
}

/// The leaves of a model, each name with `suffix`.
pub(super) fn stored(model: &Model, suffix: &str) -> Vec<(String, Stored)> {
    let leaves = model.leaves().into_iter();
    let one = |(name, leaf)| (name + suffix, Stored::new(leaf));
    leaves.map(one).collect()
}

/// A model of these sizes, without its numbers.
pub(super) fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

/// What a file should hold: the names, and rows and columns.
pub(super) type Sizes = Vec<(String, (usize, usize))>;

/// The sizes of a model's leaves, each name with `suffix`.
pub(super) fn sizes<T: Tensor>(
    model: &Transformer<T>,
    suffix: &str,
) -> Sizes {
    let leaves = model.leaves().into_iter();
    leaves.map(|(name, leaf)| (name + suffix, leaf.shape())).collect()
}

/// How many bytes a file of these tensors may have: four for each number,
/// and some for each name.
pub(super) fn most_bytes(sizes: &Sizes) -> u64 {
    let numbers = sizes.iter().map(|(_, (rows, cols))| rows * cols);
    4 * numbers.sum::<usize>() as u64 + 1024 * (sizes.len() as u64 + 1)
}

/// The matrices of a file: all that are named, in this order; there may be
/// no others.
fn unpack(bytes: &[u8], sizes: &Sizes) -> Result<Vec<Matrix<f32>>, String> {
    let file = SafeTensors::deserialize(bytes);
    let file = file.map_err(|error| error.to_string())?;
    let one = |(name, size): &(String, _)| unpack_one(&file, name, *size);
    let matrices = sizes.iter().map(one).collect::<Result<_, _>>()?;
    let known: HashSet<&str> =
        sizes.iter().map(|(name, _)| &**name).collect();
    let foreign = |name: &&str| !known.contains(name);
    match file.names().into_iter().filter(foreign).min() {
        None => Ok(matrices),
        Some(name) => Err(format!("{name} does not belong here")),
    }
}

fn unpack_one(
    file: &SafeTensors,
    name: &str,
    (rows, cols): (usize, usize),
) -> Result<Matrix<f32>, String> {
    let found = file.tensor(name).map_err(|error| error.to_string())?;
    let (kind, shape) = (found.dtype(), found.shape());
    if kind != Dtype::F32 || shape != [rows, cols] {
        let wanted = [rows, cols];
        return Err(format!(
            "{name} is {kind} {shape:?} and should be F32 {wanted:?}"
        ));
    }
    let (numbers, _) = found.data().as_chunks();
    let numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let matrix = Matrix::from_row_iterator(rows, cols, numbers);
    check_finite(name, matrix.as_slice())?;
    Ok(matrix)
}

/// The trees of these suffixes, each of them like a model of these shapes.
pub(super) fn read_trees<const N: usize>(
    bytes: &[u8],
    shapes: &Transformer<Shape>,
    suffixes: [&str; N],
) -> Result<[Model; N], String> {
    let all = suffixes.iter().flat_map(|suffix| sizes(shapes, suffix));
    let mut leaves = unpack(bytes, &all.collect())?.into_iter();
    Ok(suffixes.map(|_| {
        shapes.map("", &mut |_, _| leaves.next().expect("a matrix each"))
    }))
}
