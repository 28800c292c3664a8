//! The contents on the first page: every numbered chapter with a line, which is what its strip says.

use crate::project::{Page, Project};
use crate::{picture, strip};
use anyhow::{Context, Result};

/// The parts of the book, each with its chapters, as a list in Markdown.
///
/// # Errors
/// If a chapter has no title or no strip.
pub fn contents(project: &Project) -> Result<String> {
    let mut list = "<div class=\"contents\">\n".to_owned();
    let mut part = String::new();
    for page in project.pages()? {
        let Some(number) = &page.number else { continue };
        if page.part != part {
            list += &format!("\n### {}\n\n", page.part);
            part.clone_from(&page.part);
        }
        let (title, line) = (title(page)?, line(project, page)?);
        let stem = &page.stem;
        list +=
            &format!("{number}. [{title}]({stem}.md) <span>{line}</span>\n");
    }
    Ok(list + "\n</div>")
}

/// The title of a page.
///
/// # Errors
/// If it does not begin with one.
pub fn title(page: &Page) -> Result<&str> {
    let first = page.text.lines().next().unwrap_or_default();
    let title = first.strip_prefix("# ");
    title.with_context(|| format!("{} has no title", page.file.display()))
}

/// What a chapter explains.
fn line(project: &Project, page: &Page) -> Result<String> {
    let svg = picture::svg(project, &strip::file(&page.stem))?;
    let here = picture::title(&svg).strip_prefix(strip::HERE);
    let here = here.and_then(|here| here.strip_suffix('.'));
    let here = here.with_context(|| {
        format!("the strip of `{}` does not say what it explains", page.stem)
    })?;
    Ok(here.to_owned())
}
