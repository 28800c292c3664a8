//! Two words that are learned by heart, in the right way and in wrong ones.

use super::{ids, lesson, newborn, written};
use all_you_need::gradient::Variable;
use all_you_need::loss::CrossEntropy;
use all_you_need::parameters::gradient;
use all_you_need::training::Example;
use all_you_need::transformer::Transformer;
use print::{Fixed, section, table};

/// What an update of the drill below minimizes.
type Loss = fn(&Transformer<Variable<f64>>, &[Example]) -> Variable<f64>;

/// The loss as it should be.
fn shifted(
    model: &Transformer<Variable<f64>>,
    batch: &[Example],
) -> Variable<f64> {
    let sources: Vec<_> = batch.iter().map(|one| &one.source).collect();
    let targets: Vec<_> = batch.iter().map(|one| &one.target).collect();
    model.loss(&sources, &targets, 0.0)
}

/// The decoder is fed the very tokens that it is asked for.
fn unshifted(
    model: &Transformer<Variable<f64>>,
    batch: &[Example],
) -> Variable<f64> {
    let sources: Vec<_> = batch.iter().map(|one| &one.source).collect();
    let asked: Vec<_> = batch.iter().map(|one| &one.target[1..]).collect();
    model.forward(&sources, &asked).cross_entropy(&asked.concat(), 0.0)
}

/// Learns one batch by heart. Returns the losses and what is then written.
fn drill(batch: &[Example], loss: Loss, lr: f64) -> (Vec<f64>, String) {
    let (mut model, mut adam) = newborn();
    let mut losses = Vec::new();
    for _ in 0..60 {
        let (nats, gradient) =
            gradient(&model, |model: &Transformer<_>| loss(model, batch));
        adam.step(&mut model, &gradient, lr);
        losses.push(nats);
    }
    let writes: Vec<_> =
        batch.iter().map(|one| written(&model, one)).collect();
    (losses, writes.join(", "))
}

/// Two words again and again, in the right way and in four wrong ones.
pub fn one_batch() {
    let batch = ["tea", "stop"].map(|word| lesson(&ids(word)));
    let [tea, stop] = batch.clone();
    let exchanged = [
        Example { target: stop.target, ..tea },
        Example { target: tea.target, ..stop },
    ];
    let ways: [(&str, &[Example], Loss, f64); 5] = [
        ("as it should be", &batch, shifted, 0.003),
        ("uphill", &batch, shifted, -0.003),
        ("a rate of 0.00003", &batch, shifted, 0.00003),
        ("fed what is asked", &batch, unshifted, 0.003),
        ("answers exchanged", &exchanged, shifted, 0.003),
    ];
    section("One batch");
    table(
        ["", "1", "10", "60", "tea, stop become"],
        ways.map(|(name, batch, loss, lr)| {
            let (losses, writes) = drill(batch, loss, lr);
            let at = |update: usize| losses[update - 1].fixed(2);
            (name, at(1), at(10), at(60), writes)
        }),
    );
}
