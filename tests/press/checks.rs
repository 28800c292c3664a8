//! The house's checks notice what they are there for.

use super::{page, project};
use press::fault::Fault;
use press::{coverage, order, proof, shown};

const LIB: &str = "pub mod tensor;\npub mod attention;\n";
const FILES: [(&str, &str); 3] = [
    ("code/lib.rs", LIB),
    ("code/tensor.rs", "fn a() {}\n\nfn b() {}\n"),
    ("code/attention.rs", "use crate::tensor::a;\n"),
];

fn said(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(Fault::to_string).collect()
}

fn coverage_of(preface: &str, tensor: &str) -> Vec<String> {
    let project = project(&FILES);
    let pages = [
        page("preface", preface),
        page("tensor", tensor),
        page("attention", "{{#code use}}"),
    ];
    said(&coverage::check(&project.house, &pages).unwrap())
}

#[test]
fn a_crate_shown_once_in_order_passes() {
    let nothing: [&str; 0] = [];
    assert_eq!(
        coverage_of("{{#code lib.rs: mod}}", "{{#code a}} {{#code b}}"),
        nothing
    );
}

#[test]
fn a_line_that_is_not_shown_is_named() {
    assert_eq!(
        coverage_of("", "{{#code a}}"),
        [
            "code/lib.rs:1: no page shows `pub mod tensor;`",
            "code/tensor.rs:3: no page shows `fn b() {}`"
        ]
    );
}

#[test]
fn a_line_shown_twice_or_too_late_is_named() {
    assert_eq!(
        coverage_of("{{#code lib.rs: mod}}", "{{#code b}}\n\n{{#code a b}}"),
        [
            "code/tensor.rs:3: shown twice: src/tensor.md:1 and src/tensor.md:3",
            "code/tensor.rs:1: src/tensor.md:3 shows this after a later line of the file"
        ]
    );
}

#[test]
fn chapters_follow_the_order_of_the_modules() {
    let project = project(&FILES);
    let pages = [page("attention", ""), page("tensor", "")];
    assert_eq!(
        said(&order::check(&project.house, &pages).unwrap()),
        ["code/lib.rs:2: the chapter `attention` comes before `tensor`"]
    );
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let early = "use {crate::attention::x, std::fmt};\n\
        fn f() {\n    crate::attention::x()\n}\n";
    let project = project(&[("code/lib.rs", LIB), ("code/tensor.rs", early)]);
    assert_eq!(
        said(&order::check(&project.house, &[]).unwrap()),
        [
            "code/tensor.rs:1: uses `attention`, which is explained later",
            "code/tensor.rs:3: uses `attention`, which is explained later"
        ]
    );
}

#[test]
fn a_stale_missing_or_left_over_file_is_named_with_its_line() {
    let project = project(&[
        ("src/outputs/a.txt", "1\n2\n"),
        ("src/figures/b-c.svg", "<svg/>"),
    ]);
    let made =
        [("src/outputs/a.txt", "1\n3\n"), ("src/outputs/d.txt", "4\n")]
            .map(|(file, text)| (file.into(), text.to_string()));
    assert_eq!(
        said(&proof::compare(&project.house, &made.into())),
        [
            "src/outputs/a.txt:2: stale: the example now makes `3` \
             (UPDATE=1 cargo test rewrites)",
            "src/outputs/d.txt:1: missing: make it with UPDATE=1 cargo test",
            "src/figures/b-c.svg:1: no example makes this file"
        ]
    );
}

#[test]
fn what_is_made_is_shown_once_its_chapter_is_written() {
    let project = project(&[
        ("src/outputs/mask.txt", "1"),
        ("src/figures/mask-a.svg", ""),
        ("src/figures/mask-b.svg", ""),
        ("src/figures/heads-a.svg", ""),
    ]);
    let caption = "{{#figure a Now {{#value x}}.}}";
    let faults = shown::check(&project.house, &[page("mask", caption)]);
    assert_eq!(
        said(&faults),
        ["src/figures/mask-b.svg:1: no page shows this file"]
    );
}
