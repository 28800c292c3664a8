//! Proofs: what the examples print and draw must be what is committed.

use crate::fault::{Fault, Faults};
use crate::house::{House, stem};
use crate::printed;
use crate::snippet::cargo;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

/// The files the examples make, by their place in the project.
pub type Made = BTreeMap<PathBuf, String>;

/// What an example printed, among its figures.
const PRINTED: &str = "printed.txt";

/// Stops at any file of the examples that is stale, missing or left over.
pub fn check(house: &House) -> Result<()> {
    Ok(Faults::check(compare(house, &make(house)?))?)
}

/// Writes what the examples make, and removes what none of them makes.
pub fn update(house: &House) -> Result<()> {
    let made = make(house)?;
    for file in
        committed(house).iter().filter(|file| !made.contains_key(*file))
    {
        fs::remove_file(house.path(file))?;
    }
    for (file, text) in &made {
        let path = house.path(file);
        fs::create_dir_all(path.parent().unwrap_or(house.root()))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Builds the examples, and collects what they make.
pub fn make(house: &House) -> Result<Made> {
    let programs = build(house)?;
    let stems = house.examples();
    let mut made = Made::new();
    for (stem, folder) in stems.iter().zip(run_all(&stems, &programs)?) {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let file = match path.file_name() {
                Some(name) if name != PRINTED => {
                    Path::new("src/figures").join(name)
                }
                _ => printed::file(stem).into(),
            };
            made.insert(file, fs::read_to_string(path)?);
        }
    }
    made.retain(|_, text| !text.is_empty());
    Ok(made)
}

/// Builds the examples as this program was built, and says where they are.
fn build(house: &House) -> Result<PathBuf> {
    let (target, folder) = target()?;
    let profile = if folder == "debug" { "dev" } else { &folder };
    let built = cargo(house)
        .args([
            "build",
            "--quiet",
            "--examples",
            "--profile",
            profile,
            "--target-dir",
        ])
        .arg(&target)
        .status()?;
    ensure!(built.success(), "the examples do not compile");
    Ok(target.join(folder).join("examples"))
}

/// The target folder and the profile's folder in it that this program runs from.
fn target() -> Result<(PathBuf, String)> {
    let program = env::current_exe()?;
    let mut folder =
        program.parent().context("this program is in no folder")?;
    if folder.ends_with("deps") {
        folder =
            folder.parent().context("this program is in no target folder")?;
    }
    let target =
        folder.parent().context("this program is in no target folder")?;
    Ok((target.to_owned(), stem(folder)))
}

/// All examples at once, each with the folder of what it makes.
fn run_all(stems: &[String], programs: &Path) -> Result<Vec<PathBuf>> {
    thread::scope(|scope| {
        let start = |stem: &String| {
            let program = programs.join(stem);
            scope.spawn(move || run(&program))
        };
        let running: Vec<_> = stems.iter().map(start).collect();
        let folders = running.into_iter();
        folders.map(|run| run.join().expect("an example's thread")).collect()
    })
}

/// The folder of what an example makes. It reads nothing, so it makes the
/// same each time, and need not run again until it is built again.
fn run(program: &Path) -> Result<PathBuf> {
    let folder = program.with_extension("made");
    let age = |path| fs::metadata(path).and_then(|data| data.modified());
    let built = age(program)
        .with_context(|| format!("there is no {}", program.display()))?;
    if age(&folder).is_ok_and(|made| made > built) {
        return Ok(folder);
    }
    let drawn = tempfile::tempdir_in(program.with_file_name(""))?;
    let printed = print(program, drawn.path())?;
    fs::write(drawn.path().join(PRINTED), printed)?;
    // Only what is complete gets the name.
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::rename(drawn.keep(), &folder)?;
    Ok(folder)
}

/// Runs an example: what it prints, and its figures in this folder.
fn print(program: &Path, drawn: &Path) -> Result<Vec<u8>> {
    let done = Command::new(program).arg("--out").arg(drawn).output();
    let done =
        done.with_context(|| format!("cannot run {}", program.display()))?;
    let complaint = String::from_utf8_lossy(&done.stderr);
    ensure!(
        done.status.success(),
        "the example {} fails: {complaint}",
        stem(program)
    );
    Ok(done.stdout)
}

/// What is committed, against what the examples make.
pub fn compare(house: &House, made: &Made) -> Vec<Fault> {
    let stale =
        made.iter().filter_map(|(file, text)| difference(house, file, text));
    let left =
        committed(house).into_iter().filter(|file| !made.contains_key(file));
    stale
        .chain(
            left.map(|file| {
                Fault::new(file, 1, "no example makes this file")
            }),
        )
        .collect()
}

/// The first line in which a committed file differs.
fn difference(house: &House, file: &Path, made: &str) -> Option<Fault> {
    let Ok(kept) = house.read(file) else {
        return Some(Fault::new(
            file,
            1,
            "missing: make it with UPDATE=1 cargo test",
        ));
    };
    if kept == made {
        return None;
    }
    let same = kept
        .lines()
        .zip(made.lines())
        .take_while(|(kept, made)| kept == made)
        .count();
    let line: String = made
        .lines()
        .nth(same)
        .unwrap_or("nothing")
        .chars()
        .take(200)
        .collect();
    let message = format!(
        "stale: the example now makes `{line}` (UPDATE=1 cargo test rewrites)"
    );
    Some(Fault::new(file, same + 1, message))
}

/// The printed output and pictures in the book's folder.
fn committed(house: &House) -> Vec<PathBuf> {
    [house.files("src/outputs", "txt"), house.files("src/figures", "svg")]
        .concat()
}
