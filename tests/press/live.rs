//! The page "Try it" gets its scripts, and the chapters a way to it.

use super::{Scratch, rendered, scratch};
use base64::prelude::{BASE64_STANDARD, Engine};
use press::live;
use std::fs;

const PAGE: &str = "# Try it\n\nThe [machine](machine.md)\n\n\
    ## Maps {#maps}\n\nOf [attention](attention.md#x).\n\n\
    ## Changes {#changes}\n\nOf [attention](attention.md), [masks](mask.md)\n";

const FILES: [(&str, &str); 5] = [
    ("src/live.md", PAGE),
    ("tools/live/live.wasm", "a module"),
    ("code/models/captions/config.toml", "settings"),
    ("code/models/captions/merges.txt", "\"merges\"\n"),
    ("code/models/captions/model.safetensors", "numbers"),
];

/// The texts between quotation marks of a script that are base64 of something.
fn decoded(scratch: &Scratch, script: &str) -> Vec<String> {
    let text = scratch.project.read(format!("src/live/{script}")).unwrap();
    let quoted = text.split('"').skip(1).step_by(2);
    let bytes = quoted.filter_map(|text| BASE64_STANDARD.decode(text).ok());
    bytes.map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

#[test]
fn the_scripts_have_the_bytes_of_the_files() {
    let scratch = scratch(&FILES);
    live::write(&scratch.project).unwrap();
    assert_eq!(decoded(&scratch, "module.js"), ["a module"]);
    let model = ["settings", "\"merges\"\n", "numbers"];
    assert_eq!(decoded(&scratch, "model.js"), model);
}

#[test]
fn a_script_is_written_only_when_it_is_missing_or_stale() {
    let scratch = scratch(&FILES);
    let script = scratch.project.path("src/live/module.js");
    let write = || live::write(&scratch.project).unwrap();
    let time = || fs::metadata(&script).unwrap().modified().unwrap();
    write();
    let first = time();
    write();
    assert_eq!(time(), first);
    fs::write(scratch.project.path("tools/live/live.wasm"), "new").unwrap();
    write();
    assert_eq!(decoded(&scratch, "module.js"), ["new"]);
    fs::write(&script, "damaged").unwrap();
    write();
    assert_eq!(decoded(&scratch, "module.js"), ["new"]);
}

#[test]
fn a_module_that_is_missing_is_named() {
    let scratch = scratch(&FILES[..1]);
    let error = live::write(&scratch.project).unwrap_err();
    let said = format!("{error:#}");
    assert!(said.starts_with("cannot read tools/live/live.wasm"), "{said}");
}

#[test]
fn a_book_without_the_page_gets_no_scripts() {
    let scratch = scratch(&FILES[1..]);
    live::write(&scratch.project).unwrap();
    assert!(!scratch.project.path("src/live").exists());
}

#[test]
fn a_chapter_leads_to_the_first_section_that_leads_to_it() {
    let Scratch { project, _folder } = scratch(&FILES);
    let leads = |chapter, place: &str| {
        live::link(&project, chapter).contains(&format!("({place})"))
    };
    assert!(leads("machine", "live.md"));
    assert!(leads("attention", "live.md#maps"));
    assert!(leads("mask", "live.md#changes"));
    assert_eq!(live::link(&project, "ask"), "");
}

#[test]
fn a_chapter_leads_to_the_switch_that_takes_its_subject_away() {
    let table = "| taken away | |\n|-|-|\n\
        | <span id=\"order\"></span>the order | [Order](order.md) |\n\
        | <span id=\"mask\"></span>the mask | [Masks](mask.md#x) |\n";
    let page = format!("# Learn\n\n[Masks](mask.md)\n\n{table}");
    let Scratch { project, _folder } =
        scratch(&[("src/playground.md", &page)]);
    let link = live::link(&project, "mask");
    assert!(link.contains("the mask](playground.md#mask)"), "{link}");
    assert_eq!(live::link(&project, "ask"), "");
}

#[test]
fn the_scripts_are_told_from_what_else_is_there() {
    let Scratch { project, _folder } = scratch(&[]);
    let is_script = |file| live::is_script(&project, &project.path(file));
    assert!(is_script("src/live/module.js"));
    assert!(is_script("src/live/model.js"));
    assert!(!is_script("src/live/live.js"));
}

#[test]
fn the_way_is_under_the_strip() {
    let svg = "<svg viewBox=\"0 0 9 9\"><title>T</title><desc>D</desc></svg>";
    let files = [FILES[0], ("src/figures/machine-strip-attention.svg", svg)];
    let text = rendered(&files, "# Attention\n\nText\n");
    let [strip, link, rest] = ["class=\"strip\"", "live.md#maps", "Text"]
        .map(|part| text.find(part).unwrap());
    assert!(strip < link && link < rest, "{text}");
}
