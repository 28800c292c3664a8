//! Checks what mdBook's own `{{#include …}}` asks for, since mdBook goes on without it.

use crate::project::Project;
use anyhow::{Result, ensure};
use std::path::Path;

/// The directives of mdBook that put a part of another file into a page.
pub const DIRECTIVES: [&str; 3] =
    ["include", "rustdoc_include", "playground"];

/// Whether the file, and the lines or the anchor asked for, exist.
///
/// # Errors
/// What is missing.
pub fn check(project: &Project, page: &Path, argument: &str) -> Result<()> {
    let link = argument.split_whitespace().next().unwrap_or_default();
    let (path, part) = link.split_once(':').unwrap_or((link, ""));
    let text = project.read(page.with_file_name("").join(path))?;
    let first = part.split(':').next().unwrap_or_default();
    match first.parse::<usize>() {
        Ok(line) => {
            ensure!(line <= text.lines().count(), "{path} has no line {line}")
        }
        Err(_) => ensure!(
            first.is_empty() || has_anchor(&text, first),
            no_anchor(path, first)
        ),
    }
    Ok(())
}

fn has_anchor(text: &str, anchor: &str) -> bool {
    let marks = text.split("ANCHOR:").skip(1);
    marks
        .map(|rest| rest.split_whitespace().next())
        .any(|name| name == Some(anchor))
}

fn no_anchor(path: &str, anchor: &str) -> String {
    format!("{path} has no anchor `{anchor}`")
}
