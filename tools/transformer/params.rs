//! `transformer params`

use crate::flags::{self, Model};
use crate::output::{say, say_all};
use crate::train::Preset;
use all_you_need::costs::{Bill, Shape};
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::Tensor;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use anyhow::Result;
use clap::Args;

/// List the parameters of a model, and count what a sentence costs it.
#[derive(Args)]
pub struct Params {
    #[command(flatten)]
    model: Model,
    /// The sizes of a model by their name, instead of a model.
    #[arg(long, conflicts_with = "model")]
    preset: Option<Preset>,
    /// The length of the sentence in tokens.
    #[arg(long, default_value = "30", value_parser = flags::length)]
    length: usize,
}

impl Params {
    pub fn run(&self) -> Result<()> {
        let config = match self.preset {
            Some(preset) => preset.config(),
            None => self.model.open()?.config,
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
