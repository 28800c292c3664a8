//! `transformer completions` and `transformer man`

use crate::Arguments;
use crate::output::{named, say};
use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// Print a script with which a shell completes commands and flags.
///
/// In bash, `source <(transformer completions bash)` takes it for one session.
#[derive(Args)]
pub struct Completions {
    shell: Shell,
}

impl Completions {
    pub fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        let mut program = Arguments::command();
        generate(self.shell, &mut program, "transformer", &mut script);
        io::stdout().write_all(&script).context("standard output")
    }
}

/// Write a manual page for each command: transformer.1, transformer-train.1
/// and so on.
#[derive(Args)]
pub struct Man {
    /// The directory for the pages; such pages that are there are replaced.
    #[arg(long, default_value = "man")]
    out: PathBuf,
}

impl Man {
    pub fn run(&self) -> Result<()> {
        let out = named(&self.out);
        fs::create_dir_all(&self.out).with_context(|| out.clone())?;
        let pages = clap_mangen::generate_to(Arguments::command(), &self.out);
        pages.with_context(|| out.clone())?;
        say(format!("the manual is in {out}"))
    }
}
