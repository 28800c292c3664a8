//! Steps, and a model that learns: `cargo run --example optimizer`

use all_you_need::attention::{Mask, Softmax};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::loss::{CrossEntropy, smoothed};
use all_you_need::optimizer::{Adam, descend, learning_rate, paper_peak_lr};
use all_you_need::parameters::{
    Parameters, add_into, gradient, parameter_count, zip,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, characters};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Point, Side};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::ops::Range;

fn main() {
    by_hand();
    learning_rates();
    stochastic();
    three_steps();
    three_ways();
    gradient_sizes();
    two_steps();
    schedule();
    let tuned = METHODS.map(tune);
    draw_tuning(&tuned);
    let best = tuned.each_ref().map(Tuned::best_lr);
    let runs = race(&best);
    draw_race(&runs);
    let [.., shown] = &runs[..] else { panic!("no run") };
    watch(shown);
    before_and_after(shown);
    strides(shown, best[METHODS.len() - 1]);
    rising();
    without_correction();
    copied_answers();
    in_pieces();
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
        let (height, gradients) =
            gradient(&place, |place| height(place, hill));
        path.push(((place.table[0], place.table[1]), height));
        step(&mut place, &gradients);
    }
    path
}

fn by_descent(lr: f64, hill: f64) -> Vec<(Point, f64)> {
    walk(20, hill, |place, gradients| descend(place, gradients, lr))
}

/// Half of the last step's mean gradient, and half of the new gradient.
fn by_momentum(lr: f64, hill: f64) -> Vec<(Point, f64)> {
    let mut mean = Matrix::zeros(1, 2);
    walk(20, hill, |place, gradients| {
        mean = (&mean + &gradients.table) * 0.5;
        place.table -= &mean * lr;
    })
}

fn by_adam(lr: f64, hill: f64) -> Vec<(Point, f64)> {
    let mut adam = Adam::new(&start());
    walk(20, hill, |place, gradients| adam.step(place, gradients, lr))
}

fn by_hand() {
    println!("== By hand");
    println!("step     x       y    ∂loss/∂x  ∂loss/∂y    loss");
    let path = by_descent(0.06, 1.0);
    for (step, ((x, y), loss)) in path.into_iter().take(5).enumerate() {
        let steep = 25.0 * y;
        println!("{step:4} {x:6.2} {y:7.3} {x:10.2} {steep:9.2} {loss:8.2}");
    }
    println!("\nloss at the start = {:.1}", by_descent(0.06, 1.0)[0].1);
}

/// One valley, six learning rates.
fn learning_rates() {
    println!("\n== Twenty steps");
    println!("learning rate   loss");
    let frame = |lr: f64| {
        let path = by_descent(lr, 1.0);
        let steps = path.len() - 1;
        let loss = path[steps].1;
        println!("{lr:<13.3} {loss:6.2}");
        let mut figure = valley(
            &format!("{steps} steps, learning rate {lr}"),
            &format!(
                "A valley five times as long as wide, seen from above. The \
                 path starts at the right, the bottom is at the left. After \
                 {steps} steps the loss is {loss:.2}, from {:.1}.",
                path[0].1
            ),
        );
        draw_path(&mut figure, &path, Hue::Blue);
        let heading = format!("learning rate {lr}: loss {loss:.2}");
        figure.note((12.0, 0.5), Side::On, &heading);
        figure.draw()
    };
    let lrs = [0.01, 0.04, 0.06, 0.075, 0.079, 0.081];
    plot::save_frames("optimizer-rates", &lrs.map(frame));
}

/// The valley on the grid of a diagram.
fn on_map((x, y): Point) -> Point {
    (4.6 + 2.1 * x, 5.4 - 2.1 * y)
}

/// Lines of equal loss, seen from above, with the start and the bottom.
fn valley(title: &str, description: &str) -> Diagram {
    let mut figure = Diagram::new(title, description, 24.0, 10.0);
    let (left, right, low, high) = (-1.7, 8.9, -1.8, 1.8);
    for long in [1.0, 2.0, 4.0, 6.0, 8.0] {
        // From the far left around, so that what is cut off is one piece.
        let turns = (0..=120).map(|t| TAU * f64::from(t) / 120.0);
        let around = turns.map(|t| (-long * t.cos(), long * t.sin() / 5.0));
        let seen = around.filter(|(x, _)| *x > left).map(on_map);
        figure.line(&Vec::from_iter(seen), Hue::Rule);
    }
    let corners = [(left, low), (right, low), (right, high), (left, high)];
    let border = corners.iter().chain(&corners[..1]).copied().map(on_map);
    figure.line(&Vec::from_iter(border), Hue::Rule);
    figure.note(on_map((0.0, 0.0)), Side::On, "×");
    let above = [(0.0, 0.2), (0.0, 1.2)].map(on_map);
    figure.line(&above, Hue::Rule);
    figure.note(on_map((0.0, 1.4)), Side::On, "bottom");
    figure.note(on_map((8.0, 1.0)), Side::Above, "start");
    figure.note(on_map((right, 0.0)), Side::Right, "x");
    figure.note(on_map((left, 1.2)), Side::Left, "y");
    figure
}

/// As far as the map goes.
fn draw_path(figure: &mut Diagram, path: &[(Point, f64)], hue: Hue) {
    let points = path.iter().map(|(point, _)| *point);
    let on = points.take_while(|(_, y)| y.abs() < 1.8).map(on_map);
    figure.arrow(&Vec::from_iter(on), hue);
}

/// Three steps of momentum from the start, with all its numbers.
fn three_steps() {
    println!("\n== Three steps of momentum");
    println!("step     w       g       m    new w");
    let path = by_momentum(0.15, 1.0);
    let (mut m, mut of_y) = ([0.0; 2], Vec::new());
    for (t, step) in path.windows(2).take(3).enumerate() {
        let [((x, y), _), ((new_x, new_y), _)] = step else { panic!() };
        let of_both = [(*x, *x, *new_x), (*y, 25.0 * y, *new_y)];
        for (i, (w, g, new)) in of_both.into_iter().enumerate() {
            m[i] = 0.5 * m[i] + 0.5 * g;
            let name = ["x", "y"][i];
            println!(
                "{}  {name} {w:6.2} {g:7.2} {:7.2} {new:8.3}",
                t + 1,
                m[i]
            );
        }
        of_y.push((of_both[1].1, m[1]));
    }
    println!("\n== The third step");
    println!("second m of y = {:.2}", of_y[1].1);
    println!("third gradient of y = {:.2}", of_y[2].0);
}

fn three_ways() {
    let paths = [
        (by_descent(0.075, 1.0), Hue::Blue, "gradient descent", 2.6),
        (by_momentum(0.15, 1.0), Hue::Green, "momentum", 11.8),
        (by_adam(0.5, 1.0), Hue::Orange, "Adam", 18.6),
    ];
    let mut figure = valley(
        "Three ways down",
        &format!(
            "The valley from above with three paths of {} steps from the \
             right. Gradient descent zigzags and stops short of the bottom. \
             Momentum zigzags twice and arrives. Adam sets out aslant, swings \
             once across the valley and ends near the bottom.",
            paths[0].0.len() - 1
        ),
    );
    println!("\n== Three hills");
    println!("loss left      gradient descent  momentum    Adam");
    for (name, hill) in [("as it is", 1.0), ("× 100", 100.0), ("÷ 100", 0.01)]
    {
        let ways = [
            by_descent(0.075, hill),
            by_momentum(0.15, hill),
            by_adam(0.5, hill),
        ];
        let left = ways.map(|path| path[20].1 / path[0].1);
        let [descent, momentum, adam] = left.map(|part| match part {
            part if part > 1.0 => "more".to_string(),
            part => format!("{part:.4}"),
        });
        println!("{name:8} {descent:>22} {momentum:>9} {adam:>7}");
    }
    for (path, hue, name, at) in paths {
        draw_path(&mut figure, &path, hue);
        figure.line(&[(at - 1.2, 0.5), (at - 0.3, 0.5)], hue);
        figure.note((at - 0.1, 0.5), Side::Right, name);
    }
    plot::save("optimizer-ways", &figure.draw());
}

/// Two steps of Adam from the start, with all its numbers.
fn two_steps() {
    let (mut place, lr) = (start(), 0.5);
    let mut adam = Adam::new(&place);
    println!("\n== Two steps of Adam");
    println!(
        "step     w       g       m       v       m̂       v̂    m̂/√v̂     new w"
    );
    for t in 1..=2 {
        let (_, gradients) = gradient(&place, |place| height(place, 1.0));
        let before = place.clone();
        adam.step(&mut place, &gradients, lr);
        for i in 0..2 {
            let name = ["x", "y"][i];
            let (g, m, v) = (
                gradients.table[i],
                adam.mean.table[i],
                adam.square.table[i],
            );
            let m_hat = m / (1.0 - adam.betas.0.powi(t));
            let v_hat = v / (1.0 - adam.betas.1.powi(t));
            println!(
                "{t}  {name} {:5.2} {g:7.2} {m:7.2} {v:7.2} {m_hat:7.2} \
                 {v_hat:7.1} {:7.3} {:9.3}",
                before.table[i],
                m_hat / v_hat.sqrt(),
                place.table[i]
            );
        }
    }
}

fn schedule() {
    let (warmup, half) = (4000, 16_000);
    let peak = paper_peak_lr(512, warmup);
    println!("\n== The learning rate of the paper");
    println!("  step    learning rate");
    for step in [1, 1000, warmup, half, 100_000] {
        println!("{step:6} {:16.2e}", learning_rate(peak, step, warmup));
    }
    let points = (0..=400).map(|i| {
        let step = 1 + 100 * i;
        (step as f64, 1e4 * learning_rate(peak, step, warmup))
    });
    assert_eq!(2.0 * learning_rate(peak, half, warmup), peak);
    let figure = Chart::new(
        "The learning rate of equation 3",
        &format!(
            "The learning rate rises in a straight line to {peak:.5} at step \
             {warmup}, and falls from there, at first steeply, then slowly; \
             at step {half} it has come down to half."
        ),
    )
    .size(450.0, 290.0)
    .x("step")
    .y("learning rate, in ten-thousandths")
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

fn newborn(layers: usize, seed: u64) -> Model {
    let config = Config {
        vocabulary: 7,
        layers,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 8,
        d_v: 8,
    };
    Model::new(&config, &mut ChaCha8Rng::seed_from_u64(seed))
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

/// Changes a model, by its gradient, in the step with this number.
type Update = Box<dyn FnMut(usize, &mut Model, &Model)>;

/// Step by step: twelve words, a loss, a gradient, a better model.
fn train(
    model: Model,
    steps: usize,
    seed: u64,
    loss: fn(&Model<Variable<f64>>, &Words) -> Variable<f64>,
    mut update: Update,
) -> Run {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed + 1);
    let mut run = Run { losses: Vec::new(), models: vec![model] };
    for step in 1..=steps {
        let words = batch(rng);
        let mut model = run.models[step - 1].clone();
        let (loss, gradients) = gradient(&model, |model| loss(model, &words));
        update(step, &mut model, &gradients);
        run.losses.push(loss);
        run.models.push(model);
    }
    run
}

/// A way to change the parameters, to be run with several learning rates.
#[derive(Clone, Copy)]
struct Method {
    name: &'static str,
    update: fn(&Model, f64) -> Update,
    lrs: [f64; 4],
}

const SGD: Method = Method {
    name: "SGD",
    update: |_, lr| Box::new(move |_, model, g| descend(model, g, lr)),
    lrs: [0.05, 0.2, 0.5, 1.0],
};

const MOMENTUM: Method = Method {
    name: "momentum",
    update: |model, lr| {
        let mut mean = zeros(model);
        Box::new(move |_, model, gradients| {
            for (m, g) in zip(&mut mean, gradients) {
                *m = &*m * 0.9 + g * 0.1;
            }
            descend(model, &mean, lr);
        })
    },
    lrs: [0.05, 0.2, 0.5, 1.0],
};

const ADAM: Method = Method {
    name: "Adam",
    update: |model, lr| adam(model, move |_| lr),
    lrs: [0.002, 0.005, 0.02, 0.05],
};

const WARM_UP: Method = Method {
    name: "Adam, warm-up",
    update: |model, lr| {
        adam(model, move |step| learning_rate(lr, step, WARMUP))
    },
    lrs: [0.005, 0.02, 0.05, 0.1],
};

const METHODS: [Method; 4] = [SGD, MOMENTUM, ADAM, WARM_UP];

/// Zeros in the form of a model.
fn zeros(model: &Model) -> Model {
    model.map("", &mut |_, leaf: &Matrix| leaf * 0.0)
}

/// Steps of Adam with a learning rate for each step.
fn adam(model: &Model, lr: impl Fn(usize) -> f64 + 'static) -> Update {
    let mut adam = Adam::new(model);
    Box::new(move |step, model, gradients| {
        adam.step(model, gradients, lr(step));
    })
}

/// The learning rate with warm-up, but that of the end of the warm-up until
/// there.
fn falling(model: &Model, lr: f64) -> Update {
    adam(model, move |step| learning_rate(lr, step.max(WARMUP), WARMUP))
}

fn train_by(method: Method, lr: f64, seed: u64) -> Run {
    let model = newborn(1, seed);
    let update = (method.update)(&model, lr);
    train(model, STEPS, seed, lesson, update)
}

/// The results of many seeds, in order.
fn of_seeds<T: Send>(
    seeds: Range<u64>,
    run: impl Fn(u64) -> T + Send + Sync,
) -> Vec<T> {
    seeds.into_par_iter().map(run).collect()
}

/// Puts the numbers in order.
fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() % 2 {
        0 => (numbers[middle - 1] + numbers[middle]) / 2.0,
        _ => numbers[middle],
    }
}

/// The seeds that learning rates are chosen with, and those that results are
/// reported for.
const TO_TUNE: Range<u64> = 11..14;
const TO_REPORT: Range<u64> = 1..11;

/// For each learning rate of a method the median loss in the end.
struct Tuned {
    method: Method,
    losses: [f64; 4],
}

impl Tuned {
    /// The learning rate with the lowest loss.
    fn best_lr(&self) -> f64 {
        let tried = self.method.lrs.into_iter().zip(self.losses);
        let best = tried.min_by(|a, b| a.1.total_cmp(&b.1));
        best.expect("a learning rate").0
    }
}

fn tune(method: Method) -> Tuned {
    let losses = method.lrs.map(|lr| {
        let mut losses = of_seeds(TO_TUNE, |seed| {
            let loss = loss_at(&train_by(method, lr, seed), STEPS);
            if loss.is_finite() { loss } else { f64::INFINITY }
        });
        median(&mut losses)
    });
    Tuned { method, losses }
}

/// The loss in the end by the learning rate, and what too large a rate does.
fn draw_tuning(tuned: &[Tuned]) {
    let best: Vec<_> = tuned
        .iter()
        .map(|t| format!("{} at {}", t.method.name, t.best_lr()))
        .collect();
    let mut figure = Chart::new(
        "Every method has its own learning rate",
        &format!(
            "The loss after {STEPS} steps as a function of the learning rate, \
             one line per method. Each line falls and rises again. The lowest \
             points: {}.",
            best.join(", ")
        ),
    )
    .size(470.0, 300.0)
    .x("learning rate")
    .y("loss in the end")
    .y_range(0.0..2.5)
    .log_x();
    for Tuned { method, losses } in tuned {
        figure =
            figure.line(method.name, method.lrs.into_iter().zip(*losses));
    }
    let figure =
        figure.guide_y(7f64.ln(), "guessing").guide_y(floor(), "floor");
    plot::save("optimizer-tuned", &figure.draw());
    let [.., warm_up] = tuned else { panic!("no method") };
    println!("\n== Too large a learning rate");
    println!("best with warm-up = {}", warm_up.best_lr());
    println!("loss at 0.1 = {:.2}", warm_up.losses[3]);
    println!("ln 7 = {:.2}", 7f64.ln());
}

/// Ten seeds of every method, each with its best learning rate. Returns the
/// runs of the first.
fn race(best: &[f64]) -> Vec<Run> {
    println!("\n== Four methods");
    println!(
        "                                 loss              right of 100"
    );
    println!(
        "method         learning rate   median  from–to   median  from–to"
    );
    let (mut firsts, mut medians) = (Vec::new(), Vec::new());
    for (method, &lr) in METHODS.into_iter().zip(best) {
        let runs = of_seeds(TO_REPORT, |seed| {
            let run = train_by(method, lr, seed);
            let end = (loss_at(&run, STEPS), right(&run.models[STEPS]));
            (end, (seed == 1).then_some(run))
        });
        let (ends, runs): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        firsts.extend(runs.into_iter().flatten());
        let (mut losses, words): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        let mut words: Vec<_> = words.into_iter().map(|n| n as f64).collect();
        let (loss, right) = (median(&mut losses), median(&mut words));
        let range = |all: &[f64], digits| {
            format!("{:.digits$}–{:.digits$}", all[0], all[all.len() - 1])
        };
        println!(
            "{:14} {lr:13} {loss:8.2} {:>10} {right:6} {:>8}",
            method.name,
            range(&losses, 2),
            range(&words, 0)
        );
        medians.push((method.name, right, words[0]));
    }
    println!("\n== Medians of the race");
    println!("steps = {STEPS}");
    println!("floor = {:.2}", floor());
    for (name, right, worst) in medians {
        println!("{name}, right = {right}");
        println!("{name}, worst = {worst}");
    }
    firsts
}

/// A model of two layers, whose learning rate rises or does not.
fn rising() {
    println!("\n== With and without warm-up");
    println!("highest rate                loss of four runs");
    let mut highest = Vec::new();
    for lr in [0.01, 0.02] {
        for (name, update) in [
            ("no warm-up", falling as fn(&Model, f64) -> Update),
            ("warm-up", WARM_UP.update),
        ] {
            let losses = of_seeds(1..5, |seed| {
                let model = newborn(2, seed);
                let update = update(&model, lr);
                loss_at(&train(model, STEPS, seed, lesson, update), STEPS)
            });
            let worst = losses.iter().copied().fold(0.0, f64::max);
            let best = losses.iter().copied().fold(worst, f64::min);
            let losses = losses.iter().map(|loss| format!("{loss:6.2}"));
            println!("{lr:12}   {name:10} {}", losses.collect::<String>());
            highest.push((lr, name, best, worst));
        }
    }
    println!("\n== Best and worst of the four");
    for (lr, name, best, worst) in highest {
        println!("{lr}, {name}, best = {best:.2}");
        println!("{lr}, {name}, worst = {worst:.2}");
    }
}

/// Gradient descent, with the gradients of small batches.
fn stochastic() {
    println!("\n== Gradients of batches");
    let (model, rng) = (newborn(1, 1), &mut ChaCha8Rng::seed_from_u64(2));
    let of = |words: &Words| gradient(&model, |model| lesson(model, words)).1;
    let all: Words =
        (0..1296).filter(|n| !is_held_out(*n)).map(word).collect();
    let exact = of(&all);
    let nothing = zeros(&exact);
    println!("words   off by");
    for count in [1, 12, 100] {
        let off = (0..20).map(|_| {
            let words: Words = (0..count)
                .map(|_| all[rng.random_range(0..all.len())].clone())
                .collect();
            distance(&of(&words), &exact) / distance(&exact, &nothing)
        });
        println!(
            "{count:5} {:6.0} %",
            100.0 * median(&mut off.collect::<Vec<_>>())
        );
    }
    println!("\nwords to learn from = {}", all.len());
    two_or_two_hundred(&all);
}

/// The loss of the test words after two steps along the exact gradient, and
/// after as many small batches as have the same number of words together.
fn two_or_two_hundred(all: &Words) {
    let test = held_out();
    let loss = |model: &Model| model.loss(&test, &targets(&test), 0.1)[0];
    let best = |run: &(dyn Fn(f64) -> Model + Sync)| {
        let lrs = vec![0.05, 0.1, 0.2, 0.5, 1.0, 2.0];
        let losses = lrs.into_par_iter().map(|lr| loss(&run(lr)));
        losses.reduce(|| f64::INFINITY, f64::min)
    };
    let steps = 2 * all.len() / 12;
    let exact = best(&|lr| {
        let mut model = newborn(1, 1);
        for _ in 0..2 {
            let (_, g) = gradient(&model, |model| lesson(model, all));
            descend(&mut model, &g, lr);
        }
        model
    });
    let small = best(&|lr| {
        let (model, update) = (newborn(1, 1), SGD.update);
        let update = update(&model, lr);
        train(model, steps, 1, lesson, update).models.swap_remove(steps)
    });
    println!("\n== Two steps or two hundred");
    println!("untrained = {:.2}", loss(&newborn(1, 1)));
    println!("exact steps = {:.2}", exact);
    println!("small steps = {steps}");
    println!("with small steps = {:.2}", small);
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
    let model = newborn(1, 1);
    let (_, gradients) = gradient(&model, |model| lesson(model, &words));
    println!("\n== The first gradient");
    println!("parameters = {}", parameter_count(&model));
    let mut sizes = Vec::new();
    for (name, leaf) in gradients.leaves() {
        let size = leaf.norm() / (leaf.len() as f64).sqrt();
        sizes.push((size, name));
    }
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (largest, smallest) = (&sizes[sizes.len() - 1], &sizes[0]);
    println!("largest = {}", largest.1);
    println!("smallest = {}", smallest.1);
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
        let mut says = spelled(
            &model.greedy(&ids("stop"), END, END).expect("finite logits"),
        );
        if says.is_empty() {
            says = "(nothing)".to_string();
        }
        println!("{step:4} {loss:7.2} {:14}   {says}", right(model));
    }
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
             Before training most rows repeat what they have been fed. Afterwards each \
             row has its highest by far at the right letter: p, o, t, s, end."
        ),
    )
    .panel(panel(&guess(&run.models[0]), "before"))
    .next_row()
    .panel(panel(&after, &format!("after {STEPS} steps")));
    plot::save("optimizer-after", &figure.draw());
    println!("\n== Sure of p");
    println!("p, first row = {:.2}", after[(0, 3)]);
}

/// The loss of the methods with the same words in the same order.
fn draw_race(runs: &[Run]) {
    let curve = |run: &Run| {
        let steps = (10..=STEPS).step_by(5);
        steps.map(|s| (s as f64, loss_at(run, s))).collect::<Vec<_>>()
    };
    let ends = METHODS.iter().zip(runs).map(|(method, run)| {
        format!("{} at {:.2}", method.name, loss_at(run, STEPS))
    });
    let mut figure = Chart::new(
        "A model learns",
        &format!(
            "The loss over {STEPS} steps, one line per method. All fall. In \
             the end they are here: {}. The floor is {:.2}.",
            ends.collect::<Vec<_>>().join(", "),
            floor()
        ),
    )
    .size(470.0, 300.0)
    .x("step")
    .y("loss in nats, mean of ten steps");
    for (method, run) in METHODS.iter().zip(runs) {
        figure = figure.line(method.name, curve(run));
    }
    let figure =
        figure.guide_y(7f64.ln(), "guessing").guide_y(floor(), "floor");
    plot::save("optimizer-learns", &figure.draw());
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

/// How far the parameters go in one step, in units of its learning rate.
fn strides(run: &Run, peak_lr: f64) {
    println!("\n== Strides");
    for step in [1, 2, 10, 100] {
        let far = distance(&run.models[step], &run.models[step - 1]);
        let stride = far / learning_rate(peak_lr, step, WARMUP);
        println!("step {step} = {stride:.2}");
    }
}

/// How many times too long a step is without the correction, where the
/// gradient stays the same.
fn excess(beta: f64, step: i32) -> f64 {
    (1.0 - 0.9f64.powi(step)) / (1.0 - beta.powi(step)).sqrt()
}

fn without_correction() {
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
             learning rate, where the gradient stays the same. With a β₂ of {short} at \
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
    .y("step, in learning rates")
    .line("β₂ = 0.999", curve(long))
    .line("β₂ = 0.98", curve(short))
    .guide_y(1.0, "corrected");
    plot::save("optimizer-correction", &figure.draw());
}

/// All that should be said, end included.
fn answers(words: &Words) -> Words {
    let words = reversed(words).into_iter();
    words.map(|word| [&word[..], &[END]].concat()).collect()
}

/// The answers fed in where they should be said.
fn copied_answers() {
    let steps = 60;
    let unshifted = |model: &Model<Variable<f64>>, words: &Words| {
        let answers = answers(words);
        let scores = model.forward(words, &answers);
        scores.cross_entropy(&answers.concat(), 0.1)
    };
    let model = newborn(1, 1);
    let update = (WARM_UP.update)(&model, 0.01);
    let run = train(model, steps, 1, unshifted, update);
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
    let said = model.greedy(&ids("stop"), END, END).expect("finite logits");
    println!("letters said to stop = {}", said.len());
}

/// One batch in four pieces, whose gradients are added and not divided.
fn in_pieces() {
    let words = batch(&mut ChaCha8Rng::seed_from_u64(3));
    let model = newborn(1, 1);
    let gradient_of = |words: &[Vec<Token>]| {
        gradient(&model, |model| lesson(model, &words.to_vec())).1
    };
    let whole = gradient_of(&words);
    let nothing = zeros(&whole);
    let mut sum = nothing.clone();
    for piece in words.chunks(3) {
        add_into(&mut sum, &gradient_of(piece));
    }
    let once = |gradients: &Model| {
        let mut model = model.clone();
        Adam::new(&model).step(&mut model, gradients, 0.01);
        model
    };
    println!("\n== Four pieces");
    let times = distance(&sum, &nothing) / distance(&whole, &nothing);
    println!("sum over mean = {times:.2}");
    let apart = distance(&once(&sum), &once(&whole));
    assert!(apart < 1e-6);
    println!("steps of Adam apart = less than 10⁻⁶");
}
