//! The page "Try it": the scripts that bring the module and the model into the book, and the way to it from the chapters.

use crate::project::Project;
use anyhow::{Context, Result};
use base64::prelude::{BASE64_STANDARD, Engine};
use std::fs;
use std::path::Path;

/// The page. A project without it gets no scripts.
const PAGE: &str = "src/live.md";

/// Where mdBook finds the scripts, and copies them from.
const SCRIPTS: [&str; 2] = ["src/live/module.js", "src/live/model.js"];

/// The crate, compiled to WebAssembly.
const MODULE: &str = "tools/live/live.wasm";

/// The folder of the book's model, and what the module reads of it.
const MODEL: &str = "code/models/captions";
const FILES: [&str; 3] = ["config.toml", "merges.txt", "model.safetensors"];

/// Writes the scripts with the module and the model, where they are missing or not of today.
///
/// A page from a folder may run a script next to it, but may not read any other file: so the bytes come in scripts, as base64.
///
/// # Errors
/// If a file cannot be read or written.
pub fn write(project: &Project) -> Result<()> {
    if !project.path(PAGE).exists() {
        return Ok(());
    }
    let [module, model] = SCRIPTS;
    let bytes = base64(project, MODULE)?;
    update(project, module, &format!("live.module = \"{bytes}\";\n"))?;
    let mut files = Vec::new();
    for name in FILES {
        let bytes = base64(project, &format!("{MODEL}/{name}"))?;
        files.push(format!("\"{name}\": \"{bytes}\""));
    }
    let files = files.join(",\n");
    update(project, model, &format!("live.model = {{\n{files}\n}};\n"))
}

fn base64(project: &Project, file: &str) -> Result<String> {
    let bytes = fs::read(project.noted(file))
        .with_context(|| format!("cannot read {file}"))?;
    Ok(BASE64_STANDARD.encode(bytes))
}

/// Writes a script, unless this is what it says: a preview would take every writing for a change.
fn update(project: &Project, script: &str, text: &str) -> Result<()> {
    let path = project.path(script);
    if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let context = || format!("cannot write {script}");
    fs::create_dir_all(path.parent().unwrap_or(&path))
        .with_context(context)?;
    fs::write(&path, text).with_context(context)
}

/// Whether a file of the project is one of the scripts, which follow from other files.
pub fn is_script(project: &Project, path: &Path) -> bool {
    SCRIPTS.iter().any(|script| project.path(script) == path)
}

/// The page on which a model learns, with one thing changed.
const PLAYGROUND: &str = "src/playground.md";

/// Links from a chapter to the section of the page that first leads to the chapter, and to the switch that takes its subject away; nothing
/// if there are none.
pub fn link(project: &Project, chapter: &str) -> String {
    let page = |name| project.read(name).unwrap_or_default();
    let tried = section(&page(PAGE), chapter).map(|section| {
        format!("[Try it on your own words](live.md{section})")
    });
    let taken = switch(&page(PLAYGROUND), chapter).map(|(switch, name)| {
        format!("[Watch a model learn: {name}](playground.md#{switch})")
    });
    let links: Vec<String> = tried.into_iter().chain(taken).collect();
    match links[..] {
        [] => String::new(),
        _ => {
            format!(
                "<div class=\"try\">\n\n{}\n\n</div>\n\n",
                links.join(" · ")
            )
        }
    }
}

/// The switch in the row of the playground's table that leads to a chapter, and what the row calls it.
fn switch<'a>(page: &'a str, chapter: &str) -> Option<(&'a str, &'a str)> {
    let leads = |line: &&str| line.contains(&format!("]({chapter}.md"));
    let row =
        page.lines().filter(|line| line.starts_with('|')).find(leads)?;
    let (_, rest) = row.split_once("id=\"")?;
    let (id, rest) = rest.split_once("\"></span>")?;
    let (name, _) = rest.split_once(" |")?;
    Some((id, name))
}

/// The anchor of the section that leads to a chapter: empty above the first section.
fn section<'a>(page: &'a str, chapter: &str) -> Option<&'a str> {
    let mut section = "";
    for line in page.lines() {
        if line.starts_with("## ") {
            let anchor = line.split_once('{').map(|(_, rest)| rest);
            section = anchor.unwrap_or_default().trim_end_matches('}');
        }
        if line.contains(&format!("]({chapter}.md")) {
            return Some(section);
        }
    }
    None
}
