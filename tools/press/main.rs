//! Builds, serves and tests the book.

use anyhow::Result;
use clap::{Parser, Subcommand};
use press::project::Project;
use press::{build, doctest, preprocessor, serve};
use std::env;
use std::io::{stderr, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tracing_subscriber::filter::LevelFilter;

/// Builds the book into the folder `book/`.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,
    /// Opens the book in the browser.
    #[arg(long, global = true)]
    open: bool,
}

#[derive(Subcommand)]
enum Task {
    /// Serves the book, and rebuilds and reloads it when a file changes.
    Serve {
        /// The port of this machine to serve it on.
        #[arg(long, default_value_t = 3000)]
        port: u16,
    },
    /// Builds the book as an EPUB, for e-readers.
    Epub,
    /// Prints the book into a PDF, with Chromium.
    Pdf,
    /// Compiles and runs every snippet of the book.
    Test {
        /// The file of the only chapter to test, such as `attention.md`.
        chapter: Option<String>,
    },
    /// Renders the pages of a book that mdBook sends: the protocol of its preprocessors.
    Preprocess {
        #[command(subcommand)]
        question: Option<Question>,
    },
}

#[derive(Subcommand)]
enum Question {
    /// Whether pages can be made for a renderer: for every one.
    Supports {
        /// The renderer's name.
        renderer: String,
    },
}

fn main() -> ExitCode {
    // mdBook tells of unclosed tags and the like only here.
    tracing_subscriber::fmt()
        .with_writer(stderr)
        .with_max_level(LevelFilter::WARN)
        .without_time()
        .init();
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let project = Project::new(root());
    match &arguments.task {
        None => announce_built(build::build(&project)?, arguments.open),
        Some(Task::Serve { port }) => {
            serve::serve(&project, *port, |address| {
                announce(address, arguments.open)
            })
        }
        Some(Task::Epub) => {
            announce_built(build::epub(&project)?, arguments.open)
        }
        Some(Task::Pdf) => {
            announce_built(build::pdf(&project)?, arguments.open)
        }
        Some(Task::Test { chapter }) => {
            doctest::run(&project, chapter.as_deref())
        }
        Some(Task::Preprocess { question: None }) => {
            preprocessor::answer(stdin(), stdout())
        }
        Some(Task::Preprocess {
            question: Some(Question::Supports { .. }),
        }) => Ok(()),
    }
}

/// The project's folder: two above this package when cargo runs the program, else where it is run.
fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root =
        package.as_deref().and_then(|package| package.ancestors().nth(2));
    root.unwrap_or(Path::new(".")).to_owned()
}

fn announce_built(file: PathBuf, open: bool) -> Result<()> {
    announce(&file.to_string_lossy(), open);
    Ok(())
}

fn announce(page: &str, open: bool) {
    println!("{page}");
    if open && let Err(error) = opener::open(page) {
        eprintln!("cannot open it: {error}");
    }
}
