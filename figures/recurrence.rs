//! The figures of the chapter on recurrent networks.

#[path = "../code/examples/recurrence.rs"]
#[expect(dead_code, reason = "the figures need some of its functions")]
mod example;

use example::{LATER, Left, SENTENCE, brief, lines, random_words, states};
use all_you_need::dictionary::softmax;
use all_you_need::recurrence::{AdditiveScore, Recurrent, Row};
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use plot::{Block, Chart, Diagram, Figure, Hue, Side};
use print::grouped;

pub fn draw() {
    plot::save("recurrence-curves", &curves());
    plot::save("recurrence-unrolled", &unrolled(&states(0.5)));
    plot::save("recurrence-bahdanau", &bahdanau());
    plot::save("recurrence-gradient", &gradient(&lines()));
}

/// The two functions that keep numbers in a range, and a slope.
fn curves() -> Figure {
    let curve = |f: fn(f64) -> f64| {
        (-40..=40).map(f64::from).map(move |x| (x / 10.0, f(x / 10.0)))
    };
    let description = "Tanh rises from minus one to one, the sigmoid from \
         zero to one. The slope of tanh is one in the middle and near zero at \
         both sides.";
    Chart::new("Tanh and the sigmoid", description)
        .x("x")
        .y("")
        .size(450.0, 240.0)
        .y_range(-1.1..1.1)
        .line("tanh", curve(f64::tanh))
        .line("sigmoid", curve(|x| 1.0 / (1.0 + (-x).exp())))
        .line("slope of tanh", curve(|x| 1.0 - x.tanh() * x.tanh()))
        .draw()
}

/// The network, drawn once for each word.
fn unrolled(states: &[f64]) -> Figure {
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
        let text = format!("h_{}\n{:.2}", t + 1, h).replace('-', "−");
        let state = figure.block((x, 2.1), (2.6, 2.4), &text, Hue::Rule);
        let input = figure.block((x, 6.9), (3.4, 1.6), word, Hue::Rule);
        let hue = if t == 0 { Hue::HERE } else { Hue::Ink };
        figure.arrow(&[input.top(), state.bottom()], hue);
        if let Some(before) = before {
            figure.arrow(&[before.right(), state.left()], Hue::HERE);
            figure.note((x - 1.9, 1.4), Side::On, "×½");
        }
        before = Some(state);
    }
    figure.draw()
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

/// What is left of a change to the first word.
fn gradient(lines: &[Left]) -> Figure {
    let named = |name| lines.iter().find(|line| line.name == name);
    let shown = ["gain 0.5", "gain 1.0", "gain 1.5", "gate at 98 %"]
        .into_iter()
        .chain(["equal weights", "found"])
        .map(|name| named(name).expect("a line of this name"));
    let last = LATER[LATER.len() - 1];
    let end = |name| brief(named(name).expect("a line").after(last));
    let mut chart = Chart::new(
        "What is left of a change to the first word",
        &format!(
            "Both axes are logarithmic. The lines of the recurrent networks, \
             and in the end that of the gate, bend down and fall off the \
             chart. Attention with equal weights goes down in a straight line, to {} \
             after {} words; attention that has found the word stays at {}.",
            end("equal weights"),
            grouped(last),
            end("found")
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
    chart.draw()
}

const SOURCE: [&str; 3] = ["I", "am", "fine"];

/// *I am fine* becomes *mir geht es gut*, with random weights: how much of
/// each word that was read goes into each word to be written.
fn translation() -> Vec<Row> {
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
    let mut all = Vec::new();
    for y in y {
        let scores: Vec<_> =
            keys.iter().map(|k| score.score(&s, k)).collect();
        let weights = Row::from_vec(softmax(&scores));
        let context = &weights * Matrix::from_rows(&keys);
        s = writer.step(&s, &join(&said, &context));
        said = y;
        all.push(weights);
    }
    all
}

fn join(a: &Row, b: &Row) -> Row {
    Row::from_iterator(a.len() + b.len(), a.iter().chain(b).copied())
}

/// The second word is to be written: its weights are over the words read.
fn bahdanau() -> Figure {
    let weights = &translation()[1];
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
        figure.block((2.6, 2.0), (4.4, 2.4), "next\ngeht", Hue::TARGET);
    figure.arrow(&[asking.top(), next.bottom()], Hue::Ink);
    figure.note((2.6, 5.4), Side::Right, "writes");
    figure.note((4.8, 12.8), Side::Left, "reads");
    let sum = figure.circle((14.0, 4.4), "Σ");
    figure.arrow(&[sum.top(), (14.0, 2.0), next.right()], Hue::VALUES);
    figure.note((9.4, 1.9), Side::Above, "context");
    let bus = [asking.right(), (5.6, 8.8), (5.6, 10.4), (18.3, 10.4)];
    figure.line(&bus, Hue::QUERIES);
    let mut before: Option<Block> = None;
    for (j, (word, weight)) in SOURCE.iter().zip(weights).enumerate() {
        let x = 8.6 + 5.4 * j as f64;
        let text = format!("weight {weight:.2}");
        let weight = figure.block((x, 8.0), (4.8, 1.8), &text, Hue::WEIGHTS);
        let spread = 0.3 * (j as f64 - 1.0);
        figure.arrow(&[weight.top(), sum.along(spread, 0.5)], Hue::VALUES);
        let asked = weight.along(-1.1 / 4.8, 0.5);
        figure.arrow(&[(asked.0, 10.4), asked], Hue::QUERIES);
        let key = format!("k_{}", j + 1);
        let state = figure.block((x, 12.8), (3.2, 1.9), &key, Hue::KEYS);
        let answer = weight.along(0.6 / 4.8, 0.5);
        figure.arrow(&[(answer.0, 11.85), answer], Hue::KEYS);
        figure.arrow(&[(x, 15.5), state.bottom()], Hue::Ink);
        figure.note((x, 16.1), Side::On, word);
        if let Some(before) = before {
            figure.arrow(&[before.right(), state.left()], Hue::Ink);
        }
        before = Some(state);
    }
    figure.draw()
}
