//! Steps, and a model that learns: `cargo run --example optimizer`

use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::loss::{CrossEntropy, smoothed};
use all_you_need::optimizer::{Adam, descend, learning_rate};
use all_you_need::parameters::{
    Parameters, add_into, gradient, parameter_count, zip,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use print::{section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use std::ops::Range;

fn main() {
    by_hand();
    too_fast();
    stochastic();
    three_steps();
    three_hills();
    gradient_sizes();
    two_steps();
    same_as_the_crates();
    a_saddle();
    decayed();
    let tuned = METHODS.map(tune);
    rates_in_numbers(&tuned);
    let best = tuned.each_ref().map(Tuned::best_lr);
    let runs = race(&best);
    let [.., shown] = &runs[..] else { panic!("no run") };
    strides(shown, best[METHODS.len() - 1]);
    division_alone();
    patient(best[0]);
    rising();
    without_correction();
    in_pieces();
}

/// A place, to the right and up.
pub type Point = (f64, f64);

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

pub fn by_descent(lr: f64, hill: f64) -> Vec<(Point, f64)> {
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
    section("By hand");
    println!("step     x       y    ∂loss/∂x  ∂loss/∂y    loss");
    let path = by_descent(0.06, 1.0);
    for (step, ((x, y), loss)) in path.into_iter().take(5).enumerate() {
        let steep = 25.0 * y;
        println!("{step:4} {x:6.2} {y:7.3} {x:10.2} {steep:9.2} {loss:8.2}");
    }
}

/// Three steps of momentum from the start, with all its numbers.
fn three_steps() {
    section("Three steps of momentum");
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
}

/// The places of twenty steps down the valley, by descent, by momentum and by
/// Adam.
pub fn three_paths(hill: f64) -> [Vec<(Point, f64)>; 3] {
    [by_descent(0.075, hill), by_momentum(0.15, hill), by_adam(0.5, hill)]
}

fn three_hills() {
    section("Three hills");
    let row = |(name, hill): (&str, f64)| {
        let [descent, momentum, adam] =
            three_paths(hill).map(|path| match path[20].1 / path[0].1 {
                part if part > 1.0 => "more".to_string(),
                part => format!("{part:.4}"),
            });
        [name.to_string(), descent, momentum, adam]
    };
    let hills = [("as it is", 1.0), ("× 100", 100.0), ("÷ 100", 0.01)];
    table(["", "gradient descent", "momentum", "Adam"], hills.map(row));
}

/// The learning rates of the frames.
pub const RATES: [f64; 6] = [0.01, 0.04, 0.06, 0.075, 0.079, 0.081];

fn too_fast() {
    section("Just too fast");
    let long = walk(40, 1.0, |place, g| descend(place, g, 0.081));
    for step in [0, 10, 20, 30, 40] {
        let ((x, y), loss) = long[step];
        println!("{step:4} {x:6.2} {y:7.3} {loss:6.2}");
    }
    section("Rates");
    value("loss at the start", format!("{:.1}", long[0].1));
}

/// A step of Adam, the t-th from 1, for the parameters w.
fn adam_by_hand(
    w: &mut [f64],
    g: &[f64],
    [m, v]: &mut [[f64; 2]; 2],
    t: i32,
    lr: f64,
) {
    for i in 0..w.len() {
        m[i] = 0.9 * m[i] + 0.1 * g[i];
        v[i] = 0.98 * v[i] + 0.02 * g[i] * g[i];
        let m_hat = m[i] / (1.0 - 0.9_f64.powi(t));
        let v_hat = v[i] / (1.0 - 0.98_f64.powi(t));
        w[i] -= lr * m_hat / (v_hat.sqrt() + 1e-9);
    }
}

/// Twenty steps of it, and of the crate's.
fn same_as_the_crates() {
    let (mut w, mut moments) = ([8.0, 1.0], [[0.0; 2]; 2]);
    for t in 1..=20 {
        let g = [w[0], 25.0 * w[1]];
        adam_by_hand(&mut w, &g, &mut moments, t, 0.5);
    }
    let ((x, y), _) = by_adam(0.5, 1.0)[20];
    assert!((w[0] - x).abs() < 1e-12 && (w[1] - y).abs() < 1e-12);
}

/// How many steps lead from the saddle of x²/2 − y²/2 + y⁴/4, when they begin
/// at (1, y), to one of its valleys at y = ±1; `None` if a thousand do not.
fn from_saddle(
    y: f64,
    mut step: impl FnMut(&mut Place<Matrix>, &Place<Matrix>),
) -> Option<usize> {
    let mut place = Place { table: dmatrix![1.0, y] };
    (1..=1000).find(|_| {
        let (x, y) = (place.table[0], place.table[1]);
        let gradient = Place { table: dmatrix![x, y * y * y - y] };
        step(&mut place, &gradient);
        place.table[1].abs() > 0.9
    })
}

fn a_saddle() {
    section("From a saddle");
    let row = |y: f64| {
        let descent = from_saddle(y, |place, g| descend(place, g, 0.1));
        let mut adam = Adam::new(&start());
        let adams = from_saddle(y, |place, g| adam.step(place, g, 0.1));
        let steps = |found: Option<usize>| {
            found.map_or("never".to_string(), |steps| steps.to_string())
        };
        [y.to_string(), steps(descent), steps(adams)]
    };
    table(["y", "descent", "Adam"], [0.0, 0.000001, 0.001, 0.1].map(row));
}

/// AdamW and the older way, for parameters of 2 whose gradients are always
/// of this size and cancel: how much is left after 200 steps.
fn decayed() {
    section("What decay leaves");
    let row = |size: f64| {
        let [mut apart, mut within] =
            [2.0, 2.0].map(|x| Place { table: dmatrix![x] });
        let [mut one, mut other] = [&apart, &within].map(Adam::new);
        for step in 0..200 {
            let g = if step % 2 == 0 { size } else { -size };
            apart.table *= 1.0 - 0.01 * 0.5;
            one.step(&mut apart, &Place { table: dmatrix![g] }, 0.01);
            let g = g + 0.5 * within.table[0];
            other.step(&mut within, &Place { table: dmatrix![g] }, 0.01);
        }
        let left =
            [apart, within].map(|place| format!("{:.2}", place.table[0]));
        let [apart, within] = left;
        [size.to_string(), apart, within]
    };
    table(
        ["gradients of", "decay apart", "in the gradient"],
        [10.0, 0.1].map(row),
    );
}

/// Two steps of Adam from the start, with all its numbers.
fn two_steps() {
    let (mut place, lr) = (start(), 0.5);
    let mut adam = Adam::new(&place);
    section("Two steps of Adam");
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

const END: Token = 6;
pub const STEPS: usize = 240;
const WARMUP: usize = 40;

type Model<T = Matrix> = Transformer<T>;
type Words = Vec<Vec<Token>>;

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
pub struct Method {
    pub name: &'static str,
    update: fn(&Model, f64) -> Update,
    pub lrs: [f64; 4],
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

pub const METHODS: [Method; 4] = [SGD, MOMENTUM, ADAM, WARM_UP];

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
pub struct Tuned {
    pub method: Method,
    pub losses: [f64; 4],
}

impl Tuned {
    /// The learning rate with the lowest loss.
    pub fn best_lr(&self) -> f64 {
        let tried = self.method.lrs.into_iter().zip(self.losses);
        let best = tried.min_by(|a, b| a.1.total_cmp(&b.1));
        best.expect("a learning rate").0
    }
}

pub fn tune(method: Method) -> Tuned {
    let losses = method.lrs.map(|lr| {
        let mut losses = of_seeds(TO_TUNE, |seed| {
            let loss = loss_at(&train_by(method, lr, seed), STEPS);
            if loss.is_finite() { loss } else { f64::INFINITY }
        });
        median(&mut losses)
    });
    Tuned { method, losses }
}

fn rates_in_numbers(tuned: &[Tuned]) {
    let [.., warm_up] = tuned else { panic!("no method") };
    section("Too large a learning rate");
    value("best with warm-up", warm_up.best_lr());
    value("loss at 0.1", format!("{:.2}", warm_up.losses[3]));
    value("ln 7", format!("{:.2}", 7f64.ln()));
}

/// Ten seeds of every method, each with its best learning rate. Returns the
/// runs of the first.
fn race(best: &[f64]) -> Vec<Run> {
    section("Four methods");
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
    section("Medians of the race");
    println!("steps = {STEPS}");
    value("floor", format!("{:.2}", floor()));
    for (name, right, worst) in medians {
        println!("{name}, right = {right}");
        println!("{name}, worst = {worst}");
    }
    firsts
}

/// Adam without the mean of the gradients: only the division is left.
const DIVISION: Method = Method {
    name: "division alone",
    update: |model, lr| {
        let mut adam = Adam::new(model);
        adam.betas.0 = 0.0;
        Box::new(move |_, model, gradients| adam.step(model, gradients, lr))
    },
    lrs: ADAM.lrs,
};

fn division_alone() {
    let lr = tune(DIVISION).best_lr();
    let mut losses = of_seeds(TO_REPORT, |seed| {
        loss_at(&train_by(DIVISION, lr, seed), STEPS)
    });
    section("Division alone");
    value("division, median", format!("{:.2}", median(&mut losses)));
    value("division, lowest", format!("{:.2}", losses[0]));
    value("division, highest", format!("{:.2}", losses[9]));
}

/// Are the runs of gradient descent stuck? They get more steps.
fn patient(lr: f64) {
    let steps = [STEPS, 500, 1000];
    let runs = of_seeds(TO_REPORT, |seed| {
        let model = newborn(1, seed);
        let update = (SGD.update)(&model, lr);
        let run = train(model, steps[2], seed, lesson, update);
        steps.map(|step| loss_at(&run, step))
    });
    section("More steps of SGD");
    let row = |i: usize| {
        let mut losses: Vec<f64> = runs.iter().map(|run| run[i]).collect();
        let middle = median(&mut losses);
        let numbers = [losses[0], middle, losses[9]];
        let [best, middle, worst] = numbers.map(|loss| format!("{loss:.2}"));
        [steps[i].to_string(), best, middle, worst]
    };
    table(["steps", "best", "median", "worst"], [0, 1, 2].map(row));
}

/// A model of two layers, whose learning rate rises or does not.
fn rising() {
    section("With and without warm-up");
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
    section("Best and worst of the four");
    for (lr, name, best, worst) in highest {
        println!("{lr}, {name}, best = {best:.2}");
        println!("{lr}, {name}, worst = {worst:.2}");
    }
}

/// Gradient descent, with the gradients of small batches.
fn stochastic() {
    section("Gradients of batches");
    let (model, rng) = (newborn(1, 1), &mut ChaCha8Rng::seed_from_u64(2));
    let of = |words: &Words| gradient(&model, |model| lesson(model, words)).1;
    let all: Words =
        (0..1296).filter(|n| !is_held_out(*n)).map(word).collect();
    let exact = of(&all);
    let nothing = zeros(&exact);
    println!("words   off by");
    for count in [1, 3, 12, 48] {
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
    value("words to learn from", all.len());
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
    section("Two steps or two hundred");
    value("untrained", format!("{:.2}", loss(&newborn(1, 1))));
    value("exact steps", format!("{:.2}", exact));
    println!("small steps = {steps}");
    value("with small steps", format!("{:.2}", small));
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
    section("The first gradient");
    value("parameters", parameter_count(&model));
    let mut sizes = Vec::new();
    for (name, leaf) in gradients.leaves() {
        let size = leaf.norm() / (leaf.len() as f64).sqrt();
        sizes.push((size, name));
    }
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (largest, smallest) = (&sizes[sizes.len() - 1], &sizes[0]);
    value("largest", &largest.1);
    value("smallest", &smallest.1);
    value("times as large", format!("{:.0}", largest.0 / smallest.0));
}

/// The mean loss of ten steps, the last of them `step`.
fn loss_at(run: &Run, step: usize) -> f64 {
    run.losses[step.saturating_sub(10)..step.max(1)].iter().sum::<f64>()
        / step.clamp(1, 10) as f64
}

/// The least that a smoothed target can cost.
pub fn floor() -> f64 {
    let best = smoothed::<f64>(&[0], 7, 0.1).map(f64::ln);
    best.cross_entropy(&[0], 0.1)[0]
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
    section("Strides");
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
    let largest =
        |beta| (1..=240).map(|step| excess(beta, step)).fold(0.0, f64::max);
    section("Without the correction");
    value("largest, 0.98", format!("{:.1}", largest(0.98)));
    value("largest, 0.999", format!("{:.1}", largest(0.999)));
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
    section("Four pieces");
    let times = distance(&sum, &nothing) / distance(&whole, &nothing);
    println!("sum over mean = {times:.2}");
    let apart = distance(&once(&sum), &once(&whole));
    assert!(apart < 1e-6);
    println!("steps of Adam apart = less than 10⁻⁶");
}
