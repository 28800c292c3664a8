//! *I am fine* and *Mir geht es gut* in a model with random parameters.

use all_you_need::attention::Mask;
use all_you_need::decoder::Decoder;
use all_you_need::embedding::Embedding;
use all_you_need::encoder::{Config, Encoder};
use all_you_need::heads::{Heads, MultiHead};
use all_you_need::position::sinusoidal;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Vocabulary, words};
use print::{Fixed, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// *I am fine* and *Mir geht es gut*, with a random encoder and decoder.
pub struct Scene {
    source: Vec<String>,
    target: Vec<String>,
    vocabulary: Vocabulary,
    embedding: Embedding<Matrix>,
    encoder: Encoder<Matrix>,
    decoder: Decoder<Matrix>,
}

const D_MODEL: usize = 16;

impl Scene {
    pub fn new() -> Self {
        let source = words("I am fine");
        let target = words("<start> Mir geht es gut");
        let all = [&source[..], &target, &words("schlecht")].concat();
        let vocabulary = Vocabulary::of(&all);
        let config = Config {
            vocabulary: vocabulary.len(),
            layers: 2,
            d_model: D_MODEL,
            d_ff: 32,
            heads: 2,
            d_k: 4,
            d_v: 6,
        };
        let rng = &mut ChaCha8Rng::seed_from_u64(4);
        Self {
            source,
            target,
            embedding: Embedding::new(vocabulary.len(), D_MODEL, rng),
            vocabulary,
            encoder: Encoder::new(&config, rng),
            decoder: Decoder::new(&config, rng),
        }
    }

    fn embed(&self, words: &[String]) -> Matrix {
        let ids = self.vocabulary.encode(words).expect("known words");
        let positions: Vec<usize> = (0..ids.len()).collect();
        self.embedding.embed(&ids) + sinusoidal(&positions, D_MODEL)
    }

    /// What the encoder makes of a source.
    fn encode(&self, source: &[String]) -> Matrix {
        let mask = Mask::none(source.len(), source.len());
        self.encoder.forward(&self.embed(source), &mask)
    }

    /// What the decoder makes of a target, with *I am fine* before it.
    fn decode(&self, target: &[String], past: &Mask) -> Matrix {
        let (y, x) = (self.embed(target), self.encode(&self.source));
        let source = Mask::none(y.nrows(), x.nrows());
        self.decoder.forward(&y, &x, past, &source)
    }

    /// The rows that ask in the first layer, and those that answer.
    fn rows(&self) -> (Matrix, Matrix) {
        let layer = &self.decoder.layers[0];
        let y = self.embed(&self.target);
        let past = Mask::causal(y.nrows());
        let said = layer.self_attention.forward(&y, &y, &past);
        (layer.self_norm.add_norm(&y, &said), self.encode(&self.source))
    }

    /// The first layer's second attention.
    fn cross(&self) -> &MultiHead<Matrix> {
        &self.decoder.layers[0].cross_attention
    }

    /// The known target in one pass, and word by word.
    pub fn all_at_once(&self) {
        let n = self.target.len();
        let together = self.decode(&self.target, &Mask::causal(n));
        let gap = |i| {
            let so_far = &self.target[..=i];
            let so_far = self.decode(so_far, &Mask::causal(i + 1));
            (so_far.row(i) - together.row(i)).amax()
        };
        let gap = (0..n).map(gap).fold(0.0, f64::max);
        assert!(gap < 1e-14, "{gap}");
        section("All rows at once");
        value("apart", "less than 10⁻¹⁴");
    }

    /// How far the row that has to say *gut* moves when *gut* is replaced.
    pub fn who_knows(&self) {
        let other = words("<start> Mir geht es schlecht");
        // Shifted, row 3 is fed `es` and has to say `gut`. Else row 4 is fed
        // `gut` and has to say it.
        let moved = |row: usize, past: Mask| {
            let moved =
                self.decode(&self.target, &past) - self.decode(&other, &past);
            match moved.row(row).amax() {
                0.0 => "0".to_string(),
                moved => format!("{moved:.2}"),
            }
        };
        let line = |(name, row): (&'static str, usize)| {
            let (with, without) = (Mask::causal(5), Mask::none(5, 5));
            (name, moved(row, with), moved(row, without))
        };
        section("Who knows the answer");
        let lines = [("with the shift", 3), ("without it", 4)].map(line);
        table(["", "causal mask", "no mask"], lines);
    }

    /// Who asks, who has the keys, who has the values.
    pub fn wirings(&self) {
        let (y, x) = self.rows();
        let three: Matrix = y.rows(0, 3).into();
        let right = attend(self.cross(), [&three, &x, &x]);
        let (target, source) = ("target", "source");
        let line = |roles: [&str; 3]| {
            let wired = |y| {
                let chosen = roles.map(|r| if r == target { y } else { &x });
                attend(self.cross(), chosen)
            };
            let off = (wired(&three) - &right).norm();
            let many = wired(&y);
            let many = format!("{} × {}", many.nrows(), many.ncols());
            let [q, k, v] = roles.map(String::from);
            (q, k, v, off.fixed(2), many)
        };
        section("Three wirings");
        let lines = [
            [target, source, source],
            [source, target, target],
            [target, target, target],
        ]
        .map(line);
        let names = [
            "queries",
            "keys",
            "values",
            "off by, 3 words",
            "shape, 5 words",
        ];
        table(names, lines);
        let other = self.encode(&words("fine fine I"));
        let moved = attend(self.cross(), [&y, &x, &x])
            - attend(self.cross(), [&y, &other, &other]);
        section("Another source");
        value("cross-attention moves by", moved.amax().fixed(2));
    }
}

/// Multi-head attention with every role chosen freely.
fn attend(heads: &MultiHead<Matrix>, [q, k, v]: [&Matrix; 3]) -> Matrix {
    let (q, k, v) = (q * &heads.w_q, k * &heads.w_k, v * &heads.w_v);
    let mask = Mask::none(q.nrows(), k.nrows());
    Matrix::attend_heads(&q, &k, &v, heads.heads, &mask) * &heads.w_o
}
