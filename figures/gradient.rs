//! The figures of the chapter on gradients.

#[path = "../code/examples/gradient.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tensor::Matrix;
use example::{GUESS, Numbers, RIDES, factors, loss_of_one, squared_error};
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Side};

pub fn draw() {
    slope();
    let mut tape = Numbers::default();
    let at = (tape.record(GUESS.0, &[]), tape.record(GUESS.1, &[]));
    let loss = squared_error(&mut tape, RIDES[1], at);
    let gradients = tape.gradients(loss);
    chain(&tape, &gradients);
    fork();
    let [a, b, _] = factors();
    product(&a, &b);
}

/// With the minus sign of printed texts.
fn signed(x: f64) -> String {
    format!("{x:.1}").trim_end_matches(".0").replace('-', "−")
}

/// The loss of one ride for many w, and how steep it is at two of them.
fn slope() {
    let (km, price) = RIDES[1];
    let curve = (0..=70).map(|i| 3.0 + f64::from(i) / 50.0);
    let curve = curve.map(|w| (w, loss_of_one(w)));
    let tangent = |at: f64, reach: f64| {
        let slope = 2.0 * km * (at * km + GUESS.1 - price);
        let line = [at - reach, at + reach];
        let line = line.map(|w| (w, loss_of_one(at) + slope * (w - at)));
        (slope, line)
    };
    let (guess, low) = (GUESS.0, 3.4);
    let (right, left) = (tangent(guess, 0.16), tangent(low, 0.16));
    let figure = Chart::new(
        "The loss of one ride",
        &format!(
            "A curve like a bowl over w. At {guess} it rises with a slope of \
             {}, at {low} its slope is {}. Between them it touches zero.",
            signed(right.0),
            signed(left.0)
        ),
    )
    .size(460.0, 290.0)
    .x("*w*, the price of a kilometre")
    .y("loss")
    .line("loss", curve)
    .line(&format!("slope {}", signed(right.0)), right.1)
    .line(&format!("slope {}", signed(left.0)), left.1);
    plot::save("gradient-slope", &figure.draw());
}

/// From w over the fare to the loss, and back.
fn chain(tape: &Numbers, gradients: &[f64]) {
    let chain =
        [(0, "*w*"), (4, "distance"), (5, "fare"), (6, "error"), (7, "loss")];
    let list = |numbers: &[f64]| {
        let numbers = chain.map(|(place, _)| signed(numbers[place]));
        numbers.join(", ")
    };
    let mut figure = Diagram::new(
        "Forward for the values, back for the derivatives",
        &format!(
            "Five boxes in a row, from w to the loss. Arrows to the right \
             carry the values {}. Arrows back to the left multiply by the \
             slope of each step; the derivatives of the loss are, from left \
             to right, {}.",
            list(&tape.values),
            list(gradients)
        ),
        33.2,
        8.4,
    )
    .across(15.4);
    let (km, price) = RIDES[1];
    let steps = [
        format!("× {km}"),
        format!("+ {}", GUESS.1),
        format!("− {price}"),
        "squared".to_string(),
    ];
    let mut left: Option<plot::Block> = None;
    for (i, (place, name)) in chain.into_iter().enumerate() {
        let x = 3.0 + 6.8 * i as f64;
        let text = format!("{name}\n{}", signed(tape.values[place]));
        let block = figure.block((x, 2.6), (4.8, 2.4), &text, Hue::Rule);
        let derivative =
            format!("∂loss/∂{name}\n{}", signed(gradients[place]));
        figure.note((x, 6.6), Side::On, &derivative);
        if let Some(left) = left {
            figure.arrow(&[left.right(), block.left()], Hue::Ink);
            figure.note((x - 3.4, 1.6), Side::Above, &steps[i - 1]);
            figure.arrow(&[(x - 1.2, 5.2), (x - 5.6, 5.2)], Hue::HERE);
            // The error is both inputs of its square.
            let slope = gradients[chain[i - 1].0] / gradients[place];
            let slope = format!("× {}", signed(slope));
            figure.note((x - 3.4, 5.2), Side::Above, &slope);
        }
        left = Some(block);
    }
    plot::save("gradient-chain", &figure.draw());
}

/// The two ways from w to the loss, and the derivatives that come back.
fn fork() {
    let mut tape = Numbers::default();
    let (w, b) = (tape.record(GUESS.0, &[]), tape.record(GUESS.1, &[]));
    let squares = RIDES.map(|ride| squared_error(&mut tape, ride, (w, b)));
    let loss = tape.add(squares[0], squares[1]);
    let gradients = tape.gradients(loss);
    let by_w = [0, 1].map(|i| RIDES[i].0 * gradients[squares[i] - 2]);
    let sum = by_w[0] + by_w[1];
    let mut figure = Diagram::new(
        "One number, two ways",
        &format!(
            "From w two arms lead through the fares and errors of the two rides \
             to the loss. Back along the upper arm {} comes to w, along the \
             lower arm {}, together {}.",
            signed(by_w[0]),
            signed(by_w[1]),
            signed(sum)
        ),
        35.0,
        13.0,
    )
    .across(14.6);
    let value = |place: usize| signed(tape.values[place]);
    let w_text = format!("*w*\n{}", value(w));
    let start = figure.block((3.0, 6.0), (4.4, 4.0), &w_text, Hue::Rule);
    let loss_text = format!("loss\n{}", value(loss));
    let end = figure.block((31.6, 6.0), (4.4, 4.0), &loss_text, Hue::Rule);
    for (i, (km, _)) in RIDES.into_iter().enumerate() {
        let side = [-1.0, 1.0][i];
        let (y, error) = (6.0 + 3.8 * side, squares[i] - 1);
        let fare = error - 1;
        let mut block = |x: f64, text: String| {
            figure.block((x, y), (4.6, 2.4), &text, Hue::Rule)
        };
        let fare_block = block(13.2, format!("fare\n{}", value(fare)));
        let error_block = block(22.0, format!("error\n{}", value(error)));
        let steps = [
            (
                start.right(),
                fare_block.left(),
                format!("× {km}, + {}", GUESS.1),
                by_w[i],
            ),
            (
                fare_block.right(),
                error_block.left(),
                format!("− {}", RIDES[i].1),
                gradients[fare],
            ),
            (
                error_block.right(),
                end.left(),
                "squared".to_string(),
                gradients[error],
            ),
        ];
        for (from, to, step, derivative) in steps {
            let (outside, inside) = (0.35 * side, -0.35 * side);
            let moved = |(x, y): (f64, f64), by: f64| (x, y + by);
            // The arms leave the blocks of w and the loss above and below.
            let spread = |(x, y): (f64, f64)| {
                if y == 6.0 { (x, y + 1.2 * side) } else { (x, y) }
            };
            let (from, to) = (spread(from), spread(to));
            figure
                .arrow(&[moved(from, outside), moved(to, outside)], Hue::Ink);
            figure.arrow(
                &[moved(to, inside), moved(from, inside)],
                Hue::HERE,
            );
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            let (out, back) = if side < 0.0 {
                (Side::Above, Side::Below)
            } else {
                (Side::Below, Side::Above)
            };
            // Where an arm leaves or enters at a slant, its text moves off it.
            let slant = (to.1 - from.1) * 0.4 * side;
            let beside = (middle.0 - slant, middle.1 + outside);
            figure.note(beside, out, &step);
            figure.note(moved(middle, inside), back, &signed(derivative));
        }
    }
    let sum = format!(
        "∂loss/∂*w* = {} + {} = {}",
        signed(by_w[0]),
        signed(by_w[1]),
        signed(sum)
    );
    figure.note((0.2, 12.0), Side::Right, &sum);
    plot::save("gradient-fork", &figure.draw());
}

/// Where the product changes if one cell of a factor grows by 1.
fn product(a: &Matrix, b: &Matrix) {
    let (mut left, mut right) = (Matrix::zeros(2, 2), Matrix::zeros(2, 2));
    (left[(0, 0)], right[(0, 1)]) = (1.0, 1.0);
    let panel = |m: &Matrix, title: &str| {
        Panel::new(m).title(title).numbers(0).cell(40.0, 30.0).full(5.0)
    };
    let figure = HeatMaps::new(
        "What one cell moves",
        "Above, the cell in the upper left of A grows: the upper row of the \
         product changes by the upper row of B. Below, the cell in the upper \
         right of B grows: the right column of the product changes by the \
         left column of A.",
    )
    .panel(panel(&left, "change of *A*"))
    .sign("·")
    .panel(panel(b, "*B*"))
    .sign("=")
    .panel(panel(&(&left * b), "change of *AB*"))
    .next_row()
    .panel(panel(a, "*A*"))
    .sign("·")
    .panel(panel(&right, "change of *B*"))
    .sign("=")
    .panel(panel(&(a * &right), "change of *AB*"));
    plot::save("gradient-product", &figure.draw());
}

