//! The machine of the book as a small drawing, and its parts.

use plot::{Diagram, Hue, Point};

macro_rules! parts {
    ($($part:ident: $name:literal,)+) => {
        /// A part of the machine that a chapter can explain.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub enum Part { $($part),+ }

        /// A part in words.
        pub fn name(part: Part) -> &'static str {
            match part { $(Part::$part => $name),+ }
        }
    };
}

parts! {
    Text: "the texts",
    Tokens: "the tokens",
    Embedding: "the embeddings",
    Position: "the positions",
    Rows: "the lines between the boxes",
    Attention: "the attention in every layer",
    Mask: "the masked attention of the decoder",
    Layer: "add & norm and feed-forward in every layer",
    Encoder: "the encoder",
    Bridge: "the way from the encoder to the decoder",
    Decoder: "the decoder",
    Probabilities: "the probabilities of the next word",
    Search: "the search, which feeds its choice back",
    Reference: "the right translation",
    Bleu: "the comparison with a person's translation",
    Loss: "the loss",
    Gradient: "the way back from the loss",
    Optimizer: "the optimizer",
    Checkpoint: "the checkpoint",
}

use Part::*;

/// What the machine is drawn with, in pixels of the strip.
pub enum Form {
    /// A box around its centre, of this width and height.
    Box(Point, Point),
    /// A frame from corner to corner.
    Frame(Point, Point),
    /// A line through the points.
    Line(Vec<Point>),
}

/// A piece of the drawing, and the parts it belongs to: it is lit with each of them.
pub type Shape = (&'static [Part], Form);

/// The heights of the two ways through the machine: the source's above, the target's below.
pub const ABOVE: f64 = 18.0;
pub const BELOW: f64 = 44.0;

impl Form {
    pub fn draw(
        &self,
        diagram: &mut Diagram,
        hue: Hue,
        place: &impl Fn(Point) -> Point,
    ) {
        match self {
            Form::Box(centre, size) => {
                let (corner, origin) = (place(*size), place((0.0, 0.0)));
                let size = (corner.0 - origin.0, corner.1 - origin.1);
                diagram.block(place(*centre), size, "", hue);
            }
            Form::Frame(from, to) => {
                let corners =
                    [*from, (to.0, from.1), *to, (from.0, to.1), *from];
                diagram.line(&corners.map(place), hue);
            }
            Form::Line(points) => {
                let points: Vec<_> =
                    points.iter().map(|at| place(*at)).collect();
                diagram.line(&points, hue);
            }
        }
    }
}

/// Every piece of the machine.
pub fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for y in [ABOVE, BELOW] {
        shapes.extend(entrance(y));
    }
    shapes.extend(encoder());
    shapes.extend(decoder());
    shapes.extend(exit());
    shapes.extend(training());
    shapes
}

/// From a text to rows with positions.
fn entrance(y: f64) -> Vec<Shape> {
    let mut shapes = text(&[Text], 10.0, y);
    for x in [30.0, 37.0, 44.0] {
        shapes.push((&[Tokens], Form::Box((x, y), (5.0, 6.0))));
    }
    shapes.push((&[Embedding], Form::Box((62.0, y), (12.0, 16.0))));
    shapes.push((&[Position], Form::Box((83.0, y), (11.0, 11.0))));
    for (from, to) in [(19.0, 27.0), (47.0, 56.0), (68.0, 77.0), (89.0, 98.0)]
    {
        shapes.push(row(from, to, y));
    }
    shapes
}

/// A text, as four lines around a centre.
fn text(parts: &'static [Part], x: f64, y: f64) -> Vec<Shape> {
    let line = |(down, width): (f64, f64)| {
        let points = vec![(x - 8.0, y + down), (x - 8.0 + width, y + down)];
        (parts, Form::Line(points))
    };
    [(-6.0, 16.0), (-2.0, 13.0), (2.0, 16.0), (6.0, 9.0)].map(line).into()
}

/// A way of rows from left to right.
fn row(from: f64, to: f64, y: f64) -> Shape {
    (&[Rows], Form::Line(vec![(from, y), (to, y)]))
}

fn encoder() -> Vec<Shape> {
    vec![
        (&[Encoder], Form::Frame((98.0, 7.0), (169.0, 29.0))),
        (&[Encoder, Attention], tall(114.0, 20.0, ABOVE)),
        (&[Encoder, Layer], tall(129.0, 4.0, ABOVE)),
        (&[Encoder, Layer], tall(146.0, 20.0, ABOVE)),
        (&[Encoder, Layer], tall(161.0, 4.0, ABOVE)),
        (
            &[Bridge, Rows],
            Form::Line(vec![
                (169.0, ABOVE),
                (176.0, ABOVE),
                (176.0, 31.0),
                (146.0, 31.0),
                (146.0, 36.0),
            ]),
        ),
    ]
}

fn decoder() -> Vec<Shape> {
    vec![
        (&[Decoder], Form::Frame((98.0, 33.0), (201.0, 55.0))),
        (&[Decoder, Attention, Mask], tall(114.0, 20.0, BELOW)),
        (&[Decoder, Layer], tall(129.0, 4.0, BELOW)),
        (&[Decoder, Attention], tall(146.0, 20.0, BELOW)),
        (&[Decoder, Layer], tall(161.0, 4.0, BELOW)),
        (&[Decoder, Layer], tall(178.0, 20.0, BELOW)),
        (&[Decoder, Layer], tall(193.0, 4.0, BELOW)),
    ]
}

/// A box as high as a layer's parts.
fn tall(x: f64, width: f64, y: f64) -> Form {
    Form::Box((x, y), (width, 16.0))
}

/// From the decoder to the written translation, and back to its own entrance.
fn exit() -> Vec<Shape> {
    let mut shapes = text(&[Text, Bleu], 282.0, BELOW);
    shapes.push(row(201.0, 213.0, BELOW));
    for (x, height) in
        [(216.0, 4.0), (221.0, 14.0), (226.0, 7.0), (231.0, 3.0)]
    {
        let centre = (x, 52.0 - height / 2.0);
        shapes.push((&[Probabilities], Form::Box(centre, (4.0, height))));
    }
    for end in [36.0, BELOW, 52.0] {
        let fork = vec![(240.0, BELOW), (246.0, BELOW), (264.0, end)];
        shapes.push((&[Search], Form::Line(fork)));
    }
    let back = [(282.0, 54.0), (282.0, 60.0), (10.0, 60.0), (10.0, 54.0)];
    shapes.push((&[Search], Form::Line(back.into())));
    shapes
}

/// What judges the machine, and what changes it.
fn training() -> Vec<Shape> {
    let mut shapes = text(&[Reference, Bleu], 282.0, ABOVE);
    let lines: [(&[Part], &[Point]); 7] = [
        (&[Bleu], &[(294.0, ABOVE), (302.0, ABOVE), (302.0, 25.0)]),
        (&[Bleu], &[(294.0, BELOW), (302.0, BELOW), (302.0, 37.0)]),
        (&[Loss], &[(270.0, ABOVE), (232.0, ABOVE)]),
        (&[Loss], &[(223.0, 34.0), (223.0, 26.0)]),
        (
            &[Gradient],
            &[(223.0, 10.0), (223.0, 3.0), (62.0, 3.0), (62.0, 10.0)],
        ),
        (&[Optimizer], &[(193.0, 3.0), (193.0, 10.0)]),
        (&[Checkpoint], &[(223.0, 3.0), (326.0, 3.0), (326.0, 10.0)]),
    ];
    for (parts, points) in lines {
        shapes.push((parts, Form::Line(points.into())));
    }
    shapes.push((&[Bleu], Form::Box((302.0, 31.0), (12.0, 12.0))));
    shapes.push((&[Loss], Form::Box((223.0, ABOVE), (18.0, 16.0))));
    shapes.push((&[Optimizer], Form::Box((193.0, ABOVE), (16.0, 16.0))));
    shapes.push((&[Checkpoint], Form::Box((326.0, ABOVE), (16.0, 16.0))));
    shapes
}

