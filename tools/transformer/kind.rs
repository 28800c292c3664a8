//! What a directory holds, so that an error can say so.

use all_you_need::checkpoint::newest;
use anyhow::{Result, bail, ensure};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use toml::Table;

/// The most bytes that a file of settings may have.
const MOST_BYTES: u64 = 1 << 20;

/// The text of a file of settings, which may be a pipe, and may not end.
pub fn read_settings(file: &Path) -> Result<String> {
    let mut text = String::new();
    let mut most = File::open(file)?.take(MOST_BYTES + 1);
    let bytes = most.read_to_string(&mut text)?;
    ensure!(
        bytes as u64 <= MOST_BYTES,
        "settings have at most {MOST_BYTES} bytes"
    );
    Ok(text)
}

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
        let Ok(settings) = read_settings(&dir.join("config.toml")) else {
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
    let found = Kind::of(path);
    // What translates is looked for by the library, which says it.
    let is_there = found.is_some() || path.join("config.toml").exists();
    let path = path.display();
    ensure!(is_there || wanted != WRITES, "there is no writer in {path}");
    let found = found.filter(|kind| !wanted.contains(kind));
    let Some(found) = found else { return Ok(()) };
    let needed = match wanted {
        WRITES => {
            "a writer, which `transformer learn` makes, or a published model"
        }
        [Kind::Run] => "the directory of a run",
        TRAINED => "a checkpoint or the directory of a run",
        _ => "a model that translates",
    };
    bail!("{path} is {found}; what is needed is {needed}")
}
