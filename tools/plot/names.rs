//! Where the names of curves stand: within the frame of a chart, near what they name, and where nothing crosses them.

use super::Point;
use super::pen::{self, LINE};

/// The sample of a line or of a dot before its name, with the space after it.
pub(super) const MARK: f64 = 19.0;

/// Around every line, and between two names.
const SPACE: f64 = 3.0;

/// From one place that is tried to the next.
const STEP: Point = (4.0, 2.0);

/// A name is nearer to its own curve than to any other by so much, where that can be.
const CLEARLY: f64 = 8.0;

/// An upright rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// What is drawn in the frame, as the lines and dots that it consists of, and its name if it has one.
#[derive(Debug)]
pub(super) struct Curve<'a> {
    pub name: &'a str,
    pub runs: Vec<Vec<Point>>,
    pub joined: bool,
}

/// For each curve the left end of its name at half its height.
///
/// # Panics
/// If a name finds no place.
pub(super) fn places(frame: Frame, curves: &[Curve]) -> Vec<Point> {
    let paths: Vec<_> = curves.iter().map(Curve::path).collect();
    let mut ground = Ground::new(frame);
    for &point in paths.iter().flatten() {
        ground.take(Frame::around(point));
    }
    let named = |index: &usize| !curves[*index].name.is_empty();
    let rivals: Vec<_> = (0..curves.len()).filter(named).collect();
    let nearest = |ground: &Ground, index: usize| {
        let others = rivals.iter().filter(|rival| **rival != index);
        let others: Vec<_> = others.map(|rival| &*paths[*rival]).collect();
        let name = curves[index].name;
        ground.nearest(name, &paths[index], &others).unwrap_or_else(|| {
            panic!("the name `{name}` has no room: make the chart larger")
        })
    };
    // Those that are hard to place come first, and leave room for the others.
    let mut order: Vec<_> = rivals
        .iter()
        .map(|index| (nearest(&ground, *index).0, *index))
        .collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut found = vec![(0.0, 0.0); curves.len()];
    for (_, index) in order {
        let (_, taken) = nearest(&ground, index);
        ground.take(taken);
        found[index] = (taken.left, (taken.top + taken.bottom) / 2.0);
    }
    found
}

impl Frame {
    /// What a point of a curve takes.
    fn around((x, y): Point) -> Frame {
        let (left, right) = (x - SPACE, x + SPACE);
        Frame { left, top: y - SPACE, right, bottom: y + SPACE }
    }

    fn distance(&self, (x, y): Point) -> f64 {
        let across = (self.left - x).max(x - self.right).max(0.0);
        let down = (self.top - y).max(y - self.bottom).max(0.0);
        across.hypot(down)
    }

    fn distance_to(&self, path: &[Point]) -> f64 {
        let distances = path.iter().step_by(3).map(|at| self.distance(*at));
        distances.fold(f64::INFINITY, f64::min)
    }
}

impl Curve<'_> {
    /// Its points, not more than a pixel from one to the next if they are joined.
    fn path(&self) -> Vec<Point> {
        if !self.joined {
            return self.runs.concat();
        }
        let mut path = Vec::new();
        for run in &self.runs {
            path.extend(run.first());
            for pair in run.windows(2) {
                let [(x, y), (to_x, to_y)] = [pair[0], pair[1]];
                let steps = (to_x - x).hypot(to_y - y).ceil() as u32;
                path.extend((1..=steps).map(|step| {
                    let share = f64::from(step) / f64::from(steps);
                    (x + share * (to_x - x), y + share * (to_y - y))
                }));
            }
        }
        path
    }
}

/// Which pixels of a frame are taken.
struct Ground {
    frame: Frame,
    columns: usize,
    taken: Vec<bool>,
}

impl Ground {
    fn new(frame: Frame) -> Ground {
        let columns = (frame.right - frame.left) as usize;
        let rows = (frame.bottom - frame.top) as usize;
        Ground { frame, columns, taken: vec![false; columns * rows] }
    }

    fn rows(&self) -> usize {
        self.taken.len() / self.columns
    }

    fn take(&mut self, place: Frame) {
        let (width, height) = (self.columns as f64, self.rows() as f64);
        let across = |x: f64| (x - self.frame.left).clamp(0.0, width);
        let down = |y: f64| (y - self.frame.top).clamp(0.0, height);
        let columns =
            across(place.left) as usize..across(place.right).ceil() as usize;
        for row in
            down(place.top) as usize..down(place.bottom).ceil() as usize
        {
            let start = row * self.columns;
            self.taken[start + columns.start..start + columns.end].fill(true);
        }
    }

    /// How many pixels are taken above and to the left of each corner of a pixel: with four of these sums, those in a rectangle are
    /// counted.
    fn sums(&self) -> Vec<u32> {
        let width = self.columns + 1;
        let mut sums = vec![0; width * (self.rows() + 1)];
        for row in 0..self.rows() {
            for column in 0..self.columns {
                let corner = row * width + column;
                let taken =
                    u32::from(self.taken[row * self.columns + column]);
                sums[corner + width + 1] =
                    taken + sums[corner + width] + sums[corner + 1]
                        - sums[corner];
            }
        }
        sums
    }

    /// The best free place for the name of a curve, and how bad it is: how far from the curve, how much nearer to others, and, with
    /// little weight, how far from the right.
    fn nearest(
        &self,
        name: &str,
        own: &[Point],
        others: &[&[Point]],
    ) -> Option<(f64, Frame)> {
        let (width, height) = (MARK + pen::width(name), LINE - 2.0);
        let sums = self.sums();
        let is_free = |left: f64, top: f64| {
            let corner = |x: f64, y: f64| {
                sums[y as usize * (self.columns + 1) + x as usize]
            };
            let (right, bottom) = (left + width.ceil(), top + height);
            corner(right, bottom) + corner(left, top)
                == corner(left, bottom) + corner(right, top)
        };
        let last =
            (self.columns as f64 - width.ceil(), self.rows() as f64 - height);
        let steps = |last: f64, step: f64| {
            (0..)
                .map(move |n| f64::from(n) * step)
                .take_while(move |at| *at <= last)
        };
        let mut best: Option<(f64, Frame)> = None;
        for top in steps(last.1, STEP.1) {
            for left in
                steps(last.0, STEP.0).filter(|left| is_free(*left, top))
            {
                let (x, y) = (self.frame.left + left, self.frame.top + top);
                let place = Frame {
                    left: x,
                    top: y,
                    right: x + width,
                    bottom: y + height,
                };
                let distance = place.distance_to(own);
                let away = (last.0 - left) / 50.0;
                let most = best.map_or(f64::INFINITY, |(badness, _)| badness);
                if distance + away >= most {
                    continue;
                }
                let other = others
                    .iter()
                    .map(|path| place.distance_to(path))
                    .fold(f64::INFINITY, f64::min);
                let doubt = (distance + CLEARLY - other).max(0.0);
                let badness = distance + away + 2.0 * doubt;
                if badness < most {
                    best = Some((badness, place));
                }
            }
        }
        best
    }
}
