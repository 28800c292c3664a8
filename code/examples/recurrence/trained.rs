//! A trained recurrent translator with attention, and one of the book, as
//! `src/logs/rival.sh` has left them.

use all_you_need::bleu::Counts;
use print::log::{self, number};
use print::{Fixed, grouped, section, spread, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::fs::read_to_string;

const LOGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/logs");

const SEEDS: [u8; 3] = [1, 2, 3];

const KINDS: [(&str, &str); 2] =
    [("rival", "recurrent, with attention"), ("book", "Transformer")];

fn read(name: &str) -> String {
    let file = format!("{LOGS}/rival-{name}.tsv");
    read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The words of each caption of test2016, and what BLEU counts in its
/// translation.
type Judged = Vec<(usize, Counts)>;

fn judged(kind: &str, seed: u8) -> Judged {
    let log = read(&format!("sentences-{kind}-{seed}"));
    let row = |cells: [&str; 10]| {
        let [words, counts @ ..] = cells.map(number::<usize>);
        let (matches, totals) = counts.split_at(4);
        let counts = Counts {
            matches: matches.try_into().expect("four numbers"),
            totals: totals[..4].try_into().expect("four numbers"),
            reference_length: counts[8],
        };
        (words, counts)
    };
    log::table(&log).map(row).collect()
}

/// The BLEU of the captions at these places.
fn bleu(judged: &Judged, places: &[usize]) -> f64 {
    places.iter().map(|&i| judged[i].1).sum::<Counts>().bleu().score
}

/// The mean over the seeds.
fn mean(of_seeds: &[Judged], places: &[usize]) -> f64 {
    let scores = of_seeds.iter().map(|judged| bleu(judged, places));
    scores.sum::<f64>() / of_seeds.len() as f64
}

/// The last row of a run: its loss on val, and its seconds.
fn end(kind: &str, seed: u8) -> (f64, f64) {
    let log = read(&format!("run-{kind}-{seed}"));
    let rows = log::table(&log);
    let last = rows.last().expect("a run has rows");
    let [_, _, _, val, seconds] = last.map(number::<f64>);
    (val, seconds)
}

pub fn trained() {
    let all = KINDS.map(|(kind, _)| SEEDS.map(|seed| judged(kind, seed)));
    let places: Vec<usize> = (0..all[0][0].len()).collect();
    let sizes = read("sizes");
    let size = |name: &str| {
        let row = sizes.lines().find_map(|row| row.strip_prefix(name));
        grouped(number::<usize>(row.expect("its size").trim()))
    };
    section("Two translators, three seeds");
    let rows = KINDS.iter().zip(&all).map(|(&(kind, name), seeds)| {
        let ends = SEEDS.map(|seed| end(kind, seed));
        let scores: Vec<f64> =
            seeds.iter().map(|judged| bleu(judged, &places)).collect();
        let (mean, deviation) = spread(&scores);
        let losses = ends.map(|(val, _)| val);
        let quickest = ends.iter().map(|end| end.1).fold(f64::MAX, f64::min);
        (
            name,
            size(kind),
            spread(&losses).0.fixed(3),
            format!("{mean:.1} ± {deviation:.1}"),
            format!("{:.0} min", quickest / 60.0),
        )
    });
    table(
        ["translator", "numbers", "loss on val", "BLEU", "quickest run"],
        rows,
    );
    difference(&all, &places);
    by_length(&all);
    reach();
}

/// How much better the second is, and between what bounds the difference is
/// in 95 of 100 resampled tests.
fn difference(all: &[[Judged; 3]; 2], places: &[usize]) {
    let ahead =
        |places: &[usize]| mean(&all[1], places) - mean(&all[0], places);
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut resampled: Vec<f64> = (0..1000)
        .map(|_| {
            let drawn: Vec<usize> = places
                .iter()
                .map(|_| places[rng.random_range(0..places.len())])
                .collect();
            ahead(&drawn)
        })
        .collect();
    resampled.sort_by(f64::total_cmp);
    section("The difference");
    value("captions of the test", places.len());
    value("ahead", ahead(places).fixed(1));
    value("ahead by at least", resampled[25].fixed(2));
    value("ahead by at most", resampled[974].fixed(2));
}

fn by_length(all: &[[Judged; 3]; 2]) {
    section("By the length of the caption");
    let groups =
        [("to 9", 1..10), ("10 to 14", 10..15), ("15 and more", 15..99)];
    let rows = groups.map(|(name, lengths)| {
        let places: Vec<usize> = (0..all[0][0].len())
            .filter(|&i| lengths.contains(&all[0][0][i].0))
            .collect();
        let scores = all.each_ref().map(|seeds| mean(seeds, &places));
        (name, places.len(), scores[0].fixed(1), scores[1].fixed(1))
    });
    table(["words", "captions", KINDS[0].1, KINDS[1].1], rows);
}

/// How much a word that stands so many tokens before changes the last row.
fn reach() {
    let changes = KINDS.map(|(kind, _)| {
        let log = read(&format!("distance-{kind}"));
        let rows =
            log::table(&log).map(|row: [&str; 3]| number::<f64>(row[1]));
        rows.collect::<Vec<_>>()
    });
    section("What reaches the last row");
    let rows = [1, 2, 4, 8, 12, 16, 20, 24].map(|far| {
        let share = |of: &Vec<f64>| format!("{:.2}", of[far] / of[1]);
        (far, share(&changes[0]), share(&changes[1]))
    });
    table(["tokens before", "recurrent", "Transformer"], rows);
}
