//! Checks the exercises of the chapter on the translator.

use super::recall;
use all_you_need::translation::TextPair;

checks! {
    exercise_3: the_most_similar_text_is_recalled
}

fn the_most_similar_text_is_recalled() {
    let known = [
        ("a cat sleeps", "eine katze schläft"),
        ("a dog sleeps in the snow", "ein hund schläft im schnee"),
        ("the dog and the cat and the small bird", "alle meine tiere"),
        ("two men carry a table", "zwei männer tragen einen tisch"),
    ];
    let known: Vec<TextPair> =
        known.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
    let check = |text: &str, expected: usize, hint: &str| {
        assert_eq!(recall(text, &known), known[expected].1, "{hint}");
    };
    for (i, (text, _)) in known.iter().enumerate() {
        check(text, i, "a known text is the most similar to itself");
    }
    let hint = "four words are in common with the second text";
    check("a bird sits in the snow", 1, hint);
    check("two cats", 3, "only `two` is in common with any text");
    let hint = "`the cat` has one word in common with the first text, of \
                2 + 3, which is more than two with the third, of 2 + 9";
    check("the cat", 0, hint);
    let hint = "`the` is in common three times with the third text, and \
                only once with the second";
    check("the the the the", 2, hint);
    let hint = "the first text has a single `a`. How often can it be in \
                common?";
    check("a a a a a carry", 3, hint);
    check("nothing at all", 0, "of equals the first, even of strangers");
}
