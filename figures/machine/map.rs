//! The map, which is the book's contents beside a drawing of its machine, and
//! the strips at the heads of the chapters.

use super::drawing::{ABOVE, BELOW, Part, Part::*, Shape, name, shapes};
use plot::{Diagram, Figure, Hue, Point, Side};

/// The table of contents, which has the titles of parts and chapters.
const SUMMARY: &str = include_str!("../../src/SUMMARY.md");

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

/// What runs through the machine from the text to the probabilities.
const MODEL: &[Part] = ALL.split_at(1).1.split_at(8).0;

/// What has numbers that training chooses.
const LEARNED: &[Part] = &[Embedding, Attention, Layer, Probabilities];

/// What is left without the encoder.
const WRITER: &[Part] =
    &[Tokens, Embedding, Position, Rows, Decoder, Probabilities, Search];

/// What is left without the decoder, but with its last matrix.
const FILLER: &[Part] =
    &[Tokens, Embedding, Position, Rows, Encoder, Probabilities];

/// What is left without the decoder.
const READER: &[Part] = &[Tokens, Embedding, Position, Rows, Encoder];

/// What turns, round after round, while the machine learns.
const LOOP: &[Part] = &[Reference, Loss, Gradient, Optimizer];

/// A chapter, what it explains, and the parts that are lit for it.
type Chapter = (&'static str, &'static str, &'static [Part]);

const CHAPTERS: &[Chapter] = &[
    ("machine", "what goes in, what comes out, and five lids", ALL),
    ("learning", "words backwards, in less than a minute", LOOP),
    ("recurrence", "one memory for a whole sentence, and what it forgets", &[Bridge]),
    ("dictionary", "a look-up that takes something from every entry", &[Attention]),
    ("tensor", "many look-ups at once are one product", &[Rows]),
    ("tokens", "a text is cut into pieces, and each has a number", &[Tokens]),
    ("embedding", "each token becomes a row of numbers", &[Embedding]),
    ("attention", "each word takes from the words that fit it", &[Attention]),
    ("heads", "several attentions side by side", &[Attention]),
    ("position", "each row says where its word stands", &[Position]),
    ("mask", "no word sees the one that it must guess", &[Mask]),
    ("layers", "what a row does with what it has heard", &[Layer]),
    ("encoder", "reading: rows that depend on all words", &[Encoder]),
    ("decoder", "writing: one word after the other", &[Decoder]),
    ("transformer", "from rows to words, and all parts together", MODEL),
    ("plain", "all of it, on a few screens", MODEL),
    ("generic", "the same lines compute, count and remember", MODEL),
    ("costs", "how many numbers, multiplications and bytes", MODEL),
    ("gradient", "which way to change each of the numbers", &[Gradient]),
    ("loss", "how wrong the model is, as one number", &[Loss]),
    ("parameters", "all that is learned, with its names", LEARNED),
    ("optimizer", "how far each number moves in a step", &[Optimizer]),
    ("tasks", "copying, reversing, sorting: the answers are known", &[Text, Reference]),
    ("training", "step after step, and how to see that it goes well", LOOP),
    ("ablation", "trained without one part after the other", MODEL),
    ("search", "which of many translations to take", &[Search]),
    ("bleu", "a translation is compared with a person's", &[Bleu]),
    ("translation", "two hours of training, and the score", ALL),
    ("ngram", "what comes next, by counting", &[Text, Probabilities]),
    ("writer", "a text goes on, token by token", WRITER),
    ("gaps", "the word that is missing, from both sides", FILLER),
    ("classifier", "one verdict for a whole text", READER),
    ("labels", "first gaps without labels, then a few labels", READER),
    ("published", "GPT-2 and Llama, from their own files", WRITER),
    ("today", "one part is exchanged after the other", WRITER),
    ("scaling", "what size and what length are worth", WRITER),
    ("assistant", "the writer learns to answer, and to be right", WRITER),
    ("further", "pictures, speech, assistants, and what stays", ALL),
    ("learner", "without counting everything anew", &[Tokens]),
    ("loop", "the same training, shared among threads", LOOP),
    ("checkpoint", "files that survive a crash", &[Checkpoint]),
    ("cache", "the search computes nothing twice", &[Search]),
    ("quantization", "every number in eight bits", LEARNED),
    ("speed", "where the time goes, and how it is saved", ALL),
    ("corpus", "more pairs than fit into memory", &[Text, Reference]),
    ("cluster", "one training on several machines", LOOP),
];

pub fn draw() {
    plot::save("machine-map", &map());
    for (_, chapters) in contents() {
        for (_, title, stem) in chapters {
            let strip = strip(title, explained(stem));
            plot::save(&format!("machine-strip-{stem}"), &strip);
        }
    }
}

/// What a chapter explains, and the parts that are lit for it.
fn explained(stem: &str) -> &'static Chapter {
    let chapter = CHAPTERS.iter().find(|(known, ..)| *known == stem);
    chapter.unwrap_or_else(|| panic!("which part does `{stem}` explain?"))
}

/// A chapter with a number: the number, the title and the stem.
type Entry = (usize, &'static str, &'static str);

/// The parts of the book, each with its numbered chapters.
fn contents() -> Vec<(&'static str, Vec<Entry>)> {
    let mut parts = Vec::new();
    let mut number = 0;
    for line in SUMMARY.lines().skip(1) {
        if let Some(part) = line.strip_prefix("# ") {
            parts.push((part, Vec::new()));
        }
        let entry = line.strip_prefix("- [").and_then(|line| {
            line.strip_suffix(".md)")?.split_once("](")
        });
        if let Some((title, stem)) = entry {
            number += 1;
            let (_, chapters) = parts.last_mut().expect("a part comes first");
            chapters.push((number, title, stem));
        }
    }
    parts
}

/// The size of a strip, in pixels. The drawing takes all of its width.
const STRIP: Point = (340.0, 80.0);

fn strip(title: &str, (_, explains, lit): &Chapter) -> Figure {
    let names: Vec<_> = lit.iter().map(|part| name(*part)).collect();
    let description = format!(
        "The machine of this book as a row of small boxes. Lit for the chapter “{title}”: {}.",
        names.join(", "),
    );
    let here = format!("You are here: {explains}.");
    let (width, height) = grid(STRIP);
    let mut diagram = Diagram::new(&here, &description, width, height);
    let is_lit =
        |shape: &Shape| shape.0.iter().any(|part| lit.contains(part));
    let (light, dark): (Vec<_>, Vec<_>) =
        shapes().into_iter().partition(is_lit);
    for (shapes, hue) in [(dark, Hue::Rule), (light, Hue::HERE)] {
        for (_, form) in &shapes {
            form.draw(&mut diagram, hue, &grid);
        }
    }
    let middle = (STRIP.0 / 2.0, STRIP.1 - 8.0);
    diagram.note(grid(middle), Side::On, explains);
    diagram.draw()
}

/// Pixels as lines of a diagram's grid.
fn grid((x, y): Point) -> Point {
    (x / 20.0, y / 20.0)
}

/// How much larger the machine is on the map, across and down, and where its corner is there.
const ZOOM: Point = (1.5, 2.1);
const CORNER: Point = (2.0, 26.0);

fn zoomed((x, y): Point) -> Point {
    grid((CORNER.0 + ZOOM.0 * x, CORNER.1 + ZOOM.1 * y))
}

/// Places of the machine, and the chapters whose numbers are written there.
const PLACES: &[(Point, &[&str])] = &[
    ((10.0, 31.0), &["tasks", "corpus"]),
    ((37.0, 31.0), &["tokens", "learner"]),
    ((62.0, 31.0), &["embedding"]),
    ((83.0, 31.0), &["position"]),
    ((94.0, 24.0), &["tensor"]),
    ((114.0, 14.5), &["attention"]),
    ((114.0, 22.0), &["heads"]),
    ((114.0, BELOW), &["mask"]),
    ((146.0, BELOW), &["dictionary"]),
    ((148.0, ABOVE), &["layers"]),
    ((182.0, 28.0), &["recurrence"]),
    ((177.0, 12.0), &["encoder"]),
    ((207.0, 38.0), &["decoder"]),
    ((223.0, ABOVE), &["loss"]),
    ((193.0, ABOVE), &["optimizer"]),
    ((326.0, 14.5), &["checkpoint"]),
    ((326.0, 22.0), &["quantization"]),
    ((302.0, 31.0), &["bleu"]),
    ((256.0, 66.0), &["search", "cache"]),
    ((206.0, -4.0), &["gradient"]),
    ((130.0, -4.0), &["learning", "training", "loop", "cluster"]),
    ((150.0, 66.0), &["ngram", "writer"]),
];

/// The columns of the contents: the parts of the book that each has.
const COLUMNS: [(f64, &[usize]); 2] = [(0.2, &[0, 2, 3]), (12.2, &[1, 4])];

/// The height of a line of the contents, and where they begin.
const ROW: f64 = 1.1;
const TOP: f64 = 9.8;

fn map() -> Figure {
    let contents = contents();
    let listed = contents.iter().map(|(part, chapters)| {
        let chapters = chapters.iter().map(|(number, title, stem)| {
            format!("{number} {title}: {}", explained(stem).1)
        });
        format!("{part}: {}", chapters.collect::<Vec<_>>().join("; "))
    });
    let description = format!(
        "The machine from left to right, the way of the source above, the way \
         of the target below, and numbers of chapters at the parts that they \
         explain. Under it the contents. {}.",
        listed.collect::<Vec<_>>().join(". "),
    );
    let rows = |parts: &[usize]| -> usize {
        parts.iter().map(|part| contents[*part].1.len() + 2).sum()
    };
    let longest = COLUMNS.iter().map(|(_, parts)| rows(parts)).max();
    let height = TOP + ROW * longest.unwrap_or(0) as f64 - 0.6;
    let mut diagram =
        Diagram::new("The contents of this book", &description, 25.8, height);
    for (parts, form) in shapes() {
        form.draw(&mut diagram, hue(parts), &zoomed);
    }
    for ((x, y), stems) in PLACES {
        let numbers: Vec<Entry> = contents
            .iter()
            .flat_map(|(_, chapters)| chapters.clone())
            .filter(|(.., stem)| stems.contains(stem))
            .collect();
        let first = x - 6.0 * (numbers.len() as f64 - 1.0);
        for (i, (number, _, stem)) in numbers.iter().enumerate() {
            let at = zoomed((first + 12.0 * i as f64, *y));
            link(&mut diagram, at, Side::On, &number.to_string(), stem);
        }
    }
    for (x, parts) in COLUMNS {
        let mut y = TOP;
        for part in parts {
            let (title, chapters) = &contents[*part];
            diagram.block((x + 5.8, y), (11.6, 1.2), title, Hue::Rule);
            for (number, title, stem) in chapters {
                y += ROW;
                diagram.note((x + 1.5, y), Side::Left, &number.to_string());
                link(&mut diagram, (x + 1.3, y), Side::Right, title, stem);
            }
            y += 1.6 * ROW;
        }
    }
    diagram.draw()
}

fn link(diagram: &mut Diagram, at: Point, side: Side, text: &str, stem: &str) {
    diagram.link(at, side, text, &format!("{stem}.html"));
}

/// The hue of a piece of the machine.
fn hue(parts: &[Part]) -> Hue {
    match parts {
        _ if parts.contains(&Attention) => Hue::WEIGHTS,
        [Encoder, ..] | [Bridge, ..] => Hue::SOURCE,
        [Decoder, ..] => Hue::TARGET,
        _ => Hue::Rule,
    }
}
