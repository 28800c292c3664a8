//! Checks the exercises of the chapter on search.

use super::{best_of_all, forbidden};

checks! {
    exercise_2: no_run_is_said_twice,
    exercise_4: every_continuation_has_its_parent
}

fn no_run_is_said_twice() {
    let check = |said: &[usize], n, expected: &[usize], hint| {
        assert_eq!(forbidden(said, n), expected, "{said:?}, {n}: {hint}");
    };
    let hint = "2 3 was followed by 4, and would be again";
    check(&[2, 3, 4, 2, 3], 3, &[4], hint);
    check(&[2, 3, 4, 2, 5], 3, &[], "2 5 was not said before");
    let hint = "2 was followed by 3, by 1 and by 3 again: each once, from \
                the smallest on";
    check(&[2, 3, 2, 1, 2, 3, 2], 2, &[1, 3], hint);
    check(&[4, 4, 2], 1, &[2, 4], "n = 1: no token is said twice");
    check(&[7, 7], 2, &[7], "7 7 overlaps with the new run, and counts");
    check(&[7], 2, &[], "nothing has followed the 7 yet");
    check(&[7], 3, &[], "fewer than n − 1 tokens were said");
    check(&[], 1, &[], "nothing was said");
}

fn every_continuation_has_its_parent() {
    let certain = vec![f64::NEG_INFINITY, 0.0];
    let hint = "one hypothesis and a beam of one";
    let found = best_of_all(&[-1.0], std::slice::from_ref(&certain), 1);
    assert_eq!(found, [(0, 1, -1.0)], "{hint}");

    let hint = "the second hypothesis is the better one, and its first token \
                wins. Which hypothesis does the cache have to copy?";
    let next = vec![-0.5, -3.0];
    let found = best_of_all(&[-2.0, -0.5], &[certain, next.clone()], 2);
    assert_eq!(found, [(1, 0, -1.0), (0, 1, -2.0)], "{hint}");

    let hint = "both of the best continue the first hypothesis: one \
                hypothesis may have several continuations, and another none";
    let found = best_of_all(&[-1.0, -9.0], &[next.clone(), next], 2);
    assert_eq!(found, [(0, 0, -1.5), (0, 1, -4.0)], "{hint}");
}
