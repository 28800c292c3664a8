//! The figures of the chapter on positions.

use all_you_need::plain::positions;
use plot::{Chart, Diagram, Figure, HeatMaps, Hue, Panel, Side};
use std::f64::consts::TAU;

pub fn draw() {
    encoding();
    plot::save_frames("position-hands", &Vec::from_iter((1..=6).map(clocks)));
    distance();
}

/// Fifty positions as a heat map.
fn encoding() {
    let (n, d) = (50, 64);
    let mut names = vec![String::new(); n];
    for p in (0..n).step_by(10) {
        names[p] = p.to_string();
    }
    let panel = Panel::new(&positions(n, d)).rows(&names).cell(5.8, 5.2);
    let description = format!(
        "Rows are positions up to {}, columns the {d} numbers of each. At the \
         left positive and negative numbers change from row to row, further \
         right more slowly, and at the right not at all: stripes of zero and \
         of one.",
        n - 1
    );
    let title = format!("{n} positions of {d} numbers");
    let figure = HeatMaps::new(&title, &description)
        .panel(panel.axes("positions", "columns"));
    plot::save("position-encoding", &figure.draw());
}

/// The eight numbers of a position as four hands. Sine goes to the right and
/// cosine up, so that a hand starts at twelve and turns as clocks do.
fn clocks(position: usize) -> Figure {
    let rows = positions(position + 1, 8);
    let speeds = ["1", "1/10", "1/100", "1/1000"];
    let [_, slower @ ..] = speeds;
    let unit = if position == 1 { "radian" } else { "radians" };
    let description = format!(
        "Four clock faces. At position {position} the first hand has turned \
         {position} {unit}, the others {} of that.",
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
        let [sin, cos] = [0, 1].map(|j| rows[(position, 2 * i + j)]);
        figure.arrow(&[centre, at(1.9 * sin, 1.9 * cos)], Hue::HERE);
        figure.note((centre.0, 2.1), Side::On, &format!("{speed} rad"));
        let numbers = format!("sin {sin:.3}\ncos {cos:.3}");
        let numbers = numbers.replace('-', "−");
        figure.note((centre.0, 7.1), Side::Below, &numbers);
    }
    figure.draw()
}

/// Three positions and their dot products with all others.
fn distance() {
    let (n, d) = (200, 512);
    let pe = positions(n, d);
    let products = &pe * pe.transpose();
    let shown = [40, 100, 160];
    let [one, two, three] = shown;
    let description = format!(
        "Three lines over {n} positions: the dot products with position \
         {one}, with {two} and with {three}. Each is a narrow hill {:.0} high \
         over its own position, and the three hills are the same.",
        products[(one, one)]
    );
    let mut figure =
        Chart::new("Each position against all others", &description)
            .x("position q")
            .y("PE(p) · PE(q)")
            .size(450.0, 290.0)
            .y_range(0.0..260.0)
            .guide_y(products[(one, one)], "d/2");
    for p in shown {
        let hill = (0..n).map(|q| (q as f64, products[(p, q)]));
        figure = figure.line(&format!("p = {p}"), hill);
    }
    plot::save("position-distance", &figure.draw());
}
