//! Order, positions and what becomes of both: `cargo run --example position`

use all_you_need::attention::{Mask, attention};
use all_you_need::embedding::Embedding;
use all_you_need::position::{shift, sinusoidal};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use plot::{Chart, Diagram, Figure, HeatMaps, Hue, Panel, Side};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::f64::consts::TAU;

const SENTENCE: &str = "the cat jumped over the fence";
const SWAPPED: &str = "the fence jumped over the cat";

fn main() {
    two_sentences();
    means();
    plain_numbers();
    hands();
    four_positions();
    heat_map();
    added();
    speeds();
    steps();
    hills();
    found_again();
    side_by_side();
    without_positions();
    four_rules();
}

/// A difference for the page; when it is only rounding, its digits are not
/// the same on every machine.
fn gap(a: &Matrix, b: &Matrix) -> String {
    match (a - b).amax() {
        rounding if rounding < 1e-12 => "less than 10⁻¹²".to_string(),
        gap => format!("{gap:.2}"),
    }
}

/// Both sentences as ids.
fn ids() -> [Vec<Token>; 2] {
    let vocabulary = Vocabulary::of(&words(SENTENCE));
    [SENTENCE, SWAPPED].map(|s| vocabulary.encode(&words(s)).unwrap())
}

/// Positions 0 to n−1: n × d.
fn positions(n: usize, d: usize) -> Matrix {
    sinusoidal(&Vec::from_iter(0..n), d)
}

/// Two orders of the same words, as ids and as one-hot rows.
fn two_sentences() {
    let [sentence, swapped] = ids();
    println!("== The same words");
    println!("{SENTENCE}   {sentence:?}");
    println!("{SWAPPED}   {swapped:?}");
    let rows = one_hot(&sentence, 5);
    let back = rows.row_iter().map(|row| row.transpose().argmax().0);
    println!("\n== One-hot rows");
    println!("read back = {:?}", Vec::from_iter(back));
}

/// Every row through the same function, then the mean: for both orders.
fn means() {
    let d = 16;
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let embedding: Embedding<Matrix> = Embedding::new(5, d, rng);
    let w: Matrix = rng.weight(d, d);
    let sixth = Matrix::from_element(1, 6, 1.0 / 6.0);
    let mean = |x: &Matrix| &sixth * (x * &w).map(f64::tanh);
    let [x, y] = ids().map(|ids| embedding.embed(&ids));
    println!("\n== Means");
    println!("they differ by = {}", gap(&mean(&x), &mean(&y)));
    let (x, y) = (x + positions(6, d), y + positions(6, d));
    println!("with positions they differ by = {}", gap(&mean(&x), &mean(&y)));
}

/// What a plain number would do to a word: rows of 512.
fn plain_numbers() {
    let d = 512;
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let word: Matrix = Embedding::new(1, d, rng).embed(&[0]);
    let fifty = Matrix::from_element(1, d, 50.0);
    println!("\n== Plain numbers");
    println!("fifty in every column, length = {:.0}", fifty.norm());
    println!("an embedded word, length = {:.0}", word.norm());
}

/// Four clocks for each of the positions 0 to 5.
fn hands() {
    let frames = Vec::from_iter((0..6).map(clocks));
    plot::save_frames("position-hands", &frames);
}

/// The eight numbers of a position as four hands. Sine goes to the right and
/// cosine up, so that a hand starts at twelve and turns as clocks do.
fn clocks(position: usize) -> Figure {
    let row = sinusoidal(&[position], 8);
    let speeds = ["1", "1/10", "1/100", "1/1000"];
    let [_, slower @ ..] = speeds;
    let description = format!(
        "Four clock faces. At position {position} the first hand has turned \
         {position} radians, the others {} of that.",
        slower.join(", ")
    );
    let title = format!("Position {position} on four clocks");
    let mut figure = Diagram::new(&title, &description, 22.4, 9.2);
    figure.note((11.2, 0.7), Side::On, &format!("position {position}"));
    for (i, speed) in speeds.into_iter().enumerate() {
        let centre = (2.8 + 5.6 * i as f64, 5.0);
        let at = |sin: f64, cos: f64| (centre.0 + sin, centre.1 - cos);
        let rim = |turn: f64, r: f64| at(r * turn.sin(), r * turn.cos());
        let turns = (0..=60).map(|t| TAU * f64::from(t) / 60.0);
        let circle = Vec::from_iter(turns.map(|turn| rim(turn, 2.1)));
        figure.line(&circle, Hue::Rule);
        figure.line(&[rim(0.0, 1.8), rim(0.0, 2.1)], Hue::Rule);
        let (sin, cos) = (row[2 * i], row[2 * i + 1]);
        figure.arrow(&[centre, at(1.9 * sin, 1.9 * cos)], Hue::Blue);
        figure.note((centre.0, 2.1), Side::On, &format!("{speed} rad"));
        let numbers = format!("sin {sin:.3}\ncos {cos:.3}");
        let numbers = numbers.replace('-', "−");
        figure.note((centre.0, 7.1), Side::Below, &numbers);
    }
    figure.draw()
}

/// Small enough for a pocket calculator.
fn four_positions() {
    println!("\n== Four positions, two hands");
    println!("pos     sin     cos     sin     cos");
    for (p, row) in positions(4, 4).row_iter().enumerate() {
        let row = String::from_iter(row.iter().map(|x| format!("{x:8.4}")));
        println!("{p:3}{row}");
    }
}

/// Names for every tenth row.
fn tens(n: usize) -> Vec<String> {
    let mut names = vec![String::new(); n];
    for p in (0..n).step_by(10) {
        names[p] = p.to_string();
    }
    names
}

fn heat_map() {
    let (n, d) = (50, 64);
    let panel = Panel::new(&positions(n, d)).rows(&tens(n));
    let figure = HeatMaps::new(
        &format!("{n} positions of {d} numbers"),
        &format!(
            "Rows are positions up to {}, columns the {d} numbers of each, blue \
             above zero and orange below. At the left the colours change from \
             row to row, further right more slowly, and at the right not at \
             all: stripes of zero and of one.",
            n - 1
        ),
    )
    .panel(panel.axes("positions", "columns").cell(5.2, 5.2));
    plot::save("position-encoding", &figure.draw());
}

/// Word and place, added.
fn added() {
    let [ids, _] = ids();
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let embedding: Embedding<Matrix> = Embedding::new(5, 4, rng);
    let (e, pe) = (embedding.embed(&ids), positions(6, 4));
    let x = &e + &pe;
    let apart = |m: &Matrix| (m.row(0) - m.row(4)).norm();
    println!("\n== Word and place, in four dimensions");
    println!("the two the, apart before = {:.2}", apart(&e));
    println!("the two the, apart after = {:.2}", apart(&x));
    let words = words(SENTENCE);
    let panel = |m, title| {
        let panel = Panel::new(m).title(title).full(3.0);
        panel.numbers(2).cell(40.0, 25.0)
    };
    let figure = HeatMaps::new(
        "What a word is, and where it stands",
        &format!(
            "Three maps of {} × {} numbers: the embedded words of the cat \
             jumped over the fence, the encodings of their positions, and the \
             sum. The rows of the two words the are equal in the first map, \
             and differ in the last.",
            x.nrows(),
            x.ncols()
        ),
    )
    .sign("")
    .panel(panel(&e, "√d_model · *E*").rows(&words))
    .sign("+")
    .panel(panel(&pe, "*PE*"))
    .next_row()
    .sign("=")
    .panel(panel(&x, "input").rows(&words));
    plot::save("position-input", &figure.draw());
}

/// The paper's 256 hands.
fn speeds() {
    let d = 512;
    let one = sinusoidal(&[1], d);
    let wavelength = |i: usize| TAU / one[2 * i].atan2(one[2 * i + 1]);
    println!("\n== The hands at d_model = 512");
    println!("hand   radians a position   positions a turn");
    for i in [0, 64, 128, 192, 255] {
        let turn = wavelength(i);
        println!("{i:4} {:20.6} {turn:18.1}", TAU / turn);
    }
    let whole = (0..d / 2).filter(|&i| wavelength(i) <= 100.0).count();
    println!("\n== Of 256 hands");
    println!("hands that go round within 100 positions = {whole}");
    println!("longest, in units of 2π = {:.1}", wavelength(255) / TAU);
    let (shortest, longest) = lengths(&positions(1000, d));
    assert!(longest - shortest < 1e-10);
    println!("length of every row = {longest:.0}");
}

/// The length of the shortest row, and of the longest.
fn lengths(m: &Matrix) -> (f64, f64) {
    let rows = m.row_iter().map(|row| row.norm());
    rows.fold((f64::INFINITY, 0.0), |(low, high), length| {
        (length.min(low), length.max(high))
    })
}

/// One matrix takes every position a step on.
fn steps() {
    println!("\n== One step, for two hands");
    for row in shift(1, 4).row_iter() {
        let row = row.iter().map(|x| format!("{x:8.4}"));
        println!("{}", String::from_iter(row));
    }
    let (d, n, k) = (64, 100, 7);
    let moved = positions(n, d) * shift(k, d);
    let there: Matrix = positions(n + k, d).rows(k, n).into();
    println!("\n== Seven steps");
    println!("seven steps on, at each of 100 = {}", gap(&moved, &there));
}

/// The dot product of two positions, and how it depends on their distance.
fn hills() {
    let (n, d) = (200, 512);
    let pe = positions(n, d);
    let products = pe.matmul_t(&pe);
    println!("\n== Dot products");
    println!("k places on   from 3   from 100");
    for k in [0, 1, 2, 5, 20, 50] {
        let (from_3, from_100) =
            (products[(3, 3 + k)], products[(100, 100 + k)]);
        println!("{k:11} {from_3:8.1} {from_100:10.1}");
    }
    let shown = [40, 100, 160];
    let [one, two, three] = shown;
    let mut figure = Chart::new(
        "Each position against all others",
        &format!(
            "Three lines over {n} positions: the dot products with position \
             {one}, with {two} and with {three}. Each is a narrow hill {:.0} \
             high over its own position, and the three hills are the same.",
            products[(one, one)]
        ),
    )
    .x("position q")
    .y("PE(p) · PE(q)")
    .size(450.0, 290.0)
    .y_range(0.0..260.0)
    .guide_y(256.0, "d/2 = 256");
    for p in shown {
        let hill = (0..n).map(|q| (q as f64, products[(p, q)]));
        figure = figure.line(&format!("p = {p}"), hill);
    }
    plot::save("position-distance", &figure.draw());
}

/// Can a sum be taken apart? For 500 words, each somewhere in a sentence.
fn found_again() {
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let (vocabulary, n, draws) = (1000, 50, 500);
    println!("\n== Taken apart again");
    println!("  d   cosine   words found   positions found");
    for d in [4, 16, 64, 512] {
        let embedding: Embedding<Matrix> = Embedding::new(vocabulary, d, rng);
        let e = embedding.embed(&Vec::from_iter(0..vocabulary as Token));
        let pe = positions(n, d);
        let mut any = |below: usize| -> Vec<usize> {
            (0..draws).map(|_| rng.random_range(0..below)).collect()
        };
        let (words, places) = (any(vocabulary), any(n));
        let x = e.gather(&words) + pe.gather(&places);
        let found = nearest(&x, &e);
        let placed = nearest(&(x - e.gather(&found)), &pe);
        println!(
            "{d:3} {:8.3} {:11.0} % {:15.0} %",
            mean_cosine(&e, &pe),
            hits(&found, &words),
            hits(&placed, &places)
        );
    }
}

/// For each row of `x`, which row of the table is nearest.
fn nearest(x: &Matrix, table: &Matrix) -> Vec<usize> {
    let half = Matrix::from_fn(1, table.nrows(), |_, j| {
        table.row(j).norm_squared() / 2.0
    });
    let products = x.matmul_t(table);
    let rows = products.row_iter();
    rows.map(|row| (row - &half).transpose().argmax().0).collect()
}

/// In percent.
fn hits(found: &[usize], right: &[usize]) -> f64 {
    let hits = found.iter().zip(right).filter(|(a, b)| a == b).count();
    100.0 * hits as f64 / right.len() as f64
}

/// The mean size of the cosine between a row of `a` and a row of `b`.
fn mean_cosine(a: &Matrix, b: &Matrix) -> f64 {
    let cosines = Matrix::from_fn(a.nrows(), b.nrows(), |i, j| {
        let (a, b) = (a.row(i), b.row(j));
        (a.dot(&b) / (a.norm() * b.norm())).abs()
    });
    cosines.mean()
}

/// All sines first, then all cosines: the same columns in another order.
fn side_by_side() {
    let d = 512;
    let pe = positions(50, d);
    let order = Vec::from_iter((0..d).step_by(2).chain((1..d).step_by(2)));
    let sorted = pe.select_columns(&order);
    let products = gap(&pe.matmul_t(&pe), &sorted.matmul_t(&sorted));
    let off = (&pe - &sorted).row_iter().map(|row| row.norm()).sum::<f64>();
    println!("\n== Two orders of the columns");
    println!("dot products differ by = {products}");
    println!("rows read in the wrong order are off by = {:.1}", off / 50.0);
}

/// Attention over the rows of `x`, with random weights, always the same.
fn attended(x: &Matrix, mask: &Mask) -> Matrix {
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let [w_q, w_k, w_v]: [Matrix; 3] =
        [4, 4, 3].map(|d| rng.weight(x.ncols(), d));
    attention(&(x * w_q), &(x * w_k), &(x * w_v), mask)
}

/// The next chapter's attention with the words in two orders.
fn without_positions() {
    let [ids, _] = ids();
    let (n, d) = (6, 16);
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let x: Matrix = Embedding::new(5, d, rng).embed(&ids);
    let order = [0, 5, 2, 3, 4, 1];
    let swapped = x.gather(&order);
    let but_for = |mask: Mask| {
        gap(&attended(&swapped, &mask), &attended(&x, &mask).gather(&order))
    };
    let apart = |x: &Matrix| {
        let seen = attended(x, &Mask::none(n, n));
        gap(&seen.gather(&[0]), &seen.gather(&[4]))
    };
    println!("\n== Without positions");
    println!("rows move along but for = {}", but_for(Mask::none(n, n)));
    println!("under a causal mask but for = {}", but_for(Mask::causal(n)));
    println!("the two the, attended without positions = {}", apart(&x));
    println!(
        "the two the, attended with positions = {}",
        apart(&(&x + positions(n, d)))
    );
}

/// The paper's rule and three that look like it, for `n` positions of 64.
fn rules(n: usize) -> [(&'static str, Matrix); 4] {
    let d = 64;
    let power = |c: usize| 10000f64.powf(2.0 * (c / 2) as f64 / d as f64);
    let wave = |even: bool, x: f64| if even { x.sin() } else { x.cos() };
    let rule = |f: &dyn Fn(usize, usize) -> f64| Matrix::from_fn(n, d, f);
    [
        ("sin(pos / 10000^(2i/d))", positions(n, d)),
        (
            "odd, even positions",
            rule(&|p, c| wave(p % 2 == 0, p as f64 / power(c))),
        ),
        (
            "sin(pos) / 10000^(2i/d)",
            rule(&|p, c| wave(c % 2 == 0, p as f64) / power(c)),
        ),
        (
            "2i/d in whole numbers",
            rule(&|p, c| {
                let exponent = c / 2 * 2 / d;
                wave(c % 2 == 0, p as f64 / 10000f64.powi(exponent as i32))
            }),
        ),
    ]
}

/// How far apart positions are under each rule, how long, and how well one
/// matrix can take every one of them a step on.
fn four_rules() {
    println!("\n== Four rules");
    println!(
        "rule                       1 on   2 on  20 on  44 on   \
              length of row     misses"
    );
    for (name, pe) in rules(200) {
        let distances =
            [1, 2, 20, 44].map(|k| format!("{:7.2}", distance(&pe, k)));
        let (shortest, longest) = lengths(&pe);
        println!(
            "{name:24}{}    {shortest:.2} to {longest:.2} {:10.2}",
            distances.concat(),
            misses(&pe)
        );
    }
    let [(_, right), (_, wrong), ..] = rules(50);
    let names = tens(50);
    let panel =
        |m, title| Panel::new(m).title(title).rows(&names).cell(6.0, 3.6);
    let figure = HeatMaps::new(
        "Odd and even columns, odd and even positions",
        &format!(
            "Two maps of {} positions of {} numbers. By columns: smooth waves \
             at the left, upright stripes at the right. By positions: every \
             second row is another, so that at the right the stripes lie flat.",
            right.nrows(),
            right.ncols()
        ),
    )
    .panel(panel(&right, "by columns"))
    .next_row()
    .panel(panel(&wrong, "by positions"));
    plot::save("position-parity", &figure.draw());
}

/// The mean distance of two positions `k` apart.
fn distance(pe: &Matrix, k: usize) -> f64 {
    let n = pe.nrows() - k;
    let rows = (0..n).map(|p| (pe.row(p) - pe.row(p + k)).norm());
    rows.sum::<f64>() / n as f64
}

/// What is left when the best of all matrices, found by least squares, takes
/// each position to the next: as a part of the whole.
fn misses(pe: &Matrix) -> f64 {
    let n = pe.nrows() - 1;
    let (from, to): (Matrix, Matrix) =
        (pe.rows(0, n).into(), pe.rows(1, n).into());
    let best = from.clone().svd(true, true).solve(&to, 1e-12).unwrap();
    (from * best - &to).norm() / to.norm()
}
