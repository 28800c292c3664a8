//! The model in a hundred lines: one page has it whole, and each of its items
//! is explained in one chapter, by `{{#plain …}}`.

use crate::diagnostic::Diagnostic;
use crate::directive::find;
use crate::listing::names_in;
use crate::project::{Page, Project};
use anyhow::Result;
use std::path::Path;

/// The file of the model.
const FILE: &str = "code/plain.rs";

/// What belongs to the file and not to the model.
const FRAME: [&str; 3] = ["//!", "use", "mod"];

/// Items of the model that no chapter explains, or more than one.
///
/// # Errors
/// If the file cannot be read.
pub fn check(project: &Project, pages: &[Page]) -> Result<Vec<Diagnostic>> {
    let source = project.source(Path::new(FILE))?;
    let explained: Vec<String> = pages.iter().flat_map(items).collect();
    let items = source.names().filter(|name| !FRAME.contains(name));
    let diagnostic = |item: &str| {
        let times = explained.iter().filter(|name| *name == item).count();
        let line = source.find(item).first().map_or(1, |at| *at.start());
        let message = format!("{times} chapters explain `{item}`");
        (times != 1).then(|| Diagnostic::new(FILE, line, message))
    };
    Ok(items.filter_map(diagnostic).collect())
}

/// The items that a page explains.
fn items(page: &Page) -> Vec<String> {
    let directives = find(&page.text).into_iter();
    let asked = directives.filter(|directive| directive.name == "plain");
    asked
        .flat_map(|directive| names_in(directive.argument.unwrap_or("")))
        .collect()
}
