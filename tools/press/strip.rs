//! The strip at the head of a chapter: the machine of the book with the chapter's part lit, and the way to try it.

use crate::diagnostic::Diagnostic;
use crate::project::{Page, Project};
use crate::{live, picture};
use anyhow::Result;

/// The map of all chapters, to which each strip leads.
const MAP: &str = "machine.html#the-map";

/// What the title of a strip begins with, before it says what the chapter explains.
pub const HERE: &str = "You are here: ";

/// The file of a chapter's strip, which `figures/machine/map.rs` draws.
pub fn file(stem: &str) -> String {
    picture::file("machine", &format!("strip-{stem}"))
}

/// The strip of a chapter as a block of HTML; nothing if the chapter has none.
///
/// # Errors
/// If a page cannot take it in.
pub fn strip(project: &Project, stem: &str) -> Result<String> {
    let file = file(stem);
    if !project.path(&file).exists() {
        return Ok(String::new());
    }
    let svg = picture::svg(project, &file)?;
    let link = live::link(project, stem);
    Ok(format!(
        "<div class=\"strip\">\n<a href=\"{MAP}\">\n{svg}\n</a>\n</div>\n\n{link}"
    ))
}

/// Chapters with a number and without a strip.
pub fn check(project: &Project, pages: &[Page]) -> Vec<Diagnostic> {
    let bare = pages.iter().filter(|page| {
        page.number.is_some() && !project.path(file(&page.stem)).exists()
    });
    bare.map(|page| {
        let message =
            "has no strip: figures/machine/map.rs says which part it explains";
        Diagnostic::new(&page.file, 1, message)
    })
    .collect()
}

/// A page's heading with the blank line after it, and the rest.
pub fn split_heading(text: &str) -> (&str, &str) {
    match text.find("\n\n") {
        Some(end) if text.starts_with("# ") => text.split_at(end + 2),
        _ => ("", text),
    }
}
