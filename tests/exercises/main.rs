//! The answers to the exercises, one module a chapter. Each passes the check
//! that what the reader starts with fails.

#![allow(clippy::duplicate_mod)] // A check is there twice.

use nalgebra::dmatrix;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[path = "../common/mod.rs"]
mod common;
#[path = "../../exercises/expect.rs"]
mod expect;

/// Makes a test of each check, which must fail.
macro_rules! checks {
    ($($exercise:ident: $check:ident),*) => {
        $(#[test] #[should_panic] fn $exercise() { $check(); })*
    };
}

/// What the reader starts with. A stub does not use yet what it will need.
#[allow(unused, clippy::ptr_arg)]
#[path = "../../exercises"]
mod unsolved {
    mod ablation;
    mod assistant;
    mod attention;
    mod bleu;
    mod cache;
    mod checkpoint;
    mod classifier;
    mod cluster;
    mod corpus;
    mod costs;
    mod decoder;
    mod dictionary;
    mod embedding;
    mod encoder;
    mod gaps;
    mod generic;
    mod gradient;
    mod heads;
    mod labels;
    mod layers;
    mod learner;
    mod r#loop;
    mod loss;
    mod mask;
    mod ngram;
    mod optimizer;
    mod parameters;
    mod plain;
    mod position;
    mod program;
    mod published;
    mod quantization;
    mod recurrence;
    mod scaling;
    mod search;
    mod speed;
    mod tasks;
    mod tensor;
    mod today;
    mod tokens;
    mod training;
    mod transformer;
    mod translation;
    mod writer;
}

/// What is nearly right, and must fail, too.
#[path = "nearly/layers.rs"]
mod nearly;

/// Makes a test of each check.
macro_rules! checks {
    ($($exercise:ident: $check:ident),*) => {
        $(#[test] fn $exercise() { $check(); })*
    };
}

mod ablation;
mod assistant;
mod attention;
mod bleu;
mod cache;
mod checkpoint;
mod classifier;
mod cluster;
mod corpus;
mod costs;
mod decoder;
mod dictionary;
mod embedding;
mod encoder;
mod further;
mod gaps;
mod generic;
mod gradient;
mod heads;
mod labels;
mod layers;
mod learner;
mod learning;
mod r#loop;
mod loss;
mod mask;
mod ngram;
mod optimizer;
mod parameters;
mod plain;
mod position;
mod program;
mod published;
mod quantization;
mod recurrence;
mod scaling;
mod search;
mod speed;
mod tasks;
mod tensor;
mod today;
mod tokens;
mod training;
mod transformer;
mod translation;
mod writer;

/// A reader must see what is different.
#[test]
fn numbers_that_are_nearly_the_same_are_shown_with_more_digits() {
    let said = |found: f64, expected: f64| {
        let [found, expected] = [found, expected].map(|x| dmatrix![x]);
        let compare = || expect::expect(&found, &expected, "why");
        let said = catch_unwind(AssertUnwindSafe(compare)).unwrap_err();
        said.downcast_ref::<String>().unwrap().clone()
    };
    assert!(said(0.5, 0.75).contains("0.500000 "));
    let near = said(0.8485281, 0.8485284);
    assert!(near.contains("0.848528100000"), "{near}");
}

/// No chapter's check is left out.
#[test]
fn every_check_is_run_with_and_without_an_answer() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../exercises");
    let read = |file: &str| fs::read_to_string(format!("{folder}/{file}"));
    let (lib, main) = (read("lib.rs").unwrap(), include_str!("main.rs"));
    for entry in fs::read_dir(format!("{folder}/checks")).unwrap() {
        let path = entry.unwrap().path();
        let chapter = path.file_stem().unwrap().to_string_lossy();
        // `loop` is also a word of Rust.
        let raw = if chapter == "loop" { "r#" } else { "" };
        let line = format!("mod {raw}{chapter};\n");
        assert_eq!(lib.matches(&line).count(), 1, "{line} in lib.rs");
        assert_eq!(main.matches(&line).count(), 2, "{line} in main.rs");
        let checks = format!("checks/{chapter}.rs\"]\nmod check;");
        let answers = format!("../tests/exercises/{chapter}.rs");
        for file in [format!("{chapter}.rs"), answers] {
            assert!(read(&file).unwrap().contains(&checks), "{file}");
        }
    }
}

/// Every page shows all exercises that have a check, says how to run it, and
/// has the three kinds of exercises.
#[test]
fn every_page_has_three_kinds_of_exercises() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let checks = fs::read_dir(format!("{folder}/exercises/checks")).unwrap();
    for entry in checks {
        let path = entry.unwrap().path();
        let chapter = path.file_stem().unwrap().to_string_lossy();
        let page = format!("{folder}/src/{chapter}.md");
        let page = fs::read_to_string(page).unwrap();
        let has = |part: &str| page.contains(part);
        let command = format!("cargo test -p exercises {chapter}");
        for part in ["*Predict.*", "*Build.*", &command] {
            assert!(has(part), "{chapter}: {part}");
        }
        let mistake = has("*Find the bug.*") || has("*Explain.*");
        assert!(mistake, "{chapter}: a bug or a measurement");
        let checks = fs::read_to_string(&path).unwrap();
        for check in checks.split("exercise_").skip(1) {
            let number = &check[..1];
            let shown = format!("{{{{#exercise {number}}}}}");
            assert!(has(&shown), "{chapter}: {shown}");
        }
    }
}
