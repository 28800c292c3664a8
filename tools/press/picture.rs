//! Pictures: a figure, or the frames of a flip-book.

use crate::project::Project;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;

/// The inline picture `src/figures/STEM-NAME.svg`.
///
/// # Errors
/// If there is none, or a page cannot take it in.
pub fn figure(project: &Project, stem: &str, name: &str) -> Result<String> {
    framed(project, &file(stem, name))
}

/// The frames `src/figures/STEM-NAME-1.svg`, `-2` … as items of a list.
///
/// # Errors
/// If there are none, or a page cannot take one in.
pub fn frames(project: &Project, stem: &str, name: &str) -> Result<String> {
    let files = frame_files(project, stem, name);
    ensure!(!files.is_empty(), "{} is missing", frame_file(stem, name, 1));
    let mut frames = String::new();
    let mut titles = BTreeSet::new();
    for file in &files {
        let picture = framed(project, file)?;
        ensure!(
            titles.insert(title(&picture).to_string()),
            "{file} has the title of another frame: the slider says it aloud"
        );
        frames += &format!("<div class=\"frame\">\n{picture}\n</div>\n");
    }
    Ok(format!("<div class=\"frames\">\n{frames}</div>"))
}

/// The file of a figure.
pub fn file(stem: &str, name: &str) -> String {
    format!("src/figures/{stem}-{name}.svg")
}

/// The files of a flip-book, up to the first number that is missing.
pub fn frame_files(project: &Project, stem: &str, name: &str) -> Vec<String> {
    let files = (1..).map(|number| frame_file(stem, name, number));
    files.take_while(|file| project.path(file).exists()).collect()
}

fn frame_file(stem: &str, name: &str, number: usize) -> String {
    file(stem, &format!("{name}-{number}"))
}

/// A picture in the box that scrolls it where the page is too narrow.
fn framed(project: &Project, file: &str) -> Result<String> {
    let svg = svg(project, file)?;
    Ok(format!("<div class=\"picture\">\n{svg}\n</div>"))
}

/// An inline picture, with its natural width for the style sheet. A blank line
/// would end the block of HTML in the middle of it.
///
/// # Errors
/// If it cannot be read, or a page cannot take it in.
pub fn svg(project: &Project, file: &str) -> Result<String> {
    let text = project.read(file)?;
    let svg = text[text.find("<svg").unwrap_or(0)..].trim();
    ensure!(
        svg.contains("<title>") && svg.contains("<desc>"),
        "{file} has no <title> and <desc>"
    );
    ensure!(
        svg.lines().all(|line| !line.trim().is_empty()),
        "{file} has a blank line"
    );
    let width =
        width(svg).with_context(|| format!("{file} has no viewBox"))?;
    let opening = format!("<svg style=\"--width: {width}px\"");
    Ok(svg.replacen("<svg", &opening, 1))
}

/// What stands between the tags of the title.
pub fn title(svg: &str) -> &str {
    let after = svg.split_once("<title>").map_or("", |(_, after)| after);
    after.split("</title>").next().unwrap_or("")
}

/// The third number of the view box.
fn width(svg: &str) -> Option<&str> {
    let (_, numbers) = svg.split_once("viewBox=\"")?;
    numbers.split('"').next()?.split_whitespace().nth(2)
}
