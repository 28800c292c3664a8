//! Figures of heat maps: panels in rows, with signs between them.

use super::pen::{self, Anchor, LINE, Pen};
use super::{Figure, Panel};

/// The distance from one panel or sign to the next, and around all.
const GAP: f64 = 12.0;

/// Matrices in rows, with signs such as `+` and `=` between them.
pub struct HeatMaps {
    title: String,
    description: String,
    rows: Vec<Vec<Item>>,
}

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
<<<<<<< HEAD
        let width =
            self.rows.iter().map(|row| row_width(row)).fold(0.0, f64::max);
        let height: f64 =
            self.rows.iter().map(|row| row_height(row) + GAP).sum();
=======
        let indents = self.indents();
        let widths = self.rows.iter().map(|row| row_width(row, &indents));
        let width = widths.fold(0.0, f64::max);
        let height: f64 = self.rows.iter().map(|row| row_height(row) + GAP).sum();
>>>>>>> plot
        let size = (width.ceil(), (height + GAP).ceil());
        pen::draw(&self.title, &self.description, size, |pen| {
            let mut top = GAP;
            for row in &self.rows {
                draw_row(pen, row, &indents, top);
                top += row_height(row) + GAP;
            }
        })
    }

    /// The room at the left of each panel's cells, the same for panels below each other.
    fn indents(&self) -> Vec<f64> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let of_column = |column: usize| {
            let items = self.rows.iter().filter_map(|row| row.get(column));
            let panels = items.filter_map(Item::panel);
            panels.map(|panel| panel.sides().0).fold(0.0, f64::max)
        };
        (0..count).map(of_column).collect()
    }

    fn last_row(&mut self) -> &mut Vec<Item> {
        self.rows.last_mut().expect("there is always a row")
    }
}

<<<<<<< HEAD
impl Panel {
    /// A panel of this matrix.
    ///
    /// A matrix with negative numbers gets two hues, blue above zero and orange below.
    pub fn new<T: Scalar + Copy + Into<f64>>(matrix: &DMatrix<T>) -> Panel {
        Panel {
            matrix: matrix.map(Into::into),
            title: String::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            axes: None,
            decimals: None,
            full: None,
            cell: None,
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
        let side = (240.0 / longest).floor().clamp(3.0, 24.0);
        (side, side)
    }

    fn body(&self) -> Point {
        let (width, height) = self.cell_size();
        let (rows, columns) = self.matrix.shape();
        (width * columns as f64, height * rows as f64)
    }

    /// The room at the left of the cells, and at their right.
    fn sides(&self) -> (f64, f64) {
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
        let right = overhang.max(axis - self.body().0).max(0.0);
        (names.max(overhang), right)
    }

    fn width(&self) -> f64 {
        let (left, right) = self.sides();
        left + self.body().0 + right
    }

    /// The room above the cells.
    fn head(&self) -> f64 {
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
            _ => grouped(&format!("{value:.decimals$}")),
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

    /// Draws the panel with the upper left corner of its cells here, and its title so far above.
    fn draw(&self, pen: &Pen, corner: Point, head: f64) {
        self.draw_cells(pen, corner);
        pen.frame(corner, self.body(), Hue::Rule);
        self.draw_names(pen, corner);
        self.draw_axes(pen, corner);
        let middle = corner.0 + self.body().0 / 2.0;
        pen.text(
            (middle, corner.1 - head + LINE / 2.0),
            Anchor::Middle,
            &self.title,
        );
    }

    fn draw_cells(&self, pen: &Pen, (left, top): Point) {
        let (width, height) = self.cell_size();
        let most = if self.decimals.is_some() { READABLE } else { 1.0 };
        let strongest = self.strongest();
        for (row, line) in self.matrix.row_iter().enumerate() {
            for (column, value) in line.iter().enumerate() {
                let corner =
                    (left + column as f64 * width, top + row as f64 * height);
                draw_cell(
                    pen,
                    corner,
                    (width, height),
                    *value / strongest,
                    most,
                );
                if self.decimals.is_some() {
                    let middle =
                        (corner.0 + width / 2.0, corner.1 + height / 2.0);
                    pen.text(middle, Anchor::Middle, &self.number(*value));
                }
            }
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
        pen.text((left - 6.0, top - 2.0 - LINE / 2.0), Anchor::End, rows);
    }
}

/// A cell whose value is this share of the strongest.
fn draw_cell(pen: &Pen, corner: Point, size: Point, share: f64, most: f64) {
    if share == f64::NEG_INFINITY {
        pen.rectangle(corner, size, Hue::Rule, 0.4);
        return;
    }
    let hue = if share < 0.0 { Hue::Orange } else { Hue::Blue };
    let opacity = (share.abs().min(1.0) * most * 100.0).round() / 100.0;
    pen.rectangle(corner, size, hue, opacity);
}

=======
>>>>>>> plot
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

fn row_width(row: &[Item], indents: &[f64]) -> f64 {
    let items = row.iter().zip(indents);
    items
        .map(|(item, indent)| item.width(*indent) + GAP)
        .sum::<f64>()
        + GAP
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

fn draw_row(pen: &Pen, row: &[Item], indents: &[f64], top: f64) {
    let middle = top + halves(row).0;
    let mut left = GAP;
    for (item, indent) in row.iter().zip(indents) {
        let width = item.width(*indent);
        match item {
            Item::Sign(sign) => {
                let centre = left + width / 2.0;
                pen.text((centre, middle), Anchor::Middle, sign);
            }
            Item::Panel(panel) => {
<<<<<<< HEAD
                let corner =
                    (left + panel.sides().0, middle - panel.body().1 / 2.0);
=======
                let corner = (left + indent, middle - panel.body().1 / 2.0);
>>>>>>> plot
                panel.draw(pen, corner, shared_head(row, panel));
            }
        }
        left += width + GAP;
    }
}
