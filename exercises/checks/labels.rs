//! Checks the exercises of the chapter on few labels.

use super::{Tried, begun_with, reported};
use all_you_need::classifier::{config, means};
use all_you_need::layers::Linear;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{Stream, generator};
use all_you_need::writer::Half;

checks! {
    exercise_2: the_encoder_is_kept_and_the_output_is_new,
    exercise_3: the_validation_set_chooses
}

fn the_encoder_is_kept_and_the_output_is_new() {
    let sizes = config(9);
    let half: Half<Matrix> =
        Half::new(&sizes, &mut generator(1, Stream::Weights));
    let text: [Token; 4] = [3, 1, 4, 8];
    let rows = half.bidirectional(&[text]);
    for classes in [2, 5] {
        let model =
            begun_with(&half, classes, &mut generator(2, Stream::Weights));
        let apart = (model.half.bidirectional(&[text]) - &rows).amax();
        assert!(apart < 1e-12, "the encoder's rows must be the same");
        let shape = model.output.weight.shape();
        assert_eq!(shape, (sizes.d_model, classes), "a logit for each class");
        let own: Linear<Matrix> = Linear::new(
            sizes.d_model,
            classes,
            &mut generator(2, Stream::Weights),
        );
        let logits = own.forward(&means(&rows, &[4]));
        let apart = (model.logits(&[text]) - logits).amax();
        assert!(apart < 1e-12, "take no random numbers but for the output");
    }
}

fn the_validation_set_chooses() {
    let run = |rate, validation, test| Tried { rate, validation, test };
    assert_eq!(
        reported(&[run(0.1, 0.7, 0.6)]),
        (0.1, 0.6),
        "one run is the best"
    );
    assert_eq!(
        reported(&[run(0.1, 0.7, 0.6), run(0.2, 0.8, 0.9)]),
        (0.2, 0.9),
        "both sets agree"
    );
    assert_eq!(
        reported(&[
            run(0.1, 0.70, 0.74),
            run(0.2, 0.72, 0.71),
            run(0.3, 0.65, 0.70)
        ]),
        (0.2, 0.71),
        "which set may choose the rate?"
    );
}
