//! The Rust snippets that a page's author wrote: made ready to be compiled, and run.

use crate::fault::Fault;
use crate::house::House;
use crate::math::options;
use crate::preprocessor::Press;
use crate::sheet::line_of;
use anyhow::{Result, ensure};
use mdbook_driver::MDBook;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The crates that snippets use. Their compiler is told where all crates are,
/// but not which of them to use.
const CRATES: [&str; 3] = ["all_you_need", "nalgebra", "rand"];

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

/// Code blocks without a language: they would be run as Rust.
pub fn untagged(file: &Path, markdown: &str) -> Vec<Fault> {
    let message = "a code block needs its language: rust, text, console …";
    let blocks = blocks(markdown);
    let nameless = blocks.iter().filter(|block| block.language.is_empty());
    let line = |block: &Block| line_of(markdown, block.range.start);
    nameless.map(|block| Fault::new(file, line(block), message)).collect()
}

/// A code block of a page.
struct Block {
    language: String,
    range: Range<usize>,
}

impl Block {
    fn is_run(&self) -> bool {
        self.language.starts_with("rust") && !self.language.contains("ignore")
    }
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

/// Compiles and runs all snippets, or those of the chapter in one file.
pub fn run(house: &House, chapter: Option<&str>) -> Result<()> {
    let library = library(house)?;
    let mut book = MDBook::load(house.root())?;
    book.with_preprocessor(Press);
    book.test_chapter(vec![&library.to_string_lossy()], chapter)
}

/// Builds the crate into a folder of its own and says where it is. Two builds
/// of one library there would confuse the compiler, so the folder is emptied.
fn library(house: &House) -> Result<PathBuf> {
    let folder = house.path("target/snippets");
    let built = folder.join("debug/deps");
    compile(house, &folder)?;
    if CRATES.iter().any(|name| builds(&built, name) > 1) {
        fs::remove_dir_all(&folder)?;
        compile(house, &folder)?;
    }
    Ok(built)
}

fn compile(house: &House, folder: &Path) -> Result<()> {
    let built = cargo(house)
        .args([
            "build",
            "--quiet",
            "--package",
            "all-you-need",
            "--lib",
            "--target-dir",
        ])
        .arg(folder)
        .status()?;
    ensure!(built.success(), "the crate does not compile");
    Ok(())
}

/// Cargo, as it was called for this program.
pub fn cargo(house: &House) -> Command {
    let mut cargo = Command::new(
        env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")),
    );
    cargo.current_dir(house.root());
    cargo
}

/// How many builds of a library lie in this folder.
fn builds(folder: &Path, name: &str) -> usize {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_build = |file: &String| {
        file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
    };
    let names = files.map(|file| file.file_name().to_string_lossy().into());
    names.filter(is_build).count()
}
