//! The press itself: what it finds, cuts out, sets and complains about.

mod checks;
mod directives;
mod formulas;
mod items;
mod pages;
mod snippets;

use press::fault::Fault;
use press::house::{House, Page};
use press::setting;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A project of a few files, in a folder that goes away with it.
struct Project {
    house: House,
    _folder: TempDir,
}

fn project(files: &[(&str, &str)]) -> Project {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Project { house: House::new(folder.path()), _folder: folder }
}

fn page(stem: &str, text: &str) -> Page {
    let file = format!("src/{stem}.md").into();
    Page { stem: stem.into(), file, text: text.into() }
}

/// The page `src/attention.md` with this text, set.
fn set(files: &[(&str, &str)], text: &str) -> (String, Vec<Fault>) {
    let project = project(files);
    setting::set(&project.house, Path::new("src/attention.md"), text)
}

/// The page set, which must go well.
fn set_well(files: &[(&str, &str)], text: &str) -> String {
    let (set, faults) = set(files, text);
    assert_eq!(faults, [], "{set}");
    set
}

/// What is wrong with the page, a line each.
fn complaints(files: &[(&str, &str)], text: &str) -> String {
    let (_, faults) = set(files, text);
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    lines.join("\n")
}
