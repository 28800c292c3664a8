//! `transformer train`

mod data;
mod hyperparameters;
mod log;
mod plan;
mod progress;
mod run;
mod session;
pub mod settings;
mod size;

pub use hyperparameters::Hyperparameters;
pub use run::best_of;
pub use size::{Preset, Sizes, UNMERGED};

#[cfg(feature = "cluster")]
use crate::cluster::OpenMpi as Processes;
use crate::flags;
use crate::output::say;
use crate::stop::{INTERRUPTED, STOP, stop};
#[cfg(not(feature = "cluster"))]
use all_you_need::cluster::Alone as Processes;
use all_you_need::cluster::Peers;
use all_you_need::tasks::Task;
use all_you_need::translation::{TextPair, Translator};
use anyhow::{Result, ensure};
use clap::Args;
use data::{Data, Files};
use plan::check_memory;
use progress::Progress;
use run::Directory;
use session::End;
use size::{ModelSize, presets};
use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

/// Learn a small task, or to translate from two files.
///
/// Without flags: learn to reverse words, and say how well. It says what it
/// will do before it does it.
#[derive(Args)]
#[command(args_override_self = true, after_long_help = presets())]
pub struct Train {
    /// The task to learn: copy, reverse, sort or dates.
    #[arg(long, default_value = "reverse", conflicts_with = "source")]
    task: Task,
    /// A file with flags, one on each line: `updates = 400`. Those of a run
    /// are in its directory, in `train.toml`. What is typed counts more.
    #[arg(long, conflicts_with = "resume")]
    config: Option<PathBuf>,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    size: ModelSize,
    #[command(flatten)]
    hyperparameters: Hyperparameters,
    /// The number of updates, from the first, in which the other direction
    /// is learned as well; by default the preset's share of all updates.
    #[arg(long, value_parser = flags::count_or_none)]
    bidirectional_updates: Option<usize>,
    #[command(flatten)]
    directory: Directory,
    #[command(flatten)]
    progress: Progress,
}

impl Train {
    pub fn run(&self) -> Result<ExitCode> {
        check_alone()?;
        let peers = Processes::join();
        let code = self.train(&peers)?;
        peers.leave();
        Ok(code)
    }

    fn train(&self, peers: &impl Peers) -> Result<ExitCode> {
        let directory = self.directory.for_process(peers);
        directory.find()?;
        let (config, recipe) = self.settings();
        check_memory(&config, &recipe)?;
        let data = self.data()?;
        let plan = self.plan(config, recipe, &data)?;
        let (training, validation) = plan.examples(&data)?;
        let files = self.files.source().is_some();
        let validation =
            self.progress.validation(validation, &data.validation, files)?;
        plan.agree(peers)?;
        let mut session = directory.open(
            plan,
            peers,
            validation,
            self.progress.patience,
        )?;
        ctrlc::set_handler(stop)?;
        if peers.is_first() {
            session.save_settings(self)?;
            say(self.description(session.checkpoint(), &*training))?;
        }
        if let End::Interrupted = session.learn(peers, &*training)? {
            return Ok(INTERRUPTED.into());
        }
        // From now on nothing is lost if Ctrl-C does not wait.
        STOP.store(true, Relaxed);
        if files || !peers.is_first() {
            return Ok(ExitCode::SUCCESS);
        }
        examine(session.into_checkpoint().into(), &data.validation)?;
        Ok(ExitCode::SUCCESS)
    }

    fn data(&self) -> Result<Data> {
        match self.files.read()? {
            Some(data) => Ok(data),
            None => Ok(Data::of(self.task, self.hyperparameters.seed)),
        }
    }
}

/// An error, if `mpirun` has started others that this process cannot hear.
fn check_alone() -> Result<()> {
    let size = env::var("OMPI_COMM_WORLD_SIZE").unwrap_or("1".to_owned());
    ensure!(
        size == "1" || cfg!(feature = "cluster"),
        "there are {size} processes, and this program was built for one; \
         with the feature `cluster` it trains in several"
    );
    Ok(())
}

/// Says how many answers are right, to the letter.
fn examine(translator: Translator, pairs: &[TextPair]) -> Result<()> {
    let texts: Vec<_> = pairs.iter().map(|(text, _)| text).collect();
    let answers =
        translator.translate(&texts, &translator.beam(1, 0.0, 1))?;
    for (text, answer) in texts.iter().zip(&answers).take(3) {
        say(format!("{text} → {answer}"))?;
    }
    let right = answers.iter().zip(pairs).filter(|(a, (_, b))| *a == b);
    let (right, all) = (right.count(), pairs.len());
    let verdict = if right == all { "solved" } else { "not yet solved" };
    say(format!("{verdict}: {right} of {all} new examples are right"))
}
