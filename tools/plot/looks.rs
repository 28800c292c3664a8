//! Two columns of words, and lines from those on the right to those that they
//! look at on the left.

use super::pen::{self, Anchor, Pen};
use super::{Figure, Hue, Point};
use nalgebra::DMatrix;

/// How far one word is from the next.
const STEP: f64 = 26.0;
/// How far the columns are apart, from word to word.
const ACROSS: f64 = 170.0;
/// The space between a word and the lines that end at it.
const GAP: f64 = 8.0;
/// How thick the line of a weight of 1 is.
const THICK: f64 = 5.0;
/// Weights below this get no line.
const LEAST: f64 = 0.05;

/// Who looks at whom, as lines that are as strong as their weights.
#[derive(Debug)]
#[must_use]
pub struct Looks {
    title: String,
    description: String,
    names: [String; 2],
    keys: Vec<String>,
    queries: Vec<String>,
    weights: DMatrix<f64>,
    note: Option<(usize, String)>,
}

impl Looks {
    /// The weights of each query, a row, on each key.
    ///
    /// # Panics
    /// If there are more or fewer weights than words.
    pub fn new<S: AsRef<str>>(
        title: &str,
        description: &str,
        queries: &[S],
        keys: &[S],
        weights: &DMatrix<f64>,
    ) -> Looks {
        let sizes = (queries.len(), keys.len());
        assert!(weights.shape() == sizes, "a weight for each pair of words");
        let words = |words: &[S]| -> Vec<String> {
            words.iter().map(|word| word.as_ref().to_string()).collect()
        };
        Looks {
            title: title.to_string(),
            description: description.to_string(),
            names: [const { String::new() }; 2],
            keys: words(keys),
            queries: words(queries),
            weights: weights.clone(),
            note: None,
        }
    }

    /// What is above the columns: first that of the keys.
    pub fn names(mut self, keys: &str, queries: &str) -> Looks {
        self.names = [keys.to_string(), queries.to_string()];
        self
    }

    /// Words beside a query.
    pub fn note(mut self, query: usize, text: &str) -> Looks {
        self.note = Some((query, text.to_string()));
        self
    }

    /// The figure.
    pub fn draw(self) -> Figure {
        let longest = self.keys.len().max(self.queries.len()) as f64;
        let left = pen::widest(&[&self.keys[..], &self.names[..1]].concat());
        let right =
            pen::widest(&[&self.queries[..], &self.names[1..]].concat());
        let beside = self.note.as_ref().map_or(0.0, |(query, note)| {
            pen::width(&self.queries[*query]) + 2.0 * GAP + pen::width(note)
        });
        let size = (
            left + ACROSS + right.max(beside) + 16.0,
            STEP * (longest + 1.0) + 12.0,
        );
        let edges = [8.0 + left, 8.0 + left + ACROSS];
        pen::draw(&self.title, &self.description, size, |pen| {
            self.lines(pen, edges);
            self.words(pen, edges);
        })
    }

    fn lines(&self, pen: &Pen, [left, right]: [f64; 2]) {
        for (i, row) in self.weights.row_iter().enumerate() {
            for (j, &weight) in row.iter().enumerate() {
                if weight < LEAST {
                    continue;
                }
                let from = (right - GAP, place(i));
                let to = (left + GAP, place(j));
                let half = 0.5 + (THICK - 1.0) * weight / 2.0;
                pen.shape(&band(from, to, half), self.hue(i), weight);
            }
        }
    }

    /// The lines of the query with the note are those to look at.
    fn hue(&self, query: usize) -> Hue {
        match &self.note {
            Some((noted, _)) if *noted == query => Hue::HERE,
            _ => Hue::WEIGHTS,
        }
    }

    fn words(&self, pen: &Pen, [left, right]: [f64; 2]) {
        pen.text((left, STEP / 2.0), Anchor::End, &self.names[0]);
        pen.text((right, STEP / 2.0), Anchor::Start, &self.names[1]);
        for (j, word) in self.keys.iter().enumerate() {
            pen.text((left, place(j)), Anchor::End, word);
        }
        for (i, word) in self.queries.iter().enumerate() {
            pen.text((right, place(i)), Anchor::Start, word);
        }
        if let Some((i, note)) = &self.note {
            let width = pen::width(&self.queries[*i]);
            let at = (right + width + 2.0 * GAP, place(*i));
            pen.text(at, Anchor::Start, note);
        }
    }
}

/// The height of a word.
fn place(index: usize) -> f64 {
    STEP * (index as f64 + 1.5)
}

/// The corners of a line this thick.
fn band(from: Point, to: Point, half: f64) -> [Point; 4] {
    let up = |(x, y): Point| (x, y - half);
    let down = |(x, y): Point| (x, y + half);
    [up(from), up(to), down(to), down(from)]
}
