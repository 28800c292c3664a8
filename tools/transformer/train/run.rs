//! The directory of a run: how it begins, goes on and is written.

use super::data::Data;
use super::log::Log;
use super::plan::{Plan, settings_as_text};
use super::progress::Validation;
use super::session::{Session, keep_best};
use crate::kind::{Kind, check};
use crate::output::named;
use all_you_need::checkpoint::{
    Checkpoint, Digest, RunData, Snapshot, check_vacant, lock, newest,
};
use all_you_need::cluster::Peers;
use all_you_need::training::Training;
use anyhow::{Result, ensure};
use clap::Args;
use std::path::{Path, PathBuf};

/// Where a run is kept, and how much of it.
#[derive(Args, Clone)]
pub struct Directory {
    /// The directory for checkpoints and the log; without it nothing is
    /// kept.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Continue the run in this directory, with the flags that it began with.
    /// They need not be typed again. If they are, they must be the same; only
    /// --updates, --every, --keep, --patience, --bleu-texts, --best-by and
    /// --threads may change.
    #[arg(long, requires = "out")]
    resume: bool,
    /// The number of updates from one checkpoint to the next, and from one
    /// line of the log to the next; by default a fortieth of all, or what
    /// the run that is resumed had.
    #[arg(long, value_parser = crate::flags::count)]
    every: Option<usize>,
    /// How many of the last checkpoints to keep, besides the best; by default
    /// ten, or what the run that is resumed had.
    #[arg(long, value_parser = crate::flags::count)]
    keep: Option<usize>,
}

impl Directory {
    /// What one of several processes keeps: only the first of them writes.
    pub fn for_process(&self, peers: &impl Peers) -> Self {
        match peers.is_first() {
            true => self.clone(),
            false => Self { out: None, ..*self },
        }
    }

    /// The checkpoint to go on from, if that is wanted.
    pub fn find(&self) -> Result<Option<PathBuf>> {
        let Some(out) = &self.out else { return Ok(None) };
        check(out, &[Kind::Run])?;
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

    /// Where a run is kept, and how often.
    pub fn description(&self, run: &RunData) -> String {
        let Some(out) = &self.out else {
            return "nothing is kept, since there is no --out".to_owned();
        };
        let (RunData { every, keep, .. }, out) = (run, named(out));
        format!(
            "a checkpoint every {every} updates in {out}, which keeps the \
             last {keep} and the best"
        )
    }

    /// Begins the run that is planned, or goes on with it. Other processes
    /// take over the model of the first.
    pub fn open(
        &self,
        plan: Plan,
        peers: &impl Peers,
        validation: Validation,
        patience: Option<usize>,
    ) -> Result<Session> {
        let out = self.out.clone();
        let locks = match &out {
            Some(out) => Some([lock(out)?, lock(&best_of(out))?]),
            None => None,
        };
        // Another process may have begun one meanwhile.
        let mut checkpoint = match self.find()? {
            Some(dir) => self.resume(&dir, plan)?,
            None => begin(plan),
        };
        let done = checkpoint.training.adam.steps;
        if let Some(out) = &out {
            check_vacant(out, done)?;
        }
        let log = Log::open(out.as_deref(), done, validation.by)?;
        if let Some(out) = out.as_deref().filter(|_| log.best.is(done)) {
            // A kill may have come before it was kept as the best.
            keep_best(snapshot(&checkpoint), out)?;
        }
        checkpoint.training.follow(peers)?;
        Ok(Session {
            checkpoint,
            out,
            log,
            validation,
            patience,
            _locks: locks,
        })
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

/// The directory of a run's best checkpoint.
pub fn best_of(run: &Path) -> PathBuf {
    run.join("best")
}

fn snapshot(checkpoint: &Checkpoint) -> Snapshot<'_> {
    let Checkpoint { config, training, tokenizer, run } = checkpoint;
    Snapshot { config, training, tokenizer, run }
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
