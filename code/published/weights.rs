//! The tensors of a published model, which are read one by one.

use super::bytes::json;
use crate::checkpoint::Error;
use crate::tensor::Matrix;
use safetensors::tensor::{Dtype, Metadata};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The most bytes that the header of a file may have.
const MOST_BYTES: u64 = 1 << 27;

/// Where a tensor is: in which file, and at which bytes of it.
struct Place {
    file: usize,
    kind: Dtype,
    shape: Vec<usize>,
    start: u64,
    bytes: usize,
}

/// The tensors of one file or of several. Only the one that is just read is
/// in memory.
pub(super) struct Weights {
    dir: PathBuf,
    files: Vec<(PathBuf, File)>,
    places: BTreeMap<String, Place>,
}

/// The list of a model in several files.
#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

impl Weights {
    /// The tensors of a folder: of `model.safetensors`, or of the files that
    /// `model.safetensors.index.json` lists.
    pub(super) fn open(dir: &Path) -> Result<Self, Error> {
        let index = dir.join("model.safetensors.index.json");
        let names = match index.exists() {
            true => json::<Index>(&index)?.weight_map.into_values().collect(),
            false => BTreeSet::from(["model.safetensors".to_owned()]),
        };
        let (files, places) = (Vec::new(), BTreeMap::new());
        let mut weights = Self { dir: dir.to_owned(), files, places };
        for name in names {
            if Path::new(&name).file_name() != Some(name.as_ref()) {
                let reason = format!("`{name}` is not the name of a file");
                return Err(Error::invalid(&index)(reason));
            }
            weights.add(dir.join(name))?;
        }
        Ok(weights)
    }

    /// Reads the header of one more file.
    fn add(&mut self, path: PathBuf) -> Result<(), Error> {
        let mut file = File::open(&path).map_err(Error::io(&path))?;
        let size = file.metadata().map_err(Error::io(&path))?.len();
        let (header, start) =
            header(&mut file, size).map_err(Error::invalid(&path))?;
        for (name, info) in header.tensors() {
            let (first, end) = info.data_offsets;
            let place = Place {
                file: self.files.len(),
                kind: info.dtype,
                shape: info.shape.clone(),
                start: start + first as u64,
                bytes: end - first,
            };
            self.places.insert(name, place);
        }
        self.files.push((path, file));
        Ok(())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Forgets the tensors whose names end so.
    pub(super) fn skip(&mut self, endings: &[&str]) {
        let is_skipped =
            |name: &str| endings.iter().any(|e| name.ends_with(e));
        self.places.retain(|name, _| !is_skipped(name));
    }

    /// The numbers of a tensor, which must have this shape.
    fn take(
        &mut self,
        name: &str,
        shape: &[usize],
    ) -> Result<Vec<f32>, Error> {
        let Some(place) = self.places.remove(name) else {
            let reason = format!("there is no tensor {name}");
            return Err(Error::invalid(&self.source())(reason));
        };
        let (path, file) = &mut self.files[place.file];
        if place.shape != shape {
            let found = place.shape;
            let reason =
                format!("{name} is {found:?} and should be {shape:?}");
            return Err(Error::invalid(path)(reason));
        }
        let mut bytes = vec![0; place.bytes];
        let read = file
            .seek(SeekFrom::Start(place.start))
            .and_then(|_| file.read_exact(&mut bytes));
        read.map_err(Error::io(path))?;
        numbers(place.kind, &bytes).map_err(|reason| {
            Error::invalid(path)(format!("{name} {reason}"))
        })
    }

    /// What to call all files together.
    fn source(&self) -> PathBuf {
        match &self.files[..] {
            [(path, _)] => path.clone(),
            _ => self.dir.clone(),
        }
    }

    /// A matrix whose rows are those of the file.
    pub(super) fn rows(
        &mut self,
        name: &str,
        (n, m): (usize, usize),
    ) -> Result<Matrix<f32>, Error> {
        Ok(Matrix::from_row_slice(n, m, &self.take(name, &[n, m])?))
    }

    /// A matrix, n × m, whose columns are the rows of the file. That is how a
    /// matrix lies in memory, so no number has to move.
    pub(super) fn columns(
        &mut self,
        name: &str,
        (n, m): (usize, usize),
    ) -> Result<Matrix<f32>, Error> {
        Ok(Matrix::from_vec(n, m, self.take(name, &[m, n])?))
    }

    /// One row.
    pub(super) fn row(
        &mut self,
        name: &str,
        m: usize,
    ) -> Result<Matrix<f32>, Error> {
        Ok(Matrix::from_vec(1, m, self.take(name, &[m])?))
    }

    /// An error, if there are tensors that were not taken: the model would
    /// be another one without them.
    pub(super) fn finish(self) -> Result<(), Error> {
        let Some((name, place)) = self.places.first_key_value() else {
            return Ok(());
        };
        let reason = format!("{name} does not belong into this model");
        Err(Error::invalid(&self.files[place.file].0)(reason))
    }
}

/// The header of a file of so many bytes, and where the numbers begin.
fn header(file: &mut File, size: u64) -> Result<(Metadata, u64), String> {
    let mut length = [0; 8];
    let short = "it has been cut short";
    file.read_exact(&mut length).map_err(|_| short)?;
    let length = u64::from_le_bytes(length);
    if length > MOST_BYTES.min(size) {
        return Err(format!("a header of {length} bytes cannot be right"));
    }
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header).map_err(|_| short)?;
    let header: Metadata =
        serde_json::from_slice(&header).map_err(|error| error.to_string())?;
    let start = length + 8;
    match start.checked_add(header.data_len() as u64) == Some(size) {
        true => Ok((header, start)),
        false => Err(format!(
            "it has {size} bytes, and its header speaks of {}",
            header.data_len() as u128 + u128::from(start)
        )),
    }
}

/// The numbers of these bytes, all of them finite.
fn numbers(kind: Dtype, bytes: &[u8]) -> Result<Vec<f32>, String> {
    let halves = |number: fn(u16) -> f32| {
        let (halves, _) = bytes.as_chunks();
        halves.iter().map(|half| number(u16::from_le_bytes(*half))).collect()
    };
    let numbers: Vec<f32> = match kind {
        Dtype::F32 => {
            let (numbers, _) = bytes.as_chunks();
            numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        }
        Dtype::BF16 => halves(|half| f32::from_bits(u32::from(half) << 16)),
        Dtype::F16 => halves(half),
        _ => return Err(format!("is {kind} and should be F32, BF16 or F16")),
    };
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(numbers),
        false => Err("has numbers that are infinite or not a number".into()),
    }
}

/// A number with half of the bits: a sign, an exponent of five bits, and ten
/// bits behind the point.
fn half(bits: u16) -> f32 {
    let (exponent, rest) =
        (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = match exponent {
        0 => rest * 2f32.powi(-24),
        31 => f32::NAN, // or infinite: neither can be a weight
        _ => (1024.0 + rest) * 2f32.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}
