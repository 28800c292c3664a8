//! The Rust snippets that a page's author wrote: made ready to be compiled, and run.

use super::fault::Fault;
use super::house::House;
use super::preprocessor::Press;
use super::sheet::line_of;
use anyhow::{Context, Result, ensure};
use mdbook_driver::MDBook;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Links every snippet with the crate, in a line the reader does not see.
pub fn link_crate(markdown: &str) -> String {
    let (mut linked, mut copied) = (String::new(), 0);
    for (language, start) in blocks(markdown) {
        let is_run =
            language.starts_with("rust") && !language.contains("ignore");
        let Some(opening) = markdown[start..].find('\n').filter(|_| is_run)
        else {
            continue;
        };
        let line_start = markdown[..start].rfind('\n').map_or(0, |at| at + 1);
        let indent = " ".repeat(start - line_start);
        linked.push_str(&markdown[copied..=start + opening]);
        linked.push_str(&format!("{indent}# extern crate all_you_need;\n"));
        copied = start + opening + 1;
    }
    linked + &markdown[copied..]
}

/// Code blocks without a language: they would be run as Rust.
pub fn untagged(file: &Path, markdown: &str) -> Vec<Fault> {
    let nameless = blocks(markdown)
        .into_iter()
        .filter(|(language, _)| language.is_empty());
    let message = "a code block needs its language: rust, text, console …";
    nameless
        .map(|(_, start)| Fault::new(file, line_of(markdown, start), message))
        .collect()
}

/// The languages of the code blocks, and where they start.
fn blocks(markdown: &str) -> Vec<(String, usize)> {
    let events =
        Parser::new_ext(markdown, super::math::options()).into_offset_iter();
    events
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                Some((info.to_string(), range.start))
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                Some((String::new(), range.start))
            }
            _ => None,
        })
        .collect()
}

/// Compiles and runs all snippets, or those of the chapter in one file.
pub fn run(house: &House, chapter: Option<&str>) -> Result<()> {
    let library = library(house)?;
    let mut book = MDBook::load(house.root())?;
    book.with_preprocessor(Press);
    book.test_chapter(vec![&library.to_string_lossy()], chapter)
}

/// Builds the crate into a folder of its own and says where it is. Two builds of it in one folder
/// would confuse the compiler, so an older one is thrown away.
fn library(house: &House) -> Result<PathBuf> {
    let folder = house.path("target/snippets");
    let built = folder.join("debug/deps");
    compile(house, &folder)?;
    if libraries(&built)?.len() > 1 {
        for library in libraries(&built)? {
            fs::remove_file(library)?;
        }
        compile(house, &folder)?;
    }
    Ok(built)
}

fn compile(house: &House, folder: &Path) -> Result<()> {
    let built = cargo(house)
        .args([
            "build",
            "--quiet",
            "--lib",
            "--no-default-features",
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

fn libraries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("no {}", folder.display()))?;
    let files =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_ours = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("liball_you_need-") && name.ends_with(".rlib")
    };
    Ok(files.filter(is_ours).collect())
}
