//! Steps, and a model that learns: `cargo run --example optimizer`

#[path = "optimizer/descent.rs"]
mod descent;
#[path = "optimizer/methods.rs"]
mod methods;
#[path = "optimizer/race.rs"]
mod race;
#[path = "optimizer/reverser.rs"]
mod reverser;
#[path = "optimizer/valley.rs"]
mod valley;

use all_you_need::optimizer::{Adam, descend};
use all_you_need::parameters::{
    Parameters, add_into, gradient, parameter_count,
};
use all_you_need::tensor::Matrix;
pub use methods::{METHODS, STEPS};
use nalgebra::dmatrix;
use print::{Fixed, section, table, value};
pub use race::{EACH, Race};
use rand::{SeedableRng, rngs::ChaCha8Rng};
pub use reverser::floor;
use reverser::{Model, batch, distance, lesson, newborn, zeros};
use std::iter::zip;
use valley::{Place, by_adam, by_momentum, from_saddle, height, start, walk};
pub use valley::{Point, RATES, by_descent, three_paths};

fn main() {
    by_hand();
    too_fast();
    descent::stochastic();
    three_steps();
    three_hills();
    gradient_sizes();
    two_steps();
    same_as_the_crates();
    a_saddle();
    decayed();
    race::race();
    race::rising();
    without_correction();
    in_pieces();
}

fn by_hand() {
    section("By hand");
    println!("step     x       y    ∂loss/∂x  ∂loss/∂y    loss");
    let path = by_descent(0.06, 1.0);
    for (step, ((x, y), loss)) in path.into_iter().take(5).enumerate() {
        let steep = 25.0 * y;
        let row = format!(
            "{step:4} {x:6.2} {y:7.3} {x:10.2} {steep:9.2} {loss:8.2}"
        );
        println!("{}", row.replace('-', "−"));
    }
}

fn too_fast() {
    let long = walk(40, 1.0, |place, g| descend(place, g, 0.081));
    section("Just too fast");
    value("loss at the start", long[0].1.fixed(1));
    value("after ten", long[10].1.fixed(1));
    value("after forty", long[40].1.fixed(1));
}

/// Three steps of momentum from the start, with all its numbers.
fn three_steps() {
    section("Three steps of momentum");
    println!("step     w       g       m    new w");
    let path = by_momentum(0.15, 1.0);
    let mut m = [0.0; 2];
    for (t, (old, new)) in zip(&path, &path[1..]).take(3).enumerate() {
        let ((x, y), (new_x, new_y)) = (old.0, new.0);
        let both = [("x", x, x, new_x), ("y", y, 25.0 * y, new_y)];
        for (m, (name, w, g, new)) in m.iter_mut().zip(both) {
            *m = 0.5 * *m + 0.5 * g;
            let row = format!(
                "{}  {name} {w:6.2} {g:7.2} {m:7.2} {new:8.3}",
                t + 1
            );
            println!("{}", row.replace('-', "−"));
        }
    }
}

fn three_hills() {
    section("Three hills");
    let row = |(name, hill): (&'static str, f64)| {
        let left = three_paths(hill).map(|path| path[20].1 / path[0].1);
        let left = left.map(|part| match part {
            1.0.. => "more".to_string(),
            part => part.fixed(4),
        });
        (name, left)
    };
    let hills = [("as it is", 1.0), ("× 100", 100.0), ("÷ 100", 0.01)];
    table(["", "gradient descent", "momentum", "Adam"], hills.map(row));
}

/// The size of a gradient, leaf by leaf: the root of the mean square.
fn gradient_sizes() {
    let words = batch(&mut ChaCha8Rng::seed_from_u64(2));
    let model = newborn(1, 1);
    let (_, gradients) = gradient(&model, |model| lesson(model, &words));
    let leaves = gradients.leaves().into_iter();
    let size = |(name, leaf): (String, &Matrix)| {
        (leaf.norm() / (leaf.len() as f64).sqrt(), name)
    };
    let mut sizes: Vec<_> = leaves.map(size).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (largest, smallest) = (&sizes[sizes.len() - 1], &sizes[0]);
    section("The first gradient");
    value("parameters", parameter_count(&model));
    value("largest", &largest.1);
    value("smallest", &smallest.1);
    value("times as large", (largest.0 / smallest.0).fixed(0));
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
        for (i, name) in ["x", "y"].into_iter().enumerate() {
            let [w, g, m, v, new] =
                [&before, &gradients, &adam.mean, &adam.square, &place]
                    .map(|leaf| leaf.table[i]);
            let m_hat = m / (1.0 - adam.betas.0.powi(t));
            let v_hat = v / (1.0 - adam.betas.1.powi(t));
            println!(
                "{t}  {name} {w:5.2} {g:7.2} {m:7.2} {v:7.2} {m_hat:7.2} \
                 {v_hat:7.1} {:7.3} {new:9.3}",
                m_hat / v_hat.sqrt(),
            );
        }
    }
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
        (y, [descent, adams].map(steps))
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
        (size, [apart, within].map(|place| place.table[0].fixed(2)))
    };
    let names = ["gradients of", "decay apart", "in the gradient"];
    table(names, [10.0, 0.1].map(row));
}

/// How many times too long a step is without the correction, where the
/// gradient stays the same: at most.
fn without_correction() {
    section("Without the correction");
    for beta in [0.98, 0.999f64] {
        let excess = |step: i32| {
            (1.0 - 0.9f64.powi(step)) / (1.0 - beta.powi(step)).sqrt()
        };
        let largest = (1..=240).map(excess).fold(0.0, f64::max);
        value(format!("largest, {beta}"), largest.fixed(1));
    }
}

/// One batch in four pieces, whose gradients are added and not divided.
fn in_pieces() {
    let words = batch(&mut ChaCha8Rng::seed_from_u64(3));
    let model = newborn(1, 1);
    let gradient_of = |words: &[Vec<u32>]| {
        gradient(&model, |model| lesson(model, &words.to_vec())).1
    };
    let whole = gradient_of(&words);
    let mut sum = zeros(&whole);
    for piece in words.chunks(3) {
        add_into(&mut sum, &gradient_of(piece));
    }
    let once = |gradients: &Model| {
        let mut model = model.clone();
        Adam::new(&model).step(&mut model, gradients, 0.01);
        model
    };
    section("Four pieces");
    let apart = distance(&once(&sum), &once(&whole));
    assert!(apart < 1e-6);
    value("steps of Adam apart", "less than 10⁻⁶");
}
