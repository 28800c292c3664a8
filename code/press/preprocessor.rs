//! The press as mdBook's preprocessor.

use crate::fault::{Fault, Faults};
use crate::house::House;
use crate::{setting, snippet};
use anyhow::Result;
use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext, parse_input};
use std::io::{Read, Write};
use std::path::Path;

/// Sets every page of the book.
pub struct Press;

impl Preprocessor for Press {
    fn name(&self) -> &str {
        "book"
    }

    fn run(
        &self,
        context: &PreprocessorContext,
        mut book: Book,
    ) -> Result<Book> {
        let house = House::new(&context.root);
        let mut faults = Vec::new();
        book.for_each_chapter_mut(|chapter| {
            faults.extend(set(&house, chapter));
            if context.renderer == "test" {
                chapter.content = snippet::link_crates(&chapter.content);
            }
        });
        Faults::check(faults)?;
        Ok(book)
    }
}

fn set(house: &House, chapter: &mut Chapter) -> Vec<Fault> {
    let Some(source) = &chapter.source_path else { return Vec::new() };
    let file = Path::new("src").join(source);
    let mut faults = snippet::untagged(&file, &chapter.content);
    let (text, misprints) = setting::set(house, &file, &chapter.content);
    faults.extend(misprints);
    chapter.content = text;
    faults
}

/// Answers mdBook, which sends a book and wants it back with its pages set.
pub fn answer(input: impl Read, output: impl Write) -> Result<()> {
    let (context, book) = parse_input(input)?;
    let book = Press.run(&context, book)?;
    Ok(serde_json::to_writer(output, &book)?)
}
