//! Rows of dots.

use std::ops::Range;

use super::pen::{self, Anchor, LINE, Pen};
use super::{Figure, Hue, Point};
use print::grouped;

/// How far one row is from the next, and how large its dots are.
const STEP: f64 = 19.0;
const RADIUS: f64 = 3.2;
/// The room between two columns.
const GAP: f64 = 22.0;
/// The figure's natural width in pixels.
const WIDTH: f64 = 520.0;

/// Named rows, one below the other, in columns that share them: in each
/// cell one dot for each measurement. A band shows in every row of a column
/// where the measurements of one row lie.
#[derive(Debug)]
#[must_use]
pub struct Dots {
    title: String,
    description: String,
    columns: Vec<Column>,
    rows: Vec<(String, Vec<Vec<f64>>)>,
}

#[derive(Debug)]
struct Column {
    name: String,
    band: Range<f64>,
}

impl Dots {
    /// A chart of per cent, without columns and rows.
    pub fn new(title: &str, description: &str) -> Dots {
        Dots {
            title: title.to_string(),
            description: description.to_string(),
            columns: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// One more column, with the band that its rows are compared with.
    pub fn column(mut self, name: &str, band: Range<f64>) -> Dots {
        self.columns.push(Column { name: name.to_string(), band });
        self
    }

    /// One more row: its measurements, column by column.
    pub fn row<const N: usize>(
        mut self,
        name: &str,
        cells: [Vec<f64>; N],
    ) -> Dots {
        assert_eq!(N, self.columns.len(), "a row has a cell in each column");
        let mut all = cells.iter().flatten();
        let inside = |value: &f64| (0.0..=100.0).contains(value);
        assert!(all.all(inside), "a dot lies within the range");
        self.rows.push((name.to_string(), cells.into()));
        self
    }

    /// Draws the rows.
    pub fn draw(&self) -> Figure {
        let top = LINE + 6.0;
        let bottom = top + STEP * self.rows.len() as f64;
        let size = (WIDTH, bottom + LINE + 8.0);
        pen::draw(&self.title, &self.description, size, |pen| {
            for (row, (name, _)) in self.rows.iter().enumerate() {
                let middle = middle(top, row);
                pen.text((self.edge() - 12.0, middle), Anchor::End, name);
            }
            for (index, column) in self.columns.iter().enumerate() {
                self.draw_ground(pen, index, column, (top, bottom));
                self.draw_dots(pen, index, top);
            }
        })
    }

    /// The names, the band, the rules and the numbers of a column.
    fn draw_ground(
        &self,
        pen: &Pen,
        index: usize,
        column: &Column,
        (top, bottom): Point,
    ) {
        let x = |value| self.across(index, value);
        let heading = (x(0.0), LINE / 2.0);
        pen.text(heading, Anchor::Start, &column.name);
        for row in 0..self.rows.len() {
            let y = middle(top, row);
            pen.line(&[(x(0.0), y), (x(100.0), y)], Hue::Rule, 0.5);
        }
        let Range { start, end } = column.band;
        let size = (x(end) - x(start), bottom - top);
        pen.rectangle((x(start), top), size, Hue::OURS, 0.2);
        for value in [0.0, 50.0, 100.0] {
            pen.line(
                &[(x(value), bottom), (x(value), bottom + 4.0)],
                Hue::Ink,
                1.0,
            );
            let number = (x(value), bottom + 6.0 + LINE / 2.0);
            pen.text(number, Anchor::Middle, &grouped(value));
        }
        pen.line(&[(x(0.0), bottom), (x(100.0), bottom)], Hue::Ink, 1.0);
    }

    /// Half transparent, so that where many lie is darker.
    fn draw_dots(&self, pen: &Pen, index: usize, top: f64) {
        for (row, (_, cells)) in self.rows.iter().enumerate() {
            for value in &cells[index] {
                let at = (self.across(index, *value), middle(top, row));
                pen.disc(at, RADIUS, Hue::Ink, 0.5);
            }
        }
    }

    /// Where the first column begins, right of all names.
    fn edge(&self) -> f64 {
        let names: Vec<_> = self.rows.iter().map(|(name, _)| name).collect();
        pen::widest(&names) + 12.0
    }

    /// Where a value lies in a column.
    fn across(&self, column: usize, value: f64) -> f64 {
        let all = self.columns.len() as f64;
        // The last number reaches half of its width beyond its column.
        let room = WIDTH - self.edge() - GAP;
        let wide = (room - GAP * (all - 1.0)) / all;
        let left = self.edge() + column as f64 * (wide + GAP);
        left + wide * value / 100.0
    }
}

fn middle(top: f64, row: usize) -> f64 {
    top + STEP * (row as f64 + 0.5)
}
