//! The figures of the chapter on several machines.

#[path = "../code/examples/cluster.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::messages::of_an_update;
use example::projection::{MODELS, NETWORKS, Projection, Way, powers};
use plot::{Chart, Diagram, Figure, Hue, Side};
use std::array;
use std::ops::Range;

pub fn draw() {
    plot::save("cluster-tree", &one_tree());
    steps();
    gain();
}

/// A sum in the tree, of some parts.
#[derive(Clone)]
struct Sum {
    parts: Range<usize>,
    /// The process that makes it.
    process: usize,
}

impl Sum {
    /// Of its block, in which a part also has its number.
    fn height(&self) -> f64 {
        if self.parts.len() == 1 { 2.0 } else { 1.4 }
    }
}

fn halves(range: &Range<usize>) -> [Range<usize>; 2] {
    let middle = range.start + range.len().div_ceil(2);
    [range.start..middle, middle..range.end]
}

/// The sum of some parts by some processes, and after it all those that it
/// is made of.
fn tree(parts: Range<usize>, ranks: Range<usize>) -> Vec<Sum> {
    let [one, two] = halves(&parts);
    let process = ranks.start;
    let [near, far] = match ranks.len() {
        1 => [ranks.clone(), ranks],
        _ => halves(&ranks),
    };
    let sum = vec![Sum { parts, process }];
    match two.is_empty() {
        true => sum,
        false => [sum, tree(one, near), tree(two, far)].concat(),
    }
}

/// What each of eight parts has found for one slope.
const SLOPES: [i32; 8] = [3, 1, 4, 2, 6, 1, 2, 5];

/// The tree of eight parts, of which three processes have a branch each.
fn one_tree() -> Figure {
    let all = tree(0..SLOPES.len(), 0..3);
    let said = all.iter().filter(|sum| sum.parts.len() > 1).map(|sum| {
        let Range { start, end } = sum.parts;
        let total: i32 = SLOPES[start..end].iter().sum();
        format!("Parts {start} to {}: {total}.", end - 1)
    });
    let said = said.collect::<Vec<_>>().join(" ");
    let description = format!("A tree of sums, {said}");
    let mut figure =
        Diagram::new("One tree of sums", &description, 25.0, 13.8);
    let leaves: Vec<_> =
        all.iter().filter(|sum| sum.parts.len() == 1).collect();
    for own in leaves.chunk_by(|a, b| a.process == b.process) {
        let [left, right] = [own[0], own[own.len() - 1]].map(place);
        let name = format!("process {}", own[0].process);
        let (from, to) =
            ((left.0 - 1.4, 6.3), (right.0 + 1.4, right.1 + 1.5));
        figure.frame(from, to, Side::Below, &name);
    }
    for sum in &all {
        draw_sum(&mut figure, sum, &all);
    }
    figure.draw()
}

/// In the middle above its parts.
fn place(sum: &Sum) -> (f64, f64) {
    let middle = (sum.parts.start + sum.parts.end - 1) as f64 / 2.0;
    let level = f64::from(sum.parts.len().ilog2());
    (2.0 + 3.0 * middle, 10.6 - 3.1 * level)
}

/// A sum, and the lines from its halves.
fn draw_sum(figure: &mut Diagram, sum: &Sum, all: &[Sum]) {
    let total: i32 = SLOPES[sum.parts.clone()].iter().sum();
    let (text, hue) = match sum.parts.len() {
        1 => (format!("part {}\n{total}", sum.parts.start), Hue::Rule),
        8 => (total.to_string(), Hue::OURS),
        _ => (total.to_string(), Hue::Rule),
    };
    let size = (2.4, sum.height());
    let block = figure.block(place(sum), size, &text, hue);
    let halves = halves(&sum.parts);
    let is_half = |other: &&Sum| {
        other.parts != sum.parts && halves.contains(&other.parts)
    };
    for half in all.iter().filter(is_half) {
        let (x, y) = place(half);
        let top = (x, y - half.height() / 2.0);
        let (_, bottom) = block.bottom();
        let middle = (bottom + top.1) / 2.0;
        let line =
            [top, (x, middle), (block.bottom().0, middle), block.bottom()];
        figure.line(&line, Hue::Rule);
    }
}

/// What four processes have found for four slopes.
const FOUND: [[i32; 4]; 4] =
    [[3, 1, 4, 2], [6, 1, 2, 5], [1, 4, 2, 3], [2, 2, 5, 1]];

/// What a process has: some of the slopes, from which on, and their sums.
#[derive(Clone)]
struct Held {
    from: usize,
    sums: Vec<i32>,
    /// The process from which some have just come, and which slopes.
    came: Option<(usize, Range<usize>)>,
}

impl Held {
    fn rows(&self) -> Range<usize> {
        self.from..self.from + self.sums.len()
    }
}

/// What all processes have, before the first message and after each step.
fn states() -> Vec<[Held; 4]> {
    let start =
        FOUND.map(|own| Held { from: 0, sums: own.into(), came: None });
    let mut states = vec![start];
    for distance in [1, 2] {
        let now = states.last().expect("a state");
        let next = array::from_fn(|i| {
            let (own, partner) = (&now[i], i ^ distance);
            let [near, far] = halves(&(0..own.sums.len()));
            let kept = if i & distance == 0 { near } else { far };
            let sums =
                kept.clone().map(|at| own.sums[at] + now[partner].sums[at]);
            let from = own.from + kept.start;
            let came = Some((partner, from..from + kept.len()));
            Held { from, sums: sums.collect(), came }
        });
        states.push(next);
    }
    for distance in [2, 1] {
        let now = states.last().expect("a state");
        let next = array::from_fn(|i| {
            let (own, other) = (&now[i], &now[i ^ distance]);
            let [one, two] = match own.from < other.from {
                true => [own, other],
                false => [other, own],
            };
            let sums = [&one.sums[..], &two.sums[..]].concat();
            let came = Some((i ^ distance, other.rows()));
            Held { from: one.from, sums, came }
        });
        states.push(next);
    }
    states
}

/// An all-reduce of four processes, step by step.
fn steps() {
    let states = states();
    let drawn = states.iter().enumerate().flat_map(|(step, now)| {
        let arrow = move |(to, held): (usize, &Held)| {
            held.came.as_ref().map(|came| (step as u8, came.0, to))
        };
        now.iter().enumerate().filter_map(arrow)
    });
    let mut drawn: Vec<_> = drawn.collect();
    drawn.sort_unstable();
    let sent = of_an_update(4).into_iter().map(|(step, a, b, _)| (step, a, b));
    assert!(sent.eq(drawn), "the messages that the library sends");
    let mut before = None;
    let frames = states.iter().enumerate().map(|(step, now)| {
        frame(step, before.replace(now), now)
    });
    let frames: Vec<_> = frames.collect();
    plot::save_frames("cluster-steps", &frames);
}

/// A number without a box has been sent, and is there no more.
fn frame(
    step: usize,
    before: Option<&[Held; 4]>,
    now: &[Held; 4],
) -> Figure {
    let heading = match step {
        0 => "what each has found".to_owned(),
        1 | 2 => format!("step {step}, sums of halves"),
        _ => format!("step {step}, sums are passed on"),
    };
    let said = now.iter().enumerate().map(|(process, held)| {
        let sums: Vec<_> = held.sums.iter().map(i32::to_string).collect();
        format!("Process {process} has {}.", sums.join(", "))
    });
    let said = said.collect::<Vec<_>>().join(" ");
    let description = format!("Four processes, {heading}. {said}");
    let title = format!("All-reduce, {heading}");
    let mut figure = Diagram::new(&title, &description, 25.0, 13.6);
    figure.note((12.5, 0.6), Side::On, &heading);
    for (process, held) in now.iter().enumerate() {
        let x = column(process);
        let name = format!("process {process}");
        figure.frame((x - 2.1, 2.6), (x + 2.1, 13.0), Side::Above, &name);
        for (row, sum) in (held.from..).zip(&held.sums) {
            let whole: i32 = FOUND.iter().map(|own| own[row]).sum();
            let hue = if *sum == whole { Hue::OURS } else { Hue::Rule };
            let text = sum.to_string();
            figure.block((x, height(row)), (2.8, 1.7), &text, hue);
        }
    }
    for (to, held) in now.iter().enumerate() {
        let Some((from, rows)) = &held.came else { continue };
        let side = if *from < to { 1.5 } else { -1.5 };
        for row in rows.clone() {
            let y = height(row);
            let start = (column(*from) + side, y);
            let end = (column(to) - side, y);
            figure.arrow(&[start, end], Hue::Ink);
            let sender = &before.expect("a sender")[*from];
            if !now[*from].rows().contains(&row) {
                let sent = sender.sums[row - sender.from].to_string();
                figure.note((column(*from), y), Side::On, &sent);
            }
        }
    }
    figure.draw()
}

/// Where a process is, and where a slope.
fn column(process: usize) -> f64 {
    2.6 + 6.6 * process as f64
}

fn height(row: usize) -> f64 {
    4.2 + 2.5 * row as f64
}

/// What more machines gain, on networks of three speeds.
fn gain() {
    let base = Projection::of(MODELS[1]);
    let ends = NETWORKS.map(|g| base.gain(Way::Halves, 64, g));
    let whole = base.gain(Way::Whole, 64, NETWORKS[0]);
    let description = format!(
        "Curves over the number of machines. With {} of them, an update of \
         the base model is {:.1} times as fast as with one at {} gigabit a \
         second, {:.1} times at {} and {:.1} times at {}. With whole \
         gradients along the tree it is {whole:.1} times at {}. A straight \
         line is as many times as machines.",
        64,
        ends[0],
        NETWORKS[0],
        ends[1],
        NETWORKS[1],
        ends[2],
        NETWORKS[2],
        NETWORKS[0]
    );
    let chart = Chart::new("What more machines gain", &description)
        .x("machines")
        .y("times as fast as one")
        .log_x()
        .log_y()
        .line("as many", powers().map(|n| (n as f64, n as f64)));
    let chart = NETWORKS.into_iter().rev().fold(chart, |chart, gigabits| {
        let gain = |n| base.gain(Way::Halves, n, gigabits);
        let points = powers().map(|n| (n as f64, gain(n)));
        chart.line(&format!("{gigabits} Gbit/s"), points)
    });
    let gain = |n| base.gain(Way::Whole, n, NETWORKS[0]);
    let points = powers().map(|n| (n as f64, gain(n)));
    let chart = chart.line(&format!("{} Gbit/s, whole", NETWORKS[0]), points);
    plot::save("cluster-gain", &chart.draw());
}
