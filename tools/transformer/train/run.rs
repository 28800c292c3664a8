//! The directory of a run: how it begins, goes on and is written.

use super::data::Data;
use super::log::Log;
use super::{Plan, STOP};
use crate::output::say;
use all_you_need::checkpoint::{
    Checkpoint, Digest, RunData, RunLock, Snapshot, check_vacant,
    checkpoint_path, lock, newest, prune,
};
use all_you_need::cluster::{ClusterError, LostPeer, Peers, broadcast};
use all_you_need::encoder::Config;
use all_you_need::training::{
    Example, Examples, Recipe, Training, validation_loss,
};
use anyhow::{Error, Result, bail, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Where a run is kept, and how much of it.
#[derive(Args, Clone)]
pub struct Directory {
    /// The directory for checkpoints and the log; without it nothing is
    /// kept.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Continue the run in this directory. The other flags must be those it
    /// began with; only --updates, --every, --keep and --threads may change.
    #[arg(long, requires = "out")]
    resume: bool,
    /// The number of updates from one checkpoint to the next, and from one
    /// line of the log to the next; by default a fortieth of all, or what
    /// the run that is resumed had.
    #[arg(long, value_parser = crate::flags::count)]
    every: Option<usize>,
    /// How many checkpoints to keep; by default ten, or what the run that is
    /// resumed had.
    #[arg(long, value_parser = crate::flags::count)]
    keep: Option<usize>,
}

impl Directory {
    /// What one of several processes keeps: only the first of them writes.
    pub fn for_process(&self, peers: &impl Peers) -> Self {
        match peers.is_first() {
            true => self.clone(),
            false => Self { out: None, resume: false, ..*self },
        }
    }

    /// The checkpoint to go on from, if that is wanted.
    pub fn find(&self) -> Result<Option<PathBuf>> {
        let Some(out) = &self.out else { return Ok(None) };
        let (found, dir) = (newest(out)?, out.display());
        ensure!(
            self.resume || found.is_none(),
            "there is a run in {dir} already; --resume goes on with it"
        );
        ensure!(
            found.is_some() || !self.resume,
            "there is no run in {dir} to go on with"
        );
        Ok(found)
    }

    /// What a new run notes of itself.
    pub fn data(
        &self,
        data: &Data,
        digest: Digest,
        updates: usize,
    ) -> RunData {
        RunData {
            task: data.task.clone(),
            training: digest,
            validation: Digest::of_pairs(&data.validation),
            every: self.every.unwrap_or(updates.div_ceil(40)),
            keep: self.keep.unwrap_or(10),
        }
    }

    /// Begins the run that is planned, or goes on with it. Other processes
    /// take over the model of the first.
    pub fn open(&self, plan: Plan, peers: &impl Peers) -> Result<Session> {
        let lock = self.out.as_deref().map(lock).transpose()?;
        // Another process may have begun one meanwhile.
        let mut checkpoint = match self.find()? {
            Some(dir) => self.resume(&dir, plan)?,
            None => begin(plan),
        };
        let done = checkpoint.training.adam.steps;
        let out = self.out.clone();
        if let Some(out) = &out {
            check_vacant(out, done)?;
        }
        let log = Log::open(out.as_deref(), done)?;
        checkpoint.training.follow(peers)?;
        Ok(Session { checkpoint, out, log, _lock: lock })
    }

    fn resume(&self, dir: &Path, plan: Plan) -> Result<Checkpoint> {
        let mut found = Checkpoint::load(dir)?;
        check_plan(dir, &found, &plan)?;
        found.training.recipe.updates = plan.recipe.updates;
        found.run.every = self.every.unwrap_or(found.run.every);
        found.run.keep = self.keep.unwrap_or(found.run.keep);
        Ok(found)
    }
}

fn begin(plan: Plan) -> Checkpoint {
    let Plan { config, recipe, tokenizer, run } = plan;
    let training = Training::new(&config, recipe);
    Checkpoint { config, training, tokenizer, run }
}

/// Whether a checkpoint is of the run that is planned.
fn check_plan(dir: &Path, found: &Checkpoint, plan: &Plan) -> Result<()> {
    check_data(dir, &found.run, &plan.run)?;
    let (dir, updates) = (dir.display(), plan.recipe.updates);
    let is =
        settings_as_text(&found.config, &found.training.recipe, updates)?;
    let should = settings_as_text(&plan.config, &plan.recipe, updates)?;
    for (is, should) in is.lines().zip(should.lines()) {
        ensure!(is == should, "{dir} has {is}, and not {should}");
    }
    let same = found.tokenizer == plan.tokenizer;
    ensure!(same, "{dir} has learned other merges");
    Ok(())
}

/// Whether a run would go on with the examples that it began with.
fn check_data(dir: &Path, is: &RunData, should: &RunData) -> Result<()> {
    let dir = dir.display();
    let (task, other) = (&is.task, &should.task);
    ensure!(task == other, "{dir} has learned {task}, and not {other}");
    let same = is.training == should.training;
    ensure!(same, "{dir} has learned from other texts");
    let same = is.validation == should.validation;
    ensure!(same, "{dir} was tested with other texts");
    Ok(())
}

/// Sizes and recipe, a line each. A run may go on to more updates than it
/// began with, so they are said apart.
pub fn settings_as_text(
    config: &Config,
    recipe: &Recipe,
    updates: usize,
) -> Result<String> {
    let recipe = Recipe { updates, ..recipe.clone() };
    Ok(toml::to_string(config)? + &toml::to_string(&recipe)?)
}

/// A run while it is being trained.
pub struct Session {
    checkpoint: Checkpoint,
    out: Option<PathBuf>,
    log: Log,
    _lock: Option<RunLock>,
}

/// How training ended.
pub enum End {
    Done,
    Interrupted,
}

impl Session {
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    pub fn into_checkpoint(self) -> Checkpoint {
        self.checkpoint
    }

    /// Makes the updates that are left, or those until Ctrl-C is pressed.
    pub fn learn(
        &mut self,
        peers: &impl Peers,
        examples: &dyn Examples,
        validation: &[Example],
    ) -> Result<End> {
        let Self { checkpoint, out, log, .. } = self;
        let Checkpoint { config, training, tokenizer, run } = checkpoint;
        let (updates, every) = (training.recipe.updates, run.every);
        let bar = bar(peers, updates, training.adam.steps);
        let end = training.run_with(peers, examples, |training, update| {
            log.add(&update);
            bar.set_message(log.message());
            bar.inc(1);
            let step = update.step;
            let stop = match is_stopped(peers) {
                Ok(stop) => stop,
                Err(lost) => return Break(Some(lost.into())),
            };
            let last = step == updates;
            let due = last || stop || step.is_multiple_of(every);
            if due && peers.is_first() {
                let now = Snapshot { config, training, tokenizer, run };
                let noted = note(now, log, out.as_deref(), validation);
                let said = noted.and_then(|line| bar.suspend(|| say(line)));
                if let Err(error) = said {
                    let after = format!("stopped after update {step}");
                    return Break(Some(error.context(after)));
                }
            }
            if stop && !last { Break(None) } else { Continue(()) }
        });
        bar.abandon();
        self.end(peers, end)
    }

    fn end(
        &self,
        peers: &impl Peers,
        end: Result<ControlFlow<Option<Error>>, ClusterError>,
    ) -> Result<End> {
        let out = self.out.as_deref();
        let how = match out {
            Some(_) => "stopped; the same command and --resume go on",
            None => "stopped; without --out nothing is kept",
        };
        match end {
            Ok(Continue(())) => Ok(End::Done),
            Ok(Break(Some(error))) => Err(error),
            // The first process says it.
            Ok(Break(None)) | Err(_) if !peers.is_first() => {
                Ok(End::Interrupted)
            }
            Ok(Break(None)) => say(how).map(|()| End::Interrupted),
            Err(diverged) => match out.map(newest).transpose()?.flatten() {
                Some(last) => {
                    let last = last.display();
                    bail!("{diverged}; the last checkpoint is {last}")
                }
                None => bail!("{diverged}; nothing was saved"),
            },
        }
    }
}

/// Whether Ctrl-C has been heard by the first process. Others may have heard
/// it an update earlier or later.
fn is_stopped(peers: &impl Peers) -> Result<bool, LostPeer> {
    let heard = u8::from(STOP.load(Relaxed));
    Ok(broadcast(peers, vec![heard])? == [1])
}

/// Measures a model, writes a row of the log and a checkpoint; returns what
/// to say of it.
fn note(
    now: Snapshot,
    log: &mut Log,
    out: Option<&Path>,
    validation: &[Example],
) -> Result<String> {
    let Training { model, adam, recipe } = now.training;
    let loss = validation_loss(model, validation);
    ensure!(loss.is_finite(), "the validation loss is not a finite number");
    let line = log.write(adam.steps, recipe, loss)?;
    if let Some(out) = out {
        now.save(&checkpoint_path(out, adam.steps))?;
        prune(out, now.run.keep)?;
    }
    Ok(line)
}

fn bar(peers: &impl Peers, updates: usize, done: usize) -> ProgressBar {
    let style = "{bar:30} {pos}/{len} {msg} {eta} left";
    let style = ProgressStyle::with_template(style).expect("a template");
    let bar = ProgressBar::new(updates as u64).with_style(style);
    let bar = bar.with_position(done as u64);
    if !peers.is_first() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.reset_eta();
    bar
}
