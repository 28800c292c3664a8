use std::array::from_fn;

// Exercise 1
//
// With as many rows as columns. The left side takes 2n²d multiply-adds and the
// right side 2nd², so the cheaper one squares the smaller, and with 64
// columns texts of more than 64 tokens are cheaper on the right. The published
// models read thousands.
#[test]
fn both_orders_cost_the_same_with_as_many_rows_as_columns() {
    let columns = 64;
    let left = |n: usize| n * columns * n + n * n * columns;
    let right = |n: usize| columns * n * columns + n * columns * columns;
    assert_eq!(left(columns), right(columns));
    assert!((1..columns).all(|n| left(n) < right(n)));
    assert!((columns + 1..1000).all(|n| right(n) < left(n)));
}

// Exercise 2
//
// Kept are 0.2 of each token, 0.6 together, so 0.4 are refused. The large
// model gives more than the small one only to C, so C takes all of them, and
// the shares are 0.2, 0.2 and 0.6, as they should be. If the replacement is
// drawn from the large model as it is, A and B get 0.4 · 0.2 on top and have
// 0.28 each, and C has 0.44. What was kept has already given A and B all that
// they should have, so nothing may be added to them.
#[test]
fn a_refused_token_is_drawn_from_what_is_lacking() {
    let (small, large) = ([0.5f64, 0.3, 0.2], [0.2f64, 0.2, 0.6]);
    let kept: [f64; 3] = from_fn(|i| large[i].min(small[i]));
    let refused = 1.0 - kept.iter().sum::<f64>();
    let lacking: [f64; 3] = from_fn(|i| (large[i] - small[i]).max(0.0));
    let with = |instead: [f64; 3]| -> [f64; 3] {
        let all: f64 = instead.iter().sum();
        from_fn(|i| kept[i] + refused * instead[i] / all)
    };
    let near = |a: [f64; 3], b: [f64; 3]| {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    };
    assert!(near(with(lacking), large));
    assert!(near(with(large), [0.28, 0.28, 0.44]));
}
