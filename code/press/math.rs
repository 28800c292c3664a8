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
    let mathml = shield(mathml);
    match display {
        MathDisplay::Block => {
            format!("<span class=\"formula\">{mathml}</span>")
        }
        MathDisplay::Inline if stop.is_empty() => mathml,
        MathDisplay::Inline => {
            format!("<span class=\"stopped\">{mathml}{stop}</span>")
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
