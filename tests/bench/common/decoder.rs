//! A text for small decoders that write, and their training.

use crate::recipes::{BATCH, MERGES, WINDOW};
use all_you_need::gradient::Variable;
use all_you_need::tensor::Matrix;
use all_you_need::today::Learner;
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::training::{Stream, generator};
use all_you_need::translation::read;
use all_you_need::writer::{
    Model, Text, TrainingExample, mean_loss, running, windows,
};
use rand::seq::SliceRandom;
use std::path::Path;

/// A text to learn from, and one that is held out.
pub struct Data {
    pub vocabulary: usize,
    training: Vec<Text>,
    /// Windows of the length that is trained, and four times as long.
    pub held_out: [Vec<Text>; 2],
}

impl Data {
    /// The texts of two files.
    pub fn new(training: &str, held_out: &str) -> Self {
        let [training, held_out] = [training, held_out].map(|file| {
            let lines = read(Path::new(file));
            lines.unwrap_or_else(|error| panic!("{error}"))
        });
        let bpe = Bpe::train(&training.join(" "), MERGES);
        let tokenizer = Tokenizer::new(bpe);
        let running =
            |lines: &[String]| -> Vec<Token> { running(lines, &tokenizer) };
        let (text, other) = (running(&training), running(&held_out));
        let long = 4 * WINDOW;
        Self {
            vocabulary: tokenizer.vocabulary(),
            training: windows(&text, WINDOW, WINDOW),
            held_out: [WINDOW, long].map(|n| {
                // The same tokens in both.
                let whole = other.len() / long * long;
                windows(&other[..=whole.min(other.len() - 1)], n, n)
            }),
        }
    }
}

/// Trains a model. Its row says how many updates could be made, the mean loss
/// of the last hundred, and what it loses on the held-out windows of the trained length.
pub fn train<L>(data: &Data, mut learner: Learner<L>) -> String
where
    L: Model + Sync,
    Text: TrainingExample<L::OnTape, Variable<f32>>
        + TrainingExample<L, Matrix<f32>>,
{
    let (made, training) = learn(data, &mut learner);
    let held_out = mean_loss(&learner.model, &data.held_out[0]);
    format!("{made}\t{training:.4}\t{held_out:.4}")
}

/// Trains a model. Returns how many updates could be made, and the mean loss
/// of the last hundred.
pub fn learn<L>(data: &Data, learner: &mut Learner<L>) -> (usize, f32)
where
    L: Model + Sync,
    Text: TrainingExample<L::OnTape, Variable<f32>>,
{
    let recipe = learner.recipe.clone();
    let (mut last, mut made) = (Vec::new(), 0);
    'epochs: for epoch in 0.. {
        let mut order: Vec<&Text> = data.training.iter().collect();
        order.shuffle(&mut generator(recipe.seed, Stream::Order(epoch)));
        for batch in order.chunks_exact(BATCH) {
            let batch: Vec<Text> = batch.iter().copied().cloned().collect();
            let Ok(loss) = learner.update(&batch) else { break 'epochs };
            made += 1;
            last.push(loss);
            if made == recipe.updates {
                break 'epochs;
            }
        }
    }
    let last = &last[last.len().saturating_sub(100)..];
    (made, last.iter().sum::<f32>() / last.len() as f32)
}
