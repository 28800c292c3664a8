//! Line charts.

use std::ops::Range;

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::{SVGBackend, TRANSPARENT};
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::{Axis, Scale};
use super::names::{self, Curve, Frame, MARK};
use super::pen::{self, Anchor, LINE, Pen, fine};
use super::svg::FINE;
use super::{Figure, Hue, Point};

type Context<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// Lines and points over two axes, each series named where it is seen.
#[derive(Debug)]
#[must_use]
pub struct Chart {
    title: String,
    description: String,
    size: Point,
    x: Dimension,
    y: Dimension,
    bands: Vec<(Hue, Vec<Point>)>,
    series: Vec<Series>,
}

/// What is known of one axis before the data is.
#[derive(Debug, Default)]
struct Dimension {
    name: String,
    scale: Scale,
    range: Option<Range<f64>>,
    guides: Vec<(f64, String)>,
}

#[derive(Debug)]
struct Series {
    name: String,
    points: Vec<Point>,
    hue: Hue,
    joined: bool,
}

impl Chart {
    /// An empty chart.
    pub fn new(title: &str, description: &str) -> Chart {
        Chart {
            title: title.to_string(),
            description: description.to_string(),
            size: (500.0, 300.0),
            x: Dimension::default(),
            y: Dimension::default(),
            bands: Vec::new(),
            series: Vec::new(),
        }
    }

    /// The figure's natural size in pixels, 500 × 300 if not said.
    pub fn size(mut self, width: f64, height: f64) -> Chart {
        self.size = (width, height);
        self
    }

    /// What the horizontal axis counts.
    pub fn x(mut self, name: &str) -> Chart {
        self.x.name = name.to_string();
        self
    }

    /// What the vertical axis counts.
    pub fn y(mut self, name: &str) -> Chart {
        self.y.name = name.to_string();
        self
    }

    /// Makes the horizontal axis logarithmic.
    pub fn log_x(mut self) -> Chart {
        self.x.scale = Scale::Log;
        self
    }

    /// Makes the vertical axis logarithmic.
    pub fn log_y(mut self) -> Chart {
        self.y.scale = Scale::Log;
        self
    }

    /// Fixes the horizontal axis, for frames that share it. Points beyond its ends are left out.
    pub fn x_range(mut self, range: Range<f64>) -> Chart {
        self.x.range = Some(range);
        self
    }

    /// Fixes the vertical axis, for frames that share it. Points beyond its ends are left out.
    pub fn y_range(mut self, range: Range<f64>) -> Chart {
        self.y.range = Some(range);
        self
    }

    /// A series drawn as a line.
    pub fn line(
        self,
        name: &str,
        points: impl IntoIterator<Item = Point>,
    ) -> Chart {
        let hue = Hue::of_series(self.series.len());
        self.line_in(hue, name, points)
    }

    /// A series drawn as a line, in a hue of its own.
    pub fn line_in(
        self,
        hue: Hue,
        name: &str,
        points: impl IntoIterator<Item = Point>,
    ) -> Chart {
        self.series(hue, name, points, true)
    }

    /// A series drawn as dots.
    pub fn dots(
        self,
        name: &str,
        points: impl IntoIterator<Item = Point>,
    ) -> Chart {
        let hue = Hue::of_series(self.series.len());
        self.series(hue, name, points, false)
    }

    /// A pale area between two lines with the same points of the horizontal
    /// axis: the interval of a series of this hue.
    pub fn band(
        mut self,
        hue: Hue,
        below: impl IntoIterator<Item = Point>,
        above: impl IntoIterator<Item = Point>,
    ) -> Chart {
        let mut corners = Vec::from_iter(above);
        corners.reverse();
        self.bands.push((hue, below.into_iter().chain(corners).collect()));
        self
    }

    /// A dashed vertical line, named above the chart.
    pub fn guide_x(mut self, x: f64, name: &str) -> Chart {
        self.x.guides.push((x, name.to_string()));
        self
    }

    /// A dashed horizontal line with its name.
    pub fn guide_y(mut self, y: f64, name: &str) -> Chart {
        self.y.guides.push((y, name.to_string()));
        self
    }

    /// Draws the chart.
    pub fn draw(&self) -> Figure {
        assert!(
            self.series.iter().any(|series| !series.points.is_empty()),
            "a chart needs at least one point"
        );
        pen::draw(&self.title, &self.description, self.size, |pen| {
            let chart = self.axes(pen);
            self.draw_bands(pen, &chart);
            self.draw_vertical_guides(pen, &chart);
            self.draw_level_guides(pen, &chart);
            self.draw_series(pen, &chart);
            self.draw_names(pen, &chart);
        })
    }

    fn series(
        mut self,
        hue: Hue,
        name: &str,
        points: impl IntoIterator<Item = Point>,
        joined: bool,
    ) -> Chart {
        self.series.push(Series {
            name: name.to_string(),
            points: points.into_iter().collect(),
            hue,
            joined,
        });
        self
    }

    fn axes<'a, 'b>(&self, pen: &'a Pen<'b>) -> Context<'a, 'b> {
        let x = self.x.axis(self.points().map(|point| point.0));
        let x = x.counting(self.points().all(|(x, _)| x.fract() == 0.0));
        let mut y = self.y.axis(self.points().map(|point| point.1));
        if self.y.range.is_none() {
            y = y.rounded();
        }
        let numbers = y.labels();
        let right = (pen::widest(&x.labels()) / 2.0).max(16.0);
        let mut chart = ChartBuilder::on(&pen.area)
            .margin_top(fine(10.0 + LINE * self.x.guides.len() as f64))
            .margin_right(fine(right))
            .margin_bottom(fine(5.0))
            .margin_left(fine(4.0))
            .x_label_area_size(fine(44.0))
            .y_label_area_size(fine(pen::widest(&numbers) + 34.0))
            .build_cartesian_2d(x, y)
            .expect("drawing into a string cannot fail");
        self.draw_mesh(&mut chart);
        chart
    }

    fn draw_mesh(&self, chart: &mut Context) {
        let text = pen::text_style(Anchor::Middle);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(Hue::Rule.stroke(0.6))
            .axis_style(Hue::Ink.stroke(1.0))
            .set_all_tick_mark_size(fine(5.0))
            .label_style(text.clone())
            .axis_desc_style(text.pos(Pos::new(HPos::Center, VPos::Center)))
            .x_desc(&self.x.name)
            .y_desc(&self.y.name)
            .draw()
            .expect("drawing into a string cannot fail");
    }

    /// Each guide reaches up to its name, and the further left it is the higher: so that no
    /// guide runs through the name of another.
    fn draw_vertical_guides(&self, pen: &Pen, chart: &Context) {
        let (_, bottom) = ends(chart, 1);
        let mut guides = self.x.guides.clone();
        guides.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (row, (x, name)) in guides.iter().enumerate() {
            let top = 6.0 + LINE * row as f64;
            let (x, _) = place(chart, (*x, chart.y_range().start));
            pen.line(&[(x, bottom), (x, top)], Hue::Dashed, 1.0);
            let (side, anchor) = if x + pen::width(name) + 8.0 > self.size.0 {
                (x - 5.0, Anchor::End)
            } else {
                (x + 5.0, Anchor::Start)
            };
            pen.text((side, top + LINE / 2.0), anchor, name);
        }
    }

    fn draw_bands(&self, pen: &Pen, chart: &Context) {
        for (hue, corners) in &self.bands {
            let corners: Vec<_> =
                corners.iter().map(|point| place(chart, *point)).collect();
            pen.shape(&corners, *hue, 0.2);
        }
    }

    fn draw_series(&self, pen: &Pen, chart: &Context) {
        for series in &self.series {
            for run in series.runs(chart) {
                if series.joined {
                    pen.line(&run, series.hue, 2.0);
                } else {
                    let dot =
                        |at: &Point| pen.disc(*at, 3.0, series.hue, 1.0);
                    run.iter().for_each(dot);
                }
            }
        }
    }

    fn draw_level_guides(&self, pen: &Pen, chart: &Context) {
        for (y, _) in &self.y.guides {
            pen.line(&level(chart, *y), Hue::Dashed, 1.0);
        }
    }

    /// Near each series and each level guide its name, where neither a line nor another name is.
    fn draw_names(&self, pen: &Pen, chart: &Context) {
        let (left, right) = ends(chart, 0);
        let (top, bottom) = ends(chart, 1);
        let of_series = self.series.iter().map(|series| {
            let (name, joined) = (&*series.name, series.joined);
            let runs = series.runs(chart);
            (series.hue, Curve { name, runs, joined })
        });
        let line = |name, points| {
            (Hue::Dashed, Curve { name, runs: vec![points], joined: true })
        };
        let levels = self.y.guides.iter();
        let levels = levels.map(|(y, name)| line(&**name, level(chart, *y)));
        let rules = chart.as_coord_spec().y_spec().ticks().into_iter();
        let rules = rules.map(|tick| line("", level(chart, tick)));
        let upright = self.x.guides.iter().map(|(x, _)| {
            let (x, _) = place(chart, (*x, chart.y_range().start));
            line("", vec![(x, bottom), (x, top)])
        });
        let axes =
            line("", vec![(left, top), (left, bottom), (right, bottom)]);
        let around = rules.chain(upright).chain([axes]);
        let (hues, curves): (Vec<_>, Vec<_>) =
            of_series.chain(levels).chain(around).unzip();
        let frame = Frame { left, top, right, bottom };
        let places = names::places(frame, &curves);
        for ((curve, hue), (x, y)) in curves.iter().zip(hues).zip(places) {
            if !curve.name.is_empty() {
                draw_mark(pen, (x, y), hue, curve.joined);
                pen.text((x + MARK, y), Anchor::Start, curve.name);
            }
        }
    }

    fn points(&self) -> impl Iterator<Item = Point> {
        let bands = self.bands.iter().flat_map(|(_, corners)| corners);
        let series = self.series.iter().flat_map(|series| &series.points);
        bands.chain(series).copied()
    }
}

impl Series {
    /// Where its points lie in the figure; those beyond the axes leave a gap.
    fn runs(&self, chart: &Context) -> Vec<Vec<Point>> {
        let runs = self.points.split(|point| !is_inside(chart, *point));
        let runs = runs.filter(|run| !run.is_empty());
        runs.map(|run| run.iter().map(|point| place(chart, *point)).collect())
            .collect()
    }
}

impl Dimension {
    /// The axis that holds all the numbers, and the guides.
    fn axis(&self, numbers: impl Iterator<Item = f64>) -> Axis {
        let guides = self.guides.iter().map(|(number, _)| *number);
        let (low, high) = numbers
            .chain(guides)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), n| {
                (low.min(n), high.max(n))
            });
        match &self.range {
            Some(range) => Axis::new(range.clone(), self.scale),
            None => Axis::new(low..high, self.scale).with_zero_nearby(),
        }
    }
}

/// The sample of line or dot before a name.
fn draw_mark(pen: &Pen, (x, y): Point, hue: Hue, joined: bool) {
    if joined {
        let width = if hue == Hue::Dashed { 1.0 } else { 2.0 };
        pen.line(&[(x, y), (x + 14.0, y)], hue, width);
    } else {
        pen.disc((x + 7.0, y), 3.0, hue, 1.0);
    }
}

/// Whether a point lies between the ends of both axes; one that is not a number does not.
fn is_inside(chart: &Context, (x, y): Point) -> bool {
    let axes = chart.as_coord_spec();
    axes.x_spec().holds(x) && axes.y_spec().holds(y)
}

/// Where a point of the data lies in the figure.
fn place(chart: &Context, point: Point) -> Point {
    let (x, y) = chart.backend_coord(&point);
    (f64::from(x) / FINE, f64::from(y) / FINE)
}

/// A line through the whole chart.
fn level(chart: &Context, y: f64) -> Vec<Point> {
    let axis = chart.x_range();
    vec![place(chart, (axis.start, y)), place(chart, (axis.end, y))]
}

/// Where the plotting area begins and ends, from left to right (0) or from top to bottom (1).
fn ends(chart: &Context, direction: usize) -> Point {
    let (x, y) = chart.plotting_area().get_pixel_range();
    let range = if direction == 0 { x } else { y };
    (f64::from(range.start) / FINE, f64::from(range.end) / FINE)
}
