//! What a directory holds, so that an error can say so.

use all_you_need::checkpoint::newest;
use anyhow::{Result, bail};
use std::fmt;
use std::fs;
use std::path::Path;
use toml::Table;

/// What a directory holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Run,
    Checkpoint,
    Quantized,
    Writer,
    Draft,
    Published,
}

/// What `--model` of most commands may be.
pub const TRANSLATOR: &[Kind] =
    &[Kind::Run, Kind::Checkpoint, Kind::Quantized];

/// What can be trained, and what was made by that.
pub const TRAINED: &[Kind] = &[Kind::Run, Kind::Checkpoint];

/// What can go on with a text.
pub const WRITES: &[Kind] = &[Kind::Writer, Kind::Published];

impl Kind {
    /// What is in this directory, if it is one of ours. Whether it is whole is
    /// found when it is loaded.
    pub fn of(dir: &Path) -> Option<Self> {
        if !dir.is_dir() {
            return None;
        }
        let settings = fs::read_to_string(dir.join("config.toml"));
        let Ok(settings) = settings else {
            if dir.join("config.json").is_file() {
                return Some(Self::Published);
            }
            let checkpoint = newest(dir).ok().flatten()?;
            return Some(match Self::of(&checkpoint) {
                Some(Self::Writer) => Self::Draft,
                _ => Self::Run,
            });
        };
        match settings.parse::<Table>().ok()?.get("format")?.as_integer()? {
            1 | 2 => Some(Self::Checkpoint),
            3 => Some(Self::Quantized),
            4 => Some(Self::Writer),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Run => "the directory of a run, which translates",
            Self::Checkpoint => "a checkpoint, which translates",
            Self::Quantized => "a quantized model, which translates",
            Self::Writer => "a writer, which does not translate",
            Self::Draft => "where a writer is while it learns",
            Self::Published => "a published model, which does not translate",
        })
    }
}

/// An error, if something else is at this path than is wanted.
pub fn check(path: &Path, wanted: &[Kind]) -> Result<()> {
    let found = Kind::of(path).filter(|kind| !wanted.contains(kind));
    let Some(found) = found else { return Ok(()) };
    let needed = match wanted {
        WRITES => {
            "a writer, which `transformer learn` makes, or a published model"
        }
        [Kind::Run] => "the directory of a run",
        TRAINED => "a checkpoint or the directory of a run",
        _ => "a model that translates",
    };
    bail!("{} is {found}; what is needed is {needed}", path.display())
}
