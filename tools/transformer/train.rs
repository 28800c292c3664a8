//! `transformer train`

mod data;
mod hyperparameters;
mod log;
mod run;
mod size;

pub use size::Preset;

#[cfg(feature = "cluster")]
use crate::cluster::OpenMpi as Processes;
use crate::flags::misuse;
use crate::output::say;
use all_you_need::checkpoint::{Checkpoint, RunData};
#[cfg(not(feature = "cluster"))]
use all_you_need::cluster::Alone as Processes;
use all_you_need::cluster::{Peers, agree};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::tasks::Task;
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{
    Example, Examples, Recipe, Training, target_tokens,
};
use all_you_need::translation::{TextPair, Translator, examples};
use anyhow::{Context, Result, ensure};
use clap::Args;
use data::{Data, Files};
use hyperparameters::Hyperparameters;
use run::{Directory, End, settings_as_text};
use size::{ModelSize, UNMERGED};
use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Learn a small task, or to translate from two files.
///
/// Without flags: learn to reverse words, and say how well.
#[derive(Args)]
pub struct Train {
    /// The task to learn: copy, reverse, sort or dates.
    #[arg(long, default_value = "reverse", conflicts_with = "source")]
    task: Task,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    size: ModelSize,
    #[command(flatten)]
    hyperparameters: Hyperparameters,
    #[command(flatten)]
    directory: Directory,
}

/// What the flags ask for: a checkpoint without what is learned.
struct Plan {
    config: Config,
    recipe: Recipe,
    tokenizer: Tokenizer,
    run: RunData,
}

impl Plan {
    /// The examples to train with, and those to test with.
    fn examples(
        &self,
        data: &Data,
    ) -> Result<(Box<dyn Examples>, Vec<Example>)> {
        let Self { tokenizer, run, .. } = self;
        let validation = examples(&data.validation, tokenizer);
        let validation = validation.context("validation texts")?;
        let training = data.training.examples(&run.training, tokenizer);
        let training = training.context("training texts")?;
        check_batch(&*training, self.recipe.batch_tokens)?;
        Ok((training, validation))
    }

    /// Whether all processes plan the same.
    fn agree(&self, peers: &impl Peers) -> Result<()> {
        let (size, parts) = (peers.size(), self.recipe.parts);
        let sentence = "are too few for so many processes; --parts has more";
        ensure!(
            size <= parts || !peers.is_first(),
            "{parts} parts {sentence}"
        );
        let version = env!("CARGO_PKG_VERSION");
        let Recipe { updates, .. } = self.recipe;
        let settings = settings_as_text(&self.config, &self.recipe, updates)?;
        let run = toml::to_string(&self.run)?;
        let all = format!("version = {version}\n{settings}{run}");
        Ok(agree(peers, &all)?)
    }
}

/// Whether there is enough for a batch.
fn check_batch(examples: &dyn Examples, batch_tokens: usize) -> Result<()> {
    let all = target_tokens(examples);
    ensure!(
        all >= batch_tokens,
        "all translations together have {all} tokens, too few for a batch \
         of {batch_tokens}; --batch-tokens makes it smaller"
    );
    Ok(())
}

/// Whether Ctrl-C has been pressed. Pressed again, it does not wait.
static STOP: AtomicBool = AtomicBool::new(false);

/// What a shell says of a program that was ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

fn stop() {
    if STOP.swap(true, Relaxed) {
        process::exit(INTERRUPTED.into());
    }
}

impl Train {
    pub fn run(&self) -> Result<ExitCode> {
        let peers = Processes::join();
        let code = self.train(&peers)?;
        peers.leave();
        Ok(code)
    }

    fn train(&self, peers: &impl Peers) -> Result<ExitCode> {
        let directory = self.directory.for_process(peers);
        directory.find()?;
        let (config, recipe) = self.settings();
        let data = self.data()?;
        let plan = self.plan(config, recipe, &data)?;
        let (training, validation) = plan.examples(&data)?;
        plan.agree(peers)?;
        let mut session = directory.open(plan, peers)?;
        ctrlc::set_handler(stop)?;
        if peers.is_first() {
            self.describe(session.checkpoint(), training.count())?;
        }
        let end = session.learn(peers, &*training, &validation)?;
        if let End::Interrupted = end {
            return Ok(INTERRUPTED.into());
        }
        // From now on nothing is lost if Ctrl-C does not wait.
        STOP.store(true, Relaxed);
        if self.files.source().is_some() || !peers.is_first() {
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

    /// What the preset and the flags ask for, if it goes together.
    fn settings(&self) -> (Config, Recipe) {
        let files = self.files.source().is_some();
        let preset = self.size.preset(files);
        let config = self.size.config(preset, files);
        let recipe = self.hyperparameters.recipe(&preset.recipe());
        config.check().unwrap_or_else(|error| misuse(error));
        recipe.check().unwrap_or_else(|error| misuse(error));
        (config, recipe)
    }

    /// The plan of a new run. If it has texts, their words are counted, and the
    /// merges are learned from them.
    fn plan(
        &self,
        mut config: Config,
        recipe: Recipe,
        data: &Data,
    ) -> Result<Plan> {
        let (digest, words) = data.training.survey()?;
        let merges = config.vocabulary - UNMERGED;
        let tokenizer = Tokenizer::new(Bpe::learn(words, merges));
        config.vocabulary = tokenizer.vocabulary();
        let run = self.directory.data(data, digest, recipe.updates);
        Ok(Plan { config, recipe, tokenizer, run })
    }

    /// What is learned, and by how large a model.
    fn describe(&self, checkpoint: &Checkpoint, n: usize) -> Result<()> {
        let Training { recipe, model, adam } = &checkpoint.training;
        let (parameters, done) = (parameter_count(model), adam.steps);
        let what = match self.files.source() {
            Some(file) => file.display().to_string(),
            None => format!("the task {}", self.task.name()),
        };
        say(format!("{n} examples of {what}, {parameters} parameters"))?;
        if done >= recipe.updates {
            say(format!(
                "all {done} updates are made; a larger --updates makes more"
            ))?;
        }
        Ok(())
    }
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
