//! One matrix as a heat map, with its names and numbers.

use nalgebra::{DMatrix, Scalar};

use super::pen::{self, Anchor, LINE, Pen};
use super::{Hue, Point};
use print::grouped;

/// The darkest cell that a number is still easy to read on.
const READABLE: f64 = 0.65;

/// The space between the cells and a note.
const GAP: f64 = 8.0;

/// A scale has so many steps of this size.
const STEPS: u32 = 11;
const STEP: Point = (9.0, 10.0);

/// One matrix of a figure: row 0 on top, the larger the value the stronger the colour.
#[derive(Debug)]
#[must_use]
pub struct Panel {
    matrix: DMatrix<f64>,
    title: String,
    rows: Vec<String>,
    columns: Vec<String>,
    axes: Option<(String, String)>,
    decimals: Option<usize>,
    full: Option<f64>,
    cell: Option<Point>,
    hue: Option<Hue>,
    followed: Option<Followed>,
    notes: Vec<(usize, String)>,
}

/// The row or the column of the word that the text follows.
#[derive(Clone, Copy, Debug)]
enum Followed {
    Row(usize),
    Column(usize),
}

/// What the colours of a panel mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    hue: Hue,
    strongest: f64,
    is_signed: bool,
}

impl Scale {
    /// How wide and how high a scale is, with its numbers.
    pub const SIZE: Point = (STEPS as f64 * STEP.0 + 92.0, LINE);

    /// Draws it into this place: the colours from the weakest to the strongest, between their numbers.
    pub fn draw(&self, pen: &Pen, (left, top): Point) {
        let middle = top + LINE / 2.0;
        let number =
            |value: f64| format!("{}", (100.0 * value).round() / 100.0);
        let most = number(self.strongest);
        let (least, below) = match self.is_signed {
            true => (format!("−{most}"), Hue::NEGATIVE),
            false => ("0".to_string(), self.hue),
        };
        let start = left + 42.0;
        for step in 0..STEPS {
            let share = f64::from(step) / f64::from(STEPS - 1);
            let (hue, opacity) = match (self.is_signed, 2.0 * share - 1.0) {
                (false, _) => (self.hue, share),
                (true, signed) if signed < 0.0 => (below, -signed),
                (true, signed) => (self.hue, signed),
            };
            let at =
                (start + f64::from(step) * STEP.0, middle - STEP.1 / 2.0);
            pen.rectangle(at, STEP, hue, opacity);
        }
        let width = f64::from(STEPS) * STEP.0;
        let corner = (start, middle - STEP.1 / 2.0);
        pen.frame(corner, (width, STEP.1), Hue::Rule);
        pen.text((start - 6.0, middle), Anchor::End, &least);
        let right = start + width + 6.0;
        pen.text((right, middle), Anchor::Start, &most);
    }
}

impl Panel {
    /// A panel of this matrix.
    ///
    /// A matrix with negative numbers gets two hues, blue above zero and orange below.
    pub fn new<T: Scalar + Copy + Into<f64>>(matrix: &DMatrix<T>) -> Panel {
        let matrix: DMatrix<f64> = matrix.map(Into::into);
        assert!(
            !matrix.iter().any(|value| value.is_nan()),
            "a heat map cannot show what is not a number"
        );
        Panel {
            matrix,
            title: String::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            axes: None,
            decimals: None,
            full: None,
            cell: None,
            hue: None,
            followed: None,
            notes: Vec::new(),
        }
    }

    /// A title above the panel.
    pub fn title(mut self, title: &str) -> Panel {
        self.title = title.to_string();
        self
    }

    /// Names at the left of the rows, from the top.
    pub fn rows<S: ToString>(mut self, names: &[S]) -> Panel {
        assert_eq!(
            names.len(),
            self.matrix.nrows(),
            "every row needs a name"
        );
        self.rows = names.iter().map(S::to_string).collect();
        self
    }

    /// Names above the columns, from the left.
    pub fn columns<S: ToString>(mut self, names: &[S]) -> Panel {
        assert_eq!(
            names.len(),
            self.matrix.ncols(),
            "every column needs a name"
        );
        self.columns = names.iter().map(S::to_string).collect();
        self
    }

    /// What the rows and the columns are: `.axes("queries", "keys")`. Arrows are added.
    pub fn axes(mut self, rows: &str, columns: &str) -> Panel {
        self.axes = Some((format!("{rows} ↓"), format!("{columns} →")));
        self
    }

    /// Writes every number into its cell, with this many decimals.
    pub fn numbers(mut self, decimals: usize) -> Panel {
        self.decimals = Some(decimals);
        self
    }

    /// The value of the strongest colour, for panels or frames that share it; the largest
    /// absolute value of the matrix if not said.
    pub fn full(mut self, value: f64) -> Panel {
        self.full = Some(value);
        self
    }

    /// The size of a cell in pixels; chosen to suit the matrix if not said.
    pub fn cell(mut self, width: f64, height: f64) -> Panel {
        self.cell = Some((width, height));
        self
    }

    /// The hue of all cells: of queries, keys, values or weights. A number below zero is then known by its sign only.
    pub fn hue(mut self, hue: Hue) -> Panel {
        self.hue = Some(hue);
        self
    }

    /// Frames the row of the word that the text follows.
    pub fn follow_row(mut self, row: usize) -> Panel {
        self.followed = Some(Followed::Row(row));
        self
    }

    /// Frames the column of the word that the text follows.
    pub fn follow_column(mut self, column: usize) -> Panel {
        self.followed = Some(Followed::Column(column));
        self
    }

    /// Words at the right of a row, where the eye is:
    /// `.note(3, "looks at *coat*")`.
    pub fn note(mut self, row: usize, text: &str) -> Panel {
        self.notes.push((row, format!("← {text}")));
        self
    }

    fn cell_size(&self) -> Point {
        if let Some(size) = self.cell {
            return size;
        }
        if self.decimals.is_some() {
            let texts: Vec<_> =
                self.matrix.iter().map(|v| self.number(*v)).collect();
            return ((pen::widest(&texts) + 8.0).max(26.0), 26.0);
        }
        let longest = self.matrix.nrows().max(self.matrix.ncols()) as f64;
        let side = (240.0 / longest).floor().clamp(4.0, 24.0);
        (side, side)
    }

    pub(super) fn body(&self) -> Point {
        let (width, height) = self.cell_size();
        let (rows, columns) = self.matrix.shape();
        (width * columns as f64, height * rows as f64)
    }

    /// The room at the left of the cells, and at their right.
    pub(super) fn sides(&self) -> (f64, f64) {
        let overhang =
            (pen::width(&self.title) - self.body().0).max(0.0) / 2.0;
        let corner =
            self.axes.as_ref().map_or(0.0, |(rows, _)| pen::width(rows));
        let names = pen::widest(&self.rows).max(corner);
        let names = if names > 0.0 { names + 6.0 } else { 0.0 };
        let axis = self
            .axes
            .as_ref()
            .map_or(0.0, |(_, columns)| pen::width(columns));
        let notes: Vec<_> = self.notes.iter().map(|(_, text)| text).collect();
        let beside = pen::widest(&notes);
        let beside = if beside > 0.0 { beside + GAP } else { 0.0 };
        let right = overhang.max(axis - self.body().0).max(beside);
        (names.max(overhang), right)
    }

    /// The room above the cells.
    pub(super) fn head(&self) -> f64 {
        let title = if self.title.is_empty() { 0.0 } else { LINE + 4.0 };
        let axis = if self.axes.is_some() { LINE } else { 0.0 };
        title + axis + self.names_height()
    }

    fn names_height(&self) -> f64 {
        match () {
            () if self.upright() => pen::widest(&self.columns) + 8.0,
            () if !self.columns.is_empty() => LINE + 4.0,
            // The name of the rows stands here, above the first.
            () if self.axes.is_some() => 4.0,
            () => 0.0,
        }
    }

    /// Whether the names of the columns are too wide to lie above them.
    fn upright(&self) -> bool {
        pen::widest(&self.columns) + 4.0 > self.cell_size().0
            && !self.columns.is_empty()
    }

    fn number(&self, value: f64) -> String {
        let decimals = self.decimals.unwrap_or(0);
        match value {
            f64::NEG_INFINITY => "−∞".to_string(),
            f64::INFINITY => "∞".to_string(),
            _ => grouped(format!("{value:.decimals$}")),
        }
    }

    /// The value that gets the strongest colour.
    fn strongest(&self) -> f64 {
        self.full.unwrap_or_else(|| {
            let finite = self.matrix.iter().filter(|value| value.is_finite());
            finite
                .fold(f64::MIN_POSITIVE, |most, value| most.max(value.abs()))
        })
    }

    /// The hue of a value and its opacity in percent, in steps too small to be seen.
    fn paint(&self) -> impl Fn(f64) -> (Hue, u8) {
        let most = if self.decimals.is_some() { READABLE } else { 1.0 };
        let strongest = self.strongest();
        let (above, below) = match self.hue {
            Some(hue) => (hue, hue),
            None => (Hue::POSITIVE, Hue::NEGATIVE),
        };
        move |value| {
            let percent = 2.0
                * (50.0 * most * (value.abs() / strongest).min(1.0)).round();
            match value {
                f64::NEG_INFINITY => (Hue::Rule, 30),
                _ if value < 0.0 => (below, percent as u8),
                _ => (above, percent as u8),
            }
        }
    }

    /// Whether there are more values than a caption can name.
    fn is_graded(&self) -> bool {
        let sizes = self.matrix.iter().map(|value| value.abs());
        let mut sizes = Vec::from_iter(sizes.filter(|size| *size > 0.0));
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        sizes.len() > 2
    }

    /// What its colours mean, unless its numbers or its caption say so.
    pub(super) fn scale(&self) -> Option<Scale> {
        let strongest = self.strongest();
        if self.decimals.is_some() || !self.is_graded() {
            return None;
        }
        let is_signed = self.matrix.iter().any(|value| *value < 0.0);
        let hue = self.hue.unwrap_or(Hue::POSITIVE);
        Some(Scale { hue, strongest, is_signed })
    }

    /// Draws the panel with the upper left corner of its cells here, and its title so far above.
    pub(super) fn draw(&self, pen: &Pen, corner: Point, head: f64) {
        self.draw_cells(pen, corner);
        pen.frame(corner, self.body(), Hue::Rule);
        self.draw_followed(pen, corner);
        self.draw_names(pen, corner);
        self.draw_notes(pen, corner);
        self.draw_axes(pen, corner);
        let middle = corner.0 + self.body().0 / 2.0;
        pen.text(
            (middle, corner.1 - head + LINE / 2.0),
            Anchor::Middle,
            &self.title,
        );
    }

    /// Cells of one colour follow each other, so that they become one path.
    fn draw_cells(&self, pen: &Pen, corner: Point) {
        let (width, height) = self.cell_size();
        let paint = self.paint();
        let mut cells: Vec<_> = self
            .places(corner)
            .map(|(at, value)| (paint(value), at))
            .collect();
        cells.sort_by_key(|(paint, _)| *paint);
        for ((hue, percent), at) in cells {
            pen.rectangle(
                at,
                (width, height),
                hue,
                f64::from(percent) / 100.0,
            );
        }
        if self.decimals.is_some() {
            for ((x, y), value) in self.places(corner) {
                let middle = (x + width / 2.0, y + height / 2.0);
                pen.text(middle, Anchor::Middle, &self.number(value));
            }
        }
    }

    /// Every value with the upper left corner of its cell.
    fn places(
        &self,
        (left, top): Point,
    ) -> impl Iterator<Item = (Point, f64)> {
        let (width, height) = self.cell_size();
        let rows = self.matrix.nrows();
        self.matrix.iter().enumerate().map(move |(index, value)| {
            let (column, row) =
                ((index / rows) as f64, (index % rows) as f64);
            ((left + column * width, top + row * height), *value)
        })
    }

    fn draw_followed(&self, pen: &Pen, (left, top): Point) {
        let (width, height) = self.cell_size();
        let (all, high) = self.body();
        let ((x, y), (right, down)) = match self.followed {
            None => return,
            Some(Followed::Row(row)) => {
                ((0.0, row as f64 * height), (all, height))
            }
            Some(Followed::Column(column)) => {
                ((column as f64 * width, 0.0), (width, high))
            }
        };
        let [x, y] = [left + x, top + y];
        let corners =
            [(x, y), (x + right, y), (x + right, y + down), (x, y + down)];
        pen.line(&[&corners[..], &corners[..1]].concat(), Hue::HERE, 2.0);
    }

    fn draw_notes(&self, pen: &Pen, (left, top): Point) {
        let x = left + self.body().0 + GAP;
        for (row, text) in &self.notes {
            let middle = top + (*row as f64 + 0.5) * self.cell_size().1;
            pen.text((x, middle), Anchor::Start, text);
        }
    }

    fn draw_names(&self, pen: &Pen, (left, top): Point) {
        let (width, height) = self.cell_size();
        for (row, name) in self.rows.iter().enumerate() {
            let middle = top + (row as f64 + 0.5) * height;
            pen.text((left - 6.0, middle), Anchor::End, name);
        }
        for (column, name) in self.columns.iter().enumerate() {
            let middle = left + (column as f64 + 0.5) * width;
            if self.upright() {
                pen.text((middle, top - 5.0), Anchor::Upward, name);
            } else {
                pen.text(
                    (middle, top - 4.0 - LINE / 2.0),
                    Anchor::Middle,
                    name,
                );
            }
        }
    }

    fn draw_axes(&self, pen: &Pen, (left, top): Point) {
        let Some((rows, columns)) = &self.axes else {
            return;
        };
        let above = top - self.names_height() - LINE / 2.0;
        pen.text((left, above), Anchor::Start, columns);
        pen.text((left - 6.0, top - 4.0 - LINE / 2.0), Anchor::End, rows);
    }
}
