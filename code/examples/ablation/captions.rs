//! The translator with one thing changed, after a tenth of its updates.

use super::{in_networks, length_of_a_place, title};
use all_you_need::ablation::Experiment;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::transformer::Transformer;
use print::log::{self, number};
use print::{Fixed, grouped, least, mean, most, section, table, value};

/// A change, the updates that it was trained for, and the losses and the BLEU
/// of its models.
struct Trained {
    change: &'static str,
    updates: &'static str,
    losses: Vec<f64>,
    scores: Vec<f64>,
}

/// What `src/logs/ablation.sh captions` has trained: first the paper's model,
/// then what cost most.
fn trained() -> Vec<Trained> {
    let mut all: Vec<Trained> = Vec::new();
    let rows = log::table(log::read("ablation-captions"));
    for [_, change, _, updates, loss, score] in rows {
        let at = all.iter().position(|one| one.change == change);
        let at = at.unwrap_or_else(|| {
            let (losses, scores) = (Vec::new(), Vec::new());
            all.push(Trained { change, updates, losses, scores });
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
        let models = one.scores.len();
        let range = [least(&one.scores), most(&one.scores)].fixed(1);
        let range = range.join("–");
        let loss = match loss < 100.0 {
            true => loss.fixed(2),
            false => grouped(loss.fixed(0)),
        };
        (title(one.change), models, loss, score.fixed(1), range)
    });
    table(["", "models", "loss", "BLEU", "from–to"], rows);
    section("In BLEU");
    let said = [
        "none",
        "embedding-scale",
        "long-positions",
        "key-scale",
        "positions",
    ];
    for one in all.iter().filter(|one| said.contains(&one.change)) {
        let name = format!("captions, {}", one.change);
        value(name, mean(&one.scores).fixed(1));
    }
    let norm = all.iter().find(|one| one.change == "norm");
    let losses = &norm.expect("models without a norm").losses;
    value("captions, norm, loss", grouped(mean(losses).fixed(0)));
    let paper = &all[0].scores;
    value("captions, lowest of the paper", least(paper).fixed(1));
    value("captions, highest of the paper", most(paper).fixed(1));
    let place = length_of_a_place(&Config::tiny());
    let word = (Config::tiny().d_model as f64).sqrt();
    value("ratio, paper", format!("{:.1} : 1", word / place));
    value("ratio, unscaled", format!("1 : {place:.0}"));
    for (name, config) in
        [("translator", Config::tiny()), ("small", Experiment::config())]
    {
        // An unscaled word has length 1.
        let share = 1.0 / (1.0 + length_of_a_place(&config).powi(2));
        let digits = usize::from(share < 0.05);
        value(format!("share of a word, {name}"), share.percent(digits));
    }
    let init = &mut Bill::default();
    let model: Transformer<Shape> = Transformer::new(&Config::tiny(), init);
    value("translator, in feed-forward networks", in_networks(&model));
    value("captions, updates", all[0].updates);
}
