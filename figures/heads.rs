//! The figures of the chapter on several heads.

#[path = "../code/examples/heads.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::plain::Matrix;
use all_you_need::translation::Translator;
use example::{CAPTIONS, PLACES_AROUND, clearest, head, maps, vocabulary};
use plot::{Block, Diagram, HeatMaps, Hue, Panel, Side};

pub fn draw() {
    shapes();
    projections();
    trained();
}

const HUES: [Hue; 3] = [Hue::QUERIES, Hue::KEYS, Hue::VALUES];

/// Rows, width of the model, heads, and the widths of keys and values.
const N: usize = 6;
const D_MODEL: usize = 16;
const H: usize = 4;
const D_K: usize = 4;
const D_V: usize = 3;

fn size(rows: usize, columns: usize) -> String {
    format!("{rows} × {columns}")
}

/// The matrices of an attention with four heads, and their sizes.
fn shapes() {
    let (joined, result) = (size(N, H * D_V), size(N, D_MODEL));
    let x = size(N, D_MODEL);
    let description = format!(
        "X, {x}, is multiplied with W^Q, W^K and W^V. The products are cut \
         into {H} parts of {D_K}, {D_K} and {D_V} columns; parts of the same \
         number go through attention together and give {H} heads, {}; side \
         by side these are {joined}, and times W^O {result}. The ways of the \
         first parts are drawn thick.",
        size(N, D_V)
    );
    let title = "The shapes of an attention with four heads";
    let mut figure = Diagram::new(title, &description, 22.6, 25.5);
    let whole = (0.45 * D_MODEL as f64, 0.36 * N as f64);
    let input = format!("*X*\n{x}");
    let top = figure.block((11.4, 2.2), whole, &input, Hue::Rule);
    let roles = [("Q", 3.8, D_K), ("K", 11.4, D_K), ("V", 18.2, D_V)];
    let inputs = [0, 1, 2].map(|role| {
        let (name, at, d) = roles[role];
        let way = [top.bottom(), (11.4, 4.4), (at, 4.4), (at, 7.0)];
        figure.arrow(&way, Hue::Ink);
        let weight = format!("· W^{name}, {}", size(D_MODEL, H * d));
        figure.note((at, 5.1), Side::Right, &weight);
        figure.note((at, 6.3), Side::Right, &size(N, H * d));
        let names = (1..=H).map(|i| format!("{name}_{i}"));
        parts(&mut figure, (at, 8.1), d, names, HUES[role])
    });
    let found = heads(&mut figure, inputs);
    let names = (1..=H).map(|i| i.to_string());
    let side_by_side =
        parts(&mut figure, (11.4, 18.9), D_V, names, Hue::VALUES);
    figure.note((14.2, 18.9), Side::Right, &joined);
    for (i, (head, part)) in found.iter().zip(side_by_side).enumerate() {
        let hue = if i == 0 { Hue::VALUES } else { Hue::Rule };
        figure.arrow(&[head.bottom(), part.top()], hue);
    }
    figure.arrow(&[(11.4, 20.0), (11.4, 22.7)], Hue::Ink);
    let w_o = format!("· W^O, {}", size(H * D_V, D_MODEL));
    figure.note((11.4, 21.3), Side::Right, &w_o);
    let result = format!("result\n{result}");
    figure.block((11.4, 23.8), whole, &result, Hue::Rule);
    plot::save("heads-shapes", &figure.draw());
}

/// A matrix to scale, cut into a part of d columns for each head.
fn parts(
    figure: &mut Diagram,
    (x, y): (f64, f64),
    d: usize,
    names: impl Iterator<Item = String>,
    hue: Hue,
) -> Vec<Block> {
    let (width, height) = (0.45 * d as f64, 0.36 * N as f64);
    let left = x - width * (H - 1) as f64 / 2.0;
    let part = |(i, name): (usize, String)| {
        let at = (left + width * i as f64, y);
        figure.block(at, (width, height), &name, hue)
    };
    names.enumerate().map(part).collect()
}

/// What parts of one number give: a head. The first is drawn last, so that
/// its ways are above the others.
fn heads(figure: &mut Diagram, inputs: [Vec<Block>; 3]) -> Vec<Block> {
    let head = |i: usize| {
        let at = (2.9 + 5.6 * i as f64, 14.2);
        let text = format!("head {}\n{}", i + 1, size(N, D_V));
        let head = figure.block(at, (4.4, 2.4), &text, Hue::VALUES);
        for (j, input) in inputs.iter().enumerate() {
            let across = 0.25 * (j as f64 - 1.0);
            let way = [input[i].bottom(), head.along(across, -0.5)];
            figure.arrow(&way, if i == 0 { HUES[j] } else { Hue::Rule });
        }
        head
    };
    let mut heads: Vec<Block> = (0..H).rev().map(head).collect();
    heads.reverse();
    heads
}

/// W^Q and W^K of the head that looks one place to the left.
fn projections() {
    let [w_q, w_k, _] = head(&[-1]);
    let places: Vec<_> = (0..w_q.ncols()).map(|p| p.to_string()).collect();
    let words = vocabulary();
    let words = words.decode(&Vec::from_iter(0..words.len() as u32));
    let rows: Vec<_> = words
        .into_iter()
        .chain(places.iter().map(|place| format!("place {place}")))
        .collect();
    let description = format!(
        "Both are {}. W^Q has its large numbers in the rows of the places, \
         one beside the diagonal: the row of each place leads to the column \
         of the place before it. W^K leads from each place to itself.",
        size(w_q.nrows(), w_q.ncols())
    );
    let panel = |m: &Matrix, title, hue| {
        let panel = Panel::new(m).title(title).hue(hue).columns(&places);
        panel.cell(26.0, 19.0)
    };
    let figure = HeatMaps::new(
        "A head that looks one place to the left",
        &description,
    )
    .panel(panel(&w_q, "W^Q, times 100", Hue::QUERIES).rows(&rows))
    .panel(panel(&w_k, "W^K", Hue::KEYS));
    plot::save("heads-projections", &figure.draw());
}

/// For each place, the head that looks there most, on the first caption.
fn trained() {
    let translator = Translator::captions();
    let caption = CAPTIONS.lines().next().expect("a caption");
    let (names, maps) = maps(&translator, caption);
    let heads = clearest(&translator);
    let shares = PLACES_AROUND.iter().zip(&heads);
    let shares =
        shares.map(|(place, (_, share, _))| format!("{place}, {share:.2}"));
    let description = format!(
        "Four maps of attention weights for “{caption}”. Each is of the head \
         that gives most of its weight to one place: {}.",
        shares.collect::<Vec<_>>().join("; ")
    );
    let title = "Four heads of the trained encoder";
    let mut figure = HeatMaps::new(title, &description);
    for (i, (place, head)) in PLACES_AROUND.iter().zip(heads).enumerate() {
        let ((layer, head), ..) = head;
        let panel = Panel::new(&maps[layer][head])
            .title(place)
            .rows(&names)
            .columns(&names)
            .axes("queries", "keys")
            .hue(Hue::WEIGHTS)
            .full(1.0)
            .cell(16.5, 18.0);
        figure = if i == 2 { figure.next_row() } else { figure };
        figure = figure.panel(panel);
    }
    plot::save("heads-trained", &figure.draw());
}
