//! The code blocks that a page's author wrote.

use crate::diagnostic::Diagnostic;
use crate::directive::{self, Directive};
use crate::include::DIRECTIVES;
use crate::math::options;
use crate::source_map::line_of;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use std::ops::Range;
use std::path::Path;

/// The crates that snippets use. Their compiler is told where all crates are,
/// but not which of them to use.
const CRATES: [&str; 3] = ["all_you_need", "nalgebra", "rand"];

/// Whether a page has a snippet that is run, or may include one from another file.
pub fn has_any(markdown: &str) -> bool {
    let directives = directive::find(markdown);
    let includes = |found: &Directive| DIRECTIVES.contains(&found.name);
    blocks(markdown).iter().any(Block::is_run)
        || directives.iter().any(includes)
}

/// Names the crates that each snippet uses, in lines the reader does not see.
pub fn link_crates(markdown: &str) -> String {
    let (mut linked, mut copied) = (String::new(), 0);
    for block in blocks(markdown).iter().filter(|block| block.is_run()) {
        let code = &markdown[block.range.clone()];
        let Some(opening) = code.find('\n') else { continue };
        let inside = block.range.start + opening + 1;
        linked.push_str(&markdown[copied..inside]);
        let indent = indent(&markdown[..block.range.start]);
        for name in CRATES.iter().filter(|name| code.contains(*name)) {
            linked += &format!("{indent}# extern crate {name};\n");
        }
        copied = inside;
    }
    linked + &markdown[copied..]
}

/// What the line of a block starts with, in a list or a quotation.
fn indent(before: &str) -> String {
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    before[start..].chars().map(|c| if c == '>' { c } else { ' ' }).collect()
}

/// Code blocks without a language, which would be run as Rust, and those without an end.
pub fn check(file: &Path, markdown: &str) -> Vec<Diagnostic> {
    let complain = |block: &Block| {
        let line = line_of(markdown, block.range.start);
        let message = block.complaint(&markdown[block.range.clone()])?;
        Some(Diagnostic::new(file, line, message))
    };
    blocks(markdown).iter().filter_map(complain).collect()
}

/// A code block of a page.
struct Block {
    language: String,
    range: Range<usize>,
}

impl Block {
    fn complaint(&self, text: &str) -> Option<&'static str> {
        if self.language.is_empty() {
            Some("a code block needs its language: rust, text, console …")
        } else if !is_closed(text) {
            Some("this code block is not closed")
        } else {
            None
        }
    }

    fn is_run(&self) -> bool {
        self.language.starts_with("rust") && !self.language.contains("ignore")
    }
}

/// Whether the last line of a fenced block is its fence. The block may stand in a list or a quotation.
fn is_closed(block: &str) -> bool {
    let fence = block.chars().next().unwrap_or('`');
    let opening = block.chars().take_while(|c| *c == fence).count();
    let last = block.lines().skip(1).last().unwrap_or_default();
    let last = last.trim_start_matches([' ', '>']).trim_end();
    last.len() >= opening && last.chars().all(|c| c == fence)
}

fn blocks(markdown: &str) -> Vec<Block> {
    let events = Parser::new_ext(markdown, options()).into_offset_iter();
    let block = |(event, range)| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
            Some(Block { language: info.to_string(), range })
        }
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
            Some(Block { language: String::new(), range })
        }
        _ => None,
    };
    events.filter_map(block).collect()
}
