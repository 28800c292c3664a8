//! Figures, as SVG that follows the page's theme.
//!
//! Every figure has a title and a description (the alternative text), and is drawn into a [`Figure`].
//! [`save`] writes it when the program was called with `--out DIR`, and does nothing otherwise.

mod axis;
mod bars;
mod chart;
mod diagram;
mod heat;
mod pen;
mod svg;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{fs, io, process};

use clap::Parser;

pub use bars::Bars;
pub use chart::Chart;
pub use diagram::{Block, Diagram, Side};
pub use heat::{HeatMaps, Panel};
pub use pen::{Hue, Point};

/// A finished drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    svg: String,
}

impl Figure {
    /// The whole SVG element, with its `<title>` and `<desc>`.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    fn write(&self, directory: &Path, name: &str) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        fs::write(directory.join(format!("{name}.svg")), &self.svg)
    }
}

/// What an example may be asked on the command line.
#[derive(Parser)]
#[command(
    about = "An example of the book: prints its results, and draws its figures if asked to"
)]
struct Arguments {
    /// Write the figures into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

static ARGUMENTS: LazyLock<Arguments> = LazyLock::new(Arguments::parse);

/// Writes `DIR/name.svg` if the program was called with `--out DIR`, else nothing.
///
/// A bad flag or a folder that cannot be written ends the program with a sentence that says so.
pub fn save(name: &str, figure: &Figure) {
    let Some(directory) = &ARGUMENTS.out else {
        return;
    };
    if let Err(error) = figure.write(directory, name) {
        eprintln!(
            "error: cannot write {name}.svg into {}: {error}",
            directory.display()
        );
        process::exit(1);
    }
}

/// Writes the frames of a flip-book: `DIR/name-1.svg`, `DIR/name-2.svg` and so on.
pub fn save_frames(name: &str, frames: &[Figure]) {
    for (index, frame) in frames.iter().enumerate() {
        save(&format!("{name}-{}", index + 1), frame);
    }
}
