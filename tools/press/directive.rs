//! Finds the directives `{{#name argument}}` of a page.

use std::ops::Range;

/// What asks the press, or mdBook, to insert something.
#[derive(Debug, PartialEq, Eq)]
pub struct Directive<'a> {
    /// What to insert: `code`, `figure`, `include` …
    pub name: &'a str,
    /// What follows the name, trimmed; nothing if the closing braces are missing.
    pub argument: Option<&'a str>,
    /// The bytes of the page it takes, braces included.
    pub range: Range<usize>,
}

/// The directives of a page, in order. A backslash before the braces makes them plain text.
pub fn find(text: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(at) = text[start..].find("{{#").map(|at| start + at) {
        let directive = parse(text, at);
        start = directive.range.end;
        if !text[..at].ends_with('\\') {
            found.push(directive);
        }
    }
    found
}

fn parse(text: &str, start: usize) -> Directive<'_> {
    let inside = start + "{{#".len();
    let rest = &text[inside..];
    let name = &rest[..rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len())];
    let Some(length) = end(name, rest) else {
        return Directive {
            name,
            argument: None,
            range: start..inside + name.len(),
        };
    };
    let range = start..inside + length + "}}".len();
    Directive { name, argument: Some(rest[name.len()..length].trim()), range }
}

/// Where the closing braces are. A caption may hold braces of its own, so it closes at a line's end.
fn end(name: &str, rest: &str) -> Option<usize> {
    if !has_caption(name) {
        return rest.find("}}");
    }
    let mut line_start = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end().ends_with("}}") {
            return Some(line_start + line.trim_end().len() - "}}".len());
        }
        line_start += line.len();
    }
    None
}

/// Whether a directive of this name ends in a caption.
pub fn has_caption(name: &str) -> bool {
    matches!(name, "figure" | "flipbook")
}

/// The first word of an argument, and the rest.
pub fn split_word(argument: &str) -> (&str, &str) {
    let (word, rest) =
        argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    (word, rest.trim())
}
