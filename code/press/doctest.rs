//! Compiles and runs the Rust snippets of the pages.

use crate::preprocessor::Press;
use crate::project::Project;
use crate::snippet::{self, CRATES};
use anyhow::{Result, ensure};
use mdbook_driver::MDBook;
use std::fs;
use std::path::{Path, PathBuf};

/// Compiles and runs all snippets, or those of the chapter in one file.
///
/// # Errors
/// If the crate or a snippet does not compile, or a snippet fails.
pub fn run(project: &Project, chapter: Option<&str>) -> Result<()> {
    let library = library(project)?;
    let mut book = MDBook::load(project.root())?;
    if chapter.is_none() {
        leave_out_pages_without_snippets(&mut book);
    }
    book.with_preprocessor(Press);
    book.test_chapter(vec![&library.to_string_lossy()], chapter)
}

/// Takes the paths of these pages away, so that they are rendered but not tested: mdBook would start a compiler for each of them.
fn leave_out_pages_without_snippets(book: &mut MDBook) {
    book.book.for_each_chapter_mut(|page| {
        if !snippet::has_any(&page.content) {
            page.path = None;
        }
    });
}

/// Builds the crate into a folder of its own and says where it is. Two builds
/// of one library there would confuse the compiler, so the folder is emptied.
fn library(project: &Project) -> Result<PathBuf> {
    let folder = project.path("target/snippets");
    let built = folder.join("debug/deps");
    compile(project, &folder)?;
    if CRATES.iter().any(|name| builds(&built, name) > 1) {
        fs::remove_dir_all(&folder)?;
        compile(project, &folder)?;
    }
    Ok(built)
}

fn compile(project: &Project, folder: &Path) -> Result<()> {
    let crate_alone = ["--package", "all-you-need", "--lib"];
    let built = project
        .cargo()
        .args(["build", "--quiet", "--target-dir"])
        .arg(folder)
        .args(crate_alone)
        .status()?;
    ensure!(built.success(), "the crate does not compile");
    Ok(())
}

/// How many builds of a library lie in this folder.
fn builds(folder: &Path, name: &str) -> usize {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_build = |file: &String| {
        file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
    };
    let names = files.map(|file| file.file_name().to_string_lossy().into());
    names.filter(is_build).count()
}
