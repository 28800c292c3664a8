//! The models of other depths and sizes, and how the deep ones are trained.

#![allow(dead_code)] // Each of a bench and an example takes what it needs.

use all_you_need::ablation::Experiment;
use all_you_need::encoder::Config;

/// The ways that a deep model is trained.
pub const WAYS: [&str; 4] =
    ["after", "after, no warm-up", "before", "before, no warm-up"];

/// How many layers the deep models have.
pub const LAYERS: [usize; 4] = [2, 4, 8, 16];

/// A row of a small Table 3: its name, sizes and dropout, and the switch that
/// makes the same model, which has been trained already.
pub type Row = (&'static str, Config, f64, Option<&'static str>);

/// A small Table 3.
pub fn small_table_3() -> [Row; 16] {
    let base = Experiment::config;
    let heads = |heads: usize| {
        let d = base().d_model / heads;
        Config { heads, d_k: d, d_v: d, ..base() }
    };
    let wide = |d_model: usize| Config {
        d_model,
        d_k: d_model / 2,
        d_v: d_model / 2,
        ..base()
    };
    [
        ("base", base(), 0.0, Some("none")),
        ("A: h = 1", heads(1), 0.0, Some("one-head")),
        ("A: h = 4", heads(4), 0.0, None),
        ("A: h = 8", heads(8), 0.0, None),
        ("A: h = 16", heads(16), 0.0, None),
        ("B: d_k = 4", Config { d_k: 4, ..base() }, 0.0, None),
        ("B: d_k = 2", Config { d_k: 2, ..base() }, 0.0, None),
        ("C: N = 1", Config { layers: 1, ..base() }, 0.0, None),
        ("C: N = 3", Config { layers: 3, ..base() }, 0.0, None),
        ("C: d_model = 16", wide(16), 0.0, None),
        ("C: d_model = 64", wide(64), 0.0, None),
        ("C: d_ff = 32", Config { d_ff: 32, ..base() }, 0.0, None),
        ("C: d_ff = 256", Config { d_ff: 256, ..base() }, 0.0, None),
        ("D: dropout = 0.1", base(), 0.1, None),
        ("D: dropout = 0.3", base(), 0.3, None),
        ("E: learned positions", base(), 0.0, Some("learned")),
    ]
}
