//! The figures of the chapter on training.

#[path = "../code/examples/training.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::training::validation_loss;
use example::{PEAKS, Run, WAYS, held_out, lessons, lowest, right};
use example::{runs_on_sixty_words, runs_to_choose_from, sorted};
use plot::{Chart, Diagram, Hue, Side};

pub fn draw() {
    update();
    curves();
    sixty_words(&runs_on_sixty_words());
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
    let runs = runs_to_choose_from();
    let [slow, _, good, _, fast] = &runs[..] else { unreachable!() };
    let sorted = sorted();
    let end = |run: &Run| run.in_training()[run.losses.len() / 10 - 1].1;
    let evenly = 10_f64.ln();
    let described = format!(
        "Four curves over {} updates, above or below a line at {evenly:.2}, \
         which is even guessing. With a peak of {} the loss falls to {:.2}. \
         With {} it falls slowly and is {:.2} in the end, with {} it stays \
         at {:.2}. With sorted words it jumps up and down and ends at {:.2}.",
        good.losses.len(),
        PEAKS[2],
        end(good),
        PEAKS[0],
        end(slow),
        PEAKS[4],
        end(fast),
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
fn sixty_words(runs: &[Run]) {
    let (learned, unseen) = (lessons(60), held_out());
    let known = runs[0].curve(|model| validation_loss(model, &learned));
    let unknown = |run: &Run| {
        run.curve(|model| validation_loss(model, &unseen))
    };
    let (hard, all) = (unknown(&runs[0]), unknown(&runs[4]));
    let (stop, least) = lowest(&hard);
    let last = |curve: &[(f64, f64)]| curve[curve.len() - 1].1;
    let described = format!(
        "The loss of {} words that are learned falls to {:.2}. That of \
         held-out words falls with it at first, is lowest with {least:.2} \
         after {stop} updates, and ends at {:.2}. With {} it ends at {:.2}, \
         and {} of the held-out words are right.",
        learned.len(),
        last(&known),
        last(&hard),
        WAYS[4].0,
        last(&all),
        right(runs[4].last(), &unseen)
    );
    let figure = Chart::new("Learned by heart", &described)
        .size(500.0, 300.0)
        .x("update")
        .y("nats per token")
        .line_in(Hue::TRAINING, "learned", known)
        .line_in(Hue::VALIDATION, "held out", hard)
        .line_in(Hue::OURS, "held out, all three", all)
        .guide_x(stop, "stop here");
    plot::save("training-overfitting", &figure.draw());
}
