//! What can be followed with a pencil: a bag of words, and a mean.

use all_you_need::classifier::means;
use all_you_need::dictionary::softmax;
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;
use print::{Fixed, fixed, section, value};

/// What the words add, in a bag that was made by hand.
fn sum(review: &str) -> i32 {
    let number = |word| match word {
        "good" => 2,
        "bad" => -2,
        _ => 0,
    };
    review.split(' ').map(number).sum()
}

pub fn a_bag_by_hand() {
    section("A bag by hand");
    for review in [
        "the film was good",
        "the film was bad",
        "the film was not bad",
        "the film was good , though the ending was bad",
        "the film was bad , though the ending was good",
    ] {
        println!("{review:50} {:2}", sum(review));
    }
}

/// A text of three words with rows of two numbers, and the output matrix.
pub const THREE: [&str; 3] = ["not", "very", "bad"];

/// The rows of the three words, and W.
pub fn rows_and_w() -> [Matrix; 2] {
    [dmatrix![3.0, 0.0; 1.0, 2.0; 2.0, 1.0], dmatrix![1.0, 2.0; 0.0, -1.0]]
}

/// What becomes of the rows: their mean, and the logits.
pub fn mean_and_logits() -> [Matrix; 2] {
    let [rows, w] = rows_and_w();
    let mean = means(&rows, &[rows.nrows()]);
    let logits = &mean * w;
    [mean, logits]
}

pub fn by_hand() {
    let [mean, logits] = mean_and_logits();
    let [bad, good] = [logits[0], logits[1]];
    section("Three rows by hand");
    value("first mean", mean[0].fixed(0));
    value("second mean", mean[1].fixed(0));
    value("logit of bad", bad.fixed(0));
    value("logit of good", good.fixed(0));
    value("good by hand", softmax(&[bad, good])[1].fixed(2));
}

/// The weights by which the means of two packed texts are made: what becomes
/// of rows of which each has its 1 at another place.
pub fn even_weights() {
    section("Weights of two means");
    let rows: Matrix = Matrix::identity(5, 5);
    for row in means(&rows, &[2, 3]).row_iter() {
        println!("{}", fixed(row, 2).join("   "));
    }
}
