//! The figures of the chapter on a model that learns.

#[path = "../code/examples/learning.rs"]
#[expect(dead_code, reason = "the figures need some of its functions")]
mod example;

use all_you_need::tensor::Matrix;
use example::{MOMENTS, Model, Run, learn, lessons, looks, write};
use plot::{Chart, Figure, HeatMaps, Hue, Panel};

pub fn draw() {
    let run = learn(&lessons());
    plot::save("learning-loss", &loss(&run));
    let moments = MOMENTS.into_iter().zip(&run.models);
    let head = most_on_the_letter(&looks(&run.models[MOMENTS.len() - 1]));
    let frames: Vec<Figure> = moments
        .map(|(step, model)| look(step, model, head))
        .collect();
    plot::save_frames("learning-looks", &frames);
}

/// The loss of every step.
fn loss(run: &Run) -> Figure {
    let losses = &run.losses;
    let last = losses.len();
    let late = &losses[last - 50..];
    let description = format!(
        "The loss begins at {:.1}, has halved after about {} steps, and in the \
         last {} it is {:.2} on average.",
        losses[0],
        losses.iter().position(|loss| *loss < losses[0] / 2.0).unwrap_or(last),
        late.len(),
        late.iter().sum::<f64>() / late.len() as f64,
    );
    let points = (1..).map(f64::from).zip(losses.iter().copied());
    Chart::new("The loss of each step", &description)
        .x("steps")
        .y("loss")
        .y_range(0.0..6.5)
        .size(500.0, 300.0)
        .guide_y(258f64.ln(), "any token")
        .guide_y(27f64.ln(), "any letter")
        .line_in(Hue::TRAINING, "loss", points)
        .draw()
}

/// In how many rows the largest weight is on the letter to be written.
fn hits(map: &Matrix<f32>) -> usize {
    let best = |i: &usize| map.row(*i).transpose().argmax().0;
    (0..6).filter(|i| best(i) == 5 - i).count()
}

/// The head that looks at the letter to be written most often.
fn most_on_the_letter(maps: &[Matrix<f32>]) -> usize {
    let heads = 0..maps.len();
    heads.max_by_key(|head| hits(&maps[*head])).expect("a head")
}

/// Where one head looks at a moment.
fn look(step: usize, model: &Model, head: usize) -> Figure {
    let map = &looks(model)[head];
    let description = format!(
        "A map of weights. In {} of six rows the largest is on the letter \
         that is to be written.",
        hits(map)
    );
    let title = format!("Where a head looks after {step} steps");
    let writes = match write(model, "planet").as_str() {
        "" => "(nothing)".to_string(),
        word => word.chars().take(12).collect(),
    };
    let heading = format!("after {step} steps: planet → {writes}");
    let panel = Panel::new(map)
        .title(&heading)
        .rows(&["t", "e", "n", "a", "l", "p", "end"])
        .columns(&["p", "l", "a", "n", "e", "t", "end"])
        .axes("to be written", "read")
        .hue(Hue::WEIGHTS)
        .full(1.0)
        .cell(36.0, 28.0);
    HeatMaps::new(&title, &description).panel(panel).draw()
}
