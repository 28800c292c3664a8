//! `transformer average`

use crate::output::say;
use all_you_need::checkpoint::average;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Make a checkpoint whose weights are the mean of those of others.
#[derive(Args)]
pub struct Average {
    /// The directory to make.
    #[arg(long)]
    out: PathBuf,
    /// Checkpoints, or directories of runs, which mean all checkpoints in
    /// them.
    #[arg(required = true)]
    models: Vec<PathBuf>,
}

impl Average {
    pub fn run(&self) -> Result<()> {
        let (mean, number) = average(&self.models)?;
        mean.save(&self.out)?;
        let out = self.out.display();
        say(format!("the mean of {number} checkpoints is in {out}"))
    }
}
