//! Line charts.

use std::ops::Range;

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::{SVGBackend, TRANSPARENT};
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::{Axis, Scale};
use super::pen::{self, Anchor, LINE, Pen, fine};
use super::svg::FINE;
use super::{Figure, Hue, Point};

type Context<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// Lines and points over two axes, each series named at its right end.
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

/// A name at the right of the chart, with what it names.
struct Name<'a> {
    height: f64,
    text: &'a str,
    hue: Hue,
    joined: bool,
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

    /// A dashed horizontal line, named at its right end.
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
        let mut y = self.y.axis(self.points().map(|point| point.1));
        if self.y.range.is_none() {
            y = y.rounded();
        }
        let numbers = y.labels();
        let right = self.names_width().max(pen::widest(&x.labels()) / 2.0);
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
            let hue = series.hue;
            let runs = series.points.split(|point| !is_inside(chart, *point));
            for run in runs.filter(|run| !run.is_empty()) {
                let places: Vec<_> =
                    run.iter().map(|point| place(chart, *point)).collect();
                if series.joined {
                    pen.line(&places, hue, 2.0);
                } else {
                    places.iter().for_each(|at| pen.disc(*at, 3.0, hue, 1.0));
                }
            }
        }
    }

    fn draw_level_guides(&self, pen: &Pen, chart: &Context) {
        let (left, right) = ends(chart, 0);
        for (y, _) in &self.y.guides {
            let height = height_of(chart, *y);
            pen.line(&[(left, height), (right, height)], Hue::Dashed, 1.0);
        }
    }

    /// At the right, the name of each series beside its last point and of each level guide.
    fn draw_names(&self, pen: &Pen, chart: &Context) {
        let (_, right) = ends(chart, 0);
        let (_, bottom) = ends(chart, 1);
        let mut names = self.names(chart);
        names.sort_by(|one, other| one.height.total_cmp(&other.height));
        let heights = names.iter().map(|name| name.height).collect();
        for (name, height) in names.iter().zip(spread(heights, bottom)) {
            draw_mark(pen, (right + 6.0, height), name.hue, name.joined);
            pen.text((right + 25.0, height), Anchor::Start, name.text);
        }
    }

    fn names(&self, chart: &Context) -> Vec<Name<'_>> {
        let of_series = self.series.iter().filter_map(|series| {
            let mut shown = series
                .points
                .iter()
                .filter(|point| is_inside(chart, **point));
            let (_, y) = shown.next_back()?;
            Some(Name {
                height: height_of(chart, *y),
                text: &series.name,
                hue: series.hue,
                joined: series.joined,
            })
        });
        let of_guides = self.y.guides.iter().map(|(y, text)| Name {
            height: height_of(chart, *y),
            text,
            hue: Hue::Dashed,
            joined: true,
        });
        let names = of_series.chain(of_guides);
        names.filter(|name| !name.text.is_empty()).collect()
    }

    fn names_width(&self) -> f64 {
        let series = self.series.iter().map(|series| &series.name);
        let guides = self.y.guides.iter().map(|(_, name)| name);
        let names: Vec<_> = series.chain(guides).collect();
        match pen::widest(&names) {
            0.0 => 16.0,
            width => width + 29.0,
        }
    }

    fn points(&self) -> impl Iterator<Item = Point> {
        let bands = self.bands.iter().flat_map(|(_, corners)| corners);
        let series = self.series.iter().flat_map(|series| &series.points);
        bands.chain(series).copied()
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

fn height_of(chart: &Context, y: f64) -> f64 {
    place(chart, (chart.x_range().start, y)).1
}

/// Where the plotting area begins and ends, from left to right (0) or from top to bottom (1).
fn ends(chart: &Context, direction: usize) -> Point {
    let (x, y) = chart.plotting_area().get_pixel_range();
    let range = if direction == 0 { x } else { y };
    (f64::from(range.start) / FINE, f64::from(range.end) / FINE)
}

/// Moves heights (in order) apart until no two names overlap, and none lies below the bottom.
fn spread(mut heights: Vec<f64>, bottom: f64) -> Vec<f64> {
    for next in 1..heights.len() {
        heights[next] = heights[next].max(heights[next - 1] + LINE);
    }
    let mut limit = bottom;
    for height in heights.iter_mut().rev() {
        *height = height.min(limit);
        limit = *height - LINE;
    }
    heights
}
