//! Trains a Transformer, and translates with it.

mod attend;
mod average;
#[cfg(feature = "cluster")]
mod cluster;
mod export;
mod flags;
mod import;
mod kind;
mod learn;
mod manual;
mod output;
mod params;
mod quantize;
mod score;
mod stop;
mod tokenize;
mod train;
mod translate;
mod write;

use anyhow::{Context, Result};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
use mimalloc::MiMalloc;
use std::env;
use std::ffi::{c_int, c_long};
use std::io::{self, Write};
use std::process::ExitCode;

/// Trains a Transformer, and translates with it.
#[derive(Parser)]
#[command(name = "transformer", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// The number of threads to compute with; by default all that the
    /// machine has.
    #[arg(
        long,
        global = true,
        display_order = 100,
        value_parser = flags::threads
    )]
    threads: Option<usize>,
}

#[derive(Subcommand)]
enum Command {
    // In a box, since it is many times as large as the others.
    Train(Box<train::Train>),
    Translate(translate::Translate),
    Score(score::Score),
    Attend(attend::Attend),
    Params(params::Params),
    Average(average::Average),
    Quantize(quantize::Quantize),
    Export(export::Export),
    Import(import::Import),
    Learn(learn::Learn),
    Write(write::Write),
    Tokenize(tokenize::Tokenize),
    Detokenize(tokenize::Detokenize),
    Completions(manual::Completions),
    Man(manual::Man),
}

fn main() -> ExitCode {
    keep_memory();
    let done = arguments().and_then(|Arguments { command, threads }| {
        output::check()?;
        start(threads)?;
        command.run().or_else(|error| match command.is_for_reading() {
            true if output::is_closed(&error) => Ok(ExitCode::SUCCESS),
            _ => Err(error),
        })
    });
    done.unwrap_or_else(|error| {
        let sentence = output::escaped(&output::explained(&error));
        writeln!(io::stderr(), "error: {sentence}").ok();
        ExitCode::FAILURE
    })
}

/// The command line. In `--beam -1`, clap would take -1 for a flag and call it
/// unknown. As a number it reaches the check of `--beam`.
fn arguments() -> Result<Arguments> {
    let allow = |argument: Arg| {
        let takes_value = argument.get_action().takes_values();
        argument.allow_negative_numbers(takes_value)
    };
    let command = Arguments::command().mut_args(allow);
    let command = command.mut_subcommands(|command| command.mut_args(allow));
    let typed = env::args_os().collect();
    let words = train::settings::with_saved(&command, typed)?;
    let matches = command.get_matches_from(words);
    Ok(Arguments::from_arg_matches(&matches)?)
}

fn start(threads: Option<usize>) -> Result<()> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let built = pool.build_global();
    built.with_context(|| format!("{threads} threads cannot be started"))
}

impl Command {
    fn run(&self) -> Result<ExitCode> {
        match self {
            Self::Train(train) => return train.run(),
            Self::Learn(learn) => return learn.run(),
            Self::Translate(translate) => translate.run(),
            Self::Score(score) => score.run(),
            Self::Attend(attend) => attend.run(),
            Self::Params(params) => params.run(),
            Self::Average(average) => average.run(),
            Self::Quantize(quantize) => quantize.run(),
            Self::Export(export) => export.run(),
            Self::Import(import) => import.run(),
            Self::Write(write) => write.run(),
            Self::Tokenize(tokenize) => tokenize.run(),
            Self::Detokenize(detokenize) => detokenize.run(),
            Self::Completions(completions) => completions.run(),
            Self::Man(man) => man.run(),
        }?;
        Ok(ExitCode::SUCCESS)
    }

    /// Whether all that matters of it is its output. Then nothing is lost
    /// when the output is closed, as by `head`.
    fn is_for_reading(&self) -> bool {
        matches!(
            self,
            Self::Translate(_)
                | Self::Score(_)
                | Self::Params(_)
                | Self::Write(_)
                | Self::Tokenize(_)
                | Self::Detokenize(_)
                | Self::Completions(_)
        )
    }
}

/// Every result is a new matrix, so memory must be handed out quickly.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

unsafe extern "C" {
    /// Sets an option of mimalloc, by its number in `mimalloc.h`. This is
    /// safe on any thread and at any time.
    safe fn mi_option_set(option: c_int, value: c_long);
}

/// Keeps freed memory for the next update, which needs as much. Otherwise
/// mimalloc returns it to the system after a second, and the system clears
/// all of it before it hands it out again.
fn keep_memory() {
    const PURGE_DELAY: c_int = 15;
    const NEVER: c_long = -1;
    mi_option_set(PURGE_DELAY, NEVER);
}
