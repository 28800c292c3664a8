//! What a reader takes along: pages for e-readers, and pages on paper.

use super::{SETTINGS, Scratch, program, scratch};
use press::xhtml::Converter;
use std::fs;
use std::io::Read;
#[cfg(unix)]
use std::path::PathBuf;
use std::process::Output;
use zip::ZipArchive;

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
    assert_eq!(
        body("<p style='color: red'></p>"),
        "<p style=\"color: red\"></p>"
    );
}

/// Older readers know no level of a formula that does not follow from its place, and one role of a picture with links.
#[test]
fn pictures_and_formulas_are_what_older_readers_know() {
    assert_eq!(
        body(
            "<math xmlns='http://www.w3.org/1998/Math/MathML'>\
             <mtable displaystyle=true scriptlevel=0></mtable>\
             <mfrac displaystyle=true></mfrac></math>"
        ),
        "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">\
         <mtable displaystyle=\"true\"></mtable><mfrac></mfrac></math>"
    );
    assert_eq!(
        body("<svg role=group></svg><p role=group></p>"),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"document\"></svg>\
         <p role=\"group\"></p>"
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
    let mut book = program(&scratch);
    book.arg("pdf").env("PATH", "");
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

/// A book with parts, a chapter that is not written, and one without a number.
fn book() -> Scratch {
    let settings = format!(
        "{SETTINGS}[book]\ntitle = \"A & B\"\nauthors = [\"C\", \"D\"]\n"
    );
    let cover = "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>";
    scratch(&[
        ("book.toml", &settings),
        (
            "src/SUMMARY.md",
            "# Summary\n\n[P](p.md)\n\n# One\n\n- [Later]()\n- [A](a.md)\n\n\
             # Two\n\n- [B](b.md)\n",
        ),
        ("src/p.md", "# P\n"),
        ("src/a.md", "# A \"a\"\n\n## Why $x$\n\n<svg></svg>\n"),
        ("src/b.md", "# B & b\n\nText.\n"),
        ("theme/book.css", ""),
        ("theme/cover.svg", cover),
        ("theme/epub.css", ""),
    ])
}

/// The program, asked for an EPUB at this date.
fn epub(date: &str) -> (Scratch, Output) {
    let scratch = book();
    let mut book = program(&scratch);
    book.arg("epub").env("SOURCE_DATE_EPOCH", date);
    let done = book.output().unwrap();
    (scratch, done)
}

/// What is left of the work: only what was asked for.
fn has_only(scratch: &Scratch, made: &str) {
    let count = |folder| fs::read_dir(folder).unwrap().count();
    assert_eq!(count(scratch.project.path("target")), 0);
    let sources = ["book.toml", "src", "theme"];
    for entry in fs::read_dir(scratch.project.root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.as_str();
        assert!(name == made || name == "target" || sources.contains(&name));
    }
}

#[test]
fn an_epub_has_its_parts_its_date_and_what_its_pages_need() {
    let (scratch, done) = epub("86400");
    assert!(done.status.success(), "{done:?}");
    let address = String::from_utf8(done.stdout).unwrap();
    let file = scratch.project.path(address.trim_end());
    assert_eq!(file.file_name().unwrap(), "all-you-need.epub");
    has_only(&scratch, "all-you-need.epub");
    let mut archive = ZipArchive::new(fs::File::open(file).unwrap()).unwrap();
    let mut read = |name: &str| {
        let mut text = String::new();
        archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    let nav = read("EPUB/nav.xhtml");
    let (_, nav) = nav.split_once("<h1>").unwrap();
    assert_eq!(
        nav.split_once("\n</nav>").unwrap().0,
        "A &amp; B</h1>\n<ol>\n\
         <li><a href=\"p.xhtml\">P</a></li>\n\
         <li><span>One</span>\n<ol>\n\
         <li><a href=\"a.xhtml\">2 A “a”</a>\n<ol>\n\
         <li><a href=\"a.xhtml#why-x\">Why x</a></li>\n</ol></li>\n\
         </ol></li>\n\
         <li><span>Two</span>\n<ol>\n\
         <li><a href=\"b.xhtml\">3 B &amp; b</a></li>\n</ol></li>\n\
         </ol>"
    );
    let package = read("EPUB/package.opf");
    for part in [
        "<dc:title>A &amp; B</dc:title>",
        "<dc:creator>C, D</dc:creator>",
        "<meta property=\"dcterms:modified\">1970-01-02T00:00:00Z</meta>",
        "href=\"a.xhtml\" media-type=\"application/xhtml+xml\" properties=\"mathml svg\"/>",
        "href=\"b.xhtml\" media-type=\"application/xhtml+xml\"/>",
    ] {
        assert!(package.contains(part), "{part} in {package}");
    }
}

#[test]
fn a_date_that_no_epub_can_have_is_an_error() {
    for date in ["253402300800", "today"] {
        let (_, done) = epub(date);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1));
        assert!(
            said.contains(&format!("`{date}`, which is no date")),
            "{said}"
        );
    }
    assert!(epub("253402300799").1.status.success());
}

/// A program that prints as Chromium does.
#[cfg(unix)]
fn chromium() -> PathBuf {
    let package = env!("CARGO_MANIFEST_DIR");
    PathBuf::from(package).join("../../tests/press/chromium.sh")
}

#[cfg(unix)]
#[test]
fn a_pdf_has_contents_with_numbers_heads_and_authors() {
    let scratch = book();
    let mut book = program(&scratch);
    let done = book.arg("pdf").env("CHROMIUM", chromium()).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    has_only(&scratch, "all-you-need.pdf");
    let pdf = scratch.project.read("all-you-need.pdf").unwrap();
    assert!(!pdf.contains("window.print"));
    assert!(!pdf.contains("/Creator"));
    let authors = pdf.lines().find(|line| line.starts_with("<</Author"));
    let instead =
        "<</Creator (Mozilla/5.0 \\(X11; Linux x86_64\\) HeadlessChrome)";
    let width = instead.len();
    assert_eq!(authors, Some(&*format!("{:width$}", "<</Author (C, D)")));
    for part in [
        "@page a { @top-right { content: \"2 A \\\"a\\\"\"; } }",
        "<section id=\"sheet-b\" style=\"page: b\">",
        "</h2>\n<p><a href=\"#sheet-p\">P<i></i>1</a></p>\n\
         <p class=\"part\">One</p>\n\
         <p><a href=\"#sheet-a\">2 A \"a\"<i></i>2</a></p>\n\
         <p class=\"part\">Two</p>\n\
         <p><a href=\"#sheet-b\">3 B &amp; b<i></i></a></p>\n</nav>",
    ] {
        assert!(pdf.contains(part), "{part} in {pdf}");
    }
}

#[cfg(unix)]
#[test]
fn a_chromium_of_the_path_that_is_too_old_is_named() {
    let scratch = book();
    let folder = scratch.project.path("programs");
    fs::create_dir(&folder).unwrap();
    let program_there = folder.join("chromium");
    std::os::unix::fs::symlink(chromium(), &program_there).unwrap();
    let mut book = program(&scratch);
    book.arg("pdf").env("PATH", &folder).env("VERSION", "130");
    let done = book.output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(done.stderr).unwrap(),
        format!(
            "the PDF needs Chromium 131 or newer, and {} says it is \
             `Chromium 130.0.6778.33 snap`\n",
            program_there.display()
        )
    );
}
