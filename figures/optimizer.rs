//! The figures of the chapter on the optimizer.

#[path = "../code/examples/optimizer.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::optimizer::{learning_rate, paper_peak_lr};
use example::{
    EACH, METHODS, Point, RATES, Race, STEPS, by_descent, floor, three_paths,
};
use plot::{Chart, Diagram, Hue, Side};
use print::median;
use std::f64::consts::TAU;

pub fn draw() {
    ways();
    rates();
    schedule();
    race();
}

/// The hue of gradient descent, of momentum and of Adam.
const HUES: [Hue; 3] = [Hue::DESCENT, Hue::MOMENTUM, Hue::ADAM];

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
    figure.note(on_map((right, 0.0)), Side::Right, "*x*");
    figure.note(on_map((left, 1.2)), Side::Left, "*y*");
    figure
}

/// As far as the map goes.
fn draw_path(figure: &mut Diagram, path: &[(Point, f64)], hue: Hue) {
    let points = path.iter().map(|(point, _)| *point);
    let on = points.take_while(|(_, y)| y.abs() < 1.8).map(on_map);
    figure.arrow(&Vec::from_iter(on), hue);
}

/// Three ways down.
fn ways() {
    let paths = three_paths(1.0);
    let mut figure = valley(
        "Three ways down",
        &format!(
            "The valley from above with three paths of {} steps from the \
             right. Gradient descent zigzags and stops short of the bottom, \
             with a loss of {:.2}. Momentum zigzags twice and arrives, with \
             {:.2}. Adam sets out diagonally, swings across the valley, back \
             and across again, and ends near the bottom, with {:.2}.",
            paths[0].len() - 1,
            paths[0][20].1,
            paths[1][20].1,
            paths[2][20].1
        ),
    );
    let names = [("gradient descent", 2.6), ("momentum", 11.8), ("Adam", 18.6)];
    for ((path, hue), (name, at)) in paths.iter().zip(HUES).zip(names) {
        draw_path(&mut figure, path, hue);
        figure.line(&[(at - 1.2, 0.5), (at - 0.3, 0.5)], hue);
        figure.note((at - 0.1, 0.5), Side::Right, name);
    }
    plot::save("optimizer-ways", &figure.draw());
}

/// One valley, six learning rates.
fn rates() {
    let frame = |lr: f64| {
        let path = by_descent(lr, 1.0);
        let steps = path.len() - 1;
        let loss = path[steps].1;
        let mut figure = valley(
            &format!("{steps} steps, learning rate {lr}"),
            &format!(
                "A valley five times as long as wide, seen from above. The \
                 path starts at the right, the bottom is at the left. After \
                 {steps} steps the loss is {loss:.2}, from {:.1}.",
                path[0].1
            ),
        );
        draw_path(&mut figure, &path, Hue::DESCENT);
        let heading = format!("learning rate {lr}: loss {loss:.2}");
        figure.note((12.0, 0.5), Side::On, &heading);
        figure.draw()
    };
    plot::save_frames("optimizer-rates", &RATES.map(frame));
}

/// The widths and warm-ups whose schedules are drawn.
const SCHEDULES: [(usize, usize, Hue); 3] = [
    (512, 4000, Hue::OURS),
    (512, 8000, Hue::RIVAL),
    (256, 4000, Hue::SECOND_RIVAL),
];

/// The learning rate of equation 3, for three pairs of settings.
fn schedule() {
    let peaks = SCHEDULES.map(|(d_model, warmup, _)| {
        let peak = paper_peak_lr(d_model, warmup);
        format!("{peak:.5} at step {warmup} for d_model = {d_model}")
    });
    let mut figure = Chart::new(
        "The learning rate of equation 3",
        &format!(
            "Three curves that rise in a straight line and then fall, at \
             first steeply, then slowly. Their peaks are: {}.",
            peaks.join("; ")
        ),
    )
    .size(500.0, 300.0)
    .x("step")
    .y("learning rate, in ten-thousandths");
    for (d_model, warmup, hue) in SCHEDULES {
        let peak = paper_peak_lr(d_model, warmup);
        let points = (0..=300).map(|i| {
            let step = 1 + 100 * i;
            (step as f64, 1e4 * learning_rate(peak, step, warmup))
        });
        figure = figure.line_in(hue, &format!("({d_model}, {warmup})"), points);
    }
    plot::save("optimizer-schedule", &figure.draw());
}

/// The loss from step to step, each method with its best learning rate.
fn race() {
    let race = Race::logged();
    let [drawn @ .., _] = METHODS;
    let curves = drawn.map(|method| {
        let runs = race.runs(method);
        let after = |look: usize| {
            let losses = runs.iter().map(|one| one.losses[look]);
            median(&losses.collect::<Vec<_>>())
        };
        let looks = 0..STEPS / EACH;
        let points = looks.map(|i| (((i + 1) * EACH) as f64, after(i)));
        (method.name, points.collect::<Vec<_>>())
    });
    let half = STEPS / EACH / 2 - 1;
    let halfway = curves.each_ref().map(|(name, points)| {
        format!("{name} {:.2}", points[half].1)
    });
    let mut figure = Chart::new(
        "Four methods, step by step",
        &format!(
            "The loss over {STEPS} steps, one line per method. All begin above \
             guessing. After half of the steps they are at: {}.",
            halfway.join(", ")
        ),
    )
    .size(500.0, 300.0)
    .x("step")
    .y("loss")
    .y_range(0.0..2.5);
    let hues = [Hue::DESCENT, Hue::MOMENTUM, Hue::ADAM, Hue::OURS];
    for ((name, points), hue) in curves.into_iter().zip(hues) {
        figure = figure.line_in(hue, name, points);
    }
    let figure =
        figure.guide_y(7f64.ln(), "guessing").guide_y(floor(), "floor");
    plot::save("optimizer-race", &figure.draw());
}
