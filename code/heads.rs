//! Several attentions side by side (§3.2.2).

use crate::attention::{Mask, Softmax, attention, weights};
use crate::tensor::{Init, Shape};

/// Concat(head_1, …, head_h): each head has its own columns of the queries,
/// keys and values.
///
/// Queries are n × h·d_k, keys m × h·d_k, values m × h·d_v; the result is
/// n × h·d_v.
pub fn attend<T: Softmax>(
    q: &T,
    k: &T,
    v: &T,
    heads: usize,
    mask: &Mask,
) -> T {
    let (q, k, v) = (q.split(heads), k.split(heads), v.split(heads));
    let head = |i: usize| attention(&q[i], &k[i], &v[i], mask);
    let heads: Vec<T> = (0..heads).map(head).collect();
    T::concat(&heads)
}

/// A tensor that attends with several heads at once.
pub trait Heads: Softmax {
    /// What [`attend`] computes. A reading that knows a shorter way to the
    /// same numbers may take it.
    fn attend(
        q: &Self,
        k: &Self,
        v: &Self,
        heads: usize,
        mask: &Mask,
    ) -> Self {
        attend(q, k, v, heads, mask)
    }
}

impl Heads for Shape {}

/// MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O,
/// where head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
///
/// The h matrices W_i^Q lie side by side in one, and so do W_i^K and W_i^V.
#[derive(Clone, Debug)]
pub struct MultiHead<T> {
    /// How many heads there are: h.
    pub heads: usize,
    /// What each head asks: d_model × h·d_k.
    pub w_q: T,
    /// What each head looks at: d_model × h·d_k.
    pub w_k: T,
    /// What each head takes: d_model × h·d_v.
    pub w_v: T,
    /// What becomes of it all: h·d_v × d_model.
    pub w_o: T,
}

/// What some rows have to offer to whoever asks.
#[derive(Clone, Debug)]
pub struct Memory<T> {
    /// The keys of all heads, side by side: m × h·d_k.
    pub keys: T,
    /// Their values: m × h·d_v.
    pub values: T,
}

impl<T: Heads> MultiHead<T> {
    /// Random heads, reading and writing rows of `d_model` numbers.
    pub fn new(
        heads: usize,
        d_model: usize,
        (d_k, d_v): (usize, usize),
        init: &mut impl Init<T>,
    ) -> Self {
        let (asked, taken) = (heads * d_k, heads * d_v);
        let all = asked + asked + taken;
        Self {
            heads,
            w_q: init.beside(d_model, asked, all),
            w_k: init.beside(d_model, asked, all),
            w_v: init.beside(d_model, taken, all),
            w_o: init.weight(taken, d_model),
        }
    }

    /// The rows of `x`, n × d_model, ask; those of `y`, m × d_model, answer.
    pub fn forward(&self, x: &T, y: &T, mask: &Mask) -> T {
        self.ask(x, &self.remember(y), mask)
    }

    /// The keys and values of `y`, m × d_model.
    pub fn remember(&self, y: &T) -> Memory<T> {
        Memory { keys: y.matmul(&self.w_k), values: y.matmul(&self.w_v) }
    }

    /// The answers to the questions of `x`: n × d_model.
    pub fn ask(&self, x: &T, memory: &Memory<T>, mask: &Mask) -> T {
        let Memory { keys, values } = memory;
        let queries = x.matmul(&self.w_q);
        T::attend(&queries, keys, values, self.heads, mask).matmul(&self.w_o)
    }

    /// The weights of every head, h of n × m: what the pictures show.
    pub fn weights(&self, x: &T, y: &T, mask: &Mask) -> Vec<T> {
        let queries = x.matmul(&self.w_q).split(self.heads);
        let keys = y.matmul(&self.w_k).split(self.heads);
        let heads = queries.iter().zip(&keys);
        heads.map(|(q, k)| weights(q, k, mask)).collect()
    }
}
