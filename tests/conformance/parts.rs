//! Each function of a Transformer: small inputs, and what the crate makes
//! of them.

use crate::fixture::{Case, Part, arguments, case};
use crate::plain::{Moments, PAD, Plain, Visible, Weights};
use crate::text::{Found, Settings};
use all_you_need::attention::{Mask, Softmax, attention};
use all_you_need::bleu::{Tokenize, bleu};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::heads::MultiHead;
use all_you_need::layers::{FeedForward, LayerNorm};
use all_you_need::loss::{CrossEntropy, TiedCrossEntropy, shift_right};
use all_you_need::optimizer::{Adam, learning_rate, paper_peak_lr};
use all_you_need::parameters::{Parameters, gradient};
use all_you_need::position::sinusoidal;
use all_you_need::search::{Beam, LanguageModel, length_penalty, search};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Bpe, Pair, Token};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use serde_json::{Value, json};

const BOS: Token = 1;
const EOS: Token = 2;
const HEADS: usize = 2;
const SMOOTHING: f64 = 0.1;

pub fn all() -> Vec<Part> {
    vec![
        softmaxes(),
        attentions(),
        multi_heads(),
        layer_norms(),
        add_norms(),
        feed_forwards(),
        positions(),
        embeddings(),
        encoder_layers(),
        decoder_layers(),
        encoders(),
        decoders(),
        models(),
        cross_entropies(),
        losses(),
        gradients(),
        learning_rates(),
        adams(),
        trainings(),
        bpe_learners(),
        bpe_encoders(),
        length_penalties(),
        beams(),
        bleus(),
        chrfs(),
    ]
}

fn sizes(layers: usize) -> Config {
    Config {
        vocabulary: 9,
        layers,
        d_model: 6,
        d_ff: 8,
        heads: HEADS,
        d_k: 3,
        d_v: 3,
    }
}

/// Random numbers that can be read: two places after the point.
fn noise(rows: usize, cols: usize, std: f64, seed: u64) -> Matrix {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let noise: Matrix = rng.uniform(rows, cols, std);
    noise.map(round)
}

fn round(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

/// No weight is 0 or 1, not even in a norm.
fn model(layers: usize) -> Transformer<Matrix> {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let model: Transformer<Matrix> = Transformer::new(&sizes(layers), rng);
    model.map("", &mut |name, leaf: &Matrix| {
        let noise: Matrix = rng.uniform(leaf.nrows(), leaf.ncols(), 0.5);
        let around = if name.ends_with("gain") { 1.0 } else { 0.0 };
        noise.map(|x| round(x + around))
    })
}

/// The leaves by their names.
fn weights(tree: &impl Parameters<Matrix>) -> Weights {
    let leaves = tree.leaves().into_iter();
    leaves.map(|(name, leaf)| (name, leaf.clone())).collect()
}

/// The rows of a matrix.
fn rows(m: &Matrix) -> Value {
    let row = |i: usize| -> Vec<f64> { m.row(i).iter().copied().collect() };
    json!((0..m.nrows()).map(row).collect::<Vec<_>>())
}

/// The numbers of a matrix with one row.
fn row(m: &Matrix) -> Value {
    json!(m.as_slice())
}

/// Gains and biases are rows, everything else is a matrix.
fn named(w: &Weights) -> Value {
    let value = |(name, leaf): (&String, &Matrix)| {
        let is_row = name.ends_with("gain") || name.ends_with("bias");
        (name.clone(), if is_row { row(leaf) } else { rows(leaf) })
    };
    Value::Object(w.iter().map(value).collect())
}

fn visible(mask: &Mask) -> Visible {
    mask.matrix().map(|x| x == 0.0)
}

fn truth(mask: &Mask) -> Value {
    let mask = visible(mask);
    let row =
        |i: usize| -> Vec<bool> { mask.row(i).iter().copied().collect() };
    json!((0..mask.nrows()).map(row).collect::<Vec<_>>())
}

fn softmaxes() -> Part {
    let large = dmatrix![1000.0, 999.0, 0.0; -1000.0, -1001.0, 1.0];
    let cases = [
        ("causal", noise(4, 4, 1.0, 1), Mask::causal(4)),
        ("padding", noise(3, 4, 1.0, 2), Mask::padding(3, 4, 3)),
        ("large scores", large, Mask::padding(2, 3, 2)),
        (
            "nothing to see",
            noise(2, 3, 1.0, 3),
            Mask::new(vec![0..0, 0..3], 3),
        ),
    ];
    let cases = cases.map(|(name, scores, mask)| {
        case(
            name,
            arguments([("scores", rows(&scores)), ("visible", truth(&mask))]),
            rows(&scores.softmax(&mask)),
            |plain| rows(&plain.softmax(&scores, &visible(&mask))),
        )
    });
    Part::new("softmax", "attention", "scores, visible", cases.into())
}

fn attentions() -> Part {
    let cases = [
        ("no mask", 3, 5, Mask::none(3, 5)),
        ("padding", 3, 5, Mask::padding(3, 5, 4)),
        ("causal", 4, 4, Mask::causal(4)),
    ];
    let cases = cases.map(|(name, n, m, mask)| {
        let [q, k] = [(n, 3), (m, 4)].map(|(n, i)| noise(n, 3, 1.5, i));
        let v = noise(m, 2, 1.0, 5);
        case(
            name,
            arguments([
                ("q", rows(&q)),
                ("k", rows(&k)),
                ("v", rows(&v)),
                ("visible", truth(&mask)),
            ]),
            rows(&attention(&q, &k, &v, &mask)),
            |plain| rows(&plain.attention(&q, &k, &v, &visible(&mask))),
        )
    });
    Part::new("attention", "attention", "q, k, v, visible", cases.into())
}

fn multi_heads() -> Part {
    let heads: MultiHead<Matrix> =
        model(1).encoder.layers.remove(0).attention;
    let w = weights(&heads);
    let (x, y) = (noise(3, 6, 1.0, 6), noise(5, 6, 1.0, 7));
    let cases = [
        ("self-attention, causal", &x, &x, Mask::causal(3)),
        ("cross-attention, padding", &x, &y, Mask::padding(3, 5, 4)),
    ];
    let cases = cases.map(|(name, x, y, mask)| {
        case(
            name,
            arguments([
                ("x", rows(x)),
                ("y", rows(y)),
                ("visible", truth(&mask)),
                ("heads", json!(HEADS)),
                ("w", named(&w)),
            ]),
            rows(&heads.forward(x, y, &mask)),
            |plain| rows(&plain.multi_head(x, y, &visible(&mask), HEADS, &w)),
        )
    });
    let signature = "x, y, visible, heads, w";
    Part::new("multi_head", "heads", signature, cases.into())
}

/// A norm whose gains and biases are not 1 and 0.
fn norm() -> LayerNorm<Matrix> {
    model(1).encoder.layers.remove(0).attention_norm
}

fn layer_norms() -> Part {
    let norm = norm();
    // The variance of the last row is as small as ε.
    let mut x = noise(4, 6, 1.0, 8);
    x.row_mut(3).copy_from(&noise(1, 6, 1.0, 9).map(|x| 0.005 * x + 0.1));
    let cases = vec![case(
        "four rows, one nearly constant",
        arguments([
            ("x", rows(&x)),
            ("gain", row(&norm.gain)),
            ("bias", row(&norm.bias)),
        ]),
        rows(&norm.forward(&x)),
        |plain| rows(&plain.layer_norm(&x, &norm.gain, &norm.bias)),
    )];
    Part::new("layer_norm", "layers", "x, gain, bias", cases)
}

fn add_norms() -> Part {
    let norm = norm();
    let (x, sublayer) = (noise(3, 6, 1.0, 10), noise(3, 6, 0.5, 11));
    let cases = vec![case(
        "three rows",
        arguments([
            ("x", rows(&x)),
            ("sublayer", rows(&sublayer)),
            ("gain", row(&norm.gain)),
            ("bias", row(&norm.bias)),
        ]),
        rows(&norm.add_norm(&x, &sublayer)),
        |plain| rows(&plain.add_norm(&x, &sublayer, &norm.gain, &norm.bias)),
    )];
    Part::new("add_norm", "layers", "x, sublayer, gain, bias", cases)
}

fn feed_forwards() -> Part {
    let network: FeedForward<Matrix> =
        model(1).encoder.layers.remove(0).feed_forward;
    let (x, w) = (noise(3, 6, 1.0, 12), weights(&network));
    let cases = vec![case(
        "three rows",
        arguments([("x", rows(&x)), ("w", named(&w))]),
        rows(&network.forward(&x)),
        |plain| rows(&plain.feed_forward(&x, &w)),
    )];
    Part::new("feed_forward", "layers", "x, w", cases)
}

fn positions() -> Part {
    let cases = [("six positions", 6, 6), ("eleven positions", 11, 4)];
    let cases = cases.map(|(name, n, d_model)| {
        let all: Vec<usize> = (0..n).collect();
        case(
            name,
            arguments([("n", json!(n)), ("d_model", json!(d_model))]),
            rows(&sinusoidal(&all, d_model)),
            |plain| rows(&plain.positions(n, d_model)),
        )
    });
    Part::new("positions", "position", "n, d_model", cases.into())
}

fn embeddings() -> Part {
    let Embedding { table } = model(1).embedding;
    let tokens: Vec<Token> = vec![3, 8, 3, EOS];
    let tree = Transformer { embedding: Embedding { table }, ..model(1) };
    let table = &tree.embedding.table;
    let cases = vec![case(
        "four tokens",
        arguments([("tokens", json!(tokens)), ("table", rows(table))]),
        rows(&tree.embed(&[&tokens]).rows),
        |plain| rows(&plain.embed(&tokens, table)),
    )];
    Part::new("embed", "embedding", "tokens, table", cases)
}

fn encoder_layers() -> Part {
    let layer = model(1).encoder.layers.remove(0);
    let (x, w) = (noise(4, 6, 1.0, 13), weights(&layer));
    let cases =
        [("no mask", Mask::none(4, 4)), ("padding", Mask::padding(4, 4, 3))];
    let cases = cases.map(|(name, mask)| {
        case(
            name,
            encoder_arguments(&x, &mask, &w),
            rows(&layer.forward(&x, &mask)),
            |plain| {
                rows(&plain.encoder_layer(&x, &visible(&mask), HEADS, &w))
            },
        )
    });
    let signature = "x, visible, heads, w";
    Part::new("encoder_layer", "encoder", signature, cases.into())
}

fn encoder_arguments(x: &Matrix, mask: &Mask, w: &Weights) -> Value {
    arguments([
        ("x", rows(x)),
        ("visible", truth(mask)),
        ("heads", json!(HEADS)),
        ("w", named(w)),
    ])
}

fn decoder_layers() -> Part {
    let layer = model(1).decoder.layers.remove(0);
    let cases = vec![decoder_case(
        &weights(&layer),
        |y, memory, past, source| layer.forward(y, memory, past, source),
        Plain::decoder_layer,
    )];
    Part::new("decoder_layer", "decoder", DECODER, cases)
}

const DECODER: &str = "y, memory, visible_y, visible_memory, heads, w";

/// Three target rows and four of the source, of which the last is padding.
fn decoder_case(
    w: &Weights,
    expected: impl Fn(&Matrix, &Matrix, &Mask, &Mask) -> Matrix,
    plain: impl Fn(
        &Plain,
        &Matrix,
        &Matrix,
        (&Visible, &Visible),
        usize,
        &Weights,
    ) -> Matrix,
) -> Case {
    let (y, memory) = (noise(3, 6, 1.0, 14), noise(4, 6, 1.0, 15));
    let (past, source) = (Mask::causal(3), Mask::padding(3, 4, 3));
    let masks = (&visible(&past), &visible(&source));
    case(
        "causal, padding",
        arguments([
            ("y", rows(&y)),
            ("memory", rows(&memory)),
            ("visible_y", truth(&past)),
            ("visible_memory", truth(&source)),
            ("heads", json!(HEADS)),
            ("w", named(w)),
        ]),
        rows(&expected(&y, &memory, &past, &source)),
        |formulas| rows(&plain(formulas, &y, &memory, masks, HEADS, w)),
    )
}

fn encoders() -> Part {
    let encoder = model(2).encoder;
    let (x, w) = (noise(4, 6, 1.0, 16), weights(&encoder));
    let mask = Mask::padding(4, 4, 3);
    let cases = vec![case(
        "two layers, padding",
        encoder_arguments(&x, &mask, &w),
        rows(&encoder.forward(&x, &mask)),
        |plain| rows(&plain.encoder(&x, &visible(&mask), HEADS, &w)),
    )];
    Part::new("encoder", "encoder", "x, visible, heads, w", cases)
}

fn decoders() -> Part {
    let decoder = model(2).decoder;
    let cases = vec![decoder_case(
        &weights(&decoder),
        |y, memory, past, source| decoder.forward(y, memory, past, source),
        Plain::decoder,
    )];
    Part::new("decoder", "decoder", DECODER, cases)
}

fn sources() -> Vec<Vec<Token>> {
    vec![vec![3, 4, 5, EOS], vec![6, 7, 8, 3, 4, EOS]]
}

fn targets() -> Vec<Vec<Token>> {
    vec![vec![BOS, 5, 4, 3, 8, EOS], vec![BOS, 8, 7, EOS]]
}

fn models() -> Part {
    let (sources, targets) = (sources(), targets());
    let inputs: Vec<Vec<Token>> =
        targets.iter().map(|t| shift_right(t).0.to_vec()).collect();
    let cases = [("one pair, one layer", 1), ("two pairs, two layers", 2)];
    let cases = cases.map(|(name, n)| {
        let (sources, inputs) = (&sources[..n], &inputs[..n]);
        let model = model(n);
        let w = weights(&model);
        case(
            name,
            arguments([
                ("sources", json!(sources)),
                ("inputs", json!(inputs)),
                ("heads", json!(HEADS)),
                ("w", named(&w)),
            ]),
            rows(&model.forward(sources, inputs)),
            |plain| rows(&plain.model(sources, inputs, HEADS, &w)),
        )
    });
    let signature = "sources, inputs, heads, w";
    Part::new("model", "transformer", signature, cases.into())
}

fn cross_entropies() -> Part {
    let logits = noise(4, 7, 2.0, 17);
    let cases = [
        ("without smoothing", 0.0, [3, 1, 6, 2]),
        ("smoothing", SMOOTHING, [3, 1, 6, 2]),
        ("smoothing, padding", SMOOTHING, [3, 6, PAD, PAD]),
    ];
    let cases = cases.map(|(name, smoothing, answers)| {
        let learned = answers.iter().filter(|&&token| token != PAD).count();
        let rows_learned = logits.rows(0, learned).into_owned();
        let expected =
            rows_learned.cross_entropy(&answers[..learned], smoothing)[0];
        case(
            name,
            arguments([
                ("logits", rows(&logits)),
                ("answers", json!(answers)),
                ("smoothing", json!(smoothing)),
            ]),
            json!(expected),
            |plain| json!(plain.cross_entropy(&logits, &answers, smoothing)),
        )
    });
    let signature = "logits, answers, smoothing";
    Part::new("cross_entropy", "loss", signature, cases.into())
}

/// Pairs and a model.
fn lesson(
    sources: &[Vec<Token>],
    targets: &[Vec<Token>],
    smoothing: f64,
    w: &Weights,
) -> Value {
    arguments([
        ("sources", json!(sources)),
        ("targets", json!(targets)),
        ("smoothing", json!(smoothing)),
        ("heads", json!(HEADS)),
        ("w", named(w)),
    ])
}

const LESSON: &str = "sources, targets, smoothing, heads, w";

fn losses() -> Part {
    let model = model(1);
    let w = weights(&model);
    let cases = [("two pairs", 2, SMOOTHING), ("one pair", 1, 0.2)];
    let cases = cases.map(|(name, n, smoothing)| {
        let (sources, targets) = (&sources()[..n], &targets()[..n]);
        let (nats, _) = gradient(&model, |m: &Transformer<Variable<f64>>| {
            m.loss(sources, targets, smoothing)
        });
        case(
            name,
            lesson(sources, targets, smoothing, &w),
            json!(nats),
            |plain| json!(plain.loss(sources, targets, smoothing, HEADS, &w)),
        )
    });
    Part::new("loss", "loss", LESSON, cases.into())
}

fn loss(model: &Transformer<Variable<f64>>) -> Variable<f64> {
    model.loss(&sources(), &targets(), SMOOTHING)
}

/// The loss if the output layer is this table, and the embedding that one.
fn untied(
    model: &Transformer<Variable<f64>>,
    embedding: Variable<f64>,
    output: &Variable<f64>,
) -> Variable<f64> {
    let model = Transformer {
        embedding: Embedding { table: embedding },
        encoder: model.encoder.clone(),
        decoder: model.decoder.clone(),
    };
    let targets = targets();
    let shifted = targets.iter().map(|target| shift_right(target));
    let (inputs, answers): (Vec<_>, Vec<_>) = shifted.unzip();
    let z = model.decode(&inputs, &model.encode(&sources()));
    z.tied_cross_entropy(output, &answers.concat(), SMOOTHING)
}

fn gradients() -> Part {
    let model = model(1);
    let (w, table) = (weights(&model), &model.embedding.table);
    let answers = targets().concat().len() - targets().len();
    let (_, expected) = gradient(&model, loss);
    let (_, as_output) =
        gradient(&model, |m: &Transformer<Variable<f64>>| {
            let own = &m.embedding.table;
            untied(m, own.constant(table), own)
        });
    let (_, as_input) = gradient(&model, |m: &Transformer<Variable<f64>>| {
        let own = &m.embedding.table;
        untied(m, own.clone(), &own.constant(table))
    });
    let (_, hard) = gradient(&model, |m: &Transformer<Variable<f64>>| {
        m.loss(&sources(), &targets(), 0.0)
    });
    let expected = weights(&expected);
    let times = |factor: f64| -> Weights {
        let scaled = expected.iter().map(|(n, g)| (n.clone(), g * factor));
        scaled.collect()
    };
    let squares = expected.values().map(Matrix::norm_squared);
    let norm = squares.sum::<f64>().sqrt();
    let cases = vec![case(
        "two pairs",
        lesson(&sources(), &targets(), SMOOTHING, &w),
        named(&expected),
        |plain| {
            let ([sum, clipped, up], [hard, output, input]) = (
                [times(answers as f64), times(1.0 / norm), times(-1.0)],
                [&hard, &as_output, &as_input].map(weights),
            );
            named(plain.pick(
                &expected,
                [
                    ("gradients of the sum, not of the mean", &sum),
                    ("gradients are scaled to length 1", &clipped),
                    ("gradients have the wrong sign", &up),
                    ("gradients of the loss without smoothing", &hard),
                    ("the table learns as output layer only", &output),
                    ("the table learns as embedding only", &input),
                ],
            ))
        },
    )];
    Part::new("gradients", "parameters", LESSON, cases)
}

const WARMUP: usize = 4;

fn learning_rates() -> Part {
    let cases =
        [("rising", 2), ("at the end of the warm-up", 4), ("falling", 25)];
    let cases = cases.map(|(name, step)| {
        case(
            name,
            arguments([
                ("step", json!(step)),
                ("warmup", json!(WARMUP)),
                ("d_model", json!(6)),
            ]),
            json!(learning_rate(paper_peak_lr(6, WARMUP), step, WARMUP)),
            |plain| json!(plain.learning_rate(step, WARMUP, 6)),
        )
    });
    let signature = "step, warmup, d_model";
    Part::new("learning_rate", "optimizer", signature, cases.into())
}

fn adams() -> Part {
    // A tree with one leaf that is not a norm's or a bias.
    let tree = |table: Matrix| Embedding { table };
    let w = noise(2, 3, 1.0, 18);
    // The last column has gradients as small as ε.
    let steps = [19, 20, 21].map(|seed| {
        let mut g = noise(2, 3, 0.3, seed);
        g.column_mut(2).scale_mut(1e-8);
        g
    });
    let rates = [0.1, 0.2, 0.15];
    let mut crate_w = tree(w.clone());
    let mut adam = Adam::new(&crate_w);
    let expected = steps.iter().zip(rates).map(|(g, rate)| {
        adam.step(&mut crate_w, &tree(g.clone()), rate);
        rows(&crate_w.table)
    });
    let expected: Vec<Value> = expected.collect();
    let cases = vec![case(
        "three steps",
        arguments([
            ("w", rows(&w)),
            ("gradients", json!(steps.each_ref().map(rows))),
            ("rates", json!(rates)),
        ]),
        json!(expected),
        |plain| {
            let (mut w, mut moments) = (w.clone(), Moments::of(&w));
            let steps = (1..).zip(steps.iter().zip(rates));
            let after = steps.map(|(t, (g, rate))| {
                plain.adam(&mut w, g, &mut moments, t, rate);
                rows(&w)
            });
            json!(after.collect::<Vec<_>>())
        },
    )];
    Part::new("adam", "optimizer", "w, gradients, rates", cases)
}

fn trainings() -> Part {
    let start = model(1);
    let rate = |step| learning_rate(paper_peak_lr(6, WARMUP), step, WARMUP);
    let mut learner = start.clone();
    let mut adam = Adam::new(&learner);
    let mut expected = Vec::new();
    for step in 1..=3 {
        let (nats, slope) = gradient(&learner, loss);
        expected.push(nats);
        adam.step(&mut learner, &slope, rate(step));
    }
    expected.push(gradient(&learner, loss).0);
    let w = weights(&start);
    let mut inputs = lesson(&sources(), &targets(), SMOOTHING, &w);
    inputs["steps"] = json!(3);
    inputs["warmup"] = json!(WARMUP);
    let cases = vec![case("three steps", inputs, json!(expected), |plain| {
        json!(train(plain, &start))
    })];
    let signature = "sources, targets, smoothing, heads, w, steps, warmup";
    Part::new("training", "optimizer", signature, cases)
}

/// The loss before each of three steps, and after the last.
fn train(plain: &Plain, start: &Transformer<Matrix>) -> Vec<f64> {
    let adds = plain.makes("gradients are added up from step to step");
    let late = plain.makes("the second step has the rate of the first");
    let alone = plain.makes("each sentence makes a step of its own");
    let mut model = start.clone();
    let (mut sum, mut losses, mut t) = (weights(&start.clone()), vec![], 0);
    sum.values_mut().for_each(|m| m.fill(0.0));
    let zeros = |w: &Matrix| Moments::of(w);
    let mut moments: Vec<Moments> =
        start.leaves().into_iter().map(|(_, w)| zeros(w)).collect();
    for step in 1..=3 {
        losses.push(gradient(&model, loss).0);
        let step = if late { (step - 1).max(1) } else { step };
        let rate = plain.learning_rate(step, WARMUP, 6);
        let parts: &[_] = if alone { &[(0, 1), (1, 2)] } else { &[(0, 2)] };
        for &(start, end) in parts {
            let (sources, targets) =
                (&sources()[start..end], &targets()[start..end]);
            let (_, slope) =
                gradient(&model, |m: &Transformer<Variable<f64>>| {
                    m.loss(sources, targets, SMOOTHING)
                });
            t += 1;
            let leaves = model.leaves_mut().into_iter().zip(slope.leaves());
            for ((w, (name, g)), moments) in leaves.zip(&mut moments) {
                let sum = sum.get_mut(&name).unwrap();
                *sum = if adds { &*sum + g } else { g.clone() };
                plain.adam(w, sum, moments, t, rate);
            }
        }
    }
    losses.push(gradient(&model, loss).0);
    losses
}

const TEXT: &str = "the other mother and the other brother bathe the moth";

fn merges(merges: &[Pair]) -> Value {
    json!(merges.iter().map(|&(a, b)| [a, b]).collect::<Vec<_>>())
}

fn bpe_learners() -> Part {
    let cases = [
        ("twelve merges", TEXT, 12),
        ("until no pair is left", "aab aab abab", 9),
    ];
    let cases = cases.map(|(name, text, count)| {
        case(
            name,
            arguments([("text", json!(text)), ("merges", json!(count))]),
            merges(Bpe::train(text, count).merges()),
            |plain| merges(&plain.bpe_learn(text, count)),
        )
    });
    Part::new("bpe_learn", "tokens", "text, merges", cases.into())
}

fn bpe_encoders() -> Part {
    let bpe = Bpe::train(TEXT, 14);
    // cd, bc, bcd, ab and de: neither the longest token nor the leftmost
    // pair comes first.
    let crossing = [(99, 100), (98, 99), (98, 256), (97, 98), (100, 101)];
    let few = Bpe::new(crossing.into()).unwrap();
    let cases = [
        ("words of the text", &bpe, "the mother of another moth"),
        ("crossing merges", &few, "abcd bcd cde"),
    ];
    let cases = cases.map(|(name, bpe, text)| {
        case(
            name,
            arguments([
                ("text", json!(text)),
                ("merges", merges(bpe.merges())),
            ]),
            json!(bpe.encode(text)),
            |plain| json!(plain.bpe_encode(text, bpe.merges())),
        )
    });
    Part::new("bpe_encode", "tokens", "text, merges", cases.into())
}

fn length_penalties() -> Part {
    let cases = [("the paper's α", 7, 0.6), ("α = 1", 12, 1.0)];
    let cases = cases.map(|(name, length, alpha)| {
        case(
            name,
            arguments([("length", json!(length)), ("alpha", json!(alpha))]),
            json!(length_penalty(length, alpha)),
            |plain| json!(plain.length_penalty(length, alpha)),
        )
    });
    Part::new("length_penalty", "search", "length, alpha", cases.into())
}

/// A model that looks at one token: row i has the logits after token i.
struct Chain(Matrix);

impl LanguageModel<f64> for Chain {
    fn next_logits(&mut self, _: &[usize], tokens: &[Token]) -> Matrix {
        let rows: Vec<usize> = tokens.iter().map(|&t| t as usize).collect();
        self.0.select_rows(&rows).transpose()
    }
}

fn beams() -> Part {
    let cases = [("a beam of three", 3, 0.6, 23), ("a large α", 2, 1.5, 24)];
    let cases = cases.map(|(name, width, alpha, seed)| {
        let logits = noise(5, 5, 1.5, seed);
        let (bos, eos, limit) = (0, 1, 6);
        let beam = Beam { width, alpha, ..Beam::greedy(bos, eos) };
        let best = search(&mut Chain(logits.clone()), &[limit], &beam)
            .unwrap()
            .remove(0)
            .remove(0);
        let value = |tokens: &[Token], score: f64| {
            json!({ "tokens": tokens, "score": score })
        };
        let settings = Settings { width, alpha, limit, bos, eos };
        case(
            name,
            arguments([
                ("logits", rows(&logits)),
                ("width", json!(width)),
                ("alpha", json!(alpha)),
                ("limit", json!(limit)),
                ("bos", json!(bos)),
                ("eos", json!(eos)),
            ]),
            value(&best.tokens, best.score),
            |plain| {
                let Found { tokens, score } =
                    plain.beam_search(&logits, settings);
                value(&tokens, score)
            },
        )
    });
    let signature = "logits, width, alpha, limit, bos, eos";
    Part::new("beam_search", "search", signature, cases.into())
}

const SAID: [&str; 3] = [
    "the the dog runs through the snow",
    "two men are standing in front of a house",
    "a child plays",
];
const WANTED: [&str; 3] = [
    "a brown dog is running through the deep snow",
    "two men are standing in front of a large white house",
    "a child is playing",
];

fn bleus() -> Part {
    let said: &[&str] = &["two dogs are running in the deep snow"];
    let wanted: &[&str] = &["two dogs run in the snow"];
    let cases = [
        ("three sentences", &SAID[..], &WANTED[..]),
        ("no run of four matches", said, wanted),
    ];
    let cases = cases.map(|(name, said, wanted)| {
        let texts =
            [("hypotheses", json!(said)), ("references", json!(wanted))];
        let expected = bleu(said, wanted, Tokenize::None).score;
        case(name, arguments(texts), json!(expected), |plain| {
            json!(plain.bleu(said, wanted))
        })
    });
    let signature = "hypotheses, references";
    Part::new("bleu", "bleu", signature, cases.into())
}

/// The crate has no chrF. These are the scores of sacreBLEU 2.6.0, whose
/// signature is `nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no`.
fn chrfs() -> Part {
    let cases = [
        ("one sentence", 1, 37.44576887883389),
        ("three sentences", 3, 54.212109093300064),
    ];
    let cases = cases.map(|(name, n, expected)| {
        let (said, wanted) = (&SAID[..n], &WANTED[..n]);
        let texts =
            [("hypotheses", json!(said)), ("references", json!(wanted))];
        case(name, arguments(texts), json!(expected), |plain| {
            json!(plain.chrf(said, wanted))
        })
    });
    let signature = "hypotheses, references";
    Part::new("chrf", "bleu", signature, cases.into())
}
