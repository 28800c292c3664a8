//! Exercises of the chapter on tokens.

#[cfg(test)]
#[path = "checks/tokens.rs"]
mod check;

// Exercise 3

/// The tokens of a text, with these merges, the first of which makes token
/// 256. The text is cut in front of every space, and each piece begins as its
/// bytes.
pub fn encode(text: &str, merges: &[(u32, u32)]) -> Vec<u32> {
    todo!("in each piece, apply the first merge, then the second, and so on")
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
