//! Builds the book: examples proved, pages set, pages looked through.

use crate::fault::Faults;
use crate::house::House;
use crate::preprocessor::Press;
use crate::{links, proof, shown};
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use mdbook_driver::MDBook;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Builds the whole book into `book/` and says which page to open.
pub fn build(house: &House) -> Result<PathBuf> {
    let folder = house.path("book");
    all(house, &folder, |_| Ok(()))?;
    Ok(folder.join("index.html"))
}

/// Proves, sets and looks through the whole book; `adjust` may change how mdBook sets it.
pub fn all(
    house: &House,
    folder: &Path,
    adjust: impl Fn(&mut MDBook) -> Result<()>,
) -> Result<()> {
    step("Running the examples", || proof::check(house))?;
    step("Setting the pages", || {
        Faults::check(shown::check(house, &house.pages()?))?;
        set(house, folder, adjust)
    })?;
    step("Looking through the pages", || {
        Ok(Faults::check(links::check(house, folder)?)?)
    })
}

/// Sets the pages into a folder.
pub fn set(
    house: &House,
    folder: &Path,
    adjust: impl Fn(&mut MDBook) -> Result<()>,
) -> Result<()> {
    let mut book = MDBook::load(house.root())?;
    book.config.build.build_dir = folder.to_owned();
    book.with_preprocessor(Press);
    adjust(&mut book)?;
    book.build()
}

/// Does one step of the work under a spinner that says which.
fn step<T>(
    name: &'static str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}")?;
    let progress =
        ProgressBar::new_spinner().with_style(style).with_message(name);
    progress.enable_steady_tick(Duration::from_millis(100));
    let done = work();
    progress.finish_and_clear();
    done
}
