//! Quantization: a trained model with 8 bits for each weight.
//!
//! ```
//! use all_you_need::quantization::QuantizedMatrix;
//! use nalgebra::dmatrix;
//!
//! let row = dmatrix![0.62_f32, -1.27, 0.304, 0.019];
//! let quantized = QuantizedMatrix::new(&row);
//! assert_eq!(quantized.levels, dmatrix![62_i8, -127, 30, 2]);
//! let errors = quantized.restored() - row;
//! assert!(errors.iter().all(|e| e.abs() <= 0.5 * quantized.scales[0]));
//! ```
//!
//! The model of this book is kept in this form; see
//! [`Translator::captions`].

use crate::checkpoint::{Digest, Error, RunData, Weights, load_newest};
use crate::checkpoint::{MERGES, MODEL, MOST_BYTES, QUANTIZED, SETTINGS};
use crate::checkpoint::{Number, Reader, Stored, Tensors, format_of, pack};
use crate::checkpoint::{check_format, from_toml, merges_to_text};
use crate::checkpoint::{most_bytes, parse_tokenizer, shapes, sizes, stored};
use crate::checkpoint::{save_files, to_toml, tree};
use crate::costs::Shape;
use crate::encoder::Config;
use crate::parameters::Parameters;
use crate::tensor::Matrix;
use crate::tokens::Tokenizer;
use crate::training::Recipe;
use crate::transformer::Transformer;
use crate::translation::Translator;
use safetensors::tensor::Dtype;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The highest level; the lowest is −127, so that 0 is in the middle.
const HIGHEST: f32 = 127.0;

/// A matrix with a level from −127 to 127 for each number and a scale for
/// each row. A number is its level times the scale of its row.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedMatrix {
    /// The levels.
    pub levels: Matrix<i8>,
    /// The scales of the n rows, n × 1.
    pub scales: Matrix<f32>,
}

impl QuantizedMatrix {
    /// Rounds each number to a multiple of its row's scale.
    ///
    /// # Panics
    /// If a number is infinite or not a number.
    pub fn new(matrix: &Matrix<f32>) -> Self {
        let is_finite = matrix.iter().all(|number| number.is_finite());
        assert!(is_finite, "only finite numbers have a level");
        let scales = matrix.row_iter().map(|row| scale(row.iter()));
        let scales = Matrix::from_iterator(matrix.nrows(), 1, scales);
        let levels =
            matrix.map_with_location(|i, _, x| (x / scales[i]).round() as i8);
        Self { levels, scales }
    }

    /// The numbers that the levels are for.
    pub fn restored(&self) -> Matrix<f32> {
        let Self { levels, scales } = self;
        levels.map_with_location(|i, _, level| f32::from(level) * scales[i])
    }
}

/// The scale with which the largest of these numbers, without its sign, has
/// the highest level.
fn scale<'a>(numbers: impl Iterator<Item = &'a f32>) -> f32 {
    let largest = numbers.fold(0.0, |largest: f32, x| largest.max(x.abs()));
    // So that a row of zeros is not divided by zero.
    let scale = (largest / HIGHEST).max(f32::MIN_POSITIVE);
    // The quotient of the largest number of all is rounded up.
    if (HIGHEST * scale).is_finite() { scale } else { scale.next_down() }
}

/// A leaf of a quantized model.
#[derive(Clone, Debug)]
enum Leaf {
    /// A matrix with levels.
    Quantized(QuantizedMatrix),
    /// A single row, such as a bias or a gain, as it was.
    Exact(Matrix<f32>),
}

impl Leaf {
    fn new(leaf: &Matrix<f32>) -> Self {
        match leaf.nrows() {
            1 => Self::Exact(leaf.clone()),
            _ => Self::Quantized(QuantizedMatrix::new(leaf)),
        }
    }

    fn restored(&self) -> Matrix<f32> {
        match self {
            Self::Quantized(matrix) => matrix.restored(),
            Self::Exact(row) => row.clone(),
        }
    }
}

/// An integer of 8 bits is a byte of the file.
impl Number for i8 {
    const KIND: Dtype = Dtype::I8;

    fn to_bytes(numbers: &[Self]) -> Vec<u8> {
        numbers.iter().map(|number| number.cast_unsigned()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Vec<Self> {
        bytes.iter().map(|byte| byte.cast_signed()).collect()
    }

    fn is_finite(self) -> bool {
        true
    }
}

/// The name of a matrix's scales.
fn scales_of(name: &str) -> String {
    format!("{name}.scales")
}

impl Leaf {
    /// As one tensor of a file, or as two.
    fn stored(&self, name: String) -> Vec<(String, Stored)> {
        match self {
            Self::Quantized(QuantizedMatrix { levels, scales }) => vec![
                (scales_of(&name), Stored::new(scales)),
                (name, Stored::new(levels)),
            ],
            Self::Exact(row) => vec![(name, Stored::new(row))],
        }
    }

    /// The leaf of this name and size.
    fn take(
        file: &mut Tensors,
        name: &str,
        size: (usize, usize),
    ) -> Result<Self, String> {
        if size.0 == 1 {
            return Ok(Self::Exact(file.take(name, size)?));
        }
        let (levels, name) = (file.take(name, size)?, scales_of(name));
        let scales: Matrix<f32> = file.take(&name, (size.0, 1))?;
        match scales.iter().all(|&scale| scale > 0.0) {
            true => Ok(Self::Quantized(QuantizedMatrix { levels, scales })),
            false => Err(format!("{name} has numbers that are not above 0")),
        }
    }
}

fn read_tree(
    bytes: &[u8],
    shapes: &Transformer<Shape>,
) -> Result<Transformer<Leaf>, String> {
    let mut file = Tensors::parse(bytes)?;
    let sizes = sizes(shapes, "").into_iter();
    let leaves = sizes.map(|(name, size)| Leaf::take(&mut file, &name, size));
    let leaves = leaves.collect::<Result<Vec<_>, _>>()?;
    file.finish()?;
    Ok(tree(shapes, &mut leaves.into_iter()))
}

/// What a quantized model was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The digest of the file that had the weights before they were rounded.
    pub weights: Digest,
    /// How the model was trained.
    pub recipe: Recipe,
    /// What it learned from.
    pub run: RunData,
}

/// The content of `config.toml`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    format: u32,
    model: Config,
    origin: Origin,
}

impl Settings {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let settings: Self = from_toml(bytes)?;
        let Self { model, origin, .. } = &settings;
        model.check().map_err(|error| error.to_string())?;
        origin.recipe.check().map_err(|error| error.to_string())?;
        Ok(settings)
    }
}

/// A trained model with 8 bits for each weight of a matrix. It can translate,
/// and cannot be trained.
#[derive(Clone, Debug)]
pub struct QuantizedModel {
    config: Config,
    model: Transformer<Leaf>,
    tokenizer: Tokenizer,
    origin: Origin,
}

/// Quantizes the model of a checkpoint; of a run's directory, the newest.
///
/// # Errors
/// If there is no checkpoint, or it cannot be loaded.
pub fn quantize(path: &Path) -> Result<QuantizedModel, Error> {
    let Weights { config, model, tokenizer, recipe, run, .. } =
        load_newest(path, Weights::load)?;
    let packed = pack(&stored(&model, "")).map_err(Error::invalid(path))?;
    let origin = Origin { weights: Digest::of(&packed), recipe, run };
    let model = model.map("", &mut |_, leaf| Leaf::new(leaf));
    Ok(QuantizedModel { config, model, tokenizer, origin })
}

impl From<QuantizedModel> for Translator {
    fn from(quantized: QuantizedModel) -> Self {
        let QuantizedModel { config, model, tokenizer, .. } = quantized;
        let model = model.map("", &mut |_, leaf| leaf.restored());
        Self { config, model, tokenizer }
    }
}

/// The files of a quantized model, but for the digests.
const FILES: [&str; 3] = [SETTINGS, MERGES, MODEL];

impl QuantizedModel {
    /// What the model was made from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Saves to a directory that is not there yet: all of it, or nothing.
    ///
    /// # Errors
    /// If there is something at `dir` already, or if the disk is full.
    pub fn save(&self, dir: &Path) -> Result<(), Error> {
        let names = FILES.into_iter();
        save_files(dir, names.map(|name| (name, self.content(name))))
    }

    /// The bytes of one of its files.
    fn content(&self, name: &str) -> Result<Vec<u8>, String> {
        match name {
            SETTINGS => Ok(to_toml(&Settings {
                format: QUANTIZED,
                model: self.config.clone(),
                origin: self.origin.clone(),
            })),
            MERGES => Ok(merges_to_text(self.tokenizer.bpe()).into_bytes()),
            _ => {
                let leaves = self.model.leaves().into_iter();
                let tensors =
                    leaves.flat_map(|(name, leaf)| leaf.stored(name));
                pack(&tensors.collect::<Vec<_>>())
            }
        }
    }
}

impl QuantizedModel {
    /// Loads what [`save`](Self::save) has saved.
    ///
    /// # Errors
    /// If a file is missing, has changed in a single bit, or does not fit
    /// the others; the error names it.
    pub fn load(dir: &Path) -> Result<Self, Error> {
        let reader = Reader::new(dir, QUANTIZED)?;
        reader.check_names(&FILES)?;
        let Settings { model: config, origin, .. } =
            reader.open(SETTINGS, MOST_BYTES, Settings::parse)?;
        let tokenizer = reader.tokenizer(&config)?;
        let shapes = shapes(&config);
        // A row of one number takes five bytes with its scale, and four in 32
        // bits. So twice the bytes of 32 bits are always enough.
        let most = 2 * most_bytes(&sizes(&shapes, ""));
        let model =
            reader.open(MODEL, most, |bytes| read_tree(bytes, &shapes))?;
        Ok(Self { config, model, tokenizer, origin })
    }

    /// The model in the content of the three files, without their digests.
    ///
    /// # Errors
    /// If a file is damaged or does not fit the others; the error names it.
    pub fn parse(
        settings: &[u8],
        merges: &[u8],
        model: &[u8],
    ) -> Result<Self, Error> {
        let named = |name| Error::invalid(Path::new(name));
        let Settings { model: config, origin, .. } =
            check_format(settings, QUANTIZED)
                .and_then(|()| Settings::parse(settings))
                .map_err(named(SETTINGS))?;
        let tokenizer =
            parse_tokenizer(merges, &config).map_err(named(MERGES))?;
        let model =
            read_tree(model, &shapes(&config)).map_err(named(MODEL))?;
        Ok(Self { config, model, tokenizer, origin })
    }
}

impl Translator {
    /// The α of the length penalty for [`captions`](Self::captions), which
    /// was chosen together with that model.
    pub const CAPTIONS_ALPHA: f64 = 1.8;

    /// Loads a quantized model, or what [`load`](Self::load) loads.
    ///
    /// # Errors
    /// If there is neither, or if it cannot be loaded.
    pub fn open(path: &Path) -> Result<Self, Error> {
        match format_of(path) {
            Some(QUANTIZED) => Ok(QuantizedModel::load(path)?.into()),
            _ => Self::load(path),
        }
    }

    /// The model of this book, which is a part of the program. It translates
    /// captions of photographs from English into German. They are written in
    /// small letters, with a space before each punctuation mark.
    ///
    /// ```
    /// use all_you_need::Translator;
    ///
    /// let translator = Translator::captions();
    /// let beam = translator.beam(5, Translator::CAPTIONS_ALPHA, 1);
    /// let found = translator.translate(&["a dog runs ."], &beam)?;
    /// println!("{}", found[0]);
    /// # Ok::<(), all_you_need::translation::TranslationError>(())
    /// ```
    pub fn captions() -> Self {
        let model = QuantizedModel::parse(
            include_bytes!("models/captions/config.toml"),
            include_bytes!("models/captions/merges.txt"),
            include_bytes!("models/captions/model.safetensors"),
        );
        model.expect("the tests load these files, too").into()
    }
}
