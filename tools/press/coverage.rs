//! Whether every line of the crate stands in the book, once.

use crate::diagnostic::Diagnostic;
use crate::directive::find;
use crate::item::Lines;
use crate::listing::Excerpt;
use crate::project::{Page, Project};
use crate::source_map::line_of;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Some lines of a file, shown on a page.
struct Shown {
    lines: Lines,
    page: PathBuf,
    page_line: usize,
}

/// Lines that no page shows, or that are shown twice.
///
/// # Errors
/// If a file of the crate cannot be read.
pub fn check(project: &Project, pages: &[Page]) -> Result<Vec<Diagnostic>> {
    let shown = shown(project, pages);
    let mut diagnostics = Vec::new();
    for file in files_of_packages(project, shown.keys().cloned()) {
        let parts = shown.get(&file).map_or(&[][..], Vec::as_slice);
        diagnostics.extend(missing(&file, &project.read(&file)?, parts));
        diagnostics.extend(repeated(&file, parts));
    }
    Ok(diagnostics)
}

/// The Rust files of the packages that these files belong to, but for their
/// examples: a page that shows a part of a package owes its reader the rest.
fn files_of_packages(
    project: &Project,
    files: impl Iterator<Item = PathBuf>,
) -> Vec<PathBuf> {
    let packages: BTreeSet<PathBuf> =
        files.filter_map(|file| package(project, &file)).collect();
    let files = packages.iter().flat_map(|package| {
        let examples = package.join("examples");
        let mut files = project.files(&package.to_string_lossy(), "rs");
        files.retain(|file| !file.starts_with(&examples));
        files
    });
    files.collect()
}

/// The folder of the package that a file belongs to: the nearest with a
/// manifest.
fn package(project: &Project, file: &Path) -> Option<PathBuf> {
    let mut folders = file.ancestors().skip(1);
    let has_manifest =
        |folder: &&Path| project.path(folder.join("Cargo.toml")).exists();
    folders.find(has_manifest).map(Path::to_owned)
}

/// What each file shows, in the order of the book. What cannot be found is reported when the page is rendered.
fn shown(project: &Project, pages: &[Page]) -> BTreeMap<PathBuf, Vec<Shown>> {
    let mut shown: BTreeMap<PathBuf, Vec<Shown>> = BTreeMap::new();
    for page in pages {
        for code in find(&page.text)
            .into_iter()
            .filter(|directive| directive.name == "code")
        {
            let argument = code.argument.unwrap_or_default();
            let Ok(excerpt) = Excerpt::find(project, &page.stem, argument)
            else {
                continue;
            };
            let page_line = line_of(&page.text, code.range.start);
            let place =
                |lines| Shown { lines, page: page.file.clone(), page_line };
            shown
                .entry(excerpt.file)
                .or_default()
                .extend(excerpt.runs.into_iter().map(place));
        }
    }
    shown
}

/// The lines that no part shows, each run of them as one diagnostic.
fn missing(file: &Path, text: &str, parts: &[Shown]) -> Vec<Diagnostic> {
    let lines =
        text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let is_shown =
        |line: usize| parts.iter().any(|part| part.lines.contains(&line));
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut previous = None;
    let hidden = lines.filter(|(number, line)| {
        !line.trim().is_empty() && !is_shown(*number)
    });
    for (number, line) in hidden {
        if previous.is_none_or(|previous| previous + 1 != number) {
            diagnostics.push(Diagnostic::new(
                file,
                number,
                format!("no page shows `{}`", line.trim()),
            ));
        }
        previous = Some(number);
    }
    diagnostics
}

fn repeated(file: &Path, parts: &[Shown]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        for earlier in &parts[..index] {
            let line = *part.lines.start().max(earlier.lines.start());
            if part.lines.contains(&line) && earlier.lines.contains(&line) {
                let pages =
                    format!("{} and {}", earlier.place(), part.place());
                diagnostics.push(Diagnostic::new(
                    file,
                    line,
                    format!("shown twice: {pages}"),
                ));
            }
        }
    }
    diagnostics
}

impl Shown {
    fn place(&self) -> String {
        format!("{}:{}", self.page.display(), self.page_line)
    }
}
