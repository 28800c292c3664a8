//! The machine of this book: a map of its parts, and for the head of each chapter a strip on which the chapter's part is lit.
//!
//!     cargo run --example machine -- --out src/figures

use plot::{Diagram, Figure, Hue, Point, Side};

/// The table of contents, which has the titles of the chapters.
const SUMMARY: &str = include_str!("../../src/SUMMARY.md");

/// The size of the strip, in pixels. The drawing of the machine takes all of its width.
const STRIP: Point = (340.0, 80.0);

/// How much larger the machine is on the map, and where its upper left corner is there.
const ZOOM: f64 = 1.3;
const CORNER: Point = (4.0, 130.0);

/// A part of the machine that a chapter can explain.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Text,
    Tokens,
    Embedding,
    Position,
    Rows,
    Attention,
    Mask,
    Layer,
    Encoder,
    Bridge,
    Decoder,
    Probabilities,
    Search,
    Reference,
    Bleu,
    Loss,
    Gradient,
    Optimizer,
    Checkpoint,
}

use Part::*;

/// What runs through the machine from the text to the probabilities.
const MODEL: &[Part] = &[
    Tokens,
    Embedding,
    Position,
    Rows,
    Encoder,
    Bridge,
    Decoder,
    Probabilities,
];

/// The model, what trains it, and what uses it.
const ALL: &[Part] = &[
    Text,
    Tokens,
    Embedding,
    Position,
    Rows,
    Encoder,
    Bridge,
    Decoder,
    Probabilities,
    Search,
    Reference,
    Bleu,
    Loss,
    Gradient,
    Optimizer,
    Checkpoint,
];

/// What has numbers that training chooses.
const LEARNED: &[Part] = &[Embedding, Attention, Layer, Probabilities];

/// What turns, round after round, while the machine learns.
const LOOP: &[Part] = &[Reference, Loss, Gradient, Optimizer];

/// A chapter, what it explains, and the parts that are lit for it.
type Chapter = (&'static str, &'static str, &'static [Part]);

const CHAPTERS: [Chapter; 26] = [
    ("recurrence", "the way from one language to the other", &[Bridge]),
    ("dictionary", "what every attention does: it looks up", &[Attention]),
    ("tensor", "what runs along the lines: rows of numbers", &[Rows]),
    ("tokens", "a text becomes tokens", &[Tokens]),
    ("embedding", "each token becomes a row of numbers", &[Embedding]),
    ("position", "each row gets its position", &[Position]),
    ("attention", "attention, inside every layer", &[Attention]),
    ("heads", "several heads, inside every attention", &[Attention]),
    ("mask", "the mask: no word sees a later one", &[Mask]),
    ("layers", "add & norm and feed-forward", &[Layer]),
    ("encoder", "the encoder", &[Encoder]),
    ("decoder", "the decoder", &[Decoder]),
    ("transformer", "the complete model", MODEL),
    ("costs", "the complete model, and what it costs", MODEL),
    ("gradient", "the way back through the machine", &[Gradient]),
    ("loss", "how far the model is from the right word", &[Loss]),
    ("parameters", "all that has parameters", LEARNED),
    ("optimizer", "the step that changes the parameters", &[Optimizer]),
    ("tasks", "texts to learn from", &[Text, Reference]),
    ("training", "the loop in which the machine learns", LOOP),
    ("checkpoint", "what is kept of the training", &[Checkpoint]),
    ("search", "how the next word is chosen", &[Search]),
    ("bleu", "how a translation is judged", &[Bleu]),
    ("translation", "the complete machine, trained on captions", ALL),
    ("quantization", "all that has parameters, in fewer bits", LEARNED),
    ("speed", "the complete machine, faster", ALL),
];

/// What the machine is drawn with, in pixels of the strip.
enum Form {
    /// A box around its centre, of this width and height.
    Box(Point, Point),
    /// A frame from corner to corner.
    Frame(Point, Point),
    /// A line through the points.
    Line(Vec<Point>),
}

/// A piece of the drawing, and the parts it belongs to: it is lit with each of them.
type Shape = (&'static [Part], Form);

/// The heights of the two ways through the machine: the source's above, the target's below.
const ABOVE: f64 = 18.0;
const BELOW: f64 = 44.0;

fn main() {
    plot::read_arguments();
    plot::save("machine-map", &map());
    for chapter in &CHAPTERS {
        plot::save(&format!("machine-strip-{}", chapter.0), &strip(chapter));
    }
}

// The strips

fn strip((stem, explains, lit): &Chapter) -> Figure {
    let names: Vec<_> = lit.iter().map(|part| name(*part)).collect();
    let title = format!("You are here: {explains}.");
    let description = format!(
        "The machine of this book as a row of small boxes. Lit for the chapter “{}”: {}.",
        chapter(stem).1,
        names.join(", "),
    );
    let (width, height) = grid(STRIP);
    let mut diagram = Diagram::new(&title, &description, width, height);
    draw(&mut diagram, lit, grid);
    let middle = (STRIP.0 / 2.0, STRIP.1 - 8.0);
    diagram.note(grid(middle), Side::On, explains);
    diagram.draw()
}

/// Draws the machine with some of its parts lit.
fn draw(diagram: &mut Diagram, lit: &[Part], place: impl Fn(Point) -> Point) {
    let is_lit =
        |shape: &Shape| shape.0.iter().any(|part| lit.contains(part));
    let (light, dark): (Vec<_>, Vec<_>) =
        shapes().into_iter().partition(is_lit);
    for (shapes, hue) in [(dark, Hue::Rule), (light, Hue::Here)] {
        for (_, form) in &shapes {
            form.draw(diagram, hue, &place);
        }
    }
}

impl Form {
    fn draw(
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

/// Pixels as lines of a diagram's grid.
fn grid((x, y): Point) -> Point {
    (x / 20.0, y / 20.0)
}

/// The number and the title of a chapter in the table of contents.
fn chapter(stem: &str) -> (usize, &'static str) {
    let numbered =
        SUMMARY.lines().filter_map(|line| line.strip_prefix("- ["));
    let file = format!("]({stem}.md)");
    let mut titles = (1..).zip(numbered);
    titles
        .find_map(|(number, line)| Some((number, line.strip_suffix(&file)?)))
        .unwrap_or_else(|| panic!("SUMMARY.md has no chapter {stem}.md"))
}

// The machine

fn name(part: Part) -> &'static str {
    match part {
        Text => "the texts",
        Tokens => "the tokens",
        Embedding => "the embeddings",
        Position => "the positions",
        Rows => "the lines between the boxes",
        Attention => "the attention in every layer",
        Mask => "the masked attention of the decoder",
        Layer => "add & norm and feed-forward in every layer",
        Encoder => "the encoder",
        Bridge => "the way from the encoder to the decoder",
        Decoder => "the decoder",
        Probabilities => "the probabilities of the next word",
        Search => "the search, which feeds its choice back",
        Reference => "the right translation",
        Bleu => "the comparison with a person's translation",
        Loss => "the loss",
        Gradient => "the way back from the loss",
        Optimizer => "the optimiser",
        Checkpoint => "the checkpoint",
    }
}

fn shapes() -> Vec<Shape> {
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

// The map

/// Chapters, a place of the machine, and a row of the map: rows above the machine count upwards from 1,
/// those below it downwards from −1. Their titles are at one side of a pole.
type Flag = (&'static [&'static str], Point, i32, Side);

const FLAGS: [Flag; 17] = [
    (&["tasks"], (10.0, 10.0), 7, Side::Right),
    (&["tensor"], (23.0, 18.0), 6, Side::Right),
    (&["tokens"], (37.0, 14.0), 5, Side::Right),
    (&["embedding"], (59.0, 10.0), 4, Side::Right),
    (&["position"], (83.0, 12.0), 3, Side::Right),
    (&["encoder"], (114.0, 7.0), 1, Side::Right),
    (&["optimizer"], (193.0, 3.0), 2, Side::Left),
    (&["gradient"], (208.0, 3.0), 4, Side::Left),
    (&["loss"], (223.0, 3.0), 5, Side::Left),
    (&["training"], (282.0, 9.0), 6, Side::Left),
    (&["checkpoint"], (326.0, 10.0), 7, Side::Left),
    (&["mask"], (114.0, 52.0), -1, Side::Left),
    (
        &["recurrence", "dictionary", "attention", "heads"],
        (146.0, 52.0),
        -2,
        Side::Left,
    ),
    (&["layers"], (178.0, 52.0), -6, Side::Left),
    (&["decoder"], (201.0, 55.0), -7, Side::Left),
    (&["search"], (264.0, 52.0), -1, Side::Left),
    (&["bleu"], (302.0, 37.0), -8, Side::Left),
];

fn map() -> Figure {
    let all: Vec<_> = CHAPTERS
        .iter()
        .map(|(stem, explains, _)| format!("{}: {explains}", title(stem)))
        .collect();
    let description = format!(
        "The machine from left to right, the way of the source above, the way of the target below, \
         and the chapters at the parts they explain. {}.",
        all.join("; "),
    );
    let mut diagram =
        Diagram::new("The machine of this book", &description, 22.5, 20.5);
    for flag in &FLAGS {
        plant(&mut diagram, flag);
    }
    draw(&mut diagram, &[], zoomed);
    for (row, (of, stems)) in (10..).zip([
        ("the model", ["transformer", "costs", "parameters"].as_slice()),
        ("all of it", &["translation", "quantization", "speed"]),
    ]) {
        let titles: Vec<_> = stems.iter().map(|stem| title(stem)).collect();
        let text = format!("{of}: {}", titles.join(", "));
        diagram.note((11.25, row_height(-row)), Side::On, &text);
    }
    diagram.draw()
}

/// A pole at a part of the machine, with the titles of chapters at its end.
fn plant(diagram: &mut Diagram, (stems, at, row, side): &Flag) {
    let (x, y) = zoomed(*at);
    for (line, stem) in (0..).zip(*stems) {
        let height = row_height(row - line);
        diagram.note((x, height), *side, &title(stem));
    }
    let last = row_height(row - stems.len() as i32 + 1);
    let end = if *row > 0 { last - 0.35 } else { last + 0.35 };
    diagram.line(&[(x, y), (x, end)], Hue::Rule);
}

/// The height of the middle of a row of titles.
fn row_height(row: i32) -> f64 {
    let edge = if row > 0 { 3.0 } else { 60.0 };
    zoomed((0.0, edge)).1 - 0.85 * f64::from(row)
}

fn zoomed((x, y): Point) -> Point {
    grid((CORNER.0 + ZOOM * x, CORNER.1 + ZOOM * y))
}

/// The title of a chapter after its number.
fn title(stem: &str) -> String {
    let (number, title) = chapter(stem);
    format!("{number} {title}")
}
