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

/// What an update of four parts takes, as shares of its time on one thread.
struct Update {
    never_shared: f64,
    /// What is shared only if there are parts to share.
    by_parts: f64,
    in_products: f64,
}

impl Update {
    fn of(model: &str) -> Self {
        let [whole, four] = [1, parts()].map(|n| Measured::of(model, n));
        let never_shared = four.alone() / four.one;
        let by_parts = (whole.alone() - four.alone()).max(0.0) / four.one;
        let in_products = 1.0 - never_shared - by_parts;
        Self { never_shared, by_parts, in_products }
    }

    /// How many times as fast as one so many threads are.
    fn times_as_fast(&self, threads: f64) -> f64 {
        let parts = threads.min(parts() as f64);
        let Self { never_shared, by_parts, in_products } = self;
        1.0 / (never_shared + by_parts / parts + in_products / threads)
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
    let [whole, four] = [1, parts()].map(|n| Measured::of("tiny", n));
    for (name, measured) in [("one part", whole), ("four parts", four)] {
        let Measured { one, two } = measured;
        value(format!("{name}, one thread"), grouped(one.fixed(1)));
        value(format!("{name}, two threads"), grouped(two.fixed(1)));
        value(format!("{name}, not shared"), measured.alone().fixed(1));
    }
    value("times as fast", (four.one / four.two).fixed(1));
    value("more", (whole.alone() - four.alone()).fixed(1));
    section("On paper");
    let tiny = Update::of("tiny");
    value("never shared", tiny.never_shared.fixed(3));
    value("by parts", tiny.by_parts.fixed(3));
    value("in products", tiny.in_products.fixed(3));
    value("on sixteen threads", (1.0 / tiny.times_as_fast(16.0)).fixed(2));
    for threads in [16.0, 64.0] {
        let times = tiny.times_as_fast(threads);
        value(format!("{threads} threads"), times.fixed(1));
    }
}
