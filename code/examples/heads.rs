//! Several heads, built by hand and trained: `cargo run --example heads`

use all_you_need::plain::{Heads, Matrix, attend, heads};
use all_you_need::tensor::{Init, Tensor};
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use all_you_need::translation::Translator;
use nalgebra::DMatrix;
use print::{Fixed, fixed, log, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::sync::LazyLock;

#[path = "heads/oracle.rs"]
mod oracle;

fn main() {
    oracle::check(heads);
    oracle::slips();
    who_and_what();
    both_together();
    one_at_a_time();
    two_ways_to_cut();
    trained_heads();
}

const FENCE: &str = "The cat jumped over the fence";
const CAT: &str = "The fence jumped over the cat";
const WORDS: usize = 5;
const PLACES: usize = 6;
/// The place of *jumped*.
const JUMPED: usize = 2;

/// The five words of both sentences.
pub fn vocabulary() -> Vocabulary {
    Vocabulary::of(&words("the cat jumped over fence"))
}

/// What each word is and, beside it, where it stands, both one-hot: 6 × 11.
fn rows(sentence: &str) -> Matrix {
    let ids = vocabulary().encode(&words(&sentence.to_lowercase()));
    let places = Vec::from_iter(0..PLACES as Token);
    Matrix::concat(&[one_hot(&ids.unwrap(), WORDS), one_hot(&places, PLACES)])
}

/// W^Q, W^K and W^V of a head that asks for the words so many places further
/// on: 11 × 6, 11 × 6 and 11 × 5.
pub fn head(steps: &[isize]) -> [Matrix; 3] {
    let w_q = Matrix::from_fn(WORDS + PLACES, PLACES, |row, place| {
        let here = row as isize - WORDS as isize;
        let asks = |step: &isize| here >= 0 && here + step == place as isize;
        if steps.iter().any(asks) { 100.0 } else { 0.0 }
    });
    let all = Matrix::identity(WORDS + PLACES, WORDS + PLACES);
    let w_k = all.columns(WORDS, PLACES).into_owned();
    [w_q, w_k, Matrix::identity(WORDS + PLACES, WORDS)]
}

/// A mask that hides nothing.
fn open(n: usize) -> Matrix {
    Matrix::zeros(n, n)
}

/// What a word gets, as text.
fn cells(m: &Matrix, row: usize) -> Vec<String> {
    let gets = m.row(row).columns(0, WORDS) + Matrix::zeros(1, WORDS); // no −0
    fixed(&gets, 1)
}

fn who_and_what() {
    section("Who, and over what");
    let asked = [
        ("who?", [-1].as_slice()),
        ("over what?", &[3]),
        ("both at once", &[-1, 3]),
    ];
    let names = ["jumped asks", "the", "cat", "jumped", "over", "fence"];
    for (sentence, gap) in [(FENCE, ""), (CAT, "\n")] {
        println!("{gap}{sentence}");
        let found = asked.map(|(question, steps)| {
            let [q, k, v] = head(steps).map(|w| rows(sentence) * w);
            let found = attend(&q, &k, &v, &open(PLACES));
            (question, cells(&found, JUMPED))
        });
        table(names, found);
    }
}

/// Two heads in one: the first asks who, the second over what, and W^O
/// subtracts what the second found.
fn both() -> Heads {
    let [left, w_k, w_v] = head(&[-1]);
    let [right, ..] = head(&[3]);
    let same = Matrix::identity(WORDS + PLACES, WORDS);
    let w_o = Matrix::concat(&[same.clone(), -same]);
    let [w_q, w_k, w_v] =
        [[left, right], [w_k.clone(), w_k], [w_v.clone(), w_v]]
            .map(|both| Matrix::concat(&both));
    Heads(2, [w_q, w_k, w_v, w_o.transpose()])
}

fn both_together() {
    section("Both heads");
    let line = |sentence: &'static str| {
        let x = rows(sentence);
        (sentence, cells(&heads(&both(), &x, &x, &open(PLACES)), JUMPED))
    };
    let names = ["jumped gets", "the", "cat", "jumped", "over", "fence"];
    table(names, [FENCE, CAT].map(line));
}

/// Four random heads for rows of 16 numbers: d_k = 4, d_v = 3.
fn random(rng: &mut ChaCha8Rng) -> Heads {
    let w = [(16, 16), (16, 16), (16, 12), (12, 16)];
    Heads(4, w.map(|(rows, columns)| rng.uniform(rows, columns, 0.25)))
}

/// Each head by itself, with its own columns of W^Q, W^K and W^V and its own
/// rows of W^O. The results are added up.
pub fn one_by_one(p: &Heads, x: &Matrix) -> Matrix {
    let Heads(h, [w_q, w_k, w_v, w_o]) = p;
    let (d_k, d_v) = (w_q.ncols() / h, w_v.ncols() / h);
    let mask = Matrix::zeros(x.nrows(), x.nrows());
    let head = |i: usize| {
        let q = x * w_q.columns(i * d_k, d_k);
        let k = x * w_k.columns(i * d_k, d_k);
        let v = x * w_v.columns(i * d_v, d_v);
        attend(&q, &k, &v, &mask) * w_o.rows(i * d_v, d_v)
    };
    (0..*h).map(head).sum()
}

fn one_at_a_time() {
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let (x, p) = (rng.uniform(6, 16, 1.0), random(rng));
    let right = one_by_one(&p, &x);
    let off = (heads(&p, &x, &x, &open(6)) - &right).amax();
    let Heads(h, [w_q, w_k, w_v, w_o]) = &p;
    let [q, k, v] = [w_q, w_k, w_v].map(|w| reshaped(&(&x * w), *h));
    let parts = q.iter().zip(&k).zip(&v);
    let found: Vec<Matrix> =
        parts.map(|((q, k), v)| attend(q, k, v, &open(6))).collect();
    let wrong = (Matrix::concat(&found) * w_o - &right).amax();
    section("One head at a time");
    assert!(off < 1e-12 && wrong > 1.0);
    value("apart", "less than 10⁻¹²");
}

/// What a reshape to h × n × d makes of n × h·d: the numbers stay in their
/// order, row after row.
fn reshaped(x: &Matrix, h: usize) -> Vec<Matrix> {
    let (n, d) = (x.nrows(), x.ncols() / h);
    let numbers = x.transpose();
    let parts = numbers.as_slice().chunks(n * d);
    parts.map(|part| Matrix::from_row_slice(n, d, part)).collect()
}

fn two_ways_to_cut() {
    let x = Matrix::from_fn(4, 4, |i, j| (10 * (i + 1) + j + 1) as f64);
    let (cut, wrong) = (x.chunk(2), reshaped(&x, 2));
    section("Two ways to cut");
    let names = ["product", "head 1", "head 2", "reshaped 1", "reshaped 2"];
    let all = [&x, &cut[0], &cut[1], &wrong[0], &wrong[1]];
    let row = |m: &Matrix, i: usize| {
        let numbers = (0..m.ncols()).map(|j| m[(i, j)].to_string());
        numbers.collect::<Vec<_>>().join(" ")
    };
    table(names, (0..4).map(|i| all.map(|m| row(m, i))));
}

/// Captions that the translator of the book has not seen.
pub static CAPTIONS: LazyLock<&str> =
    LazyLock::new(|| log::file("translation-own.en"));

/// Where a head may look from a word.
pub const PLACES_AROUND: [&str; 4] =
    ["the word before", "the word itself", "the word after", "the end"];

/// The names of the words of a caption, and the weights of every head in
/// every layer of the trained encoder.
pub fn maps(
    translator: &Translator,
    caption: &str,
) -> (Vec<String>, Vec<Vec<DMatrix<f32>>>) {
    let tokenizer = &translator.tokenizer;
    let source = tokenizer.encode_source(caption);
    let names = source.iter().map(|&token| tokenizer.name(token));
    let maps = translator.attention_maps(&source, &[tokenizer.bos()]);
    (names.collect(), maps.encoder)
}

/// What the words of these captions, without their ends, give to one of the
/// four places, on average.
fn given(maps: &[&DMatrix<f32>], place: usize) -> f64 {
    let (mut sum, mut words) = (0.0, 0);
    for map in maps {
        let end = map.nrows() - 1;
        let key = |word: usize| match place {
            0 => word.checked_sub(1),
            1 => Some(word),
            2 => Some(word + 1).filter(|&key| key < end),
            _ => Some(end),
        };
        let weight = |word| key(word).map(|key| f64::from(map[(word, key)]));
        sum += (0..end).filter_map(weight).sum::<f64>();
        words += end;
    }
    sum / words as f64
}

/// For each of the four places the head that looks there most, by layer and
/// number, how much it looks there, and how much even weights would.
pub fn clearest(translator: &Translator) -> [((usize, usize), f64, f64); 4] {
    type Maps = Vec<Vec<DMatrix<f32>>>;
    let captions = CAPTIONS.lines();
    let all: Vec<Maps> =
        captions.map(|caption| maps(translator, caption).1).collect();
    let number = |(layer, heads): (usize, &Vec<DMatrix<f32>>)| {
        (0..heads.len()).map(move |head| (layer, head))
    };
    let heads: Vec<_> = all[0].iter().enumerate().flat_map(number).collect();
    let alike =
        |maps: &Maps| maps[0][0].map(|_| 1.0 / maps[0][0].nrows() as f32);
    let alike: Vec<_> = all.iter().map(alike).collect();
    let even = |place| given(&Vec::from_iter(&alike), place);
    [0, 1, 2, 3].map(|place| {
        let look = |&(layer, head): &(usize, usize)| {
            let maps: Vec<_> = all.iter().map(|m| &m[layer][head]).collect();
            ((layer, head), given(&maps, place), even(place))
        };
        let looks = heads.iter().map(look);
        looks.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a head")
    })
}

fn trained_heads() {
    section("Heads of the trained encoder");
    let lines = PLACES_AROUND.iter().zip(clearest(&Translator::captions()));
    let line = |(place, ((layer, head), share, even))| {
        let head: String = format!("layer {}, head {}", layer + 1, head + 1);
        (place, head, [share, even].fixed(2))
    };
    let names = ["looks most at", "", "weight there", "even weights"];
    table(names, lines.map(line));
}
