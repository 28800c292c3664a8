//! Figures of heat maps: panels in rows, with signs between them.

use super::panel::Scale;
use super::pen::{self, Anchor, LINE, Pen};
use super::{Figure, Panel};

/// The distance from one panel or sign to the next, and around all.
const GAP: f64 = 12.0;

/// Matrices in rows, with signs such as `+` and `=` between them. Panels and signs below each other stand in line, so an
/// equation that is too wide is broken before a sign, and its first row begins with an empty one.
#[derive(Debug)]
#[must_use]
pub struct HeatMaps {
    title: String,
    description: String,
    rows: Vec<Vec<Item>>,
}

#[derive(Debug)]
enum Item {
    Panel(Box<Panel>),
    Sign(String),
}

impl HeatMaps {
    /// A figure without panels.
    pub fn new(title: &str, description: &str) -> HeatMaps {
        HeatMaps {
            title: title.to_string(),
            description: description.to_string(),
            rows: vec![Vec::new()],
        }
    }

    /// One more panel to the right.
    pub fn panel(mut self, panel: Panel) -> HeatMaps {
        self.last_row().push(Item::Panel(Box::new(panel)));
        self
    }

    /// A sign or a few words between two panels: `+`, `=`, `→`, `softmax`.
    pub fn sign(mut self, sign: &str) -> HeatMaps {
        self.last_row().push(Item::Sign(sign.to_string()));
        self
    }

    /// What follows goes into a new row below.
    pub fn next_row(mut self) -> HeatMaps {
        self.rows.push(Vec::new());
        self
    }

    /// Draws the panels.
    pub fn draw(&self) -> Figure {
        let columns = self.columns();
        let width =
            GAP + columns.iter().map(|(_, width)| width + GAP).sum::<f64>();
        let height: f64 =
            self.rows.iter().map(|row| row_height(row) + GAP).sum();
        let scales = self.scales();
        let room = scales.len() as f64 * (Scale::SIZE.1 + GAP / 2.0);
        let width = width.max(Scale::SIZE.0 + 2.0 * GAP);
        let size = (width.ceil(), (height + room + GAP).ceil());
        pen::draw(&self.title, &self.description, size, |pen| {
            let mut top = GAP;
            for row in &self.rows {
                draw_row(pen, row, &columns, top);
                top += row_height(row) + GAP;
            }
            for scale in &scales {
                let left = width - Scale::SIZE.0 - GAP;
                scale.draw(pen, (left, top));
                top += Scale::SIZE.1 + GAP / 2.0;
            }
        })
    }

    /// The scales of the panels, each once.
    fn scales(&self) -> Vec<Scale> {
        let items = self.rows.iter().flatten();
        let all = items.filter_map(Item::panel).filter_map(Panel::scale);
        let mut scales: Vec<Scale> = Vec::new();
        for scale in all {
            if !scales.contains(&scale) {
                scales.push(scale);
            }
        }
        scales
    }

    /// The room at the left of each panel's cells, and the width; the same for what is below each other.
    fn columns(&self) -> Vec<(f64, f64)> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let of_column = |column: usize| {
            let items = || self.rows.iter().filter_map(|row| row.get(column));
            let panels = items().filter_map(Item::panel);
            let indent =
                panels.map(|panel| panel.sides().0).fold(0.0, f64::max);
            let widths = items().map(|item| item.width(indent));
            (indent, widths.fold(0.0, f64::max))
        };
        (0..count).map(of_column).collect()
    }

    fn last_row(&mut self) -> &mut Vec<Item> {
        self.rows.last_mut().expect("there is always a row")
    }
}

impl Item {
    fn width(&self, indent: f64) -> f64 {
        match self {
            Item::Panel(panel) => indent + panel.body().0 + panel.sides().1,
            Item::Sign(sign) => pen::width(sign),
        }
    }

    fn panel(&self) -> Option<&Panel> {
        match self {
            Item::Panel(panel) => Some(panel),
            Item::Sign(_) => None,
        }
    }
}

/// The height from the top of a row to the middle of its cells, and from there to its bottom.
fn halves(row: &[Item]) -> (f64, f64) {
    let panels = || row.iter().filter_map(Item::panel);
    let above = panels().map(|panel| panel.head() + panel.body().1 / 2.0);
    let below = panels().map(|panel| panel.body().1 / 2.0);
    (above.fold(LINE / 2.0, f64::max), below.fold(LINE / 2.0, f64::max))
}

fn row_height(row: &[Item]) -> f64 {
    let (above, below) = halves(row);
    above + below
}

/// The room above a panel: the same for all of its height, so that their titles stand in line.
fn shared_head(row: &[Item], panel: &Panel) -> f64 {
    row.iter()
        .filter_map(Item::panel)
        .filter(|other| other.body().1 == panel.body().1)
        .map(Panel::head)
        .fold(0.0, f64::max)
}

fn draw_row(pen: &Pen, row: &[Item], columns: &[(f64, f64)], top: f64) {
    let middle = top + halves(row).0;
    let mut left = GAP;
    for (item, (indent, width)) in row.iter().zip(columns) {
        match item {
            Item::Sign(sign) => {
                let centre = left + width / 2.0;
                pen.text((centre, middle), Anchor::Middle, sign);
            }
            Item::Panel(panel) => {
                let corner = (left + indent, middle - panel.body().1 / 2.0);
                panel.draw(pen, corner, shared_head(row, panel));
            }
        }
        left += width + GAP;
    }
}
