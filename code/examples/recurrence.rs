//! Memory, and what waits for what: `cargo run --example recurrence`

use all_you_need::recurrence::{Gated, Recurrent, Row};
use all_you_need::tensor::{Init, Matrix};
use print::{Fixed, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[path = "recurrence/backwards.rs"]
mod backwards;
#[path = "recurrence/trained.rs"]
mod trained;

fn main() {
    one_number();
    let lines = lines();
    what_is_left(&lines);
    backwards::words_backwards();
    side_by_side();
    check();
    trained::trained();
}

pub const SENTENCE: [&str; 6] =
    ["The", "cat", "jumped", "over", "the", "fence"];

/// The memory of a single number after each word, of which a part is kept.
pub fn states(kept: f64) -> Vec<f64> {
    let mut h = 0.0f64;
    let mut states = Vec::new();
    for x in NUMBERS {
        h = (kept * h + x).tanh();
        states.push(h);
    }
    states
}

/// A number for each word, made up.
const NUMBERS: [f64; 6] = [0.8, 0.3, -0.6, 0.1, 0.7, -0.2];

/// By which factor each word after the first changes a change.
fn factors(kept: f64) -> Vec<f64> {
    let later = states(kept).into_iter().skip(1);
    later.map(|h| kept * (1.0 - h.powi(2))).collect()
}

fn one_number() {
    let (states, halved) = (states(0.5), factors(0.5));
    section("One number of memory");
    let rows = (0..6).map(|t| {
        let left: f64 = halved[..t].iter().product();
        let factor = t.checked_sub(1).map(|before| halved[before].fixed(2));
        (
            SENTENCE[t],
            NUMBERS[t].fixed(1),
            states[t].fixed(2),
            factor.unwrap_or_default(),
            left.fixed(3),
        )
    });
    let rows: Vec<_> = rows.collect();
    table(["word", "x", "h", "factor", "left of The"], rows);
    section("After fence");
    let left = |kept: f64| factors(kept).into_iter().product::<f64>();
    value("what is left", left(0.5).percent(1));
    value("what is left, all kept", left(1.0).percent(0));
    value("what is left, twice kept", left(2.0).percent(2));
    // A word's own slope, and then what is left of the change.
    let own = |t: usize| 1.0 - states[t].powi(2);
    let (first, last) = (own(0) * left(0.5), own(5));
    value("slope by the first word", first.fixed(3));
    value("slope by the last word", last.fixed(3));
    value("own slope of the first word", own(0).fixed(2));
    value("times as far", (last / first / 10.0).round() * 10.0);
}

/// Numbers in a word, and in a memory of it.
const D: usize = 16;

/// How many words later to look.
pub const LATER: [usize; 28] = [
    1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 130,
    160, 200, 250, 300, 400, 500, 600, 800, 1000,
];

/// `n` random words of `d` numbers.
pub fn random_words(
    n: usize,
    d: usize,
    std: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<Row> {
    let words: Matrix = rng.uniform(n, d, std);
    words.row_iter().map(|word| word.into_owned()).collect()
}

/// A network whose W makes a vector longer by the factor `gain` on average,
/// not counting the tanh.
fn random_network(gain: f64, rng: &mut ChaCha8Rng) -> Recurrent {
    let w = rng.uniform(D, D, gain / (D as f64).sqrt());
    Recurrent { w, u: Matrix::identity(D, D) }
}

/// A memory whose gates move with the words, around σ(bias).
fn random_gates(bias: f64, rng: &mut ChaCha8Rng) -> Gated {
    let f = rng.uniform(D, D, 1.0 / (D as f64).sqrt());
    Gated { u: Matrix::identity(D, D), f, bias }
}

/// How long a change of length 1 arrives, on average over its directions.
fn size(jacobian: &Matrix) -> f64 {
    jacobian.norm() / (jacobian.nrows() as f64).sqrt()
}

/// How much is left of a change to the first word, for each number of words
/// in `LATER`.
pub struct Left {
    pub name: String,
    pub parts: Vec<f64>,
}

impl Left {
    /// The median of 15 draws.
    fn typical(
        name: &str,
        draw: impl Fn(&mut ChaCha8Rng) -> Vec<f64>,
    ) -> Self {
        let draws: Vec<_> = (0..15)
            .map(|seed| draw(&mut ChaCha8Rng::seed_from_u64(seed)))
            .collect();
        let median = |at: usize| {
            let mut left: Vec<f64> =
                draws.iter().map(|draw| draw[at]).collect();
            left.sort_by(f64::total_cmp);
            left[7]
        };
        let parts = (0..LATER.len()).map(median).collect();
        Self { name: name.to_string(), parts }
    }

    pub fn after(&self, words: usize) -> f64 {
        let at = LATER.iter().position(|later| *later == words);
        self.parts[at.expect("one of those that we look at")]
    }
}

/// Networks with a gain, memories behind gates, and attention: a change to
/// the first word, seen up to a thousand words later.
pub fn lines() -> Vec<Left> {
    let gains = [0.5, 0.9, 1.0, 1.5, 3.0].map(|gain: f64| {
        let draw = |rng: &mut _| left_in_a_network(gain, rng);
        Left::typical(&format!("gain {gain:.1}"), draw)
    });
    let gates = [1.0f64, 4.0].map(|bias| {
        let gate = 100.0 / (1.0 + (-bias).exp());
        let draw = |rng: &mut _| kept_by_gates(bias, rng);
        Left::typical(&format!("gate at {gate:.0} %"), draw)
    });
    // A mixture takes from the first word what its weight says.
    let equal = |words: usize| 1.0 / (words as f64 + 1.0);
    let attentions = [
        Left { name: "equal weights".into(), parts: LATER.map(equal).into() },
        Left { name: "found".into(), parts: LATER.map(|_| 1.0).into() },
    ];
    gains.into_iter().chain(gates).chain(attentions).collect()
}

fn what_is_left(lines: &[Left]) {
    section("What is left");
    let rows = lines.iter().map(|line| {
        let [a, b, c, d] =
            [1, 10, 100, 1000].map(|words| brief(line.after(words)));
        [line.name.clone(), a, b, c, d]
    });
    table(["words later", "1", "10", "100", "1000"], rows);
    section("In percent");
    let percent = |name: &str| {
        let line = lines.iter().find(|line| line.name == name);
        100.0 * line.expect("a line of this name").after(100)
    };
    value("behind gates", format!("{:.0} %", percent("gate at 98 %")));
}

/// A few characters for any number.
pub fn brief(number: f64) -> String {
    match number {
        ..1e-99 => "< 1e-99".to_string(),
        1e-3..10.0 => format!("{number:.3}"),
        ..1e9 => format!("{number:.0e}"),
        _ => "> 1e9".to_string(),
    }
}

fn left_in_a_network(gain: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let network = random_network(gain, rng);
    let states = network.states(&random_words(1001, D, 0.5, rng));
    let mut product = Matrix::identity(D, D);
    let mut left = Vec::new();
    for (t, h) in states.iter().enumerate().skip(1) {
        product *= network.jacobian(std::slice::from_ref(h));
        if LATER.contains(&t) {
            left.push(size(&product));
        }
    }
    left
}

fn kept_by_gates(bias: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let memory = random_gates(bias, rng);
    let words = random_words(1001, D, 0.5, rng);
    let kept = |t: &usize| memory.gate_product(&words[1..=*t]);
    LATER.iter().map(|t| kept(t).norm() / (D as f64).sqrt()).collect()
}

/// Four sentences of six words, one after the other and side by side: the
/// states of all four are the rows of one matrix.
fn side_by_side() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let network = random_network(0.9, rng);
    let sentences = [0; 4].map(|_| random_words(6, D, 0.5, rng));
    let states = sentences.each_ref().map(|words| network.states(words));
    let (mut h, mut rounds) = (Matrix::zeros(4, D), 0);
    for t in 0..6 {
        let words = sentences.each_ref().map(|words| words[t].clone());
        let x = Matrix::from_rows(&words);
        h = (h * &network.w + x * &network.u).map(f64::tanh);
        rounds += 1;
    }
    let alone = states.each_ref().map(|states| states[5].clone());
    assert!((h - Matrix::from_rows(&alone)).amax() < 1e-12);
    let one_by_one: usize = states.iter().map(Vec::len).sum();
    section("Four sentences");
    value("rounds, one sentence after the other", one_by_one);
    value("rounds, side by side", rounds);
}

/// A change to the first word, by hand and by the product of the factors.
fn check() {
    let read = |first: f64| {
        let words = [first].into_iter().chain(NUMBERS[1..].iter().copied());
        words.fold(0.0f64, |h, x| (0.5 * h + x).tanh())
    };
    let measured = (read(0.8 + 1e-6) - read(0.8 - 1e-6)) / 2e-6;
    let product: f64 =
        states(0.5).iter().map(|h| 1.0 - h * h).product::<f64>()
            * 0.5f64.powi(5);
    assert!((measured - product).abs() < 1e-9, "a factor is wrong");
}
