//! The figures of the chapter on checkpoints.

#[path = "../code/examples/checkpoint.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::mean::{last, walks};
use example::reverser::trained;
use example::{MOMENTS, PARTS, UNFINISHED, apart, found, header_and_numbers};
use plot::{Chart, Diagram, Figure, Hue, Side};
use print::grouped;
use std::path::Path;

pub fn draw() {
    let folder = trained();
    let run = &folder.path().join("run");
    left_out(run);
    layout(run);
    plot::save_frames("checkpoint-save", &MOMENTS.map(|at| save(run, at)));
    mean();
    line(run);
}

/// How far a resumed run is from the one that was left alone.
fn left_out(run: &Path) {
    let lines = PARTS.map(|part| (part, apart(part, run)));
    let ends = lines.each_ref().map(|(part, line)| {
        let end = line[line.len() - 1];
        match *part {
            "nothing" => format!("complete {end:.4}"),
            part => format!("without {part} {end:.4}"),
        }
    });
    let description = format!(
        "Distance from the run that was left alone against the updates since \
         the checkpoint. At the end: {}.",
        ends.join(", ")
    );
    let mut figure = Chart::new("A run resumed without a part", &description)
        .size(450.0, 290.0)
        .x("updates since it was resumed")
        .y("distance from the run left alone");
    for (part, line) in lines {
        figure = figure.line(part, (1..).map(f64::from).zip(line));
    }
    plot::save("checkpoint-apart", &figure.draw());
}

/// What lies between the first byte of a file and the last.
fn layout(run: &Path) {
    let (header, numbers) = header_and_numbers(run);
    let header = header.len();
    let mut figure = Diagram::new(
        "The parts of a safetensors file",
        &format!(
            "Three boxes side by side. Eight bytes say how long the header \
             is. The header, {header} bytes, is text with the names, sizes \
             and places of all tensors. Then come {numbers} bytes of \
             numbers, four for each. An arrow leads from the header to the \
             numbers."
        ),
        25.0,
        6.6,
    );
    let mut part = |x: f64, width: f64, name: &str, bytes: usize| {
        let block = figure.block((x, 2.4), (width, 2.4), name, Hue::Rule);
        let (x, y) = block.top();
        let text = format!("{} bytes", grouped(bytes));
        figure.note((x, y - 0.7), Side::On, &text);
        block
    };
    part(2.6, 4.4, "length", 8);
    let from = part(8.9, 7.4, "names, sizes, places", header);
    let to = part(18.8, 11.4, "numbers", numbers);
    let (from, to, below) = (from.bottom(), to.bottom(), 5.0);
    figure.arrow(&[from, (from.0, below), (to.0, below), to], Hue::Ink);
    figure.note(((from.0 + to.0) / 2.0, below + 0.7), Side::On, "where");
    plot::save("checkpoint-layout", &figure.draw());
}

/// The run's directory while a checkpoint is saved, and the one that is found
/// in it.
fn save(run: &Path, (written, in_place): (usize, bool)) -> Figure {
    let found = found(run, written, in_place);
    let old = "00000280";
    let new = if in_place { "00000320" } else { UNFINISHED };
    let place = if in_place { "in place" } else { "not in place" };
    let mut figure = Diagram::new(
        &format!("A save with {written} files written, {place}"),
        &format!(
            "The run holds {old} with its five files, and {new} with \
             {written}. Found: {found}."
        ),
        30.2,
        6.6,
    )
    .across(17.0);
    for (name, files, y) in [(old, 5, 1.6), (new, written, 4.6)] {
        let hue = if name == found { Hue::OURS } else { Hue::Rule };
        let dir = figure.block((6.4, y), (12.0, 1.8), name, hue);
        let names = ["settings", "merges", "model", "Adam", "digests"];
        for (i, file) in names.into_iter().take(files).enumerate() {
            let x = 14.6 + 3.4 * i as f64;
            let file = figure.block((x, y), (3.0, 1.8), file, hue);
            if i == 0 {
                figure.line(&[dir.right(), file.left()], hue);
            }
        }
    }
    figure.draw()
}

/// The mean of the last few.
fn mean() {
    let points = last(|_| 0.1);
    let [(_, [first, _]), .., (many, [each, mean])] = &points[..] else {
        panic!("several models")
    };
    let figure = Chart::new(
        "The mean of the last checkpoints",
        &format!(
            "Each of the last checkpoints is about {each:.3} high, whatever \
             their number. Their mean comes down from {first:.3} to \
             {mean:.4} for {many} of them."
        ),
    )
    .size(450.0, 290.0)
    .log_x()
    .log_y()
    .x("how many of the last")
    .y("height in the bowl")
    .line("each", points.iter().map(|&(k, [each, _])| (k, each)))
    .line("their mean", points.iter().map(|&(k, [_, mean])| (k, mean)));
    plot::save("checkpoint-mean", &figure.draw());
}

/// The loss on the way from one model to another.
fn line(run: &Path) {
    let [own, stranger] = walks(run);
    let most = stranger.iter().fold(0.0, |most: f64, &(_, y)| most.max(y));
    let figure = Chart::new(
        "On the way from one model to another",
        &format!(
            "The loss along two straight lines that end at the same model. \
             From an earlier checkpoint of its own run it dips below both \
             ends. From the model of another run it climbs over a ridge of \
             {most:.1} nats."
        ),
    )
    .size(450.0, 290.0)
    .x("part of the way")
    .y("loss on held-out words, in nats")
    .line("from another run", stranger)
    .line("from its own run", own)
    .guide_y(7f64.ln(), "ln 7");
    plot::save("checkpoint-line", &figure.draw());
}
