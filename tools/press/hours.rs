//! How long it takes to read some pages, `{{#hours The model}}`: a part, pages by their stems, or with nothing named the whole book.

use crate::directive::{find, has_caption, split_word};
use crate::project::{Page, Project};
use anyhow::{Result, ensure};

/// The words that a reader gets through in a minute, with time for the
/// figures and a thought. The first page says that the code comes on top.
const A_MINUTE: usize = 100;

/// The time for the pages that are meant, in words, with tables and captions, without their code, exercises and folds.
///
/// # Errors
/// If the pages cannot be read, or none is meant.
pub fn hours(project: &Project, meant: &str) -> Result<String> {
    let pages = project.pages()?;
    let is_part = pages.iter().any(|page| page.part == meant);
    let read = pages.iter().filter(|page| match meant {
        "" => page.number.is_some(),
        _ if is_part => page.part == meant,
        stems => stems.split_whitespace().any(|stem| stem == page.stem),
    });
    let words: usize = read.map(words).sum();
    ensure!(words > 0, "no part and no page is called `{meant}`");
    Ok(said(words / A_MINUTE))
}

/// Minutes to the next five, or hours.
fn said(minutes: usize) -> String {
    match minutes {
        ..90 => format!("{} minutes", minutes.div_ceil(5) * 5),
        _ => format!("{} hours", (minutes + 30) / 60),
    }
}

/// The words of a page's running text, its tables and its captions: up to the exercises, and without code, folds and other directives.
fn words(page: &Page) -> usize {
    let text = page.text.split("\n## Exercises").next().unwrap_or_default();
    let mut running = text.to_owned();
    for directive in find(text).iter().rev() {
        let read = match (directive.name, directive.argument) {
            (name, Some(argument)) if has_caption(name) => {
                split_word(argument).1
            }
            ("value", _) => "1",
            _ => "",
        };
        running.replace_range(directive.range.clone(), read);
    }
    let (mut in_code, mut in_fold, mut words) = (false, false, 0);
    for line in running.lines() {
        let line = line.trim_start_matches("> ");
        in_fold |= line.starts_with("<details");
        in_code ^= line.starts_with("```");
        if !in_code && !in_fold && !line.starts_with('<') {
            words += line.split_whitespace().count();
        }
        in_fold &= !line.starts_with("</details");
    }
    words
}
