//! Memory, and who waits for whom: `cargo run --example recurrence`

use all_you_need::attention::{Mask, attention};
use all_you_need::costs::convolve;
use all_you_need::dictionary::softmax;
use all_you_need::layers::FeedForward;
use all_you_need::recurrence::{AdditiveScore, Gated, Recurrent};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::{DVector, dmatrix};
use plot::print::grouped;
use plot::{Block, Chart, Diagram, HeatMaps, Hue, Panel, Side};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    one_number();
    left_of_a_nudge();
    side_by_side();
    translation();
    kernels();
    who_hears_whom();
}

const SENTENCE: [&str; 6] = ["The", "cat", "jumped", "over", "the", "fence"];

/// One number for each word, one number of memory.
fn one_number() {
    let network = Recurrent { w: dmatrix![0.5], u: dmatrix![1.0] };
    let inputs =
        [0.8, 0.3, -0.6, 0.1, 0.7, -0.2].map(|x| DVector::repeat(1, x));
    let states = network.states(&inputs);
    println!("== One number of memory");
    println!("word       x      h   left of The");
    let mut left = 0.0;
    for (t, word) in SENTENCE.iter().enumerate() {
        left = network.jacobian(&states[1..=t])[0];
        let (x, h) = (inputs[t][0], states[t][0]);
        println!("{word:8}{x:4.1} {h:6.2} {left:13.3}");
    }
    println!("\nh after fence = {:.2}", states[5][0]);
    println!("left of The = {:.1} %", 100.0 * left);
    draw_unrolled(&states);
}

fn draw_unrolled(states: &[DVector<f64>]) {
    let mut figure = Diagram::new(
        "A recurrent network, unrolled",
        "Six words stand in a row, each with an arrow up into its state. Each \
         state has an arrow to the next. The only path from The to fence, in \
         orange, goes up to the first state and then through all the others.",
        22.6,
        9.6,
    );
    let mut before: Option<Block> = None;
    for (t, (word, h)) in SENTENCE.iter().zip(states).enumerate() {
        let x = 1.8 + 3.8 * t as f64;
        let text = format!("h_{}\n{:.2}", t + 1, h[0]).replace('-', "−");
        let state = figure.block((x, 3.4), (2.6, 2.4), &text, Hue::Blue);
        let input = figure.block((x, 8.2), (3.4, 1.6), word, Hue::Green);
        let hue = if t == 0 { Hue::Orange } else { Hue::Ink };
        figure.arrow(&[input.top(), state.bottom()], hue);
        figure.note((x, 6.0), Side::Right, "U");
        if let Some(before) = before {
            figure.arrow(&[before.right(), state.left()], Hue::Orange);
            figure.note((x - 1.9, 3.2), Side::Above, "W");
            figure.note((x - 1.9, 3.5), Side::Below, &t.to_string());
        }
        before = Some(state);
    }
    plot::save("recurrence-unrolled", &figure.draw());
}

/// Numbers in a word, and in a memory of it.
const D: usize = 16;

/// How many words later to look.
const LATER: [usize; 28] = [
    1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 130,
    160, 200, 250, 300, 400, 500, 600, 800, 1000,
];

/// Random words of `d` numbers.
fn random_words(
    n: usize,
    d: usize,
    deviation: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<DVector<f64>> {
    let words: Matrix = rng.noise(d, n, deviation);
    words.column_iter().map(|word| word.into_owned()).collect()
}

/// A network whose W, if it were not for the tanh, would stretch a random
/// vector by `gain`.
fn random_network(gain: f64, rng: &mut ChaCha8Rng) -> Recurrent {
    let w = rng.noise(D, D, gain / (D as f64).sqrt());
    Recurrent { w, u: Matrix::identity(D, D) }
}

/// A memory whose gates move with the words, around σ(bias).
fn random_gates(bias: f64, rng: &mut ChaCha8Rng) -> Gated {
    let f = rng.noise(D, D, 1.0 / (D as f64).sqrt());
    Gated { u: Matrix::identity(D, D), f, bias }
}

/// How long a nudge of length 1 arrives, on average over its directions.
fn size(jacobian: &Matrix) -> f64 {
    jacobian.norm() / (jacobian.ncols() as f64).sqrt()
}

/// What is typically left after each number of words in `LATER`: the median
/// of 15 draws.
fn typical(draw: impl Fn(&mut ChaCha8Rng) -> Vec<f64>) -> Vec<f64> {
    let draws: Vec<_> = (0..15)
        .map(|seed| draw(&mut ChaCha8Rng::seed_from_u64(seed)))
        .collect();
    let median = |at: usize| {
        let mut left: Vec<f64> = draws.iter().map(|draw| draw[at]).collect();
        left.sort_by(f64::total_cmp);
        left[7]
    };
    (0..LATER.len()).map(median).collect()
}

/// A nudge to the first word, seen up to a thousand words later.
fn left_of_a_nudge() {
    println!("\n== Left of a nudge");
    println!("words later          1       10      100     1000");
    let mut lines = Vec::new();
    for gain in [0.5, 0.9, 1.0, 1.5, 3.0] {
        let left = typical(|rng| left_in_a_network(gain, rng));
        lines.push((format!("gain {gain:.1}"), left));
    }
    for (name, bias) in [("gate at 73 %", 1.0), ("gate at 98 %", 4.0)] {
        let left = typical(|rng| left_behind_gates(bias, rng));
        lines.push((name.to_string(), left));
    }
    for (name, found) in [("attention", false), ("attention, found", true)] {
        let left = typical(|rng| left_by_attention(found, rng));
        lines.push((name.to_string(), left));
    }
    for (name, left) in &lines {
        let columns = [1, 10, 100, 1000].map(|t| {
            let at = LATER.iter().position(|later| *later == t).unwrap();
            format!("{:>9}", brief(left[at]))
        });
        println!("{name:16}{}", columns.concat());
    }
    let percent = |line: usize, later| {
        let at = LATER.iter().position(|t| *t == later).unwrap();
        let left = lines[line].1[at];
        format!("{:.*} %", usize::from(left < 0.1), 100.0 * left)
    };
    println!("\n== Quoted");
    println!("gain 0.9, ten words later = {}", percent(1, 10));
    println!("gate at 98 %, a hundred words later = {}", percent(6, 100));
    println!("attention, a thousand words later = {}", percent(7, 1000));
    draw_gradient(&lines);
}

/// A few characters for any number.
fn brief(number: f64) -> String {
    match number {
        ..1e-99 => "< 1e-99".to_string(),
        1e-3..10.0 => format!("{number:.3}"),
        ..1e9 => format!("{number:.0e}"),
        _ => "> 1e9".to_string(),
    }
}

/// Where the chart ends, and with it what one would call a nudge.
const BOTTOM: f64 = 1e-10;

/// The points of a line as far as the bottom, and the one where it arrives
/// there: between two points it is straight on logarithmic axes.
fn down_to(bottom: f64, left: &[f64]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (&t, &l) in LATER.iter().zip(left) {
        let t = t as f64;
        if l < bottom {
            let (t0, l0) = points[points.len() - 1];
            let part = (l0 / bottom).ln() / (l0 / l).ln();
            points.push((t0 * (t / t0).powf(part), bottom));
            break;
        }
        points.push((t, l));
    }
    points
}

fn draw_gradient(lines: &[(String, Vec<f64>)]) {
    let last = LATER.len() - 1;
    let at_last = |line: usize| brief(lines[line].1[last]);
    let mut chart = Chart::new(
        "What is left of a nudge to the first word",
        &format!(
            "Both axes are logarithmic. The lines of the recurrent networks, \
             and in the end that of the gate, bend down and fall off the \
             chart. Attention goes down in a straight line, to {} after {} \
             words; attention that has found the word is at {} then.",
            at_last(7),
            grouped(LATER[last]),
            at_last(8)
        ),
    )
    .x("words later")
    .y("left of the nudge")
    .size(450.0, 350.0)
    .y_range(BOTTOM..10.0)
    .log_x()
    .log_y();
    let left_out = ["gain 0.9", "gain 3.0", "gate at 73 %"];
    for (name, left) in lines {
        if !left_out.contains(&name.as_str()) {
            chart = chart.line(name, down_to(BOTTOM, left));
        }
    }
    plot::save("recurrence-gradient", &chart.draw());
}

fn left_in_a_network(gain: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let network = random_network(gain, rng);
    let states = network.states(&random_words(1001, D, 0.5, rng));
    let mut product = Matrix::identity(D, D);
    let mut left = Vec::new();
    for (t, h) in states.iter().enumerate().skip(1) {
        product = network.jacobian(std::slice::from_ref(h)) * product;
        if LATER.contains(&t) {
            left.push(size(&product));
        }
    }
    left
}

fn left_behind_gates(bias: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let memory = random_gates(bias, rng);
    let words = random_words(1001, D, 0.5, rng);
    let kept = |t: &usize| memory.gate_product(&words[1..=*t]);
    LATER.iter().map(|t| size(&Matrix::from_diagonal(&kept(t)))).collect()
}

/// t words after the first, twenty different words ask the whole sentence.
/// Where the first has been found, the question is, loudly, for what it
/// offers, and no other word offers more of it.
fn left_by_attention(found: bool, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let [w_q, w_k, w_v]: [Matrix; 3] = [0; 3].map(|_| rng.weight(D, D));
    let mut words: Matrix = rng.noise(1001, D, 1.0);
    let q = if found {
        let keys = (&words * &w_k).map(|k| k * k).column_sum();
        words.swap_rows(0, keys.argmax().0);
        words.rows(0, 1) * &w_k * 1000.0
    } else {
        rng.noise(20, D, 1.0) * &w_q
    };
    let left = |t: &usize| {
        let x = words.rows(0, t + 1).into_owned();
        let mask = Mask::none(q.nrows(), t + 1);
        let answer =
            |x: &Matrix| attention(&q, &(x * &w_k), &(x * &w_v), &mask);
        heard(answer, &x, 0, rng).mean()
    };
    LATER.iter().map(left).collect()
}

/// How much of a nudge to one row of `x`, in a random direction, arrives in
/// each row of `f(x)`.
fn heard(
    f: impl Fn(&Matrix) -> Matrix,
    x: &Matrix,
    row: usize,
    rng: &mut ChaCha8Rng,
) -> DVector<f64> {
    let direction: Matrix = rng.noise(1, x.ncols(), 1e-5);
    let mut nudge = Matrix::zeros(x.nrows(), x.ncols());
    nudge.set_row(row, &direction.row(0));
    let change = (f(&(x + &nudge)) - f(&(x - nudge))) / 2.0;
    let moved = change.component_mul(&change).column_sum();
    moved.map(f64::sqrt) / direction.norm()
}

/// Four sentences of six words, one after the other and side by side.
fn side_by_side() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let network = random_network(0.9, rng);
    let sentences = [0; 4].map(|_| random_words(6, D, 0.5, rng));
    let (mut alone, mut rounds_alone) = (Vec::new(), 0);
    for sentence in &sentences {
        let states = network.states(sentence);
        rounds_alone += states.len();
        alone.push(states[5].clone());
    }
    let (mut h, mut rounds) = (Matrix::zeros(D, 4), 0);
    for t in 0..6 {
        let words = sentences.each_ref().map(|words| words[t].clone());
        let x = Matrix::from_columns(&words);
        h = (&network.w * h + &network.u * x).map(f64::tanh);
        rounds += 1;
    }
    let apart = (h - Matrix::from_columns(&alone)).amax();
    println!("\n== Four sentences");
    println!("rounds, one sentence after the other = {rounds_alone}");
    println!("rounds, side by side = {rounds}");
    let agree = |places: &i32| apart < 0.1f64.powi(*places);
    let places = (0..=12).take_while(agree).last().unwrap();
    println!("decimal places that agree = {places}");
}

/// *I am fine* becomes *mir geht es gut*, with random weights: the shares
/// that each word to be written gives to the words that were read.
fn translation() {
    let source = ["I", "am", "fine"];
    let target = ["mir", "geht", "es", "gut"];
    let (d_word, d_source, d_target, d_score) = (4, 3, 5, 8);
    let rng = &mut ChaCha8Rng::seed_from_u64(18);
    let (x, y) = (
        random_words(3, d_word, 1.0, rng),
        random_words(4, d_word, 1.0, rng),
    );
    let mut network = |d, d_input| Recurrent {
        w: rng.noise(d, d, 0.5),
        u: rng.noise(d, d_input, 1.0),
    };
    let keys =
        both_ways(&network(d_source, d_word), &network(d_source, d_word), x);
    let decoder = network(d_target, d_word + 2 * d_source);
    let score = AdditiveScore {
        w_q: rng.noise(d_score, d_target, 1.0),
        w_k: rng.noise(d_score, 2 * d_source, 1.0),
        v: random_words(1, d_score, 1.0, rng).remove(0),
    };
    let (mut s, mut said) =
        (DVector::zeros(d_target), DVector::zeros(d_word));
    let mut table = Vec::new();
    for y in y {
        let scores: Vec<_> =
            keys.iter().map(|k| score.score(&s, k)).collect();
        let shares = softmax(&scores);
        let mixed = keys.iter().zip(&shares).map(|(k, share)| k * *share);
        s = decoder.step(&s, &join(&said, &mixed.sum()));
        said = y;
        table.push(shares);
    }
    println!("\n== I am fine");
    println!("{:8}{:>7}{:>7}{:>7}", "", source[0], source[1], source[2]);
    for (word, shares) in target.iter().zip(&table) {
        let row = shares.iter().map(|share| format!("{share:7.2}"));
        println!("{word:8}{}", row.collect::<String>());
    }
    draw_bahdanau(&source, &table[1]);
}

/// For each word the state of a network that reads forwards, and that of one
/// that reads backwards, in one list.
fn both_ways(
    forwards: &Recurrent,
    backwards: &Recurrent,
    mut words: Vec<DVector<f64>>,
) -> Vec<DVector<f64>> {
    let there = forwards.states(&words);
    words.reverse();
    let back = backwards.states(&words);
    there.iter().zip(back.iter().rev()).map(|(a, b)| join(a, b)).collect()
}

fn join(a: &DVector<f64>, b: &DVector<f64>) -> DVector<f64> {
    DVector::from_iterator(a.len() + b.len(), a.iter().chain(b).copied())
}

fn draw_bahdanau(source: &[&str], shares: &[f64]) {
    let mut figure = Diagram::new(
        "Additive attention between two recurrent networks",
        "Below, the words I, am, fine, read by one recurrent network from \
         left to right and by another from right to left. At the left, the \
         decoder's state s_1 asks each pair of states. The shares it gives \
         them make a sum, the context c_2, and this goes into s_2.",
        23.2,
        19.0,
    );
    let asking =
        figure.block((2.6, 9.2), (4.0, 2.2), "s_1\nmir", Hue::Orange);
    let next = figure.block((2.6, 2.2), (4.0, 2.2), "s_2\ngeht", Hue::Orange);
    figure.arrow(&[asking.top(), next.bottom()], Hue::Ink);
    figure.note((2.6, 6.0), Side::Right, "writes");
    figure.note((4.6, 14.4), Side::Left, "reads");
    let sum = figure.circle((14.0, 4.6), "Σ");
    figure.arrow(&[sum.top(), (14.0, 2.2), next.right()], Hue::Purple);
    figure.note((9.3, 2.1), Side::Above, "context c_2");
    let bus = [asking.right(), (5.6, 9.2), (5.6, 10.9), (18.3, 10.9)];
    figure.line(&bus, Hue::Orange);
    figure.note((5.4, 11.0), Side::Below, "asks");
    let mut before: Option<(Block, Block)> = None;
    for (j, (word, share)) in source.iter().zip(shares).enumerate() {
        let x = 8.6 + 5.4 * j as f64;
        let text = format!("share {share:.2}");
        let share = figure.block((x, 8.4), (4.6, 1.8), &text, Hue::Green);
        let spread = 0.3 * (j as f64 - 1.0);
        figure.arrow(&[share.top(), sum.along(spread, 0.5)], Hue::Purple);
        let asked = share.along(-1.1 / 4.6, 0.5);
        figure.arrow(&[(asked.0, 10.9), asked], Hue::Orange);
        let there = figure.block((x, 13.4), (2.8, 1.5), "→", Hue::Blue);
        let back = figure.block((x, 15.4), (2.8, 1.5), "←", Hue::Sky);
        let (from, to) = ((x - 1.8, 12.4), (x + 1.8, 16.4));
        figure.frame(from, to, Side::Right, &format!("h_{}", j + 1));
        let answer = share.along(0.6 / 4.6, 0.5);
        figure.arrow(&[(answer.0, 12.4), answer], Hue::Ink);
        figure.arrow(&[(x, 17.7), (x, 16.4)], Hue::Ink);
        figure.note((x, 18.3), Side::On, word);
        if let Some((to, from)) = before {
            figure.arrow(&[to.right(), there.left()], Hue::Ink);
            figure.arrow(&[back.left(), from.right()], Hue::Ink);
        }
        before = Some((there, back));
    }
    plot::save("recurrence-bahdanau", &figure.draw());
}

/// How many of six words move when *jumped* does.
fn kernels() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let x: Matrix = rng.noise(6, 8, 1.0);
    let layer: FeedForward<Matrix> = FeedForward::new(8, 32, rng);
    let mut moved = |name, f: &dyn Fn(&Matrix) -> Matrix| {
        let heard = heard(f, &x, 2, rng);
        let moved = heard.iter().filter(|left| **left > 0.0).count();
        println!("words that move, {name} = {moved}");
    };
    let columns = |x: &Matrix, kernel: &[f64]| {
        let convolved = x.column_iter().map(|column| {
            DVector::from_vec(convolve(
                column.into_owned().as_slice(),
                kernel,
                1,
            ))
        });
        Matrix::from_columns(&convolved.collect::<Vec<_>>())
    };
    println!("\n== Is it a convolution?");
    moved("kernel of 3", &|x| columns(x, &[0.5, 0.3, 0.2]));
    moved("kernel of 1", &|x| columns(x, &[0.5]));
    moved("feed-forward", &|x| layer.forward(x));
}

/// How much each word's result moves when each word is nudged.
fn who_hears_whom() {
    let (n, rng) = (24, &mut ChaCha8Rng::seed_from_u64(8));
    let words = random_words(n, D, 0.5, rng);
    let network = random_network(0.9, rng);
    let states = network.states(&words);
    let recurrence = Matrix::from_fn(n, n, |t, s| {
        if s > t { 0.0 } else { size(&network.jacobian(&states[s + 1..=t])) }
    });
    let convolutions = Matrix::from_fn(n, n, |t, s| {
        let mut x = vec![0.0; n];
        x[s] = 1.0;
        (0..3).for_each(|_| x = convolve(&x, &[1.0 / 3.0; 3], 1));
        x[t]
    });
    let x: Matrix = rng.noise(n, D, 1.0);
    let [w_q, w_k, w_v]: [Matrix; 3] = [0; 3].map(|_| rng.weight(D, D));
    let answer = |x: &Matrix| {
        attention(&(x * &w_q), &(x * &w_k), &(x * &w_v), &Mask::none(n, n))
    };
    let columns: Vec<_> = (0..n).map(|s| heard(answer, &x, s, rng)).collect();
    draw_hearing(&recurrence, &convolutions, &Matrix::from_columns(&columns));
}

fn draw_hearing(
    recurrence: &Matrix,
    convolutions: &Matrix,
    attention: &Matrix,
) {
    let panel = |m: &Matrix, title| {
        let shade = m.map(|left| (1.0 + left.log10() / 4.0).clamp(0.0, 1.0));
        Panel::new(&shade).title(title).cell(4.0, 4.0).full(1.0)
    };
    let figure = HeatMaps::new(
        "Who hears whom",
        &format!(
            "Three maps of {n} by {n} words. Recurrence: a triangle that fades \
             away from the diagonal. Three layers of convolution: a band seven \
             words wide with sharp edges. Attention: the whole square.",
            n = attention.nrows()
        ),
    )
    .panel(panel(recurrence, "recurrence").axes("hears", "is heard"))
    .panel(panel(convolutions, "3 convolutions"))
    .panel(panel(attention, "attention"));
    plot::save("recurrence-hearing", &figure.draw());
}
