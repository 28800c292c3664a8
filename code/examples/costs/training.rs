//! What the rule of thumb says of a training.

use super::{WORDS, pass};
use all_you_need::encoder::Config;
use all_you_need::training::Recipe;
use print::{Fixed, grouped, section, value};

#[path = "../shared/pace.rs"]
mod pace;

/// What the rule of thumb says of the training of this book's translator.
pub fn a_training() {
    let (config, recipe) = (Config::tiny(), Recipe::tiny());
    let parameters = config.parameters() as f64;
    let tokens = (recipe.updates * recipe.batch_tokens) as f64;
    let work = 3.0 * tokens * parameters;
    section("A training");
    value("updates", grouped(recipe.updates));
    value("tokens in a batch", grouped(recipe.batch_tokens));
    value("parameters", grouped(parameters));
    value("millions of tokens", (tokens / 1e6).fixed(1));
    value("trillions", (work / 1e12).fixed(0));
    // Rounded, so that whoever computes with what is printed gets the same.
    let billions = 2.0 * pace::billions_a_second().round();
    value("billions a second, two cores", billions);
    value("minutes", (work / (billions * 1e9) / 60.0).fixed(0));
    value("megabytes of parameters", (4.0 * parameters / 1e6).fixed(0));
    let pairs = recipe.batch_tokens as f64 / WORDS as f64;
    let written = 4.0 * pass(&config, WORDS).numbers as f64 * pairs;
    value("gigabytes of a batch", (written / 1e9).fixed(0));
}
