//! Whether every line of the library stands in the book, once.

use crate::diagnostic::Diagnostic;
use crate::directive::find;
use crate::item::Lines;
use crate::listing::Excerpt;
use crate::project::{Page, Project};
use crate::source_map::line_of;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Some lines of a file, shown on a page.
struct Shown {
    lines: Lines,
    page: PathBuf,
    page_line: usize,
}

/// The folder of the library, every line of which is owed to the reader. Of
/// other packages a page may show what it likes.
const LIBRARY: &str = "code";

/// Lines that no page shows, or that are shown twice.
///
/// # Errors
/// If a file of the library cannot be read.
pub fn check(project: &Project, pages: &[Page]) -> Result<Vec<Diagnostic>> {
    let shown = shown(project, pages);
    let examples = Path::new(LIBRARY).join("examples");
    let is_owed = |file: &PathBuf| !file.starts_with(&examples);
    let mut diagnostics = Vec::new();
    for file in project.files(LIBRARY, "rs").into_iter().filter(is_owed) {
        let parts = shown.get(&file).map_or(&[][..], Vec::as_slice);
        diagnostics.extend(missing(&file, &project.read(&file)?, parts));
    }
    for (file, parts) in shown.iter().filter(|(file, _)| is_owed(file)) {
        diagnostics.extend(repeated(file, parts));
    }
    Ok(diagnostics)
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
