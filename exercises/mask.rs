//! Exercises of the chapter on masks.

use all_you_need::attention::Mask;

#[cfg(test)]
#[path = "checks/mask.rs"]
mod check;

// Exercise 3

/// A prefix mask, n × n: the first `prefix` words are a question and the rest
/// is its answer. Every word may see all of the question. A word of the
/// answer may also see itself and the words of the answer before it.
pub fn prefix(n: usize, prefix: usize) -> Mask {
    todo!("for each query a range of keys, and `Mask::new`")
}

// Exercise 4

/// The keys that both masks allow. The masks are of the same size. There is a
/// mistake in it.
pub fn both(a: &Mask, b: &Mask) -> Mask {
    let pairs = a.visible().iter().zip(b.visible());
    let ranges = pairs.map(|(a, b)| {
        let end = a.end.min(b.end);
        let start = a.start.min(b.start);
        start..end.max(start)
    });
    Mask::new(ranges.collect(), a.keys())
}
