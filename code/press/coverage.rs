//! Whether every line of the crate stands in the book, once, in the file's order.

use crate::directive::find;
use crate::fault::Fault;
use crate::house::{House, Page};
use crate::item::Lines;
use crate::listing::Excerpt;
use crate::sheet::line_of;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Some lines of a file, shown on a page.
struct Shown {
    lines: Lines,
    page: PathBuf,
    page_line: usize,
}

/// Lines that no page shows, or that are shown twice or out of order.
pub fn check(house: &House, pages: &[Page]) -> Result<Vec<Fault>> {
    let shown = shown(house, pages);
    let mut faults = Vec::new();
    for file in crate_files(house) {
        let parts = shown.get(&file).map_or(&[][..], Vec::as_slice);
        faults.extend(missing(&file, &house.read(&file)?, parts));
        faults.extend(repeated(&file, parts));
        faults.extend(unordered(&file, parts));
    }
    Ok(faults)
}

/// The files of the model and its program: all but the examples, the figures and the press.
pub fn crate_files(house: &House) -> Vec<PathBuf> {
    let apart = ["code/examples", "code/plot", "code/press"];
    let mut files = house.files("code", "rs");
    files.retain(|file| !apart.iter().any(|apart| file.starts_with(apart)));
    files
}

/// What each file shows, in the order of the book. What cannot be found is reported when it is set.
fn shown(house: &House, pages: &[Page]) -> BTreeMap<PathBuf, Vec<Shown>> {
    let mut shown: BTreeMap<PathBuf, Vec<Shown>> = BTreeMap::new();
    for page in pages {
        for code in find(&page.text)
            .into_iter()
            .filter(|directive| directive.name == "code")
        {
            let argument = code.argument.unwrap_or_default();
            let Ok(excerpt) = Excerpt::find(house, &page.stem, argument)
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

/// The lines that no part shows, each run of them as one fault.
fn missing(file: &Path, text: &str, parts: &[Shown]) -> Vec<Fault> {
    let lines =
        text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let is_shown =
        |line: usize| parts.iter().any(|part| part.lines.contains(&line));
    let mut faults: Vec<Fault> = Vec::new();
    let mut previous = None;
    let hidden = lines.filter(|(number, line)| {
        !line.trim().is_empty() && !is_shown(*number)
    });
    for (number, line) in hidden {
        if previous.is_none_or(|previous| previous + 1 != number) {
            faults.push(Fault::new(
                file,
                number,
                format!("no page shows `{}`", line.trim()),
            ));
        }
        previous = Some(number);
    }
    faults
}

fn repeated(file: &Path, parts: &[Shown]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        for earlier in &parts[..index] {
            let line = *part.lines.start().max(earlier.lines.start());
            if part.lines.contains(&line) && earlier.lines.contains(&line) {
                let pages =
                    format!("{} and {}", earlier.place(), part.place());
                faults.push(Fault::new(
                    file,
                    line,
                    format!("shown twice: {pages}"),
                ));
            }
        }
    }
    faults
}

fn unordered(file: &Path, parts: &[Shown]) -> Vec<Fault> {
    let neighbours = parts.iter().zip(parts.iter().skip(1));
    let wrong = neighbours
        .filter(|(part, next)| part.lines.start() > next.lines.start());
    let fault = |part: &Shown| {
        let message = format!(
            "{} shows this after a later line of the file",
            part.place()
        );
        Fault::new(file, *part.lines.start(), message)
    };
    wrong.map(|(_, part)| fault(part)).collect()
}

impl Shown {
    fn place(&self) -> String {
        format!("{}:{}", self.page.display(), self.page_line)
    }
}
