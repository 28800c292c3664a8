//! The figures of the chapter on several machines.

#[path = "../code/examples/cluster.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{MODELS, Message, NETWORKS, Projection, messages, powers};
use plot::{Chart, Diagram, Figure, Hue, Side};
use std::ops::Range;

pub fn draw() {
    steps();
    gain();
}

/// A sum in the tree, of some parts.
#[derive(Clone)]
struct Sum {
    parts: Range<usize>,
    /// The process that makes it.
    process: usize,
    /// The process that finds its second half.
    other: usize,
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
    let [near, far] = match ranks.len() {
        1 => [ranks.clone(), ranks],
        _ => halves(&ranks),
    };
    let (process, other) = (near.start, far.start);
    let sum = vec![Sum { parts, process, other }];
    match two.is_empty() {
        true => sum,
        false => [sum, tree(one, near), tree(two, far)].concat(),
    }
}

/// What each of eight parts has found for one slope.
const SLOPES: [i32; 8] = [3, 1, 4, 2, 6, 1, 2, 5];

/// An all-reduce of three processes.
struct AllReduce {
    tree: Vec<Sum>,
    messages: Vec<Message>,
}

/// The messages of an update, step by step.
fn steps() {
    let ranks = 0..3;
    let messages = messages(ranks.len());
    let last = messages.last().expect("some messages").0;
    let drawn = AllReduce { tree: tree(0..SLOPES.len(), ranks), messages };
    let frames: Vec<_> = (0..=last + 1).map(|i| drawn.frame(i)).collect();
    plot::save_frames("cluster-steps", &frames);
}

impl AllReduce {
    /// In which frame a sum is there. Those of a process's own parts need
    /// no message.
    fn made(&self, sum: &Sum) -> u8 {
        let brings = |message: &&Message| {
            (message.1, message.2) == (sum.other, sum.process)
        };
        let message = self.messages.iter().find(brings);
        message.map_or((sum.parts.len() > 1).into(), |message| message.0 + 1)
    }

    /// In which frame the sum of all comes down to where this sum is, or
    /// from there to its second half.
    fn told(&self, sum: &Sum) -> Option<u8> {
        let of_process = |other: &&Sum| other.process == sum.process;
        let highest = self.tree.iter().find(of_process)?;
        let down = |(_, from, to): &Message| {
            let sent = (*from, *to) == (sum.process, sum.other);
            let arrived = from < to && *to == sum.process;
            sent || arrived && highest.parts == sum.parts
        };
        let message = self.messages.iter().find(|message| down(message))?;
        Some(message.0 + 1)
    }

    /// Above the parts that its process has computed itself.
    fn place(&self, sum: &Sum) -> (f64, f64) {
        let own = self.tree.iter().filter(|leaf| {
            leaf.parts.len() == 1
                && leaf.process == sum.process
                && sum.parts.contains(&leaf.parts.start)
        });
        let own: Vec<_> = own.map(|leaf| leaf.parts.start as f64).collect();
        let middle = own.iter().sum::<f64>() / own.len() as f64;
        let level = f64::from(sum.parts.len().ilog2());
        (2.0 + 3.0 * middle, 12.8 - 2.9 * level)
    }
}

impl AllReduce {
    /// The sums that are there in a frame, those of most parts first.
    fn there(&self, frame: u8) -> impl Iterator<Item = &Sum> {
        self.tree.iter().filter(move |sum| self.made(sum) <= frame)
    }

    /// What is in the place of a sum.
    fn value(&self, sum: &Sum, frame: u8) -> (i32, Hue) {
        let told = self.told(sum).is_some_and(|told| told <= frame);
        let parts = if told { 0..SLOPES.len() } else { sum.parts.clone() };
        let all = parts.len() == SLOPES.len();
        let hue = if all { Hue::OURS } else { Hue::Rule };
        (SLOPES[parts].iter().sum(), hue)
    }

    fn frame(&self, frame: u8) -> Figure {
        let heading = match frame {
            0 => "the parts".to_owned(),
            1 => "the sums within a process".to_owned(),
            after => format!("step {}: {}", after - 1, self.sent(frame)),
        };
        let title = format!("All-reduce, {heading}");
        let description = self.description(frame, &heading);
        let mut figure = Diagram::new(&title, &description, 25.0, 14.8);
        figure.note((12.5, 0.6), Side::On, &heading);
        self.draw_processes(&mut figure);
        for sum in self.there(frame) {
            self.draw_sum(&mut figure, sum, frame);
        }
        figure.draw()
    }

    /// The messages that arrive in a frame.
    fn sent(&self, frame: u8) -> String {
        let of_frame =
            self.messages.iter().filter(|(step, ..)| step + 1 == frame);
        let sent: Vec<_> =
            of_frame.map(|(_, from, to)| format!("{from} to {to}")).collect();
        sent.join(", ")
    }

    fn description(&self, frame: u8, heading: &str) -> String {
        let mut said = vec![format!("Three processes, {heading}.")];
        let processes = 0..=self.messages.iter().map(|m| m.1).max().unwrap();
        said.extend(processes.map(|process| {
            let own = self.there(frame).filter(|sum| sum.process == process);
            let own: Vec<_> =
                own.map(|sum| self.value(sum, frame).0.to_string()).collect();
            let own =
                if frame == 0 { own.join(", ") } else { own[0].clone() };
            format!("Process {process} has {own}.")
        }));
        said.join(" ")
    }

    /// A frame around what belongs to a process.
    fn draw_processes(&self, figure: &mut Diagram) {
        let leaves: Vec<_> =
            self.tree.iter().filter(|sum| sum.parts.len() == 1).collect();
        for own in leaves.chunk_by(|a, b| a.process == b.process) {
            let (left, _) = self.place(own[0]);
            let (right, bottom) = self.place(own[own.len() - 1]);
            let name = format!("process {}", own[0].process);
            let (from, to) = ((left - 1.4, 2.4), (right + 1.4, bottom + 1.5));
            figure.frame(from, to, Side::Above, &name);
        }
    }

    /// A sum, and the lines from its halves.
    fn draw_sum(&self, figure: &mut Diagram, sum: &Sum, frame: u8) {
        let (value, hue) = self.value(sum, frame);
        let text = match sum.parts.len() {
            1 => format!("part {}\n{value}", sum.parts.start),
            _ => value.to_string(),
        };
        let size = (2.4, sum.height());
        let block = figure.block(self.place(sum), size, &text, hue);
        let halves = halves(&sum.parts);
        let of_sum = |other: &&Sum| {
            other.parts != sum.parts && halves.contains(&other.parts)
        };
        for half in self.tree.iter().filter(of_sum) {
            let (x, y) = self.place(half);
            let top = (x, y - half.height() / 2.0);
            if half.process == sum.process {
                figure.line(&[top, block.bottom()], Hue::Rule);
                continue;
            }
            let line = [top, (x, self.place(sum).1), block.right()];
            let back = [line[2], line[1], line[0]];
            match Some(frame) {
                now if now == Some(self.made(sum)) => {
                    figure.arrow(&line, Hue::Ink);
                }
                now if now == self.told(half) => {
                    figure.arrow(&back, Hue::Ink);
                }
                _ => figure.line(&line, Hue::Rule),
            }
        }
    }
}

/// What more machines gain, on networks of three speeds.
fn gain() {
    let base = Projection::of(MODELS[1]);
    let ends = NETWORKS.map(|gigabits| base.gain(64, gigabits));
    let description = format!(
        "Curves over the number of machines. With {} of them, an update of \
         the base model is {:.1} times as fast as with one at {} gigabit a \
         second, {:.1} times at {} and {:.1} times at {}. A straight line \
         is as many times as machines.",
        64, ends[0], NETWORKS[0], ends[1], NETWORKS[1], ends[2], NETWORKS[2]
    );
    let chart = Chart::new("What more machines gain", &description)
        .x("machines")
        .y("times as fast as one")
        .log_x()
        .log_y()
        .line("as many", powers().map(|n| (n as f64, n as f64)));
    let chart = NETWORKS.into_iter().rev().fold(chart, |chart, gigabits| {
        let points = powers().map(|n| (n as f64, base.gain(n, gigabits)));
        chart.line(&format!("{gigabits} Gbit/s"), points)
    });
    plot::save("cluster-gain", &chart.draw());
}
