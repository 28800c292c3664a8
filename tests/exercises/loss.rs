use all_you_need::loss::CrossEntropy;
use all_you_need::tensor::Matrix;

// Exercise 1
// Nine times in ten. With p for its favourite it pays −ln p when it is right
// and −ln((1 − p)/999) when it is not, and 0.9 makes the mean least. The
// cheapest forecast is the true one.
#[test]
fn honesty_is_cheapest() {
    let pays = |p: f64| {
        let mut row = Matrix::from_element(1, 1000, ((1.0 - p) / 999.0).ln());
        row[0] = p.ln();
        let right = row.cross_entropy(&[0], 0.0)[0];
        let wrong = row.cross_entropy(&[1], 0.0)[0];
        0.9 * right + 0.1 * wrong
    };
    let sure = (1..100).map(|percent| f64::from(percent) / 100.0);
    let best = sure.min_by(|&a, &b| pays(a).total_cmp(&pays(b)));
    assert_eq!(best, Some(0.90));
    assert!(pays(0.99) > pays(0.90));
}

// Exercise 2
// (3 · 2 + 30 · 1) / 33 = 1.09. The mean of the two means, 1.5, would give
// each of the three tokens as much weight as ten of the thirty.
#[test]
fn a_mean_of_means_is_no_mean() {
    // With two words, the loss of the first is ln(1 + e^s) at a score of −s.
    let rows = |n: usize, nats: f64| {
        Matrix::from_fn(n, 2, |_, j| j as f64 * (nats.exp() - 1.0).ln())
    };
    let (few, many) = (rows(3, 2.0), rows(30, 1.0));
    let loss =
        |rows: &Matrix| rows.cross_entropy(&vec![0; rows.nrows()], 0.0);
    assert!((loss(&few)[0] - 2.0).abs() < 1e-14);
    let mut both = few.insert_rows(3, 30, 0.0);
    both.rows_mut(3, 30).copy_from(&many);
    assert!((loss(&both)[0] - 36.0 / 33.0).abs() < 1e-14);
}

// Exercise 3
// 0.1 · V/(V − 1). Our ε gives the target back a part ε/V, so what it loses
// is ε(1 − 1/V), and that should be 0.1. For five words ε is 0.125.
#[test]
fn two_smoothings_are_one() {
    let scores: Matrix =
        Matrix::from_row_slice(1, 5, &[0.3, -1.0, 2.0, 0.5, 0.0]);
    let total: f64 = scores.iter().map(|x| x.exp()).sum();
    let among_the_others: f64 = scores
        .iter()
        .enumerate()
        .map(|(j, x)| {
            let q = if j == 2 { 0.9 } else { 0.1 / 4.0 };
            -q * (x.exp() / total).ln()
        })
        .sum();
    let ours = scores.cross_entropy(&[2], 0.1 * 5.0 / 4.0)[0];
    assert!((ours - among_the_others).abs() < 1e-14);
}
