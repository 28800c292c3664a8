//! Heads that know distances, and heads that remember less.

use crate::attention::{Mask, scores};
use crate::heads::{KeysValues, MultiHead};
use crate::layers::LayerOps;
use crate::published::{GroupedHeads, Project};
use crate::tensor::{Init, Matrix};

/// Self-attention of any kind.
pub trait Attend<T> {
    /// The rows of `x`, n × d_model, attend to each other: n × d_model. Row i
    /// is at place `places[i]` of its text.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    fn attend(&self, x: &T, places: &[usize], mask: &Mask) -> T;

    /// How many numbers a cache must keep for each token that was read.
    fn kept(&self) -> usize;
}

impl<T: LayerOps> Attend<T> for MultiHead<T> {
    fn attend(&self, x: &T, _: &[usize], mask: &Mask) -> T {
        self.forward(x, x, mask)
    }

    fn kept(&self) -> usize {
        self.w_k.shape().1 + self.w_v.shape().1
    }
}

impl<T: Project> Attend<T> for GroupedHeads<T> {
    fn attend(&self, x: &T, places: &[usize], mask: &Mask) -> T {
        self.forward(x, places, mask)
    }

    fn kept(&self) -> usize {
        self.w_k.shape().1 + self.w_v.shape().1
    }
}

/// Heads whose scores fall with the distance of a key, each at a rate of its
/// own: ALiBi (Press et al., 2022). They need no other positions.
#[derive(Clone, Debug)]
pub struct DistantHeads<T> {
    /// The projections of the paper.
    pub heads: MultiHead<T>,
}

parameters!(DistantHeads, [], [heads], []);

impl<T: LayerOps> Attend<T> for DistantHeads<T> {
    fn attend(&self, x: &T, places: &[usize], mask: &Mask) -> T {
        let h = self.heads.heads;
        let KeysValues { keys, values } = self.heads.keys_values(x);
        let q = x.matmul(&self.heads.w_q);
        let parts = q.chunk(h).into_iter().zip(keys.chunk(h));
        let each = parts.zip(values.chunk(h)).enumerate();
        let found = each.map(|(i, ((q, k), v))| {
            let scores = scores(&q, &k);
            // From 2^(−8/h), for a head that looks nearby, to 1/256.
            let rate = 2f64.powf(-8.0 * (i + 1) as f64 / h as f64);
            let far = distances(places).scale(-rate);
            scores.add(&scores.constant(&far)).softmax(mask).matmul(&v)
        });
        T::concat(&found.collect::<Vec<_>>()).matmul(&self.heads.w_o)
    }

    fn kept(&self) -> usize {
        self.heads.kept()
    }
}

/// How far each place is behind each other one: n × n.
fn distances(places: &[usize]) -> Matrix {
    let n = places.len();
    Matrix::from_fn(n, n, |i, j| places[i] as f64 - places[j] as f64)
}

/// Heads that make their keys and values from one narrow row for each token,
/// so that a cache keeps nothing else (DeepSeek-AI, 2024; without its
/// rotations).
#[derive(Clone, Debug)]
pub struct LatentHeads<T> {
    /// The number of heads: h.
    pub heads: usize,
    /// The query projections: d_model × h·d_k.
    pub w_q: T,
    /// To what is kept: d_model × c.
    pub narrow: T,
    /// From it to the keys of all heads: c × h·d_k.
    pub w_k: T,
    /// And to their values: c × h·d_k.
    pub w_v: T,
    /// The output projection: h·d_k × d_model.
    pub w_o: T,
}

parameters!(LatentHeads, [w_q narrow w_k w_v w_o], [], [heads]);

impl<T: LayerOps> LatentHeads<T> {
    /// Random heads of d_k columns that keep c numbers for each token.
    ///
    /// # Panics
    /// If all heads together are too wide for a matrix.
    pub fn new(
        heads: usize,
        d_model: usize,
        [d_k, c]: [usize; 2],
        init: &mut impl Init<T>,
    ) -> Self {
        let wide = || panic!("{heads} heads of {d_k} columns are too wide");
        let all = heads.checked_mul(d_k).unwrap_or_else(wide);
        Self {
            heads,
            w_q: init.weight(d_model, all),
            narrow: init.weight(d_model, c),
            w_k: init.weight(c, all),
            w_v: init.weight(c, all),
            w_o: init.weight(all, d_model),
        }
    }
}

impl<T: LayerOps> Attend<T> for LatentHeads<T> {
    fn attend(&self, x: &T, _: &[usize], mask: &Mask) -> T {
        let (q, kept) = (x.matmul(&self.w_q), x.matmul(&self.narrow));
        let (k, v) = (kept.matmul(&self.w_k), kept.matmul(&self.w_v));
        T::attend_heads(&q, &k, &v, self.heads, mask).matmul(&self.w_o)
    }

    fn kept(&self) -> usize {
        self.narrow.shape().1
    }
}
