//! Whatever is on a page, the press sets it or says what is wrong. It never panics.

use super::scratch;
use crate::property::for_any;
use press::directive::find;
use press::render::render;
use press::{boxes, german, glossary, limits, listing, math, snippet, strip};
use std::path::Path;

/// A page of pieces that mean something to the press, in an order that means nothing.
const ANY_PAGE: &str = "(\\{\\{#|\\}\\}|code |plain |value |output|figure |\
    flipbook |exercise |contents|hours |example|heat|fruit|attention: |1|\
    scores|impl A|\\[\\]\\(a.md|\\)|\"|\n\n|\n|> |- |\\||# |\\$|\\$\\$|\\\\|\
    \\\\frac|\\{|\\}|\\^|_|\
    &|`|```|```rust\n|\\*|<b>|<details>|</|\n: |[a-cä ]|(?s:.)){0,30}";

const FILES: [(&str, &str); 4] = [
    ("src/outputs/attention.txt", "== One\nfruit = 9.00\n"),
    ("src/figures/attention-heat.svg", "<svg viewBox=\"0 0 6 2\"></svg>"),
    ("code/attention.rs", "fn scores() {}\n\nimpl A {}\n"),
    ("tests/exercises/attention.rs", "// Exercise 1\n// A.\nfn a() {}\n"),
];

#[test]
fn any_text_is_set_or_refused() {
    let project = &scratch(&FILES).project;
    for_any(400, ANY_PAGE, |text| {
        render(project, Path::new("src/attention.md"), Some("7"), &text);
    });
}

/// Those that get parts of a page, and pages that others have set.
#[test]
fn any_text_is_read() {
    for_any(400, ANY_PAGE, |text| {
        math::render(&text);
        boxes::wrap(&text);
        german::mark(&text);
        glossary::headings(&text);
        limits::check(Path::new("src/attention.md"), &text);
        listing::names_in(&text);
        snippet::check(Path::new("src/attention.md"), &text);
        snippet::link_crates(&text);
        strip::split_heading(&text);
    });
}

#[test]
fn directives_come_in_order_and_have_their_braces() {
    for_any(400, ANY_PAGE, |text| {
        let mut end = 0;
        for directive in find(&text) {
            assert!(directive.range.start >= end);
            end = directive.range.end;
            let own = &text[directive.range];
            assert!(own.starts_with("{{#"));
            assert_eq!(own.ends_with("}}"), directive.argument.is_some());
        }
    });
}
