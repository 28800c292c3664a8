//! A GPT-2 to compare with.

use all_you_need::plain::published::{Gpt2, gpt2};

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// Ten tokens, five places, rows of 4 numbers, and a layer with two heads.
fn sine_gpt2() -> Gpt2 {
    let pair = |k, n, m| [sines(k, n, m), sines(k + 1, 1, m)]; // W and b
    let norm = |k| pair(k, 1, 4); // γ and β
    let (qkv, out) = (pair(3, 4, 12), pair(5, 4, 4));
    let (inner, outer) = (pair(9, 4, 16), pair(11, 16, 4));
    let layer = (norm(1), qkv, out, norm(7), inner, outer);
    Gpt2([sines(0, 10, 4), sines(13, 5, 4)], 2, vec![layer], norm(14))
}

/// The logits after the last token begin with these numbers.
pub fn check() {
    let logits = gpt2(&sine_gpt2(), &[3, 1, 4, 1]);
    for (j, expected) in
        [-1.8947, -1.6971, -0.4577, 1.6100].iter().enumerate()
    {
        assert!((logits[(3, j)] - expected).abs() < 1e-4, "{logits}");
    }
}
