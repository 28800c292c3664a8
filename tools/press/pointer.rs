//! Links without words, as `[](mask.md#change-a-word-and-look)`: the book itself says what they lead to.

use crate::contents::title;
use crate::diagnostic::Diagnostic;
use crate::glossary;
use crate::math::options;
use crate::project::Project;
use crate::source_map::line_of;
use anyhow::{Context, Result};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;
use std::path::Path;

/// A page with words for each such link, and the links that lead nowhere. No line moves.
pub fn name(
    project: &Project,
    file: &Path,
    text: &str,
) -> (String, Vec<Diagnostic>) {
    let (mut named, mut copied, mut diagnostics) =
        (String::new(), 0, Vec::new());
    for (target, range) in find(text) {
        match link(project, &target) {
            Ok(link) => {
                named += &text[copied..range.start];
                named += &link;
                copied = range.end;
            }
            Err(error) => {
                let line = line_of(text, range.start);
                diagnostics.push(Diagnostic::new(file, line, error));
            }
        }
    }
    (named + &text[copied..], diagnostics)
}

/// The links of a page that have no words: where each leads, and the bytes it takes.
fn find(text: &str) -> Vec<(String, Range<usize>)> {
    let mut events =
        Parser::new_ext(text, options()).into_offset_iter().peekable();
    let mut found = Vec::new();
    while let Some((event, range)) = events.next() {
        let next = events.peek().map(|(event, _)| event);
        if let Event::Start(Tag::Link { dest_url, .. }) = event
            && let Some(Event::End(TagEnd::Link)) = next
        {
            found.push((dest_url.to_string(), range));
        }
    }
    found
}

/// A link with the words that the book has for what it leads to: the title of the page, and the heading of the section.
///
/// # Errors
/// If there is no such page, or no such section on it.
fn link(project: &Project, target: &str) -> Result<String> {
    let (file, place) = target.split_once('#').unwrap_or((target, ""));
    let pages = project.pages()?;
    let page = file
        .strip_suffix(".md")
        .and_then(|stem| pages.iter().find(|page| page.stem == stem));
    let page = page.with_context(|| {
        format!("`[]({target})` leads nowhere: there is no page `{file}`")
    })?;
    let title = title(page)?;
    if place.is_empty() {
        return Ok(format!("[{title}]({target})"));
    }
    let section = section(&page.text, place).with_context(|| {
        format!(
            "`[]({target})` leads nowhere: {file} has no section `{place}`"
        )
    })?;
    let colon = if title.ends_with('?') { "" } else { ":" };
    Ok(format!("[{title}{colon} {section}]({target})"))
}

/// What a page has over a section: its heading, or the words of a fold.
fn section(text: &str, place: &str) -> Option<String> {
    let text = glossary::headings(text);
    heading(&text, place).or_else(|| fold(&text, place)).map(str::to_owned)
}

fn heading<'a>(text: &'a str, place: &str) -> Option<&'a str> {
    let mut events = Parser::new_ext(text, options()).into_offset_iter();
    while let Some((event, _)) = events.next() {
        let Event::Start(Tag::Heading { id, .. }) = event else { continue };
        let words = events.by_ref().take_while(|(event, _)| {
            !matches!(event, Event::End(TagEnd::Heading(_)))
        });
        let words = words
            .map(|(_, range)| range)
            .reduce(|all, word| all.start..all.end.max(word.end));
        let words = text[words?].trim();
        let called =
            id.map_or_else(|| self::place(words), |id| id.to_string());
        if called == place {
            return Some(words);
        }
    }
    None
}

fn fold<'a>(text: &'a str, place: &str) -> Option<&'a str> {
    let (_, rest) =
        text.split_once(&format!("id=\"{place}\">\n<summary>"))?;
    Some(rest.split_once("</summary>")?.0)
}

/// The place of a heading, as mdBook names it.
pub fn place(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => {
            Some(c.to_ascii_lowercase())
        }
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}
