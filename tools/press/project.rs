//! Where everything lives: one stem names a chapter, its module, its example and their pictures.

use crate::item::Source;
use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_preprocessor::book::{BookItem, Chapter};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::{env, fs};
use walkdir::WalkDir;

/// The project's folder.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
    /// The Rust files that have been parsed, by their place in the project.
    /// Only who wants the same file waits while it is parsed.
    sources: Arc<Mutex<HashMap<PathBuf, Parsed>>>,
    /// The files that were asked for, in this or another folder.
    reads: Arc<Mutex<BTreeSet<PathBuf>>>,
    /// The written chapters, once they have been asked for: a project is looked at as it is for one build.
    pages: Arc<OnceLock<Vec<Page>>>,
}

type Parsed = Arc<Mutex<Option<Arc<Source>>>>;

/// A written chapter of the book.
#[derive(Clone, Debug)]
pub struct Page {
    /// The name it shares with its module, example and pictures.
    pub stem: String,
    /// Its file, relative to the project's folder.
    pub file: PathBuf,
    /// Its number in the table of contents, if it has one.
    pub number: Option<String>,
    /// The title of its part of the book, empty before the first.
    pub part: String,
    /// Its Markdown.
    pub text: String,
}

impl Project {
    /// The project in a folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Project {
            root: root.into(),
            sources: Arc::default(),
            reads: Arc::default(),
            pages: Arc::default(),
        }
    }

    /// The project's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a file of the project is on this disk.
    pub fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.root.join(file)
    }

    /// Cargo, as it was called for this program.
    pub fn cargo(&self) -> Command {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut cargo = Command::new(cargo);
        cargo.current_dir(&self.root);
        cargo
    }

    /// The text of a file of the project.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, file: impl AsRef<Path>) -> Result<String> {
        let file = file.as_ref();
        fs::read_to_string(self.noted(file))
            .with_context(|| format!("cannot read {}", file.display()))
    }

    /// Where a file is on this disk, and remembers that it was asked for.
    pub fn noted(&self, file: impl AsRef<Path>) -> PathBuf {
        let path = self.path(file);
        let mut reads = self.reads.lock().expect("a set is always whole");
        reads.insert(path.clone());
        path
    }

    /// The files that were asked for so far, also those that are missing.
    pub fn reads(&self) -> BTreeSet<PathBuf> {
        self.reads.lock().expect("a set is always whole").clone()
    }

    /// A Rust file of the project, cut into its items. It is read and parsed once.
    ///
    /// # Errors
    /// If it cannot be read, or is not Rust.
    pub fn source(&self, file: &Path) -> Result<Arc<Source>> {
        let mut sources = self.sources.lock().expect("a map is always whole");
        let source = sources.entry(file.to_owned()).or_default().clone();
        drop(sources);
        let mut source =
            source.lock().expect("parsing is an error, not a panic");
        if let Some(parsed) = &*source {
            return Ok(parsed.clone());
        }
        let parsed = Arc::new(Source::parse(self.read(file)?)?);
        *source = Some(parsed.clone());
        Ok(parsed)
    }

    /// The files below a folder of the project whose names end so, in alphabetical order.
    pub fn files(&self, folder: &str, extension: &str) -> Vec<PathBuf> {
        WalkDir::new(self.path(folder))
            .sort_by_file_name()
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| {
                entry.path().extension().is_some_and(|end| end == extension)
            })
            .filter_map(|entry| {
                entry.path().strip_prefix(&self.root).ok().map(Path::to_owned)
            })
            .collect()
    }

    /// The stems of the examples. What is in a folder below is a part of one.
    pub fn examples(&self) -> Vec<String> {
        let folder = Path::new("code/examples");
        let files = self.files("code/examples", "rs").into_iter();
        files
            .filter(|file| file.parent() == Some(folder))
            .map(|file| stem(&file))
            .collect()
    }

    /// The written chapters in the order of `SUMMARY.md`.
    ///
    /// # Errors
    /// If `SUMMARY.md` or a chapter cannot be read.
    pub fn pages(&self) -> Result<&[Page]> {
        if let Some(pages) = self.pages.get() {
            return Ok(pages);
        }
        let book = MDBook::load(&self.root)?.book;
        let mut part = String::new();
        let mut pages = Vec::new();
        for item in book.iter() {
            match item {
                BookItem::PartTitle(title) => part.clone_from(title),
                BookItem::Chapter(chapter) => {
                    pages.extend(page(chapter, &part));
                }
                BookItem::Separator => {}
            }
        }
        Ok(self.pages.get_or_init(|| pages))
    }
}

/// A chapter as a page of this part; none if it is not written.
fn page(chapter: &Chapter, part: &str) -> Option<Page> {
    let source = chapter.source_path.as_deref()?;
    Some(Page {
        stem: stem(source),
        file: Path::new("src").join(source),
        number: number(chapter),
        part: part.to_owned(),
        text: chapter.content.clone(),
    })
}

/// The number of a chapter, as in `7` or `7.2`.
pub fn number(chapter: &Chapter) -> Option<String> {
    let number = chapter.number.as_ref()?.to_string();
    Some(number.trim_end_matches('.').to_string())
}

/// The stem of a file: its name without folder and extension.
pub fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
