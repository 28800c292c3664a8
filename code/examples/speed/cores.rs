//! Updates on more threads than were measured, on paper.

use super::parts;
use print::log::{self, number};
use print::{Fixed, grouped, section, value};

/// One thread and two, in milliseconds.
#[derive(Clone, Copy)]
struct Measured {
    one: f64,
    two: f64,
}

impl Measured {
    fn of(model: &str, parts: usize) -> Self {
        let (rows, parts) = (log::read("speed-cores"), parts.to_string());
        let rows =
            log::table(rows).filter(|row| row[0] == model && row[1] == parts);
        let mut times = rows.map(|[_, _, _, time]| number::<f64>(time));
        let mut next = || times.next().expect("a time");
        Self { one: next(), two: next() }
    }

    /// What a second thread does not shorten: of `one`, the rest is halved.
    fn alone(self) -> f64 {
        (2.0 * self.two - self.one).max(0.0)
    }
}

/// An update of four parts, as two numbers: what no thread shortens, and of
/// the work inside of a part the share that only one thread can do.
struct Update {
    one: f64,
    alone: f64,
    share: f64,
}

impl Update {
    fn of(model: &str) -> Self {
        let [whole, four] = [1, parts()].map(|n| Measured::of(model, n));
        let (one, alone) = (four.one, four.alone());
        let share = (whole.alone() - alone) / (whole.one - alone);
        Self { one, alone, share: share.max(0.0) }
    }

    /// How many times as fast as one so many threads are. Up to as many as
    /// there are parts, each has parts of its own; more share the products of
    /// each part.
    fn times_as_fast(&self, threads: f64) -> f64 {
        let Self { one, alone, share } = *self;
        let parts = parts() as f64;
        let inside = (parts / threads).min(1.0);
        let part = share + (1.0 - share) * inside;
        one / (alone + (one - alone) / threads.min(parts) * part)
    }
}

/// The numbers of threads in the figure.
const THREADS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// The models that were measured.
pub const MODELS: [&str; 3] = ["tiny", "base", "big"];

/// How many times as fast a model is on each number of threads.
pub fn curve(model: &str) -> [(f64, f64); 7] {
    let update = Update::of(model);
    THREADS.map(|threads| (threads, update.times_as_fast(threads)))
}

pub fn more() {
    section("Two threads");
    for (name, parts) in [("one part", 1), ("four parts", parts())] {
        let measured = Measured::of("tiny", parts);
        let Measured { one, two } = measured;
        value(format!("{name}, one thread"), grouped(one.fixed(0)));
        value(format!("{name}, two threads"), grouped(two.fixed(0)));
        value(format!("{name}, not shared"), measured.alone().fixed(0));
    }
    let four = Measured::of("tiny", parts());
    value("times as fast", (four.one / four.two).fixed(1));
    section("On paper");
    let tiny = Update::of("tiny");
    let never = tiny.alone / tiny.one;
    let by_parts = (1.0 - never) * tiny.share;
    value("never shorter", never.fixed(2));
    value("by parts alone", by_parts.fixed(2));
    value("in products", (1.0 - never - by_parts).fixed(2));
    value("on sixteen threads", (1.0 / tiny.times_as_fast(16.0)).fixed(2));
    for threads in [16.0, 64.0] {
        let times = tiny.times_as_fast(threads);
        value(format!("{threads} threads"), times.fixed(1));
    }
}
