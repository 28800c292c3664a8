//! Snippets name the crates they use, and every code block its language.

use press::snippet::{check, has_any, link_crates};
use std::path::Path;

#[test]
fn a_snippet_is_linked_with_the_crates_it_uses() {
    assert_eq!(
        link_crates("A\n\n```rust\nuse all_you_need::tensor;\n```\n"),
        "A\n\n```rust\n# extern crate all_you_need;\n\
         use all_you_need::tensor;\n```\n"
    );
}

#[test]
fn a_snippet_in_a_quotation_stays_there() {
    assert_eq!(
        link_crates("> ```rust\n> use rand;\n> ```\n"),
        "> ```rust\n> # extern crate rand;\n> use rand;\n> ```\n"
    );
}

#[test]
fn what_is_not_run_is_left_alone() {
    let page = "```rust,ignore\nrand\n```\n\n```text\nrand\n```\n";
    assert_eq!(link_crates(page), page);
}

#[test]
fn a_block_without_a_language_is_an_error() {
    let page = "A\n\n```\nx\n```\n\n- b\n\n      indented\n\n```text\n```\n";
    let diagnostics = check(Path::new("src/a.md"), page);
    let lines: Vec<usize> =
        diagnostics.iter().map(|diagnostic| diagnostic.line).collect();
    assert_eq!(lines, [3, 9]);
}

#[test]
fn a_block_without_an_end_is_an_error() {
    let first = |page: &str| {
        let diagnostics = check(Path::new("src/a.md"), page);
        diagnostics.first().map(|diagnostic| diagnostic.line)
    };
    assert_eq!(first("A\n\n```text\nx\n"), Some(3));
    assert_eq!(first("````text\n```\n"), Some(1));
    assert_eq!(first("> ~~~text\n> x\n\nB\n"), Some(1));
    assert_eq!(first("```text\n```\n\n````text\n```\n`````\n"), None);
    let nested = "> ```text\n> x\n> ```\n\n- ```text\n  x\n  ```\n";
    assert_eq!(first(nested), None);
}

#[test]
fn a_page_without_a_snippet_needs_no_compiler() {
    assert!(has_any("A\n\n```rust\nlet a = 1;\n```\n"));
    assert!(has_any("{{#rustdoc_include a.rs}}\n"));
    assert!(!has_any("A\n\n```rust,ignore\na\n```\n\n{{#code a}}\n"));
}
