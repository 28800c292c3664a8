use all_you_need::tokens::Bpe;

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
// What the new token of a merge spells is what its two tokens spell, one after
// the other, and both are older. The bytes of all tokens become letters
// together, because one letter may be divided among several tokens.

/// The text that these tokens spell.
pub fn decode(tokens: &[u32], merges: &[(u32, u32)]) -> String {
    let mut spelled: Vec<Vec<u8>> =
        (0..=255).map(|byte| vec![byte]).collect();
    for &(left, right) in merges {
        let [left, right] = [left, right].map(|id| &spelled[id as usize]);
        spelled.push([&left[..], right].concat());
    }
    let bytes: Vec<u8> =
        tokens.iter().flat_map(|id| spelled[*id as usize].clone()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
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
