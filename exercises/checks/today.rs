//! Checks the exercises of the chapter on what changed.

use super::{latest, share};
use all_you_need::plain::attend;
use all_you_need::tensor::Matrix;

checks! {
    exercise_2: the_rate_rises_stays_and_falls,
    exercise_3: hidden_blocks_change_nothing
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

fn hidden_blocks_change_nothing() {
    let wave = |n, d, fast: f64| {
        Matrix::from_fn(n, d, |i, j| 9.0 * (fast * (i * d + j) as f64).sin())
    };
    let (q, k, v) = (wave(1, 4, 1.0), wave(7, 4, 2.0), wave(7, 3, 3.0));
    for recent in [7, 3, 1] {
        let [k_seen, v_seen] =
            [&k, &v].map(|m| m.rows(7 - recent, recent).into_owned());
        let whole = attend(&q, &k_seen, &v_seen, &Matrix::zeros(1, recent));
        for block in [7, 4, 3, 2, 1] {
            let found = latest(recent, block, &q, &k, &v);
            assert!(
                found.iter().all(|x| !x.is_nan()),
                "the last {recent} keys in blocks of {block}: NaN. What is \
                 the highest score before any key was seen?"
            );
            let apart = (found - &whole).amax();
            assert!(
                apart < 1e-9,
                "the last {recent} keys in blocks of {block} give something \
                 else than these keys alone"
            );
        }
    }
}
