//! What the dates cost if only frequencies are known.

use all_you_need::ablation::{Experiment, Switches};
use all_you_need::tasks::Task;
use print::{Fixed, value};

#[path = "../shared/entropy.rs"]
mod entropy;

use entropy::nats;

/// What a token of a date costs if only this is known: how frequent each is,
/// in all dates or at its place.
pub fn by_frequency() {
    let dates = Experiment::new(Task::Dates, 1, Switches::default()).held_out;
    let tokens: Vec<(usize, Option<u8>)> = dates
        .iter()
        .flat_map(|(_, answer)| {
            let ended = answer.bytes().map(Some).chain([None]);
            ended.enumerate().collect::<Vec<_>>()
        })
        .collect();
    let all: Vec<_> = tokens.iter().map(|&(_, token)| token).collect();
    value("dates, by character", nats(&all).fixed(2));
    let longest = tokens.iter().map(|&(place, _)| place).max().unwrap_or(0);
    let by_place: f64 = (0..=longest)
        .map(|place| {
            let here = tokens.iter().filter(|&&(own, _)| own == place);
            let here: Vec<_> = here.map(|&(_, token)| token).collect();
            nats(&here) * here.len() as f64
        })
        .sum();
    value("dates, by place", (by_place / tokens.len() as f64).fixed(2));
}
