//! The Transformer in plain formulas, which makes at most one mistake.

use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use nalgebra::DMatrix;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Which key, a column, each query, a row, may attend to.
pub type Visible = DMatrix<bool>;

/// The parameters of a layer or a model, by the crate's names.
pub type Weights = BTreeMap<String, Matrix>;

/// What softmax makes of a row that may see nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nothing {
    /// All weights are 0, as in the book.
    #[default]
    Zero,
    /// All weights are equal, as when hidden scores become −10⁹.
    Even,
    /// Not a number, as when hidden scores become −∞.
    Nan,
}

/// Formulas that are all right, or all but one.
///
/// Each mistake is a sentence that is written where it is made. A run
/// without any writes down which could have been made on its way.
#[derive(Debug, Default)]
pub struct Plain {
    mistake: Option<&'static str>,
    nothing: Nothing,
    asked: RefCell<Vec<&'static str>>,
}

impl Plain {
    pub fn making(mistake: &'static str, nothing: Nothing) -> Self {
        Self { mistake: Some(mistake), nothing, ..Self::default() }
    }

    /// The mistakes that could have been made.
    pub fn asked(self) -> Vec<&'static str> {
        self.asked.into_inner()
    }

    pub fn makes(&self, mistake: &'static str) -> bool {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&mistake) {
            asked.push(mistake);
        }
        self.mistake == Some(mistake)
    }

    /// The right one, or the one of the mistake that is made.
    pub fn pick<T: Copy>(
        &self,
        right: T,
        wrong: impl IntoIterator<Item = (&'static str, T)>,
    ) -> T {
        let mut picked = right;
        for (mistake, value) in wrong {
            if self.makes(mistake) {
                picked = value;
            }
        }
        picked
    }
}

/// The weights whose names begin with this, without it.
pub fn below(weights: &Weights, before: &str) -> Weights {
    let own = weights.iter().filter_map(|(name, weight)| {
        let name = name.strip_prefix(before)?;
        Some((name.to_owned(), weight.clone()))
    });
    own.collect()
}

fn all(visible: &Visible) -> Visible {
    visible.map(|_| true)
}

/// Each number of the matrix that the mask shows, and `hidden` elsewhere.
fn shown(m: &Matrix, visible: &Visible, hidden: f64) -> Matrix {
    m.zip_map(visible, |x, seen| if seen { x } else { hidden })
}

/// Attention.
impl Plain {
    pub fn softmax(&self, scores: &Matrix, visible: &Visible) -> Matrix {
        let everything = all(visible);
        let inverted = visible.map(|seen| !seen);
        let mask = self.pick(
            visible,
            [
                ("the mask is inverted", &inverted),
                ("the mask is ignored", &everything),
            ],
        );
        if self.makes("softmax over the queries, not over the keys") {
            return self
                .rows(&scores.transpose(), &mask.transpose())
                .transpose();
        }
        if self.makes("weights are masked after softmax and not renormalized")
        {
            return shown(&self.rows(scores, &everything), mask, 0.0);
        }
        if self.makes("a hidden score becomes 0, not −∞") {
            return self.rows(&shown(scores, mask, 0.0), &everything);
        }
        if self.makes("exponentials are not divided by their sum") {
            return shown(&scores.map(f64::exp), mask, 0.0);
        }
        self.rows(scores, mask)
    }

    fn rows(&self, scores: &Matrix, visible: &Visible) -> Matrix {
        let overflow = self.makes("the largest score is not subtracted");
        let mut weights = Matrix::zeros(scores.nrows(), scores.ncols());
        let empty = self.pick(
            self.nothing,
            [
                ("a row that may see nothing sees all", Nothing::Even),
                ("a row that may see nothing is NaN", Nothing::Nan),
            ],
        );
        for i in 0..scores.nrows() {
            let row = shown(scores, visible, f64::NEG_INFINITY);
            let row = row.row(i).into_owned();
            let largest = if overflow { 0.0 } else { row.max() };
            let exps = row.map(|score| (score - largest).exp());
            let sees = visible.row(i).iter().any(|&seen| seen);
            weights.row_mut(i).copy_from(&match empty {
                _ if sees => &exps / exps.sum(),
                Nothing::Zero => row.map(|_| 0.0),
                Nothing::Even => row.map(|_| 1.0 / row.len() as f64),
                Nothing::Nan => row.map(|_| f64::NAN),
            });
        }
        weights
    }

    pub fn attention(
        &self,
        q: &Matrix,
        k: &Matrix,
        v: &Matrix,
        visible: &Visible,
    ) -> Matrix {
        self.head(q, k, v, visible, 1)
    }

    /// One of so many heads.
    fn head(
        &self,
        q: &Matrix,
        k: &Matrix,
        v: &Matrix,
        visible: &Visible,
        heads: usize,
    ) -> Matrix {
        let d_k = k.ncols() as f64;
        let keys = k.nrows() as f64;
        let mut divisor = self.pick(
            d_k.sqrt(),
            [
                ("scores are divided by d_k, not by √d_k", d_k),
                ("scores are not divided", 1.0),
                ("scores are multiplied by √d_k", 1.0 / d_k.sqrt()),
                ("scores are divided by √n for n keys", keys.sqrt()),
            ],
        );
        if heads > 1
            && self.makes("scores are divided by √d_model, not by √d_k")
        {
            divisor = (heads as f64 * d_k).sqrt();
        }
        let scores = q * k.transpose();
        if self.makes("weights are divided by √d_k, after softmax") {
            return self.softmax(&scores, visible) * v / divisor;
        }
        self.softmax(&(scores / divisor), visible) * v
    }

    pub fn multi_head(
        &self,
        x: &Matrix,
        y: &Matrix,
        visible: &Visible,
        heads: usize,
        w: &Weights,
    ) -> Matrix {
        let turned = self.makes("weights are transposed: x Wᵀ, not x W");
        let weight = |name: &str| match turned {
            true => w[name].transpose(),
            false => w[name].clone(),
        };
        let names = self.pick(
            ["w_q", "w_k", "w_v"],
            [
                ("W^Q and W^K are exchanged", ["w_k", "w_q", "w_v"]),
                ("W^K and W^V are exchanged", ["w_q", "w_v", "w_k"]),
            ],
        );
        let heads = self.pick(heads, [("there is only one head", 1)]);
        let read = [x, y, y];
        let cut = |i: usize| self.cut(&(read[i] * weight(names[i])), heads);
        let (q, k, v) = (cut(0), cut(1), cut(2));
        let found: Vec<Matrix> = (0..heads)
            .map(|i| self.head(&q[i], &k[i], &v[i], visible, heads))
            .collect();
        let joined = self.join(&found);
        if self.makes("the output projection W^O is missing") {
            return joined;
        }
        joined * weight("w_o")
    }

    /// The columns of each head.
    fn cut(&self, x: &Matrix, heads: usize) -> Vec<Matrix> {
        let (n, width) = (x.nrows(), x.ncols() / heads);
        let apart = self.makes("a head has every h-th column")
            || self.makes(
                "a head reads every h-th column, but writes its own block",
            );
        let reshaped = self.makes(RESHAPED);
        let memory: Vec<f64> = x.transpose().iter().copied().collect();
        let head = |i: usize| {
            Matrix::from_fn(n, width, |row, column| match (apart, reshaped) {
                (true, _) => x[(row, column * heads + i)],
                (_, true) => memory[(i * n + row) * width + column],
                _ => x[(row, i * width + column)],
            })
        };
        (0..heads).map(head).collect()
    }

    fn join(&self, heads: &[Matrix]) -> Matrix {
        let (n, width) = heads[0].shape();
        let reshaped = self.makes(RESHAPED)
            || self
                .makes("heads are joined by a reshape without a transpose");
        let apart = self.makes("a head has every h-th column");
        let memory: Vec<f64> = heads
            .iter()
            .flat_map(|m| m.transpose().data.as_vec().clone())
            .collect();
        Matrix::from_fn(n, width * heads.len(), |row, column| {
            match (apart, reshaped) {
                (true, _) => {
                    heads[column % heads.len()][(row, column / heads.len())]
                }
                (_, true) => memory[row * width * heads.len() + column],
                _ => heads[column / width][(row, column % width)],
            }
        })
    }
}

const RESHAPED: &str = "heads are cut by a reshape without a transpose";

/// What else is in a layer.
impl Plain {
    pub fn layer_norm(
        &self,
        x: &Matrix,
        gain: &Matrix,
        bias: &Matrix,
    ) -> Matrix {
        if self.makes("normalized over the positions, not over the features")
        {
            let y = self.standardized(&x.transpose()).transpose();
            return affine(&y, gain, bias);
        }
        if self.makes("normalized over all positions together") {
            let row =
                Matrix::from_row_slice(1, x.len(), x.transpose().as_slice());
            let y = self.standardized(&row);
            let y =
                Matrix::from_row_slice(x.nrows(), x.ncols(), y.as_slice());
            return affine(&y, gain, bias);
        }
        let y = self.standardized(x);
        if self.makes("the gain γ and the bias β are missing") {
            return y;
        }
        affine(&y, gain, bias)
    }

    /// Each row with mean 0 and variance 1.
    fn standardized(&self, x: &Matrix) -> Matrix {
        let d = x.ncols() as f64;
        let epsilon = self.pick(
            1e-5,
            [("ε is missing", 0.0), ("ε is 10⁻⁶, not 10⁻⁵", 1e-6)],
        );
        let both = self.makes(
            "the deviation is divided by d − 1, and ε = 10⁻⁶ is added to it",
        );
        let count = self.pick(
            d,
            [("the variance is divided by d − 1, not by d", d - 1.0)],
        );
        let outside = self.makes("ε is added to σ, outside of the root");
        let centred = self.makes("the mean is not subtracted");
        let variance = self.makes("divided by the variance, not by its root");
        let mut y = x.clone();
        for mut row in y.row_iter_mut() {
            let mean = if centred { 0.0 } else { row.mean() };
            row.add_scalar_mut(-mean);
            let squares = row.norm_squared();
            row /= match () {
                () if both => (squares / (d - 1.0)).sqrt() + 1e-6,
                () if outside => (squares / count).sqrt() + epsilon,
                () if variance => squares / count + epsilon,
                () => (squares / count + epsilon).sqrt(),
            };
        }
        y
    }

    /// LayerNorm(x + Sublayer(x)), given x and Sublayer(x).
    pub fn add_norm(
        &self,
        x: &Matrix,
        sublayer: &Matrix,
        gain: &Matrix,
        bias: &Matrix,
    ) -> Matrix {
        if self.makes("the norm before the sum: x + LayerNorm(Sublayer(x))") {
            return x + self.layer_norm(sublayer, gain, bias);
        }
        if self.makes("the residual is missing: LayerNorm(Sublayer(x))") {
            return self.layer_norm(sublayer, gain, bias);
        }
        if self.makes("the norm is missing: x + Sublayer(x)") {
            return x + sublayer;
        }
        self.layer_norm(&(x + sublayer), gain, bias)
    }

    pub fn feed_forward(&self, x: &Matrix, w: &Weights) -> Matrix {
        let biases = !self.makes("the biases are missing");
        let inner = !self.makes("the inner bias is missing");
        let linear = |x: &Matrix, name: &str| {
            let mut y = x * &w[&format!("{name}.weight")];
            if biases && (inner || name != "inner") {
                let bias = w[&format!("{name}.bias")].row(0).into_owned();
                y.row_iter_mut().for_each(|mut row| row += &bias);
            }
            y
        };
        let relu: fn(f64) -> f64 = |x| x.max(0.0);
        let bend = self.pick(
            relu,
            [
                ("the ReLU is missing", (|x| x) as fn(f64) -> f64),
                ("a GELU in place of the ReLU", gelu),
            ],
        );
        let y = linear(&linear(x, "inner").map(bend), "outer");
        if self.makes("a second ReLU at the end") { y.map(relu) } else { y }
    }
}

/// x Φ(x), by the usual formula with a tanh.
fn gelu(x: f64) -> f64 {
    let inner =
        (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
    0.5 * x * (1.0 + inner.tanh())
}

fn affine(y: &Matrix, gain: &Matrix, bias: &Matrix) -> Matrix {
    Matrix::from_fn(y.nrows(), y.ncols(), |i, j| {
        y[(i, j)] * gain[j] + bias[j]
    })
}

/// What goes in.
impl Plain {
    pub fn positions(&self, n: usize, d: usize) -> Matrix {
        let halves = self.makes("all sines come first, then all cosines");
        let first = self.pick(0.0, [("positions are counted from 1", 1.0)]);
        let exchanged = self.makes("sine and cosine are exchanged");
        let divided = self.makes("sin(pos) is divided, not pos");
        Matrix::from_fn(n, d, |row, column| {
            let (i, odd) = match halves {
                true => (column % (d / 2), column >= d / 2),
                false => (column / 2, column % 2 == 1),
            };
            let (i, column) = (i as f64, column as f64);
            let power = self.pick(
                2.0 * i,
                [
                    ("the exponent is i/d, not 2i/d", i),
                    ("the exponent is 4i/d, not 2i/d", 4.0 * i),
                    ("the exponent is that of the column, 2i + 1", column),
                ],
            );
            let scale = 10000f64.powf(power / d as f64);
            let place = row as f64 + first;
            let angle = if divided { place } else { place / scale };
            let y = if odd != exchanged { angle.cos() } else { angle.sin() };
            if divided { y / scale } else { y }
        })
    }

    pub fn embed(&self, tokens: &[Token], table: &Matrix) -> Matrix {
        self.embed_from(0, tokens, table)
    }

    /// The first token is at this position.
    fn embed_from(
        &self,
        first: usize,
        tokens: &[Token],
        table: &Matrix,
    ) -> Matrix {
        let rows: Vec<usize> = tokens.iter().map(|&id| id as usize).collect();
        let root = (table.ncols() as f64).sqrt();
        let factor = self.pick(
            root,
            [
                ("embeddings are not multiplied by √d_model", 1.0),
                ("embeddings are divided by √d_model", 1.0 / root),
            ],
        );
        let words = table.select_rows(&rows) * factor;
        let places = self.positions(first + rows.len(), table.ncols());
        let places = places.rows(first, rows.len());
        let share = self.pick(
            1.0,
            [
                ("positions are missing", 0.0),
                ("positions are multiplied by √d_model, too", root),
            ],
        );
        words + places * share
    }
}

/// Pre-norm stacks usually end so, and the two are one choice.
const PRE_AND_TOP: &str = "pre-norm, with one more norm on top of each stack";

/// Layers and stacks.
impl Plain {
    /// LayerNorm(x + f(x)), or with the norm in another place.
    fn sublayer(
        &self,
        x: &Matrix,
        norm: &str,
        w: &Weights,
        f: impl Fn(&Matrix) -> Matrix,
    ) -> Matrix {
        let leaf = |name| &w[&format!("{norm}.{name}")];
        let (gain, bias) = (leaf("gain"), leaf("bias"));
        let pre = self.makes("pre-norm: x + Sublayer(LayerNorm(x))");
        if pre || self.mistake == Some(PRE_AND_TOP) {
            return x + f(&self.layer_norm(x, gain, bias));
        }
        self.add_norm(x, &f(x), gain, bias)
    }

    pub fn encoder_layer(
        &self,
        x: &Matrix,
        visible: &Visible,
        heads: usize,
        w: &Weights,
    ) -> Matrix {
        let own = below(w, "attention.");
        let inner = below(w, "feed_forward.");
        let attended = self.sublayer(x, "attention_norm", w, |x| {
            self.multi_head(x, x, visible, heads, &own)
        });
        if self.makes("the feed-forward network reads the layer's input") {
            let leaf = |name| &w[&format!("feed_forward_norm.{name}")];
            let mapped = self.feed_forward(x, &inner);
            return self.add_norm(
                &attended,
                &mapped,
                leaf("gain"),
                leaf("bias"),
            );
        }
        self.sublayer(&attended, "feed_forward_norm", w, |x| {
            self.feed_forward(x, &inner)
        })
    }

    pub fn decoder_layer(
        &self,
        y: &Matrix,
        memory: &Matrix,
        (past, source): (&Visible, &Visible),
        heads: usize,
        w: &Weights,
    ) -> Matrix {
        let (open_past, open_source) = (all(past), all(source));
        let past = self
            .pick(past, [("the mask of the target is missing", &open_past)]);
        let source = self.pick(
            source,
            [("the mask of the source is missing", &open_source)],
        );
        let names = self.pick(
            ["self_attention.", "cross_attention."],
            [
                (
                    "self-attention and cross-attention have exchanged weights",
                    ["cross_attention.", "self_attention."],
                ),
                (
                    "cross-attention has the weights of self-attention",
                    ["self_attention."; 2],
                ),
            ],
        );
        let [own, cross] = names.map(|name| below(w, name));
        let write = |y: &Matrix| {
            self.sublayer(y, "self_norm", w, |y| {
                self.multi_head(y, y, past, heads, &own)
            })
        };
        let read = |y: &Matrix| {
            self.sublayer(y, "cross_norm", w, |y| {
                self.multi_head(y, memory, source, heads, &cross)
            })
        };
        let y = match () {
            () if self.makes("cross-attention before self-attention") => {
                write(&read(y))
            }
            () if self.makes("cross-attention is missing") => write(y),
            () => read(&write(y)),
        };
        let inner = below(w, "feed_forward.");
        self.sublayer(&y, "feed_forward_norm", w, |y| {
            self.feed_forward(y, &inner)
        })
    }

    /// The weights of each layer, from the bottom up.
    fn layers(&self, w: &Weights) -> Vec<Weights> {
        let layer = |i: usize| below(w, &format!("layers.{i}."));
        let found = (0..).map(layer);
        let mut layers: Vec<Weights> =
            found.take_while(|layer| !layer.is_empty()).collect();
        if self.makes("all layers have the weights of the first") {
            layers = vec![layers[0].clone(); layers.len()];
        }
        if self.makes("the layers are in reverse order") {
            layers.reverse();
        }
        if self.makes("there is only the first layer") {
            layers.truncate(1);
        }
        layers
    }

    fn top(&self, x: Matrix) -> Matrix {
        let more = self.makes("there is one more norm on top of each stack");
        if more || self.makes(PRE_AND_TOP) {
            return self.standardized(&x);
        }
        x
    }

    pub fn encoder(
        &self,
        x: &Matrix,
        visible: &Visible,
        heads: usize,
        w: &Weights,
    ) -> Matrix {
        let up = |x: Matrix, layer: &Weights| {
            self.encoder_layer(&x, visible, heads, layer)
        };
        self.top(self.layers(w).iter().fold(x.clone(), up))
    }

    pub fn decoder(
        &self,
        y: &Matrix,
        memory: &Matrix,
        masks: (&Visible, &Visible),
        heads: usize,
        w: &Weights,
    ) -> Matrix {
        let up = |y: Matrix, layer: &Weights| {
            self.decoder_layer(&y, memory, masks, heads, layer)
        };
        self.top(self.layers(w).iter().fold(y.clone(), up))
    }
}

/// Token 0 fills up short sentences.
pub const PAD: Token = 0;

/// The sentences, all as long as the longest.
fn padded(sentences: &[Vec<Token>]) -> Vec<Vec<Token>> {
    let longest = sentences.iter().map(Vec::len).max().unwrap();
    let fill = |sentence: &Vec<Token>| {
        let mut sentence = sentence.clone();
        sentence.resize(longest, PAD);
        sentence
    };
    sentences.iter().map(fill).collect()
}

/// The model and its loss.
impl Plain {
    fn past(&self, n: usize) -> Visible {
        let reach = self.pick(
            0,
            [
                ("the causal mask hides a position from itself", -1),
                ("the causal mask shows one position too many", 1),
            ],
        );
        Visible::from_fn(n, n, |i, j| j as i32 <= i as i32 + reach)
    }

    /// A row of logits for each token of all inputs.
    pub fn model(
        &self,
        sources: &[Vec<Token>],
        inputs: &[Vec<Token>],
        heads: usize,
        w: &Weights,
    ) -> Matrix {
        let logits = self.logits(sources, inputs, heads, w);
        if self.makes("the results are probabilities, not logits") {
            return self.rows(&logits, &logits.map(|_| true));
        }
        logits
    }

    fn logits(
        &self,
        sources: &[Vec<Token>],
        inputs: &[Vec<Token>],
        heads: usize,
        w: &Weights,
    ) -> Matrix {
        let sources = match self.makes("the padding of the sources is seen") {
            true => padded(sources),
            false => sources.to_vec(),
        };
        let running =
            self.makes("positions run on from sentence to sentence");
        let (mut rows, mut read, mut written) = (Vec::new(), 0, 0);
        for (source, input) in sources.iter().zip(inputs) {
            let firsts = if running { (read, written) } else { (0, 0) };
            // What is real does not see the padding after it.
            let end = input.iter().position(|&token| token == PAD);
            let (real, n) =
                (&input[..end.unwrap_or(input.len())], rows.len());
            for input in [real, input] {
                let logits = self.sentence(firsts, source, input, heads, w);
                let done = rows.len() - n;
                let new = logits.row_iter().skip(done);
                rows.extend(new.map(|row| row.into_owned()));
            }
            read += source.len();
            written += input.len();
        }
        Matrix::from_rows(&rows)
    }

    /// What goes into a stack.
    fn first_rows(
        &self,
        first: usize,
        tokens: &[Token],
        table: &Matrix,
    ) -> Matrix {
        let x = self.embed_from(first, tokens, table);
        if self.makes("the embeddings are normed before the first layer") {
            return self.standardized(&x);
        }
        x
    }

    fn sentence(
        &self,
        (read, written): (usize, usize),
        source: &[Token],
        input: &[Token],
        heads: usize,
        w: &Weights,
    ) -> Matrix {
        let table = &w["embedding.table"];
        let (n, m) = (input.len(), source.len());
        let own = Visible::from_element(m, m, true);
        let x = self.first_rows(read, source, table);
        let memory = self.encoder(&x, &own, heads, &below(w, "encoder."));
        let y = self.first_rows(written, input, table);
        let cross = Visible::from_element(n, m, true);
        let masks = (&self.past(n), &cross);
        let z =
            self.decoder(&y, &memory, masks, heads, &below(w, "decoder."));
        let divisor = self.pick(
            1.0,
            [(
                "the logits are divided by √d_model",
                (table.ncols() as f64).sqrt(),
            )],
        );
        z * table.transpose() / divisor
    }

    /// The mean loss of all answers that are not [`PAD`].
    pub fn cross_entropy(
        &self,
        logits: &Matrix,
        answers: &[Token],
        smoothing: f64,
    ) -> f64 {
        let logits = match self.makes("softmax is applied twice") {
            true => self.rows(logits, &logits.map(|_| true)),
            false => logits.clone(),
        };
        let padding = self.makes("padding is learned like other tokens");
        let rows = logits.row_iter().zip(answers);
        let learned = rows.filter(|(_, answer)| padding || **answer != PAD);
        let nats: Vec<f64> = learned
            .map(|(row, &answer)| {
                let row: Vec<f64> = row.iter().copied().collect();
                self.nats(&row, answer as usize, smoothing)
            })
            .collect();
        let sum: f64 = nats.iter().sum();
        sum / self.pick(
            nats.len() as f64,
            [
                (
                    "the sum is divided by all rows, with padding",
                    answers.len() as f64,
                ),
                ("the loss is a sum, not a mean", 1.0),
            ],
        )
    }

    fn nats(&self, row: &[f64], answer: usize, smoothing: f64) -> f64 {
        let v = row.len() as f64;
        let total = row.iter().map(|x| x.exp()).sum::<f64>().ln();
        let hit = 1.0 - smoothing;
        let skipping = (hit, smoothing / (v - 2.0), Some(PAD as usize));
        let divergence = self.makes(
            "the divergence from targets that are smoothed over V − 2 tokens",
        );
        let (hit, part, skip) = self.pick(
            (hit + smoothing / v, smoothing / v, None),
            [
                ("there is no smoothing", (1.0, 0.0, None)),
                (
                    "smoothing is spread over the V − 1 other tokens",
                    (hit, smoothing / (v - 1.0), None),
                ),
                (
                    "smoothing is spread over V − 2 tokens, without padding",
                    skipping,
                ),
                (
                    "the target keeps 1 − ε of the smoothing ε",
                    (hit, smoothing / v, None),
                ),
            ],
        );
        let (hit, part, skip) =
            if divergence { skipping } else { (hit, part, skip) };
        let log = |i: usize| {
            let q: f64 = if i == answer { hit } else { part };
            match divergence {
                _ if skip == Some(i) || q == 0.0 => 0.0,
                true => q * (total - row[i] + q.ln()),
                false => q * (total - row[i]),
            }
        };
        let nats: f64 = (0..row.len()).map(log).sum();
        nats / self.pick(1.0, [("logarithms are to base 2", 2f64.ln())])
    }

    pub fn loss(
        &self,
        sources: &[Vec<Token>],
        targets: &[Vec<Token>],
        smoothing: f64,
        heads: usize,
        w: &Weights,
    ) -> f64 {
        // How much is cut from the begin and the end, of inputs and answers.
        let [input, answer] = self.pick(
            [(0, 1), (1, 0)],
            [
                (
                    "the target is not shifted: the decoder reads its answer",
                    [(1, 0), (1, 0)],
                ),
                (
                    "the target is not shifted, and both ends are kept",
                    [(0, 0), (0, 0)],
                ),
                ("the target is shifted left", [(1, 0), (0, 1)]),
                ("end of sequence is not learned", [(0, 2), (1, 1)]),
            ],
        );
        let cut = |(begin, end): (usize, usize)| -> Vec<Vec<Token>> {
            let cut = |t: &Vec<Token>| t[begin..t.len() - end].to_vec();
            targets.iter().map(cut).collect()
        };
        let (inputs, answers) = (padded(&cut(input)), padded(&cut(answer)));
        if self.makes("a mean of the means of the sentences") {
            let means = (0..sources.len()).map(|i| {
                let one = i..i + 1;
                let (source, input) = (&sources[one.clone()], &inputs[one]);
                let logits = self.logits(source, input, heads, w);
                self.cross_entropy(&logits, &answers[i], smoothing)
            });
            return means.sum::<f64>() / sources.len() as f64;
        }
        let logits = self.logits(sources, &inputs, heads, w);
        self.cross_entropy(&logits, &answers.concat(), smoothing)
    }
}

/// Adam's two moments of one matrix.
#[derive(Clone, Debug)]
pub struct Moments {
    mean: Matrix,
    square: Matrix,
}

impl Moments {
    pub fn of(w: &Matrix) -> Self {
        let zero = w * 0.0;
        Self { mean: zero.clone(), square: zero }
    }
}

/// Learning.
impl Plain {
    pub fn learning_rate(
        &self,
        step: usize,
        warmup: usize,
        d_model: usize,
    ) -> f64 {
        let t = step as f64;
        let t = self.pick(
            t,
            [
                ("steps are counted from 0", t - 1.0),
                ("steps are counted from 2", t + 1.0),
            ],
        );
        let (w, d) = (warmup as f64, d_model as f64);
        let width = self.pick(
            d.powf(-0.5),
            [
                ("d_model has no root: 1/d_model", 1.0 / d),
                ("the factor 1/√d_model is missing", 1.0),
            ],
        );
        let power = self.pick(
            -1.5,
            [("the rise is step · warmup^(−1/2), not ^(−3/2)", -0.5)],
        );
        let (fall, rise) = (t.powf(-0.5), t * w.powf(power));
        let smaller = fall.min(rise);
        width
            * self.pick(
                smaller,
                [
                    (
                        "the larger of the two, not the smaller",
                        fall.max(rise),
                    ),
                    ("there is no warm-up", fall),
                    ("the rate never falls", t.min(w) * w.powf(power)),
                ],
            )
    }

    /// Step `t`, counted from 1.
    pub fn adam(
        &self,
        w: &mut Matrix,
        g: &Matrix,
        moments: &mut Moments,
        t: usize,
        rate: f64,
    ) {
        let (b1, b2) = self.pick(
            (0.9, 0.98),
            [
                ("β₁ and β₂ are exchanged", (0.98, 0.9)),
                ("β₂ is 0.999, not 0.98", (0.9, 0.999)),
            ],
        );
        let epsilon =
            self.pick(1e-9, [("ε of Adam is 10⁻⁸, not 10⁻⁹", 1e-8)]);
        let none = self.makes("no bias correction");
        let first = none || self.makes("the mean has no bias correction");
        let second = none
            || self.makes("the mean of the squares has no bias correction");
        let correction = |b: f64, off: bool| {
            if off { 1.0 } else { 1.0 - b.powi(t as i32) }
        };
        let decay = self.makes("the weights decay by 0.01, as in AdamW");
        let inside = self.makes("ε of Adam is inside of the root");
        let uncorrected =
            self.makes("ε of Adam is added before the correction");
        let root = !self.makes("Adam divides by v̂, not by its root");
        let square = !self.makes("the second moment is of |g|, not of g²");
        let keep = self.makes("the new gradient has no factor 1 − β");
        let new = |b: f64| if keep { 1.0 } else { 1.0 - b };
        for i in 0..w.len() {
            let g = g[i];
            let size = if square { g * g } else { g.abs() };
            let m = b1 * moments.mean[i] + new(b1) * g;
            let v = b2 * moments.square[i] + new(b2) * size;
            (moments.mean[i], moments.square[i]) = (m, v);
            let v_hat = v / correction(b2, second);
            let below = match () {
                () if inside => (v_hat + epsilon).sqrt(),
                () if uncorrected => {
                    (v.sqrt() + epsilon) / correction(b2, second).sqrt()
                }
                () if !root => v_hat + epsilon,
                () => v_hat.sqrt() + epsilon,
            };
            if decay {
                w[i] -= rate * 0.01 * w[i];
            }
            w[i] -= rate * (m / correction(b1, first)) / below;
        }
    }
}
