//! Whether everything the examples make is shown on some page: files, and the lines of what is printed.

use crate::diagnostic::Diagnostic;
use crate::directive::{Directive, find, has_caption, split_word};
use crate::project::{Page, Project, stem};
use crate::{outputs, picture, strip};
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Printed output and pictures that no page shows, of chapters that are written.
pub fn check(project: &Project, pages: &[Page]) -> Vec<Diagnostic> {
    let shown: BTreeSet<PathBuf> =
        pages.iter().flat_map(|page| shown_on(project, page)).collect();
    let made = [
        project.files("src/outputs", "txt"),
        project.files("src/figures", "svg"),
    ]
    .concat();
    let hidden = made
        .into_iter()
        .filter(|file| !shown.contains(file) && is_due(file, pages));
    hidden
        .map(|file| Diagnostic::new(file, 1, "no page shows this file"))
        .collect()
}

/// Printed lines that no page shows, neither in a section nor as a value.
///
/// # Errors
/// If a file cannot be read.
pub fn lines(project: &Project, pages: &[Page]) -> Result<Vec<Diagnostic>> {
    let shown: BTreeSet<(String, String)> =
        pages.iter().flat_map(printed_on).collect();
    let mut hidden = Vec::new();
    for file in project.files("src/outputs", "txt") {
        let has = |what: &str| {
            shown.contains(&(stem(&file).to_owned(), what.to_owned()))
        };
        let (text, mut section) = (project.read(&file)?, "");
        for (number, line) in (1..).zip(text.lines()) {
            section = line.strip_prefix("== ").unwrap_or(section);
            let label = line.split_once(" = ").map_or("", |(name, _)| name);
            let is_shown = line.is_empty()
                || line.starts_with("== ")
                || has(&format!("output {section}"))
                || has("output ")
                || has(&format!("value {}", label.trim()));
            if !is_shown {
                let message = "no page shows this line";
                hidden.push(Diagnostic::new(&file, number, message));
            }
        }
    }
    Ok(hidden)
}

/// The directives of a page, those in captions included.
fn directives(page: &Page) -> Vec<Directive<'_>> {
    let mut all = Vec::new();
    let mut texts = vec![page.text.as_str()];
    while let Some(text) = texts.pop() {
        for directive in find(text) {
            let (_, caption) =
                split_word(directive.argument.unwrap_or_default());
            texts.extend(has_caption(directive.name).then_some(caption));
            all.push(directive);
        }
    }
    all
}

/// The sections and the values that a page shows, each with the stem of the page whose example prints it.
fn printed_on(page: &Page) -> Vec<(String, String)> {
    let shown = directives(page).into_iter().map(|directive| {
        let argument = directive.argument.unwrap_or_default();
        let (stem, what) = match directive.name {
            "value" => outputs::owner(&page.stem, argument),
            _ => (&page.stem[..], argument),
        };
        (stem.to_owned(), format!("{} {what}", directive.name))
    });
    shown.collect()
}

/// The files that a page shows: its strip, and what its directives put on it.
fn shown_on(project: &Project, page: &Page) -> Vec<PathBuf> {
    let shown = directives(page)
        .into_iter()
        .flat_map(|directive| files(project, &page.stem, &directive));
    let strip = strip::file(&page.stem);
    shown.chain([strip]).map(PathBuf::from).collect()
}

fn files(
    project: &Project,
    stem: &str,
    directive: &Directive<'_>,
) -> Vec<String> {
    let argument = directive.argument.unwrap_or_default();
    let (name, _) = split_word(argument);
    match directive.name {
        "output" => vec![outputs::file(stem)],
        "value" => vec![outputs::file(outputs::owner(stem, argument).0)],
        "figure" => vec![picture::file(stem, name)],
        "flipbook" => {
            let name = name.split('/').next().unwrap_or(name);
            picture::frame_files(project, stem, name)
        }
        _ => Vec::new(),
    }
}

/// Whether the chapter that the file belongs to is written.
fn is_due(file: &Path, pages: &[Page]) -> bool {
    let name = stem(file);
    pages.iter().any(|page| {
        name == page.stem || name.starts_with(&format!("{}-", page.stem))
    })
}
