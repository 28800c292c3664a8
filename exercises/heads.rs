//! Exercises of the chapter on heads.

use all_you_need::plain::{Matrix, attend};

#[cfg(test)]
#[path = "checks/heads.rs"]
mod check;

// Exercise 3

/// Grouped-query attention: h heads of queries share the keys and values of g
/// heads. The first h/g heads of queries attend with the first keys and
/// values, the next h/g with the next, and so on.
///
/// Queries are n × h·d_k, keys m × g·d_k, values m × g·d_v; the result is
/// n × h·d_v. h is a multiple of g. The mask, n × m, is the same for all.
pub fn grouped(
    [q, k, v]: [&Matrix; 3],
    (h, g): (usize, usize),
    mask: &Matrix,
) -> Matrix {
    todo!("begin with the loop of `heads`, and ask which keys a head uses")
}

// Exercise 4

/// What the heads have found, each n × d_v, times W^O, h·d_v × d_model; the
/// result is n × d_model. There is a mistake in it.
pub fn combine(found: &[Matrix], w_o: &Matrix) -> Matrix {
    let d_v = found[0].ncols();
    let part = |i: usize| w_o.columns(i * d_v, d_v).transpose();
    let parts = found.iter().enumerate().map(|(i, head)| head * part(i));
    parts.reduce(|sum, part| sum + part).expect("a head")
}
