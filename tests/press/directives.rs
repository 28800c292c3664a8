//! Directives insert what they name, and complain about what is not there.

use super::{complaints, page, rendered, scratch};
use press::directive::find;
use press::plain;

const OUTPUT: &str = "== One\nfruit = 9.00\n\n== Two\na = 1\na = 2\n";
const SVG: &str = "<svg viewBox=\"0 0 680 260\" role=\"img\">\n\
    <title>T</title>\n<desc>D</desc>\n</svg>\n";
const OTHER: &str = "<svg viewBox=\"0 0 680 260\" role=\"img\">\n\
    <title>U</title>\n<desc>D</desc>\n</svg>\n";

const FILES: [(&str, &str); 9] = [
    ("src/outputs/attention.txt", OUTPUT),
    ("src/outputs/mask.txt", "seen = 4\n"),
    ("src/figures/attention-heat.svg", SVG),
    ("src/figures/attention-turn-1.svg", SVG),
    ("src/figures/attention-turn-2.svg", OTHER),
    ("src/figures/attention-same-1.svg", SVG),
    ("src/figures/attention-same-2.svg", SVG),
    ("code/examples/attention.rs", "fn main() {}\n"),
    (
        "tests/exercises/attention.rs",
        "use a;\n\n// Exercise 1\n// Of $x$ a softmax.\n//\n// It sums to 1.\n\n/// D\nfn a() {}\n\n\
         // Exercise 10\n// B\nfn b() {}\n\n// Exercise 3\nfn c() {}\n",
    ),
];

#[test]
fn a_backslash_makes_a_directive_plain_text() {
    assert_eq!(find("\\{{#code scores}}"), []);
}

#[test]
fn output_is_shown_whole_or_by_section() {
    assert!(rendered(&FILES, "{{#output}}").contains("== One\nfruit"));
    let one = rendered(&FILES, "{{#output One}}");
    assert_eq!(one.trim(), "```text\nfruit = 9.00\n```");
}

#[test]
fn a_value_stands_in_the_line() {
    let line = "It is {{#value fruit}}, and {{#value mask: seen}}.";
    assert_eq!(rendered(&FILES, line), "It is 9.00, and 4.");
}

#[test]
fn a_value_at_the_end_of_a_sentence_begins_no_list() {
    let text = rendered(&FILES, "It is\n{{#value mask: seen}}. So");
    assert_eq!(text, "It is\n4\\. So");
    let text = rendered(&FILES, "> It is\n> {{#value mask: seen}}. So");
    assert_eq!(text, "> It is\n> 4\\. So");
    let text = rendered(&FILES, "In all\n{{#value fruit}}. So");
    assert_eq!(text, "In all\n9.00. So");
}

#[test]
fn a_value_may_stand_in_a_formula() {
    let text = rendered(&FILES, "$x = {{#value fruit}}$");
    assert!(text.contains("<mn>9&#46;00</mn>"), "{text}");
}

#[test]
fn missing_and_repeated_values_are_errors() {
    assert_eq!(
        complaints(
            &FILES,
            "A\n{{#value b}}\n{{#value a}} {{#value mask: a}}"
        ),
        "src/attention.md:2: src/outputs/attention.txt has no line `b = …`\n\
         src/attention.md:3: src/outputs/attention.txt has more than one line `a = …`\n\
         src/attention.md:3: src/outputs/mask.txt has no line `a = …`"
    );
}

#[test]
fn missing_sections_figures_and_exercises_are_errors() {
    let page = "{{#output Three}}\n\n{{#figure cold C}}\n\n\
        {{#flipbook cold C}}\n\n{{#exercise 2}}\n\n{{#exercise 3}}\n";
    assert_eq!(
        complaints(&FILES, page),
        "src/attention.md:1: src/outputs/attention.txt has no section `== Three`\n\
         src/attention.md:3: cannot read src/figures/attention-cold.svg\n\
         src/attention.md:5: src/figures/attention-cold-1.svg is missing\n\
         src/attention.md:7: tests/exercises/attention.rs needs a sentence and \
         code under `// Exercise 2`\n\
         src/attention.md:9: tests/exercises/attention.rs needs a sentence and \
         code under `// Exercise 3`"
    );
}

#[test]
fn a_figure_has_its_width_and_a_caption_with_values_and_formulas() {
    let page =
        "{{#figure heat Weights of $x^{a^{b}}$\nare {{#value fruit}}.}}\n";
    let text = rendered(&FILES, page);
    assert!(text.contains("<svg style=\"--width: 680px\""), "{text}");
    let start = "\n\n<b>Figure 7.1.</b> Weights of <math>";
    assert!(text.contains(start), "{text}");
    assert!(text.contains("are 9.00.\n\n</figcaption>"), "{text}");
}

#[test]
fn figures_and_flipbooks_are_numbered_together() {
    let page = "{{#figure heat One}}\n\n{{#flipbook turn Two}}\n\n\
        {{#figure heat Three}}\n";
    let text = rendered(&FILES, page);
    let numbers: Vec<_> =
        text.split("<b>Figure ").skip(1).map(|part| &part[..3]).collect();
    assert_eq!(numbers, ["7.1", "7.2", "7.3"]);
}

#[test]
fn a_fault_in_a_caption_has_the_captions_line() {
    let page = "\n{{#figure heat Weights\nof $\\nonsense$.}}\n";
    let said = complaints(&FILES, &format!("A\n{page}"));
    assert!(said.starts_with("src/attention.md:4: the formula"), "{said}");
}

#[test]
fn a_flipbook_has_all_its_frames() {
    let text = rendered(&FILES, "{{#flipbook turn Turn it.}}");
    assert_eq!(text.matches("<svg").count(), 2);
}

#[test]
fn the_frames_of_a_flipbook_have_titles_of_their_own() {
    assert_eq!(
        complaints(&FILES, "{{#flipbook same Turn it.}}"),
        "src/attention.md:1: src/figures/attention-same-2.svg has the title \
         of another frame: the slider says it aloud"
    );
}

#[test]
fn an_answer_is_its_own_prose_and_code_only() {
    let text = rendered(&FILES, "{{#exercise 1}}");
    assert!(text.contains("</summary>\n\nOf <math>"), "{text}");
    assert!(text.contains(
        "\n\nIt sums to 1.\n\n```rust,ignore\n/// D\nfn a() {}\n```"
    ));
    assert!(!text.contains("use a") && !text.contains("fn b"));
}

#[test]
fn a_bug_to_be_found_is_shown_and_a_stub_is_not() {
    let stubs = "// Exercise 1\n\nfn a() {\n    todo!(\"a\")\n}\n\n\
                 // Exercise 10\n\n/// Wrong.\nfn b() -> u8 {\n    2\n}\n";
    let mut files = FILES.to_vec();
    files.push(("exercises/attention.rs", stubs));
    let text = rendered(&files, "{{#exercise 1}}");
    assert!(text.trim_start().starts_with("<details"), "{text}");
    let text = rendered(&files, "{{#exercise 10}}");
    let (shown, folded) = text.split_once("<details").unwrap();
    assert!(shown.contains("/// Wrong.\nfn b() -> u8 {\n    2\n}"));
    assert!(folded.contains("fn b() {}") && !folded.contains("Wrong"));
}

#[test]
fn code_is_cut_into_screens_between_items_or_else_methods() {
    let method = "    fn a() {\n        1\n    }\n\n".repeat(9);
    let code = format!("use a;\n\nimpl A {{\n{}\n}}\n", method.trim_end());
    let files = [("code/attention.rs", code.as_str())];
    let text = rendered(&files, "{{#code use}}\n\n{{#code impl A}}\n");
    let blocks: Vec<_> = text
        .split("```rust,ignore\n")
        .skip(1)
        .map(|block| block.split("\n```").next().unwrap())
        .collect();
    let lines: Vec<_> =
        blocks.iter().map(|block| block.lines().count()).collect();
    assert_eq!(lines, [1, 28, 8], "{text}");
    let code = blocks.join("\n\n");
    assert_eq!(code, files[0].1.trim_end());
}

#[test]
fn code_is_cut_between_items_rather_than_within_one() {
    let body = "    1;\n".repeat(9);
    let before =
        format!("fn a() {{\n{body}}}\n\nconst B: &str =\n    \"b\";");
    let after = format!("fn c() {{\n{body}\n{body}}}\n");
    let code = format!("{before}\n\n{after}");
    let files = [("code/attention.rs", code.as_str())];
    let text = rendered(&files, "{{#code a B c}}");
    assert!(text.contains(&format!("{before}\n```\n")), "{text}");
    assert!(text.contains(&format!("```rust,ignore\n{after}")), "{text}");
}

#[test]
fn a_block_that_cannot_be_cut_stays_one() {
    let code = format!("fn a() {{\n{}}}\n", "    1;\n".repeat(40));
    let files = [("code/attention.rs", code.as_str())];
    let text = rendered(&files, "{{#code a}}\n");
    assert_eq!(text.matches("```rust").count(), 1);
}

#[test]
fn german_is_marked_in_what_is_emphasized_and_in_pictures() {
    let mark = press::german::mark;
    assert_eq!(
        mark("*Mir geht es gut*, *am* *I am fine*."),
        "<em lang=\"de\">Mir geht es gut</em>, *am* *I am fine*."
    );
    assert_eq!(
        mark("<svg>\n<text x=\"1\">\n·über\n</text><text>\n·see\n</text>"),
        "<svg>\n<text lang=\"de\" x=\"1\">\n·über\n</text><text>\n·see\n</text>"
    );
}

#[test]
fn a_defined_term_is_a_heading_to_search_for() {
    let page = "# Words\n\nab c\n: It is\n  this.\n\nd\n: That.\n";
    assert_eq!(
        rendered(&[], page),
        "# <span class=\"number\">7</span> Words {#words}\n\n### ab c { .term }\n\nIt is\n  this.\n\n### d { .term }\n\nThat.\n"
    );
    let nothing = "a\n\n: b\n";
    assert_eq!(rendered(&[], nothing), nothing);
}

#[test]
fn an_example_is_shown_whole() {
    assert!(rendered(&FILES, "{{#example}}").contains("fn main() {}"));
}

#[test]
fn a_directive_that_is_unknown_open_or_in_a_line_is_an_error() {
    let page = "{{#cod x}}\n\ntext {{#output}}\n\n{{#value fruit";
    assert_eq!(
        complaints(&FILES, page),
        "src/attention.md:1: there is no directive `{{#cod`\n\
         src/attention.md:3: `{{#output` must stand alone, between blank \
         lines\n\
         src/attention.md:5: `{{#value` is not closed"
    );
}

#[test]
fn an_include_must_have_its_file_and_its_anchor() {
    let files = [
        ("code/a.rs", "// ANCHOR: x\n1\n// ANCHOR_END: x\n"),
        ("src/SUMMARY.md", ""),
    ];
    rendered(
        &files,
        "{{#include ../code/a.rs:x}} {{#include ../code/a.rs:2:3}}",
    );
    assert_eq!(
        complaints(
            &files,
            "{{#include ../code/b.rs}}\n{{#include ../code/a.rs:y}}"
        ),
        "src/attention.md:1: cannot read src/../code/b.rs\n\
         src/attention.md:2: ../code/a.rs has no anchor `y`"
    );
}

#[test]
fn the_title_of_the_window_is_left_to_mdbook() {
    let title = "{{#title Attention}}\n";
    assert_eq!(rendered(&[], title), title);
}

#[test]
fn a_strip_comes_between_the_heading_and_the_text() {
    let files = [("src/figures/machine-strip-attention.svg", SVG)];
    let text = rendered(&files, "No heading.\n\nText.\n");
    assert!(text.starts_with("<div class=\"strip\">"), "{text}");
    let text = rendered(&files, "# Attention\n\nText.\n");
    let [heading, strip, rest] = ["Attention {#", "<svg", "Text."]
        .map(|part| text.find(part).unwrap());
    assert!(heading < strip && strip < rest, "{text}");
}

#[test]
fn a_chapters_heading_has_its_number_and_keeps_its_place() {
    assert_eq!(
        rendered(&[], "# Add & norm, feed-forward\n\nText.\n"),
        "# <span class=\"number\">7</span> Add & norm, feed-forward \
         {#add--norm-feed-forward}\n\nText.\n"
    );
    let own = "# A page {#place}\n\nText.\n";
    assert_eq!(rendered(&[], own), own);
}

#[test]
fn each_kind_of_box_has_a_class_of_its_own() {
    let page = "A\n\n> **In short.** B\n> C\n\n> D\n\nE\n";
    assert_eq!(
        rendered(&[], page),
        "A\n\n<div class=\"box short\">\n\n> **In short.** B\n> C\n\n</div>\n\n> D\n\nE\n"
    );
}

#[test]
fn a_flipbook_may_begin_with_a_frame_that_the_page_names() {
    let text = rendered(&FILES, "{{#flipbook turn/2 It turns.}}");
    assert!(text.contains("<figure class=\"flipbook\" data-first=\"2\">"));
    let text = rendered(&FILES, "{{#flipbook turn It turns.}}");
    assert!(text.contains("<figure class=\"flipbook\">"), "{text}");
}

const PLAIN: &str =
    "//! Plain.\n\nuse a;\n\npub fn softmax() {}\n\npub fn attend() {}\n";

#[test]
fn an_item_of_the_plain_model_is_shown_on_any_page() {
    let files = [("code/plain.rs", PLAIN)];
    let text = rendered(&files, "{{#plain attend}}");
    assert_eq!(text.trim(), "```rust,ignore\npub fn attend() {}\n```");
}

#[test]
fn one_chapter_explains_an_item_of_the_plain_model() {
    let scratch = scratch(&[("code/plain.rs", PLAIN)]);
    let said = |one: &str, two: &str| -> Vec<String> {
        let pages = [page("heads", one), page("mask", two)];
        let found = plain::check(&scratch.project, &pages).unwrap();
        found.iter().map(ToString::to_string).collect()
    };
    let nothing: [&str; 0] = [];
    assert_eq!(said("{{#plain softmax}}", "{{#plain attend}}"), nothing);
    assert_eq!(
        said("{{#plain softmax}}", "{{#plain softmax}}"),
        [
            "code/plain.rs:5: 2 chapters explain `softmax`",
            "code/plain.rs:7: 0 chapters explain `attend`"
        ]
    );
}

#[test]
fn the_time_for_a_part_leaves_out_code_folds_and_exercises() {
    let words = "word ".repeat(1000);
    let chapter = format!(
        "# A\n\n{words}\n\n```text\n{words}\n```\n\n<details>\n\n{words}\n\n\
         </details>\n\n## Exercises\n\n{words}\n"
    );
    let files = [
        (
            "src/SUMMARY.md",
            "# Summary\n\n# One\n\n- [A](a.md)\n\n# Two\n\n- [B](b.md)\n",
        ),
        ("src/a.md", &chapter),
        ("src/b.md", &words.repeat(20)),
    ];
    let said =
        |what: &str| rendered(&files, &format!("{{{{#hours {what}}}}}"));
    assert_eq!(said("One"), "10 minutes");
    assert_eq!(said("a"), "10 minutes");
    assert_eq!(said("Two"), "3 hours");
    assert_eq!(said(""), "4 hours");
    assert!(complaints(&files, "{{#hours Three}}").contains("`Three`"));
}

#[test]
fn the_time_for_a_page_has_its_values_captions_and_what_follows_code() {
    let of = |text: &str| {
        let files = [
            ("src/SUMMARY.md", "- [A](a.md)\n"),
            ("src/a.md", &format!("word\n\n{text}\n")),
        ];
        rendered(&files, "{{#hours a}}")
    };
    let words = "word ".repeat(900);
    assert_eq!(of(&"{{#value b}} ".repeat(900)), "10 minutes");
    assert_eq!(of(&format!("{{{{#figure b {words}}}}}")), "10 minutes");
    assert_eq!(of(&format!("{{{{#output {words}}}}}")), "0 minutes");
    assert_eq!(of(&format!("```text\n```\n\n{words}")), "10 minutes");
}

#[test]
fn the_contents_have_each_chapter_in_its_part_with_what_its_strip_says() {
    let strip = |title: &str| {
        format!(
            "<svg viewBox=\"0 0 1 1\"><title>{title}</title><desc>D</desc></svg>"
        )
    };
    let [a, b] = ["You are here: one.", "You are here: two."].map(strip);
    let files = [
        (
            "src/SUMMARY.md",
            "[Preface](p.md)\n\n# One\n\n- [A](a.md)\n- [B](b.md)\n\n\
             # Two\n\n- [C](c.md)\n",
        ),
        ("src/p.md", "# Preface\n"),
        ("src/a.md", "# A\n"),
        ("src/b.md", "# B\n"),
        ("src/c.md", "# C\n"),
        ("src/figures/machine-strip-a.svg", &a),
        ("src/figures/machine-strip-b.svg", &b),
        ("src/figures/machine-strip-c.svg", &a),
    ];
    assert_eq!(
        rendered(&files, "{{#contents}}"),
        "<div class=\"contents\">\n\n### One\n\n\
         1. [A](a.md) <span>one</span>\n2. [B](b.md) <span>two</span>\n\n\
         ### Two\n\n3. [C](c.md) <span>one</span>\n\n</div>"
    );
}

/// A page with sections of every kind: headings, a place of its own, a term and a fold.
const MASK: &str = "# Masks\n\n## Why *not*: $x$ and `y`?\n\n\
    ## What if … {#changes}\n\nband\n: Some [words](a.md).\n\n\
    <details class=\"crate\" id=\"the-crate\">\n<summary>In the crate</summary>\n";
const BOOK: [(&str, &str); 4] = [
    (
        "src/SUMMARY.md",
        "# Summary\n\n[Masks](mask.md)\n[How good?](bleu.md)\n",
    ),
    ("src/mask.md", MASK),
    ("src/bleu.md", "# How good?\n\n## One number\n"),
    ("src/figures/attention-heat.svg", SVG),
];

#[test]
fn a_link_without_words_gets_them_from_what_it_leads_to() {
    let named = |target: &str| {
        let text = rendered(&BOOK, &format!("See [](mask.md{target})."));
        text.replace("](mask.md", "]").replace(target, "")
    };
    assert_eq!(named(""), "See [Masks]).");
    assert_eq!(named("#changes"), "See [Masks: What if …]).");
    assert_eq!(named("#band"), "See [Masks: band]).");
    assert_eq!(named("#the-crate"), "See [Masks: In the crate]).");
    let text = named("#why-not-x-and-y");
    assert!(text.starts_with("See [Masks: Why *not*: <math>"), "{text}");
    assert!(text.ends_with(" and `y`?])."), "{text}");
    let text = rendered(&BOOK, "[](bleu.md#one-number)");
    assert_eq!(text, "[How good? One number](bleu.md#one-number)");
}

#[test]
fn a_link_without_words_may_be_in_a_caption_and_code_has_none() {
    let text = rendered(&BOOK, "{{#figure heat Of [](mask.md).}}\n");
    assert!(text.contains("Of [Masks](mask.md).\n"), "{text}");
    let code = "```rust,ignore\n[](mask.md)\n```\n\n`[](mask.md)`\n";
    assert_eq!(rendered(&BOOK, code), code);
}

#[test]
fn a_link_without_words_that_leads_nowhere_is_an_error() {
    let page = "A [](mask.md)\n\n[](music.md)\n[](mask.md#band)\n\
        [](mask.md#bands)\n{{#value x}} [](#band)\n";
    assert_eq!(
        complaints(&BOOK, page),
        "src/attention.md:3: `[](music.md)` leads nowhere: there is no page `music.md`\n\
         src/attention.md:5: `[](mask.md#bands)` leads nowhere: mask.md has no section `bands`\n\
         src/attention.md:6: `[](#band)` leads nowhere: there is no page ``\n\
         src/attention.md:6: cannot read src/outputs/attention.txt"
    );
}
