//! The figures of the chapter on classifying.

#[path = "../code/examples/classifier.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::classifier::Kind;
use all_you_need::tensor::Matrix;
use example::{Added, HEAD, Map, THREE, added, in_the_bag, place, positive};
use example::{ENOUGH, RUNS, curves, from, lowest, name};
use example::{map, mean_and_logits, rows_and_w};
use plot::{Chart, Figure, HeatMaps, Hue, Panel};

pub fn draw() {
    by_hand();
    learning();
    words();
    let frames =
        [("first", "0"), ("second", "1")].map(|(nth, log)| looks(nth, log));
    plot::save_frames("classifier-looks", &frames);
}

/// From the rows of three words to the logits of two classes.
fn by_hand() {
    let ([rows, w], [mean, logits]) = (rows_and_w(), mean_and_logits());
    let text = format!(
        "A row of two numbers for each of the words {}. Their mean is one \
         row, {:.0} and {:.0}. Times W it becomes the logits, {:.0} for bad and {:.0} \
         for good.",
        THREE.join(", "),
        mean[0],
        mean[1],
        logits[0],
        logits[1]
    );
    let panel = |matrix: &Matrix, title: &str| {
        Panel::new(matrix).title(title).numbers(0).full(3.0)
    };
    let classes = ["bad", "good"];
    let figure = HeatMaps::new("From three rows to two logits", &text)
        .panel(panel(&rows, "rows").rows(&THREE))
        .sign("→")
        .panel(panel(&mean, "mean"))
        .sign("×")
        .panel(panel(&w, "*W*").columns(&classes).cell(34.0, 26.0))
        .sign("=")
        .panel(panel(&logits, "logits").columns(&classes).cell(34.0, 26.0));
    plot::save("classifier-by-hand", &figure.draw());
}

/// What is learned when.
fn learning() {
    let curves = curves();
    let names = Kind::ALL.map(name);
    let ends = curves.iter().flat_map(|curve| curve.last());
    let end = ends.map(|at| at.1).fold(100.0, f64::min).floor();
    let told: Vec<_> = names
        .iter()
        .zip(&curves)
        .map(|(name, curve)| format!("{name} from update {}", from(curve)))
        .collect();
    let text = format!(
        "The share of validation reviews judged correctly, in percent, by the \
         number of updates, as the mean over {} seeds, with a line for each \
         kind. Negated reviews fall to {:.0} at first; all end at {end:.0} \
         percent. They stay above {ENOUGH} one after the other: {}.",
        RUNS.len(),
        lowest(&curves[1]),
        told.join(", ")
    );
    let mut chart = Chart::new("What is learned when", &text)
        .size(470.0, 300.0)
        .x("updates")
        .y("right, in percent");
    for (name, curve) in names.iter().zip(curves) {
        chart = chart.line(name, curve);
    }
    plot::save("classifier-learning", &chart.draw());
}

/// What each word adds to the verdict on two reviews of the same words.
fn words() {
    let both = ["0", "1"].map(added);
    let bag = both[0].adds.column(0);
    let (low, high) = (both[0].words[bag.imin()], both[0].words[bag.imax()]);
    let text = format!(
        "Two maps, one for each review, with a row for each word and two \
         columns, bag and encoder. In the bag, {low} has the lowest number of \
         the first review, {:.2}, and {high} the highest, {:.2}; in the \
         second they have {:.2} and {:.2}. In the encoder, {} of {} words are \
         positive in the first review, and {} in the second.",
        bag.min(),
        bag.max(),
        in_the_bag(&both[1], low),
        in_the_bag(&both[1], high),
        positive(&both[0]),
        both[0].words.len(),
        positive(&both[1]),
    );
    let mut figure = HeatMaps::new("What each word adds", &text);
    for (nth, Added { words, adds, .. }) in ["first", "second"].iter().zip(&both)
    {
        let panel = Panel::new(adds).title(&format!("{nth} review"));
        let panel = panel.rows(words).columns(&["bag", "encoder"]);
        figure = figure.panel(panel.numbers(2).full(1.0).cell(46.0, 20.0));
    }
    plot::save("classifier-words", &figure.draw());
}

/// The weights of a head in a review.
fn looks(nth: &str, log: &str) -> Figure {
    let words = added(log).words;
    let Map { weights, on_not, on_though } = map(log);
    let [not, though] = ["not", "though"].map(|word| place(&words, word) + 1);
    let [layer, head] = HEAD;
    let panel = Panel::new(&weights).rows(&words).columns(&words).full(1.0);
    let panel = panel.hue(Hue::WEIGHTS).axes("queries", "keys");
    HeatMaps::new(
        &format!("Layer {layer}, head {head}: the {nth} review"),
        &format!(
            "A map with a row for each query and a column for each key, the \
             words of: {}. Of all weight, the not of the first clause in \
             column {not} gets {on_not}, and though in column {though} and \
             the word after it get {on_though}.",
            words.join(" "),
        ),
    )
    .panel(panel.cell(20.0, 20.0))
    .draw()
}
