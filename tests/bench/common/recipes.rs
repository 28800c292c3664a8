//! The changes, and how the decoders with them learn.

#![allow(dead_code)] // Each bench and example takes what it needs.

use all_you_need::encoder::Config;
use all_you_need::today::{Schedule, Steps};
use all_you_need::tokens::Tokenizer;
use all_you_need::training::Recipe;

/// How many tokens a decoder knows: bytes, the two ends, and the merges.
pub fn vocabulary() -> usize {
    Tokenizer::default().vocabulary() + MERGES
}

/// The sizes of all models: rows of 64 numbers, four layers, four heads.
pub fn config(vocabulary: usize) -> Config {
    Config {
        vocabulary,
        layers: 4,
        d_model: 64,
        d_ff: 256,
        heads: 4,
        d_k: 16,
        d_v: 16,
    }
}

/// How wide the rows of five sizes are, and the updates of three budgets.
pub const WIDTHS: [usize; 5] = [16, 32, 64, 96, 128];
pub const BUDGETS: [usize; 3] = [250, 1000, 4000];

/// The sizes with rows of this width: four times as many hidden units, and
/// heads of the same width as ever.
pub fn as_wide(width: usize, vocabulary: usize) -> Config {
    let heads = width / 16;
    Config { d_model: width, d_ff: 4 * width, heads, ..config(vocabulary) }
}

/// How all of them learn, unless this is what changes. The norm after stands
/// half of the rate that the norm before learns best with.
pub fn recipe(change: &str, seed: u64) -> Recipe {
    Recipe {
        batch_tokens: BATCH * WINDOW,
        parts: 1,
        updates: 1000,
        warmup: 100,
        peak_lr: if change == "paper" { 0.006 } else { 0.012 },
        dropout: 0.0,
        weight_decay: 0.1,
        label_smoothing: 0.0,
        seed,
        ..Recipe::base()
    }
}

/// How many byte pairs of the captions are merged.
pub const MERGES: usize = 1000;

/// How many tokens a model reads at a time, and how many such windows are in
/// a batch.
pub const WINDOW: usize = 64;
pub const BATCH: usize = 8;

/// Each change, and what it is called. The first two are the decoder of the
/// paper, and the one of which the others change one part.
pub const CHANGES: [(&str, &str); 22] = [
    ("paper", "the paper: norm after"),
    ("base", "norm before"),
    ("rms", "RMSNorm"),
    ("gelu", "GELU"),
    ("swiglu", "SwiGLU"),
    ("unbiased", "no biases"),
    ("experts", "four experts, two used"),
    ("learned", "learned positions"),
    ("nowhere", "no positions"),
    ("distant", "ALiBi"),
    ("rotary", "rotary positions"),
    ("grouped", "two groups of heads"),
    ("one-group", "one group of heads"),
    ("latent", "latent heads"),
    ("decay", "norms and biases do not decay"),
    ("clip", "clipping at 1"),
    ("root", "the paper's schedule"),
    ("cosine", "cosine schedule"),
    ("stable", "warm-up, stable, decay"),
    ("muon", "Muon"),
    ("llama", "all of Llama's"),
    ("llama-muon", "all of Llama's, and Muon"),
];

/// What an update does, with this change.
pub fn steps(change: &str) -> Steps {
    let base = Steps::default();
    let muon = Some(0.02);
    let llama = Steps {
        clip: Some(1.0),
        all_decay: false,
        schedule: Schedule::Cosine,
        ..base
    };
    match change {
        "decay" => Steps { all_decay: false, ..base },
        "clip" => Steps { clip: Some(1.0), ..base },
        "root" => Steps { schedule: Schedule::Root, ..base },
        "cosine" => Steps { schedule: Schedule::Cosine, ..base },
        "stable" => Steps { schedule: Schedule::Stable, ..base },
        "muon" => Steps { muon, ..base },
        "llama" => llama,
        "llama-muon" => Steps { muon, ..llama },
        _ => base,
    }
}
