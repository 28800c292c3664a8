//! Memory, and what waits for what: `cargo run --example recurrence`

use all_you_need::attention::{Mask, attention};
use all_you_need::dictionary::softmax;
use all_you_need::recurrence::{AdditiveScore, Gated, Recurrent, Row};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::{DVector, dmatrix};
use plot::{Block, Chart, Diagram, Hue, Side};
use print::grouped;
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    draw_tanh();
    one_number();
    let mut lines = left_without_gates();
    lines.extend(left_behind_gates());
    side_by_side();
    translation();
    lines.extend(left_by_attention());
    draw_gradient(&lines);
}

const SENTENCE: [&str; 6] = ["The", "cat", "jumped", "over", "the", "fence"];

/// The curve that squeezes, and its slope.
fn draw_tanh() {
    let points = |f: fn(f64) -> f64| {
        (-30..=30).map(move |i| (f64::from(i) / 10.0, f(f64::from(i) / 10.0)))
    };
    let slope = |x: f64| 1.0 - x.tanh().powi(2);
    let chart = Chart::new(
        "The function tanh",
        &format!(
            "From left to right the curve rises from {:.2} at {} through the \
             origin to {:.2} at {}. Its slope is a bell: {:.2} in the middle \
             and {:.2} at both ends.",
            f64::tanh(-3.0),
            -3,
            f64::tanh(3.0),
            3,
            slope(0.0),
            slope(3.0)
        ),
    )
    .x("x")
    .size(450.0, 240.0)
    .line("tanh x", points(f64::tanh))
    .line("its slope", points(slope));
    plot::save("recurrence-tanh", &chart.draw());
}

/// One number for each word, one number of memory.
fn one_number() {
    let network = Recurrent { w: dmatrix![0.5], u: dmatrix![1.0] };
    let inputs =
        [0.8, 0.3, -0.6, 0.1, 0.7, -0.2].map(|x| Row::from_element(1, x));
    let states = network.states(&inputs);
    println!("== One number of memory");
    println!("word       x      h   what is left");
    let mut left = 0.0;
    for (t, word) in SENTENCE.iter().enumerate() {
        left = network.jacobian(&states[1..=t])[0];
        let (x, h) = (inputs[t][0], states[t][0]);
        println!("{word:8}{x:4.1} {h:6.2} {left:13.3}");
    }
    println!("\n== After fence");
    println!("h after fence = {:.2}", states[5][0]);
    println!("what is left = {:.1} %", 100.0 * left);
    draw_unrolled(&states);
}

fn draw_unrolled(states: &[Row]) {
    let mut figure = Diagram::new(
        "A recurrent network, unrolled",
        "Six words in a row, each with an arrow up into its state. Each \
         state has an arrow to the next. The only path from The to fence, drawn \
         thick, goes up to the first state and then through all the others.",
        22.6,
        8.3,
    );
    let mut before: Option<Block> = None;
    for (t, (word, h)) in SENTENCE.iter().zip(states).enumerate() {
        let x = 1.8 + 3.8 * t as f64;
        let text = format!("h_{}\n{:.2}", t + 1, h[0]).replace('-', "−");
        let state = figure.block((x, 2.1), (2.6, 2.4), &text, Hue::Rule);
        let input = figure.block((x, 6.9), (3.4, 1.6), word, Hue::Rule);
        let hue = if t == 0 { Hue::Here } else { Hue::Ink };
        figure.arrow(&[input.top(), state.bottom()], hue);
        figure.note((x, 4.7), Side::Right, "*U*");
        if let Some(before) = before {
            figure.arrow(&[before.right(), state.left()], Hue::Here);
            figure.note((x - 1.9, 1.9), Side::Above, "*W*");
            figure.note((x - 1.9, 2.2), Side::Below, &t.to_string());
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

/// `n` random words of `d` numbers.
fn random_words(
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
struct Left {
    name: String,
    parts: Vec<f64>,
}

impl Left {
    /// The median of 15 draws.
    fn typical(
        name: String,
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
        Self { name, parts: (0..LATER.len()).map(median).collect() }
    }

    fn after(&self, words: usize) -> f64 {
        let at = LATER.iter().position(|later| *later == words);
        self.parts[at.expect("one of those that we look at")]
    }

    fn percent(&self, words: usize) -> String {
        let left = self.after(words);
        format!("{:.*} %", usize::from(left < 0.1), 100.0 * left)
    }

    fn print(title: &str, lines: &[Self]) {
        println!("\n== {title}");
        println!("words later                1       10      100     1000");
        for line in lines {
            let columns = [1, 10, 100, 1000]
                .map(|words| format!("{:>9}", brief(line.after(words))));
            println!("{:19}{}", line.name, columns.concat());
        }
    }
}

/// A change to the first word, seen up to a thousand words later.
fn left_without_gates() -> Vec<Left> {
    let gains = [0.5, 0.9, 1.0, 1.5, 3.0];
    let lines = gains.map(|gain| {
        let draw = |rng: &mut _| left_in_a_network(gain, rng);
        Left::typical(format!("gain {gain:.1}"), draw)
    });
    Left::print("Left of a change", &lines);
    let [_, fading, ..] = &lines;
    println!("\n== Without gates");
    println!("numbers of memory = {D}");
    println!("gain 0.9, ten words later = {}", fading.percent(10));
    println!(
        "gain 0.9, a hundred words later = {}",
        brief(fading.after(100))
    );
    lines.into()
}

fn left_behind_gates() -> Vec<Left> {
    let biases = [1.0f64, 4.0];
    let lines = biases.map(|bias| {
        let gate = 100.0 / (1.0 + (-bias).exp());
        let draw = |rng: &mut _| kept_by_gates(bias, rng);
        Left::typical(format!("gate at {gate:.0} %"), draw)
    });
    Left::print("Left behind gates", &lines);
    let [_, open] = &lines;
    println!("\n== With gates");
    println!("gate at 98 %, a hundred words later = {}", open.percent(100));
    lines.into()
}

fn left_by_attention() -> Vec<Left> {
    let lines = [("attention, random", false), ("attention, found", true)]
        .map(|(name, found)| {
            let draw = |rng: &mut _| taken_by_attention(found, rng);
            Left::typical(name.to_string(), draw)
        });
    Left::print("Left by attention", &lines);
    lines.into()
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

/// Where the chart ends.
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

fn draw_gradient(lines: &[Left]) {
    let named = |name| lines.iter().find(|line| line.name == name);
    let shown = ["gain 0.5", "gain 1.0", "gain 1.5", "gate at 98 %"]
        .into_iter()
        .chain(["attention, random", "attention, found"])
        .map(|name| named(name).expect("a line of this name"));
    let last = LATER[LATER.len() - 1];
    let end = |name| brief(named(name).expect("a line").after(last));
    let mut chart = Chart::new(
        "What is left of a change to the first word",
        &format!(
            "Both axes are logarithmic. The lines of the recurrent networks, \
             and in the end that of the gate, bend down and fall off the \
             chart. Random attention goes down in a straight line, to {} \
             after {} words; attention that has found the word is at {} then.",
            end("attention, random"),
            grouped(last),
            end("attention, found")
        ),
    )
    .x("words later")
    .y("left of the change")
    .size(450.0, 350.0)
    .y_range(BOTTOM..10.0)
    .log_x()
    .log_y();
    for line in shown {
        chart = chart.line(&line.name, down_to(BOTTOM, &line.parts));
    }
    plot::save("recurrence-gradient", &chart.draw());
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

/// t words after the first, twenty random queries ask the whole sentence. If
/// `found`, the first word has the longest key, and there is one query, a
/// large multiple of this key: no other key fits it as well.
fn taken_by_attention(found: bool, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let [w_q, w_k, w_v]: [Matrix; 3] = [0; 3].map(|_| rng.weight(D, D));
    let mut words: Matrix = rng.uniform(1001, D, 1.0);
    let q = if found {
        let keys = (&words * &w_k).map(|k| k * k).column_sum();
        words.swap_rows(0, keys.argmax().0);
        words.rows(0, 1) * &w_k * 1000.0
    } else {
        rng.uniform(20, D, 1.0) * &w_q
    };
    let left = |t: &usize| {
        let x = words.rows(0, t + 1).into_owned();
        let mask = Mask::none(q.nrows(), t + 1);
        let answer =
            |x: &Matrix| attention(&q, &(x * &w_k), &(x * &w_v), &mask);
        arrives(answer, &x, rng).mean()
    };
    LATER.iter().map(left).collect()
}

/// How much of a change to the first row of `x`, in a random direction,
/// arrives in each row of `f(x)`.
fn arrives(
    f: impl Fn(&Matrix) -> Matrix,
    x: &Matrix,
    rng: &mut ChaCha8Rng,
) -> DVector<f64> {
    let direction: Matrix = rng.uniform(1, x.ncols(), 1e-5);
    let mut nudge = Matrix::zeros(x.nrows(), x.ncols());
    nudge.set_row(0, &direction.row(0));
    let change = (f(&(x + &nudge)) - f(&(x - nudge))) / 2.0;
    let moved = change.component_mul(&change).column_sum();
    moved.map(f64::sqrt) / direction.norm()
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
    println!("\n== Four sentences");
    println!("rounds, one sentence after the other = {one_by_one}");
    println!("rounds, side by side = {rounds}");
}

/// *I am fine* becomes *mir geht es gut*, with random weights: how much of
/// each word that was read goes into each word to be written.
fn translation() {
    let source = ["I", "am", "fine"];
    let (d_word, d_source, d_target, d_score) = (4, 3, 5, 8);
    let rng = &mut ChaCha8Rng::seed_from_u64(18);
    let [x, y] = [3, 4].map(|n| random_words(n, d_word, 1.0, rng));
    let mut network = |d, d_input| Recurrent {
        w: rng.uniform(d, d, 0.5),
        u: rng.uniform(d_input, d, 1.0),
    };
    let (reader, writer) =
        (network(d_source, d_word), network(d_target, d_word + d_source));
    let score = AdditiveScore {
        w_q: rng.uniform(d_target, d_score, 1.0),
        w_k: rng.uniform(d_source, d_score, 1.0),
        v: random_words(1, d_score, 1.0, rng).remove(0),
    };
    let keys = reader.states(&x);
    let (mut s, mut said) = (Row::zeros(d_target), Row::zeros(d_word));
    let mut table = Vec::new();
    for y in y {
        let scores: Vec<_> =
            keys.iter().map(|k| score.score(&s, k)).collect();
        let weights = Row::from_vec(softmax(&scores));
        let context = &weights * Matrix::from_rows(&keys);
        s = writer.step(&s, &join(&said, &context));
        said = y;
        table.push(weights);
    }
    println!("\n== I am fine");
    println!("rows and columns = {} × {}", table.len(), source.len());
    draw_bahdanau(&source, &table[1]);
}

fn join(a: &Row, b: &Row) -> Row {
    Row::from_iterator(a.len() + b.len(), a.iter().chain(b).copied())
}

/// The second word is to be written: its weights are over the words read.
fn draw_bahdanau(source: &[&str], weights: &Row) {
    let mut figure = Diagram::new(
        "Additive attention between two recurrent networks",
        "Below, the words I, am, fine, read by one recurrent network from \
         left to right. At the left, the writer's state q is compared with \
         each of its states. The weights that come out mix the states into \
         the context, and this goes into the writer's next state.",
        23.2,
        17.0,
    );
    let asking =
        figure.block((2.6, 8.8), (4.4, 2.4), "*q*\nmir", Hue::QUERIES);
    let next =
        figure.block((2.6, 2.0), (4.4, 2.4), "next\ngeht", Hue::Orange);
    figure.arrow(&[asking.top(), next.bottom()], Hue::Ink);
    figure.note((2.6, 5.4), Side::Right, "writes");
    figure.note((4.8, 12.8), Side::Left, "reads");
    let sum = figure.circle((14.0, 4.4), "Σ");
    figure.arrow(&[sum.top(), (14.0, 2.0), next.right()], Hue::Purple);
    figure.note((9.4, 1.9), Side::Above, "context");
    let bus = [asking.right(), (5.6, 8.8), (5.6, 10.4), (18.3, 10.4)];
    figure.line(&bus, Hue::Orange);
    let mut before: Option<Block> = None;
    for (j, (word, weight)) in source.iter().zip(weights).enumerate() {
        let x = 8.6 + 5.4 * j as f64;
        let text = format!("weight {weight:.2}");
        let weight = figure.block((x, 8.0), (4.8, 1.8), &text, Hue::Green);
        let spread = 0.3 * (j as f64 - 1.0);
        figure.arrow(&[weight.top(), sum.along(spread, 0.5)], Hue::Purple);
        let asked = weight.along(-1.1 / 4.8, 0.5);
        figure.arrow(&[(asked.0, 10.4), asked], Hue::Orange);
        let key = format!("k_{}", j + 1);
        let state = figure.block((x, 12.8), (3.2, 1.9), &key, Hue::Blue);
        let answer = weight.along(0.6 / 4.8, 0.5);
        figure.arrow(&[(answer.0, 11.85), answer], Hue::Blue);
        figure.arrow(&[(x, 15.5), state.bottom()], Hue::Ink);
        figure.note((x, 16.1), Side::On, word);
        if let Some(before) = before {
            figure.arrow(&[before.right(), state.left()], Hue::Ink);
        }
        before = Some(state);
    }
    plot::save("recurrence-bahdanau", &figure.draw());
}
