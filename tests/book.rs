//! The book, as it stands in `src/`, against the crate.

use press::diagnostic::{Diagnostic, Diagnostics};
use press::project::Project;
use press::{
    build, contents, coverage, descriptions, doctest, epub, golden, links,
    order, plain, strip, unused,
};
use roxmltree::{Document, ParsingOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{Cursor, Read};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;
use zip::{CompressionMethod, ZipArchive};

/// This project. `UPDATE=1` first writes what the examples now make.
static PROJECT: LazyLock<Project> = LazyLock::new(|| {
    let project = Project::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    if env::var_os("UPDATE").is_some() {
        let made = golden::make(&project).unwrap();
        golden::update(&project, &made).unwrap();
    }
    project
});

fn none(diagnostics: Vec<Diagnostic>) {
    if let Err(diagnostics) = Diagnostics::check(diagnostics) {
        panic!("\n{diagnostics}\n");
    }
}

#[test]
fn examples_print_and_draw_what_is_committed() {
    let made = golden::make(&PROJECT).unwrap();
    none(golden::compare(&PROJECT, &made));
}

#[test]
fn a_bad_command_line_draws_no_figure() {
    let programs = golden::programs(&PROJECT).unwrap();
    let in_a_file = PROJECT.path("Cargo.toml/figures");
    let in_a_file = in_a_file.to_str().unwrap();
    for arguments in [&["--nothing"][..], &["nothing"], &["--out", in_a_file]]
    {
        let mut program = Command::new(programs.with_file_name("figures"));
        let done = program.args(arguments).output().unwrap();
        assert!(!done.status.success(), "{arguments:?}");
        assert!(done.stdout.is_empty(), "{arguments:?}");
        assert!(!done.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn every_output_and_figure_is_shown() {
    let pages = PROJECT.pages().unwrap();
    none(unused::check(&PROJECT, pages));
    none(unused::lines(&PROJECT, pages).unwrap());
}

#[test]
fn every_numbered_chapter_has_a_strip() {
    let pages = PROJECT.pages().unwrap();
    none(strip::check(&PROJECT, pages));
}

/// The lines are those of the strips, so there is no second list.
#[test]
fn the_first_page_has_a_line_for_each_chapter() {
    let pages = PROJECT.pages().unwrap();
    assert!(pages[0].text.contains("\n{{#contents}}\n"));
    let contents = contents::contents(&PROJECT).unwrap();
    let lines: Vec<&str> =
        contents.lines().filter(|line| line.contains("](")).collect();
    let chapters = pages.iter().filter(|page| page.number.is_some());
    for (page, line) in chapters.clone().zip(&lines) {
        assert!(line.contains(&format!("]({}.md) <span>", page.stem)));
        assert!(!line.contains("<span></span>"), "{line}");
    }
    assert_eq!(lines.len(), chapters.count());
}

#[test]
fn every_line_of_the_crate_is_shown_once() {
    let pages = PROJECT.pages().unwrap();
    none(coverage::check(&PROJECT, pages).unwrap());
}

#[test]
fn one_chapter_explains_each_item_of_the_plain_model() {
    let pages = PROJECT.pages().unwrap();
    none(plain::check(&PROJECT, pages).unwrap());
}

#[test]
fn modules_chapters_and_imports_share_one_reading_order() {
    let pages = PROJECT.pages().unwrap();
    none(order::check(&PROJECT, pages).unwrap());
}

/// Hues are named by their role, and the dictionary in `plot` says which colour that is.
#[test]
fn figures_take_their_hues_from_the_dictionary() {
    let drawn = ["Ink", "Rule", "Dashed"];
    for file in PROJECT.files("figures", "rs") {
        let text = PROJECT.read(&file).unwrap();
        for hue in text.split("Hue::").skip(1) {
            let name: String =
                hue.chars().take_while(|c| c.is_alphanumeric()).collect();
            let is_role = name.chars().all(|c| c.is_ascii_uppercase());
            let file = file.display();
            assert!(is_role || drawn.contains(&&*name), "{file}: {name}");
        }
    }
}

#[test]
fn figures_are_described_with_computed_numbers() {
    none(descriptions::check(&PROJECT).unwrap());
}

#[test]
fn every_snippet_of_every_chapter_runs() {
    doctest::run(&PROJECT, None).unwrap();
}

/// The pages, rendered into a folder.
static PAGES: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    if let Err(error) = build::render(&PROJECT, folder.path()) {
        panic!("\n{error:#}\n");
    }
    folder
});

#[test]
fn links_lead_somewhere_and_pages_load_nothing_from_elsewhere() {
    none(links::check(&PROJECT, PAGES.path()).unwrap());
}

/// The EPUB of these pages.
static EPUB: LazyLock<Vec<u8>> =
    LazyLock::new(|| epub::epub(&PROJECT, PAGES.path()).unwrap());

/// The files of the EPUB by their names. The first says what the archive is, where it can be read without unpacking.
fn epub_files() -> BTreeMap<String, String> {
    assert_eq!(&EPUB[30..58], b"mimetypeapplication/epub+zip");
    let mut archive = ZipArchive::new(Cursor::new(&EPUB[..])).unwrap();
    let first = archive.by_index(0).unwrap().compression();
    assert_eq!(first, CompressionMethod::Stored);
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(files.insert(file.name().to_string(), text), None);
    }
    files.remove("mimetype");
    files
}

fn xml<'a>(name: &str, text: &'a str) -> Document<'a> {
    let options = ParsingOptions { allow_dtd: true, ..Default::default() };
    Document::parse_with_options(text, options)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The values of an attribute in a document.
fn values(document: &Document, attribute: &str) -> Vec<String> {
    let nodes = document.descendants();
    let values = nodes.filter_map(|node| node.attribute(attribute));
    values.map(str::to_owned).collect()
}

#[test]
fn an_epub_holds_what_its_manifest_names_and_every_link_has_a_target() {
    let files = epub_files();
    let mut places = BTreeSet::new();
    let mut links = Vec::new();
    for (name, text) in
        files.iter().filter(|(name, _)| !name.ends_with(".css"))
    {
        let document = xml(name, text);
        assert!(!text.contains("var(--"), "{name} needs a style sheet");
        places.insert(name.clone());
        for id in values(&document, "id") {
            assert!(
                places.insert(format!("{name}#{id}")),
                "{name} has two {id}"
            );
        }
        let targets = values(&document, "href");
        links
            .extend(targets.into_iter().map(|target| (name.clone(), target)));
    }
    places.insert("EPUB/style.css".into());
    for (from, target) in links.iter().filter(|(_, to)| !to.contains("://")) {
        let target = match target.starts_with('#') {
            true => format!("{from}{target}"),
            false => format!("EPUB/{target}"),
        };
        assert!(places.contains(&target), "{from}: {target}");
    }
    let package = xml("package", &files["EPUB/package.opf"]);
    let named: BTreeSet<String> =
        values(&package, "href").into_iter().collect();
    let held: BTreeSet<String> = files
        .keys()
        .filter_map(|name| name.strip_prefix("EPUB/"))
        .filter(|name| *name != "package.opf")
        .map(str::to_owned)
        .collect();
    assert_eq!(named, held);
    for page in PROJECT.pages().unwrap() {
        let name = format!("{}.xhtml", page.stem);
        assert!(files["EPUB/nav.xhtml"].contains(&name), "{name}");
    }
}

#[test]
fn the_same_pages_make_the_same_epub() {
    assert!(*EPUB == epub::epub(&PROJECT, PAGES.path()).unwrap());
}
