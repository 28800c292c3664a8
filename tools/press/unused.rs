//! Whether everything the examples make is shown on some page.

use crate::diagnostic::Diagnostic;
use crate::directive::{Directive, find, has_caption, split_word};
use crate::project::{Page, Project, stem};
use crate::{outputs, picture, strip};
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

/// The files that a page shows: its strip, and what its directives, those in captions included, put on it.
fn shown_on(project: &Project, page: &Page) -> Vec<PathBuf> {
    let mut shown = vec![strip::file(&page.stem)];
    let mut texts = vec![page.text.as_str()];
    while let Some(text) = texts.pop() {
        for directive in find(text) {
            let (name, caption) =
                split_word(directive.argument.unwrap_or_default());
            shown.extend(files(project, &page.stem, &directive, name));
            texts.extend(has_caption(directive.name).then_some(caption));
        }
    }
    shown.into_iter().map(PathBuf::from).collect()
}

fn files(
    project: &Project,
    stem: &str,
    directive: &Directive,
    name: &str,
) -> Vec<String> {
    match directive.name {
        "output" => vec![outputs::file(stem)],
        "value" => {
            let argument = directive.argument.unwrap_or_default();
            vec![outputs::file(outputs::owner(stem, argument).0)]
        }
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
