//! The press's checks notice what they are there for.

use super::{page, scratch};
use press::diagnostic::Diagnostic;
use press::project::Page;
use press::{build, coverage, golden, order, strip, unused};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;
#[cfg(unix)]
use std::{fs, path::Path, time::SystemTime};

const LIB: &str = "pub mod tensor;\npub mod attention;\n";
const FILES: [(&str, &str); 4] = [
    ("code/Cargo.toml", ""),
    ("code/lib.rs", LIB),
    ("code/tensor.rs", "fn a() {}\n\nfn b() {}\n"),
    ("code/attention.rs", "use crate::tensor::a;\n"),
];

fn said(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(Diagnostic::to_string).collect()
}

fn coverage_of(preface: &str, tensor: &str) -> Vec<String> {
    let scratch = scratch(&FILES);
    let pages = [
        page("preface", preface),
        page("tensor", tensor),
        page("attention", "{{#code use}}"),
    ];
    said(&coverage::check(&scratch.project, &pages).unwrap())
}

#[test]
fn a_crate_shown_once_passes_in_any_order() {
    let nothing: [&str; 0] = [];
    assert_eq!(
        coverage_of("{{#code lib.rs: mod}}", "{{#code b}} {{#code a}}"),
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
fn a_line_shown_twice_is_named() {
    assert_eq!(
        coverage_of("{{#code lib.rs: mod}}", "{{#code b}}\n\n{{#code a b}}"),
        [
            "code/tensor.rs:3: shown twice: src/tensor.md:1 and src/tensor.md:3"
        ]
    );
}

#[test]
fn chapters_follow_the_order_of_the_modules() {
    let scratch = scratch(&FILES);
    let pages = [page("attention", ""), page("tensor", "")];
    assert_eq!(
        said(&order::check(&scratch.project, &pages).unwrap()),
        ["code/lib.rs:2: the chapter `attention` comes before `tensor`"]
    );
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let early = "use {crate::attention::x, std::fmt};\n\
        fn f() {\n    crate::attention::x()\n}\n\
        use crate::tensor::own;\nuse other::attention;\n";
    let scratch = scratch(&[("code/lib.rs", LIB), ("code/tensor.rs", early)]);
    assert_eq!(
        said(&order::check(&scratch.project, &[]).unwrap()),
        [
            "code/tensor.rs:1: uses `attention`, which is explained later",
            "code/tensor.rs:3: uses `attention`, which is explained later"
        ]
    );
}

/// A trait and a type, and a later module that joins them.
const JOINED: [(&str, &str); 5] = [
    ("code/lib.rs", "pub mod tensor;\npub mod heads;\npub mod speed;\n"),
    ("code/tensor.rs", "pub struct Matrix<F>(F);\npub trait Float {}\n"),
    (
        "code/heads.rs",
        "pub trait Heads {}\nimpl Heads for Own {}\nstruct Own;\n",
    ),
    (
        "code/speed.rs",
        "use crate::heads::Heads;\n\nimpl<F> Heads for crate::tensor::Matrix<F> {}\n\
         impl crate::tensor::Float for f32 {}\nimpl Heads for New {}\nstruct New;\n\
         impl Clone for New {}\nimpl Heads for Kind {}\nenum Kind {}\n\
         impl Heads for Name {}\ntype Name = u8;\n",
    ),
    ("src/SUMMARY.md", ""),
];

fn order_of(tensor: &str, heads: &str) -> Vec<String> {
    let scratch = scratch(&JOINED);
    let pages =
        [page("tensor", tensor), page("heads", heads), page("speed", "")];
    said(&order::check(&scratch.project, &pages).unwrap())
}

#[test]
fn a_later_implementation_is_linked_from_the_page_of_its_trait() {
    let nothing: [&str; 0] = [];
    assert_eq!(order_of("[later](speed.md)", "[will](speed.md#x)"), nothing);
    assert_eq!(order_of("[later](speed.md)", "").len(), 1);
    assert_eq!(
        order_of("speed.md", "[will](tensor.md)"),
        [
            "code/speed.rs:3: implements `Heads` for `Matrix`, and the page `heads` has no link to `speed`",
            "code/speed.rs:4: implements `Float` for `f32`, and the page `tensor` has no link to `speed`"
        ]
    );
}

#[test]
fn as_many_examples_run_at_a_time_as_there_are_cores() {
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let items: Vec<usize> = (0..50).collect();
    let done = golden::on_all_cores(&items, |item| {
        most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
        thread::sleep(Duration::from_millis(2));
        now.fetch_sub(1, SeqCst);
        item * 2
    });
    assert_eq!(done, items.iter().map(|item| item * 2).collect::<Vec<_>>());
    let cores = thread::available_parallelism().unwrap().get();
    assert!((1..=cores).contains(&most.into_inner()));
}

#[test]
fn a_book_without_chapters_is_an_error() {
    let scratch = scratch(&[("book.toml", ""), ("src/SUMMARY.md", "# S\n")]);
    let folder = scratch.project.path("book");
    let error = build::render(&scratch.project, &folder).unwrap_err();
    let said = format!("{error:#}");
    assert!(
        said.contains("src/SUMMARY.md:1: the book has no chapters"),
        "{said}"
    );
}

#[test]
fn a_stale_missing_or_left_over_file_is_named_with_its_line() {
    let scratch = scratch(&[
        ("src/outputs/a.txt", "1\n2\n"),
        ("src/figures/b-c.svg", "<svg/>"),
    ]);
    let made =
        [("src/outputs/a.txt", "1\n3\n"), ("src/outputs/d.txt", "4\n")]
            .map(|(file, text)| (file.into(), text.to_string()));
    assert_eq!(
        said(&golden::compare(&scratch.project, &made.into())),
        [
            "src/outputs/a.txt:2: stale: the example now makes `3` \
             (UPDATE=1 cargo test rewrites)",
            "src/outputs/d.txt:1: missing: make it with UPDATE=1 cargo test",
            "src/figures/b-c.svg:1: no example makes this file"
        ]
    );
}

#[test]
fn what_is_made_is_written_and_what_nothing_makes_is_removed() {
    let scratch = scratch(&[
        ("src/outputs/a.txt", "1\n"),
        ("src/figures/b-c.svg", "<svg/>"),
    ]);
    let made = [("src/outputs/a.txt", "2\n"), ("src/figures/d-e.svg", "3\n")]
        .map(|(file, text)| (file.into(), text.to_string()))
        .into();
    golden::update(&scratch.project, &made).unwrap();
    let nothing: [&str; 0] = [];
    assert_eq!(said(&golden::compare(&scratch.project, &made)), nothing);
}

#[cfg(unix)]
#[test]
fn an_example_runs_again_when_it_is_newer_or_a_log_is() {
    let scratch = scratch(&[]);
    let program = scratch.project.path("a");
    let example = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/press/example.sh");
    std::os::unix::fs::symlink(example, &program).unwrap();
    let run = |logs| golden::run(&program, logs).unwrap();
    let folder = run(None);
    let read = |file| fs::read_to_string(folder.join(file)).unwrap();
    assert_eq!(read("printed.txt"), "printed\n");
    assert_eq!(read("a.svg"), "drawn\n");
    let mark = folder.join("mark");
    let runs_again = |logs| {
        run(logs);
        !mark.exists()
    };
    fs::write(&mark, "").unwrap();
    assert!(!runs_again(None));
    assert!(runs_again(Some(SystemTime::now() + Duration::from_secs(60))));
    fs::write(&mark, "").unwrap();
    let of_folder = fs::File::open(&folder).unwrap();
    of_folder.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    assert!(runs_again(None));
}

#[test]
fn what_is_made_is_shown_once_its_chapter_is_written() {
    let scratch = scratch(&[
        ("src/outputs/mask.txt", "1"),
        ("src/figures/mask-a.svg", ""),
        ("src/figures/mask-b.svg", ""),
        ("src/figures/heads-a.svg", ""),
    ]);
    let caption = "{{#figure a Now {{#value x}}.}}";
    let diagnostics =
        unused::check(&scratch.project, &[page("mask", caption)]);
    assert_eq!(
        said(&diagnostics),
        ["src/figures/mask-b.svg:1: no page shows this file"]
    );
}

#[test]
fn a_printed_line_is_shown_with_its_section_or_as_a_value() {
    let printed = "== One\na = 1\n\n== Two\nb = 2\nc = 3\n";
    let scratch = scratch(&[("src/outputs/mask.txt", printed)]);
    let pages = [page("mask", "{{#output One}} {{#value c}}")];
    assert_eq!(
        said(&unused::lines(&scratch.project, &pages).unwrap()),
        ["src/outputs/mask.txt:5: no page shows this line"]
    );
}

#[test]
fn a_chapter_with_a_number_needs_a_strip() {
    let scratch = scratch(&[("src/figures/machine-strip-mask.svg", "")]);
    let chapter = |stem| Page { number: Some("1".into()), ..page(stem, "") };
    let pages = [chapter("mask"), chapter("heads"), page("preface", "")];
    let message =
        "has no strip: figures/machine/map.rs says which part it explains";
    assert_eq!(
        said(&strip::check(&scratch.project, &pages)),
        [format!("src/heads.md:1: {message}")]
    );
}

#[test]
fn the_parts_of_an_example_are_no_examples() {
    let scratch = scratch(&[
        ("code/examples/mask.rs", ""),
        ("code/examples/mask/part.rs", ""),
    ]);
    assert_eq!(scratch.project.examples(), ["mask"]);
}

#[test]
fn the_deepest_pages_that_are_allowed_are_built() {
    for bomb in [">", "- ", "1. ", "[", "*a_"] {
        let line = bomb.repeat(999 / bomb.len());
        let deep = format!("# A\n\n{line}x\n");
        let scratch = scratch(&[
            ("book.toml", ""),
            ("src/SUMMARY.md", "- [A](a.md)\n"),
            ("src/a.md", &deep),
        ]);
        let folder = scratch.project.path("book");
        build::render(&scratch.project, &folder).unwrap();
    }
}
