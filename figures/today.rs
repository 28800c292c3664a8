//! The figures of the chapter on what changed.

#[macro_use]
#[path = "../code/examples/today.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{Trained, by_loss};
use plot::{Bars, Hue};
use print::log::spread;

/// How much more each decoder loses than the best of them.
pub fn draw() {
    let mean = |one: &Trained| spread(&one.short).0;
    let all = by_loss();
    let best = mean(&all[0]);
    let more = |one: &Trained| mean(one) - best;
    let listed =
        all.iter().map(|one| format!("{} {:.3}", one.name, more(one)));
    let described = format!(
        "Bars for how much more each decoder loses than the best of them, \
         in nats for each token, the mean of all seeds: {}.",
        listed.collect::<Vec<_>>().join(", ")
    );
    let bars = Bars::new("What each change is worth", &described)
        .heading("nats a token more than the best")
        .decimals(3);
    let bars = all.iter().fold(bars, |bars, one| {
        let hue =
            if one.unchanged() { Hue::OURS } else { Hue::RIVAL };
        bars.bar_in(hue, one.name, more(one))
    });
    plot::save("today-changes", &bars.draw());
}
