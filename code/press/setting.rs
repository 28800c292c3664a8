//! Sets a page: what the directives ask for, then the formulas.

use crate::directive::{self, Directive, split_word};
use crate::fault::Fault;
use crate::house::{House, stem};
use crate::listing::{self, Excerpt};
use crate::sheet::{Sheet, line_of};
use crate::{include, math, picture, printed};
use anyhow::{Result, bail};
use std::path::Path;

/// The page as mdBook's Markdown, and all that is wrong with it.
pub fn set(house: &House, file: &Path, text: &str) -> (String, Vec<Fault>) {
    let mut setter = Setter {
        house,
        file,
        stem: stem(file),
        sheet: Sheet::default(),
        faults: Vec::new(),
    };
    setter.text(text, 1);
    setter.finish()
}

struct Setter<'a> {
    house: &'a House,
    file: &'a Path,
    stem: String,
    sheet: Sheet,
    faults: Vec<Fault>,
}

impl Setter<'_> {
    /// Copies text that starts at this line, and does what its directives ask.
    fn text(&mut self, text: &str, line: usize) {
        let mut copied = 0;
        for directive in directive::find(text) {
            let range = directive.range.clone();
            let here = line + line_of(text, range.start) - 1;
            self.sheet.copy(
                &text[copied..range.start],
                line + line_of(text, copied) - 1,
            );
            let alone = is_alone(text, &directive);
            if let Err(error) =
                self.directive(&directive, alone, &text[range.clone()], here)
            {
                self.faults.push(Fault::new(self.file, here, error));
            }
            copied = range.end;
        }
        self.sheet.copy(&text[copied..], line + line_of(text, copied) - 1);
    }

    fn directive(
        &mut self,
        asked: &Directive,
        alone: bool,
        raw: &str,
        line: usize,
    ) -> Result<()> {
        let (house, stem, name) = (self.house, self.stem.clone(), asked.name);
        let Some(argument) = asked.argument else {
            bail!("`{{{{#{name}` is not closed")
        };
        if is_block(name) && !alone {
            bail!("`{{{{#{name}` must stand alone, between blank lines");
        }
        let set = match name {
            "code" => Excerpt::find(house, &stem, argument)?.listing(),
            "output" => printed::output(house, &stem, argument)?,
            "value" => printed::value(house, &stem, argument)?,
            "exercise" => listing::exercise(house, &stem, argument)?,
            "example" => listing::example(house, &stem)?,
            "figure" | "flipbook" => {
                return self.picture(name, argument, line);
            }
            "include" | "rustdoc_include" | "playground" => {
                include::check(house, self.file, argument)?;
                raw.to_string()
            }
            "title" => raw.to_string(),
            _ => bail!("there is no directive `{{{{#{name}`"),
        };
        self.sheet.insert(&set, line);
        Ok(())
    }

    /// A picture over its caption, which may hold values and formulas.
    fn picture(
        &mut self,
        name: &str,
        argument: &str,
        line: usize,
    ) -> Result<()> {
        let (picture, caption) = split_word(argument);
        let drawn = match name {
            "figure" => picture::figure(self.house, &self.stem, picture)?,
            _ => picture::frames(self.house, &self.stem, picture)?,
        };
        let opening =
            format!("\n<figure class=\"{name}\">\n{drawn}\n<figcaption>\n\n");
        self.sheet.insert(&opening, line);
        self.text(caption, line);
        self.sheet.insert("\n\n</figcaption>\n</figure>\n", line);
        Ok(())
    }

    fn finish(self) -> (String, Vec<Fault>) {
        let (text, misprints) = math::set(self.sheet.text());
        let mut faults = self.faults;
        for misprint in misprints {
            let line = self.sheet.line(misprint.offset);
            faults.push(Fault::new(self.file, line, misprint.message));
        }
        faults.sort();
        (text, faults)
    }
}

fn is_block(name: &str) -> bool {
    matches!(name, "code" | "output" | "exercise" | "example")
        || directive::has_caption(name)
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
