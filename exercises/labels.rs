//! Exercises of the chapter on few labels.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/labels.rs"]
mod check;

// Exercise 3

/// The table of a filler for another vocabulary: a row for each word of `new`.
/// A word that is not in `old` gets the mean of all rows.
pub fn renumbered(table: &Matrix, old: &[&str], new: &[&str]) -> Matrix {
    todo!("which row has the first word of `new`?")
}

// Exercise 4

/// What a filler reads of some reviews, each with a gap in place of its last
/// word, without the reviews of the test. There is a mistake in it.
pub fn to_fill(reviews: &[&str], test: &[&str]) -> Vec<String> {
    let gaps = reviews.iter().map(|review| {
        let (before, _) = review.rsplit_once(' ').expect("two words");
        format!("{before} ___")
    });
    gaps.filter(|text| !test.contains(&&text[..])).collect()
}
