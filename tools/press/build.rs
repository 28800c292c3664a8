//! Builds the book of what is committed: pages rendered, pages looked through.

use crate::diagnostic::Diagnostics;
use crate::pdf::Chromium;
use crate::preprocessor::Press;
use crate::project::Project;
use crate::{epub, links};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use mdbook_driver::MDBook;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, process};
use tempfile::TempDir;

/// Builds the whole book into `book/` and says which page to open.
///
/// # Errors
/// All that is wrong with the book, as far as it was found at once.
pub fn build(project: &Project) -> Result<PathBuf> {
    let folder = project.path("book");
    make(project, &folder)?;
    Ok(folder.join("index.html"))
}

/// Builds the whole book into one file for e-readers, and says which.
///
/// # Errors
/// All that is wrong with the book, as far as it was found at once, or that the file cannot be written.
pub fn epub(project: &Project) -> Result<PathBuf> {
    let folder = scratch(project)?;
    make(project, folder.path())?;
    let made =
        step("Packing the EPUB", || epub::epub(project, folder.path()));
    write(&made?, project.path("all-you-need.epub"))
}

/// Prints the whole book into a PDF, and says which.
///
/// # Errors
/// If there is no Chromium to print it, all that is wrong with the book, or that the file cannot be written.
pub fn pdf(project: &Project) -> Result<PathBuf> {
    let chromium = Chromium::find()?;
    let folder = scratch(project)?;
    make(project, folder.path())?;
    let print = || chromium.print(project, folder.path());
    write(&step("Printing the PDF", print)?, project.path("all-you-need.pdf"))
}

/// Pages and links, all of them right.
fn make(project: &Project, folder: &Path) -> Result<()> {
    render(project, folder)?;
    check_pages(project, folder)
}

/// A folder that goes away. It is within the project, because Chromium may be packed so that it sees no other.
fn scratch(project: &Project) -> Result<TempDir> {
    let target = project.path("target");
    fs::create_dir_all(&target)?;
    Ok(tempfile::Builder::new().prefix("press").tempdir_in(target)?)
}

/// Only what is complete gets the name.
fn write(bytes: &[u8], file: PathBuf) -> Result<PathBuf> {
    let incomplete = file.with_extension(process::id().to_string());
    let written = fs::write(&incomplete, bytes)
        .and_then(|()| fs::rename(&incomplete, &file));
    if written.is_err() {
        let _ = fs::remove_file(&incomplete);
    }
    written.with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// Renders the pages into a folder, with the numbers and figures that lie in `src/`.
///
/// # Errors
/// All that is wrong with the pages, or that the folder cannot be written.
pub fn render(project: &Project, folder: &Path) -> Result<()> {
    step("Rendering the pages", || {
        let mut book = MDBook::load(project.root())?;
        book.config.build.build_dir = folder.to_owned();
        book.with_preprocessor(Press(project.clone()));
        book.build()
    })
}

/// Whether the links of the pages that were rendered into a folder lead somewhere.
///
/// # Errors
/// Those that do not, or that a page cannot be read.
pub fn check_pages(project: &Project, folder: &Path) -> Result<()> {
    step("Looking through the pages", || {
        Ok(Diagnostics::check(links::check(project, folder)?)?)
    })
}

/// Does one step of the work under a spinner that says which, or where
/// nobody would see it turn, under a line.
fn step<T>(
    name: &'static str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if !stderr().is_terminal() {
        eprintln!("{name}");
        return work();
    }
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}")?;
    let progress =
        ProgressBar::new_spinner().with_style(style).with_message(name);
    progress.enable_steady_tick(Duration::from_millis(100));
    let done = work();
    progress.finish_and_clear();
    done
}
