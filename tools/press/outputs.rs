//! What the examples print: whole, a section of it, or a single value.

use crate::listing::fence;
use crate::project::Project;
use anyhow::{Context, Result, bail};

/// The printed output of an example, or the section under a title.
///
/// # Errors
/// If there is none.
pub fn output(project: &Project, stem: &str, title: &str) -> Result<String> {
    let text = project.read(file(stem))?;
    if title.is_empty() {
        return Ok(fence("text", &text));
    }
    let part = section(&text, title).with_context(|| {
        format!("{} has no section `== {title}`", file(stem))
    })?;
    Ok(fence("text", &part))
}

/// The value that an example prints under a label: `LABEL`, or `STEM: LABEL` of another chapter.
///
/// # Errors
/// If there is none, or more than one.
pub fn value(
    project: &Project,
    stem: &str,
    argument: &str,
) -> Result<String> {
    let (stem, label) = owner(stem, argument);
    let text = project.read(file(stem))?;
    match values(&text, label).as_slice() {
        [value] => Ok(value.to_string()),
        [] => bail!("{} has no line `{label} = …`", file(stem)),
        _ => bail!("{} has more than one line `{label} = …`", file(stem)),
    }
}

/// The file that keeps what an example prints.
pub fn file(stem: &str) -> String {
    format!("src/outputs/{stem}.txt")
}

/// Whose value an argument of `{{#value …}}` means, and its label.
pub fn owner<'a>(stem: &'a str, argument: &'a str) -> (&'a str, &'a str) {
    match argument.split_once(": ") {
        Some((other, label))
            if other.chars().all(|c| c.is_ascii_lowercase()) =>
        {
            (other, label.trim())
        }
        _ => (stem, argument),
    }
}

/// The lines between the heading `== TITLE` and the next heading.
pub fn section(text: &str, title: &str) -> Option<String> {
    let heading = format!("== {title}");
    let mut lines =
        text.lines().skip_while(|line| line.trim_end() != heading);
    lines.next()?;
    let body: Vec<&str> =
        lines.take_while(|line| !line.starts_with("== ")).collect();
    Some(body.join("\n").trim_matches('\n').to_string())
}

/// All values printed under this label.
pub fn values<'a>(text: &'a str, label: &str) -> Vec<&'a str> {
    let pairs = text.lines().filter_map(|line| line.split_once(" = "));
    pairs
        .filter(|(name, _)| name.trim() == label)
        .map(|(_, value)| value.trim())
        .collect()
}
