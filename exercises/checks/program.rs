//! Checks the exercises of the appendix on the program.

use super::{part, tidy};

checks! {
    exercise_2: a_text_becomes_as_the_model_knows_texts,
    exercise_3: only_numbers_in_the_range_pass
}

fn a_text_becomes_as_the_model_knows_texts() {
    assert_eq!(tidy("a dog runs"), "a dog runs", "nothing to do");
    assert_eq!(tidy("A Dog runs"), "a dog runs", "small letters");
    assert_eq!(tidy("a dog runs."), "a dog runs .", "a space before it");
    let hint = "a mark that has a space before it needs no other";
    assert_eq!(tidy("a dog runs ."), "a dog runs .", "{hint}");
    let hint = "letters are not only those of English";
    assert_eq!(tidy("Ärger, Öl!"), "ärger , öl !", "{hint}");
    assert_eq!(tidy("Yes, but where?"), "yes , but where ?");
}

fn only_numbers_in_the_range_pass() {
    for (text, number) in [("0", 0.0), ("0.5", 0.5), ("0.99", 0.99)] {
        assert_eq!(part(text), Ok(number), "{text} is in the range");
    }
    for text in ["many", "", "-0.1", "1", "inf", "-inf"] {
        assert!(part(text).is_err(), "{text} is not in the range");
    }
    let hint = "there is an f64 that is neither smaller nor larger than any \
                other; which, and how is it written?";
    assert!(part("NaN").is_err(), "{hint}");
}
