//! Checks the exercises of the chapter on the cache.

use super::{compact, may_win};

checks! {
    exercise_2: only_what_is_used_stays,
    exercise_3: the_kindest_divisor_decides
}

fn only_what_is_used_stays() {
    let (kept, lists) = compact(&[vec![0, 1]]);
    assert_eq!(kept, [0, 1], "all columns are in use");
    assert_eq!(lists, [[0, 1]], "so they keep their numbers");
    let hint = "nobody uses column 1, and 2 takes its place";
    let (kept, lists) = compact(&[vec![0, 2]]);
    assert_eq!(kept, [0, 2], "{hint}");
    assert_eq!(lists, [[0, 1]], "{hint}");
    let hint = "two hypotheses share the columns 0 and 2, which stay once";
    let (kept, lists) = compact(&[vec![0, 2, 5], vec![0, 2, 4]]);
    assert_eq!(kept, [0, 2, 4, 5], "{hint}, in the order of the cache");
    assert_eq!(lists, [[0, 1, 3], [0, 1, 2]], "{hint}");
    let (kept, lists) = compact(&[]);
    let hint = "no hypothesis is left";
    assert!(kept.is_empty() && lists.is_empty(), "{hint}");
}

fn the_kindest_divisor_decides() {
    let hint = "at α = 0 nothing is divided, and a sum only falls";
    assert!(may_win(-1.2, 3, 11, 0.0, -1.3), "{hint}");
    assert!(!may_win(-1.4, 3, 11, 0.0, -1.3), "{hint}");
    let hint = "a sum of −2 after 3 tokens, at α = 0.6: if the eight tokens \
                that may follow were certain, the divisor would be 1.80 and \
                the score −1.11, which is better than −1.3";
    assert!(may_win(-2.0, 3, 11, 0.6, -1.3), "{hint}");
    let hint = "−3 divided by 1.80 is −1.67, and no divisor is larger";
    assert!(!may_win(-3.0, 3, 11, 0.6, -1.3), "{hint}");
}
