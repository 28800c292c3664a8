//! Checks the exercises of the chapter on what changed.

use super::{share, two};

checks! {
    exercise_2: the_rate_rises_stays_and_falls,
    exercise_3: two_shares_are_the_whole
}

fn the_rate_rises_stays_and_falls() {
    let at = |step| share(step, 10, 20, 100);
    let close = |step, right: f64, hint: &str| {
        let found = at(step);
        assert!((found - right).abs() < 1e-12, "update {step}: {hint}");
    };
    close(5, 0.5, "half of the warm-up is half of the rate");
    close(10, 1.0, "the warm-up ends with the whole rate");
    close(60, 1.0, "between the two lines nothing changes");
    close(80, 1.0, "twenty updates before the end the fall begins");
    close(90, 0.5, "half of the fall is left");
    close(100, 0.0, "the last update has a rate of 0");
    let short = share(8, 10, 10, 12);
    assert!((short - 0.4).abs() < 1e-12, "the lines can cross: {short}");
}

fn two_shares_are_the_whole() {
    let [(first, a), (second, b)] = two(&[1.0, 2.0, 1.0 + 1e-9, 0.0]);
    assert_eq!([first, second], [1, 2], "the two highest scores");
    assert!((a + b - 1.0).abs() < 1e-9, "two shares of one row: {a} and {b}");
    let e = 1f64.exp();
    assert!((a / b - e).abs() < 1e-6, "their ratio is that of e² to e");
}
