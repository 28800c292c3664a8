//! The book, as it stands in `src/`, against the crate.

use press::fault::{Fault, Faults};
use press::house::House;
use press::{build, coverage, links, order, proof, shown, snippet};
use std::env;
use std::sync::LazyLock;

/// This project. `UPDATE=1` first writes what the examples now make.
static HOUSE: LazyLock<House> = LazyLock::new(|| {
    let house = House::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    if env::var_os("UPDATE").is_some() {
        proof::update(&house).unwrap();
    }
    house
});

fn none(faults: Vec<Fault>) {
    if let Err(faults) = Faults::check(faults) {
        panic!("\n{faults}\n");
    }
}

#[test]
fn printed_output_and_figures_are_what_the_examples_make() {
    let made = proof::make(&HOUSE).unwrap();
    none(proof::compare(&HOUSE, &made));
}

#[test]
fn every_output_and_figure_is_shown() {
    let pages = HOUSE.pages().unwrap();
    none(shown::check(&HOUSE, &pages));
}

#[test]
fn every_line_of_the_crate_is_shown_once_and_in_order() {
    let pages = HOUSE.pages().unwrap();
    none(coverage::check(&HOUSE, &pages).unwrap());
}

#[test]
fn modules_chapters_and_imports_share_one_reading_order() {
    let pages = HOUSE.pages().unwrap();
    none(order::check(&HOUSE, &pages).unwrap());
}

#[test]
fn every_snippet_of_every_chapter_runs() {
    snippet::run(&HOUSE, None).unwrap();
}

#[test]
fn links_lead_somewhere_and_pages_load_nothing_from_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    if let Err(error) = build::set(&HOUSE, folder.path(), |_| Ok(())) {
        panic!("\n{error:#}\n");
    }
    none(links::check(&HOUSE, folder.path()).unwrap());
}
