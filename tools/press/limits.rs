//! Limits that keep a page within what its parsers can take.

use crate::diagnostic::Diagnostic;
use std::path::Path;

/// The longest line, in bytes. Markdown can nest a level with every one of them.
const LONGEST_LINE: usize = 1000;

/// Lines that are too long to be parsed.
pub fn check(file: &Path, text: &str) -> Vec<Diagnostic> {
    let lines = text.lines().enumerate();
    let long = lines.filter(|(_, line)| line.len() > LONGEST_LINE);
    let message = format!("a line of more than {LONGEST_LINE} bytes");
    long.map(|(index, _)| Diagnostic::new(file, index + 1, &message))
        .collect()
}
