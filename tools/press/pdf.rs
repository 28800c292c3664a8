//! The book on paper: Chromium prints the page that has all pages.

use crate::project::Project;
use anyhow::{Context, Result, ensure};
use std::env;
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
        let page = folder.join("print.html");
        let html = fs::read_to_string(&page)?.replace(DIALOGUE, "");
        fs::write(&page, with_cover(project, &html)?)?;
        let printed = folder.join("print.pdf");
        let profile = folder.join("profile");
        fs::create_dir(&profile)?;
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

/// A book begins with its title.
fn with_cover(project: &Project, html: &str) -> Result<String> {
    let cover = project.read("theme/cover.svg")?;
    let main = format!("<main>\n<div class=\"cover\">\n{cover}</div>");
    Ok(html.replacen("<main>", &main, 1))
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
