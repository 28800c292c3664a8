//! What a change costs: numbers kept, multiply-adds and parameters.

use super::changes::{EXPERTS, Sizes};
use super::recipes::{BATCH, WINDOW, config, vocabulary};
use super::{Trained, signed};
use all_you_need::costs::{Bill, Cost, Shape};
use all_you_need::encoder::Config;
use all_you_need::today::{Modern, kept};
use print::{Fixed, grouped, mean, section, table, value};

/// Parameters, multiply-adds for a token in training and numbers kept, of the
/// decoder with a change.
fn costs(change: &str, vocabulary: usize) -> [u64; 3] {
    let bill = Bill::default();
    let config = config(vocabulary);
    let init = &mut bill.clone();
    let kept = with_model!(change, Shape, config, init, |model| {
        let _ = model.forward(&[[0; WINDOW]]);
        kept(&model)
    });
    let Cost { parameters, multiply_adds, .. } = bill.cost();
    [parameters, multiply_adds / WINDOW as u64, kept as u64]
}

pub fn what_they_cost() {
    section("What they cost");
    let vocabulary = vocabulary();
    let changes = ["base", "grouped", "one-group", "latent", "experts"];
    let Config { heads, layers, d_k, d_model, d_ff, .. } = config(vocabulary);
    let rows = changes.map(|change| {
        let [parameters, in_training, kept] = costs(change, vocabulary);
        let multiply_adds = match change {
            // Where a narrow row is the key and the value of every head,
            // scores and mixtures are as wide as it is.
            "latent" => {
                let wider = kept as usize / layers - d_k;
                in_training + (layers * heads * WINDOW * 2 * wider) as u64
            }
            // The crate spreads two scores over a row by a product with ones.
            "experts" => {
                in_training - (layers * 2 * EXPERTS * d_model) as u64
            }
            _ => in_training,
        };
        let one = Trained::new(change);
        let name = if one.unchanged() { "unchanged" } else { one.name };
        let by = signed(mean(&one.differences()));
        (name, [kept, multiply_adds, parameters].map(grouped), by)
    });
    let names = ["", "kept", "multiply-adds", "parameters", "loss"];
    table(names, rows);
    section("Sizes");
    value("vocabulary", grouped(vocabulary));
    value("layers", layers);
    value("d_model", d_model);
    value("d_ff", d_ff);
    value("heads", heads);
    value("d_k", d_k);
    let [_, _, kept] = costs("latent", vocabulary);
    value("columns that latent heads keep", kept / layers as u64);
    section("Muon's rounds");
    let percent = 100.0 * rounds_of_muon() / update(vocabulary);
    value("Muon's own work", percent.fixed(0));
}

/// The multiply-adds of an update of the unchanged decoder.
fn update(vocabulary: usize) -> f64 {
    let [_, a_token, _] = costs("base", vocabulary);
    let table = vocabulary * config(vocabulary).d_model;
    3.0 * (BATCH * WINDOW) as f64 * (a_token + table as u64) as f64
}

/// The multiply-adds of five rounds for each of its matrices.
fn rounds_of_muon() -> f64 {
    let Config { layers, d_model, d_ff, .. } = config(0);
    // X Xᵀ, its square, and the product of both with X, for a wide X.
    let round =
        |rows: usize, columns: usize| 2 * rows.pow(2) * columns + rows.pow(3);
    let a_layer = 4 * round(d_model, d_model) + 2 * round(d_model, d_ff);
    (5 * layers * a_layer) as f64
}
