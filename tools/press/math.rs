//! Mathematics: LaTeX between dollars becomes MathML.

use math_core::{LatexToMathML, MathDisplay};
use pulldown_cmark::{Event, Options, Parser};
use std::ops::Range;

/// Backslashes and braces that a formula may have. With each of them it can nest a level deeper.
const LARGEST: usize = 64;

/// A formula that cannot be read: where it stands, and why.
#[derive(Debug)]
pub struct FormulaError {
    /// Its first byte in the Markdown.
    pub offset: usize,
    /// What is wrong with it.
    pub message: String,
}

/// Markdown with its formulas as MathML, and those that could not be read.
pub fn render(markdown: &str) -> (String, Vec<FormulaError>) {
    let converter = LatexToMathML::default();
    let (mut text, mut errors, mut copied) = (String::new(), Vec::new(), 0);
    for (latex, display, range) in formulas(markdown) {
        text.push_str(&markdown[copied..range.start]);
        copied = range.end + stop(&markdown[range.end..], display);
        let stop = &markdown[range.end..copied];
        match convert(&converter, &latex, display) {
            Ok(mathml) => text.push_str(&wrap(&mathml, stop, display)),
            Err(message) => {
                errors.push(FormulaError { offset: range.start, message });
            }
        }
    }
    text.push_str(&markdown[copied..]);
    (text, errors)
}

fn convert(
    converter: &LatexToMathML,
    latex: &str,
    display: MathDisplay,
) -> Result<String, String> {
    if latex.matches(['\\', '{']).count() > LARGEST {
        let start: String = latex.chars().take(40).collect();
        return Err(format!("the formula `{start}…` is too large"));
    }
    let result = converter.convert_with_local_state(latex, display);
    result.map(|result| result.mathml).map_err(|error| {
        format!("the formula `{latex}`: {}", error.error_message())
    })
}

/// How many bytes of punctuation follow a formula in its line.
fn stop(after: &str, display: MathDisplay) -> usize {
    match display {
        MathDisplay::Inline => {
            after.len() - after.trim_start_matches(['.', ',', ';', ':']).len()
        }
        MathDisplay::Block => 0,
    }
}

fn formulas(
    markdown: &str,
) -> impl Iterator<Item = (String, MathDisplay, Range<usize>)> {
    let events = Parser::new_ext(markdown, options() | Options::ENABLE_MATH);
    events.into_offset_iter().filter_map(|(event, range)| match event {
        Event::InlineMath(latex) => {
            Some((latex.to_string(), MathDisplay::Inline, range))
        }
        Event::DisplayMath(latex) => {
            Some((latex.to_string(), MathDisplay::Block, range))
        }
        _ => None,
    })
}

/// The Markdown that mdBook reads.
pub fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_SMART_PUNCTUATION
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
}

/// A displayed formula gets a box of its own, which scrolls where the page is
/// too narrow. No line may begin with the stop after a formula.
fn wrap(mathml: &str, stop: &str, display: MathDisplay) -> String {
    match display {
        MathDisplay::Block => {
            format!("<span class=\"formula\">{}</span>", equations(mathml))
        }
        MathDisplay::Inline if stop.is_empty() => shield(mathml),
        MathDisplay::Inline => {
            format!("<span class=\"stopped\">{}{stop}</span>", shield(mathml))
        }
    }
}

/// A displayed formula in parts, because no browser breaks one that is too wide: equations, which a `\qquad` keeps apart, and in
/// them what comes before an equals sign, and what begins with it.
fn equations(mathml: &str) -> String {
    let (opening, row) =
        mathml.split_at(mathml.find('>').map_or(0, |at| at + 1));
    let mut row = row.strip_suffix("</math>").unwrap_or(row);
    let mut equations = vec![vec![String::new()]];
    while let Some((element, rest)) = first_element(row) {
        row = rest;
        if element == QUAD {
            equations.push(vec![String::new()]);
            continue;
        }
        let Some(parts) = equations.last_mut() else { break };
        let begun = parts.last().is_some_and(|part| !part.is_empty());
        if element == "<mo>=</mo>" && begun {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(element);
        }
    }
    let math = |part: &String| shield(&format!("{opening}{part}</math>"));
    let equation = |parts: &Vec<String>| {
        let parts: String = parts.iter().map(math).collect();
        format!("<span class=\"equation\">{parts}</span>")
    };
    equations.iter().map(equation).collect()
}

/// What `\qquad` becomes.
const QUAD: &str = "<mspace width=\"2em\"/>";

/// The first element of a row of MathML with all that it holds, and the elements after it.
fn first_element(row: &str) -> Option<(&str, &str)> {
    let (mut depth, mut at) = (0, 0);
    loop {
        let start = at + row[at..].find('<')?;
        at = start + row[start..].find('>')? + 1;
        let tag = &row[start..at];
        depth += match tag {
            _ if tag.starts_with("</") => -1,
            _ if tag.ends_with("/>") => 0,
            _ => 1,
        };
        if depth == 0 {
            let (element, rest) = row.split_at(at);
            return Some((element.trim(), rest));
        }
    }
}

/// Writes punctuation between tags as entities, so that Markdown takes it for no markup.
fn shield(mathml: &str) -> String {
    let (mut shielded, mut in_tag, mut in_entity) =
        (String::new(), false, false);
    for c in mathml.chars().filter(|c| *c != '\n') {
        in_tag = (in_tag || c == '<') && c != '>';
        in_entity = (in_entity || c == '&') && c != ';';
        let plain = in_tag || in_entity || matches!(c, '>' | ';');
        match c.is_ascii_punctuation() && !plain {
            true => shielded += &format!("&#{};", c as u32),
            false => shielded.push(c),
        }
    }
    shielded
}
