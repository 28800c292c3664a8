use all_you_need::tokens::{Bpe, Vocabulary, one_hot, words};

// Exercise 1
// Three. With a space in front it is another token than without, and a
// capital is another letter, so that `The` has only its `he` in common with
// the others. Without a space *the* is the first word of a text.
#[test]
fn the_is_three_words() {
    let bpe = Bpe::train("the cat and the hat and the fat cat", 9);
    let cut = |text: &str| -> Vec<String> {
        let ids = bpe.encode(text);
        ids.into_iter().map(|id| bpe.decode(&[id])).collect()
    };
    assert_eq!(cut("the the The"), ["the", " the", " ", "T", "he"]);
}

// Exercise 2
// One. The pair (a, a) is counted three times, though only two of the three
// find room. Then `aa` is next to `aa` once, and a pair must occur twice.
// Twice as many letters give one more merge.
#[test]
fn four_times_the_same_letter() {
    let bpe = Bpe::train("aaaa", 100);
    assert_eq!(bpe.merges(), [(97, 97)]);
    assert_eq!(bpe.encode("aaaaa"), [256, 256, 97]);
    assert_eq!(Bpe::train("aaaaaaaa", 100).merges().len(), 2);
}

// Exercise 3
// P is one-hot itself. Its row i has a 1 where the new i-th word stood in
// the old sentence: the ids of P are the order. In a product with P from the
// left every row of the result is one row of the matrix on the right.
#[test]
fn a_matrix_that_turns_the_sentence_round() {
    let sentence = words("the cat jumped over the fence");
    let vocabulary = Vocabulary::of(&sentence);
    let rows = |text: &str| {
        let ids = vocabulary.encode(&words(text)).unwrap();
        one_hot(&ids, vocabulary.len())
    };
    let p = one_hot(&[0, 5, 2, 3, 4, 1], 6);
    let turned = &p * rows("the cat jumped over the fence");
    assert_eq!(turned, rows("the fence jumped over the cat"));
}
