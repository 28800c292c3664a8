//! Compiles and runs the Rust snippets of the pages.

use crate::preprocessor::Press;
use crate::project::Project;
use crate::snippet;
use crate::target::Target;
use anyhow::{Result, ensure};
use mdbook_driver::MDBook;
use serde_json::Value;
use std::env::consts::DLL_EXTENSION;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use tempfile::TempDir;

/// Compiles and runs all snippets, or those of the chapter in one file.
///
/// # Errors
/// If the crate or a snippet does not compile, or a snippet fails.
pub fn run(project: &Project, chapter: Option<&str>) -> Result<()> {
    let libraries = libraries(project)?;
    let mut book = MDBook::load(project.root())?;
    if chapter.is_none() {
        leave_out_pages_without_snippets(&mut book);
    }
    book.with_preprocessor(Press(project.clone()));
    book.test_chapter(vec![&libraries.path().to_string_lossy()], chapter)
}

/// Takes the paths of these pages away, so that they are rendered but not tested: mdBook would start a compiler for each of them.
fn leave_out_pages_without_snippets(book: &mut MDBook) {
    book.book.for_each_chapter_mut(|page| {
        if !snippet::has_any(&page.content) {
            page.path = None;
        }
    });
}

/// Builds the crate and puts it with all that it needs into a folder of their
/// own: Cargo's may hold older builds of one library, and the compiler would
/// not know which to take.
fn libraries(project: &Project) -> Result<TempDir> {
    let target = Target::of_this_program()?;
    let folder = TempDir::new_in(target.path())?;
    for file in build(&target, project)? {
        let name = file.file_name().unwrap_or_default();
        fs::hard_link(&file, folder.path().join(name))?;
    }
    Ok(folder)
}

/// Builds the libraries of the project, if they are not built, and names all files that this takes.
fn build(target: &Target, project: &Project) -> Result<Vec<PathBuf>> {
    let built = target
        .build(project)
        .args(["--lib", "--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(built.status.success(), "the crate does not compile");
    let messages = serde_json::Deserializer::from_slice(&built.stdout);
    let mut files = Vec::new();
    for message in messages.into_iter::<Value>() {
        files.extend(linked(&message?));
    }
    Ok(files)
}

/// The libraries in a message of Cargo that a program is linked with, and those that the compiler loads to run macros.
fn linked(message: &Value) -> impl Iterator<Item = PathBuf> {
    let files = message["filenames"].as_array().into_iter().flatten();
    let files = files.filter_map(Value::as_str).map(PathBuf::from);
    files.filter(|file| {
        let ending = file.extension().and_then(OsStr::to_str);
        matches!(ending, Some("rlib" | DLL_EXTENSION))
    })
}
