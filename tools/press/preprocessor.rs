//! The press as mdBook's preprocessor.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::project::{Project, number};
use crate::render::render;
use crate::{live, snippet};
use anyhow::Result;
use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext, parse_input};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

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
        let chapters: Vec<&Chapter> = book.chapters().collect();
        let mut pages: HashMap<PathBuf, Rendered> = chapters
            .par_iter()
            .filter_map(|chapter| render_chapter(project, chapter))
            .collect();
        let mut diagnostics = empty(&book);
        book.for_each_chapter_mut(|chapter| {
            let source = chapter.source_path.as_ref();
            if let Some(page) = source.and_then(|file| pages.remove(file)) {
                chapter.content = page.text;
                diagnostics.extend(page.diagnostics);
            }
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

/// A page as mdBook's Markdown, and all that is wrong with it.
struct Rendered {
    text: String,
    diagnostics: Vec<Diagnostic>,
}

/// A page under the name of its file, unless the chapter is not written.
fn render_chapter(
    project: &Project,
    chapter: &Chapter,
) -> Option<(PathBuf, Rendered)> {
    let source = chapter.source_path.as_ref()?;
    let file = Path::new("src").join(source);
    let number = number(chapter);
    let (text, diagnostics) =
        render(project, &file, number.as_deref(), &chapter.content);
    Some((source.clone(), Rendered { text, diagnostics }))
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
