//! Diagrams: boxes, arrows, frames around them.

use std::f64::consts::{FRAC_PI_2, PI};

use super::pen::{self, Anchor, LINE, Pen};
use super::{Figure, Hue, Point};

/// The pixels from one line of the grid to the next.
const UNIT: f64 = 20.0;

/// The length of an arrow's head in pixels.
const HEAD: f64 = 9.0;

/// Boxes and arrows on a grid whose lines are 20 pixels apart, to the right and down.
#[derive(Debug)]
#[must_use]
pub struct Diagram {
    title: String,
    description: String,
    size: Point,
    grid: Grid,
    parts: Vec<Part>,
}

/// The pixels from one line of the grid to the next, to the right and down.
#[derive(Clone, Copy, Debug)]
struct Grid(f64, f64);

#[derive(Debug)]
enum Part {
    Block(Block, String, Hue),
    Circle(Block, String),
    Frame(Block, Side, String),
    Line { points: Vec<Point>, hue: Hue, arrow: bool },
    Note(Point, Side, String),
    Link(Point, Side, String, String),
}

/// A placed box or circle: arrows go from and to the middles of its edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    centre: Point,
    size: Point,
}

/// The side of its point on which a note stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// At the left of it.
    Left,
    /// At the right of it.
    Right,
    /// Above it.
    Above,
    /// Below it.
    Below,
    /// In the middle of it.
    On,
}

impl Block {
    /// The middle of the upper edge.
    pub fn top(self) -> Point {
        self.along(0.0, -0.5)
    }

    /// The middle of the lower edge.
    pub fn bottom(self) -> Point {
        self.along(0.0, 0.5)
    }

    /// The middle of the left edge.
    pub fn left(self) -> Point {
        self.along(-0.5, 0.0)
    }

    /// The middle of the right edge.
    pub fn right(self) -> Point {
        self.along(0.5, 0.0)
    }

    /// A place in the block: (0, 0) is its centre, (0.5, 0.5) its lower right corner.
    pub fn along(self, across: f64, down: f64) -> Point {
        let (x, y) = self.centre;
        (x + across * self.size.0, y + down * self.size.1)
    }
}

impl Diagram {
    /// An empty diagram, so many lines of the grid wide and high.
    pub fn new(
        title: &str,
        description: &str,
        width: f64,
        height: f64,
    ) -> Diagram {
        Diagram {
            title: title.to_string(),
            description: description.to_string(),
            size: (width, height),
            grid: Grid(UNIT, UNIT),
            parts: Vec::new(),
        }
    }

    /// The lines of the grid are so many pixels apart to the right, and 20 down as before: what is wide becomes narrower by it.
    pub fn across(mut self, unit: f64) -> Diagram {
        self.grid = Grid(unit, UNIT);
        self
    }

    /// A box around its centre, with one line of text or more.
    pub fn block(
        &mut self,
        centre: Point,
        size: Point,
        text: &str,
        hue: Hue,
    ) -> Block {
        let block = Block { centre, size };
        self.parts.push(Part::Block(block, text.to_string(), hue));
        block
    }

    /// A small circle with a sign in it, such as `+`.
    pub fn circle(&mut self, centre: Point, sign: &str) -> Block {
        let block = Block { centre, size: (1.0, 1.0) };
        self.parts.push(Part::Circle(block, sign.to_string()));
        block
    }

    /// A rounded frame from corner to corner, with a name (`6 ×`) outside, on the side given.
    pub fn frame(&mut self, from: Point, to: Point, side: Side, name: &str) {
        let block = Block {
            centre: ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0),
            size: (to.0 - from.0, to.1 - from.1),
        };
        self.parts.push(Part::Frame(block, side, name.to_string()));
    }

    /// An arrow through the points, its head at the last.
    pub fn arrow(&mut self, points: &[Point], hue: Hue) {
        self.push_line(points, hue, true);
    }

    /// A line through the points.
    pub fn line(&mut self, points: &[Point], hue: Hue) {
        self.push_line(points, hue, false);
    }

    /// Text beside a point, of one line or more.
    pub fn note(&mut self, at: Point, side: Side, text: &str) {
        self.parts.push(Part::Note(at, side, text.to_string()));
    }

    /// A line of text beside a point that leads to a page, such as `attention.html`.
    pub fn link(&mut self, at: Point, side: Side, text: &str, page: &str) {
        let (text, page) = (text.to_string(), page.to_string());
        self.parts.push(Part::Link(at, side, text, page));
    }

    /// Draws the diagram.
    pub fn draw(&self) -> Figure {
        let size = self.grid.pixels(self.size);
        pen::draw(&self.title, &self.description, size, |pen| {
            for part in &self.parts {
                part.draw(pen, self.grid);
            }
        })
    }

    fn push_line(&mut self, points: &[Point], hue: Hue, arrow: bool) {
        assert!(points.len() > 1, "a line needs two points");
        let points = points.to_vec();
        self.parts.push(Part::Line { points, hue, arrow });
    }
}

impl Part {
    fn draw(&self, pen: &Pen, grid: Grid) {
        match self {
            Part::Block(block, text, hue) => {
                let outline = grid.rounded(*block, 5.0);
                let lit = *hue == Hue::Here;
                pen.shape(&outline, *hue, if lit { 0.9 } else { 0.22 });
                pen.line(&outline, *hue, 1.3);
                draw_text(pen, grid.pixels(block.centre), Side::On, text);
            }
            Part::Circle(block, sign) => {
                let centre = grid.pixels(block.centre);
                pen.ring(centre, UNIT / 2.0, Hue::Ink);
                pen.text(centre, Anchor::Middle, sign);
            }
            Part::Frame(block, side, name) => {
                pen.line(&grid.rounded(*block, 10.0), Hue::Rule, 1.5);
                let place = match side {
                    Side::Left => block.left(),
                    Side::Right => block.right(),
                    Side::Above => block.top(),
                    Side::Below => block.bottom(),
                    Side::On => block.centre,
                };
                draw_text(pen, grid.pixels(place), *side, name);
            }
            Part::Line { points, hue, arrow } => {
                let points: Vec<_> =
                    points.iter().map(|at| grid.pixels(*at)).collect();
                draw_line(pen, points, *hue, *arrow);
            }
            Part::Note(at, side, text) => {
                draw_text(pen, grid.pixels(*at), *side, text)
            }
            Part::Link(at, side, text, page) => {
                let (at, anchor) = beside(grid.pixels(*at), *side);
                pen.link(at, anchor, text, page);
            }
        }
    }
}

impl Grid {
    fn pixels(self, (x, y): Point) -> Point {
        (x * self.0, y * self.1)
    }

    /// The closed outline of a block with rounded corners, in pixels.
    fn rounded(self, block: Block, radius: f64) -> Vec<Point> {
        let (width, height) = self.pixels(block.size);
        let radius = radius.min(width.min(height) / 3.0);
        let turns = [(0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)];
        let mut outline = Vec::new();
        for (corner, (across, down)) in turns.into_iter().enumerate() {
            let (x, y) = self.pixels(block.along(across, down));
            let centre = (x - across * 2.0 * radius, y - down * 2.0 * radius);
            let start = (corner as f64 - 1.0) * FRAC_PI_2;
            outline.extend((0..=4).map(|step| {
                let angle = start + f64::from(step) * FRAC_PI_2 / 4.0;
                let (x, y) = (angle.cos(), angle.sin());
                (centre.0 + radius * x, centre.1 + radius * y)
            }));
        }
        outline.push(outline[0]);
        outline
    }
}

fn draw_line(pen: &Pen, mut points: Vec<Point>, hue: Hue, arrow: bool) {
    let last = points.len() - 1;
    if arrow {
        let (from, tip) = (points[last - 1], points[last]);
        let angle = (tip.1 - from.1).atan2(tip.0 - from.0);
        let corner = |turn: f64| {
            let side = angle + PI + turn;
            (tip.0 + HEAD * side.cos(), tip.1 + HEAD * side.sin())
        };
        let hue = if hue == Hue::Dashed { Hue::Ink } else { hue };
        pen.shape(&[tip, corner(0.4), corner(-0.4)], hue, 1.0);
        // The line ends inside the head, so that its end does not blunt the tip.
        points[last] = (
            tip.0 - HEAD / 2.0 * angle.cos(),
            tip.1 - HEAD / 2.0 * angle.sin(),
        );
    }
    let quiet = matches!(hue, Hue::Ink | Hue::Rule | Hue::Dashed);
    pen.line(&points, hue, if quiet { 1.3 } else { 2.5 });
}

/// Lines of text beside a point in pixels.
fn draw_text(pen: &Pen, (x, y): Point, side: Side, text: &str) {
    let count = text.lines().count() as f64;
    let ((x, _), anchor) = beside((x, y), side);
    let middle = match side {
        Side::Above => y - 4.0 - count * LINE / 2.0,
        Side::Below => y + 4.0 + count * LINE / 2.0,
        _ => y,
    };
    for (row, line) in text.lines().enumerate() {
        let height = middle + (row as f64 + 0.5 - count / 2.0) * LINE;
        pen.text((x, height), anchor, line);
    }
}

/// Where a text at the left or the right of a point, or on it, has its place.
fn beside((x, y): Point, side: Side) -> (Point, Anchor) {
    match side {
        Side::Left => ((x - 6.0, y), Anchor::End),
        Side::Right => ((x + 6.0, y), Anchor::Start),
        _ => ((x, y), Anchor::Middle),
    }
}
