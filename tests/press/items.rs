//! Items are found by name and cut out exactly.

use super::{complaints, rendered};
use press::item::Source;

const CODE: &str = r#"//! A module.

#![allow(unused)]

use std::fmt;
use std::ops::{Add, Mul};

// A plain comment belongs to what is below it.
/// How alike.
#[inline]
pub fn scores() -> &'static str {
    "``` // not the end"
}

/// A mask.
pub struct Mask<T>(T);

impl<T> Mask<T> {
    fn first() {}
}

impl<T> Mask<T> {
    fn second() {}
}

impl<T: Clone> fmt::Display for Mask<T> {
    fn fmt(&self) {}
}

impl Add<Mask<u8>> for &Mask<u8> {}

macro_rules! twice {
    () => {};
}

twice!();

const SIZE: usize = 1;
"#;

fn cut(name: &str) -> String {
    let source = Source::parse(CODE.into()).unwrap();
    source.find(name).iter().map(|lines| source.text(lines)).collect()
}

#[test]
fn a_function_carries_its_comments_and_attributes() {
    let text = cut("scores");
    assert!(text.starts_with("// A plain comment belongs"), "{text}");
    assert!(text.ends_with("not the end\"\n}\n"), "{text}");
}

#[test]
fn implementations_are_named_without_their_parameters() {
    assert!(cut("impl Mask").contains("first"));
    assert!(cut("impl Mask#2").contains("second"));
    assert_eq!(cut("impl Mask#3"), "");
    assert!(cut("impl Display for Mask").contains("fn fmt"));
    assert!(cut("impl Add for &Mask").contains("Add<Mask<u8>>"));
}

const FUNCTIONS: &str = "\
impl<T> Mask<T> {
    // Why there is none.
    /// No mask.
    fn none() {}

    /// One more.
    fn one() {}

    const SIZE: usize = 2;
}

trait Scale {
    type Factor;

    fn scale(&self) {}
}
";

#[test]
fn functions_of_an_item_are_found_and_together_are_the_item() {
    let source = Source::parse(FUNCTIONS.into()).unwrap();
    let cut = |name: &str| match &source.find(name)[..] {
        [lines] => source.text(lines),
        lines => panic!("{name}: {lines:?}"),
    };
    let first = cut("impl Mask::none");
    assert!(first.starts_with("impl<T> Mask<T> {\n    // Why"), "{first}");
    assert!(first.ends_with("fn none() {}\n"), "{first}");
    let second = cut("impl Mask::one");
    assert_eq!(second, "    /// One more.\n    fn one() {}\n");
    let last = cut("impl Mask::SIZE");
    assert_eq!(last, "    const SIZE: usize = 2;\n}\n");
    let all = [first, second, last].join("\n");
    assert_eq!(all, cut("impl Mask"));
    let both = [cut("Scale::Factor"), cut("Scale::scale")].join("\n");
    assert_eq!(both, cut("Scale"));
}

#[test]
fn every_kind_of_item_has_its_name() {
    let kinds = [
        ("enum Mask {}", "Mask"),
        ("extern \"C\" {}", "extern"),
        ("static SIZE: u8 = 1;", "SIZE"),
        ("impl Scale for [u8] {}", "impl Scale for [u8]"),
        ("impl Scale for [u8; 2] {}", "impl Scale for [u8]#2"),
        ("impl A {\n    type Of = u8;\n}", "impl A::Of"),
        ("trait B {\n    const OF: u8;\n}", "B::OF"),
    ];
    let texts = kinds.map(|(text, _)| format!("{text}\n"));
    let source = Source::parse(texts.concat()).unwrap();
    for ((_, name), text) in kinds.iter().zip(texts) {
        let [lines] = &source.find(name)[..] else { panic!("{name}") };
        assert_eq!(source.text(lines), text);
    }
}

#[test]
fn macros_are_found_where_defined_and_where_called() {
    assert!(cut("twice").contains("macro_rules"));
    assert_eq!(cut("twice!"), "twice!();\n");
}

#[test]
fn the_head_and_the_imports_have_names_of_their_own() {
    assert_eq!(cut("//!"), "//! A module.\n\n#![allow(unused)]\n");
    assert_eq!(cut("use"), "use std::fmt;\nuse std::ops::{Add, Mul};\n");
}

#[test]
fn neighbours_share_a_block_and_others_do_not() {
    let files = [("code/attention.rs", CODE)];
    let text = rendered(&files, "{{#code SIZE use Mask impl Mask}}");
    assert_eq!(text.matches("```rust,ignore").count(), 3, "{text}");
    assert!(text.contains("pub struct Mask<T>(T);\n\nimpl<T> Mask<T> {"));
}

#[test]
fn code_with_backticks_gets_a_longer_fence() {
    let files = [("code/attention.rs", CODE)];
    let text = rendered(&files, "{{#code scores}}");
    assert!(text.contains("\n````rust,ignore\n"), "{text}");
}

#[test]
fn code_of_another_file_is_shown_by_its_name() {
    let files = [("code/mask.rs", "pub fn other() {}\n")];
    let text = rendered(&files, "{{#code mask.rs: other}}");
    assert!(text.contains("pub fn other() {}"));
}

#[test]
fn a_missing_item_or_file_is_named_with_its_line() {
    let files = [("code/attention.rs", CODE)];
    assert_eq!(
        complaints(&files, "One\n\n{{#code scores nothing}}\n"),
        "src/attention.md:3: code/attention.rs has no item `nothing`"
    );
    assert_eq!(
        complaints(&files, "{{#code mask.rs: other}}"),
        "src/attention.md:1: cannot read code/mask.rs"
    );
}
