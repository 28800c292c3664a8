//! Listings: items of the crate, answers to exercises and whole examples.

use crate::item::{Lines, Source};
use crate::project::Project;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The language of a listing, which is shown and not run.
const RUST: &str = "rust,ignore";

/// The most lines that a block has where the code lets it be cut: what a screen holds.
const SCREEN: usize = 30;

/// Some items of one file, as a page asks for them.
#[derive(Debug)]
pub struct Excerpt {
    /// The file, relative to the project's folder.
    pub file: PathBuf,
    /// The lines of the items, neighbours joined, in the order of the page.
    pub runs: Vec<Lines>,
    source: Arc<Source>,
}

impl Excerpt {
    /// Finds what `{{#code …}}` asks for, on the page with this stem.
    ///
    /// # Errors
    /// If the file or one of the items is missing.
    pub fn find(
        project: &Project,
        stem: &str,
        argument: &str,
    ) -> Result<Excerpt> {
        let (file, names) = match argument.split_once(".rs:") {
            Some((file, names)) => (format!("{file}.rs"), names),
            None => (format!("{stem}.rs"), argument),
        };
        let mut file = PathBuf::from(file);
        // A path from `code/`, or else from the project's folder.
        let in_code = Path::new("code").join(&file);
        if !project.path(&file).exists() || project.path(&in_code).exists() {
            file = in_code;
        }
        let source = project.source(&file)?;
        let mut parts = Vec::new();
        for name in names_in(names) {
            let lines = source.find(&name);
            ensure!(
                !lines.is_empty(),
                "{} has no item `{name}`",
                file.display()
            );
            parts.extend(lines);
        }
        ensure!(!parts.is_empty(), "the items to show are missing");
        Ok(Excerpt { runs: source.join(&parts), file, source })
    }

    /// The listings: each run in blocks of a screen.
    pub fn listing(&self) -> String {
        self.runs.iter().map(|run| blocks(&self.source.text(run))).collect()
    }
}

/// Splits `scores impl Mask#2 impl Tensor for Matrix` into names.
pub fn names_in(argument: &str) -> Vec<String> {
    let mut words = argument.split_whitespace().peekable();
    let mut names = Vec::new();
    while let Some(word) = words.next() {
        let mut name = word.to_string();
        if word == "impl" {
            name.extend(words.next().map(|of| format!(" {of}")));
            if words.next_if_eq(&"for").is_some() {
                name.extend(words.next().map(|of| format!(" for {of}")));
            }
        }
        names.push(name);
    }
    names
}

/// The answer to an exercise: what is under `// Exercise N`, as prose and code. Where a bug is to be found, the code that has it
/// comes first, and can be seen without the answer.
///
/// # Errors
/// If the prose or the code of the answer is missing.
pub fn exercise(
    project: &Project,
    stem: &str,
    number: &str,
) -> Result<String> {
    let file = format!("tests/exercises/{stem}.rs");
    let heading = format!("// Exercise {number}");
    let (prose, code) = section(&project.read(&file)?, &heading);
    ensure!(
        !prose.is_empty() && !code.is_empty(),
        "{file} needs a sentence and code under `{heading}`"
    );
    let answer = format!("\n{prose}\n{}", blocks(&code));
    let given = given(project, stem, &heading);
    Ok(given + &details("answer", "Answer", &answer))
}

/// The code that an exercise begins with, if there is nothing in it to be written.
fn given(project: &Project, stem: &str, heading: &str) -> String {
    let text = project.read(format!("exercises/{stem}.rs"));
    match section(&text.unwrap_or_default(), heading).1 {
        code if code.is_empty() || code.contains("todo!(") => String::new(),
        code => blocks(&code),
    }
}

/// The comment under a heading, and the code from there to the next one.
fn section(text: &str, heading: &str) -> (String, String) {
    let lines: Vec<&str> = text
        .lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.starts_with("// Exercise "))
        .collect();
    let comment = |line: &&str| *line == "//" || line.starts_with("// ");
    let prose = lines.iter().copied().take_while(comment);
    let prose: Vec<&str> = prose.map(|line| line[2..].trim()).collect();
    let code = lines[prose.len()..].join("\n");
    (prose.join("\n").trim().into(), code.trim().into())
}

/// The whole example of a chapter.
///
/// # Errors
/// If there is none.
pub fn example(project: &Project, stem: &str) -> Result<String> {
    let file = format!("code/examples/{stem}.rs");
    let listing = fence(RUST, &project.read(&file)?);
    Ok(details("program", &format!("<code>{file}</code>"), &listing))
}

/// A closed fold of this class with a summary.
fn details(class: &str, summary: &str, content: &str) -> String {
    format!(
        "\n<details class=\"{class}\">\n<summary>{summary}</summary>\n\
         {content}\n</details>\n"
    )
}

/// Code in blocks of a screen, cut between items, and within an item between its methods.
fn blocks(code: &str) -> String {
    let lines: Vec<&str> = code.trim_end().lines().collect();
    let mut blocks = String::new();
    let mut rest = &lines[..];
    while let Some(end) = cut(rest) {
        blocks += &fence(RUST, &rest[..end].join("\n"));
        rest = &rest[end + 1..];
    }
    blocks + &fence(RUST, &rest.join("\n"))
}

/// The blank line at which a block ends: the last that a screen reaches between two items, or else between two methods, or else
/// anywhere; or else the first below it. None if all fits, or nothing can be cut.
fn cut(lines: &[&str]) -> Option<usize> {
    if lines.len() <= SCREEN {
        return None;
    }
    let gaps = |deepest: usize| {
        (1..lines.len() - 1).filter(move |at| {
            let next = lines[at + 1];
            lines[*at].is_empty()
                && next.len() - next.trim_start().len() <= deepest
        })
    };
    let within =
        |deepest| gaps(deepest).take_while(|at| *at <= SCREEN).last();
    [0, 4, usize::MAX].into_iter().find_map(within).or_else(|| gaps(4).next())
}

/// A code block, fenced by more backticks than the code itself has.
pub fn fence(language: &str, code: &str) -> String {
    let mut ticks = "```".to_string();
    while code.contains(&ticks) {
        ticks.push('`');
    }
    format!("\n{ticks}{language}\n{}\n{ticks}\n", code.trim_end())
}
