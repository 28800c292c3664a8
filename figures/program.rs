//! The figure of the page on the program.

use plot::{Diagram, Hue};

/// From the flags of `train` to a trained model.
pub fn draw() {
    let text = "Seven boxes with arrows. Train, the flags, leads to Data, the \
        texts; to Plan, the sizes and the recipe; and to Session, the model \
        and its directory. Session leads to learn, update by update, which \
        calls checkpoint again and again, and then to examine, which tries \
        new examples.";
    let mut figure =
        Diagram::new("The way of a training", text, 32.0, 15.0).across(15.8);
    let mut place = |x: f64, y: f64, text: &str| {
        figure.block((x, y), (7.6, 2.4), text, Hue::Rule)
    };
    let train = place(5.0, 2.0, "Train\nthe flags");
    let data = place(16.0, 2.0, "Data\nthe texts");
    let plan = place(27.0, 2.0, "Plan\nsizes, recipe");
    let session = place(27.0, 7.5, "Session\nmodel, directory");
    let learn = place(16.0, 7.5, "learn\nupdate by update");
    let examine = place(5.0, 7.5, "examine\nnew examples");
    let checkpoint = place(16.0, 13.0, "checkpoint\nlog, then files");
    let ((x, down), (_, up)) = (learn.bottom(), checkpoint.top());
    for way in [
        [train.right(), data.left()],
        [data.right(), plan.left()],
        [plan.bottom(), session.top()],
        [session.left(), learn.right()],
        [learn.left(), examine.right()],
        [(x - 1.0, down), (x - 1.0, up)],
        [(x + 1.0, up), (x + 1.0, down)],
    ] {
        figure.arrow(&way, Hue::Ink);
    }
    plot::save("program-way", &figure.draw());
}
