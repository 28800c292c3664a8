//! A run that learns to write words backwards, and is kept on the disk.

use all_you_need::checkpoint::{
    Checkpoint, RunData, Snapshot, checkpoint_path, lock, newest, prune,
};
use all_you_need::encoder::Config;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{Example, Recipe, Training, validation_loss};
use all_you_need::transformer::Transformer;
use std::error::Error;
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;
use tempfile::TempDir;

/// Trains a model, or goes on with it, and saves it every few updates and at
/// the end.
pub fn train_and_keep(
    dir: &Path,
    plan: &Checkpoint,
    examples: &[Example],
) -> Result<(), Box<dyn Error>> {
    let _lock = lock(dir)?;
    let mut now = match newest(dir)? {
        Some(last) => Checkpoint::load(&last)?,
        None => plan.clone(),
    };
    if now.run.training != plan.run.training
        || now.training.recipe != plan.training.recipe
    {
        return Err("this run has other examples or another recipe".into());
    }
    let Checkpoint { config, training, tokenizer, run: data } = &mut now;
    let end = training.run(examples, |training, update| {
        let is_last = update.step == training.recipe.updates;
        if !is_last && !update.step.is_multiple_of(data.every) {
            return Continue(());
        }
        let now = Snapshot { config, training, tokenizer, run: data };
        let saved = now.save(&checkpoint_path(dir, update.step));
        match saved.and_then(|()| prune(dir, data.keep)) {
            Ok(()) => Continue(()),
            Err(error) => Break(error),
        }
    })?;
    match end {
        Continue(()) => Ok(()),
        Break(error) => Err(error.into()),
    }
}

pub type Model = Transformer<Matrix<f32>>;

/// The words of four letters from a to f, each with itself backwards: those
/// to learn from, or one in thirteen, which is held out.
pub fn words(held_out: bool) -> Vec<(String, String)> {
    let letter =
        |n: u32, place| (b'a' + (n / 6u32.pow(place) % 6) as u8) as char;
    let word = |n| (0..4).map(|place| letter(n, place)).collect::<String>();
    let numbers = (0..1296u32).filter(|n| n.is_multiple_of(13) == held_out);
    numbers.map(|n| (word(n), word(n).chars().rev().collect())).collect()
}

pub fn tokenizer() -> Tokenizer {
    Tokenizer::new(Bpe::train("the cat and the hat and the fat cat", 6))
}

pub fn examples(held_out: bool) -> Vec<Example> {
    let tokenizer = tokenizer();
    let example = |(word, back): &(String, String)| {
        Example::new(word, back, &tokenizer)
    };
    words(held_out).iter().map(example).collect()
}

/// A run that learns to write words backwards, before its first update.
pub fn plan(seed: u64) -> Checkpoint {
    let tokenizer = tokenizer();
    let config = Config {
        vocabulary: tokenizer.vocabulary(),
        layers: 1,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 8,
        d_v: 8,
    };
    let recipe = Recipe {
        batch_tokens: 60,
        parts: 4,
        updates: 320,
        bidirectional_updates: 0,
        warmup: 40,
        peak_lr: 0.01,
        dropout: 0.0,
        weight_decay: 0.0,
        label_smoothing: 0.1,
        seed,
    };
    let run = RunData::new("reverse", &words(false), &words(true));
    let run = RunData { every: 40, ..run };
    let training = Training::new(&config, recipe);
    Checkpoint { config, training, tokenizer, run }
}

/// A folder with a run that has come to its end.
pub fn trained() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("run");
    train_and_keep(&run, &plan(1), &examples(false)).expect("a whole run");
    folder
}

pub fn loaded(run: &Path, updates: usize) -> Training {
    let path = checkpoint_path(run, updates);
    Checkpoint::load(&path).expect("a checkpoint").training
}

pub fn loss(model: &Model) -> f64 {
    validation_loss(model, &examples(true))
}

/// How many of the hundred words that were held out it writes backwards.
pub fn right(model: &Model) -> usize {
    let tokenizer = tokenizer();
    let is_right = |(word, back): &&(String, String)| {
        let source = tokenizer.encode_source(word);
        let said = model.greedy(&source, tokenizer.bos(), tokenizer.eos());
        tokenizer.decode(&said.expect("finite logits")) == *back
    };
    words(true).iter().filter(is_right).count()
}
