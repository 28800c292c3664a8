//! Bar charts.

use super::pen::{self, Anchor, Pen};
use super::{Figure, Hue, Point};
use print::grouped;

/// How far one bar is from the next, and how thick it is.
const STEP: f64 = 24.0;
const THICK: f64 = 16.0;

/// Named bars that lie one below the other, each with its value at its end. Those below 0 go to the left.
#[derive(Debug)]
#[must_use]
pub struct Bars {
    title: String,
    description: String,
    heading: String,
    width: f64,
    decimals: usize,
    full: Option<f64>,
    bars: Vec<Bar>,
}

#[derive(Debug)]
struct Bar {
    name: String,
    value: f64,
    hue: Hue,
}

impl Bars {
    /// A chart without bars.
    pub fn new(title: &str, description: &str) -> Bars {
        Bars {
            title: title.to_string(),
            description: description.to_string(),
            heading: String::new(),
            width: 480.0,
            decimals: 2,
            full: None,
            bars: Vec::new(),
        }
    }

    /// A line above the bars: what they count, or what sets this frame apart from the others.
    pub fn heading(mut self, heading: &str) -> Bars {
        self.heading = heading.to_string();
        self
    }

    /// The figure's natural width in pixels, 480 if not said.
    pub fn width(mut self, width: f64) -> Bars {
        self.width = width;
        self
    }

    /// How many decimals the values have, two if not said.
    pub fn decimals(mut self, decimals: usize) -> Bars {
        self.decimals = decimals;
        self
    }

    /// The value of a bar of full length, for frames that share it; the largest value if not said.
    pub fn full(mut self, value: f64) -> Bars {
        self.full = Some(value);
        self
    }

    /// One more bar.
    pub fn bar(self, name: &str, value: f64) -> Bars {
        self.bar_in(Hue::Blue, name, value)
    }

    /// One more bar, in a hue of its own.
    pub fn bar_in(mut self, hue: Hue, name: &str, value: f64) -> Bars {
        let name = name.to_string();
        assert!(value.is_finite(), "a bar's length is finite");
        self.bars.push(Bar { name, value, hue });
        self
    }

    /// Draws the bars.
    pub fn draw(&self) -> Figure {
        let top = if self.heading.is_empty() { 4.0 } else { STEP };
        let bottom = top + STEP * self.bars.len() as f64;
        let names: Vec<_> = self.bars.iter().map(|bar| &bar.name).collect();
        let edge = pen::widest(&names) + 12.0;
        let (zero, unit) = self.scale(edge);
        let size = (self.width, bottom + 4.0);
        pen::draw(&self.title, &self.description, size, |pen| {
            pen.text((edge, STEP / 2.0), Anchor::Start, &self.heading);
            for (row, bar) in self.bars.iter().enumerate() {
                let middle = top + STEP * (row as f64 + 0.5);
                pen.text((edge - 8.0, middle), Anchor::End, &bar.name);
                self.draw_bar(pen, bar, (zero, middle), unit);
            }
            pen.line(&[(zero, top), (zero, bottom)], Hue::Ink, 1.0);
        })
    }

    fn draw_bar(
        &self,
        pen: &Pen,
        bar: &Bar,
        (zero, middle): Point,
        unit: f64,
    ) {
        let full = self.full.unwrap_or(f64::INFINITY);
        let end = zero + unit * bar.value.min(full);
        let corner = (zero.min(end), middle - THICK / 2.0);
        pen.rectangle(corner, ((end - zero).abs(), THICK), bar.hue, 1.0);
        let (at, anchor) = match bar.value < 0.0 {
            true => (end - 6.0, Anchor::End),
            false => (end + 6.0, Anchor::Start),
        };
        pen.text((at, middle), anchor, &self.number(bar));
    }

    /// Where 0 is, and how long a bar of 1 is, if all begin right of an edge.
    fn scale(&self, edge: f64) -> (f64, f64) {
        let numbers: Vec<_> =
            self.bars.iter().map(|bar| self.number(bar)).collect();
        let beside = pen::widest(&numbers) + 10.0;
        let least = self.bars.iter().map(|bar| bar.value).fold(0.0, f64::min);
        let left = if least < 0.0 { edge + beside } else { edge };
        let largest = self.full.unwrap_or_else(|| self.largest());
        let unit = (self.width - beside - left) / (largest - least);
        (left - unit * least, unit)
    }

    /// What stands at the end of a bar: with its sign, if bars have two.
    fn number(&self, bar: &Bar) -> String {
        let number = grouped(format!("{:.*}", self.decimals, bar.value));
        let signs = self.bars.iter().any(|bar| bar.value < 0.0);
        let plus = if signs && bar.value > 0.0 { "+" } else { "" };
        format!("{plus}{number}")
    }

    fn largest(&self) -> f64 {
        let largest =
            self.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        if largest > 0.0 { largest } else { 1.0 }
    }
}
