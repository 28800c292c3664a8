//! `transformer average`

use crate::flags;
use crate::kind::{TRAINED, check};
use crate::output::{named, say};
use crate::stop::abandon;
use all_you_need::checkpoint::average_last;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Make a checkpoint whose weights are the mean of those of others.
#[derive(Args)]
pub struct Average {
    /// The directory to make.
    #[arg(long)]
    out: PathBuf,
    /// How many checkpoints of each run to take, the last ones; by default all
    /// that it keeps.
    #[arg(long, value_parser = flags::count)]
    last: Option<usize>,
    /// Checkpoints, or directories of runs. The best checkpoint of a run is
    /// taken if it is among the last.
    #[arg(required = true)]
    models: Vec<PathBuf>,
}

impl Average {
    pub fn run(&self) -> Result<()> {
        ctrlc::set_handler(abandon)?;
        self.models.iter().try_for_each(|path| check(path, TRAINED))?;
        let last = self.last.unwrap_or(usize::MAX);
        let (mean, number) = average_last(&self.models, last)?;
        mean.save(&self.out)?;
        let out = named(&self.out);
        say(format!("the mean of {number} checkpoints is in {out}"))
    }
}
