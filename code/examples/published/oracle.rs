//! A GPT-2 and a Llama to compare with.

use all_you_need::plain::published::{Gpt2, Llama, gpt2, llama};
use nalgebra::dmatrix;

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
    let right = dmatrix![-1.8947, -1.6971, -0.4577, 1.6100];
    assert!((logits.view((3, 0), (1, 4)) - right).amax() < 1e-4);
}

/// Ten tokens, rows of 8 numbers, and a layer whose two heads share their
/// keys and values.
fn sine_llama() -> Llama {
    let look =
        [sines(2, 8, 8), sines(3, 8, 4), sines(4, 8, 4), sines(5, 8, 8)];
    let think = [sines(7, 8, 12), sines(8, 8, 12), sines(9, 12, 8)];
    let layer = (sines(1, 1, 8), look, sines(6, 1, 8), think);
    let tables = [sines(0, 10, 8), sines(20, 10, 8)];
    Llama(tables, (4, 10_000.0), vec![layer], sines(10, 1, 8))
}

/// The logits after the last token begin with these numbers.
pub fn check_llama() {
    let logits = llama(&sine_llama(), &[3, 1, 4, 1]);
    let right = dmatrix![1.8732, 0.0842, 1.4219, 0.4344];
    assert!((logits.view((3, 0), (1, 4)) - right).amax() < 1e-4);
}
