//! Checks the exercises of the chapter on the cache.

use super::{append, may_win};

checks! {
    exercise_2: each_goes_on_from_its_parent,
    exercise_3: the_kindest_divisor_decides
}

fn each_goes_on_from_its_parent() {
    let found = append(&[vec![0]], &[0], 1);
    assert_eq!(found, [[0, 1]], "one hypothesis, and one that continues it");
    let found = append(&[vec![0]], &[0, 0], 1);
    let hint = "two continue the same one: they share its columns, and each \
                has a new one";
    assert_eq!(found, [[0, 1], [0, 2]], "{hint}");
    let lists = [vec![0, 1], vec![0, 2]];
    let hint = "the first new one continues the second of those before, and \
                the second the first";
    let found = append(&lists, &[1, 0], 3);
    assert_eq!(found, [[0, 2, 3], [0, 1, 4]], "{hint}");
    let hint = "one of those before is not continued, and its columns stay \
                where they are, without a reader";
    let found = append(&lists, &[1, 1], 3);
    assert_eq!(found, [[0, 2, 3], [0, 2, 4]], "{hint}");
    let found = append(&lists, &[], 3);
    assert!(found.is_empty(), "no hypothesis is left");
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
