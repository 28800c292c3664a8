//! Exercises of the chapter on tokens.

#[cfg(test)]
#[path = "checks/tokens.rs"]
mod check;

// Exercise 3

/// The text that these tokens spell. The first merge makes token 256, and
/// bytes that spell no letter become `�`.
pub fn decode(tokens: &[u32], merges: &[(u32, u32)]) -> String {
    todo!("the bytes of each token first, and then the letters of all bytes")
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
