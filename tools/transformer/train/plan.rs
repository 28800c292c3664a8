//! What a run will do, before it does it.

use super::Train;
use super::data::Data;
use super::size::UNMERGED;
use crate::output::named;
use all_you_need::checkpoint::{Checkpoint, RunData};
use all_you_need::cluster::{Peers, agree};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{
    Example, Examples, Recipe, Training, target_tokens,
};
use all_you_need::translation::examples;
use anyhow::{Context, Result, ensure};

/// What the flags ask for: a checkpoint without what is learned.
pub struct Plan {
    pub config: Config,
    pub recipe: Recipe,
    pub tokenizer: Tokenizer,
    pub run: RunData,
}

impl Plan {
    /// The examples to train with, and those to test with.
    pub fn examples(
        &self,
        data: &Data,
    ) -> Result<(Box<dyn Examples>, Vec<Example>)> {
        let Self { tokenizer, run, .. } = self;
        let validation = examples(&data.validation, tokenizer);
        let validation = validation.context("validation texts")?;
        let training = data.training.examples(&run.training, tokenizer);
        let training = training.context("training texts")?;
        check_batch(&*training, self.recipe.batch_tokens)?;
        Ok((training, validation))
    }

    /// Whether all processes plan the same.
    pub fn agree(&self, peers: &impl Peers) -> Result<()> {
        let (size, parts) = (peers.size(), self.recipe.parts);
        let sentence = "are too few for so many processes; --parts has more";
        ensure!(
            size <= parts || !peers.is_first(),
            "{parts} parts {sentence}"
        );
        let version = env!("CARGO_PKG_VERSION");
        let Recipe { updates, .. } = self.recipe;
        let settings = settings_as_text(&self.config, &self.recipe, updates)?;
        let run = toml::to_string(&self.run)?;
        let all = format!("version = {version}\n{settings}{run}");
        Ok(agree(peers, &all)?)
    }
}

/// Sizes and recipe, a line each. A run may go on to more updates than it
/// began with, so they are said apart.
pub fn settings_as_text(
    config: &Config,
    recipe: &Recipe,
    updates: usize,
) -> Result<String> {
    let recipe = Recipe { updates, ..recipe.clone() };
    Ok(toml::to_string(config)? + &toml::to_string(&recipe)?)
}

/// Whether there is the memory to train such a model: for each parameter a
/// copy, two moments, and a gradient for each part of a batch. The rows of a
/// batch come on top.
pub fn check_memory(config: &Config, recipe: &Recipe) -> Result<()> {
    let parameters = config.parameters();
    let numbers = parameters * (4 + recipe.parts as u128);
    let bytes = numbers * size_of::<f32>() as u128;
    let mut room: Vec<u8> = Vec::new();
    let room = usize::try_from(bytes).map(|n| room.try_reserve_exact(n));
    ensure!(
        matches!(room, Ok(Ok(()))),
        "training {parameters} parameters takes more than {:.1} GB of \
         memory, and there is not so much",
        bytes as f64 / 1e9
    );
    Ok(())
}

/// Whether there is enough for a batch.
fn check_batch(examples: &dyn Examples, batch_tokens: usize) -> Result<()> {
    let all = target_tokens(examples);
    ensure!(
        all >= batch_tokens,
        "all translations together have {all} tokens, too few for a batch \
         of {batch_tokens}; --batch-tokens makes it smaller"
    );
    Ok(())
}

/// How many of so many updates learn both directions, if `both` of `all` do: a
/// shorter run needs updates in the right direction alone, too.
pub fn share(both: usize, all: usize, updates: usize) -> usize {
    both * updates / all
}

impl Train {
    /// What the preset and the flags ask for, if it goes together.
    pub fn settings(&self) -> (Config, Recipe) {
        let files = self.files.source().is_some();
        let preset = self.size.preset(files);
        let config = self.size.config(preset, files);
        let usual = preset.recipe();
        let mut recipe = self.hyperparameters.of(&usual);
        recipe.bidirectional_updates =
            self.bidirectional_updates.unwrap_or_else(|| {
                let both = usual.bidirectional_updates;
                share(both, usual.updates, recipe.updates)
            });
        (config, recipe)
    }

    /// The plan of a new run. If it has texts, their words are counted, and the
    /// merges are learned from them.
    pub fn plan(
        &self,
        mut config: Config,
        recipe: Recipe,
        data: &Data,
    ) -> Result<Plan> {
        let (digest, words) = data.training.survey()?;
        let merges = config.vocabulary - UNMERGED;
        let tokenizer = Tokenizer::new(Bpe::learn(words, merges));
        config.vocabulary = tokenizer.vocabulary();
        let run = self.directory.data(data, digest, recipe.updates);
        Ok(Plan { config, recipe, tokenizer, run })
    }

    /// What is learned, by how large a model, and in which updates.
    pub fn description(
        &self,
        checkpoint: &Checkpoint,
        examples: &dyn Examples,
    ) -> String {
        let Checkpoint { config, training, run, .. } = checkpoint;
        let Training { recipe, model, adam } = training;
        let (n, parameters) = (examples.count(), parameter_count(model));
        let what = match self.files.source() {
            Some(file) => named(file),
            None => format!("the task {}", self.task.name()),
        };
        let Config { vocabulary, layers, d_model, heads, d_ff, .. } = config;
        let updates = updates(recipe, adam.steps, target_tokens(examples));
        let kept = self.directory.description(run);
        format!(
            "{n} examples of {what}, {parameters} parameters\n\
             layers: {layers}, width: {d_model}, heads: {heads}, hidden \
             units: {d_ff}, tokens: {vocabulary}\n{updates}\n{kept}"
        )
    }
}

/// Which updates will be made.
fn updates(recipe: &Recipe, done: usize, all: usize) -> String {
    let &Recipe { updates, batch_tokens, warmup, peak_lr, .. } = recipe;
    if done >= updates {
        return format!(
            "all {done} updates are made; a larger --updates makes more"
        );
    }
    let both = recipe.bidirectional_updates.min(updates);
    // An epoch in both directions is twice as long, more or less.
    let in_one =
        (updates - done) as f64 - both.saturating_sub(done) as f64 / 2.0;
    let epochs = in_one * batch_tokens as f64 / all as f64;
    let first = done + 1;
    let directions = match both > done {
        false => String::new(),
        true => format!("; up to {both} the other direction is learned, too"),
    };
    let rate = match warmup <= updates {
        true => String::new(),
        false => format!(
            "\nthe learning rate rises for {warmup} updates and will not \
             reach {peak_lr}"
        ),
    };
    format!(
        "updates {first} to {updates}, {batch_tokens} target tokens each: \
         every example about {epochs:.1} times{directions}{rate}"
    )
}
