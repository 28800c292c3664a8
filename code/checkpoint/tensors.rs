//! Matrices in the format safetensors, which other programs read, too.

use crate::costs::{Bill, Shape};
use crate::encoder::Config;
use crate::parameters::Parameters;
use crate::tensor::{Matrix, Tensor};
use crate::transformer::Transformer;
use nalgebra::Scalar;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::collections::{BTreeSet, HashMap};

/// A model with the numbers that are saved.
pub(super) type Model = Transformer<Matrix<f32>>;

/// A kind of number that a file can hold.
pub(crate) trait Number: Scalar + Copy {
    /// What the header calls it.
    const KIND: Dtype;

    /// The bytes of these numbers, of each the lowest first.
    fn to_bytes(numbers: &[Self]) -> Vec<u8>;

    /// The numbers of these bytes.
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;

    /// Whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;
}

impl Number for f32 {
    const KIND: Dtype = Dtype::F32;

    fn to_bytes(numbers: &[Self]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Vec<Self> {
        let (numbers, _) = bytes.as_chunks();
        numbers.iter().map(|bytes| Self::from_le_bytes(*bytes)).collect()
    }

    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }
}

/// A tensor as the file has it: its sizes, and its numbers row by row.
pub(crate) struct Stored {
    kind: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
    is_finite: bool,
}

impl Stored {
    /// In memory, a matrix of ours lies column by column.
    pub(crate) fn new<N: Number>(m: &Matrix<N>) -> Self {
        let shape = vec![m.nrows(), m.ncols()];
        Self::of(shape, m.transpose().as_slice())
    }

    /// Numbers that are in the file's order already.
    pub(super) fn of<N: Number>(shape: Vec<usize>, numbers: &[N]) -> Self {
        let bytes = N::to_bytes(numbers);
        let is_finite = numbers.iter().all(|number| number.is_finite());
        Self { kind: N::KIND, shape, bytes, is_finite }
    }

    fn view(&self, name: &str) -> Result<TensorView<'_>, String> {
        check_finite(name, self.is_finite)?;
        let view =
            TensorView::new(self.kind, self.shape.clone(), &self.bytes);
        view.map_err(|error| error.to_string())
    }
}

/// A file of tensors, each with its name.
pub(crate) fn pack(tensors: &[(String, Stored)]) -> Result<Vec<u8>, String> {
    pack_with(tensors, None)
}

/// A file of tensors with a text in its header, under a name. (The order of
/// several texts would be another one each time.)
pub(super) fn pack_with(
    tensors: &[(String, Stored)],
    text: Option<(&str, String)>,
) -> Result<Vec<u8>, String> {
    let views =
        tensors.iter().map(|(name, stored)| Ok((name, stored.view(name)?)));
    let views = views.collect::<Result<Vec<_>, String>>()?;
    let header = text.map(|(name, text)| [(name.to_owned(), text)].into());
    serialize(views, header).map_err(|error| error.to_string())
}

fn check_finite(name: &str, is_finite: bool) -> Result<(), String> {
    match is_finite {
        true => Ok(()),
        false => Err(format!(
            "{name} has numbers that are infinite or not a number"
        )),
    }
}

/// The leaves of a model, each name with `suffix`.
pub(crate) fn stored(
    model: &impl Parameters<Matrix<f32>>,
    suffix: &str,
) -> Vec<(String, Stored)> {
    let leaves = model.leaves().into_iter();
    let one = |(name, leaf)| (name + suffix, Stored::new(leaf));
    leaves.map(one).collect()
}

/// A model of these sizes, without its numbers.
pub(crate) fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

/// What a file should hold: the names, and rows and columns.
pub(crate) type Sizes = Vec<(String, (usize, usize))>;

/// The sizes of a model's leaves, each name with `suffix`.
pub(crate) fn sizes<T: Tensor>(
    model: &impl Parameters<T>,
    suffix: &str,
) -> Sizes {
    let leaves = model.leaves().into_iter();
    leaves.map(|(name, leaf)| (name + suffix, leaf.shape())).collect()
}

/// How many bytes a file of these tensors may have: four for each number,
/// and some for each name.
pub(crate) fn most_bytes(sizes: &Sizes) -> u64 {
    let numbers = sizes.iter().map(|(_, (rows, cols))| rows * cols);
    4 * numbers.sum::<usize>() as u64 + 1024 * (sizes.len() as u64 + 1)
}

/// The tensors of a file, which are taken by their names.
pub(crate) struct Tensors<'a> {
    file: SafeTensors<'a>,
    left: BTreeSet<String>,
    texts: HashMap<String, String>,
}

impl<'a> Tensors<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let header = SafeTensors::read_metadata(bytes);
        let (_, header) = header.map_err(|error| error.to_string())?;
        let texts = header.metadata().clone().unwrap_or_default();
        let file = SafeTensors::deserialize(bytes);
        let file = file.map_err(|error| error.to_string())?;
        let left = file.names().into_iter().map(str::to_owned).collect();
        Ok(Self { file, left, texts })
    }

    /// The text of this name in the header, if there is one.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The matrix of this name, which must have this size.
    pub(crate) fn take<N: Number>(
        &mut self,
        name: &str,
        (rows, cols): (usize, usize),
    ) -> Result<Matrix<N>, String> {
        let numbers = self.numbers(name, &[rows, cols])?;
        Ok(Matrix::from_row_slice(rows, cols, &numbers))
    }

    /// The numbers of the tensor of this name, which must have this shape, in
    /// the order of the file.
    pub(super) fn numbers<N: Number>(
        &mut self,
        name: &str,
        wanted: &[usize],
    ) -> Result<Vec<N>, String> {
        let found = self.file.tensor(name);
        let found = found.map_err(|error| error.to_string())?;
        let (kind, shape) = (found.dtype(), found.shape());
        let own = N::KIND;
        if kind != own || shape != wanted {
            return Err(format!(
                "{name} is {kind} {shape:?} and should be {own} {wanted:?}"
            ));
        }
        let numbers = N::from_bytes(found.data());
        check_finite(name, numbers.iter().all(|number| number.is_finite()))?;
        self.left.remove(name);
        Ok(numbers)
    }

    /// An error, if the file has tensors that were not taken.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.left.first() {
            None => Ok(()),
            Some(name) => Err(format!("{name} does not belong here")),
        }
    }
}

/// The trees of these suffixes, each of them like a model of these shapes.
pub(super) fn read_trees<L: Parameters<Shape>, const N: usize>(
    bytes: &[u8],
    shapes: &L,
    suffixes: [&str; N],
) -> Result<[L::With<Matrix<f32>>; N], String> {
    let mut file = Tensors::parse(bytes)?;
    let all = suffixes.iter().flat_map(|suffix| sizes(shapes, suffix));
    let leaves = all.map(|(name, size)| file.take(&name, size));
    let leaves = leaves.collect::<Result<Vec<_>, _>>()?;
    file.finish()?;
    let mut leaves = leaves.into_iter();
    Ok(suffixes.map(|_| tree(shapes, &mut leaves)))
}

/// A tree like this one with these leaves.
pub(crate) fn tree<L: Parameters<Shape>, T>(
    shapes: &L,
    leaves: &mut impl Iterator<Item = T>,
) -> L::With<T> {
    shapes.map("", &mut |_, _| leaves.next().expect("a leaf for each"))
}
