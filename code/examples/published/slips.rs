//! Six slips that run without a message, and what they do.

use all_you_need::plain::published::{Gpt2, Llama};

/// A model that differs from the right one by a slip.
pub type Slip<M> = (&'static str, fn(&mut M));

pub const GPT2: [Slip<Gpt2>; 3] = [
    ("places counted from 1", |Gpt2([_, places], ..)| {
        *places = places.clone().remove_row(0);
    }),
    ("W^O transposed", |Gpt2(_, _, layers, _)| {
        layers.iter_mut().for_each(|layer| layer.2[0].transpose_mut());
    }),
    ("last norm without γ", |Gpt2(.., last)| last[0].fill(1.0)),
];

pub const LLAMA: [Slip<Llama>; 3] = [
    ("neighbours turned together", |Llama(_, (d_k, _), layers, _)| {
        let (d, half) = (*d_k, *d_k / 2);
        for (_, heads, ..) in layers {
            for w in &mut heads[..2] {
                let from =
                    |j: usize| j / d * d + j % d % half * 2 + j % d / half;
                let order: Vec<usize> = (0..w.ncols()).map(from).collect();
                *w = w.select_columns(&order);
            }
        }
    }),
    ("θ left at 10000", |Llama(_, (_, theta), ..)| *theta = 10000.0),
    ("keys and values dealt out in turn", |Llama(_, (d_k, _), layers, _)| {
        for (_, [w_q, w_k, _, w_o], ..) in layers {
            let (h, g) = (w_q.ncols() / *d_k, w_k.ncols() / *d_k);
            let from = |i: usize| i % (h / g) * g + i / (h / g);
            let column = |j: usize| from(j / *d_k) * *d_k + j % *d_k;
            let order: Vec<usize> = (0..w_q.ncols()).map(column).collect();
            *w_q = w_q.select_columns(&order);
            *w_o = w_o.select_rows(&order);
        }
    }),
];
