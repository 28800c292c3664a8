//! The figures of the chapter on speed.

#[path = "../code/examples/speed.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use example::{
    LENGTH, MODELS, ROWS_OF_A_PART, blocks_of_a_part, bytes, curve, logged,
    memory, products, rows_of_a_block, steps, time,
};
use plot::{Bars, Chart, Diagram, HeatMaps, Hue, Panel, Side};
use print::grouped;

pub fn draw() {
    from_memory();
    levels();
    blocks();
    loss();
    cores();
    update();
}

/// What more threads would do, on paper.
fn cores() {
    let curves = MODELS.map(|model| (model, curve(model)));
    let ends = curves.map(|(model, curve)| {
        let times = curve[curve.len() - 1].1;
        format!("{model}, {times:.0} times")
    });
    let description = format!(
        "Three curves that rise more slowly than the number of threads. With \
         {} threads an update is faster than with one: {}.",
        curves[0].1[curves[0].1.len() - 1].0,
        ends.join("; ")
    );
    let chart = Chart::new("An update on more threads", &description)
        .size(500.0, 300.0)
        .x("threads")
        .y("times as fast as one")
        .log_x()
        .log_y();
    let even = curves[0].1.map(|(threads, _)| (threads, threads));
    let chart = chart.line_in(Hue::Dashed, "as many times", even);
    let chart = curves
        .into_iter()
        .fold(chart, |chart, (model, curve)| chart.line(model, curve));
    plot::save("speed-cores", &chart.draw());
}

/// How long a number takes to come from tables of growing size.
fn from_memory() {
    let (random, ordered) = (memory("at random"), memory("in order"));
    let [near, far] = [0, random.len() - 1];
    let description = format!(
        "Two curves over the size of a table. At random a number takes {:.1} \
         nanoseconds in the smallest table, more beyond the size of each \
         cache, and {:.0} in the largest table. In order it takes {:.2} in \
         the smallest and {:.2} in the largest.",
        random[near].1, random[far].1, ordered[near].1, ordered[far].1,
    );
    let chart = Chart::new("One number from a table", &description)
        .x("megabytes of the table")
        .y("nanoseconds for a number")
        .log_x()
        .log_y()
        .line("at random", random)
        .line("in order", ordered);
    let caches = logged("cache ").into_iter();
    let chart = caches.fold(chart, |chart, (level, kilobytes)| {
        chart.guide_x(kilobytes * 1024.0 / 1e6, level)
    });
    plot::save("speed-memory", &chart.draw());
}

/// The places of numbers, with sizes that are typical in the 2020s.
const LEVELS: [(&str, &str); 5] = [
    ("registers", "½–2 KB"),
    ("L1 cache", "32–64 KB"),
    ("L2 cache", "½–2 MB"),
    ("L3 cache", "8–64 MB"),
    ("main memory", "8–64 GB"),
];

/// What fits where.
fn levels() {
    let Config { vocabulary, d_k, .. } = Config::tiny();
    let piece = bytes(3 * LENGTH * d_k + LENGTH * LENGTH);
    let block = bytes(vocabulary * rows_of_a_block());
    let all = bytes(vocabulary * ROWS_OF_A_PART);
    let fits = [
        "what is multiplied just now".to_string(),
        format!("a head in one sentence: {piece}"),
        String::new(),
        format!("logits of {} rows: {block}", rows_of_a_block()),
        format!("logits of a part: {all}"),
    ];
    let mut figure = Diagram::new(
        "Where numbers are",
        "Boxes from the top down, each wider than the one before: registers, \
         three caches, main memory. A piece of attention fits the first \
         cache. The logits of a chunk fit the third. The logits of a part \
         are in main memory.",
        21.0,
        13.4,
    );
    for (i, ((name, size), fits)) in LEVELS.iter().zip(fits).enumerate() {
        let (i, y) = (i as f64, 1.4 + 2.6 * i as f64);
        let hue = if i == 4.0 { Hue::OURS } else { Hue::Rule };
        let (width, text) = (5.0 + 1.6 * i, format!("{name}\n{size}"));
        let level = figure.block((6.2, y), (width, 2.0), &text, hue);
        figure.note(level.right(), Side::Right, &fits);
        if i > 0.0 {
            let above = (6.2, y - 1.6);
            figure.line(&[above, level.top()], Hue::Ink);
        }
    }
    plot::save("speed-levels", &figure.draw());
}

/// Which pairs of rows a batch has to look at.
fn blocks() {
    let lengths = [4, 7, 3, 5];
    let n: usize = lengths.iter().sum();
    let packed = Mask::packed(&lengths, &lengths);
    let causal = packed.and(&Mask::causal(n));
    let panel = |mask: &Mask, title: &str| {
        let seen = mask.matrix().map(|x| if x == 0.0 { 1.0 } else { 0.0 });
        let panel = Panel::new(&seen).title(title).cell(8.6, 8.6);
        panel.axes("queries", "keys").hue(Hue::WEIGHTS)
    };
    let [a, b, c, d] = lengths;
    let description = format!(
        "Two square maps of {n} by {n} cells. In the left one four full \
         squares lie on the diagonal, {a}, {b}, {c} and {d} wide, in the right \
         one four triangles. All other cells are empty."
    );
    let maps = HeatMaps::new("Four sentences in one batch", &description);
    let maps = maps.panel(panel(&packed, "the encoder, across"));
    let maps = maps.panel(panel(&causal, "the decoder, its past"));
    plot::save("speed-blocks", &maps.draw());
}

/// The loss, chunk by chunk.
fn loss() {
    let Config { vocabulary, d_model, .. } = Config::tiny();
    let (tokens, rows) = (grouped(vocabulary), rows_of_a_block());
    let mut figure = Diagram::new(
        "The loss, chunk by chunk",
        "The rows of a part are cut into chunks, and one of them is lit. It \
         and the embedding table give the logits of the chunk. They are \
         overwritten with p minus q. From p minus q come the gradient of the \
         rows and, with those of the other chunks, that of the table.",
        28.0,
        14.6,
    )
    .across(18.0);
    let count = blocks_of_a_part();
    let strip: Vec<_> = (0..count)
        .map(|i| {
            let hue = if i == 1 { Hue::OURS } else { Hue::Rule };
            let centre = (11.2 + 2.6 * i as f64, 2.6);
            figure.block(centre, (2.4, 1.6), &format!("{rows}"), hue)
        })
        .collect();
    let above = format!("rows z of a part, in {count} chunks");
    figure.note((17.7, 1.8), Side::Above, &above);
    let text = format!("table E\n{tokens} × {d_model}");
    let table = figure.block((3.8, 6.6), (6.4, 2.6), &text, Hue::Rule);
    let text = format!("logits\n{tokens} × {rows}");
    let logits = figure.block((13.8, 6.6), (6.8, 2.6), &text, Hue::OURS);
    let slope =
        figure.block((13.8, 11.6), (6.8, 2.6), "*p* − *q*", Hue::OURS);
    let to_table = figure.block(
        (3.8, 11.6),
        (6.4, 2.6),
        "gradient of E,\nadded up",
        Hue::Rule,
    );
    let text = "gradient of\nthese rows";
    let to_rows = figure.block((24.2, 11.6), (6.4, 2.6), text, Hue::OURS);
    figure.arrow(&[strip[1].bottom(), logits.top()], Hue::Ink);
    figure.arrow(&[table.right(), logits.left()], Hue::Ink);
    figure.arrow(&[logits.bottom(), slope.top()], Hue::Ink);
    figure.note((13.8, 9.1), Side::Right, "in the same memory");
    figure.arrow(&[slope.left(), to_table.right()], Hue::Ink);
    figure.arrow(&[slope.right(), to_rows.left()], Hue::Ink);
    plot::save("speed-loss", &figure.draw());
}

/// An update as it is, with formulas, and at best.
fn update() {
    let [attention, loss] = steps().map(|step| step.without());
    let (update, both) =
        (time("update, as it is"), time("update, both by their formulas"));
    let products = products();
    let description = format!(
        "Bars, in milliseconds. The products alone would take {:.0} % of what \
         an update takes. With the formula of attention it takes {:.1} times \
         as long, with that of the loss {:.1} times, with both {:.1} times.",
        100.0 * products / update,
        attention / update,
        loss / update,
        both / update
    );
    let bars = Bars::new("An update, in milliseconds", &description);
    let bars = bars.heading("milliseconds for an update").decimals(0);
    let bars = bars.bar_in(Hue::Rule, "its products, at best", products);
    let bars = bars.bar("as it is", update);
    let bars = bars.bar_in(Hue::RIVAL, "loss by its formula", loss);
    let bars =
        bars.bar_in(Hue::RIVAL, "attention by its formula", attention);
    let bars = bars.bar_in(Hue::RIVAL, "both by their formulas", both);
    plot::save("speed-steps", &bars.width(500.0).draw());
}

