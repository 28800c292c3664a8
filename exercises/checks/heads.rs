//! Checks the exercises of the chapter on heads.

use super::{cut, grouped};
use crate::expect::expect;
use all_you_need::attention::{Mask, attention};
use all_you_need::heads::attend_by_head;
use all_you_need::tensor::{Init, Matrix, Tensor};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: groups_share_their_keys_and_values,
    exercise_4: every_head_gets_some_columns_of_all_words
}

fn groups_share_their_keys_and_values() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mask = Mask::none(3, 5);
    let q: Matrix = rng.uniform(3, 4 * 2, 1.0);
    let k: Matrix = rng.uniform(5, 4 * 2, 1.0);
    let v: Matrix = rng.uniform(5, 4, 1.0);
    let (first_q, first_k) = (&q.chunk(4)[0], &k.chunk(4)[0]);
    let first_v = &v.chunk(4)[0];
    let found = grouped([first_q, first_k, first_v], (1, 1), &mask);
    let expected = attention(first_q, first_k, first_v, &mask);
    expect(&found, &expected, "one head, one group: plain attention");

    let found = grouped([&q, &k, &v], (4, 4), &mask);
    let expected = attend_by_head(&q, &k, &v, 4, &mask);
    let hint = "four heads, four groups: every head has its own keys";
    expect(&found, &expected, hint);

    let found = grouped([&q, first_k, first_v], (4, 1), &mask);
    let [all_k, all_v] = [first_k, first_v]
        .map(|x| Matrix::concat(&[0; 4].map(|_| x.clone())));
    let expected = attend_by_head(&q, &all_k, &all_v, 4, &mask);
    let hint = "four heads, one group: all use the same keys and values";
    expect(&found, &expected, hint);

    let [two_k, two_v] = [&k, &v].map(|x| Matrix::concat(&x.chunk(4)[..2]));
    let found = grouped([&q, &two_k, &two_v], (4, 2), &mask);
    let [all_k, all_v] = [&two_k, &two_v].map(|x| x.chunk(2)).map(|parts| {
        Matrix::concat(&[0, 0, 1, 1].map(|i: usize| parts[i].clone()))
    });
    let expected = attend_by_head(&q, &all_k, &all_v, 4, &mask);
    let hint = "four heads, two groups: heads 0 and 1 use the first keys, \
                heads 2 and 3 the second";
    expect(&found, &expected, hint);

    let past = Mask::padding(3, 5, 2);
    let found = grouped([&q, &two_k, &two_v], (4, 2), &past);
    let expected = attend_by_head(&q, &all_k, &all_v, 4, &past);
    let hint = "the mask hides the last three of five keys. Does every head \
                get the mask?";
    expect(&found, &expected, hint);
}

fn every_head_gets_some_columns_of_all_words() {
    let one = dmatrix![11.0, 12.0, 13.0, 14.0];
    let hint = "one word, two heads";
    let found = cut(&one, 2);
    assert_eq!(found.len(), 2, "{hint}");
    expect(&found[0], &dmatrix![11.0, 12.0], hint);
    expect(&found[1], &dmatrix![13.0, 14.0], hint);
    let two = dmatrix![11.0, 12.0, 13.0, 14.0; 21.0, 22.0, 23.0, 24.0];
    let found = cut(&two, 2);
    let hint = "two words, two heads. The first head has the first two \
                features of both words. Which numbers did it get?";
    expect(&found[0], &dmatrix![11.0, 12.0; 21.0, 22.0], hint);
    expect(&found[1], &dmatrix![13.0, 14.0; 23.0, 24.0], hint);
}
