//! Looks through the built pages: links lead somewhere, and nothing is loaded from elsewhere.

use crate::diagnostic::Diagnostic;
use crate::project::Project;
use crate::source_map::line_of;
use anyhow::{Context, Result};
use rayon::prelude::*;
use scraper::{ElementRef, Html, Selector};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use walkdir::WalkDir;

/// What a built page says of itself.
struct Built {
    name: PathBuf,
    text: String,
    /// The places in it that a link can lead to.
    ids: BTreeSet<String>,
    /// What it refers to.
    references: Vec<Reference>,
    /// Its pictures without alternative text, by their source.
    mute: Vec<String>,
    /// Whether a directive can still be read.
    unprocessed: bool,
}

/// What a page refers to, and by which element.
struct Reference {
    element: String,
    target: String,
}

/// All that is wrong with the pages built into a folder.
///
/// # Errors
/// If a page cannot be read.
pub fn check(project: &Project, folder: &Path) -> Result<Vec<Diagnostic>> {
    let read = files(folder, "html").into_par_iter();
    let pages = read.map(|path| Built::read(folder, &path));
    let pages = pages.collect::<Result<Vec<_>>>()?;
    let pages: BTreeMap<_, _> =
        pages.iter().map(|page| (page.name.as_path(), page)).collect();
    let mut diagnostics = Vec::new();
    for page in pages.values() {
        for (needle, message) in complaints(folder, &pages, page) {
            diagnostics.push(blame(project, page, &needle, message));
        }
    }
    diagnostics.extend(styles(folder)?);
    Ok(diagnostics)
}

impl Built {
    /// The document is taken apart at once: it cannot change threads, and is
    /// many times as large.
    fn read(folder: &Path, path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)?;
        let html = Html::parse_document(&text);
        let ids = select(&html, "[id]")
            .iter()
            .filter_map(|element| element.attr("id"))
            .map(str::to_owned)
            .collect();
        let pictures = select(&html, "img, svg[role=img], svg[role=group]");
        let mute = pictures.iter().filter(|picture| is_mute(picture));
        Ok(Built {
            name: path
                .strip_prefix(folder)
                .context("a page outside the book")?
                .to_owned(),
            ids,
            references: references(&html),
            mute: mute
                .map(|picture| picture.attr("src").unwrap_or("<svg").into())
                .collect(),
            unprocessed: select(&html, "main")
                .iter()
                .flat_map(ElementRef::text)
                .any(|text| text.contains("{{#")),
            text,
        })
    }
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok);
    let paths = entries.map(|entry| entry.into_path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == extension))
        .collect()
}

fn select<'a>(html: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    let selector = Selector::parse(selector).expect("a selector of ours");
    html.select(&selector).collect()
}

/// What is wrong with one page: the words to look for in its source, and the message.
fn complaints(
    folder: &Path,
    pages: &BTreeMap<&Path, &Built>,
    page: &Built,
) -> Vec<(String, String)> {
    let mut complaints = Vec::new();
    for Reference { element, target } in &page.references {
        let problem = match is_elsewhere(target) {
            true => (element != "a")
                .then(|| "is loaded from elsewhere".to_string()),
            false => dead_end(folder, pages, &page.name, target),
        };
        complaints.extend(problem.map(|problem| {
            (target.clone(), format!("`{target}` {problem}"))
        }));
    }
    complaints.extend(page.mute.iter().map(|source| {
        (source.clone(), "a picture without alternative text".into())
    }));
    if page.unprocessed {
        complaints.push(("{{#".into(), "a directive was left over".into()));
    }
    complaints
}

/// Everything a page refers to.
fn references(html: &Html) -> Vec<Reference> {
    let all = select(html, "[href], [src], [data], [poster], [srcset]");
    let attributes = ["href", "src", "data", "poster", "srcset"];
    let of = |element: &ElementRef| {
        let name = element.value().name().to_string();
        let values =
            attributes.iter().filter_map(|attribute| element.attr(attribute));
        values
            .map(|value| Reference {
                element: name.clone(),
                target: value.to_string(),
            })
            .collect::<Vec<_>>()
    };
    all.iter().flat_map(of).collect()
}

fn is_elsewhere(target: &str) -> bool {
    target.starts_with("//")
        || target.split(['/', '?', '#']).next().unwrap_or("").contains(':')
}

/// Why a link within the book leads nowhere.
fn dead_end(
    folder: &Path,
    pages: &BTreeMap<&Path, &Built>,
    from: &Path,
    target: &str,
) -> Option<String> {
    let (path, id) = target.split_once('#').unwrap_or((target, ""));
    let file =
        if path.is_empty() { from.to_owned() } else { resolve(from, path) };
    match pages.get(file.as_path()) {
        Some(page) if id.is_empty() || page.ids.contains(id) => None,
        Some(_) => {
            Some(format!("leads nowhere: {} has no `{id}`", file.display()))
        }
        None if folder.join(&file).is_file() => None,
        None => Some("leads nowhere: there is no such file".into()),
    }
}

/// The file that a relative path means on a page.
fn resolve(from: &Path, path: &str) -> PathBuf {
    let mut file = from.with_file_name("");
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                file.pop();
            }
            Component::Normal(name) => file.push(name),
            _ => {}
        }
    }
    file
}

fn is_mute(image: &ElementRef) -> bool {
    match image.value().name() {
        "img" => image.attr("alt").is_none_or(|text| text.trim().is_empty()),
        _ => image.children().all(|child| {
            child
                .value()
                .as_element()
                .is_none_or(|child| child.name() != "title")
        }),
    }
}

/// A diagnostic at the line of the chapter's source that has these words, else of the built page.
fn blame(
    project: &Project,
    page: &Built,
    needle: &str,
    message: String,
) -> Diagnostic {
    let name = &page.name;
    let source = Path::new("src").join(name).with_extension("md");
    let text = project.read(&source).unwrap_or_default();
    let written = needle.replace(".html", ".md");
    match text.find(&written).or_else(|| text.find(needle)) {
        Some(at) => Diagnostic::new(source, line_of(&text, at), message),
        None => {
            let at = page.text.find(needle).unwrap_or(0);
            Diagnostic::new(
                Path::new("book").join(name),
                line_of(&page.text, at),
                message,
            )
        }
    }
}

/// Style sheets that load something from elsewhere.
fn styles(folder: &Path) -> Result<Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    for path in files(folder, "css") {
        let text = fs::read_to_string(&path)?;
        let file = Path::new("book").join(path.strip_prefix(folder)?);
        let loads =
            ["url(http", "url(\"http", "url('http", "url(//", "@import"];
        for at in loads.iter().filter_map(|load| text.find(load)) {
            let line = line_of(&text, at);
            diagnostics.push(Diagnostic::new(
                &file,
                line,
                "loads from elsewhere",
            ));
        }
    }
    Ok(diagnostics)
}
