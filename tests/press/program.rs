//! The program builds a book, runs its snippets, and answers mdBook.

use super::{SETTINGS, Scratch, program, scratch};
use press::preprocessor::answer;
use serde_json::{Value, json};
use std::fs;
use std::process::Output;

/// A book whose settings name a preprocessor for stock mdBook, and its only page.
fn book(page: &str) -> Scratch {
    let settings = format!(
        "{SETTINGS}[preprocessor.book]\ncommand = \"no-such-program\"\n"
    );
    scratch(&[
        ("book.toml", &settings),
        ("src/SUMMARY.md", "- [A](a.md)\n"),
        ("src/a.md", page),
        ("elsewhere/a", ""),
    ])
}

/// As Cargo runs the program, which says where the package is.
fn built(scratch: &Scratch) -> Output {
    let mut book = program(scratch);
    book.current_dir(scratch.project.path("elsewhere"));
    book.env("CARGO_MANIFEST_DIR", scratch.project.path("tools/press"));
    book.output().unwrap()
}

#[test]
fn the_book_is_built_next_to_its_sources_from_wherever_it_is_asked_for() {
    let scratch = book("# A\n\n```rust\nuse rand;\n```\n");
    let done = built(&scratch);
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{said}");
    assert_eq!(said, "Rendering the pages\nLooking through the pages\n");
    let page = scratch.project.path("book/index.html");
    let address = String::from_utf8(done.stdout).unwrap();
    assert_eq!(address.trim_end(), page.to_str().unwrap());
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("use rand;"), "{page}");
    assert!(!page.contains("extern crate"), "{page}");
}

#[test]
fn a_book_with_a_link_to_nowhere_is_refused() {
    let scratch = book("# A\n\n[B](b.html)\n");
    let done = built(&scratch);
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(said.contains("src/a.md:3: `b.html` leads nowhere"), "{said}");
}

/// Cargo is a program here that builds nothing, and no snippet needs what it builds.
#[cfg(unix)]
#[test]
fn a_snippet_that_fails_is_an_error() {
    for (snippet, runs) in [("assert!(true);", true), ("panic!();", false)] {
        let scratch = book(&format!("# A\n\n```rust\n{snippet}\n```\n"));
        let mut book = program(&scratch);
        let done = book.arg("test").env("CARGO", "true").output().unwrap();
        assert_eq!(done.status.success(), runs, "{snippet}");
    }
}

#[test]
fn stock_mdbook_gets_its_book_back_with_the_pages_set() {
    let scratch = scratch(&[("src/outputs/a.txt", "b = 9.00\n")]);
    let chapter = json!({
        "name": "A", "content": "{{#value b}}", "number": null,
        "sub_items": [], "path": "a.md", "source_path": "a.md",
        "parent_names": []
    });
    let context = json!({
        "root": scratch.project.root(), "config": {}, "renderer": "html",
        "mdbook_version": "0.5.0"
    });
    let asked = json!([context, { "items": [{ "Chapter": chapter }] }]);
    let mut answered = Vec::new();
    answer(asked.to_string().as_bytes(), &mut answered).unwrap();
    let book: Value = serde_json::from_slice(&answered).unwrap();
    assert_eq!(book["items"][0]["Chapter"]["content"], "9.00");
}
