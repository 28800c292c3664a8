//! Masks, and what happens without them: `cargo run --example mask`

use all_you_need::attention::{Mask, Softmax};
use all_you_need::layers::Rowwise;
use all_you_need::plain::{
    Heads, Matrix, attend, causal, embed, heads, softmax,
};
use all_you_need::tensor::Init;
use all_you_need::tokens::words;
use nalgebra::dmatrix;
use print::{Fixed, fixed, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    zeroed();
    next_word();
    prefixes();
    all_sentences();
    padded_and_packed();
    zero_scores();
    nothing_to_see();
}

/// The three words of the example.
pub const NAMES: [&str; 3] = ["I", "am", "fine"];

/// Their scores: a row for each query.
pub fn scores() -> Matrix {
    dmatrix![1.0, 2.0, 0.0; 1.0, 1.0, 2.0; 0.0, 1.0, 1.0]
}

/// As a mask that is added: 0 where `seen` says that i may see j, else −∞.
pub fn added(n: usize, seen: impl Fn(usize, usize) -> bool) -> Matrix {
    let mask = |i, j| if seen(i, j) { 0.0 } else { f64::NEG_INFINITY };
    Matrix::from_fn(n, n, mask)
}

/// Hidden in two ways: after softmax, with the rest divided by its sum, and
/// before softmax.
fn zeroed() {
    let seen = causal(3).map(f64::exp); // 1 where a word may be seen
    let late = softmax(&scores()).component_mul(&seen);
    let mut divided = late.clone();
    divided.row_iter_mut().for_each(|mut row| row /= row.sum());
    let early = softmax(&(scores() + causal(3)));
    section("Hidden in two ways");
    let lines = |name: &'static str, m: Matrix| {
        (0..3).map(move |i| {
            let cells = fixed(m.row(i), 2);
            let sum = m.row(i).sum().fixed(2);
            let sum = if name == "scores" { String::new() } else { sum };
            let name = if i == 0 { name } else { "" };
            (name, NAMES[i], cells, sum)
        })
    };
    let off = (&divided - &early).amax();
    let all = lines("scores", scores())
        .chain(lines("weights", softmax(&scores())))
        .chain(lines("hidden set to 0", late))
        .chain(lines("÷ their sum", divided))
        .chain(lines("−∞ before", early));
    table(("", "", NAMES, "sum"), all);
    assert!(off < 1e-12);
}

/// A head that looks one place to the right. What does it put on the word
/// that comes next?
fn next_word() {
    let words = words("the cat jumped over the fence");
    let n = words.len();
    let cell = |yes, value| if yes { value } else { 0.0 };
    let ask = Matrix::from_fn(n, n, |i, j| cell(j == i + 1, 100.0));
    let place = Matrix::identity(n, n);
    // A column for each word, 1 at all places where the same word is.
    let word = Matrix::from_fn(n, n, |i, j| cell(words[i] == words[j], 1.0));
    let guess = |n: usize, mask: Matrix| {
        let [q, k, v] =
            [&ask, &place, &word].map(|m| m.rows(0, n).into_owned());
        attend(&q, &k, &v, &mask)
    };
    let open = |n| Matrix::zeros(n, n);
    let (all, past) = (guess(n, open(n)), guess(n, causal(n)));
    let line = |i: usize| {
        let alone = guess(i + 1, open(i + 1));
        let share = |m: &Matrix| format!("{:.2}", m[(i, i + 1)]);
        let row = words[..=i].join(" ");
        [row, words[i + 1].clone(), share(&all), share(&past), share(&alone)]
    };
    section("The next word");
    let names = ["has read", "next is", "no mask", "mask", "nothing there"];
    table(names, (0..n - 1).map(line));
}

/// Two heads with random parameters, for rows of 8 numbers.
fn random(rng: &mut ChaCha8Rng) -> Heads {
    Heads(2, [0; 4].map(|_| rng.uniform(8, 8, 1.0 / 8f64.sqrt())))
}

/// How far a change of one word moves the rows before it, for all words
/// together. One number of the row changes.
pub fn looks_ahead(model: impl Fn(&Matrix) -> Matrix, x: &Matrix) -> f64 {
    let before = model(x);
    let moved = |word: usize| {
        let mut changed = x.clone();
        changed[(word, 0)] += 1.0;
        (model(&changed) - &before).rows(0, word).norm()
    };
    (1..x.nrows()).map(moved).sum()
}

/// Two attentions, one on top of the other, with the mask and without it.
fn prefixes() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let (two, x) = ([0; 2].map(|_| random(rng)), rng.uniform(5, 8, 1.0));
    let up = |x: &Matrix, layers: usize, mask: fn(usize) -> Matrix| {
        let next = |x: Matrix, p| heads(p, &x, &x, &mask(x.nrows()));
        two[..layers].iter().fold(x.clone(), next)
    };
    let open = |n| Matrix::zeros(n, n);
    section("Beginnings");
    let masked = looks_ahead(|x| up(x, 2, causal), &x);
    assert!(masked < 1e-12);
    value("with the mask", "less than 10⁻¹²");
    let unmasked = looks_ahead(|x| up(x, 2, open), &x);
    value("without it", unmasked.fixed(2));
    let inverted: fn(usize) -> Matrix = |n| added(n, |i, j| j > i);
    let wrong = [
        inverted,
        |n| added(n, |i, j| j >= i), // transposed
        |n| added(n, |i, j| j <= i + 1), // one too many
    ];
    let passes = |&mask: &fn(usize) -> Matrix| {
        looks_ahead(|x| up(x, 2, mask), &x) < 1e-12
    };
    assert!(!wrong.iter().any(passes));
    // What hides too much passes, but the first word does not reach all rows.
    let alone: fn(usize) -> Matrix = |n| added(n, |i, j| i == j);
    let mut changed = x.clone();
    changed[(0, 0)] += 1.0;
    let reaches_all = |mask: fn(usize) -> Matrix| {
        let moved = up(&changed, 2, mask) - up(&x, 2, mask);
        moved.row_iter().all(|row| row.norm() > 1e-3)
    };
    assert!(passes(&alone) && !reaches_all(alone) && reaches_all(causal));
    let centred =
        |x: &Matrix| x - Matrix::repeat(x.nrows(), 1, 1.0) * x.row_mean();
    assert!(looks_ahead(centred, &x) > 0.1);
    let behind_a_norm = |x: &Matrix| x + up(&x.standardize(), 1, open);
    assert!(looks_ahead(behind_a_norm, &x) > 0.1);
    let last = |layers| {
        let rows = up(&x, layers, causal) - up(&x, layers, open);
        rows.row(4).norm()
    };
    assert!(last(1) < 1e-12);
    section("The last word");
    value("two attentions", last(2).fixed(2));
    value("length of a row", up(&x, 2, causal).row(4).norm().fixed(2));
}

/// A guesser with three words. How probable are all sentences of three
/// words together?
fn all_sentences() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let table = rng.uniform(4, 8, 1.0 / 8f64.sqrt()); // the last row is begin
    let (p, last): (_, Matrix) = (random(rng), rng.uniform(8, 3, 3.0));
    let together = |mask: &Matrix| -> f64 {
        let sentences = (0..27).map(|i| [i / 9, i / 3 % 3, i % 3]);
        let probability = |[a, b, c]: [usize; 3]| {
            let x = embed(&table, &[3, a, b]);
            let guess = softmax(&(heads(&p, &x, &x, mask) * &last));
            guess[(0, a)] * guess[(1, b)] * guess[(2, c)]
        };
        sentences.map(probability).sum()
    };
    section("All 27 sentences of three words");
    let open = Matrix::zeros(3, 3);
    value("together, with the mask", together(&causal(3)).fixed(3));
    value("together, without it", together(&open).fixed(3));
}

/// Three sentences filled up, and the same three end to end.
fn padded_and_packed() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let lengths = [2, 5, 3];
    let (longest, all) = (5, 10);
    let (p, x) = (random(rng), rng.uniform(all, 8, 1.0));
    let sentence = |i| usize::from(i >= 2) + usize::from(i >= 7);
    let own = added(all, |i, j| sentence(i) == sentence(j));
    let packed = heads(&p, &x, &x, &own);
    let (mut start, mut apart, mut silenced) = (0, 0.0, 0.0);
    for n in lengths {
        let own = x.rows(start, n).into_owned();
        let alone = heads(&p, &own, &own, &Matrix::zeros(n, n));
        let mut padded: Matrix = rng.uniform(longest, 8, 9.0); // whatever PAD means
        padded.rows_mut(0, n).copy_from(&own);
        let real = added(longest, |_, j| j < n);
        let silent = added(longest, |i, j| i < n && j < n);
        let off = |m: Matrix, from| (m.rows(from, n) - &alone).amax();
        let ways = [
            off(packed.clone(), start),
            off(heads(&p, &padded, &padded, &real), 0),
        ];
        apart = ways.into_iter().fold(apart, f64::max);
        silenced =
            f64::max(silenced, off(heads(&p, &padded, &padded, &silent), 0));
        start += n;
    }
    assert!(apart < 1e-12 && silenced < 1e-12);
    section("Padded and packed");
    value("padded or packed, apart", "less than 10⁻¹²");
    value("without PAD's queries, apart", "less than 10⁻¹²");
}

/// A score of zero where −∞ should be.
fn zero_scores() {
    let hide = |score, mask: f64| if mask < 0.0 { 0.0 } else { score };
    let weights = softmax(&scores().zip_map(&causal(3), hide));
    section("Zeros for infinities");
    value("I to fine, if the score is zeroed", weights[(0, 2)].fixed(2));
}

/// A row that may see nothing.
fn nothing_to_see() {
    let scores = scores().rows(1, 1).into_owned();
    let (minus, large) =
        (scores.map(|_| f64::NEG_INFINITY), scores.map(|_| -1e9));
    let empty = Mask::padding(1, 3, 0);
    section("Nothing to see");
    let line = |(name, m): (&'static str, Matrix)| (name, fixed(&m, 2));
    let ways = [
        ("−∞ added", softmax(&(&scores + minus))),
        ("replaced by −1e9", softmax(&large)),
        ("skipped", scores.softmax(&empty)),
    ];
    table(("", NAMES), ways.map(line));
}
