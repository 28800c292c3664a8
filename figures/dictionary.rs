//! The figures of the chapter on look-ups.

#[path = "../code/examples/dictionary.rs"]
#[expect(dead_code, reason = "the figures need some of its functions")]
mod example;

use all_you_need::dictionary::softmax;
use example::{KEYS, VALUES, answer, fruit};
use plot::{Bars, Chart, Diagram, Figure, Hue, Side};

pub fn draw() {
    plot::save("dictionary-mixture", &mixture());
    plot::save("dictionary-step", &step());
    let temperatures = [0.05, 0.5, 1.0, 3.0, 100.0];
    let frames = temperatures.map(temperature);
    plot::save_frames("dictionary-temperature", &frames);
}

/// One query, three keys, their weights and values, and the answer.
fn mixture() -> Figure {
    let weights = softmax(&fruit());
    let gets = format!("{:.2}", answer(&fruit()));
    let parts: Vec<String> = (0..3)
        .map(|j| format!("{} {:.3} of {}", KEYS[j], weights[j], VALUES[j]))
        .collect();
    let description = format!(
        "The query fruit is compared with three keys. It takes from {}, and \
         the sum is {gets}.",
        parts.join(", "),
    );
    let mut figure = Diagram::new("A soft look-up", &description, 28.0, 9.6).across(18.0);
    let query =
        figure.block((2.4, 5.4), (4.0, 1.6), "fruit", Hue::QUERIES);
    let sum = figure.circle((21.6, 5.4), "+");
    for (at, text) in [
        (2.4, "query"),
        (9.2, "keys"),
        (13.8, "weights"),
        (17.8, "values"),
        (25.6, "answer"),
    ] {
        figure.note((at, 0.6), Side::On, text);
    }
    for (j, y) in [2.4, 5.4, 8.4].into_iter().enumerate() {
        let key = figure.block((9.2, y), (4.4, 1.6), KEYS[j], Hue::KEYS);
        let weight = format!("{:.3}", weights[j]);
        let weight =
            figure.block((13.8, y), (2.8, 1.6), &weight, Hue::WEIGHTS);
        let price = VALUES[j].to_string();
        let price =
            figure.block((17.8, y), (2.8, 1.6), &price, Hue::VALUES);
        figure.line(&[query.right(), key.left()], Hue::QUERIES);
        figure.line(&[key.right(), weight.left()], Hue::KEYS);
        figure.note((15.8, y), Side::On, "×");
        let (x, _) = sum.top();
        let way = match j {
            0 => vec![price.right(), (x, y), sum.top()],
            1 => vec![price.right(), sum.left()],
            _ => vec![price.right(), (x, y), sum.bottom()],
        };
        figure.arrow(&way, Hue::VALUES);
    }
    let answer = figure.block((25.6, 5.4), (3.4, 1.6), &gets, Hue::Ink);
    figure.arrow(&[sum.right(), answer.left()], Hue::Ink);
    figure.draw()
}

/// The answer while *banana* overtakes *apple*, hard and soft.
fn step() -> Figure {
    let at = |ahead: f64| (ahead, answer(&[0.0, ahead, -5.0]));
    let soft = (-60..=60).map(|tenth| at(f64::from(tenth) / 10.0));
    let [apple, banana, _] = VALUES;
    let hard = [(-6.0, apple), (0.0, apple), (0.0, banana), (6.0, banana)];
    let description = format!(
        "The hard answer is {apple} as long as apple's score is higher, and \
         drops to {banana} at once where banana's passes it. The soft answer \
         slides down from {apple} to {banana} without a jump."
    );
    Chart::new("The answer while banana overtakes apple", &description)
        .x("banana's score less apple's")
        .y("what fruit gets")
        .y_range(4.0..11.0)
        .size(450.0, 260.0)
        .line("soft", soft)
        .line("hard", hard)
        .draw()
}

/// The weights of the same three scores at a temperature.
fn temperature(t: f64) -> Figure {
    let scores = fruit().map(|score| score / t);
    let weights = softmax(&scores);
    let description = format!(
        "At temperature {t} apple has the weight {:.3}, banana {:.3} and \
         chair {:.3}.",
        weights[0], weights[1], weights[2]
    );
    let title = format!("Weights at T = {t}");
    let heading = format!("T = {t}:  fruit gets {:.2}", answer(&scores));
    let bars = Bars::new(&title, &description);
    let bars = bars.heading(&heading).full(1.0).decimals(3);
    let with = |bars: Bars, (key, weight): (&&str, &f64)| {
        bars.bar_in(Hue::WEIGHTS, key, *weight)
    };
    KEYS.iter().zip(&weights).fold(bars, with).draw()
}
