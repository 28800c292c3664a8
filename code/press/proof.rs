//! Proofs: what the examples print and draw must be what is committed.

use super::fault::{Fault, Faults};
use super::house::{House, stem};
use super::printed;
use super::snippet::cargo;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

/// The files the examples make, by their place in the project.
pub type Made = BTreeMap<PathBuf, String>;

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

/// Builds and runs all examples.
pub fn make(house: &House) -> Result<Made> {
    let programs = build(house)?;
    let drawn = tempfile::tempdir()?;
    let mut made = Made::new();
    for (stem, text) in run_all(&house.examples(), &programs, drawn.path())? {
        made.insert(printed::file(&stem).into(), text);
    }
    made.retain(|_, text| !text.is_empty());
    for entry in fs::read_dir(drawn.path())? {
        let entry = entry?;
        let file = Path::new("src/figures").join(entry.file_name());
        made.insert(file, fs::read_to_string(entry.path())?);
    }
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

/// All examples at once, each with what it prints.
fn run_all(
    stems: &[String],
    programs: &Path,
    drawn: &Path,
) -> Result<Vec<(String, String)>> {
    thread::scope(|scope| {
        let start = |stem: &String| {
            let stem = stem.clone();
            scope.spawn(move || {
                run(&programs.join(&stem), drawn).map(|text| (stem, text))
            })
        };
        let running: Vec<_> = stems.iter().map(start).collect();
        running
            .into_iter()
            .map(|run| run.join().expect("an example's thread"))
            .collect()
    })
}

fn run(program: &Path, drawn: &Path) -> Result<String> {
    let done = Command::new(program).arg("--out").arg(drawn).output();
    let done =
        done.with_context(|| format!("cannot run {}", program.display()))?;
    let complaint = String::from_utf8_lossy(&done.stderr);
    ensure!(
        done.status.success(),
        "the example {} fails: {complaint}",
        stem(program)
    );
    Ok(String::from_utf8(done.stdout)?)
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
