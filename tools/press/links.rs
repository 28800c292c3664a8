//! Looks through the built pages: links lead somewhere, and nothing is loaded from elsewhere.

use crate::diagnostic::Diagnostic;
use crate::project::Project;
use crate::source_map::line_of;
use anyhow::{Context, Result};
use scraper::{ElementRef, Html, Selector};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use walkdir::WalkDir;

/// A built page: its text and the places in it that a link can lead to.
struct Built {
    html: Html,
    text: String,
    ids: BTreeSet<String>,
}

/// All that is wrong with the pages built into a folder.
///
/// # Errors
/// If a page cannot be read.
pub fn check(project: &Project, folder: &Path) -> Result<Vec<Diagnostic>> {
    let pages = pages(folder)?;
    let mut diagnostics = Vec::new();
    for (name, page) in &pages {
        for (needle, message) in complaints(folder, &pages, name, page) {
            diagnostics.push(blame(project, name, page, &needle, message));
        }
    }
    diagnostics.extend(styles(folder)?);
    Ok(diagnostics)
}

fn pages(folder: &Path) -> Result<BTreeMap<PathBuf, Built>> {
    let mut pages = BTreeMap::new();
    for path in files(folder, "html") {
        let text = fs::read_to_string(&path)?;
        let html = Html::parse_document(&text);
        let places = select(&html, "[id]");
        let ids = places
            .iter()
            .filter_map(|element| element.attr("id"))
            .map(str::to_owned)
            .collect();
        let name = path
            .strip_prefix(folder)
            .context("a page outside the book")?
            .to_owned();
        pages.insert(name, Built { html, text, ids });
    }
    Ok(pages)
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
    pages: &BTreeMap<PathBuf, Built>,
    name: &Path,
    page: &Built,
) -> Vec<(String, String)> {
    let mut complaints = Vec::new();
    for (element, target) in references(&page.html) {
        let problem = match is_elsewhere(&target) {
            true => (element != "a")
                .then(|| "is loaded from elsewhere".to_string()),
            false => dead_end(folder, pages, name, &target),
        };
        complaints.extend(problem.map(|problem| {
            (target.clone(), format!("`{target}` {problem}"))
        }));
    }
    for image in select(&page.html, "img, svg[role=img], svg[role=group]")
        .into_iter()
        .filter(is_mute)
    {
        let source = image.attr("src").unwrap_or("<svg").to_string();
        complaints
            .push((source, "a picture without alternative text".into()));
    }
    if select(&page.html, "main")
        .iter()
        .flat_map(ElementRef::text)
        .any(|text| text.contains("{{#"))
    {
        complaints.push(("{{#".into(), "a directive was left over".into()));
    }
    complaints
}

/// Everything a page refers to, and by which element.
fn references(html: &Html) -> Vec<(String, String)> {
    let all = select(html, "[href], [src], [data], [poster], [srcset]");
    let attributes = ["href", "src", "data", "poster", "srcset"];
    let of = |element: &ElementRef| {
        let name = element.value().name().to_string();
        let values =
            attributes.iter().filter_map(|attribute| element.attr(attribute));
        values
            .map(|value| (name.clone(), value.to_string()))
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
    pages: &BTreeMap<PathBuf, Built>,
    from: &Path,
    target: &str,
) -> Option<String> {
    let (path, id) = target.split_once('#').unwrap_or((target, ""));
    let file =
        if path.is_empty() { from.to_owned() } else { resolve(from, path) };
    match pages.get(&file) {
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
    name: &Path,
    page: &Built,
    needle: &str,
    message: String,
) -> Diagnostic {
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
