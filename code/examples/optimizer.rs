//! Steps, and a model that learns: `cargo run --example optimizer`

use all_you_need::attention::{Mask, Softmax};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::loss::{CrossEntropy, smoothed};
use all_you_need::optimizer::{Adam, descend, learning_rate, paper_peak_lr};
use all_you_need::parameters::{
    Parameters, add_into, gradient, parameter_count,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, characters};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Point, Side};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::f64::consts::TAU;
use std::thread;

fn main() {
    plot::read_arguments();
    by_hand();
    rates();
    three_ways();
    other_hills();
    gradient_sizes();
    first_steps();
    schedule();
    let [warm, at_once, descent] = in_parallel([
        || adam(|step| learning_rate(0.01, step, WARMUP)),
        || adam(|step| learning_rate(0.01, step.max(WARMUP), WARMUP)),
        || train(STEPS, lesson, |_, model, slope| descend(model, slope, 0.1)),
    ]);
    watch(&warm);
    before_and_after(&warm);
    three_curves(&warm, &at_once, &descent);
    without_warmup(&warm, &at_once);
    without_correction(&warm);
    copied_answers();
    in_pieces();
}

/// All at the same time: none of them knows of the others.
fn in_parallel<T: Send, const N: usize>(runs: [fn() -> T; N]) -> [T; N] {
    thread::scope(|scope| {
        runs.map(|run| scope.spawn(run)).map(|run| run.join().unwrap())
    })
}

/// A place in the valley, as the smallest tree there is: one leaf, 1 × 2.
type Place<T> = Embedding<T>;

/// How high the valley is at x, y, if `hill` is 1: (x² + 25 y²) / 2.
fn height(place: &Place<Variable<f64>>, hill: f64) -> Variable<f64> {
    let here = &place.table;
    let steep = here.constant(&dmatrix![1.0, 0.0; 0.0, 25.0]);
    here.matmul(&steep).matmul_t(here).scale(0.5 * hill)
}

fn start() -> Place<Matrix> {
    Place { table: dmatrix![8.0, 1.0] }
}

/// The places passed, with the height of each, when `step` leads from one to
/// the next.
fn walk(
    steps: usize,
    hill: f64,
    mut step: impl FnMut(&mut Place<Matrix>, &Place<Matrix>),
) -> Vec<(Point, f64)> {
    let mut place = start();
    let mut path = Vec::new();
    for _ in 0..=steps {
        let (height, slope) = gradient(&place, |place| height(place, hill));
        path.push(((place.table[0], place.table[1]), height));
        step(&mut place, &slope);
    }
    path
}

fn by_descent(rate: f64, hill: f64) -> Vec<(Point, f64)> {
    walk(20, hill, |place, slope| descend(place, slope, rate))
}

/// Half of the last step's mean gradient, and half of the new gradient.
fn by_momentum(rate: f64, hill: f64) -> Vec<(Point, f64)> {
    let mut mean = Matrix::zeros(1, 2);
    walk(20, hill, |place, slope| {
        mean = (&mean + &slope.table) * 0.5;
        place.table -= &mean * rate;
    })
}

fn by_adam(rate: f64, hill: f64) -> Vec<(Point, f64)> {
    let mut adam = Adam::new(&start());
    walk(20, hill, |place, slope| adam.step(place, slope, rate))
}

fn by_hand() {
    println!("== By hand");
    println!("step    x       y   slope x  slope y  height");
    let path = by_descent(0.06, 1.0);
    for (step, ((x, y), height)) in path.into_iter().take(5).enumerate() {
        let steep = 25.0 * y;
        println!("{step:4} {x:5.2} {y:7.3} {x:8.2} {steep:8.2} {height:7.2}");
    }
}

/// One valley, six rates.
fn rates() {
    println!("\n== Twenty steps");
    println!("rate     height");
    let frame = |rate: f64| {
        let path = by_descent(rate, 1.0);
        let steps = path.len() - 1;
        let height = path[steps].1;
        println!("{rate:.3} {height:9.2}");
        let mut figure = valley(
            &format!("{steps} steps of gradient descent, rate {rate}"),
            &format!(
                "A valley five times as long as wide, seen from above. The \
                 path starts at the right, the bottom is at the left. After \
                 {steps} steps the height is {height:.2}, from {:.1}.",
                path[0].1
            ),
        );
        draw_path(&mut figure, &path, Hue::Blue);
        let heading = format!("rate {rate}, height {height:.2}");
        figure.note((11.0, 0.6), Side::On, &heading);
        figure.draw()
    };
    let rates = [0.01, 0.04, 0.06, 0.075, 0.079, 0.081];
    plot::save_frames("optimizer-rates", &rates.map(frame));
}

/// The valley on the grid of a diagram.
fn on_map((x, y): Point) -> Point {
    (3.4 + 2.2 * x, 5.2 - 2.2 * y)
}

/// Lines of equal height, seen from above, and a circle at the bottom.
fn valley(title: &str, description: &str) -> Diagram {
    let mut figure = Diagram::new(title, description, 22.0, 9.4);
    for long in [1.0, 2.0, 4.0, 6.0, 8.0] {
        // From the far left around, so that what is cut off is one piece.
        let turns = (0..=120).map(|t| TAU * f64::from(t) / 120.0);
        let around = turns.map(|t| (-long * t.cos(), long * t.sin() / 5.0));
        let seen = around.filter(|(x, _)| *x > -1.2).map(on_map);
        figure.line(&Vec::from_iter(seen), Hue::Rule);
    }
    figure
}

/// As far as the map goes.
fn draw_path(figure: &mut Diagram, path: &[(Point, f64)], hue: Hue) {
    let points = path.iter().map(|(point, _)| *point);
    let on = points.take_while(|(_, y)| y.abs() < 1.8).map(on_map);
    figure.line(&Vec::from_iter(on), hue);
}

fn three_ways() {
    let paths = [
        (by_descent(0.075, 1.0), Hue::Blue, "gradient descent", 2.4),
        (by_momentum(0.15, 1.0), Hue::Green, "momentum", 11.0),
        (by_adam(0.5, 1.0), Hue::Orange, "Adam", 17.6),
    ];
    let mut figure = valley(
        "Three ways down",
        &format!(
            "The valley from above with three paths of {} steps from the \
             right. Gradient descent zigzags and stops short of the bottom. \
             Momentum zigzags twice and arrives. Adam sets out aslant, swings \
             once across the valley and arrives.",
            paths[0].0.len() - 1
        ),
    );
    for (path, hue, name, at) in paths {
        draw_path(&mut figure, &path, hue);
        figure.line(&[(at - 1.2, 0.6), (at - 0.3, 0.6)], hue);
        figure.note((at - 0.1, 0.6), Side::Right, name);
    }
    plot::save("optimizer-ways", &figure.draw());
}

/// The same three on a hill that is a hundred times as high, or as low: what
/// part of the height is left.
fn other_hills() {
    println!("\n== Three hills");
    println!("height    descent  momentum    Adam");
    for (name, hill) in [("as it is", 1.0), ("× 100", 100.0), ("÷ 100", 0.01)]
    {
        let ways = [
            by_descent(0.075, hill),
            by_momentum(0.15, hill),
            by_adam(0.5, hill),
        ];
        let left = ways.map(|path| path[20].1 / path[0].1);
        let [descent, momentum, adam] = left.map(|part| match part {
            part if part > 1.0 => "higher".to_string(),
            part => format!("{part:.4}"),
        });
        println!("{name:8} {descent:>8} {momentum:>9} {adam:>7}");
    }
}

/// Where Adam goes first, and what becomes of a step without a gradient.
fn first_steps() {
    println!("\n== The first step of Adam");
    println!("gradient    step at a rate of 0.5");
    for slope in [25.0, 8.0, 0.001] {
        let mut place = Place { table: dmatrix![0.0] };
        let slope = Place { table: dmatrix![slope] };
        Adam::new(&place).step(&mut place, &slope, 0.5);
        println!("{:8} {:12.4}", slope.table[0], place.table[0]);
    }
}

fn schedule() {
    let (warmup, half) = (4000, 16_000);
    let peak = paper_peak_lr(512, warmup);
    println!("\n== The rate of the paper");
    println!("  step       rate");
    for step in [1, 1000, warmup, half, 100_000] {
        println!("{step:6} {:10.2e}", learning_rate(peak, step, warmup));
    }
    let points = (0..=400).map(|i| {
        let step = 1 + 100 * i;
        (step as f64, 1e4 * learning_rate(peak, step, warmup))
    });
    assert_eq!(2.0 * learning_rate(peak, half, warmup), peak);
    let figure = Chart::new(
        "The learning rate of equation 3",
        &format!(
            "The rate rises in a straight line to {peak:.5} at step {warmup}, \
             and falls from there, at first steeply, then slowly; at step \
             {half} it has come down to half."
        ),
    )
    .size(450.0, 290.0)
    .x("step")
    .y("rate, in ten-thousandths")
    .guide_x(warmup as f64, "end of the warm-up")
    .line("", points);
    plot::save("optimizer-schedule", &figure.draw());
}

const LETTERS: &str = "elopst";
const END: Token = 6;
const STEPS: usize = 240;
const WARMUP: usize = 40;

type Model<T = Matrix> = Transformer<T>;
type Words = Vec<Vec<Token>>;

/// A word as ids of its letters.
fn ids(word: &str) -> Vec<Token> {
    let letters = Vocabulary::of(&characters(LETTERS));
    letters.encode(&characters(word)).unwrap()
}

/// The other way round.
fn spelled(ids: &[Token]) -> String {
    let letters: Vec<_> = LETTERS.chars().chain(['.']).collect();
    ids.iter().map(|&id| letters[id as usize]).collect()
}

/// The word with this number, from 0 to 6⁴ − 1.
fn word(number: usize) -> Vec<Token> {
    let letter = |place| (number / 6usize.pow(place) % 6) as Token;
    (0..4).map(letter).collect()
}

/// A hundred words that no lesson ever contains, *stop* among them.
fn is_held_out(number: usize) -> bool {
    number.is_multiple_of(13)
}

fn reversed(words: &Words) -> Words {
    words.iter().map(|word| word.iter().rev().copied().collect()).collect()
}

/// What the decoder should write: each word backwards, between two ends.
fn targets(words: &Words) -> Words {
    let words = reversed(words).into_iter();
    words.map(|word| [&[END], &word[..], &[END]].concat()).collect()
}

/// What is to be learned: to say each word backwards.
fn lesson(model: &Model<Variable<f64>>, words: &Words) -> Variable<f64> {
    model.loss(words, &targets(words), 0.1)
}

fn newborn() -> Model {
    let config = Config {
        vocabulary: 7,
        layers: 1,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 8,
        d_v: 8,
    };
    Model::new(&config, &mut ChaCha8Rng::seed_from_u64(1))
}

/// Twelve random words, none of them held out.
fn batch(rng: &mut ChaCha8Rng) -> Words {
    let numbers = std::iter::repeat_with(|| rng.random_range(0..1296));
    numbers.filter(|n| !is_held_out(*n)).map(word).take(12).collect()
}

/// What is left of a training run.
struct Run {
    /// The loss of every step.
    losses: Vec<f64>,
    /// The model before the first step, and after each.
    models: Vec<Model>,
}

/// Step by step: twelve words, a loss, a gradient, a better model.
fn train(
    steps: usize,
    loss: fn(&Model<Variable<f64>>, &Words) -> Variable<f64>,
    mut update: impl FnMut(usize, &mut Model, &Model),
) -> Run {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let mut run = Run { losses: Vec::new(), models: vec![newborn()] };
    for step in 1..=steps {
        let words = batch(rng);
        let mut model = run.models[step - 1].clone();
        let (loss, slope) = gradient(&model, |model| loss(model, &words));
        update(step, &mut model, &slope);
        run.losses.push(loss);
        run.models.push(model);
    }
    run
}

/// The same with Adam, and a rate for each step.
fn adam(rate: fn(usize) -> f64) -> Run {
    let mut adam = Adam::new(&newborn());
    train(STEPS, lesson, |step, model, slope| {
        adam.step(model, slope, rate(step))
    })
}

/// Which letter has the highest score, after each letter of `fed`.
fn next(model: &Model, word: &[Token], fed: &[Token]) -> Vec<Token> {
    let scores = model.forward(&[word], &[fed]);
    let rows = scores.row_iter();
    rows.map(|row| row.transpose().argmax().0 as Token).collect()
}

fn held_out() -> Words {
    let words = (0..1296).filter(|number| is_held_out(*number));
    words.map(word).collect()
}

/// How many of the hundred words the model says backwards without a mistake.
/// It does if each letter is right that follows on right letters.
fn right(model: &Model) -> usize {
    let words = held_out();
    let answers = reversed(&words);
    let pairs = words.iter().zip(&answers);
    pairs
        .filter(|(word, answer)| {
            let fed = [&[END], &answer[..]].concat();
            next(model, word, &fed) == [answer, &[END][..]].concat()
        })
        .count()
}

/// The size of a gradient, leaf by leaf: the root of the mean square.
fn gradient_sizes() {
    let words = batch(&mut ChaCha8Rng::seed_from_u64(2));
    let model = newborn();
    let (_, slope) = gradient(&model, |model| lesson(model, &words));
    println!("\n== The first gradient");
    println!("parameters = {}", parameter_count(&model));
    let mut sizes = Vec::new();
    for (name, leaf) in slope.leaves() {
        let size = leaf.norm() / (leaf.len() as f64).sqrt();
        sizes.push((size, name));
    }
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (largest, smallest) = (&sizes[sizes.len() - 1], &sizes[0]);
    println!("largest = {} {:.1e}", largest.1, largest.0);
    println!("smallest = {} {:.1e}", smallest.1, smallest.0);
    println!("times as large = {:.0}", largest.0 / smallest.0);
}

/// The mean loss of ten steps, the last of them `step`.
fn loss_at(run: &Run, step: usize) -> f64 {
    run.losses[step.saturating_sub(10)..step.max(1)].iter().sum::<f64>()
        / step.clamp(1, 10) as f64
}

fn watch(run: &Run) {
    assert!(held_out().contains(&ids("stop")) && held_out().len() == 100);
    println!("\n== Step by step");
    println!("step    loss   right of 100   stop becomes");
    for step in [0, 20, 40, 80, 120, 160, 200, 240] {
        let (loss, model) = (loss_at(run, step), &run.models[step]);
        let mut says = spelled(&model.greedy(&ids("stop"), END, END));
        if says.is_empty() {
            says = "(nothing)".to_string();
        }
        println!("{step:4} {loss:7.2} {:14}   {says}", right(model));
    }
    println!("\nln 7 = {:.2}", 7f64.ln());
    println!("floor = {:.2}", floor());
}

/// The least that a smoothed target can cost.
fn floor() -> f64 {
    let best = smoothed::<f64>(&[0], 7, 0.1).map(f64::ln);
    best.cross_entropy(&[0], 0.1)[0]
}

/// What comes next in *stop* backwards, as probabilities.
fn before_and_after(run: &Run) {
    let fed = [[&[END], &ids("pots")[..]].concat()];
    let guess = |model: &Model| {
        let scores = model.forward(&[ids("stop")], &fed);
        scores.softmax(&Mask::none(5, 7))
    };
    let columns = ["e", "l", "o", "p", "s", "t", "end"];
    let panel = |m: &Matrix, title| {
        let panel = Panel::new(m).title(title).columns(&columns);
        let panel = panel.rows(&["start", "p", "o", "t", "s"]).full(1.0);
        panel
            .axes("letter fed in", "letter to come")
            .numbers(2)
            .cell(36.0, 28.0)
    };
    let after = guess(&run.models[STEPS]);
    let (rows, letters) = after.shape();
    let figure = HeatMaps::new(
        "What follows, before and after training",
        &format!(
            "Two maps of {rows} × {letters} probabilities for the word stop: \
             rows are the letters fed in, columns the letters that may come. \
             Before training they are spread without order. Afterwards each \
             row has its highest by far at the right letter: p, o, t, s, end."
        ),
    )
    .panel(panel(&guess(&run.models[0]), "before"))
    .next_row()
    .panel(panel(&after, "after 240 steps"));
    plot::save("optimizer-after", &figure.draw());
    println!("\n== Sure of p");
    println!("p, first row = {:.2}", after[(0, 3)]);
}

fn three_curves(warm: &Run, at_once: &Run, descent: &Run) {
    let curve = |run: &Run| {
        let steps = (10..=STEPS).step_by(5);
        steps.map(|s| (s as f64, loss_at(run, s))).collect::<Vec<_>>()
    };
    let figure = Chart::new(
        "A model learns",
        &format!(
            "The loss over {STEPS} steps. All three curves fall from {:.2} or \
             more. Gradient descent is at {:.1} in the end. Adam comes down \
             to the floor at {:.2}, with and without warm-up.",
            [warm, at_once, descent]
                .map(|run| loss_at(run, 10))
                .into_iter()
                .fold(f64::MAX, f64::min),
            loss_at(descent, STEPS),
            floor()
        ),
    )
    .size(450.0, 290.0)
    .x("step")
    .y("loss in nats, mean of ten steps")
    .line("gradient descent", curve(descent))
    .line("Adam at once", curve(at_once))
    .line("Adam, warm-up", curve(warm))
    .guide_y(7f64.ln(), "ln 7")
    .guide_y(floor(), "floor");
    plot::save("optimizer-learns", &figure.draw());
    println!("\n== After 240 steps");
    for (name, run) in
        [("descent", descent), ("at once", at_once), ("warm-up", warm)]
    {
        println!("{name}, loss = {:.2}", loss_at(run, STEPS));
        println!("{name}, right = {}", right(&run.models[STEPS]));
    }
}

/// How far two models are apart: the root of the mean square over all
/// weights.
fn distance(one: &Model, other: &Model) -> f64 {
    let mut apart = one.clone();
    descend(&mut apart, other, 1.0);
    let leaves = apart.leaves().into_iter();
    let squares: f64 = leaves.map(|(_, leaf)| leaf.norm_squared()).sum();
    (squares / parameter_count(one) as f64).sqrt()
}

/// How far the weights go in one step, in units of the rate.
fn stride(run: &Run, step: usize, rate: f64) -> f64 {
    distance(&run.models[step], &run.models[step - 1]) / rate
}

/// At the higher rates two runs that differ in the last digit of one weight
/// end apart. So the page gets words and not numbers.
fn in_words(run: &Run) -> &'static str {
    match right(&run.models[STEPS]) {
        50.. => "most",
        10.. => "some",
        _ => "hardly any",
    }
}

fn without_warmup(warm: &Run, at_once: &Run) {
    println!("\n== Strides");
    for step in [1, 2, 10, 100] {
        let stride = stride(warm, step, learning_rate(0.01, step, WARMUP));
        println!("step {step} = {stride:.2}");
    }
    let [warm_37, at_once_37, warm_10] = in_parallel([
        || adam(|step| learning_rate(0.037, step, WARMUP)),
        || adam(|step| learning_rate(0.037, step.max(WARMUP), WARMUP)),
        || adam(|step| learning_rate(0.1, step, WARMUP)),
    ]);
    println!("\n== Backwards after 240 steps");
    println!("peak   without warm-up   with");
    let both = [("0.01", at_once, warm), ("0.037", &at_once_37, &warm_37)];
    for (peak, at_once, warm) in both {
        println!("{peak:6} {:17} {}", in_words(at_once), in_words(warm));
    }
    // It has learned next to nothing, but is no worse than guessing.
    assert!((1.5..7f64.ln()).contains(&loss_at(&warm_10, STEPS)));
    println!("\n== Ten times the rate");
    println!("0.1 with warm-up, right = {}", in_words(&warm_10));
}

/// How many times too long a step is without the correction, where the
/// gradient stays the same.
fn excess(beta: f64, step: i32) -> f64 {
    (1.0 - 0.9f64.powi(step)) / (1.0 - beta.powi(step)).sqrt()
}

fn without_correction(warm: &Run) {
    let curve = |beta| {
        (1..=240).map(move |step| (f64::from(step), excess(beta, step)))
    };
    let largest =
        |beta| curve(beta).map(|(_, excess)| excess).fold(0.0, f64::max);
    println!("\n== Without the correction");
    println!("largest, 0.98 = {:.1}", largest(0.98));
    println!("largest, 0.999 = {:.1}", largest(0.999));
    let (short, long, hundred) = (0.98, 0.999, 100);
    let figure = Chart::new(
        "Too long by this factor",
        &format!(
            "How long the steps are without bias correction, in units of the \
             rate, where the gradient stays the same. With a β₂ of {short} at \
             most {:.1}, and {:.2} after {hundred} steps. With {long} it rises \
             to {:.1} and is still at {:.1} after {STEPS}.",
            largest(short),
            excess(short, hundred),
            largest(long),
            excess(long, STEPS as i32)
        ),
    )
    .size(450.0, 290.0)
    .x("step")
    .y("length of the step, in rates")
    .line("β₂ = 0.999", curve(long))
    .line("β₂ = 0.98", curve(short))
    .guide_y(1.0, "corrected");
    plot::save("optimizer-correction", &figure.draw());
    let [uncorrected, corrected] =
        in_parallel([|| longer_memory(1_000_000), || longer_memory(0)]);
    println!("0.999, uncorrected, right = {}", in_words(&uncorrected));
    println!("0.999, right = {}", right(&corrected.models[STEPS]));
    println!("0.98, right = {}", right(&warm.models[STEPS]));
}

/// β₂ = 0.999. An Adam that believes to have taken a million steps before
/// corrects nothing.
fn longer_memory(steps: usize) -> Run {
    let betas = (0.9, 0.999);
    let mut adam = Adam { betas, steps, ..Adam::new(&newborn()) };
    train(STEPS, lesson, |step, model, slope| {
        adam.step(model, slope, learning_rate(0.01, step, WARMUP))
    })
}

/// The whole of what should be said, end included.
fn answers(words: &Words) -> Words {
    let words = reversed(words).into_iter();
    words.map(|word| [&word[..], &[END]].concat()).collect()
}

/// The answers fed in where they should be said.
fn copied_answers() {
    let steps = 60;
    let mut adam = Adam::new(&newborn());
    let unshifted = |model: &Model<Variable<f64>>, words: &Words| {
        let answers = answers(words);
        let scores = model.forward(words, &answers);
        scores.cross_entropy(&answers.concat(), 0.1)
    };
    let run = train(steps, unshifted, |step, model, slope| {
        adam.step(model, slope, learning_rate(0.01, step, WARMUP))
    });
    let model = &run.models[steps];
    let words = held_out();
    let hits = words.iter().zip(answers(&words)).map(|(word, answer)| {
        let said = next(model, word, &answer);
        said.iter().zip(&answer).filter(|(said, true_)| said == true_).count()
    });
    println!("\n== Unshifted");
    println!("loss after 60 steps = {:.2}", loss_at(&run, steps));
    println!("letters right = {} %", 100 * hits.sum::<usize>() / 500);
    println!("words right = {}", right(model));
    let said = model.greedy(&ids("stop"), END, END);
    println!("letters said to stop = {}", said.len());
}

/// One batch in four pieces, whose gradients are added and not divided.
fn in_pieces() {
    let words = batch(&mut ChaCha8Rng::seed_from_u64(3));
    let model = newborn();
    let slope = |words: &[Vec<Token>]| {
        gradient(&model, |model| lesson(model, &words.to_vec())).1
    };
    let whole = slope(&words);
    let nothing = whole.map("", &mut |_, leaf: &Matrix| leaf * 0.0);
    let mut sum = nothing.clone();
    for piece in words.chunks(3) {
        add_into(&mut sum, &slope(piece));
    }
    let once = |slope: &Model| {
        let mut model = model.clone();
        Adam::new(&model).step(&mut model, slope, 0.01);
        model
    };
    println!("\n== Four pieces");
    let times = distance(&sum, &nothing) / distance(&whole, &nothing);
    println!("sum over mean = {times:.2}");
    let apart = distance(&once(&sum), &once(&whole));
    assert!(apart < 1e-6);
    println!("steps of Adam apart = less than 10⁻⁶");
    let peak = paper_peak_lr(512, 4000);
    println!("update 1000 = {:.2e}", learning_rate(peak, 1000, 4000));
    println!(
        "update 1000, pieces counted = {:.2e}",
        learning_rate(peak, 4000, 4000)
    );
}
