//! The figures of the chapter on the loss.

#[path = "../code/examples/loss.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{GUESS, confident, cross_entropy, squared};
use nalgebra::dmatrix;
use plot::Chart;

pub fn draw() {
    surprise();
    confidence();
    measures();
}

/// The surprise of a word against its probability.
fn surprise() {
    let curve = (1..=200).map(|p| f64::from(p) / 200.0);
    let [sure, likely, unlikely] = [1.0, GUESS[3], GUESS[4]]
        .map(|p: f64| format!("{:.2} at {p}", p.ln().abs()));
    let description = format!(
        "The surprise in nats against the probability that the word had. It \
         is {sure}, {likely} and {unlikely}, and rises without end towards \
         probability zero."
    );
    let chart = Chart::new("The surprise of a word", &description)
        .size(450.0, 270.0)
        .x("probability *p*")
        .y("nats, −ln *p*")
        .line("", curve.map(|p| (p, -p.ln())))
        .dots("", GUESS.map(|p| (p, -p.ln())));
    plot::save("loss-surprise", &chart.draw());
}

/// The loss against the probability of the right token.
fn confidence() {
    let (best, sure) = (0.92, 0.999);
    let curve = |smoothing: f64| {
        let p = (40..1000).map(|p| f64::from(p) / 1000.0);
        p.map(move |p| (p, confident(p, smoothing)))
    };
    let description = format!(
        "The loss against the probability of the right one of five tokens. \
         Without smoothing it falls all the way to zero. With smoothing it is \
         lowest at {best}, where it is {:.2}, and turns up steeply, to {:.2} at \
         {sure}.",
        confident(best, 0.1),
        confident(sure, 0.1)
    );
    let chart = Chart::new("Too sure", &description)
        .size(450.0, 270.0)
        .x("probability of the right token")
        .y("loss, in nats")
        .y_range(0.0..2.0)
        .guide_x(best, &best.to_string())
        .line("hard", curve(0.0))
        .line("smoothed", curve(0.1));
    plot::save("loss-confidence", &chart.draw());
}

/// Three measures while the logit of *gut* rises past that of a wrong token.
fn measures() {
    let points = |f: &dyn Fn(f64) -> f64| {
        let x = (-120..=80).map(|x| f64::from(x) / 20.0);
        x.map(|x| (x, f(x))).collect::<Vec<_>>()
    };
    let description = format!(
        "While the logit of gut rises, the surprise falls all the way, \
         steepest where the guess is worst. The squared errors are flat \
         there, near its highest value of {:.2}. Wrong or right is one, then \
         zero.",
        squared(-6.0)
    );
    let surprise = |x: f64| cross_entropy(&dmatrix![x, 0.0], &[0], 0.0);
    let wrong = |x: f64| f64::from(x <= 0.0);
    let chart = Chart::new("Three measures of one guess", &description)
        .size(450.0, 270.0)
        .x("logit of *gut*; that of the wrong token is 0")
        .line("surprise", points(&surprise))
        .line("squared errors", points(&squared))
        .line("wrong or right", points(&wrong));
    plot::save("loss-measures", &chart.draw());
}
