//! Checks the exercises of the chapter on learning byte pairs fast.

use super::{count, most_frequent};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

checks! {
    exercise_2: stale_counts_go_back_into_the_queue,
    exercise_3: a_word_counts_as_often_as_it_occurs
}

fn stale_counts_go_back_into_the_queue() {
    let entry = |(n, pair)| (n, Reverse(pair));
    let [a, b, c] = [(1, 2), (2, 3), (3, 4)];
    let counts = HashMap::from([(a, 3), (b, 4), (c, 4)]);
    let mut queue = BinaryHeap::from([(3, a), (4, b), (4, c)].map(entry));
    let hint = "nothing is stale: the highest count, and of two equal ones \
                the lower ids";
    assert_eq!(most_frequent(&mut queue, &counts), Some(b), "{hint}");
    let hint = "what was taken is gone from the queue, and the rest is there";
    assert_eq!(most_frequent(&mut queue, &counts), Some(c), "{hint}");
    assert_eq!(most_frequent(&mut queue, &counts), Some(a), "{hint}");
    let hint = "the queue is empty";
    assert_eq!(most_frequent(&mut queue, &counts), None, "{hint}");
    let mut queue = BinaryHeap::from([(9, a), (4, b)].map(entry));
    let hint = "the queue has 9 for (1, 2), which now occurs three times, so \
                (2, 3), which occurs four times, comes first";
    assert_eq!(most_frequent(&mut queue, &counts), Some(b), "{hint}");
    let hint = "a pair that was passed over is still in the queue";
    assert_eq!(most_frequent(&mut queue, &counts), Some(a), "{hint}");
    let mut queue = BinaryHeap::from([(9, (7, 7)), (3, a)].map(entry));
    let hint = "a pair without a count does not occur any more";
    assert_eq!(most_frequent(&mut queue, &counts), Some(a), "{hint}");
    let hint = "and a pair that does not occur is never the answer, even if \
                it is the last in the queue";
    assert_eq!(most_frequent(&mut queue, &counts), None, "{hint}");
}

fn a_word_counts_as_often_as_it_occurs() {
    let found = count(&[(vec![1, 2, 3], 1)]);
    assert_eq!(found, HashMap::from([((1, 2), 1), ((2, 3), 1)]), "one word");
    let hint = "a word that occurs five times has each of its pairs five \
                times";
    let found = count(&[(vec![1, 2], 5)]);
    assert_eq!(found, HashMap::from([((1, 2), 5)]), "{hint}");
    let hint = "twice in a word that occurs three times, and once in another";
    let found = count(&[(vec![1, 1, 1], 3), (vec![1, 1], 1), (vec![4], 9)]);
    assert_eq!(found, HashMap::from([((1, 1), 7)]), "{hint}");
}
