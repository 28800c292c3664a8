//! The figures of the chapter on generic functions.

#[path = "../code/examples/generic.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{computed, counted, in_words, list, of_prices};
use plot::{Diagram, Hue, Side};

pub fn draw() {
    uses();
    circle();
}

/// What `attend` does with each kind of tensor.
fn uses() {
    let (size, work) = in_words(counted());
    let (answer, slopes) =
        (format!("{:.2}", computed()), list(&of_prices()));
    let description = format!(
        "One box, attend of q, k, v and mask, above three others. Given \
         matrices it returns {answer}. Given shapes it returns the size \
         {size}, and the bill has {work}. Given variables it returns \
         {answer}, and the tape has what leads back to the prices: {slopes}."
    );
    let mut figure =
        Diagram::new("One formula, three uses", &description, 32.0, 12.6).across(16.0);
    let name = "attend(q, k, v, mask)";
    let formula = figure.block((16.0, 1.4), (11.0, 1.9), name, Hue::Rule);
    let work = work.replace(", ", "\n");
    for (x, kind, verb, result) in [
        (5.4, "Matrix", "computes", answer.clone()),
        (16.0, "Shape", "counts", format!("{size}\n{work}")),
        (26.6, "Variable", "remembers", format!("{answer}\nslope for each price\n{slopes}")),
    ] {
        let text = format!("{kind}\n{verb}");
        let block = figure.block((x, 6.0), (7.4, 2.6), &text, Hue::Rule);
        figure.arrow(&[formula.bottom(), block.top()], Hue::Ink);
        let (x, y) = block.bottom();
        figure.arrow(&[block.bottom(), (x, y + 1.6)], Hue::Ink);
        figure.note((x, y + 1.7), Side::Below, &result);
    }
    plot::save("generic-uses", &figure.draw());
}

/// What training does over and over, with the chapters that explain it.
fn circle() {
    let mut figure = Diagram::new(
        "The circle of training",
        "Four boxes in a circle. From the model, logits go to the loss. From \
         the loss, a single number goes to the tape. From the tape, a slope \
         for each parameter goes to the optimizer. From the optimizer, a \
         change of each parameter goes back to the model. At each box is its \
         chapter: parameters, the loss, gradients, the optimizer. In the \
         middle is the chapter on training.",
        33.0,
        11.4,
    )
    .across(15.4);
    let mut corner = |at, name| figure.block(at, (7.4, 2.0), name, Hue::Rule);
    let model = corner((4.0, 2.6), "model");
    let loss = corner((29.0, 2.6), "loss");
    let tape = corner((29.0, 8.8), "tape");
    let optimizer = corner((4.0, 8.8), "optimizer");
    for (block, away, chapter, page) in [
        (model, -0.9, "Parameters", "parameters.html"),
        (loss, -0.9, "The loss", "loss.html"),
        (tape, 0.9, "Gradients", "gradient.html"),
        (optimizer, 0.9, "The optimizer", "optimizer.html"),
    ] {
        let (x, y) = if away < 0.0 { block.top() } else { block.bottom() };
        figure.link((x, y + away), Side::On, chapter, page);
    }
    for (from, to, side, what) in [
        (model.right(), loss.left(), Side::Above, "logits"),
        (loss.bottom(), tape.top(), Side::Left, "one number"),
        (tape.left(), optimizer.right(), Side::Below, "a slope for each parameter"),
        (optimizer.top(), model.bottom(), Side::Right, "a change of each"),
    ] {
        figure.arrow(&[from, to], Hue::Ink);
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        figure.note(middle, side, what);
    }
    figure.link((16.5, 5.7), Side::On, "Training", "training.html");
    plot::save("generic-circle", &figure.draw());
}
