//! GPT-2 and Llama: the plain model's functions with the changes of later
//! years. `add_norm`, `attend` and `causal` are those of the first part.

use super::{Matrix, Norm, add_norm, attend, causal};

/// W and b.
pub type Linear = [Matrix; 2];

/// x W + b.
pub fn linear([w, b]: &Linear, x: &Matrix) -> Matrix {
    let mut y = x * w;
    y.row_iter_mut().for_each(|mut row| row += b);
    y
}

/// LayerNorm(x), and nothing added.
pub fn norm(p: &Norm, x: &Matrix) -> Matrix {
    add_norm(p, x, &Matrix::zeros(x.nrows(), x.ncols()))
}

/// About 0 below, about x above, and a smooth bend between them.
pub fn gelu(x: f64) -> f64 {
    let z = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
    x * (1.0 + z.tanh()) / 2.0
}

/// Queries of several heads, side by side, and keys and values of as many or
/// fewer, which the heads share: each row may look at itself and at those
/// before it. From n × h·d_k, n × g·d_k and n × g·d_k to n × h·d_k.
pub fn look(d_k: usize, q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let own = |m: &Matrix, i| m.columns(i * d_k, d_k).into_owned();
    let share = q.ncols() / k.ncols(); // 1, if each head has its own
    let mut found = Matrix::zeros(q.nrows(), q.ncols());
    for i in 0..q.ncols() / d_k {
        let (q, k, v) = (own(q, i), own(k, i / share), own(v, i / share));
        let head = attend(&q, &k, &v, &causal(q.nrows()));
        found.columns_mut(i * d_k, d_k).copy_from(&head);
    }
    found
}

/// A norm, W and b of all queries, keys and values side by side, W^O and its
/// b; a norm, and the two steps of feed-forward.
pub type Gpt2Layer = (Norm, Linear, Linear, Norm, Linear, Linear);

/// From n × d_model to n × d_model, with h heads. Nothing is normed on the
/// way through: what a sublayer made is added to x as it is.
pub fn gpt2_layer(h: usize, p: &Gpt2Layer, x: &Matrix) -> Matrix {
    let (norm1, qkv, out, norm2, inner, outer) = p;
    let (d, all) = (x.ncols(), linear(qkv, &norm(norm1, x)));
    let [q, k, v] = [0, 1, 2].map(|i| all.columns(i * d, d).into_owned());
    let x = x + linear(out, &look(d / h, &q, &k, &v));
    let hidden = linear(inner, &norm(norm2, &x)).map(gelu);
    &x + linear(outer, &hidden)
}

/// The tokens' table, V × d_model; a row for each place; the number of heads
/// h; the layers; the last norm.
#[derive(Debug)]
pub struct Gpt2(pub [Matrix; 2], pub usize, pub Vec<Gpt2Layer>, pub Norm);

/// After each token, a score for every token to be the next: n × V.
pub fn gpt2(Gpt2(tables, h, layers, last): &Gpt2, text: &[usize]) -> Matrix {
    let [tokens, places] = tables;
    let x = tokens.select_rows(text) + places.rows(0, text.len());
    let up = |x: Matrix, p| gpt2_layer(*h, p, &x);
    norm(last, &layers.iter().fold(x, up)) * tokens.transpose()
}

/// x / √(mean(x²) + ε) · γ: RMSNorm, without a mean to subtract.
pub fn rms_norm(gain: &Matrix, x: &Matrix) -> Matrix {
    let mut x = x.clone();
    for mut row in x.row_iter_mut() {
        let mean = row.norm_squared() / row.len() as f64;
        row /= (mean + 1e-5).sqrt();
        row.component_mul_assign(gain);
    }
    x
}

/// x σ(x).
pub fn silu(x: f64) -> f64 {
    x / (1.0 + (-x).exp())
}

/// (SiLU(x · gate) ∘ (x · value)) · output: SwiGLU.
pub fn swiglu([gate, value, output]: &[Matrix; 3], x: &Matrix) -> Matrix {
    (x * gate).map(silu).component_mul(&(x * value)) * output
}

/// Turns row i by the angles of place i: column j together with the one that
/// is half a head further. Rotary positions, for heads side by side.
pub fn turn(d_k: usize, theta: f64, x: &Matrix) -> Matrix {
    Matrix::from_fn(x.nrows(), x.ncols(), |place, column| {
        let (j, half) = (column % d_k, d_k / 2);
        let speed = theta.powf(-((j % half) as f64) / half as f64);
        let (sin, cos) = (place as f64 * speed).sin_cos();
        let own = x[(place, column)] * cos;
        match j < half {
            true => own - x[(place, column + half)] * sin,
            false => own + x[(place, column - half)] * sin,
        }
    })
}

/// γ; W^Q, W^K, W^V and W^O; γ; gate, value and output of SwiGLU.
pub type LlamaLayer = (Matrix, [Matrix; 4], Matrix, [Matrix; 3]);

/// From n × d_model to n × d_model, with heads of d_k columns.
pub fn llama_layer(
    (d_k, theta): (usize, f64),
    (norm1, [w_q, w_k, w_v, w_o], norm2, think): &LlamaLayer,
    x: &Matrix,
) -> Matrix {
    let normed = rms_norm(norm1, x);
    let [q, k] = [w_q, w_k].map(|w| turn(d_k, theta, &(&normed * w)));
    let x = x + look(d_k, &q, &k, &(&normed * w_v)) * w_o;
    &x + swiglu(think, &rms_norm(norm2, &x))
}

/// The table of the tokens and that of the scores, both V × d_model; the
/// columns of a head and θ; the layers; the last norm's γ.
#[derive(Debug)]
pub struct Llama(
    pub [Matrix; 2],
    pub (usize, f64),
    pub Vec<LlamaLayer>,
    pub Matrix,
);

/// After each token, a score for every token to be the next: n × V.
pub fn llama(
    Llama(tables, turns, layers, last): &Llama,
    text: &[usize],
) -> Matrix {
    let [tokens, scores] = tables;
    let up = |x: Matrix, p| llama_layer(*turns, p, &x);
    let x = layers.iter().fold(tokens.select_rows(text), up);
    rms_norm(last, &x) * scores.transpose()
}
