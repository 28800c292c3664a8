//! Builds, serves and tests the book.

use all_you_need::press::house::House;
use all_you_need::press::{build, preprocessor, serve, snippet};
use anyhow::Result;
use clap::{Parser, Subcommand};
use std::env;
use std::io::{stderr, stdin, stdout};
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
    /// Compiles and runs every snippet of the book.
    Test {
        /// The file of the only chapter to test, such as `attention.md`.
        chapter: Option<String>,
    },
    /// Sets the pages of a book that mdBook sends: the protocol of its preprocessors.
    Preprocess {
        #[command(subcommand)]
        question: Option<Question>,
    },
}

#[derive(Subcommand)]
enum Question {
    /// Whether pages can be set for a renderer: for every one.
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
    let house = House::new(
        env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into()),
    );
    match &arguments.task {
        None => build_book(&house, arguments.open),
        Some(Task::Serve { port }) => {
            serve::serve(&house, *port, |address| {
                announce(address, arguments.open)
            })
        }
        Some(Task::Test { chapter }) => {
            snippet::run(&house, chapter.as_deref())
        }
        Some(Task::Preprocess { question: None }) => {
            preprocessor::answer(stdin(), stdout())
        }
        Some(Task::Preprocess {
            question: Some(Question::Supports { .. }),
        }) => Ok(()),
    }
}

fn build_book(house: &House, open: bool) -> Result<()> {
    let page = build::build(house)?;
    announce(&page.to_string_lossy(), open);
    Ok(())
}

fn announce(page: &str, open: bool) {
    println!("{page}");
    if open && let Err(error) = opener::open(page) {
        eprintln!("cannot open it: {error}");
    }
}
