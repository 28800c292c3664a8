//! The book on paper: Chromium prints the page that has all pages. It does so twice, for the contents need the numbers of the pages,
//! and these are known when the pages are there.

use crate::contents::title;
use crate::project::{Page, Project};
use anyhow::{Context, Result, ensure};
use mdbook_driver::MDBook;
use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names under which systems have it.
const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// The first version that numbers the pages as a style sheet asks it to.
const OLDEST: u32 = 131;

/// The script with which the page opens the dialogue for printing.
const DIALOGUE: &str = "window.setTimeout(window.print, 100);";

/// The browser that prints.
#[derive(Debug)]
pub struct Chromium(PathBuf);

impl Chromium {
    /// The program that the variable `CHROMIUM` names, or else the first in the `PATH`.
    ///
    /// # Errors
    /// If there is none, or it is too old.
    pub fn find() -> Result<Chromium> {
        let program = env::var_os("CHROMIUM").map(PathBuf::from);
        let program = program.or_else(installed).context(
            "the PDF is printed by Chromium, which is not installed: \
             install it, or set CHROMIUM to its program",
        )?;
        let asked = Command::new(&program).arg("--version").output();
        let asked = asked
            .with_context(|| format!("cannot run {}", program.display()))?;
        let said = String::from_utf8_lossy(&asked.stdout);
        ensure!(
            version(&said).is_some_and(|version| version >= OLDEST),
            "the PDF needs Chromium {OLDEST} or newer, and {} says it is `{}`",
            program.display(),
            said.trim()
        );
        Ok(Chromium(program))
    }

    /// The PDF of the book that was rendered into a folder, which is the browser's own to write in.
    ///
    /// # Errors
    /// If Chromium fails.
    pub fn print(&self, project: &Project, folder: &Path) -> Result<Vec<u8>> {
        let html = fs::read_to_string(folder.join("print.html"))?
            .replace(DIALOGUE, "");
        let numbers = BTreeMap::new();
        let html_without = on_paper(project, &html, &numbers)?;
        let numbers = places(&self.print_once(folder, &html_without)?);
        let html = on_paper(project, &html, &numbers)?;
        let mut pdf = self.print_once(folder, &html)?;
        let authors = MDBook::load(project.root())?.config.book.authors;
        name_authors(&mut pdf, &authors.join(", "))?;
        Ok(pdf)
    }

    fn print_once(&self, folder: &Path, html: &str) -> Result<Vec<u8>> {
        let page = folder.join("print.html");
        fs::write(&page, html)?;
        let printed = folder.join("print.pdf");
        let profile = folder.join("profile");
        fs::create_dir_all(&profile)?;
        let done = Command::new(&self.0)
            .args([
                "--headless",
                "--disable-gpu",
                "--disable-background-networking",
                "--no-first-run",
                "--no-pdf-header-footer",
                "--generate-pdf-document-outline",
            ])
            .args(is_root(&profile).then_some("--no-sandbox"))
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--print-to-pdf={}", printed.display()))
            .arg(&page)
            .output()?;
        let pdf = fs::read(&printed).unwrap_or_default();
        let complaint = String::from_utf8_lossy(&done.stderr);
        ensure!(
            done.status.success() && pdf.trim_ascii_end().ends_with(b"%%EOF"),
            "{} prints no PDF: {complaint}",
            self.0.display()
        );
        Ok(pdf)
    }
}

/// The first of the names that the `PATH` has.
fn installed() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let file = |name: &str, folder: &PathBuf| {
        folder.join(format!("{name}{}", env::consts::EXE_SUFFIX))
    };
    let files = NAMES.iter().flat_map(|name| {
        folders.iter().map(move |folder| file(name, folder))
    });
    files.into_iter().find(|file| file.is_file())
}

/// The first number in what a program says about its version.
fn version(said: &str) -> Option<u32> {
    let mut words = said.split([' ', '.']);
    words.find_map(|word| word.parse().ok())
}

/// The page with all pages, as a book: a cover, the contents with these numbers of pages, and the title of its chapter over each sheet.
///
/// # Errors
/// If mdBook has not put one chapter after the other.
fn on_paper(
    project: &Project,
    html: &str,
    numbers: &BTreeMap<String, usize>,
) -> Result<String> {
    let cover = project.read("theme/cover.svg")?;
    let pages = project.pages()?;
    let whole = html.split_once("<main>").and_then(|(before, rest)| {
        let (main, after) = rest.split_once("</main>")?;
        Some((before, main, after))
    });
    let (before, main, after) = whole.context("print.html has no <main>")?;
    let chapters: Vec<&str> = main.split(NEXT).collect();
    ensure!(
        chapters.len() == pages.len(),
        "print.html has {} chapters, and the book {}",
        chapters.len(),
        pages.len()
    );
    let mut heads = String::new();
    let mut sheets = String::new();
    for (page, chapter) in pages.iter().zip(chapters) {
        let (stem, name) = (&page.stem, full_title(page)?);
        let name = name.replace('"', "\\\"");
        writeln!(
            heads,
            "@page {stem} {{ @top-right {{ content: \"{name}\"; }} }}"
        )?;
        writeln!(
            sheets,
            "<section id=\"sheet-{stem}\" style=\"page: {stem}\">{chapter}</section>"
        )?;
    }
    let contents = contents(pages, numbers)?;
    Ok(format!(
        "{before}<main>\n<style>\n{heads}</style>\n\
         <div class=\"cover\">\n{cover}</div>\n{contents}{sheets}</main>{after}"
    ))
}

/// What mdBook puts between two chapters of the page with all of them.
const NEXT: &str =
    "<div style=\"break-before: page; page-break-before: always;\"></div>";

/// The chapters with the numbers of their first pages, as far as they are known.
fn contents(
    pages: &[Page],
    numbers: &BTreeMap<String, usize>,
) -> Result<String> {
    let mut list = "<nav class=\"on-paper\">\n<h2>Contents</h2>\n".to_owned();
    let mut part = "";
    for page in pages {
        let of = if page.number.is_some() { &page.part } else { "" };
        if of != part {
            writeln!(list, "<p class=\"part\">{of}</p>")?;
            part = of;
        }
        let (place, name) =
            (format!("sheet-{}", page.stem), full_title(page)?);
        let number = numbers.get(&place).map(usize::to_string);
        let number = number.unwrap_or_default();
        let name = name.replace('&', "&amp;");
        writeln!(
            list,
            "<p><a href=\"#{place}\">{name}<i></i>{number}</a></p>"
        )?;
    }
    Ok(list + "</nav>\n")
}

/// A title behind the number of its chapter.
fn full_title(page: &Page) -> Result<String> {
    let title = title(page)?;
    Ok(match &page.number {
        Some(number) => format!("{number} {title}"),
        None => title.to_owned(),
    })
}

/// The places that links lead to in a PDF of Chromium's, each with its page, counted from 1.
fn places(pdf: &[u8]) -> BTreeMap<String, usize> {
    let text = String::from_utf8_lossy(pdf);
    // An object of a page, `12 0 obj <</Type /Page`, and those who come before it.
    let is_page = |object: &&str| object.ends_with("<</Type /Page");
    let objects = text.split("\n/Resources").filter(is_page);
    let ids = objects.filter_map(|object| {
        let mut lines = object.rsplit('\n').skip(1);
        lines.next()?.strip_suffix(" 0 obj")
    });
    let numbers: BTreeMap<&str, usize> = ids.zip(1..).collect();
    // A place, `/name [12 0 R /XYZ …`.
    let named = text.split(" 0 R /XYZ ").filter_map(|before| {
        let (name, page) = before.rsplit_once('/')?.1.split_once(" [")?;
        Some((name.to_owned(), *numbers.get(page)?))
    });
    named.collect()
}

/// Says who has written a PDF, in the place where Chromium names itself, so that everything else stays where it is.
///
/// # Errors
/// If it does not name itself, or its name is too short for that.
fn name_authors(pdf: &mut [u8], authors: &str) -> Result<()> {
    let begin = b"/Creator (";
    let start = pdf.windows(begin.len()).position(|text| text == begin);
    let start = start.context("the PDF names no creator")?;
    let line = pdf[start..].iter().position(|byte| *byte == b'\n');
    let room = line.context("the PDF ends too early")?;
    let named = format!("/Author ({authors})");
    ensure!(named.len() <= room, "the names of the authors are too long");
    pdf[start..start + room]
        .copy_from_slice(format!("{named:room$}").as_bytes());
    Ok(())
}

/// Whether a folder that was just made is root's, for whom Chromium's sandbox does not work.
#[cfg(unix)]
fn is_root(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(folder).is_ok_and(|data| data.uid() == 0)
}

#[cfg(not(unix))]
fn is_root(_: &Path) -> bool {
    false
}
