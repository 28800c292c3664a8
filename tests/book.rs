//! The book, as it stands in `src/`, against the crate.

use press::diagnostic::{Diagnostic, Diagnostics};
use press::project::Project;
use press::{
    build, coverage, descriptions, doctest, golden, links, order, strip,
    unused,
};
use std::env;
use std::process::Command;
use std::sync::LazyLock;

/// This project. `UPDATE=1` first writes what the examples now make.
static PROJECT: LazyLock<Project> = LazyLock::new(|| {
    let project = Project::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    if env::var_os("UPDATE").is_some() {
        golden::update(&project).unwrap();
    }
    project
});

fn none(diagnostics: Vec<Diagnostic>) {
    if let Err(diagnostics) = Diagnostics::check(diagnostics) {
        panic!("\n{diagnostics}\n");
    }
}

#[test]
fn printed_output_and_figures_are_what_the_examples_make() {
    let made = golden::make(&PROJECT).unwrap();
    none(golden::compare(&PROJECT, &made));
}

#[test]
fn a_bad_command_line_ends_an_example_before_its_work() {
    let programs = golden::programs(&PROJECT).unwrap();
    let in_a_file = PROJECT.path("Cargo.toml/figures");
    let in_a_file = in_a_file.to_str().unwrap();
    for example in PROJECT.examples() {
        for arguments in [&["--nothing"][..], &["--out", in_a_file]] {
            let mut program = Command::new(programs.join(&example));
            let done = program.args(arguments).output().unwrap();
            assert!(!done.status.success(), "{example} {arguments:?}");
            assert!(done.stdout.is_empty(), "{example} {arguments:?}");
            assert!(!done.stderr.is_empty(), "{example} {arguments:?}");
        }
    }
}

#[test]
fn every_output_and_figure_is_shown() {
    let pages = PROJECT.pages().unwrap();
    none(unused::check(&PROJECT, &pages));
}

#[test]
fn every_numbered_chapter_has_a_strip() {
    let pages = PROJECT.pages().unwrap();
    none(strip::check(&PROJECT, &pages));
}

#[test]
fn every_line_of_the_crate_is_shown_once_and_in_order() {
    let pages = PROJECT.pages().unwrap();
    none(coverage::check(&PROJECT, &pages).unwrap());
}

#[test]
fn modules_chapters_and_imports_share_one_reading_order() {
    let pages = PROJECT.pages().unwrap();
    none(order::check(&PROJECT, &pages).unwrap());
}

#[test]
fn figures_are_described_with_computed_numbers() {
    none(descriptions::check(&PROJECT).unwrap());
}

#[test]
fn every_snippet_of_every_chapter_runs() {
    doctest::run(&PROJECT, None).unwrap();
}

#[test]
fn links_lead_somewhere_and_pages_load_nothing_from_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    if let Err(error) = build::render(&PROJECT, folder.path()) {
        panic!("\n{error:#}\n");
    }
    none(links::check(&PROJECT, folder.path()).unwrap());
}
