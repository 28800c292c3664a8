//! Exercises of the chapter on tokens.

use std::collections::BTreeMap;

#[cfg(test)]
#[path = "checks/tokens.rs"]
mod check;

// Exercise 3

/// Learns byte pairs: the pair of tokens that each merge joins. The first
/// merge makes token 256.
///
/// This is the short learner of the chapter. Its merges reach across words.
/// Change it so that it cuts the text in front of every space and looks for
/// pairs only within the pieces. And let it stop when no pair occurs twice.
pub fn learn(text: &str, merges: usize) -> Vec<(u32, u32)> {
    let mut tokens: Vec<u32> = text.bytes().map(u32::from).collect();
    let mut learned = Vec::new();
    for id in (256..).take(merges) {
        let mut counts = BTreeMap::new();
        for pair in tokens.windows(2) {
            *counts.entry((pair[0], pair[1])).or_insert(0) += 1;
        }
        let most = counts.iter().rev().max_by_key(|(_, n)| **n);
        let Some((&best, _)) = most else { break };
        let mut i = 0;
        while i + 1 < tokens.len() {
            if (tokens[i], tokens[i + 1]) == best {
                tokens.splice(i..i + 2, [id]);
            }
            i += 1;
        }
        learned.push(best);
    }
    learned
}

// Exercise 4

/// The tokens with every `pair` replaced by `id`, from left to right. There
/// is a mistake in it.
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
    merged
}
