//! Saving and loading: a training run on the disk.
//!
//! A checkpoint is a directory with everything that a run needs to go on as
//! if it had never stopped. A [`Checkpoint`] is saved whole or not at all,
//! and a change of a single bit is noticed when it is loaded.
//!
//! ```
//! use all_you_need::checkpoint::{Checkpoint, RunData};
//! use all_you_need::encoder::Config;
//! use all_you_need::tokens::{Bpe, Tokenizer};
//! use all_you_need::training::{Recipe, Training};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let pairs = [("ab".to_owned(), "ba".to_owned())];
//! let config = Config::toy();
//! let checkpoint = Checkpoint {
//!     training: Training::new(&config, Recipe::toy()),
//!     tokenizer: Tokenizer::new(Bpe::train("ab ba", 0)),
//!     run: RunData::new("reverse", &pairs, &pairs),
//!     config,
//! };
//! let folder = tempfile::tempdir()?;
//! let dir = folder.path().join("00000000");
//! checkpoint.save(&dir)?;
//! let loaded = Checkpoint::load(&dir)?;
//! assert_eq!(loaded.config, checkpoint.config);
//! # Ok(())
//! # }
//! ```

mod files;
mod run;
mod settings;
mod tensors;
mod torch;

pub(crate) use files::read as read_file;
pub use files::{Digest, PairsDigest, remove_unfinished, replace_file};
pub(crate) use run::load_newest;
pub use run::{
    RunLock, check_vacant, checkpoint_path, checkpoints, keep_only, lock,
    newest, prune,
};
pub use settings::RunData;
pub(crate) use settings::{QUANTIZED, WRITER};
pub(crate) use settings::{check_format, from_toml, merges_to_text, to_toml};
pub(crate) use tensors::{
    Number, Stored, Tensors, most_bytes, pack, shapes, sizes, stored, tree,
};
pub use torch::{export, import};

use crate::costs::Shape;
use crate::encoder::Config;
use crate::parameters::{Parameters, add_into};
use crate::tensor::Matrix;
use crate::tokens::Tokenizer;
use crate::training::{Recipe, Training};
use crate::transformer::Transformer;
use files::{Digests, read, sync, write};
use settings::{AdamSettings, CHECKPOINT, Settings};
use settings::{format, parse_merges};
use std::io;
use std::path::{Path, PathBuf};
use tensors::{Model, read_trees};

/// Why a checkpoint or another file was not read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system cannot read or write this file or directory.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// This file or directory is damaged, or not what it should be.
    #[error("{}: {reason}", path.display())]
    Invalid {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// There is something already where something new was to be written.
    #[error("{} is there already", .0.display())]
    Exists(PathBuf),
    /// This checkpoint could not be written.
    #[error("{} is not saved: {reason}", path.display())]
    NotSaved {
        /// The directory that it should have got.
        path: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// A file, and a directory was expected.
    #[error(
        "{} is not a directory, as a checkpoint and a run are", .0.display()
    )]
    NotADirectory(PathBuf),
    /// A directory that is no checkpoint and holds none.
    #[error("there is no checkpoint in {}", .0.display())]
    NoCheckpoint(PathBuf),
    /// Another process is writing in this run's directory.
    #[error("another process is training in {}", .0.display())]
    Locked(PathBuf),
    /// There are no models of which to take the mean.
    #[error("nothing to average")]
    NothingToAverage,
    /// Two models have no mean.
    #[error("not of one {what}: {} and {}", one.display(), other.display())]
    Unlike {
        /// What is not the same: the size or the vocabulary.
        what: &'static str,
        /// One of the checkpoints.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// PyTorch cannot have a model of these sizes.
    #[error(
        "PyTorch makes {heads} heads of d_model = {d_model} in all, not \
         d_k = {d_k} and d_v = {d_v}"
    )]
    NotForTorch {
        /// The width of the model.
        d_model: usize,
        /// The number of heads.
        heads: usize,
        /// The width of a head's queries and keys.
        d_k: usize,
        /// The width of a head's values.
        d_v: usize,
    },
}

impl Error {
    /// What makes an error of the system's.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io { path: path.to_owned(), error }
    }

    /// What makes an error of a reason.
    pub(crate) fn invalid(path: &Path) -> impl Fn(String) -> Self {
        move |reason| Self::Invalid { path: path.to_owned(), reason }
    }

    /// What makes an error of the reason why something is not saved.
    fn not_saved(path: &Path) -> impl Fn(String) -> Self {
        move |reason| Self::NotSaved { path: path.to_owned(), reason }
    }
}

/// A training run at one moment.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The sizes of the model.
    pub config: Config,
    /// The model, and how it is trained.
    pub training: Training,
    /// What the model's tokens mean.
    pub tokenizer: Tokenizer,
    /// What the run learns from, and how it is kept.
    pub run: RunData,
}

/// A [`Checkpoint`] that is only looked at, to be saved in the middle of a
/// training run.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The sizes of the model.
    pub config: &'a Config,
    /// The model, and how it is trained.
    pub training: &'a Training,
    /// What the model's tokens mean.
    pub tokenizer: &'a Tokenizer,
    /// What the run learns from, and how it is kept.
    pub run: &'a RunData,
}

pub(crate) const SETTINGS: &str = "config.toml";
pub(crate) const MERGES: &str = "merges.txt";
pub(crate) const MODEL: &str = "model.safetensors";
pub(crate) const MOMENTS: &str = "adam.safetensors";
const DIGESTS: &str = "SHA256SUMS";

/// All that a checkpoint can have.
const FILES: [&str; 5] = [SETTINGS, MERGES, MODEL, MOMENTS, DIGESTS];

impl Snapshot<'_> {
    /// Saves to a directory that is not there yet; see [`Checkpoint::save`].
    ///
    /// # Errors
    /// As [`Checkpoint::save`].
    pub fn save(&self, dir: &Path) -> Result<(), Error> {
        self.check(dir).map_err(Error::not_saved(dir))?;
        let names = files_after(self.training.adam.steps).into_iter();
        save_files(dir, names.map(|name| (name, self.content(name))))
    }

    fn settings(&self) -> Settings {
        let Training { recipe, adam, .. } = self.training;
        let adam = AdamSettings::of(adam);
        Settings::new(self.config, recipe, adam, self.run)
    }

    /// Whether it could be loaded again.
    fn check(&self, dir: &Path) -> Result<(), String> {
        self.settings().check()?;
        check_name(dir, self.training.adam.steps)?;
        check_vocabulary(self.config, self.tokenizer)?;
        let Training { model, adam, .. } = self.training;
        let wanted = sizes(&shapes(self.config), "");
        let all = [model, &adam.mean, &adam.square];
        match all.into_iter().all(|tree| sizes(tree, "") == wanted) {
            true => Ok(()),
            false => {
                Err("its matrices have other sizes than its config"
                    .to_owned())
            }
        }
    }

    /// The bytes of one of its files.
    fn content(&self, name: &str) -> Result<Vec<u8>, String> {
        let Training { model, adam, .. } = self.training;
        match name {
            SETTINGS => Ok(to_toml(&self.settings())),
            MERGES => Ok(merges_to_text(self.tokenizer.bpe()).into_bytes()),
            MODEL => pack(&stored(model, "")),
            _ => {
                let mut moments = stored(&adam.mean, ".mean");
                moments.extend(stored(&adam.square, ".square"));
                pack(&moments)
            }
        }
    }
}

/// The name of a file, and its bytes if it can be written.
type Content = (&'static str, Result<Vec<u8>, String>);

/// Saves files and their digests to a directory that is not there yet.
pub(crate) fn save_files(
    dir: &Path,
    contents: impl Iterator<Item = Content>,
) -> Result<(), Error> {
    let saved = files::new_dir(dir, |part| write_files(part, contents));
    saved.map_err(|error| match error {
        Error::Exists(path) => Error::Exists(path),
        error => Error::not_saved(dir)(error.to_string()),
    })
}

fn write_files(
    dir: &Path,
    contents: impl Iterator<Item = Content>,
) -> Result<(), Error> {
    let mut digests = Digests::default();
    for (name, bytes) in contents {
        let path = dir.join(name);
        let bytes = bytes.map_err(Error::invalid(&path))?;
        digests.add(name, &bytes);
        write(&path, &bytes)?;
    }
    write(&dir.join(DIGESTS), digests.to_string().as_bytes())?;
    sync(dir);
    Ok(())
}

/// The files of a checkpoint after so many steps, but for the digests.
/// Before the first step there are no moments.
fn files_after(steps: usize) -> Vec<&'static str> {
    let moments = (steps > 0).then_some(MOMENTS);
    [SETTINGS, MERGES, MODEL].into_iter().chain(moments).collect()
}

/// Whether a directory with the name of a run's checkpoint has the right
/// number in it.
fn check_name(dir: &Path, steps: usize) -> Result<(), String> {
    match run::updates(dir) {
        Some(updates) if updates != steps => Err(format!(
            "by its name it is of update {updates}, and it is of {steps}"
        )),
        _ => Ok(()),
    }
}

fn check_vocabulary(
    config: &Config,
    tokenizer: &Tokenizer,
) -> Result<(), String> {
    let merges = tokenizer.bpe().merges().len();
    let (has, wanted) = (tokenizer.vocabulary(), config.vocabulary);
    match has == wanted {
        true => Ok(()),
        false => Err(format!(
            "256 bytes, {merges} merges and 2 special tokens are {has}, and \
             the model's vocabulary is {wanted}"
        )),
    }
}

/// The tokenizer of a model of these sizes, from its merges.
pub(crate) fn parse_tokenizer(
    merges: &[u8],
    config: &Config,
) -> Result<Tokenizer, String> {
    let tokenizer = Tokenizer::new(parse_merges(merges)?);
    check_vocabulary(config, &tokenizer)?;
    Ok(tokenizer)
}

/// A directory of files with digests that is being read.
pub(crate) struct Reader<'a> {
    dir: &'a Path,
    digests: Digests,
}

/// What a checkpoint and a quantized model have in common.
impl<'a> Reader<'a> {
    pub(crate) fn new(dir: &'a Path, format: u32) -> Result<Self, Error> {
        let path = dir.join(SETTINGS);
        let settings = read(&path, MOST_BYTES)?;
        check_format(&settings, format).map_err(Error::invalid(&path))?;
        let path = dir.join(DIGESTS);
        let digests = Digests::parse(&read(&path, MOST_BYTES)?);
        let digests = digests.map_err(Error::invalid(&path))?;
        Ok(Self { dir, digests })
    }

    /// An error, unless these files have digests, in this order.
    pub(crate) fn check_names(&self, names: &[&str]) -> Result<(), Error> {
        let named = self.digests.check_names(names);
        named.map_err(Error::invalid(&self.dir.join(DIGESTS)))
    }

    /// What `parse` makes of a file that has not changed.
    pub(crate) fn open<T>(
        &self,
        name: &str,
        most: u64,
        parse: impl Fn(&[u8]) -> Result<T, String>,
    ) -> Result<T, Error> {
        let path = self.dir.join(name);
        let bytes = read(&path, most)?;
        let checked = self.digests.check(name, &bytes);
        checked.and_then(|()| parse(&bytes)).map_err(Error::invalid(&path))
    }

    pub(crate) fn tokenizer(
        &self,
        config: &Config,
    ) -> Result<Tokenizer, Error> {
        // A merge is two numbers and 256 bytes, each perhaps as `\u{7f}`.
        let most = MOST_BYTES + 2048 * config.vocabulary as u64;
        self.open(MERGES, most, |merges| parse_tokenizer(merges, config))
    }

    /// Trees of this form, one for each suffix of a leaf's name.
    pub(crate) fn trees<L: Parameters<Shape>, const N: usize>(
        &self,
        name: &str,
        shapes: &L,
        suffixes: [&str; N],
    ) -> Result<[L::With<Matrix<f32>>; N], Error> {
        let most = N as u64 * most_bytes(&sizes(shapes, ""));
        self.open(name, most, |bytes| read_trees(bytes, shapes, suffixes))
    }
}

/// What only a checkpoint has.
impl Reader<'_> {
    fn settings(&self) -> Result<Settings, Error> {
        let settings = self.open(SETTINGS, MOST_BYTES, Settings::parse)?;
        let steps = settings.adam.steps;
        self.check_names(&files_after(steps))?;
        check_name(self.dir, steps).map_err(Error::invalid(self.dir))?;
        Ok(settings)
    }
}

/// The format of a directory's files, if it has any.
pub(crate) fn format_of(dir: &Path) -> Option<u32> {
    let settings = read(&dir.join(SETTINGS), MOST_BYTES).ok()?;
    format(&settings).ok()?
}

/// How many bytes a short file may have.
pub(crate) const MOST_BYTES: u64 = 1 << 16;

/// A checkpoint without Adam's moments: all that translating needs.
pub(crate) struct Weights {
    pub config: Config,
    pub tokenizer: Tokenizer,
    pub model: Model,
    pub recipe: Recipe,
    pub run: RunData,
    adam: AdamSettings,
}

impl Weights {
    fn read(reader: &Reader) -> Result<Self, Error> {
        let Settings { model: config, recipe, adam, run, .. } =
            reader.settings()?;
        let tokenizer = reader.tokenizer(&config)?;
        let [model] = reader.trees(MODEL, &shapes(&config), [""])?;
        Ok(Self { config, tokenizer, model, recipe, run, adam })
    }

    pub(crate) fn load(dir: &Path) -> Result<Self, Error> {
        Self::read(&Reader::new(dir, CHECKPOINT)?)
    }

    /// As a checkpoint in which Adam's moments are still zeros.
    fn into_checkpoint(self) -> Checkpoint {
        let Self { config, tokenizer, model, recipe, run, adam } = self;
        let adam = adam.apply(&model);
        let training = Training { recipe, model, adam };
        Checkpoint { config, training, tokenizer, run }
    }
}

impl Checkpoint {
    /// Saves to a directory that is not there yet: all of it, or nothing,
    /// even if the program is killed meanwhile.
    ///
    /// # Errors
    /// If there is something at `dir` already, if a number is not finite, if
    /// the parts do not fit each other, so that the checkpoint could not be
    /// loaded, or if the disk is full.
    pub fn save(&self, dir: &Path) -> Result<(), Error> {
        let Self { config, training, tokenizer, run } = self;
        Snapshot { config, training, tokenizer, run }.save(dir)
    }

    /// Loads what [`save`](Self::save) has saved.
    ///
    /// # Errors
    /// If a file is missing, has changed in a single bit, or does not fit
    /// the others; the error names it.
    pub fn load(dir: &Path) -> Result<Self, Error> {
        let reader = Reader::new(dir, CHECKPOINT)?;
        let mut loaded = Weights::read(&reader)?.into_checkpoint();
        let adam = &mut loaded.training.adam;
        if adam.steps > 0 {
            let suffixes = [".mean", ".square"];
            let shapes = shapes(&loaded.config);
            [adam.mean, adam.square] =
                reader.trees(MOMENTS, &shapes, suffixes)?;
        }
        Ok(loaded)
    }
}

/// The mean of the weights of several models, with an Adam that has taken no
/// step; for the rest, the first of them. Each path is a checkpoint or a
/// run, which means all checkpoints in it. Also returns how many models
/// there were.
///
/// Moments are not needed, so a missing `adam.safetensors` is no error. The
/// sums are computed in `f64` and in the order given.
///
/// # Errors
/// If there are none, one cannot be loaded, or one has another size or
/// vocabulary than the first.
pub fn average(paths: &[PathBuf]) -> Result<(Checkpoint, usize), Error> {
    average_last(paths, usize::MAX)
}

/// [`average`], when of each run only the last checkpoints are taken.
///
/// # Errors
/// As [`average`].
pub fn average_last(
    paths: &[PathBuf],
    last: usize,
) -> Result<(Checkpoint, usize), Error> {
    run::load_all(paths, last, |dirs| Ok((mean(dirs)?, dirs.len())))
}

fn mean(dirs: &[PathBuf]) -> Result<Checkpoint, Error> {
    let (first, others) =
        dirs.split_first().ok_or(Error::NothingToAverage)?;
    let mut mean = Weights::load(first)?;
    mean.adam.steps = 0;
    let mut sum = wide(&mean.model);
    for dir in others {
        let next = Weights::load(dir)?;
        check_alike((first, &mean), (dir, &next))?;
        add_into(&mut sum, &wide(&next.model));
    }
    let number = dirs.len() as f64;
    mean.model =
        sum.map("", &mut |_, leaf| leaf.map(|w| (w / number) as f32));
    Ok(mean.into_checkpoint())
}

/// The same numbers with more digits.
fn wide(model: &Model) -> Transformer<Matrix> {
    model.map("", &mut |_, leaf| leaf.map(f64::from))
}

/// Whether two models can have a mean.
fn check_alike(
    (one, a): (&Path, &Weights),
    (other, b): (&Path, &Weights),
) -> Result<(), Error> {
    let what = match () {
        () if a.config != b.config => "size",
        () if a.tokenizer != b.tokenizer => "vocabulary",
        () => return Ok(()),
    };
    let (one, other) = (one.to_owned(), other.to_owned());
    Err(Error::Unlike { what, one, other })
}
