//! Checks the exercises of the chapter on classifying.

use super::{first_rows, mean_rows};
use all_you_need::classifier::means;
use all_you_need::tensor::{Matrix, Tensor};

checks! {
    exercise_2: each_text_gives_its_first_row,
    exercise_3: each_mean_is_of_its_own_rows
}

/// Six rows that all differ.
fn rows() -> Matrix {
    Matrix::from_fn(6, 2, |i, j| (10 * i + j) as f64)
}

fn each_text_gives_its_first_row() {
    let rows = rows();
    assert_eq!(
        first_rows(&rows, &[6]),
        rows.gather(&[0]),
        "one text begins at row 0"
    );
    assert_eq!(
        first_rows(&rows, &[2, 4]),
        rows.gather(&[0, 2]),
        "the second text begins where the first ends"
    );
    assert_eq!(
        first_rows(&rows, &[1, 3, 2]),
        rows.gather(&[0, 1, 4]),
        "each text begins after all rows of those before it"
    );
}

fn each_mean_is_of_its_own_rows() {
    let rows = rows();
    let apart = |lengths: &[usize], text: usize| {
        let [found, expected] =
            [mean_rows(&rows, lengths), means(&rows, lengths)]
                .map(|means| means.gather(&[text]));
        (found - expected).amax()
    };
    assert!(apart(&[6], 0) < 1e-9, "one text");
    assert!(apart(&[3, 3], 1) < 1e-9, "two texts of one length");
    assert!(apart(&[2, 4], 1) < 1e-9, "four rows, after a text of two");
    assert!(
        apart(&[2, 4], 0) < 1e-9,
        "two rows, before a text of four: by which number is their sum \
         divided?"
    );
}
