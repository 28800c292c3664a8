//! The decoders of which each has one change.

use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::layers::{FeedForward, LayerNorm, LayerOps};
use all_you_need::published::{
    Gelu, GroupedHeads, Project, RmsNorm, Rotary, SwiGlu,
};
use all_you_need::tensor::Init;
use all_you_need::today::{
    Bare, DistantHeads, Experts, LatentHeads, Route, Unbiased,
};

/// How many networks there are where a row goes through two of them.
pub const EXPERTS: usize = 4;

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

    /// The paper's heads, which look at what is near with more weight.
    pub fn distant<T: LayerOps>(
        &self,
        init: &mut impl Init<T>,
    ) -> DistantHeads<T> {
        DistantHeads { heads: self.paper(init) }
    }

    /// Heads in so many groups, each group with one key and one value.
    fn groups<T: Project>(
        &self,
        groups: usize,
        init: &mut impl Init<T>,
    ) -> GroupedHeads<T> {
        let Config { heads, d_model, d_k, .. } = self.0;
        GroupedHeads::new([heads, groups], d_model, d_k, init)
    }

    pub fn grouped<T: Project>(
        &self,
        init: &mut impl Init<T>,
    ) -> GroupedHeads<T> {
        self.groups(2, init)
    }

    pub fn one_group<T: Project>(
        &self,
        init: &mut impl Init<T>,
    ) -> GroupedHeads<T> {
        self.groups(1, init)
    }

    fn turned<T>(&self, heads: GroupedHeads<T>) -> GroupedHeads<T> {
        GroupedHeads { rotary: Some(Rotary::new(self.0.d_k)), ..heads }
    }

    /// Each head a group of its own, with rotary positions.
    pub fn rotary<T: Project>(
        &self,
        init: &mut impl Init<T>,
    ) -> GroupedHeads<T> {
        self.turned(self.groups(self.0.heads, init))
    }

    pub fn rotary_in_groups<T: Project>(
        &self,
        init: &mut impl Init<T>,
    ) -> GroupedHeads<T> {
        self.turned(self.grouped(init))
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
        Experts::new(EXPERTS, d_model, init, half)
    }
}

/// Makes the decoder with a change, of tensors `$t`, and does something with
/// it. With every part it has another type.
macro_rules! with_model {
    ($change:expr, $t:ty, $config:expr, $init:expr, |$model:ident| $body:expr) => {
        with_model! {
            $change, $t, $config, $init, |$model| $body;
            "rms" => Sines, paper, rms, relu;
            "gelu" => Sines, paper, norm, gelu;
            "swiglu" => Sines, paper, norm, swiglu;
            "unbiased" => Sines, paper, unbiased, bare;
            "experts" => Sines, paper, norm, experts;
            "learned" => Learned(WINDOW), paper, norm, relu;
            "nowhere" => None, paper, norm, relu;
            "distant" => None, distant, norm, relu;
            "rotary" => None, rotary, norm, relu;
            "grouped" => Sines, grouped, norm, relu;
            "one-group" => Sines, one_group, norm, relu;
            "latent" => Sines, latent, norm, relu;
            "llama" | "llama-muon" => None, rotary_in_groups, rms, swiglu;
            _ => Sines, paper, norm, relu;
        }
    };
    (
        $change:expr, $t:ty, $config:expr, $init:expr,
        |$model:ident| $body:expr;
        $($name:pat => $places:expr, $heads:ident, $norm:ident, $network:ident;)*
    ) => {{
        use all_you_need::today::Places::{Learned, None, Sines};
        let (config, init) = ($config, $init);
        let sizes = Sizes(config.clone());
        match $change {
            $($name => {
                let $model: Modern<$t, _, _, _> = Modern::new(
                    &config,
                    $places,
                    init,
                    |init| sizes.$heads(init),
                    |init| sizes.$norm(init),
                    |init| sizes.$network(init),
                );
                $body
            })*
        }
    }};
}
