//! `transformer export`

use crate::output::say;
use all_you_need::checkpoint::export;
use all_you_need::translation::Translator;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Write a model's weights as PyTorch reads them.
#[derive(Args)]
pub struct Export {
    /// A checkpoint, the directory of a run, which means its newest
    /// checkpoint, or a quantized model.
    #[arg(long)]
    model: PathBuf,
    /// The file to write; there must not be one.
    #[arg(long, default_value = "torch.safetensors")]
    out: PathBuf,
}

impl Export {
    pub fn run(&self) -> Result<()> {
        let Translator { config, model, .. } = Translator::open(&self.model)?;
        export(&config, &model, &self.out)?;
        say(format!("{} is written", self.out.display()))
    }
}
