//! `transformer learn`

use crate::flags;
use crate::output::{named, say};
use crate::stop::{INTERRUPTED, STOP, stop};
use crate::train::{Hyperparameters, Sizes, UNMERGED};
use all_you_need::checkpoint::{
    Digest, checkpoint_path, lock, newest, prune,
};
use all_you_need::encoder::Config;
use all_you_need::loss::perplexity;
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::training::{Recipe, Update};
use all_you_need::translation::read;
use all_you_need::writer::{Draft, Half, Trainer, WINDOW, Writer, config};
use all_you_need::writer::{mean_loss, recipe, running, windows};
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use std::{fs, mem};

/// Learn to write from a text, and keep the writer in a directory.
///
/// Says up to twenty times how well it predicts a text that it does not learn from,
/// as a table with tabs. After each row it saves what it has learned, in a
/// directory beside the other, and with Ctrl-C it stops.
#[derive(Args)]
pub struct Learn {
    /// A file to learn from, a paragraph on each line.
    #[arg(long)]
    text: PathBuf,
    /// A file with other paragraphs, to measure the progress.
    #[arg(long)]
    held_out: PathBuf,
    /// The directory to make.
    #[arg(long)]
    out: PathBuf,
    /// The number of byte pairs to merge.
    #[arg(long, default_value = "500", value_parser = flags::count_or_none)]
    merges: usize,
    #[command(flatten)]
    sizes: Sizes,
    #[command(flatten)]
    hyperparameters: Hyperparameters,
    /// Go on with a writer that was interrupted; the other flags must be those
    /// that it began with.
    #[arg(long)]
    resume: bool,
}

/// The paragraphs of a file.
fn paragraphs(file: &Path) -> Result<Vec<String>> {
    let mut lines = read(file)?;
    lines.retain(|line| !line.is_empty());
    ensure!(!lines.is_empty(), "{} is empty", file.display());
    Ok(lines)
}

impl Learn {
    pub fn run(&self) -> Result<ExitCode> {
        check_new(&self.out)?;
        let recipe = self.hyperparameters.of(&recipe(1));
        let config = self.sizes.of(config(UNMERGED + self.merges));
        let (lines, others) =
            (paragraphs(&self.text)?, paragraphs(&self.held_out)?);
        let new = self.draft(&lines, config, recipe);
        let tokenizer = &new.writer.tokenizer;
        let (text, other) =
            (running(&lines, tokenizer), running(&others, tokenizer));
        ensure!(
            text.len().min(other.len()) > WINDOW,
            "a text has no more than {WINDOW} tokens, and needs one more"
        );
        let learning = learning_of(&self.out);
        let lock = lock(&learning)?;
        let draft = self.begin(new, &learning)?;
        ctrlc::set_handler(stop)?;
        let (draft, said) = learn(draft, &learning, &text, &other)?;
        if draft.adam.steps < draft.writer.recipe.updates {
            said?;
            say("stopped; the same command and --resume go on")?;
            return Ok(INTERRUPTED.into());
        }
        draft.writer.save(&self.out)?;
        drop(lock);
        fs::remove_dir_all(&learning).with_context(|| named(&learning))?;
        said.context("the writer is saved, but not all could be said")?;
        Ok(ExitCode::SUCCESS)
    }

    /// A writer that has learned nothing but its tokens.
    fn draft(
        &self,
        lines: &[String],
        mut config: Config,
        recipe: Recipe,
    ) -> Draft {
        let all = lines.join(" ");
        let tokenizer = Tokenizer::new(Bpe::train(&all, self.merges));
        config.vocabulary = tokenizer.vocabulary();
        let Trainer { recipe, model, adam } =
            Trainer::new(recipe, |rng| Half::new(&config, rng));
        let text = Digest::of(all.as_bytes());
        let writer = Writer { config, model, tokenizer, recipe, text };
        Draft { writer, adam }
    }

    /// The new draft, or the one to go on with, if that is wanted.
    fn begin(&self, new: Draft, learning: &Path) -> Result<Draft> {
        let (found, out) = (newest(learning)?, named(&self.out));
        let Some(dir) = found else {
            ensure!(!self.resume, "{out} has not begun to learn");
            return Ok(new);
        };
        ensure!(
            self.resume,
            "{out} has begun to learn; --resume goes on with it"
        );
        let (found, dir) = (Draft::load(&dir)?, named(&dir));
        let (is, should) = (&found.writer, &new.writer);
        let same = is.text == should.text;
        ensure!(same, "{dir} has learned from another text");
        let same = is.config == should.config
            && is.recipe == should.recipe
            && is.tokenizer == should.tokenizer;
        ensure!(same, "{dir} has begun with other flags");
        Ok(found)
    }
}

/// Whether the directory can be made, before there is anything to lose.
fn check_new(out: &Path) -> Result<()> {
    ensure!(!out.exists(), "{} is there already", out.display());
    Ok(())
}

/// Where a writer is while it learns.
fn learning_of(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".learning");
    name.into()
}

/// What has been learned, and whether all could be said.
type Learned = (Draft, Result<()>);

/// Makes all updates, or those until Ctrl-C is pressed. Says how it goes, and
/// saves a draft. If the output is closed, it goes on in silence.
fn learn(
    draft: Draft,
    learning: &Path,
    text: &[Token],
    other: &[Token],
) -> Result<Learned> {
    let Draft { mut writer, adam } = draft;
    let examples = windows(text, WINDOW, WINDOW / 8);
    let others = windows(other, WINDOW, WINDOW);
    let (recipe, model) = (writer.recipe.clone(), writer.model.clone());
    let mut trainer = Trainer { recipe, model, adam };
    let updates = trainer.recipe.updates;
    let (start, every) = (Instant::now(), updates.div_ceil(20));
    say("update\tseconds\ttraining\theld out\tperplexity")?;
    let (mut losses, mut said) = (Vec::new(), Ok(()));
    let end = trainer.run(&examples, |now, Update { step, loss, .. }| {
        losses.push(loss);
        let stop = STOP.load(Relaxed);
        if stop || step.is_multiple_of(every) || step == updates {
            let nats = mean_loss(&now.model, &others);
            let seconds = start.elapsed().as_secs();
            let loss = losses.iter().sum::<f32>() / losses.len() as f32;
            let row = row(step, seconds, loss, nats);
            said = mem::replace(&mut said, Ok(())).and_then(|()| say(row));
            losses.clear();
            writer.model = now.model.clone();
            let adam = now.adam.clone();
            let draft = Draft { writer: writer.clone(), adam };
            if let Err(error) = keep(&draft, learning) {
                return Break(Err(error));
            }
        }
        if stop { Break(Ok(())) } else { Continue(()) }
    })?;
    if let Break(end) = end {
        end?;
    }
    Ok((Draft { writer, adam: trainer.adam }, said))
}

/// Saves a draft, and removes those before it.
fn keep(draft: &Draft, learning: &Path) -> Result<()> {
    draft.save(&checkpoint_path(learning, draft.adam.steps))?;
    Ok(prune(learning, 1)?)
}

fn row(step: usize, seconds: u64, loss: f32, nats: f64) -> String {
    let perplexity = perplexity(nats);
    format!("{step}\t{seconds}\t{loss:.4}\t{nats:.4}\t{perplexity:.2}")
}
