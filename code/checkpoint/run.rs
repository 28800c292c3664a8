//! The directory of a training run: a checkpoint for each number of updates.

use super::files::{create, folder, is_unfinished_checkpoint, remove};
use super::{Error, FILES, MOMENTS};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// Where a run keeps its checkpoint after so many updates.
///
/// ```
/// use all_you_need::checkpoint::checkpoint_path;
///
/// let path = checkpoint_path("run".as_ref(), 300);
/// assert!(path.ends_with("00000300"));
/// ```
pub fn checkpoint_path(run: &Path, updates: usize) -> PathBuf {
    run.join(format!("{updates:08}"))
}

/// After how many updates a checkpoint was saved, if its name says so.
pub(super) fn updates(dir: &Path) -> Option<usize> {
    let name = dir.file_name().and_then(OsStr::to_str)?;
    let updates = name.parse().ok()?;
    (name == format!("{updates:08}")).then_some(updates)
}

/// Whether there is anything of a checkpoint in this directory.
fn is_checkpoint(dir: &Path) -> bool {
    FILES.iter().any(|name| dir.join(name).exists())
}

/// Whether there is all of a checkpoint but, perhaps, Adam's moments.
fn is_whole(dir: &Path) -> bool {
    let needed = FILES.iter().filter(|name| **name != MOMENTS);
    needed.map(|name| dir.join(name)).all(|file| file.exists())
}

/// What has the name of a checkpoint in this run, the oldest first.
fn numbered(run: &Path) -> Result<BTreeMap<usize, PathBuf>, Error> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(run).map_err(Error::io(run))? {
        let path = entry.map_err(Error::io(run))?.path();
        if let Some(updates) = updates(&path) {
            found.insert(updates, path);
        }
    }
    Ok(found)
}

/// The checkpoints in a run's directory, the oldest first, damaged ones
/// among them.
///
/// # Errors
/// If the directory cannot be read.
pub fn checkpoints(run: &Path) -> Result<Vec<PathBuf>, Error> {
    let found = numbered(run)?.into_values();
    Ok(found.filter(|path| is_checkpoint(path)).collect())
}

/// The last checkpoint in a run's directory, if there is a directory and a
/// checkpoint in it.
///
/// # Errors
/// If the directory cannot be read.
pub fn newest(run: &Path) -> Result<Option<PathBuf>, Error> {
    match fs::exists(run).map_err(Error::io(run))? {
        true => Ok(checkpoints(run)?.pop()),
        false => Ok(None),
    }
}

/// The right to write in a run's directory. It ends when this is dropped, or
/// with the process.
#[derive(Debug)]
pub struct RunLock {
    /// Locked as long as it is open.
    _file: File,
}

/// Locks a run's directory, which is made if it is not there, so that no two
/// processes write in it. Removes what a process left there that was killed
/// while it saved.
///
/// # Errors
/// If another process has locked it, or if nothing can be written there.
pub fn lock(run: &Path) -> Result<RunLock, Error> {
    create(run)?;
    let path = run.join(".lock");
    let mut open = OpenOptions::new();
    let file = open.create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(Error::io(&path))?;
    match file.try_lock() {
        Ok(()) => clean(run)?,
        Err(TryLockError::WouldBlock) => {
            return Err(Error::Locked(run.to_owned()));
        }
        Err(TryLockError::Error(error)) => {
            return Err(Error::io(&path)(error));
        }
    }
    Ok(RunLock { _file: file })
}

/// The old checkpoint that is just being removed.
const FORGOTTEN: &str = ".forgotten";

fn clean(run: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(run).map_err(Error::io(run))? {
        let path = entry.map_err(Error::io(run))?.path();
        let name = path.file_name().and_then(OsStr::to_str);
        if name.is_some_and(|n| n == FORGOTTEN || is_unfinished_checkpoint(n))
        {
            remove(&path);
        }
    }
    Ok(())
}

/// Whether nothing is where a run that has made `updates` will save next.
///
/// # Errors
/// If there is something with the name of a later checkpoint, or if the
/// directory cannot be read.
pub fn check_vacant(run: &Path, updates: usize) -> Result<(), Error> {
    let mut later = numbered(run)?.split_off(&(updates + 1));
    match later.pop_first() {
        None => Ok(()),
        Some((_, path)) => Err(Error::Exists(path)),
    }
}

/// Removes the checkpoints of a run but for the last `keep`. Other
/// directories and files are not touched.
///
/// # Errors
/// If one cannot be removed.
///
/// # Panics
/// If none is to be kept.
pub fn prune(run: &Path, keep: usize) -> Result<(), Error> {
    assert!(keep > 0, "a run keeps its last checkpoint");
    let all = numbered(run)?.into_values();
    let whole: Vec<_> = all.filter(|path| is_whole(path)).collect();
    let old = &whole[..whole.len().saturating_sub(keep)];
    old.iter().try_for_each(|old| forget(old))
}

/// Removes the other checkpoints of the run that this one is in.
///
/// # Errors
/// If one cannot be removed.
pub fn keep_only(checkpoint: &Path) -> Result<(), Error> {
    let all = numbered(folder(checkpoint))?.into_values();
    let mut others = all.filter(|path| path != checkpoint && is_whole(path));
    others.try_for_each(|other| forget(&other))
}

/// Removes a checkpoint in one step for the file system: it is there or not.
fn forget(checkpoint: &Path) -> Result<(), Error> {
    let forgotten = folder(checkpoint).join(FORGOTTEN);
    fs::rename(checkpoint, &forgotten).map_err(Error::io(checkpoint))?;
    fs::remove_dir_all(&forgotten).map_err(Error::io(checkpoint))
}

/// The checkpoints that are meant by a path: itself, or those of this run.
fn expand(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let found = fs::metadata(path).map_err(Error::io(path))?;
    if !found.is_dir() {
        return Err(Error::NotADirectory(path.to_owned()));
    }
    if is_whole(path) {
        return Ok(vec![path.to_owned()]);
    }
    match checkpoints(path)? {
        found if !found.is_empty() => Ok(found),
        // Loading it will say what it lacks.
        _ if is_checkpoint(path) => Ok(vec![path.to_owned()]),
        _ => Err(Error::NoCheckpoint(path.to_owned())),
    }
}

/// What `load` makes of the checkpoints that are meant. A run that trains
/// removes old ones: if one of them goes while they are listed or read, all
/// is done once more with those that there are now.
fn retry<T>(
    find: impl Fn() -> Result<Vec<PathBuf>, Error>,
    load: impl Fn(&[PathBuf]) -> Result<T, Error>,
) -> Result<T, Error> {
    for _ in 0..10 {
        let Ok(dirs) = find() else { continue };
        let loaded = load(&dirs);
        if loaded.is_ok() || dirs.iter().all(|dir| dir.exists()) {
            return loaded;
        }
    }
    load(&find()?)
}

/// What `load` makes of the checkpoint at `path`, or of the newest one if
/// `path` is the directory of a run.
pub(crate) fn load_newest<T>(
    path: &Path,
    load: impl Fn(&Path) -> Result<T, Error>,
) -> Result<T, Error> {
    let newest = || Ok(expand(path)?.pop().into_iter().collect());
    retry(newest, |dirs| load(&dirs[0]))
}

/// What `load` makes of all checkpoints at these paths; of a run, the last
/// of those that it keeps.
pub(super) fn load_all<T>(
    paths: &[PathBuf],
    last: usize,
    load: impl Fn(&[PathBuf]) -> Result<T, Error>,
) -> Result<T, Error> {
    let all = || -> Result<Vec<PathBuf>, Error> {
        let each = paths.iter().map(|path| {
            let found = expand(path)?;
            Ok(found[found.len().saturating_sub(last)..].to_vec())
        });
        Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
    };
    retry(all, load)
}
