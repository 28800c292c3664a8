//! Golden files: what the examples print and draw must be what is committed.

use crate::diagnostic::Diagnostic;
use crate::outputs;
use crate::project::{Project, stem};
use crate::target::Target;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, mpsc::channel};
use std::time::SystemTime;
use std::{fs, iter, thread};

/// The files the examples make, by their place in the project.
pub type Made = BTreeMap<PathBuf, String>;

/// The program that draws the figures.
const FIGURES: &str = "figures";

/// What an example printed, among its figures.
const PRINTED: &str = "printed.txt";

/// Writes what the examples make, and removes what none of them makes.
///
/// # Errors
/// If a file cannot be written or removed.
pub fn update(project: &Project, made: &Made) -> Result<()> {
    for file in
        committed(project).iter().filter(|file| !made.contains_key(*file))
    {
        fs::remove_file(project.path(file))?;
    }
    for (file, text) in made {
        let path = project.path(file);
        fs::create_dir_all(path.parent().unwrap_or(project.root()))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Builds the examples, and collects what they make.
///
/// # Errors
/// If an example does not compile, or fails.
pub fn make(project: &Project) -> Result<Made> {
    let programs = programs(project)?;
    let stems = project.examples();
    let logs = project.files("src/logs", "tsv");
    let logs = newest(logs.iter().map(|log| project.path(log)));
    let folders =
        on_all_cores(&stems, |stem| run(&programs.join(stem), logs));
    let figures = run(&programs.with_file_name(FIGURES), logs);
    let mut made = Made::new();
    let drawn = iter::once((FIGURES, figures));
    let printed = stems.iter().map(String::as_str).zip(folders);
    for (stem, folder) in printed.chain(drawn) {
        for entry in fs::read_dir(folder?)? {
            let path = entry?.path();
            let file = match path.file_name() {
                Some(name) if name != PRINTED => {
                    Path::new("src/figures").join(name)
                }
                _ => outputs::file(stem).into(),
            };
            made.insert(file, fs::read_to_string(path)?);
        }
    }
    made.retain(|_, text| !text.is_empty());
    Ok(made)
}

/// Builds the examples as this program was built, and says in which folder they are.
///
/// # Errors
/// If they do not compile.
pub fn programs(project: &Project) -> Result<PathBuf> {
    let target = Target::of_this_program()?;
    let mut build = target.build(project);
    build.args(["--examples", "--bin", FIGURES]);
    let built = build.status()?;
    ensure!(built.success(), "the examples or figures do not compile");
    Ok(target.path().join("examples"))
}

/// Does some work with every item, on as many of them at a time as there are cores.
pub fn on_all_cores<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let waiting = Mutex::new(items.iter().enumerate());
    let next = || waiting.lock().expect("taking one never panics").next();
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..cores {
            let (next, work, sender) = (&next, &work, sender.clone());
            scope.spawn(move || {
                for (place, item) in iter::from_fn(next) {
                    let _ = sender.send((place, work(item)));
                }
            });
        }
    });
    drop(sender);
    results.into_iter().collect::<BTreeMap<_, _>>().into_values().collect()
}

/// When the youngest of these files was changed. None if there are none.
fn newest(files: impl IntoIterator<Item = PathBuf>) -> Option<SystemTime> {
    let changed = |file| fs::metadata(file).and_then(|data| data.modified());
    files.into_iter().filter_map(|file| changed(file).ok()).max()
}

/// The folder of what an example makes. It reads nothing but logs, so it
/// makes the same each time, and need not run again until it is built again
/// or a log has changed.
///
/// # Errors
/// If it is not there, or fails.
pub fn run(program: &Path, logs: Option<SystemTime>) -> Result<PathBuf> {
    let folder = program.with_extension("made");
    let built = newest([program.to_owned()])
        .with_context(|| format!("there is no {}", program.display()))?;
    let made = newest([folder.clone()]);
    if made > Some(built) && made > logs {
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
    let done = Command::new(program).env("FIGURES", drawn).output();
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
pub fn compare(project: &Project, made: &Made) -> Vec<Diagnostic> {
    let stale = made
        .iter()
        .filter_map(|(file, text)| difference(project, file, text));
    let left = committed(project)
        .into_iter()
        .filter(|file| !made.contains_key(file));
    stale
        .chain(left.map(|file| {
            Diagnostic::new(file, 1, "no example makes this file")
        }))
        .collect()
}

/// The first line in which a committed file differs.
fn difference(
    project: &Project,
    file: &Path,
    made: &str,
) -> Option<Diagnostic> {
    let Ok(kept) = project.read(file) else {
        return Some(Diagnostic::new(
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
    Some(Diagnostic::new(file, same + 1, message))
}

/// The printed output and pictures in the book's folder.
fn committed(project: &Project) -> Vec<PathBuf> {
    [project.files("src/outputs", "txt"), project.files("src/figures", "svg")]
        .concat()
}
