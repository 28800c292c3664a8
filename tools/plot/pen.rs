//! The pen: what every kind of figure draws with.

use plotters::coord::Shift;
use plotters::element::{
    Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text,
};
use plotters::prelude::{
    Color, DrawingArea, FontTransform, IntoDrawingArea, IntoFont, RGBColor,
    SVGBackend, ShapeStyle, TextStyle,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Figure;
use super::svg::{self, FINE, TEXT};

/// A place in a figure, to the right and down.
pub type Point = (f64, f64);

/// The distance between two lines of text.
pub(super) const LINE: f64 = 16.0;

/// Plotters' SVG text comes out smaller than asked, by this factor.
const SHRINK: f64 = 1.24;

/// A colour that follows the page's theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hue {
    /// The colour of the text around the figure.
    Ink,
    /// Light grey, for rules and frames.
    Rule,
    /// The first series.
    Blue,
    /// The second series.
    Orange,
    /// The third series.
    Green,
    /// The fourth series.
    Purple,
    /// The target, and what belongs to it.
    Yellow,
    /// The sixth series.
    Sky,
    /// What is lit: the part of the machine that a chapter explains.
    Here,
    /// Ink in dashes: plotters would draw every dash as an element of its own.
    Dashed,
}

/// Declares what has a hue of its own in all figures of the book.
macro_rules! roles {
    ($($(#[doc = $means:literal])* $role:ident = $hue:ident;)*) => {
        /// The dictionary of colours. Modules, which are no data, are drawn in [`Hue::Rule`].
        impl Hue {
            $($(#[doc = $means])* pub const $role: Hue = Hue::$hue;)*

            /// Every role with what it means and its hue, as the page on notation prints them.
            pub const ROLES: &[(&str, Hue)] =
                &[$((concat!($($means),*), Hue::$hue)),*];
        }
    };
}

roles! {
    /// Queries.
    QUERIES = Orange;
    /// Keys.
    KEYS = Blue;
    /// Values.
    VALUES = Purple;
    /// Attention weights.
    WEIGHTS = Green;
    /// The source and the encoder.
    SOURCE = Sky;
    /// The target and the decoder.
    TARGET = Yellow;
    /// What a mask hides.
    MASK = Rule;
    /// A residual connection.
    RESIDUAL = Ink;
    /// Positive numbers in a map.
    POSITIVE = Blue;
    /// Negative numbers in a map.
    NEGATIVE = Orange;
    /// The model of the book, or the paper's way.
    OURS = Blue;
    /// What it is compared with.
    RIVAL = Orange;
    /// A second rival.
    SECOND_RIVAL = Purple;
    /// What is measured on the training data.
    TRAINING = Sky;
    /// What is measured on the validation data.
    VALIDATION = Green;
    /// Plain gradient descent.
    DESCENT = Yellow;
    /// Descent with momentum.
    MOMENTUM = Purple;
    /// Adam.
    ADAM = Green;
    /// The part or the moment that the text speaks of.
    HERE = Here;
}

impl Hue {
    /// The hue of the series with this index. Lines of orange and of yellow
    /// can hardly be told from each other, so yellow is not among them.
    pub(super) fn of_series(index: usize) -> Hue {
        use Hue::*;
        [Blue, Orange, Green, Purple, Ink, Sky][index % 6]
    }

    /// What plotters draws with. `svg` replaces each of these by a colour of the theme.
    pub(super) fn stand_in(self) -> RGBColor {
        match self {
            Hue::Ink => RGBColor(0, 0, 0),
            Hue::Rule => RGBColor(0xbb, 0xbb, 0xbb),
            Hue::Blue => RGBColor(0x00, 0x72, 0xb2),
            Hue::Orange => RGBColor(0xd5, 0x5e, 0x00),
            Hue::Green => RGBColor(0x00, 0x9e, 0x73),
            Hue::Purple => RGBColor(0xcc, 0x79, 0xa7),
            Hue::Yellow => RGBColor(0xe6, 0x9f, 0x00),
            Hue::Sky => RGBColor(0x56, 0xb4, 0xe9),
            Hue::Here => RGBColor(0xb8, 0x15, 0x3c),
            Hue::Dashed => RGBColor(1, 1, 1),
        }
    }

    /// A line of this hue, so many pixels wide.
    pub(super) fn stroke(self, width: f64) -> ShapeStyle {
        self.stand_in().stroke_width(fine(width) as u32)
    }

    fn fill(self, opacity: f64) -> ShapeStyle {
        self.stand_in().mix(opacity).filled()
    }
}

/// The part of a text that sits at its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
    /// The text runs upwards from its point.
    Upward,
}

/// Draws a figure of this size, in pixels.
pub(super) fn draw(
    title: &str,
    description: &str,
    size: Point,
    drawing: impl FnOnce(&Pen),
) -> Figure {
    let mut raw = String::new();
    let fine_size = (fine(size.0) as u32, fine(size.1) as u32);
    let area =
        SVGBackend::with_string(&mut raw, fine_size).into_drawing_area();
    let pen = Pen { area };
    drawing(&pen);
    drop(pen);
    let svg = svg::themed(&raw, title, description);
    Figure { svg }
}

/// Draws on a figure, in pixels from its upper left corner.
pub(super) struct Pen<'a> {
    /// Plotters' own view of the figure, in its finer pixels.
    pub area: DrawingArea<SVGBackend<'a>, Shift>,
}

impl<'a> Pen<'a> {
    /// A line through all the points.
    pub fn line(&self, points: &[Point], hue: Hue, width: f64) {
        self.put(PathElement::new(fine_points(points), hue.stroke(width)));
    }

    /// A filled shape.
    pub fn shape(&self, corners: &[Point], hue: Hue, opacity: f64) {
        self.put(Polygon::new(fine_points(corners), hue.fill(opacity)));
    }

    /// A filled rectangle.
    pub fn rectangle(
        &self,
        (x, y): Point,
        (width, height): Point,
        hue: Hue,
        opacity: f64,
    ) {
        let corners =
            [fine_point((x, y)), fine_point((x + width, y + height))];
        self.put(Rectangle::new(corners, hue.fill(opacity)));
    }

    /// The outline of a rectangle, one pixel wide.
    pub fn frame(&self, (x, y): Point, (width, height): Point, hue: Hue) {
        let corners =
            [fine_point((x, y)), fine_point((x + width, y + height))];
        self.put(Rectangle::new(corners, hue.stroke(1.0)));
    }

    /// A filled circle.
    pub fn disc(&self, centre: Point, radius: f64, hue: Hue, opacity: f64) {
        self.put(Circle::new(
            fine_point(centre),
            fine(radius),
            hue.fill(opacity),
        ));
    }

    /// The outline of a circle.
    pub fn ring(&self, centre: Point, radius: f64, hue: Hue) {
        self.put(Circle::new(
            fine_point(centre),
            fine(radius),
            hue.stroke(1.3),
        ));
    }

    /// One line of text; half of its height is above the point, half below.
    pub fn text(&self, at: Point, anchor: Anchor, text: &str) {
        if text.is_empty() {
            return;
        }
        self.assert_inside(at, anchor, text);
        let one_line = text.replace('\n', " ");
        self.put(Text::new(one_line, fine_point(at), text_style(anchor)));
    }

    /// One line of text that leads to a page.
    pub fn link(&self, at: Point, anchor: Anchor, text: &str, page: &str) {
        self.assert_inside(at, anchor, text);
        let text = svg::link(text, page);
        self.put(Text::new(text, fine_point(at), text_style(anchor)));
    }

    /// A text that is cut off should be seen by who draws it, not by who reads it.
    fn assert_inside(&self, (x, y): Point, anchor: Anchor, text: &str) {
        let (right, bottom) = self.area.dim_in_pixel();
        let (right, bottom) =
            (f64::from(right) / FINE, f64::from(bottom) / FINE);
        // The guess is generous, and here it must not be.
        let length = 0.8 * width(text);
        let inside = match anchor {
            Anchor::Start => 0.0 <= x && x + length <= right,
            Anchor::Middle => {
                0.0 <= x - length / 2.0 && x + length / 2.0 <= right
            }
            Anchor::End => 0.0 <= x - length && x <= right,
            Anchor::Upward => 0.0 <= y - length && y <= bottom,
        };
        assert!(inside, "the text `{text}` leaves its figure: give it room");
    }

    fn put<'e, E>(&self, element: E)
    where
        for<'b> &'b E: PointCollection<'b, (i32, i32)>,
        E: Drawable<SVGBackend<'a>> + 'e,
    {
        self.area.draw(&element).expect("drawing into a string cannot fail");
    }
}

/// The style of all text.
pub(super) fn text_style(anchor: Anchor) -> TextStyle<'static> {
    let (horizontal, turn) = match anchor {
        Anchor::Start => (HPos::Left, FontTransform::None),
        Anchor::Middle => (HPos::Center, FontTransform::None),
        Anchor::End => (HPos::Right, FontTransform::None),
        Anchor::Upward => (HPos::Left, FontTransform::Rotate270),
    };
    let font = ("sans-serif", TEXT * SHRINK * FINE).into_font();
    font.transform(turn)
        .color(&Hue::Ink.stand_in())
        .pos(Pos::new(horizontal, VPos::Center))
}

/// About how wide a text is. There is no font to measure with, so the guess is generous.
pub(super) fn width(text: &str) -> f64 {
    let shown = text.chars().filter(|c| !"_^{}*".contains(*c)).count();
    shown as f64 * TEXT * 0.56
}

/// The width of the widest text.
pub(super) fn widest<S: AsRef<str>>(texts: &[S]) -> f64 {
    texts.iter().map(|t| width(t.as_ref())).fold(0.0, f64::max)
}

/// A length in plotters' pixels.
pub(super) fn fine(length: f64) -> i32 {
    (length * FINE).round() as i32
}

fn fine_point((x, y): Point) -> (i32, i32) {
    (fine(x), fine(y))
}

fn fine_points(points: &[Point]) -> Vec<(i32, i32)> {
    points.iter().copied().map(fine_point).collect()
}
