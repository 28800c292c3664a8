//! Renders a page: what the directives ask for, then the formulas.

use crate::diagnostic::Diagnostic;
use crate::directive::{self, Directive, split_word};
use crate::listing::{self, Excerpt};
use crate::project::{Project, stem};
use crate::source_map::{SourceMap, line_of};
use crate::{
    boxes, contents, german, glossary, hours, include, limits, math, outputs,
    picture, pointer, snippet, strip,
};
use anyhow::{Result, bail};
use std::path::Path;

/// The page as mdBook's Markdown, and all that is wrong with it. Figures are numbered within the chapter.
pub fn render(
    project: &Project,
    file: &Path,
    chapter: Option<&str>,
    text: &str,
) -> (String, Vec<Diagnostic>) {
    let diagnostics = limits::check(file, text);
    if !diagnostics.is_empty() {
        return (text.to_string(), diagnostics);
    }
    let (text, mut diagnostics) = pointer::name(project, file, text);
    diagnostics.extend(snippet::check(file, &text));
    let mut renderer = Renderer {
        project,
        file,
        chapter,
        figures: 0,
        stem: stem(file),
        page: SourceMap::default(),
        diagnostics,
    };
    let (heading, rest) = strip::split_heading(&text);
    renderer.heading(heading);
    renderer.strip();
    renderer.text(rest, line_of(&text, heading.len()));
    renderer.finish()
}

struct Renderer<'a> {
    project: &'a Project,
    file: &'a Path,
    chapter: Option<&'a str>,
    figures: usize,
    stem: String,
    page: SourceMap,
    diagnostics: Vec<Diagnostic>,
}

impl Renderer<'_> {
    /// The heading of the page, behind the number of its chapter. Links to it do not change with the number.
    fn heading(&mut self, heading: &str) {
        match (self.chapter, heading.trim().strip_prefix("# ")) {
            (Some(number), Some(title)) if !title.contains('{') => {
                let place = pointer::place(title);
                let heading = format!(
                    "# <span class=\"number\">{number}</span> {title} {{#{place}}}\n\n"
                );
                self.page.insert(&heading, 1);
            }
            _ => self.text(heading, 1),
        }
    }

    /// The strip under the heading.
    fn strip(&mut self) {
        match strip::strip(self.project, &self.stem) {
            Ok(strip) => self.page.insert(&strip, 1),
            Err(error) => {
                self.diagnostics.push(Diagnostic::new(self.file, 1, error));
            }
        }
    }

    /// Copies text that starts at this line, and does what its directives ask.
    fn text(&mut self, text: &str, line: usize) {
        let mut copied = 0;
        for directive in directive::find(text) {
            let range = directive.range.clone();
            let here = line + line_of(text, range.start) - 1;
            self.page.copy(
                &text[copied..range.start],
                line + line_of(text, copied) - 1,
            );
            let alone = is_alone(text, &directive);
            if let Err(error) =
                self.directive(&directive, alone, &text[range.clone()], here)
            {
                self.diagnostics
                    .push(Diagnostic::new(self.file, here, error));
            }
            // A number and a full stop would begin a list.
            let ends = text[range.end..].starts_with(['.', ')']);
            if ends && is_list_marker(self.page.text()) {
                self.page.insert("\\", here);
            }
            copied = range.end;
        }
        self.page.copy(&text[copied..], line + line_of(text, copied) - 1);
    }

    fn directive(
        &mut self,
        asked: &Directive,
        alone: bool,
        raw: &str,
        line: usize,
    ) -> Result<()> {
        let (project, stem, name) =
            (self.project, self.stem.clone(), asked.name);
        let Some(argument) = asked.argument else {
            bail!("`{{{{#{name}` is not closed")
        };
        if is_block(name) && !alone {
            bail!("`{{{{#{name}` must stand alone, between blank lines");
        }
        let text = match name {
            "code" => Excerpt::find(project, &stem, argument)?.listing(),
            "plain" => Excerpt::find(project, "plain", argument)?.listing(),
            "output" => outputs::output(project, &stem, argument)?,
            "value" => outputs::value(project, &stem, argument)?,
            "contents" => contents::contents(project)?,
            "hours" => hours::hours(project, argument)?,
            "exercise" => listing::exercise(project, &stem, argument)?,
            "example" => listing::example(project, &stem)?,
            "figure" | "flipbook" => {
                return self.picture(name, argument, line);
            }
            _ if include::DIRECTIVES.contains(&name) => {
                include::check(project, self.file, argument)?;
                raw.to_string()
            }
            "title" => raw.to_string(),
            _ => bail!("there is no directive `{{{{#{name}`"),
        };
        self.page.insert(&text, line);
        Ok(())
    }

    /// A picture over its number and its caption, which may hold values and formulas.
    fn picture(
        &mut self,
        name: &str,
        argument: &str,
        line: usize,
    ) -> Result<()> {
        let (picture, caption) = split_word(argument);
        let (picture, first) = match picture.split_once('/') {
            Some((picture, frame)) => {
                (picture, format!(" data-first=\"{frame}\""))
            }
            None => (picture, String::new()),
        };
        let drawn = match name {
            "figure" => picture::figure(self.project, &self.stem, picture)?,
            _ => picture::frames(self.project, &self.stem, picture)?,
        };
        let number = self.next_number();
        let opening = format!(
            "\n<figure class=\"{name}\"{first}>\n{drawn}\n<figcaption>\n\n\
             <b>Figure {number}.</b> "
        );
        self.page.insert(&opening, line);
        self.text(caption, line);
        self.page.insert("\n\n</figcaption>\n</figure>\n", line);
        Ok(())
    }

    /// The number of the next figure: `7.2` is the second of chapter 7.
    fn next_number(&mut self) -> String {
        self.figures += 1;
        match self.chapter {
            Some(chapter) => format!("{chapter}.{}", self.figures),
            None => self.figures.to_string(),
        }
    }

    fn finish(self) -> (String, Vec<Diagnostic>) {
        let (text, errors) = math::render(self.page.text());
        let mut diagnostics = self.diagnostics;
        for error in errors {
            let line = self.page.line(error.offset);
            diagnostics.push(Diagnostic::new(self.file, line, error.message));
        }
        diagnostics.sort();
        let text = boxes::wrap(&glossary::headings(&text));
        (german::mark(&text), diagnostics)
    }
}

/// Whether the last line of a text, in a box or not, is a number and nothing
/// else.
fn is_list_marker(text: &str) -> bool {
    let (_, line) = text.rsplit_once('\n').unwrap_or(("", text));
    let number = line.trim_start_matches(['>', ' ']);
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "code" | "contents" | "plain" | "output" | "exercise" | "example"
    ) || directive::has_caption(name)
}

/// Whether blank lines, or the page's ends, surround a directive.
fn is_alone(text: &str, directive: &Directive) -> bool {
    let (before, after) =
        (&text[..directive.range.start], &text[directive.range.end..]);
    let above = before.is_empty() || before.ends_with("\n\n");
    let below = after.trim_end_matches([' ', '\n']).is_empty()
        || after.starts_with("\n\n");
    above && below
}
