//! Checks the exercises of the chapter on the loop with its threads.

use super::{remaining, share_out};

checks! {
    exercise_2: parts_have_about_as_many_tokens,
    exercise_3: a_run_goes_on_with_the_batches_that_are_left
}

fn parts_have_about_as_many_tokens() {
    assert_eq!(share_out(&[5, 5, 5, 5], 2), [2, 2], "four of one length");
    let hint = "the first sentence is as long as all others together";
    assert_eq!(share_out(&[6, 1, 1, 1, 1, 1, 1], 2), [1, 6], "{hint}");
    let captions: Vec<usize> = (0..50).map(|i| 5 + i * i % 23).collect();
    let all = captions.iter().sum::<usize>() as f64;
    let longest = *captions.iter().max().expect("fifty") as f64;
    for parts in 1..=8 {
        let counts = share_out(&captions, parts);
        assert_eq!(counts.len(), parts, "there are {parts} parts");
        let hint = "each sentence is in one part";
        assert_eq!(counts.iter().sum::<usize>(), captions.len(), "{hint}");
        let (share, mut rest) = (all / parts as f64, &captions[..]);
        for count in counts {
            let (part, others) = rest.split_at(count);
            let tokens: usize = part.iter().sum();
            let hint = "compare the tokens so far with the share of all parts \
                        so far, or what is too much in each part adds up in \
                        the last";
            let far = (tokens as f64 - share).abs();
            assert!(far <= longest, "{tokens} of {share}: {hint}");
            rest = others;
        }
    }
}

fn a_run_goes_on_with_the_batches_that_are_left() {
    let batches = || [7, 3, 5, 9, 2].into_iter().cycle();
    let whole = remaining(batches(), 0, 4);
    assert_eq!(
        whole,
        [(1, 7), (2, 3), (3, 5), (4, 9)],
        "a run from its start"
    );
    let hint = "update 3 has the third batch, whether the run was \
                interrupted before it or not";
    assert_eq!(remaining(batches(), 2, 4), whole[2..], "{hint}");
    let hint = "a run that has made all updates makes none";
    assert!(remaining(batches(), 4, 4).is_empty(), "{hint}");
}
