//! The press itself: what it finds, cuts out, renders, serves and complains about.

mod any;
mod checks;
mod descriptions;
mod directives;
mod formulas;
mod items;
mod live;
mod pages;
mod program;
#[path = "../common/property.rs"]
mod property;
mod serve;
mod snippets;
mod takes;

use press::diagnostic::Diagnostic;
use press::project::{Page, Project};
use press::render;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A scratch of a few files, in a folder that goes away with it.
struct Scratch {
    project: Project,
    _folder: TempDir,
}

fn scratch(files: &[(&str, &str)]) -> Scratch {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    Scratch { project: Project::new(folder.path()), _folder: folder }
}

/// Settings of a small book. mdBook's page for what is not found has a link to the root of a site.
const SETTINGS: &str = "[output.html]\ninput-404 = \"\"\n";

/// The program in a project.
fn program(scratch: &Scratch) -> Command {
    let mut book = Command::new(env!("CARGO_BIN_EXE_book"));
    book.current_dir(scratch.project.root());
    for variable in ["CARGO_MANIFEST_DIR", "CHROMIUM", "SOURCE_DATE_EPOCH"] {
        book.env_remove(variable);
    }
    book
}

fn page(stem: &str, text: &str) -> Page {
    let file = format!("src/{stem}.md").into();
    Page {
        stem: stem.into(),
        file,
        number: None,
        part: String::new(),
        text: text.into(),
    }
}

/// The page `src/attention.md` with this text, rendered.
fn render(files: &[(&str, &str)], text: &str) -> (String, Vec<Diagnostic>) {
    let scratch = scratch(files);
    let file = Path::new("src/attention.md");
    render::render(&scratch.project, file, Some("7"), text)
}

/// The page rendered, which must go well.
fn rendered(files: &[(&str, &str)], text: &str) -> String {
    let (text, diagnostics) = render(files, text);
    assert_eq!(diagnostics, [], "{text}");
    text
}

/// What is wrong with the page, a line each.
fn complaints(files: &[(&str, &str)], text: &str) -> String {
    let (_, diagnostics) = render(files, text);
    let lines: Vec<String> =
        diagnostics.iter().map(Diagnostic::to_string).collect();
    lines.join("\n")
}
