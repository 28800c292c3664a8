//! What a reader takes along: pages for e-readers, and pages on paper.

use super::{Scratch, scratch};
use press::xhtml::Converter;
use std::fs;
use std::process::{Command, Output};

/// The body of a page with this content, for an e-reader.
fn body(content: &str) -> String {
    let style = ":root { --blue: #111; }\n@media print {\n    --blue: #222 !important;\n}";
    let Scratch { project, _folder } = scratch(&[("theme/book.css", style)]);
    let pages = ["a".to_string(), "b".to_string()];
    let page = format!("<nav>no</nav><main><h1>A</h1>{content}</main>");
    let document = Converter::new(&project, pages).unwrap().convert(&page);
    let document = document.unwrap();
    assert_eq!(document.title, "A");
    document.body.strip_prefix("<h1>A</h1>").unwrap().to_string()
}

#[test]
fn html_becomes_xml() {
    assert_eq!(
        body("a &lt; b &amp; c<br><img src='x' alt='\"&lt;'><!-- no -->"),
        "a &lt; b &amp; c<br/><img alt=\"&quot;&lt;\" src=\"x\"/>"
    );
    assert_eq!(
        body(
            "<svg viewbox='0 0 1 1' style='--width: 40px'><text lang=de>ä</text></svg>"
        ),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" viewBox=\"0 0 1 1\">\
         <text xml:lang=\"de\">ä</text></svg>"
    );
    assert_eq!(
        body("<em lang=de>ja</em>"),
        "<em lang=\"de\" xml:lang=\"de\">ja</em>"
    );
}

#[test]
fn links_lead_to_the_pages_of_the_book_or_out_of_it() {
    assert_eq!(
        body("<a href='b.html#x'>b</a>"),
        "<a href=\"b.xhtml#x\">b</a>"
    );
    assert_eq!(body("<a href='#x'>b</a>"), "<a href=\"#x\">b</a>");
    assert_eq!(
        body("<svg><text><a href='b.html'>b</a></text></svg>"),
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>\
         <a xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
         xlink:href=\"b.xhtml\" xlink:title=\"b\">b</a></text></svg>"
    );
    let away = "<a href=\"https://a.b/b.html\">b</a>";
    assert_eq!(body(away), away);
    assert_eq!(body("<a href='print.html'>b</a>"), "b");
    assert_eq!(
        body("<h2 id='x'><a class='header' href='#x'>X</a></h2>"),
        "<h2 id=\"x\">X</h2>"
    );
}

#[test]
fn colours_are_those_of_paper() {
    assert_eq!(
        body("<p class='var(--blue, red) var(--pink, #fcc)'></p>"),
        "<p class=\"#222 #fcc\"></p>"
    );
}

#[test]
fn answers_are_unfolded_and_what_needs_a_program_is_left_out() {
    assert_eq!(
        body(
            "<details class=answer><summary>Answer</summary><p>42</details>"
        ),
        "<div class=\"answer\"><p class=\"summary\">Answer</p><p>42</p></div>"
    );
    assert_eq!(
        body(
            "<details class=program><summary><code>a.rs</code></summary><p>42</details>"
        ),
        ""
    );
    assert_eq!(
        body(
            "<p>a<span class=boring>b</span><button>c</button><script>d</script></p><p hidden>e</p>"
        ),
        "<p>a</p>"
    );
}

/// The program, asked for a PDF where this is the browser.
fn pdf(browser: Option<&str>) -> (Scratch, Output) {
    let scratch = scratch(&[("src/SUMMARY.md", "")]);
    let mut book = Command::new(env!("CARGO_BIN_EXE_book"));
    book.arg("pdf").current_dir(scratch.project.root());
    book.env_remove("CARGO_MANIFEST_DIR").env_remove("CHROMIUM");
    book.env("PATH", "");
    if let Some(browser) = browser {
        book.env("CHROMIUM", scratch.project.path(browser));
    }
    let done = book.output().unwrap();
    (scratch, done)
}

/// What it says, in one line, and that it leaves nothing behind.
fn said(browser: Option<&str>) -> String {
    let (scratch, done) = pdf(browser);
    assert_eq!(done.status.code(), Some(1));
    assert!(done.stdout.is_empty());
    let left = fs::read_dir(scratch.project.root()).unwrap().count();
    assert_eq!(left, 1);
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

#[test]
fn without_chromium_there_is_a_sentence() {
    let missing = said(None);
    assert!(
        missing.contains("Chromium, which is not installed"),
        "{missing}"
    );
    let elsewhere = said(Some("nowhere/chromium"));
    assert!(elsewhere.contains("cannot run"), "{elsewhere}");
    assert!(elsewhere.contains("nowhere/chromium"), "{elsewhere}");
}
