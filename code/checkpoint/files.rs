//! Files that are written whole or not at all, and that show a change.

use super::Error;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File};
use std::io::ErrorKind::{AlreadyExists, NotFound};
use std::io::{self, Read, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Mutex;

/// A SHA-256: 64 hexadecimal digits that follow from some bytes.
///
/// If a single bit of the bytes changes, so does the digest.
///
/// ```
/// use all_you_need::checkpoint::Digest;
///
/// let digest = Digest::of(b"abc").to_string();
/// assert!(digest.starts_with("ba7816bf"));
/// assert_ne!(Digest::of(b"abb"), Digest::of(b"abc"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::finish(Sha256::new().chain_update(bytes))
    }

    /// The digest of pairs of texts: of what they say, and in which order.
    pub fn of_pairs(pairs: &[(String, String)]) -> Self {
        let mut digest = PairsDigest::default();
        pairs.iter().for_each(|pair| digest.add(pair));
        digest.finish()
    }

    fn finish(hash: Sha256) -> Self {
        let bytes = hash.finalize();
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The [digest of pairs](Digest::of_pairs) that come one after the other.
#[derive(Clone, Debug, Default)]
pub struct PairsDigest(Sha256);

impl PairsDigest {
    /// Takes in one more pair.
    pub fn add(&mut self, (one, other): &(String, String)) {
        for text in [one, other] {
            // With its length, so that two texts are not taken for one.
            self.0.update((text.len() as u64).to_le_bytes());
            self.0.update(text);
        }
    }

    /// The digest of all pairs so far.
    pub fn finish(self) -> Digest {
        Digest::finish(self.0)
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let is_digit = |c| matches!(c, b'0'..=b'9' | b'a'..=b'f');
        match text.len() == 64 && text.bytes().all(is_digit) {
            true => Ok(Self(text)),
            false => Err("a SHA-256 has 64 digits from 0 to f"),
        }
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The digests of some files, each with the name of its file, in the form
/// that the program `sha256sum` writes and checks.
#[derive(Debug, Default)]
pub(super) struct Digests(Vec<(String, Digest)>);

impl Digests {
    pub(super) fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.push((name.to_owned(), Digest::of(bytes)));
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = str::from_utf8(bytes).map_err(|e| e.to_string())?;
        let lines = text.strip_suffix('\n').ok_or("it has been cut short")?;
        let line = |(number, line): (usize, &str)| {
            let parts = line.split_once("  ").and_then(|(digest, name)| {
                Some((name.to_owned(), digest.to_owned().try_into().ok()?))
            });
            parts.ok_or_else(|| format!("line {number}: no digest"))
        };
        (1..)
            .zip(lines.split('\n'))
            .map(line)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether these files are listed, in this order, and no others.
    pub(super) fn check_names(&self, names: &[&str]) -> Result<(), String> {
        if self.0.iter().map(|(name, _)| name).eq(names) {
            return Ok(());
        }
        let (names, n) = (names.join(", "), names.len());
        Err(format!("it should have {n} lines, for {names}"))
    }

    /// Whether these are still the bytes that the file had.
    pub(super) fn check(
        &self,
        file: &str,
        bytes: &[u8],
    ) -> Result<(), String> {
        let digest = Digest::of(bytes);
        let listed = self.0.iter().find(|(name, _)| name == file);
        match listed.is_some_and(|(_, listed)| *listed == digest) {
            true => Ok(()),
            false => Err("it has changed since it was saved: its digest is \
                not the one in SHA256SUMS"
                .to_owned()),
        }
    }
}

impl fmt::Display for Digests {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut lines = self.0.iter();
        lines.try_for_each(|(name, digest)| writeln!(f, "{digest}  {name}"))
    }
}

/// The bytes of a file that has no more than `most` of them.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(Error::io(path))?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > most {
        let reason = format!("it should have no more than {most} bytes");
        return Err(Error::invalid(path)(reason));
    }
    Ok(bytes)
}

/// A new file, all the way to the disk.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let file = File::create_new(path);
    file.and_then(|file| fill(file, bytes)).map_err(Error::io(path))
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// The names in a directory, all the way to the disk. Not every system can
/// do that; elsewhere the names get there a little later.
pub(super) fn sync(dir: &Path) {
    File::open(dir).and_then(|dir| dir.sync_all()).ok();
}

/// Removes what is at this path, if something is and if that is possible.
pub(super) fn remove(path: &Path) {
    fs::remove_dir_all(path).or_else(|_| fs::remove_file(path)).ok();
}

/// The directory that a path is in.
pub(super) fn folder(path: &Path) -> &Path {
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// A directory, with those around it that are missing. Their names go all the
/// way to the disk.
pub(super) fn create(dir: &Path) -> Result<(), Error> {
    let is_missing =
        |dir: &&Path| !dir.as_os_str().is_empty() && !dir.exists();
    let missing: Vec<&Path> =
        dir.ancestors().take_while(is_missing).collect();
    fs::create_dir_all(dir).map_err(Error::io(dir))?;
    missing.into_iter().map(folder).for_each(sync);
    Ok(())
}

/// An error, unless there is nothing at this path.
fn vacant(path: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(Error::Exists(path.to_owned())),
        Err(error) if error.kind() == NotFound => Ok(()),
        Err(error) => Err(Error::io(path)(error)),
    }
}

/// An error, unless there is nothing or a regular file: no directory, no
/// link, no device.
fn replaceable(path: &Path) -> Result<(), Error> {
    let found = fs::symlink_metadata(path);
    if found.is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    vacant(path)
}

/// What is being written, and has not its own name yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what this process is just writing, so that nothing is left of it.
/// For a program that is told to end at once: it has to end after this, and
/// cannot begin to write anything else.
pub fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().expect("no panic");
    for part in &*unfinished {
        // What writes it may put one more file into the directory meanwhile.
        let left = (0..100).map(|_| remove(part));
        left.take_while(|()| part.exists()).for_each(drop);
    }
    // Whoever wants to write now waits for the end.
    mem::forget(unfinished);
}

/// What `create` makes beside `path`, under a name that nothing else has.
fn unfinished<T>(
    path: &Path,
    create: impl Fn(&Path) -> io::Result<T>,
) -> Result<(PathBuf, T), Error> {
    let nameless = || Error::invalid(path)("it has no name".to_owned());
    let name = path.file_name().ok_or_else(nameless)?;
    let mut number = 0;
    loop {
        let part = folder(path).join(part_name(name, number));
        let mut unfinished = UNFINISHED.lock().expect("no panic");
        match create(&part) {
            Ok(made) => {
                unfinished.push(part.clone());
                return Ok((part, made));
            }
            Err(error) if error.kind() == AlreadyExists => number += 1,
            Err(error) => return Err(Error::io(path)(error)),
        }
    }
}

/// `.NAME.PROCESS-NUMBER.unfinished`: a file like this is nobody's own.
fn part_name(name: &OsStr, number: usize) -> OsString {
    let mut part = OsString::from(".");
    part.push(name);
    part.push(format!(".{}-{number}.unfinished", process::id()));
    part
}

/// Whether [`part_name`] makes such a name for the checkpoint of a run.
pub(super) fn is_unfinished_checkpoint(name: &str) -> bool {
    let parts = name.strip_prefix('.').and_then(|name| {
        let (update, process) =
            name.strip_suffix(".unfinished")?.split_once('.')?;
        Some((update, process.split_once('-')?))
    });
    let digits = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.is_some_and(|(update, (process, number))| {
        update.len() >= 8 && [update, process, number].into_iter().all(digits)
    })
}

/// Gives what is written its name; removes it if something went wrong, since
/// it may be room that is missing.
fn finish(
    path: &Path,
    part: &Path,
    written: Result<(), Error>,
    allowed: fn(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut unfinished = UNFINISHED.lock().expect("no panic");
    let rename = || fs::rename(part, path).map_err(Error::io(path));
    let done = written.and_then(|()| allowed(path)).and_then(|()| rename());
    if done.is_err() {
        remove(part);
    }
    unfinished.retain(|other| other != part);
    sync(folder(path));
    done
}

/// A new directory with all that `fill` puts into it, or nothing.
pub(super) fn new_dir(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    vacant(path)?;
    create(folder(path))?;
    let (part, ()) = unfinished(path, |part| fs::create_dir(part))?;
    finish(path, &part, fill(&part), vacant)
}

/// A new file with all these bytes, or nothing.
pub(super) fn new_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    whole_file(path, bytes, vacant)
}

/// Writes a file: all its bytes, or nothing. If the program is killed or the
/// disk is full, a file that was there before is still there.
///
/// # Errors
/// If there is something else at `path` than a regular file, such as a
/// directory, a link or a device, or if the file cannot be written.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    whole_file(path, bytes, replaceable)
}

fn whole_file(
    path: &Path,
    bytes: &[u8],
    allowed: fn(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    allowed(path)?;
    let (part, file) = unfinished(path, |part| File::create_new(part))?;
    let written = fill(file, bytes).map_err(Error::io(path));
    finish(path, &part, written, allowed)
}
