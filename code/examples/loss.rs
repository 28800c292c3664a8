//! How wrong a model is, as one number: `cargo run --example loss`

use all_you_need::attention::{Mask, Softmax};
use all_you_need::encoder::Config;
use all_you_need::gradient::Tape;
use all_you_need::loss::{
    CrossEntropy, log_sum_exp, perplexity, shift_right, smoothed,
};
use all_you_need::parameters::Parameters;
use all_you_need::tensor::{Float, Matrix};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use nalgebra::{convert, dmatrix};
use plot::Chart;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const WORDS: [&str; 5] = ["Mir", "geht", "es", "gut", "end"];

fn main() {
    one_word();
    one_sentence();
    knowing_nothing();
    targets();
    floors();
    by_hand();
    certainty();
    untrained();
    other_measures();
    underflow();
    padding();
    sums();
}

/// Scores whose softmax is these probabilities.
fn scores(probabilities: &[f64]) -> Matrix {
    Matrix::from_row_slice(1, probabilities.len(), probabilities).map(f64::ln)
}

/// After *Mir geht es*: what each word would cost, if it came.
fn one_word() {
    let guess = [0.05, 0.05, 0.10, 0.70, 0.10];
    println!("== One word");
    println!("if it is   probability   nats");
    for (word, name) in WORDS.iter().enumerate() {
        let nats = scores(&guess).cross_entropy(&[word as Token], 0.0)[0];
        println!("{name:8} {:13.2} {nats:6.2}", guess[word]);
    }
    let curve = (1..=200).map(|p| f64::from(p) / 200.0);
    let points = guess.map(|p: f64| (p, -p.ln()));
    let [sure, likely, unlikely] = [1.0, guess[3], guess[4]]
        .map(|p| format!("{:.2} at {p}", p.ln().abs()));
    let figure = Chart::new(
        "What a word costs",
        &format!(
            "The cost in nats against the probability that the word had. It \
             is {sure}, {likely} and {unlikely}, and rises without end \
             towards probability zero."
        ),
    )
    .size(450.0, 290.0)
    .x("probability p")
    .y("nats, −ln p")
    .line("", curve.map(|p| (p, -p.ln())))
    .dots("", points);
    plot::save("loss-surprise", &figure.draw());
}

/// The probabilities that a model gave to the words that came.
fn one_sentence() {
    let given: [f64; 5] = [0.50, 0.80, 0.90, 0.70, 0.95];
    println!("\n== One sentence");
    println!("word   probability   nats");
    for (word, p) in WORDS.iter().zip(given) {
        println!("{word:5} {p:12.2} {:7.3}", -p.ln());
    }
    let product: f64 = given.iter().product();
    let sum = -given.map(f64::ln).iter().sum::<f64>();
    println!("all   {product:12.3} {sum:7.3}");
    println!("\nmean = {:.3}", sum / 5.0);
    println!("perplexity = {:.2}", perplexity(sum / 5.0));
}

/// Nats and perplexities worth knowing.
fn knowing_nothing() {
    let even =
        |v: usize| Matrix::<f64>::zeros(1, v).cross_entropy(&[0], 0.0)[0];
    println!("\n== Knowing nothing");
    println!("nats, 5 words = {:.2}", even(5));
    println!("nats, 37,000 words = {:.2}", even(37_000));
    println!("the paper's 4.92, in nats = {:.2}", 4.92f64.ln());
}

/// The target *gut*, hard and smoothed.
fn targets() {
    println!("\n== The target gut");
    let header: String = WORDS.iter().map(|w| format!("{w:>7}")).collect();
    println!("ε   {header}");
    for smoothing in [0.0, 0.1, 0.5] {
        let q: Matrix = smoothed(&[3], 5, smoothing);
        let row: String = q.iter().map(|q| format!("{q:7.2}")).collect();
        println!("{smoothing:.1} {row}");
    }
}

/// The least a smoothed target can cost: its own logarithm as scores.
fn floors() {
    let floor = |v: usize| {
        let best = smoothed::<f64>(&[0], v, 0.1).map(f64::ln);
        best.cross_entropy(&[0], 0.1)[0]
    };
    println!("\n== Floors");
    println!("5 words = {:.3}", floor(5));
    println!("37,000 words = {:.3}", floor(37_000));
}

/// The loss of the logits 2, 1 and 0, of which the first is right, and its
/// slopes.
fn by_hand() {
    let logits = dmatrix![2.0, 1.0, 0.0];
    let exponentials = logits.map(f64::exp);
    let sum = exponentials.sum();
    let p = logits.softmax(&Mask::none(1, 3));
    println!("\n== By hand");
    println!("logit   exponential      p");
    for ((x, e), p) in logits.iter().zip(&exponentials).zip(&p) {
        println!("{x:5} {e:13.2} {p:6.2}");
    }
    println!("  sum {sum:13.2} {:6.2}", p.sum());
    println!("\n== The loss by hand");
    println!("sum of the exponentials = {sum:.2}");
    println!("its logarithm = {:.2}", sum.ln());
    println!("distance = {:.2}", sum.ln() - logits[0]);
    println!("probability = {:.2}", p[0]);
    assert!((sum.ln() - logits[0] + p[0].ln()).abs() < 1e-12);
    println!("\n== Slopes by hand");
    println!("logit      p   q   p − q   two-sided difference");
    for (j, p) in p.iter().enumerate() {
        let q = f64::from(j == 0);
        let loss = |h: f64| {
            let mut logits = logits.clone();
            logits[j] += h;
            logits.cross_entropy(&[0], 0.0)[0]
        };
        let measured = (loss(0.001) - loss(-0.001)) / 0.002;
        println!(
            "{:5} {p:6.2} {q:3} {:7.2} {measured:22.2}",
            logits[j],
            p - q
        );
    }
}

/// How far the right logit is ahead of the four others, while all of them
/// follow p − q down.
fn certainty() {
    let descend = |smoothing: f64| {
        let q: Matrix = smoothed(&[3], 5, smoothing);
        let mut x = Matrix::zeros(1, 5);
        let mut ahead = Vec::new();
        for step in 1..=1000 {
            x -= x.softmax(&Mask::none(1, 5)) - &q;
            ahead.push((f64::from(step), x[3] - x[0]));
        }
        ahead
    };
    let (hard, soft) = (descend(0.0), descend(0.1));
    println!("\n== Ahead of the others");
    println!("hard, 10 steps = {:.1}", hard[9].1);
    println!("hard, 100 steps = {:.1}", hard[99].1);
    println!("hard, 1000 steps = {:.1}", hard[999].1);
    println!("smoothed, 1000 steps = {:.2}", soft[999].1);
    let q: Matrix = smoothed(&[3], 5, 0.1);
    let times = q[3] / q[0];
    println!("times as probable = {times:.0}");
    println!("logarithm of this = {:.2}", times.ln());
    let another = |lead: f64| log_sum_exp(&[lead, 0.0, 0.0, 0.0, 0.0]);
    println!("another comes, hard = {:.1}", another(hard[999].1));
    println!("another comes, smoothed = {:.1}", another(soft[999].1));
    let figure = Chart::new(
        "How sure is sure enough",
        &format!(
            "The lead of the right logit over the others against the number \
             of steps, on a logarithmic scale. With a hard target it keeps \
             rising; with a smoothed one it stops at {:.2}.",
            soft[999].1
        ),
    )
    .size(450.0, 290.0)
    .x("steps")
    .y("lead of the right logit")
    .log_x()
    .line("hard target", hard)
    .line("smoothed", soft);
    plot::save("loss-certainty", &figure.draw());
}

/// Twenty random sentences of eight tokens out of a thousand.
fn sentences(rng: &mut ChaCha8Rng) -> Vec<Vec<Token>> {
    let sentence = |_| (0..8).map(|_| rng.random_range(0..1000)).collect();
    (0..20).map(sentence).collect()
}

/// The same from a start to an end.
fn between(
    sentences: &[Vec<Token>],
    start: Token,
    end: Token,
) -> Vec<Vec<Token>> {
    let whole = |s: &Vec<Token>| [&[start], &s[..], &[end]].concat();
    sentences.iter().map(whole).collect()
}

/// What a model costs that nobody has trained.
fn untrained() {
    let config = Config {
        vocabulary: 1002,
        layers: 2,
        d_model: 64,
        d_ff: 128,
        heads: 4,
        d_k: 16,
        d_v: 16,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut model: Transformer<Matrix> = Transformer::new(&config, rng);
    let (sources, said) = (sentences(rng), sentences(rng));
    let targets = between(&said, 1000, 1001);
    let loss =
        |model: &Transformer<Matrix>| model.loss(&sources, &targets, 0.0)[0];
    println!("\n== Nobody has trained it");
    println!("vocabulary = 1002");
    println!("nats, guessing evenly = {:.2}", 1002f64.ln());
    println!("untrained = {:.2}", loss(&model));
    let fed = targets.iter().map(|t| shift_right(t).0);
    let scores = model.forward(&sources, &Vec::from_iter(fed));
    println!(
        "standard deviation of its scores = {:.2}",
        scores.variance().sqrt()
    );
    let answers = targets.iter().map(|t| shift_right(t).1);
    let answers = Vec::from_iter(answers).concat();
    let rows = scores.row_iter().zip(&answers);
    let (mut sums, mut right) = (0.0, 0.0);
    for (row, &token) in rows {
        sums += log_sum_exp(&Vec::from_iter(row.iter().copied()));
        right += row[token as usize];
    }
    let n = answers.len() as f64;
    println!("mean log-sum-exp = {:.2}", sums / n);
    let mean = format!("{:.2}", right / n).replace('-', "−");
    println!("mean logit of the right token = {mean}");
    let logits = model.forward(&sources, &said);
    let unshifted = logits.cross_entropy(&said.concat(), 0.0)[0];
    println!("unshifted = {unshifted:.2}");
    model.embedding.table *= 8.0;
    println!("a table of standard deviation 1 = {:.0}", loss(&model));
}

/// Three measures while the score of *gut* rises past that of another word.
fn other_measures() {
    let row = |score: f64| dmatrix![score, 0.0];
    let p = |score: f64| row(score).softmax(&Mask::none(1, 2));
    let wrong = |score: f64| f64::from(score <= 0.0);
    let squares = |score: f64| {
        (p(score) - smoothed::<f64>(&[0], 2, 0.0)).norm_squared()
    };
    let entropy = |score: f64| row(score).cross_entropy(&[0], 0.0)[0];
    let points = |f: &dyn Fn(f64) -> f64| {
        let x = (-120..=80).map(|x| f64::from(x) / 20.0);
        x.map(|x| (x, f(x))).collect::<Vec<_>>()
    };
    let figure = Chart::new(
        "Three measures of one guess",
        &format!(
            "While the logit of gut rises, cross-entropy falls all the way, \
             steepest where the guess is worst. The squared distance is flat \
             there, near its highest value of {:.2}. Wrong or right is one, \
             then zero.",
            points(&squares)[0].1
        ),
    )
    .size(450.0, 290.0)
    .x("logit of *gut*, the other 0")
    .line("cross-entropy", points(&entropy))
    .line("squares", points(&squares))
    .line("wrong or right", points(&wrong));
    plot::save("loss-measures", &figure.draw());
    let slope = |f: &dyn Fn(f64) -> f64| (f(-5.999) - f(-6.001)) / 0.002;
    println!("\n== Slopes at −6");
    println!("sure of the wrong one = {:.1} %", 100.0 * p(-6.0)[1]);
    let minus = |slope: f64| format!("{slope:.3}").replace('-', "−");
    println!("cross-entropy = {}", minus(slope(&entropy)));
    println!("squares = {}", minus(slope(&squares)));
    println!("wrong or right = {}", slope(&wrong));
}

/// −ln of a softmax, taken one after the other.
fn naive<F: Float>(scores: &Matrix<F>, target: usize) -> F {
    let p = scores.softmax(&Mask::none(1, scores.ncols()));
    -p[target].ln()
}

fn underflow() {
    println!("\n== Far behind");
    println!("logit     f32      f64   by log-sum-exp");
    for behind in [-10.0, -80.0, -110.0, -800.0] {
        let row = dmatrix![behind, 0.0];
        let single: Matrix<f32> = row.map(convert);
        let (single, double) = (naive(&single, 0), naive(&row, 0));
        let right = row.cross_entropy(&[0], 0.0)[0];
        println!("{behind:5} {single:7.2} {double:8.2} {right:16.2}");
    }
}

/// Four sentences of 3, 4, 5 and 12 tokens, filled up to 12 each.
fn padding() {
    let real = scores(&[0.1, 0.1, 0.2, 0.6]);
    let fill = scores(&[0.0004, 0.0003, 0.0003, 0.999]);
    let mut rows = Vec::new();
    for length in [3, 4, 5, 12] {
        rows.extend(vec![(&real, 0); length]);
        rows.extend(vec![(&fill, 3); 12 - length]);
    }
    let nats = |rows: &[(&Matrix, Token)]| {
        let cells = rows.iter().flat_map(|(row, _)| row.iter().copied());
        let scores = Matrix::from_row_iterator(rows.len(), 4, cells);
        let targets: Vec<_> =
            rows.iter().map(|(_, target)| *target).collect();
        scores.cross_entropy(&targets, 0.0)[0]
    };
    println!("\n== Padding");
    let with = nats(&rows);
    println!("rows = {}", rows.len());
    rows.retain(|(_, target)| *target != 3);
    let without = nats(&rows);
    println!("tokens = {}", rows.len());
    println!("tokens alone = {without:.2}");
    println!("tokens alone, perplexity = {:.0}", perplexity(without));
    println!("padding counted in = {with:.2}");
    println!("padding counted in, perplexity = {:.1}", perplexity(with));
}

/// How long the gradient is for 1 to 64 sentences, as a mean and as a sum.
fn sums() {
    let config = Config {
        vocabulary: 22,
        layers: 1,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 8,
        d_v: 8,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    println!("\n== Mean and sum");
    println!("sentences   tokens   mean   sum");
    for count in [1, 4, 16, 64] {
        let sentence = |_| (0..5).map(|_| rng.random_range(0..20)).collect();
        let sentences: Vec<Vec<Token>> = (0..count).map(sentence).collect();
        let targets = between(&sentences, 20, 21);
        let tape = Tape::default();
        let x = model.map("", &mut |_, leaf| tape.variable(leaf.clone()));
        let loss = x.loss(&sentences, &targets, 0.0);
        let gradients = tape.gradients(&loss);
        let mut squares = 0.0;
        x.map("", &mut |_, x| squares += gradients.of(x).norm_squared());
        let (tokens, mean) = (6 * count, squares.sqrt());
        let sum = mean * tokens as f64;
        println!("{count:9} {tokens:8} {mean:6.2} {sum:5.0}");
    }
}
