//! The figures of the chapter on published models.

use plot::{Diagram, Hue, Point, Side};

pub fn draw() {
    layers();
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
