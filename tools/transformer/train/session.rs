//! A run while it is being trained.

use super::Train;
use super::log::Log;
use super::progress::Validation;
use super::run::best_of;
use super::settings;
use crate::output::{named, say};
use crate::stop::STOP;
use all_you_need::checkpoint::{
    Checkpoint, RunLock, Snapshot, checkpoint_path, keep_only, newest, prune,
};
use all_you_need::cluster::{ClusterError, LostPeer, Peers, broadcast};
use all_you_need::training::{Examples, Training};
use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// A run while it is being trained.
pub struct Session {
    pub checkpoint: Checkpoint,
    pub out: Option<PathBuf>,
    pub log: Log,
    pub validation: Validation,
    pub patience: Option<usize>,
    /// Of the run, and of the directory with its best checkpoint.
    pub _locks: Option<[RunLock; 2]>,
}

/// How training ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done,
    /// For so long nothing became better.
    Enough,
    Interrupted,
}

impl Session {
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    pub fn into_checkpoint(self) -> Checkpoint {
        self.checkpoint
    }

    /// Writes the settings of the run, if it is kept.
    pub fn save_settings(&self, train: &Train) -> Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        let files = train.files.source().is_some();
        let more = train.progress.settings(files)?;
        let Train { files, task, .. } = train;
        settings::save(out, &self.checkpoint, files, *task, more)
    }
}

impl Session {
    /// Makes the updates that are left, or those until Ctrl-C is pressed or
    /// nothing has become better for too long.
    pub fn learn(
        &mut self,
        peers: &impl Peers,
        examples: &dyn Examples,
    ) -> Result<End> {
        let updates = self.checkpoint.training.recipe.updates;
        let Self { checkpoint, out, log, validation, .. } = self;
        let Checkpoint { config, training, tokenizer, run } = checkpoint;
        let most = self.patience.map(|rows| rows.saturating_mul(run.every));
        let is_enough = |log: &Log, step| {
            most.is_some_and(|most| log.best.age(step) >= most)
        };
        let done = training.adam.steps;
        if share(peers, [false, is_enough(log, done)])?.1 {
            return self.end(peers, Ok(Break(Ok(End::Enough))));
        }
        let bar = bar(peers, updates, done);
        let end = training.run_with(peers, examples, |training, update| {
            log.add(&update);
            bar.set_message(log.message());
            bar.inc(1);
            let step = update.step;
            let last = step == updates;
            let stop = match is_stopped(peers) {
                Ok(stop) => stop && !last,
                Err(lost) => return Break(Err(lost.into())),
            };
            let due = last || stop || step.is_multiple_of(run.every);
            if due && peers.is_first() {
                let now = Snapshot { config, training, tokenizer, run };
                let noted = note(now, log, out.as_deref(), validation);
                let said = noted.and_then(|line| bar.suspend(|| say(line)));
                if let Err(error) = said {
                    let after = format!("stopped after update {step}");
                    return Break(Err(error.context(after)));
                }
            }
            match share(peers, [stop, due && is_enough(log, step)]) {
                Ok((true, _)) => Break(Ok(End::Interrupted)),
                Ok((_, true)) if !last => Break(Ok(End::Enough)),
                Ok(_) => Continue(()),
                Err(lost) => Break(Err(lost.into())),
            }
        });
        bar.abandon();
        self.end(peers, end)
    }

    fn end(
        &self,
        peers: &impl Peers,
        end: Result<ControlFlow<Result<End>>, ClusterError>,
    ) -> Result<End> {
        let end = match end {
            Ok(Continue(())) => End::Done,
            Ok(Break(end)) => end?,
            // The first process says it.
            Err(_) if !peers.is_first() => End::Interrupted,
            Err(diverged) => bail!("{diverged}; {}", self.left()?),
        };
        if peers.is_first() && end != End::Done {
            say(self.farewell(end)?)?;
        }
        Ok(end)
    }

    /// What is left of a run that has diverged.
    fn left(&self) -> Result<String> {
        let last = self.out.as_deref().map(newest).transpose()?.flatten();
        Ok(match last {
            Some(last) => format!("the last checkpoint is {}", named(&last)),
            None => "nothing was saved".to_owned(),
        })
    }

    /// What to say when not all updates are made.
    fn farewell(&self, end: End) -> Result<String> {
        let Some(out) = &self.out else {
            return Ok("stopped; without --out nothing is kept".to_owned());
        };
        let name = named(out);
        Ok(match (end, newest(&best_of(out))?) {
            (End::Enough, Some(best)) => {
                format!("nothing has become better than {}", named(&best))
            }
            _ => format!("stopped; train --resume --out {name} goes on"),
        })
    }
}

/// Whether Ctrl-C has been heard by any process; only the first is told.
/// Others may have heard it an update earlier or later.
fn is_stopped(peers: &impl Peers) -> Result<bool, LostPeer> {
    let mut heard = STOP.load(Relaxed);
    if !peers.is_first() {
        peers.send(0, &[u8::from(heard)])?;
        return Ok(false);
    }
    for rank in 1..peers.size() {
        heard |= peers.receive(rank)? == [1];
    }
    Ok(heard)
}

/// What the first process has found, for all.
fn share(
    peers: &impl Peers,
    found: [bool; 2],
) -> Result<(bool, bool), LostPeer> {
    let found = broadcast(peers, found.map(u8::from).to_vec())?;
    Ok((found[0] == 1, found[1] == 1))
}

/// Measures a model, writes a row of the log and a checkpoint; returns what
/// to say of it.
fn note(
    now: Snapshot,
    log: &mut Log,
    out: Option<&Path>,
    validation: &Validation,
) -> Result<String> {
    let Training { adam, recipe, .. } = now.training;
    let step = adam.steps;
    let (quality, samples) = validation.measure(now)?;
    let line = log.write(step, recipe, quality)?;
    if let Some(out) = out {
        now.save(&checkpoint_path(out, step))?;
        prune(out, now.run.keep)?;
        if log.best.is(step) {
            keep_best(now, out)?;
        }
    }
    Ok([vec![line], samples].concat().join("\n"))
}

/// Keeps this checkpoint as the best, and no other.
pub fn keep_best(now: Snapshot, out: &Path) -> Result<()> {
    let best = best_of(out);
    let own = checkpoint_path(&best, now.training.adam.steps);
    if !own.exists() {
        now.save(&own)?;
    }
    Ok(keep_only(&own)?)
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
