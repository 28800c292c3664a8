//! The decoders of which each has one change, and how they learn.

use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::layers::{FeedForward, LayerNorm, LayerOps};
use all_you_need::published::{
    Gelu, GroupedHeads, Project, RmsNorm, Rotary, SwiGlu,
};
use all_you_need::tensor::Init;
use all_you_need::today::{
    Bare, Experts, LatentHeads, Route, Schedule, Steps, Unbiased,
};
use all_you_need::training::Recipe;

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

/// The sizes of a writer's layer, from which its parts are made.
pub struct Sizes(pub Config);

impl Sizes {
    pub fn paper<T: LayerOps>(
        &self,
        init: &mut impl Init<T>,
    ) -> MultiHead<T> {
        let Config { heads, d_model, d_k, d_v, .. } = self.0;
        MultiHead::new(heads, d_model, (d_k, d_v), init)
    }

    /// Heads in so many groups, with or without rotary positions.
    pub fn groups<T: Project>(
        &self,
        groups: usize,
        rotary: bool,
        init: &mut impl Init<T>,
    ) -> GroupedHeads<T> {
        let Config { heads, d_model, d_k, .. } = self.0;
        let all = GroupedHeads::new([heads, groups], d_model, d_k, init);
        GroupedHeads { rotary: rotary.then(|| Rotary::new(d_k)), ..all }
    }

    /// Heads that keep as much as a single group would.
    pub fn latent<T: LayerOps>(
        &self,
        init: &mut impl Init<T>,
    ) -> LatentHeads<T> {
        let Config { heads, d_model, d_k, .. } = self.0;
        LatentHeads::new(heads, d_model, [d_k, 2 * d_k], init)
    }

    pub fn norm<T: LayerOps>(&self, init: &mut impl Init<T>) -> LayerNorm<T> {
        LayerNorm::new(self.0.d_model, init)
    }

    pub fn rms<T: LayerOps>(&self, init: &mut impl Init<T>) -> RmsNorm<T> {
        RmsNorm::new(self.0.d_model, init)
    }

    pub fn unbiased<T: LayerOps>(
        &self,
        init: &mut impl Init<T>,
    ) -> Unbiased<T> {
        Unbiased { gain: init.filled(1, self.0.d_model, 1.0) }
    }

    pub fn relu<T: LayerOps>(
        &self,
        init: &mut impl Init<T>,
    ) -> FeedForward<T> {
        FeedForward::new(self.0.d_model, self.0.d_ff, init)
    }

    pub fn gelu<T: LayerOps>(&self, init: &mut impl Init<T>) -> Gelu<T> {
        Gelu::new(self.0.d_model, self.0.d_ff, init)
    }

    pub fn bare<T: LayerOps>(&self, init: &mut impl Init<T>) -> Bare<T> {
        let Config { d_model, d_ff, .. } = self.0;
        Bare {
            inner: init.weight(d_model, d_ff),
            outer: init.weight(d_ff, d_model),
        }
    }

    /// Three matrices of two thirds the width are as many numbers as two.
    pub fn swiglu<T: Project>(&self, init: &mut impl Init<T>) -> SwiGlu<T> {
        SwiGlu::new(self.0.d_model, self.0.d_ff * 2 / 3, init)
    }

    /// Each half as wide, so that two of them multiply as often as one did.
    pub fn experts<T: Route>(
        &self,
        init: &mut impl Init<T>,
    ) -> Experts<T, FeedForward<T>> {
        let Config { d_model, d_ff, .. } = self.0;
        let half = |init: &mut _| FeedForward::new(d_model, d_ff / 2, init);
        Experts::new(4, d_model, init, half)
    }
}

/// Makes a decoder of these parts, and does something with it.
macro_rules! model {
    (
        $t:ty, $config:expr, $init:expr, |$model:ident| $body:expr,
        $places:expr, $heads:expr, $norm:expr, $network:expr
    ) => {{
        let $model: Modern<$t, _, _, _> =
            Modern::new(&$config, $places, $init, $heads, $norm, $network);
        $body
    }};
}

/// Makes the decoder with a change, of tensors `$t`, and does something with
/// it. With every part it has another type.
macro_rules! with_model {
    ($change:expr, $t:ty, $config:expr, $init:expr, |$model:ident| $body:expr) => {{
        use all_you_need::today::Places::{Learned, None, Sines};
        let (config, init) = ($config, $init);
        let s = Sizes(config.clone());
        match $change {
            "rms" => model!(
                $t,
                config,
                init,
                |$model| $body,
                Sines,
                |i| s.paper(i),
                |i| s.rms(i),
                |i| s.relu(i)
            ),
            "gelu" => model!(
                $t,
                config,
                init,
                |$model| $body,
                Sines,
                |i| s.paper(i),
                |i| s.norm(i),
                |i| s.gelu(i)
            ),
            "swiglu" => {
                model!(
                    $t,
                    config,
                    init,
                    |$model| $body,
                    Sines,
                    |i| s.paper(i),
                    |i| s.norm(i),
                    |i| s.swiglu(i)
                )
            }
            "unbiased" => {
                model!(
                    $t,
                    config,
                    init,
                    |$model| $body,
                    Sines,
                    |i| s.paper(i),
                    |i| s.unbiased(i),
                    |i| s.bare(i)
                )
            }
            "experts" => {
                model!(
                    $t,
                    config,
                    init,
                    |$model| $body,
                    Sines,
                    |i| s.paper(i),
                    |i| s.norm(i),
                    |i| s.experts(i)
                )
            }
            "learned" => model!(
                $t,
                config,
                init,
                |$model| $body,
                Learned(WINDOW),
                |i| s.paper(i),
                |i| s.norm(i),
                |i| s.relu(i)
            ),
            "nowhere" => model!(
                $t,
                config,
                init,
                |$model| $body,
                None,
                |i| s.paper(i),
                |i| s.norm(i),
                |i| s.relu(i)
            ),
            "distant" => model!(
                $t,
                config,
                init,
                |$model| $body,
                None,
                |i| DistantHeads { heads: s.paper(i) },
                |i| s.norm(i),
                |i| s.relu(i)
            ),
            "rotary" => {
                model!(
                    $t,
                    config,
                    init,
                    |$model| $body,
                    None,
                    |i| s.groups(4, true, i),
                    |i| s.norm(i),
                    |i| s.relu(i)
                )
            }
            "grouped" => {
                model!(
                    $t,
                    config,
                    init,
                    |$model| $body,
                    Sines,
                    |i| s.groups(2, false, i),
                    |i| s.norm(i),
                    |i| s.relu(i)
                )
            }
            "one-group" => {
                model!(
                    $t,
                    config,
                    init,
                    |$model| $body,
                    Sines,
                    |i| s.groups(1, false, i),
                    |i| s.norm(i),
                    |i| s.relu(i)
                )
            }
            "latent" => model!(
                $t,
                config,
                init,
                |$model| $body,
                Sines,
                |i| s.latent(i),
                |i| s.norm(i),
                |i| s.relu(i)
            ),
            "llama" | "llama-muon" => {
                model!(
                    $t,
                    config,
                    init,
                    |$model| $body,
                    None,
                    |i| s.groups(2, true, i),
                    |i| s.rms(i),
                    |i| s.swiglu(i)
                )
            }
            _ => model!(
                $t,
                config,
                init,
                |$model| $body,
                Sines,
                |i| s.paper(i),
                |i| s.norm(i),
                |i| s.relu(i)
            ),
        }
    }};
}
