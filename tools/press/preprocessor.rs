//! The press as mdBook's preprocessor.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::project::{Project, number};
use crate::render::render;
use crate::{live, snippet};
use anyhow::Result;
use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext, parse_input};
use std::io::{Read, Write};
use std::path::Path;

/// Renders every page of the book, and writes what a page loads.
#[derive(Debug)]
pub struct Press(pub Project);

impl Preprocessor for Press {
    fn name(&self) -> &str {
        "book"
    }

    fn run(
        &self,
        context: &PreprocessorContext,
        mut book: Book,
    ) -> Result<Book> {
        let project = &self.0;
        live::write(project)?;
        let mut diagnostics = empty(&book);
        book.for_each_chapter_mut(|chapter| {
            diagnostics.extend(render_chapter(project, chapter));
            if context.renderer == "test" {
                chapter.content = snippet::link_crates(&chapter.content);
            }
        });
        Diagnostics::check(diagnostics)?;
        Ok(book)
    }
}

/// mdBook makes a book of nothing without a word.
fn empty(book: &Book) -> Vec<Diagnostic> {
    let message = "the book has no chapters";
    let none = book.chapters().next().is_none();
    none.then(|| Diagnostic::new("src/SUMMARY.md", 1, message))
        .into_iter()
        .collect()
}

fn render_chapter(
    project: &Project,
    chapter: &mut Chapter,
) -> Vec<Diagnostic> {
    let Some(source) = &chapter.source_path else { return Vec::new() };
    let file = Path::new("src").join(source);
    let (text, diagnostics) =
        render(project, &file, number(chapter).as_deref(), &chapter.content);
    chapter.content = text;
    diagnostics
}

/// Answers mdBook, which sends a book and wants it back with its pages rendered.
///
/// # Errors
/// All that is wrong with the pages, or that the book cannot be read or written.
pub fn answer(input: impl Read, output: impl Write) -> Result<()> {
    let (context, book) = parse_input(input)?;
    let project = Project::new(&context.root);
    let book = Press(project).run(&context, book)?;
    Ok(serde_json::to_writer(output, &book)?)
}
