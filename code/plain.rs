//! The Transformer in a hundred lines: plain functions over matrices, for one
//! sentence at a time. Rows are words, columns are features.

use nalgebra::DMatrix;

/// A matrix of numbers.
pub type Matrix = DMatrix<f64>;

/// Makes weights of scores: positive, and each row sums to 1.
pub fn softmax(scores: &Matrix) -> Matrix {
    let mut weights = scores.clone();
    for mut row in weights.row_iter_mut() {
        let highest = row.max(); // this score becomes e⁰ = 1
        row.apply(|score| *score = (*score - highest).exp());
        row /= row.sum();
    }
    weights
}

/// softmax(Q Kᵀ / √d_k + mask) V (equation 1).
pub fn attend(q: &Matrix, k: &Matrix, v: &Matrix, mask: &Matrix) -> Matrix {
    let d_k = q.ncols() as f64;
    softmax(&(q * k.transpose() / d_k.sqrt() + mask)) * v
}

/// The number of heads h, and W^Q, W^K, W^V of all of them, and W^O.
#[derive(Clone, Debug)]
pub struct Heads(pub usize, pub [Matrix; 4]);

/// With every head, the rows of x attend to the rows of y (§3.2.2).
pub fn heads(p: &Heads, x: &Matrix, y: &Matrix, mask: &Matrix) -> Matrix {
    let Heads(h, [w_q, w_k, w_v, w_o]) = p;
    let (q, k, v) = (x * w_q, y * w_k, y * w_v);
    let (d_k, d_v) = (q.ncols() / h, v.ncols() / h);
    let mut found = Matrix::zeros(x.nrows(), h * d_v);
    for i in 0..*h {
        let own = |m: &Matrix, d| m.columns(i * d, d).into_owned();
        let head = attend(&own(&q, d_k), &own(&k, d_k), &own(&v, d_v), mask);
        found.columns_mut(i * d_v, d_v).copy_from(&head);
    }
    found * w_o
}

/// A row of sines and cosines for each of n places (§3.5).
pub fn positions(n: usize, d: usize) -> Matrix {
    Matrix::from_fn(n, d, |place, i| {
        let speed = 10000_f64.powf(-((i - i % 2) as f64) / d as f64);
        let angle = place as f64 * speed;
        if i % 2 == 0 { angle.sin() } else { angle.cos() }
    })
}

/// The row of each token, times √d_model, plus that of its place (§3.4).
pub fn embed(table: &Matrix, tokens: &[usize]) -> Matrix {
    let (n, d) = (tokens.len(), table.ncols());
    table.select_rows(tokens) * (d as f64).sqrt() + positions(n, d)
}

/// Each of n words may look at itself and at those before it (§3.2.3).
pub fn causal(n: usize) -> Matrix {
    let hidden = |i, j| if j > i { f64::NEG_INFINITY } else { 0.0 };
    Matrix::from_fn(n, n, hidden)
}

/// W₁, b₁, W₂ and b₂.
pub type FeedForward = [Matrix; 4];

/// max(0, x W₁ + b₁) W₂ + b₂ (equation 2).
pub fn feed_forward([w1, b1, w2, b2]: &FeedForward, x: &Matrix) -> Matrix {
    let add = |mut x: Matrix, b: &Matrix| {
        x.row_iter_mut().for_each(|mut row| row += b);
        x
    };
    let hidden = add(x * w1, b1).map(|x| x.max(0.0));
    add(hidden * w2, b2)
}

/// γ and β.
pub type Norm = [Matrix; 2];

/// LayerNorm(x + what a sublayer made of x) (§3.1).
pub fn add_norm([gain, bias]: &Norm, x: &Matrix, made: &Matrix) -> Matrix {
    let mut sum = x + made;
    for mut row in sum.row_iter_mut() {
        let (mean, std) = (row.mean(), (row.variance() + 1e-5).sqrt());
        row.apply(|x| *x = (*x - mean) / std);
        row.component_mul_assign(gain);
        row += bias;
    }
    sum
}

/// A layer of the encoder: it looks at the sentence, then thinks.
pub type EncoderLayer = (Heads, Norm, FeedForward, Norm);

/// From n × d_model to n × d_model (§3.1).
pub fn encoder_layer(p: &EncoderLayer, x: &Matrix, mask: &Matrix) -> Matrix {
    let (look, norm1, think, norm2) = p;
    let x = add_norm(norm1, x, &heads(look, x, x, mask));
    add_norm(norm2, &x, &feed_forward(think, &x))
}

/// A layer of the decoder: it looks back, reads the source, then thinks.
pub type DecoderLayer = (Heads, Norm, Heads, Norm, FeedForward, Norm);

/// From n × d_model to n × d_model, reading z, m × d_model (§3.1).
pub fn decoder_layer(p: &DecoderLayer, y: &Matrix, z: &Matrix) -> Matrix {
    let (look, norm1, read, norm2, think, norm3) = p;
    let all = Matrix::zeros(y.nrows(), z.nrows());
    let y = add_norm(norm1, y, &heads(look, y, y, &causal(y.nrows())));
    let y = add_norm(norm2, &y, &heads(read, &y, z, &all));
    add_norm(norm3, &y, &feed_forward(think, &y))
}

/// The table of all tokens, V × d_model; the encoder; the decoder.
#[derive(Clone, Debug)]
pub struct Model(pub Matrix, pub Vec<EncoderLayer>, pub Vec<DecoderLayer>);

/// What the source means: a row for each token, n × d_model.
pub fn encode(p: &Model, source: &[usize]) -> Matrix {
    let Model(table, layers, _) = p;
    let all = Matrix::zeros(source.len(), source.len());
    let up = |x: Matrix, layer| encoder_layer(layer, &x, &all);
    layers.iter().fold(embed(table, source), up)
}

/// After each token of the target, a score for each token to come: n × V.
pub fn decode(p: &Model, target: &[usize], z: &Matrix) -> Matrix {
    let Model(table, _, layers) = p;
    let up = |y: Matrix, layer| decoder_layer(layer, &y, z);
    layers.iter().fold(embed(table, target), up) * table.transpose()
}

/// Takes the best next token, again and again, from start to end.
pub fn greedy(p: &Model, source: &[usize], ends: [usize; 2]) -> Vec<usize> {
    let (z, [begin, end]) = (encode(p, source), ends);
    let mut target = vec![begin];
    while target.len() <= source.len() + 50 {
        let scores = decode(p, &target, &z);
        let (next, _) = scores.row(target.len() - 1).transpose().argmax();
        if next == end {
            break;
        }
        target.push(next);
    }
    target.split_off(1)
}
