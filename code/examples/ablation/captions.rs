//! The translator with one thing changed, after a tenth of its updates.

use super::title;
use all_you_need::encoder::{Config, EncoderLayer};
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Stream, generator};
use print::log::{self, number};
use print::{Fixed, mean, section, table, value};

/// A change, and the losses and the BLEU of its models.
struct Trained {
    change: &'static str,
    losses: Vec<f64>,
    scores: Vec<f64>,
}

/// What `src/logs/ablation.sh captions` has trained: first the paper's model,
/// then what cost most.
fn trained() -> Vec<Trained> {
    let mut all: Vec<Trained> = Vec::new();
    let rows = log::table(log::read("ablation-captions"));
    for [_, change, _, _, loss, score] in rows {
        let at = all.iter().position(|one| one.change == change);
        let at = at.unwrap_or_else(|| {
            let (losses, scores) = (Vec::new(), Vec::new());
            all.push(Trained { change, losses, scores });
            all.len() - 1
        });
        all[at].losses.push(number(loss));
        all[at].scores.push(number(score));
    }
    all[1..].sort_by(|a, b| mean(&a.scores).total_cmp(&mean(&b.scores)));
    all
}

pub fn on_captions() {
    let all = trained();
    section("On captions");
    let rows = all.iter().map(|one| {
        let [loss, score] = [&one.losses, &one.scores].map(|all| mean(all));
        (title(one.change), loss.fixed(2), score.fixed(1))
    });
    table(["", "loss", "BLEU"], rows);
    section("In BLEU");
    for one in &all {
        let name = format!("captions, {}", one.change);
        value(name, mean(&one.scores).fixed(1));
    }
    let Config { d_model, layers, .. } = Config::tiny();
    let place = (d_model as f64 / 2.0).sqrt();
    value("length of a place, translator", place.fixed(0));
    let rng = &mut generator(1, Stream::Weights);
    let layer: EncoderLayer<Matrix<f32>> =
        EncoderLayer::new(&Config::tiny(), rng);
    let networks = 2 * layers * parameter_count(&layer.feed_forward);
    let part = 100 * networks / Config::tiny().parameters() as usize;
    value("translator, in feed-forward networks", part);
    let updates = log::table(log::read("ablation-captions"));
    let [_, _, _, updates, _, _] = updates.last().expect("a model");
    value("captions, updates", updates);
}
