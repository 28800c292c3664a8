//! What `src/logs/quantization.sh` has measured.

use super::counted::{paired, score, sentences};
use super::signed;
use print::log::{self, number};
use print::{Fixed, grouped, most, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// The matrices of the trained model, those with the largest errors first:
/// how many times the largest number of the largest row is that of the row in
/// the middle, and the errors with a scale per row, column and matrix.
fn tensors() -> Vec<(&'static str, [f64; 4])> {
    let tensor = |cells: [&'static str; 7]| {
        let [name, _, _, largest, errors @ ..] = cells;
        let [row, column, matrix] =
            errors.map(|error| 100.0 * number::<f64>(error));
        (name, [number(largest), row, column, matrix])
    };
    let mut all: Vec<_> =
        print::log::table(log::read("quantization-tensors"))
            .map(tensor)
            .collect();
    all.sort_by(|a, b| b.1[1].total_cmp(&a.1[1]));
    all
}

pub fn which_lose_most() {
    let all = tensors();
    section("Which lose most");
    let row =
        |&(name, [largest, row, _, matrix]): &(&'static str, [f64; 4])| {
            let errors = [row, matrix].map(|x| format!("{x:.2} %"));
            (name, largest.fixed(1), errors)
        };
    let ends = all[..3].iter().chain(&all[all.len() - 2..]);
    table(["", "largest ÷ median", "per row", "per matrix"], ends.map(row));
    let most = |i: usize| most(&Vec::from_iter(all.iter().map(|it| it.1[i])));
    section("All of them");
    value("matrices", all.len());
    for (i, name) in [(1, "row"), (2, "column")] {
        value(format!("worst per {name}"), format!("{:.1} %", most(i)));
    }
    value("below three times", all.iter().filter(|it| it.1[0] < 3.0).count());
    value("times as large", most(0).fixed(1));
    let table = all.iter().find(|it| it.0 == "embedding.table");
    let (_, [_, row, column, _]) = table.expect("the table of embeddings");
    value("table per row", format!("{row:.1} %"));
    value("table per column", format!("{column:.1} %"));
}

/// Bits, what a scale is for, and the loss, the BLEU and how many
/// translations are unchanged.
pub fn scores() -> Vec<(u32, &'static str, [f64; 3])> {
    let score = |[bits, scales, nats, bleu, same]: [&'static str; 5]| {
        (number(bits), scales, [nats, bleu, same].map(number))
    };
    print::log::table(log::read("quantization-scores")).map(score).collect()
}

pub fn fewer_bits() {
    let scores = scores();
    let find = |bits: u32, scales: &str| {
        let found = scores.iter().find(|it| (it.0, it.1) == (bits, scales));
        found.expect("a row").2
    };
    let cells =
        |[nats, bleu, same]: [f64; 3]| (bleu.fixed(2), nats.fixed(3), same);
    section("Fewer bits");
    let plain = find(32, "none");
    let row = |bits: u32| {
        let rough = find(bits, "matrix")[1].fixed(2);
        let levels = (2_u32.pow(bits) - 1).to_string();
        (bits, levels, cells(find(bits, "row")), rough)
    };
    let first = (32, String::new(), cells(plain), String::new());
    let names =
        ["bits", "levels", "BLEU", "loss", "unchanged", "one scale: BLEU"];
    table(names, [first].into_iter().chain([8, 6, 5, 4, 3].map(row)));
    section("Eight bits");
    let eight = find(8, "row");
    value("captions", grouped(plain[2]));
    value("BLEU before", plain[1].fixed(2));
    value("BLEU after", eight[1].fixed(2));
    value("changed translations", plain[2] - eight[2]);
    for scales in ["row", "matrix"] {
        let bleu = find(3, scales)[1];
        value(format!("BLEU of 3 bits, per {scales}"), bleu.fixed(2));
    }
}

/// By how much 8 bits are ahead of 32: on the test, and on a thousand tests for
/// which the same sentences are drawn for both.
pub fn a_test() {
    let [before, after] = [
        "translation-sentences-1-test2016",
        "quantization-sentences-test2016",
    ]
    .map(|name| sentences(log::read(name)));
    let all = paired(&after, &before, &mut ChaCha8Rng::seed_from_u64(1));
    section("A test");
    value("sentences", grouped(before.len()));
    value("test before", score(&before).fixed(2));
    value("test after", score(&after).fixed(2));
    value("ahead from", signed(all[25], 2));
    value("ahead to", signed(all[974], 2));
}
