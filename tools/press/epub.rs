//! The book as one file for e-readers: an EPUB.

use crate::project::{Page, Project};
use crate::xhtml::{Converter, Document, escape};
use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::book::BookItem;
use mdbook_driver::config::BookConfig;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};
use std::{env, fs};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// By this name e-readers know the book again in another edition.
const IDENTIFIER: &str = "urn:uuid:c55bf600-b9c0-40ec-a80d-34cc682a4ae2";

const CONTAINER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"#;

/// The files that are no chapters.
const OWN: &str = r#"<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="style" href="style.css" media-type="text/css"/>
<item id="picture" href="cover.svg" media-type="image/svg+xml" properties="cover-image"/>
<item id="cover" href="cover.xhtml" media-type="application/xhtml+xml" properties="svg"/>
"#;

/// The first second, counted from 1970, whose year has no four digits.
const YEAR_10000: u64 = 253_402_300_800;

/// What those who choose a book by how they can read it want to know.
const ACCESS: [(&str, &str); 8] = [
    ("accessMode", "textual"),
    ("accessMode", "visual"),
    ("accessModeSufficient", "textual"),
    ("accessibilityFeature", "alternativeText"),
    ("accessibilityFeature", "MathML"),
    ("accessibilityFeature", "structuralNavigation"),
    ("accessibilityFeature", "tableOfContents"),
    ("accessibilityHazard", "none"),
];

/// A chapter, and the part of the book that it belongs to.
struct Chapter<'a> {
    page: &'a Page,
    part: Option<String>,
    document: Document,
}

/// The EPUB of the pages that were rendered into a folder. The same sources make the same bytes.
///
/// # Errors
/// If a page or a file of the theme cannot be read.
pub fn epub(project: &Project, folder: &Path) -> Result<Vec<u8>> {
    let config = MDBook::load(project.root())?.config.book;
    let chapters = chapters(project, folder)?;
    let mut files = vec![
        ("META-INF/container.xml".to_string(), CONTAINER.to_string()),
        ("EPUB/package.opf".into(), package(project, &config, &chapters)?),
        ("EPUB/nav.xhtml".into(), navigation(&config, &chapters)),
        ("EPUB/cover.svg".into(), project.read("theme/cover.svg")?),
        ("EPUB/cover.xhtml".into(), cover(project, &config)?),
        ("EPUB/style.css".into(), project.read("theme/epub.css")?),
    ];
    files.extend(chapters.iter().map(|chapter| {
        let document = &chapter.document;
        let text = page(&config, &document.title, &document.body);
        (format!("EPUB/{}.xhtml", chapter.page.stem), text)
    }));
    pack(&files)
}

/// An EPUB is an archive whose first file says that it is one, at a place where it can be seen from outside.
fn pack(files: &[(String, String)]) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    // Without an hour of its own, each file has the same each time.
    let packed = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default());
    let stored = packed.compression_method(CompressionMethod::Stored);
    archive.start_file("mimetype", stored)?;
    archive.write_all(b"application/epub+zip")?;
    for (name, text) in files {
        archive.start_file(name.as_str(), packed)?;
        archive.write_all(text.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

fn chapters<'a>(
    project: &'a Project,
    folder: &Path,
) -> Result<Vec<Chapter<'a>>> {
    let pages = project.pages()?;
    let stems = pages.iter().map(|page| page.stem.clone());
    let converter = Converter::new(project, stems)?;
    let parts = parts(project)?;
    let chapter = |(page, part): (&'a Page, Option<String>)| {
        let file = folder.join(format!("{}.html", page.stem));
        let html = fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let document = converter.convert(&html)?;
        Ok(Chapter { page, part, document })
    };
    pages.iter().zip(parts).map(chapter).collect()
}

/// For each chapter the title of its part. A chapter without a number is in none.
fn parts(project: &Project) -> Result<Vec<Option<String>>> {
    let book = MDBook::load(project.root())?.book;
    let (mut parts, mut part) = (Vec::new(), None);
    for item in book.iter() {
        match item {
            BookItem::PartTitle(title) => part = Some(title.clone()),
            BookItem::Chapter(chapter) if chapter.source_path.is_some() => {
                parts.push(part.clone().filter(|_| chapter.number.is_some()));
            }
            _ => {}
        }
    }
    Ok(parts)
}

/// A document with this content.
fn page(config: &BookConfig, title: &str, body: &str) -> String {
    let language = config.language.as_deref().unwrap_or("en");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n\
         <html xmlns=\"http://www.w3.org/1999/xhtml\" \
         xmlns:epub=\"http://www.idpf.org/2007/ops\" \
         lang=\"{language}\" xml:lang=\"{language}\">\n\
         <head><title>{}</title>\
         <link rel=\"stylesheet\" href=\"style.css\"/></head>\n\
         <body>\n{}\n</body>\n</html>\n",
        escape(title),
        body.trim()
    )
}

fn cover(project: &Project, config: &BookConfig) -> Result<String> {
    let picture = project.read("theme/cover.svg")?;
    let body = format!("<div class=\"cover\">\n{}</div>", picture);
    Ok(page(config, title(config), &body))
}

fn title(config: &BookConfig) -> &str {
    config.title.as_deref().unwrap_or_default()
}

/// The table of contents: parts, chapters and their sections.
fn navigation(config: &BookConfig, chapters: &[Chapter]) -> String {
    let of_part = |chapters: &[Chapter]| {
        let items: String = chapters.iter().map(entry).collect();
        match &chapters[0].part {
            None => items,
            Some(part) => format!(
                "<li><span>{}</span>\n<ol>\n{items}</ol></li>\n",
                escape(part)
            ),
        }
    };
    let parts = chapters.chunk_by(|one, next| one.part == next.part);
    let items: String = parts.map(of_part).collect();
    let body = format!(
        "<nav epub:type=\"toc\" id=\"toc\">\n<h1>{}</h1>\n<ol>\n{items}</ol>\n</nav>",
        escape(title(config))
    );
    page(config, title(config), &body)
}

fn entry(chapter: &Chapter) -> String {
    let file = format!("{}.xhtml", chapter.page.stem);
    let sections = chapter.document.sections.iter();
    let sections: String = sections
        .map(|(id, title)| {
            let title = escape(title);
            format!("<li><a href=\"{file}#{id}\">{title}</a></li>\n")
        })
        .collect();
    let below = match sections.as_str() {
        "" => String::new(),
        _ => format!("\n<ol>\n{sections}</ol>"),
    };
    let title = escape(&chapter.document.title);
    format!("<li><a href=\"{file}\">{title}</a>{below}</li>\n")
}

/// What the archive holds, and in which order it is read.
fn package(
    project: &Project,
    config: &BookConfig,
    chapters: &[Chapter],
) -> Result<String> {
    let mut manifest = OWN.to_string();
    let mut spine = "<itemref idref=\"cover\"/>\n\
        <itemref idref=\"nav\"/>\n"
        .to_string();
    for chapter in chapters {
        let (stem, properties) =
            (&chapter.page.stem, properties(&chapter.document.body));
        manifest += &format!(
            "<item id=\"page-{stem}\" href=\"{stem}.xhtml\" media-type=\"application/xhtml+xml\"{properties}/>\n"
        );
        spine += &format!("<itemref idref=\"page-{stem}\"/>\n");
    }
    let metadata = metadata(project, config)?;
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" unique-identifier=\"book\">\n\
         <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n{metadata}</metadata>\n\
         <manifest>\n{manifest}</manifest>\n<spine>\n{spine}</spine>\n</package>\n"
    ))
}

/// A document must say whether it has pictures or formulas.
fn properties(body: &str) -> String {
    let kinds = [("<math", "mathml"), ("<svg", "svg")];
    let has = kinds.iter().filter(|(tag, _)| body.contains(tag));
    let names: Vec<&str> = has.map(|(_, name)| *name).collect();
    match names.join(" ") {
        names if names.is_empty() => names,
        names => format!(" properties=\"{names}\""),
    }
}

fn metadata(project: &Project, config: &BookConfig) -> Result<String> {
    let modified = humantime::format_rfc3339_seconds(
        UNIX_EPOCH + Duration::from_secs(seconds(project)?),
    );
    let dublin = [
        ("identifier id=\"book\"", "identifier", IDENTIFIER),
        ("title", "title", title(config)),
        ("creator", "creator", &config.authors.join(", ")),
        (
            "description",
            "description",
            config.description.as_deref().unwrap_or_default(),
        ),
        ("language", "language", config.language.as_deref().unwrap_or("en")),
        (
            "rights",
            "rights",
            "Creative Commons Attribution 4.0; its code MIT or Apache 2.0",
        ),
    ];
    let dublin = dublin.iter().map(|(opening, name, value)| {
        format!("<dc:{opening}>{}</dc:{name}>\n", escape(value))
    });
    let access = ACCESS.iter().map(|(name, value)| {
        format!("<meta property=\"schema:{name}\">{value}</meta>\n")
    });
    let modified =
        format!("<meta property=\"dcterms:modified\">{modified}</meta>\n");
    Ok(dublin.chain(access).chain([modified]).collect())
}

/// When the sources were last changed, in seconds since 1970: as the one who builds them says, else as git does.
fn seconds(project: &Project) -> Result<u64> {
    if let Ok(said) = env::var("SOURCE_DATE_EPOCH") {
        let seconds =
            said.parse().ok().filter(|seconds| *seconds < YEAR_10000);
        return seconds.with_context(|| {
            format!(
                "SOURCE_DATE_EPOCH is `{said}`, which is no date in seconds"
            )
        });
    }
    let asked = Command::new("git")
        .current_dir(project.root())
        .args(["log", "-1", "--format=%ct"])
        .output();
    let said = asked.map(|done| done.stdout).unwrap_or_default();
    Ok(String::from_utf8_lossy(&said).trim().parse().unwrap_or(0))
}
