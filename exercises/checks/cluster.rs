//! Checks the exercises of the chapter on several machines.

use super::{mean_of_all, slowest};
use all_you_need::cluster::Channels;
use std::thread;

checks! {
    exercise_2: all_hear_of_the_slowest,
    exercise_3: every_token_counts_the_same
}

/// What each of these processes returns, when each took so many seconds.
fn heard(seconds: &[f64]) -> Vec<f64> {
    let all = Channels::between(seconds.len()).into_iter().zip(seconds);
    let start = |(peers, &seconds): (Channels, &f64)| {
        thread::spawn(move || {
            slowest(&peers, seconds).expect("all processes")
        })
    };
    let threads: Vec<_> = all.map(start).collect();
    let ends = threads.into_iter().map(|thread| thread.join());
    ends.map(|end| end.expect("no panic in a process")).collect()
}

fn all_hear_of_the_slowest() {
    let hint = "a process alone needs no messages";
    assert_eq!(heard(&[2.5]), [2.5], "{hint}");
    let hint = "of two processes the second is slower. Has it sent its time \
                to process 0, and has it got the answer?";
    assert_eq!(heard(&[1.0, 3.0]), [3.0; 2], "{hint}");
    let hint = "does process 0 compare with its own time, too?";
    assert_eq!(heard(&[4.0, 3.0, 2.0]), [4.0; 3], "{hint}");
    let hint = "five processes, of which the third is the slowest";
    assert_eq!(heard(&[0.1, 0.2, 0.7, 0.3, 0.6]), [0.7; 5], "{hint}");
}

fn every_token_counts_the_same() {
    let hint = "two processes with as many tokens each";
    assert_eq!(mean_of_all(&[(2.0, 10), (4.0, 10)]), 3.0, "{hint}");
    let hint = "the first process has three times as many tokens: \
                (3 · 2 + 1 · 4) / 4";
    assert_eq!(mean_of_all(&[(2.0, 30), (4.0, 10)]), 2.5, "{hint}");
    let hint = "a process without lines changes nothing";
    assert_eq!(mean_of_all(&[(2.0, 30), (0.0, 0)]), 2.0, "{hint}");
}
