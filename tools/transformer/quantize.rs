//! `transformer quantize`

use crate::kind::{TRAINED, check};
use crate::output::{named, say};
use crate::stop::abandon;
use all_you_need::quantization::quantize;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Round the weights of a model to 8 bits each, a quarter of their size.
///
/// The other commands take the result for a model. It cannot be trained.
#[derive(Args)]
pub struct Quantize {
    /// A checkpoint, or the directory of a run, which means its newest
    /// checkpoint.
    #[arg(long)]
    model: PathBuf,
    /// The directory to make.
    #[arg(long)]
    out: PathBuf,
}

impl Quantize {
    pub fn run(&self) -> Result<()> {
        ctrlc::set_handler(abandon)?;
        check(&self.model, TRAINED)?;
        quantize(&self.model)?.save(&self.out)?;
        say(format!("the quantized model is in {}", named(&self.out)))
    }
}
