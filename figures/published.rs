//! The figures of the chapter on published models.

use plot::{Diagram, Hue, Point, Side};

pub fn draw() {
    layers();
    pairs();
}

/// A layer of the paper, of GPT-2 and of Llama: its parts, and its norm.
const LAYERS: [(&str, [&str; 2], &str); 3] = [
    ("the paper", ["attention", "ReLU"], "layer norm"),
    ("GPT-2", ["attention", "GELU"], "layer norm"),
    ("Llama", ["grouped\nattention", "SwiGLU"], "RMSNorm"),
];

/// Three layers side by side. In the first the norms are on the way through,
/// in the others beside it.
fn layers() {
    let [_, gpt2, llama] = LAYERS.map(|(title, ..)| title);
    let mut figure = Diagram::new(
        "Three layers",
        &format!(
            "Three layers, each to be read from bottom to top. In the \
             paper's, a sum and a layer norm come after attention and once \
             more after the network with ReLU, so what passes goes through \
             the norms. In that of {gpt2}, a layer norm comes before \
             attention and before the network with GELU, and what passes \
             meets only sums. That of {llama} is like it, with RMSNorm, \
             SwiGLU, and heads in groups whose queries and keys are turned."
        ),
        33.0,
        18.6,
    )
    .across(15.6);
    for (i, (title, parts, norm)) in LAYERS.into_iter().enumerate() {
        let way = 2.4 + 10.8 * i as f64;
        figure.note((way + 2.4, 0.7), Side::On, title);
        let mut from = (way, 18.4);
        for (part, y) in parts.into_iter().zip([17.3, 9.3]) {
            from = half(&mut figure, from, y, (part, norm), i == 0);
        }
        figure.arrow(&[from, (way, 1.5)], Hue::HERE);
    }
    plot::save("published-layers", &figure.draw());
}

/// Attention or the network of a layer, from the point where the way enters
/// to the one where it leaves. At height y a branch goes off to the right.
fn half(
    figure: &mut Diagram,
    from: Point,
    y: f64,
    (part, norm): (&str, &str),
    norm_after: bool,
) -> Point {
    let (way, aside) = (from.0, from.0 + 4.8);
    let mut block = |at: Point, text: &str| {
        figure.block(at, (4.8, 1.7), text, Hue::Rule)
    };
    let (enters, leaves, sum) = if norm_after {
        let part = block((aside, y - 2.2), part);
        (part, part, y - 4.2)
    } else {
        let first = block((aside, y - 1.6), norm);
        let part = block((aside, y - 4.4), part);
        (first, part, y - 6.4)
    };
    if !norm_after {
        let between = [enters.top(), leaves.bottom()];
        figure.arrow(&between, Hue::Ink);
    }
    figure.arrow(&[(way, y), (aside, y), enters.bottom()], Hue::Ink);
    let sum = figure.circle((way, sum), "+");
    let corner = (aside, sum.right().1);
    figure.arrow(&[leaves.top(), corner, sum.right()], Hue::Ink);
    figure.arrow(&[from, sum.bottom()], Hue::HERE);
    if !norm_after {
        return sum.top();
    }
    let after = figure.block((way, y - 6.2), (4.6, 1.7), norm, Hue::Rule);
    figure.arrow(&[sum.top(), after.bottom()], Hue::HERE);
    after.top()
}

/// The columns of a head in two rows, and which of them `turn` takes as the
/// two numbers of a hand: column j and the one half a head further, as the
/// files of `transformers` have it, or neighbours.
fn pairs() {
    const COLUMNS: usize = 8;
    let hands = COLUMNS / 2;
    let mut figure = Diagram::new(
        "Two ways to pair columns",
        &format!(
            "The {COLUMNS} columns of a head in a row, once above and once \
             below, and a bracket over the columns of each hand. Above, a \
             bracket leads from each of the first {hands} columns to that \
             which is {hands} further, and the brackets run over each other. \
             Below, each joins a column and its neighbour."
        ),
        24.4,
        8.6,
    )
    .across(16.0);
    // Brackets that run over each other have a height each.
    let halves = |hand| ([hand, hand + hands], hands - hand);
    let neighbours = |hand| ([2 * hand, 2 * hand + 1], 1);
    row(&mut figure, 4.2, "halves", hands, halves);
    row(&mut figure, 7.6, "neighbours", hands, neighbours);
    plot::save("published-pairs", &figure.draw());
}

/// The columns in a row at height y, and above them a bracket for each hand:
/// over which columns, and how high.
fn row(
    figure: &mut Diagram,
    y: f64,
    title: &str,
    hands: usize,
    bracket: impl Fn(usize) -> ([usize; 2], usize),
) {
    figure.note((6.2, y), Side::Left, title);
    let at = |column: usize| 7.8 + 2.2 * column as f64;
    for column in 0..2 * hands {
        let (centre, size) = ((at(column), y), (1.8, 1.4));
        figure.block(centre, size, &column.to_string(), Hue::Rule);
    }
    for hand in 0..hands {
        let (columns, height) = bracket(hand);
        let [from, to] = columns.map(at);
        let (foot, top) = (y - 0.8, y - 0.8 - 0.7 * height as f64);
        let corners = [(from, foot), (from, top), (to, top), (to, foot)];
        figure.line(&corners, Hue::Ink);
    }
}
