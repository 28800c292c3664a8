//! Figures, as SVG that follows the page's theme.
//!
//! Every figure has a title and a description (the alternative text) and ends in `draw`, which gives
//! a [`Figure`]. [`save`] and [`save_frames`] write figures into the folder that [`save_into`] has named. In every text `d_k`, `W^Q` and `h_{t−1}` get small letters,
//! and the letters between the asterisks of `*n* × d_k` become italic.
//!
//! ```
//! use plot::{Bars, Chart, Diagram, Dots, HeatMaps, Hue, Looks, Panel, Side};
//! use nalgebra::DMatrix;
//!
//! // Lines and dots, each with its name beside it.
//! let squares = (1..=9).map(|n| (f64::from(n), f64::from(n * n)));
//! let chart = Chart::new("Squares", "They grow faster than any line.").x("n").y("n²");
//! let chart = chart.line("squares", squares).dots("one", [(1.0, 1.0)]);
//! chart.log_x().log_y().guide_x(5.0, "n = 5").guide_y(50.0, "fifty").draw();
//!
//! // Bars, one below the other; `full` gives frames of a flip-book the same scale.
//! let bars = Bars::new("The next word", "It is fence.").full(1.0).decimals(2);
//! bars.bar_in(Hue::Orange, "fence", 0.8).bar("garden", 0.2).draw();
//!
//! // Rows of dots in columns, each before a band.
//! let dots = Dots::new("Twice", "The second row is lower.").column("right", 80.0..90.0);
//! dots.row("with", [vec![80.0, 90.0]]).row("without", [vec![10.0, 30.0]]).draw();
//!
//! // Heat maps in a row, with signs between them; −∞ is grey, negative numbers are orange.
//! let (words, scores) = (["I", "am"], DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 0.5, -1.0]));
//! let mask = DMatrix::from_row_slice(2, 2, &[0.0, f64::NEG_INFINITY, 0.0, 0.0]);
//! let left = Panel::new(&scores).title("scores").rows(&words).columns(&words).numbers(1);
//! let right = Panel::new(&mask).title("mask").numbers(0);
//! let maps = HeatMaps::new("Masking", "The mask is added.");
//! maps.panel(left.axes("queries", "keys")).sign("+").panel(right).draw();
//!
//! // Two columns of words, and lines from those that look to those that are looked at.
//! let weights = DMatrix::from_row_slice(2, 2, &[0.9, 0.1, 0.2, 0.8]);
//! let looks = Looks::new("Who looks at whom", "am looks at bin.", &["ich", "bin"], &words, &weights);
//! looks.names("caption", "translation").note(1, "looks at *am*").draw();
//!
//! // Boxes, circles, frames, arrows and notes on a grid of 20 pixels, to the right and down.
//! let mut diagram = Diagram::new("Attention", "Words go in below.", 14.0, 9.0);
//! let attention = diagram.block((7.0, 3.0), (7.0, 2.4), "Multi-Head\nAttention", Hue::Orange);
//! let sum = diagram.circle((7.0, 7.5), "+");
//! diagram.frame((3.0, 1.0), (11.0, 5.5), Side::Left, "6 ×");
//! diagram.arrow(&[sum.top(), attention.bottom()], Hue::Ink);
//! diagram.note((7.0, 6.2), Side::Right, "n × d_model");
//! diagram.draw();
//! ```

#![forbid(unsafe_code)]
#![deny(missing_debug_implementations, missing_docs)]

mod axis;
mod bars;
mod chart;
mod diagram;
mod dots;
mod heat;
mod looks;
mod names;
mod panel;
mod pen;
mod svg;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, io};

pub use bars::Bars;
pub use chart::Chart;
pub use diagram::{Block, Diagram, Side};
pub use dots::Dots;
pub use heat::HeatMaps;
pub use looks::Looks;
pub use panel::Panel;
pub use pen::{Hue, Point};

/// A finished drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    svg: String,
}

impl Figure {
    /// What was drawn and written by another program.
    pub fn drawn(svg: &str) -> Figure {
        Figure { svg: svg.to_string() }
    }

    /// The whole SVG element, with its `<title>` and `<desc>`.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// Into `directory/name.svg`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, directory: &Path, name: &str) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        fs::write(directory.join(format!("{name}.svg")), &self.svg)
    }
}

/// Where the figures of this program go: the folder that it has named, or
/// that the environment variable `FIGURES` names.
static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Makes a folder, and has all figures of this program saved there.
///
/// # Errors
/// If the folder cannot be made.
///
/// # Panics
/// If a folder was named before.
pub fn save_into(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let named = FOLDER.set(Some(folder.to_owned()));
    named.expect("one program saves its figures into one folder");
    Ok(())
}

/// Writes `name.svg` into the folder for figures, if there is one.
///
/// # Panics
/// If it cannot be written.
pub fn save(name: &str, figure: &Figure) {
    let folder =
        FOLDER.get_or_init(|| env::var_os("FIGURES").map(PathBuf::from));
    if let Some(folder) = folder
        && let Err(error) = figure.write(folder, name)
    {
        panic!("cannot write {name}.svg into {}: {error}", folder.display());
    }
}

/// Writes the frames of a flip-book: `name-1.svg`, `name-2.svg` and so on.
pub fn save_frames(name: &str, frames: &[Figure]) {
    for (index, frame) in frames.iter().enumerate() {
        save(&format!("{name}-{}", index + 1), frame);
    }
}
