//! The figures of the chapter on training.

#[path = "../code/examples/training.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::runs::{FEW, PEAKS, Run, WAYS};
use plot::{Chart, Diagram, Hue, Side};

pub fn draw() {
    update();
    curves();
    sixty_words();
}

/// The boxes of an update: their centres and names.
const BOXES: [((f64, f64), &str); 5] = [
    ((3.0, 2.2), "batch"),
    ((13.0, 2.2), "model"),
    ((23.0, 2.2), "loss"),
    ((23.0, 7.4), "gradient"),
    ((13.0, 7.4), "Adam"),
];

/// The circle of an update.
fn update() {
    let mut figure = Diagram::new(
        "One update",
        "A circle of boxes. A batch goes into the model. Forward, the model \
         makes a loss of it. Backward, the loss makes a gradient. Adam turns \
         the gradient into a step, and the step changes the parameters of the \
         model.",
        27.0,
        9.6,
    )
    .across(18.5);
    let block = |(at, name)| figure.block(at, (5.0, 2.0), name, Hue::Rule);
    let [batch, model, loss, gradient, adam] = BOXES.map(block);
    for path in [
        [batch.right(), model.left()],
        [model.right(), loss.left()],
        [loss.bottom(), gradient.top()],
        [gradient.left(), adam.right()],
        [adam.top(), model.bottom()],
    ] {
        figure.arrow(&path, Hue::Ink);
    }
    figure.note((18.0, 2.0), Side::Above, "forward");
    figure.note((23.2, 4.8), Side::Right, "backward");
    figure.note((12.8, 4.8), Side::Left, "new parameters");
    plot::save("training-update", &figure.draw());
}

/// Good and bad curves of the loss in training.
fn curves() {
    let [slow, _, good, _, fast] =
        PEAKS.map(|peak| Run::logged(&peak.to_string()));
    let sorted = Run::logged("sorted");
    let end = |run: &Run| run.last().training;
    let evenly = 10_f64.ln();
    let described = format!(
        "Four curves over {} updates, above or below a line at {evenly:.2}, \
         which is even guessing. With a peak of {} the loss falls to {:.2}. \
         With {} it falls slowly and is {:.2} in the end, with {} it stays \
         at {:.2}. With sorted words it jumps up and down and ends at {:.2}.",
        good.last().update,
        PEAKS[2],
        end(&good),
        PEAKS[0],
        end(&slow),
        PEAKS[4],
        end(&fast),
        end(&sorted)
    );
    let figure = Chart::new("Four curves of the loss", &described)
        .size(500.0, 300.0)
        .x("update")
        .y("loss in training, nats")
        .y_range(0.0..4.0)
        .line_in(Hue::OURS, "as it should be", good.in_training())
        .line_in(Hue::RIVAL, "rate too low", slow.in_training())
        .line_in(Hue::SECOND_RIVAL, "rate too high", fast.in_training())
        .line_in(Hue::Ink, "not shuffled", sorted.in_training())
        .guide_y(evenly, "even guessing");
    plot::save("training-curves", &figure.draw());
}

/// What sixty words that are learned cost, and others.
fn sixty_words() {
    let [(nothing, _), .., (all_three, _)] = WAYS;
    let [hard, all] = [nothing, all_three].map(Run::logged);
    let stop = hard.stop();
    let described = format!(
        "The loss of {FEW} words that are learned falls to {:.2}. That of \
         held-out words falls with it at first, is lowest with {:.2} \
         after {} updates, and ends at {:.2}. With {all_three} it ends at \
         {:.2}, and {} of the held-out words are right.",
        hard.last().learned,
        stop.held_out,
        stop.update,
        hard.last().held_out,
        all.last().held_out,
        all.last().right
    );
    let figure = Chart::new("Learned by heart", &described)
        .size(500.0, 300.0)
        .x("update")
        .y("nats per token")
        .line_in(Hue::TRAINING, "learned", hard.curve(|look| look.learned))
        .line_in(Hue::VALIDATION, "held out", hard.curve(|look| look.held_out))
        .line_in(
            Hue::OURS,
            "held out, all three",
            all.curve(|look| look.held_out),
        )
        .guide_x(stop.update, "stop here");
    plot::save("training-overfitting", &figure.draw());
}
