//! The log of a run, `log.tsv`: a row for each checkpoint.

use super::progress::{Best, Measure, Quality};
use all_you_need::loss::perplexity;
use all_you_need::optimizer::learning_rate;
use all_you_need::training::{Recipe, Update};
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind::NotFound, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

const HEADER: &str = "update\tlr\ttrain_loss\tvalid_loss\ttarget_tokens\tseconds\tvalid_bleu\n";

/// What the last column has if nothing was translated.
const NO_BLEU: &str = "-";

/// What is noted of the training.
pub struct Log {
    file: Option<LogFile>,
    /// The sum of the losses since the last row, and how many there are.
    losses: (f64, usize),
    /// What the rows of an interrupted run say.
    before: Before,
    /// The best row of all.
    pub best: Best,
    by: Measure,
    /// Target tokens since this run began, or was taken up again.
    tokens: usize,
    began: Instant,
}

/// What was done before a run was taken up again.
#[derive(Default)]
struct Before {
    updates: usize,
    target_tokens: usize,
    seconds: f64,
    best: Best,
}

/// What a row says.
struct Row {
    updates: usize,
    quality: Quality,
    target_tokens: usize,
    seconds: f64,
}

struct LogFile {
    path: PathBuf,
    file: File,
}

impl Log {
    /// The log in a run's directory, with the rows of the first `done`
    /// updates. A kill may have come between a row and its checkpoint, so
    /// later rows are removed.
    pub fn open(
        run: Option<&Path>,
        done: usize,
        by: Measure,
    ) -> Result<Self> {
        let (mut file, mut before) = (None, Before::default());
        if let Some(run) = run {
            let path = run.join("log.tsv");
            let name = path.display().to_string();
            let (length, rows) =
                kept(&path, done, by).context(name.clone())?;
            let opened = cut(&path, length).context(name)?;
            (file, before) = (Some(LogFile { path, file: opened }), rows);
        }
        let (losses, tokens, began) = ((0.0, 0), 0, Instant::now());
        let best = before.best;
        Ok(Self { file, losses, before, best, by, tokens, began })
    }

    pub fn add(&mut self, update: &Update<f32>) {
        self.losses.0 += f64::from(update.loss);
        self.losses.1 += 1;
        self.tokens += update.target_tokens;
    }

    /// The mean of the losses since the last row.
    fn loss(&self) -> f64 {
        self.losses.0 / self.losses.1 as f64
    }

    /// What is said beside the progress bar.
    pub fn message(&self) -> String {
        let seconds = self.began.elapsed().as_secs_f64();
        let (loss, speed) = (self.loss(), self.tokens as f64 / seconds);
        format!("loss {loss:.3}, {speed:.0} tokens/s,")
    }

    /// Writes one more row; returns what to say of it.
    pub fn write(
        &mut self,
        update: usize,
        recipe: &Recipe,
        quality: Quality,
    ) -> Result<String> {
        let (loss, Quality { loss: valid, bleu }) = (self.loss(), quality);
        let seconds =
            self.before.seconds + self.began.elapsed().as_secs_f64();
        let tokens = self.before.target_tokens + self.tokens;
        let lr = learning_rate(recipe.peak_lr, update, recipe.warmup);
        self.losses = (0.0, 0);
        self.best.see(update, quality, self.by);
        if let Some(file) = &mut self.file {
            let losses = format!("{loss:.4}\t{valid:.4}");
            let bleu = bleu.map(|bleu| format!("{bleu:.2}"));
            let bleu = bleu.as_deref().unwrap_or(NO_BLEU);
            file.append(&format!(
                "{update}\t{lr:.6}\t{losses}\t{tokens}\t{seconds:.1}\t{bleu}\n"
            ))?;
        }
        let perplexity = perplexity(valid);
        let bleu = bleu.map(|bleu| format!(", BLEU {bleu:.2}"));
        let bleu = bleu.unwrap_or_default();
        let best =
            if self.best.is(update) { "; the best so far" } else { "" };
        Ok(format!(
            "update {update}: loss {loss:.3}; validation loss {valid:.3}, \
             perplexity {perplexity:.2}{bleu}; {seconds:.0} s{best}"
        ))
    }
}

impl LogFile {
    /// All the way to the disk, since a checkpoint comes next.
    fn append(&mut self, row: &str) -> Result<()> {
        let written = self.file.write_all(row.as_bytes());
        written
            .and_then(|()| self.file.sync_data())
            .with_context(|| self.path.display().to_string())
    }
}

/// How many bytes of a log are of the first `done` updates, and what their
/// rows say.
fn kept(path: &Path, done: usize, by: Measure) -> Result<(u64, Before)> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == NotFound => {
            return Ok(Default::default());
        }
        Ok(found) => ensure!(found.is_file(), "it is not a regular file"),
        Err(error) => return Err(error.into()),
    }
    let bytes = fs::read(path)?;
    let text = str::from_utf8(&bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        anyhow::anyhow!("line {line}: {error}")
    })?;
    parse(text, done, by)
}

fn parse(text: &str, done: usize, by: Measure) -> Result<(u64, Before)> {
    if text.is_empty() && done == 0 {
        return Ok(Default::default());
    }
    let Some(rows) = text.strip_prefix(HEADER) else {
        bail!("line 1 is not `{}`", HEADER.trim_end());
    };
    let (length, last) = parse_rows(rows, done, by)?;
    // After a log has been deleted, a new one begins behind this update.
    let begun_later = rows.is_empty() || length == 0 && rows.contains('\n');
    ensure!(
        last.updates == done || begun_later,
        "there is no row for update {done}, after which the run goes on"
    );
    Ok(((HEADER.len() + length) as u64, last))
}

fn parse_rows(
    rows: &str,
    done: usize,
    by: Measure,
) -> Result<(usize, Before)> {
    let (mut length, mut before, mut last) = (0, Before::default(), 0);
    for (number, row) in (2..).zip(rows.split_inclusive('\n')) {
        // A row without an end was being written when a kill came. Its
        // checkpoint was not there yet, so the row is not needed.
        let Some(whole) = row.strip_suffix('\n') else { break };
        let next = parse_row(whole).filter(|next| next.updates > last);
        let Row { updates, quality, target_tokens, seconds } = next
            .with_context(|| {
                format!("line {number} is not a row of a log")
            })?;
        last = updates;
        if updates <= done {
            length += row.len();
            let Before { mut best, .. } = before;
            best.see(updates, quality, by);
            before = Before { updates, target_tokens, seconds, best };
        }
    }
    Ok((length, before))
}

/// What a row says, if it is one.
fn parse_row(row: &str) -> Option<Row> {
    let fields: Vec<&str> = row.split('\t').collect();
    let &[updates, lr, train_loss, loss, target_tokens, seconds, bleu] =
        &fields[..]
    else {
        return None;
    };
    for number in [lr, train_loss] {
        number.parse::<f64>().ok()?;
    }
    let bleu = match bleu {
        NO_BLEU => None,
        number => Some(number.parse().ok()?),
    };
    Some(Row {
        updates: updates.parse().ok()?,
        quality: Quality { loss: loss.parse().ok()?, bleu },
        target_tokens: target_tokens.parse().ok()?,
        seconds: seconds.parse().ok()?,
    })
}

/// Opens a log to write after its first bytes; a new one gets its header.
fn cut(path: &Path, length: u64) -> io::Result<File> {
    let mut open = OpenOptions::new();
    let mut file =
        open.create(true).truncate(false).write(true).open(path)?;
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    if length == 0 {
        file.write_all(HEADER.as_bytes())?;
    }
    Ok(file)
}
