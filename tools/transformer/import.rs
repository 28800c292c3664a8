//! `transformer import`

use crate::kind::{TRAINED, check};
use crate::output::{named, say};
use crate::stop::abandon;
use all_you_need::checkpoint::{average_last, import};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::slice;

/// Make a checkpoint with weights that PyTorch has written.
///
/// The file has the names that `transformer export` writes. Sizes, merges and
/// settings are those of another checkpoint.
#[derive(Args)]
pub struct Import {
    /// The file with the weights.
    #[arg(long)]
    weights: PathBuf,
    /// A checkpoint of the same sizes, or the directory of a run, which means
    /// its newest checkpoint.
    #[arg(long)]
    model: PathBuf,
    /// The directory to make.
    #[arg(long)]
    out: PathBuf,
}

impl Import {
    pub fn run(&self) -> Result<()> {
        ctrlc::set_handler(abandon)?;
        check(&self.model, TRAINED)?;
        // The mean of one checkpoint is that checkpoint, before its first step.
        let (mut like, _) = average_last(slice::from_ref(&self.model), 1)?;
        let model = &mut like.training.model;
        import(&like.config, model, &self.weights)?;
        like.save(&self.out)?;
        say(format!("the weights are in {}", named(&self.out)))
    }
}
