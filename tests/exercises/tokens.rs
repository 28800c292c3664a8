use all_you_need::tokens::Bpe;
use std::collections::HashMap;

#[path = "../../exercises/checks/tokens.rs"]
mod check;

// Exercise 1
//
// Five: *the*, ␣*the*, ␣, *T* and *he*. With a space in front it is another
// token than without, and a capital is another letter, so *The* shares only
// its *he* with the others.
#[test]
fn the_is_written_in_three_ways() {
    let bpe = Bpe::train("the cat and the hat and the fat cat", 9);
    let cut = |text: &str| -> Vec<String> {
        let ids = bpe.encode(text);
        ids.into_iter().map(|id| bpe.decode(&[id])).collect()
    };
    assert_eq!(cut("the the The"), ["the", " the", " ", "T", "he"]);
}

// Exercise 2
//
// One from *aaaa*, and two from *aaaaaaaa*. In *aaaa* the pair is counted
// three times, though there is room for only two of them; then `aa` is next
// to `aa` once, and a pair must occur twice.
#[test]
fn four_times_the_same_letter() {
    let bpe = Bpe::train("aaaa", 100);
    assert_eq!(bpe.merges(), [(97, 97)]);
    assert_eq!(bpe.encode("aaaaa"), [256, 256, 97]);
    assert_eq!(Bpe::train("aaaaaaaa", 100).merges().len(), 2);
}

// Exercise 3
//
// The table says of each pair of the piece which token it would become, and
// the lowest token is that of the oldest merge. A merge makes only pairs with
// its own new token, and these were learned later, so none that should have
// come first is missed.

/// The tokens of one piece, which is given as its bytes.
pub fn encode(piece: &[u32], merges: &[(u32, u32)]) -> Vec<u32> {
    let ids: HashMap<_, u32> = merges.iter().copied().zip(256..).collect();
    let mut tokens = piece.to_vec();
    loop {
        let pairs = tokens.windows(2).enumerate();
        let fits =
            pairs.filter_map(|(i, t)| Some((ids.get(&(t[0], t[1]))?, i)));
        let Some((&id, i)) = fits.min() else { return tokens };
        tokens.splice(i..i + 2, [id]);
    }
}

// Exercise 4
//
// The loop ends when one token is left, because a single token is no pair.
// Unless the text ends in a merged pair, its last token is never copied.

/// The tokens with every `pair` replaced by `id`, from left to right.
pub fn merge(tokens: &[u32], pair: (u32, u32), id: u32) -> Vec<u32> {
    let mut merged = Vec::new();
    let mut i = 0;
    while i + 1 < tokens.len() {
        if (tokens[i], tokens[i + 1]) == pair {
            merged.push(id);
            i += 2;
        } else {
            merged.push(tokens[i]);
            i += 1;
        }
    }
    merged.extend(&tokens[i..]);
    merged
}
