//! `transformer params`

use crate::flags;
use crate::output::{say, say_all};
use crate::train::Preset;
use all_you_need::costs::{Bill, Shape};
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::Tensor;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// List the parameters of a model, and count what a sentence costs it.
#[derive(Args)]
pub struct Params {
    /// A checkpoint, or the directory of a run, which means its newest
    /// checkpoint.
    #[arg(long, conflicts_with = "preset")]
    model: Option<PathBuf>,
    /// A model by its name, instead of a checkpoint.
    #[arg(long, default_value = "base")]
    preset: Preset,
    /// The length of the sentence in tokens.
    #[arg(long, default_value = "30", value_parser = flags::length)]
    length: usize,
}

impl Params {
    pub fn run(&self) -> Result<()> {
        let config = match &self.model {
            Some(model) => Translator::load(model)?.config,
            None => self.preset.config(),
        };
        let bill = Bill::default();
        let model: Transformer<Shape> =
            Transformer::new(&config, &mut bill.clone());
        say_all(model.leaves().into_iter().map(|(name, leaf)| {
            let (rows, columns) = leaf.shape();
            let numbers = rows * columns;
            format!("{name:50} {rows:>6} × {columns:<6} {numbers:>10}")
        }))?;
        self.say_sums(&model, &bill)
    }

    fn say_sums(
        &self,
        model: &Transformer<Shape>,
        bill: &Bill,
    ) -> Result<()> {
        let (parameters, length) = (parameter_count(model), self.length);
        let sentence: [Vec<Token>; 1] = [vec![0; length]];
        drop(model.forward(&sentence, &sentence));
        let products = bill.cost().multiply_adds;
        say(format!(
            "{parameters} parameters\n{products} multiply-adds for {length} \
             tokens from {length} tokens"
        ))
    }
}
