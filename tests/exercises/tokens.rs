use all_you_need::tokens::Bpe;
use std::collections::BTreeMap;

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
// The text becomes a list of pieces, and a new piece begins at every space.
// Pairs are counted over all pieces and merged in each of them, so no pair
// has its two tokens in different words.

/// Learns byte pairs, none of which reaches across two words.
pub fn learn(text: &str, merges: usize) -> Vec<(u32, u32)> {
    let mut pieces = vec![vec![]];
    for byte in text.bytes() {
        if byte == b' ' {
            pieces.push(vec![]);
        }
        pieces.last_mut().expect("a piece").push(u32::from(byte));
    }
    let mut learned = Vec::new();
    for id in (256..).take(merges) {
        let mut counts = BTreeMap::new();
        for pair in pieces.iter().flat_map(|piece| piece.windows(2)) {
            *counts.entry((pair[0], pair[1])).or_insert(0) += 1;
        }
        let most = counts.iter().rev().max_by_key(|(_, n)| **n);
        let Some((&best, 2..)) = most else { break };
        for piece in &mut pieces {
            *piece = merge(piece, best, id);
        }
        learned.push(best);
    }
    learned
}

// Exercise 4
//
// The loop ends when one token is left, because a single token is no pair.
// That token was never copied, unless it was the second of a pair.

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
