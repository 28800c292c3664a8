//! `transformer export`

use crate::kind::{TRANSLATOR, check};
use crate::output::{named, say};
use crate::stop::abandon;
use all_you_need::checkpoint::export;
use all_you_need::translation::Translator;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Write a model's weights as PyTorch's nn.Transformer reads them.
///
/// In the header of the file is `config`: the sizes of the model and its
/// heads, as TOML. The script tests/reference/load.py makes a model of PyTorch
/// from the file, and `transformer import` reads the weights back.
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
        ctrlc::set_handler(abandon)?;
        check(&self.model, TRANSLATOR)?;
        let Translator { config, model, .. } = Translator::open(&self.model)?;
        export(&config, &model, &self.out)?;
        say(format!("{} is written", named(&self.out)))
    }
}
