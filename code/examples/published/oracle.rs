//! A GPT-2 and a Llama to compare with.

use all_you_need::plain::Matrix;
use all_you_need::plain::published::{Gpt2, Llama, gpt2, llama};
use nalgebra::dmatrix;

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// Read in one pass, or with a cache: three tokens, then one at a time.
pub const TEXT: [usize; 6] = [3, 1, 4, 1, 5, 9];

/// The first four logits after the last token.
pub fn last_four(logits: &Matrix) -> Matrix {
    logits.view((5, 0), (1, 4)).into_owned()
}

/// Ten tokens, eight places, rows of 8 numbers, two layers with two heads.
pub fn sine_gpt2() -> Gpt2 {
    let pair = |k, n, m| [sines(k, n, m), sines(k + 1, 1, m)]; // W and b
    let layer = |k| {
        let [norm1, norm2] = [k, k + 6].map(|k| pair(k, 1, 8)); // γ and β
        let (qkv, out) = (pair(k + 2, 8, 24), pair(k + 4, 8, 8));
        let (inner, outer) = (pair(k + 8, 8, 32), pair(k + 10, 32, 8));
        (norm1, qkv, out, norm2, inner, outer)
    };
    let tables = [sines(0, 10, 8), sines(40, 8, 8)];
    Gpt2(tables, 2, vec![layer(1), layer(23)], pair(41, 1, 8))
}

/// What a right GPT-2 makes of the text.
pub fn check() {
    let logits = gpt2(&sine_gpt2(), &TEXT);
    let right = dmatrix![0.1629, 0.3370, 0.0251, -2.8333];
    assert!((last_four(&logits) - right).amax() < 1e-4);
}

/// Ten tokens, rows of 8 numbers, two layers with four heads of 4 columns in
/// two groups, and θ = 500.
pub fn sine_llama() -> Llama {
    let layer = |k| {
        let [norm1, norm2] = [k, k + 5].map(|k| sines(k, 1, 8));
        let [q, o] = [sines(k + 1, 8, 16), sines(k + 4, 16, 8)];
        let [k2, v] = [k + 2, k + 3].map(|k| sines(k, 8, 8));
        let think = [(k + 6, 8, 12), (k + 7, 8, 12), (k + 8, 12, 8)];
        let think = think.map(|(k, n, m)| sines(k, n, m));
        (norm1, [q, k2, v, o], norm2, think)
    };
    let tables = [sines(0, 10, 8), sines(20, 10, 8)];
    let layers = vec![layer(1), layer(10)];
    Llama(tables, (4, 500.0), layers, sines(19, 1, 8))
}

/// What a right Llama makes of the text.
pub fn check_llama() {
    let logits = llama(&sine_llama(), &TEXT);
    let right = dmatrix![1.0915, 1.4739, -0.1806, 2.2033];
    assert!((last_four(&logits) - right).amax() < 1e-4);
}
