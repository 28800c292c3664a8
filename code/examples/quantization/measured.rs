//! What `src/logs/quantization.sh` has measured.

use super::signed;
use all_you_need::bleu::Counts;
use print::log::number;
use print::{grouped, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const TENSORS: &str =
    include_str!("../../../src/logs/quantization-tensors.tsv");

/// The matrices of the trained model, those with the largest errors first:
/// how many times the largest number of the largest row is that of the row in
/// the middle, and the errors with a scale per row, column and matrix.
fn tensors() -> Vec<(&'static str, [f64; 4])> {
    let tensor = |[name, _, _, largest, row, column, matrix]: [&'static str;
                      7]| {
        let [row, column, matrix] =
            [row, column, matrix].map(|error| 100.0 * number::<f64>(error));
        (name, [number(largest), row, column, matrix])
    };
    let mut all: Vec<_> = print::log::table(TENSORS).map(tensor).collect();
    all.sort_by(|a, b| b.1[1].total_cmp(&a.1[1]));
    all
}

pub fn which_lose_most() {
    let all = tensors();
    section("Which lose most");
    let row = |&(name, [largest, row, _, matrix]): &(&str, [f64; 4])| {
        let [row, matrix] = [row, matrix].map(|x| format!("{x:.2} %"));
        [name.to_string(), format!("{largest:.1}"), row, matrix]
    };
    let ends = all[..3].iter().chain(&all[all.len() - 2..]);
    table(["", "largest row", "per row", "per matrix"], ends.map(row));
    let most = |i: usize| all.iter().map(|it| it.1[i]).fold(0.0, f64::max);
    section("All of them");
    value("matrices", all.len());
    for (i, name) in [(1, "row"), (2, "column"), (3, "matrix")] {
        value(&format!("worst per {name}"), format!("{:.1} %", most(i)));
    }
    value("below three times", all.iter().filter(|it| it.1[0] < 3.0).count());
    value("times as large", format!("{:.1}", most(0)));
    let table = all.iter().find(|it| it.0 == "embedding.table");
    let (_, [_, row, column, _]) = table.expect("the table of embeddings");
    value("table per row", format!("{row:.1} %"));
    value("table per column", format!("{column:.1} %"));
}

const SCORES: &str =
    include_str!("../../../src/logs/quantization-scores.tsv");

/// Bits, what a scale is for, and the loss, the BLEU and how many
/// translations are unchanged.
pub fn scores() -> Vec<(u32, &'static str, [f64; 3])> {
    let score = |[bits, scales, nats, bleu, same]: [&'static str; 5]| {
        (number(bits), scales, [nats, bleu, same].map(number))
    };
    print::log::table(SCORES).map(score).collect()
}

pub fn fewer_bits() {
    let scores = scores();
    let find = |bits: u32, scales: &str| {
        let found = scores.iter().find(|it| (it.0, it.1) == (bits, scales));
        found.expect("a row").2
    };
    let cells = |[nats, bleu, same]: [f64; 3]| {
        [format!("{bleu:.2}"), format!("{nats:.3}"), same.to_string()]
    };
    section("Fewer bits");
    let plain = find(32, "none");
    let row = |bits: u32| {
        let [bleu, nats, same] = cells(find(bits, "row"));
        let [rough, ..] = cells(find(bits, "matrix"));
        let levels = 2_u32.pow(bits) - 1;
        [bits.to_string(), levels.to_string(), bleu, nats, same, rough]
    };
    let [bleu, nats, same] = cells(plain);
    let first = ["32".into(), String::new(), bleu, nats, same, String::new()];
    let names =
        ["bits", "levels", "BLEU", "loss", "unchanged", "one scale: BLEU"];
    table(names, [first].into_iter().chain([8, 6, 5, 4, 3].map(row)));
    section("Eight bits");
    let eight = find(8, "row");
    value("captions", grouped(plain[2]));
    value("BLEU before", format!("{:.2}", plain[1]));
    value("BLEU after", format!("{:.2}", eight[1]));
    value("changed translations", plain[2] - eight[2]);
    for scales in ["row", "matrix"] {
        let bleu = find(3, scales)[1];
        value(&format!("BLEU of 3 bits, per {scales}"), format!("{bleu:.2}"));
    }
}

/// What was counted of each sentence of test2016, as the model has translated
/// it with 32 bits and with 8.
const TESTS: [&str; 2] = [
    include_str!("../../../src/logs/translation-sentences-1-test2016.tsv"),
    include_str!("../../../src/logs/quantization-sentences-test2016.tsv"),
];

fn sentences(log: &str) -> Vec<Counts> {
    let sentence = |line: &str| {
        let cells: Vec<usize> = line.split('\t').map(number).collect();
        let four = |from: usize| std::array::from_fn(|i| cells[from + i]);
        Counts {
            matches: four(0),
            totals: four(4),
            reference_length: cells[8],
        }
    };
    log.lines().map(sentence).collect()
}

/// By how much 8 bits are ahead of 32: on the test, and on a thousand tests for
/// which the same sentences are drawn for both.
pub fn a_test() {
    let [before, after] = TESTS.map(sentences);
    let n = before.len();
    let score = |of: &[Counts], drawn: &[usize]| {
        drawn.iter().map(|&i| of[i]).sum::<Counts>().bleu().score
    };
    let ahead =
        |drawn: &[usize]| score(&after, drawn) - score(&before, drawn);
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut draw =
        || (0..n).map(|_| rng.random_range(0..n)).collect::<Vec<_>>();
    let mut all: Vec<f64> = (0..1000).map(|_| ahead(&draw())).collect();
    all.sort_by(f64::total_cmp);
    let each: Vec<usize> = (0..n).collect();
    section("A test");
    value("sentences", grouped(n));
    value("test before", format!("{:.2}", score(&before, &each)));
    value("test after", format!("{:.2}", score(&after, &each)));
    value("ahead from", signed(all[25], 2));
    value("ahead to", signed(all[974], 2));
}
