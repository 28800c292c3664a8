//! The log of a run, `log.tsv`: a row for each checkpoint.

use all_you_need::loss::perplexity;
use all_you_need::optimizer::learning_rate;
use all_you_need::training::{Recipe, Update};
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind::NotFound, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

const HEADER: &str =
    "update\tlr\ttrain_loss\tvalid_loss\ttarget_tokens\tseconds\n";

/// What is noted of the training.
pub struct Log {
    file: Option<LogFile>,
    /// The sum of the losses since the last row, and how many there are.
    losses: (f64, usize),
    /// What the last row of an interrupted run says.
    before: Progress,
    /// Target tokens since this run began, or was taken up again.
    tokens: usize,
    began: Instant,
}

/// What has been done from the beginning of a run.
#[derive(Default)]
struct Progress {
    updates: usize,
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
    pub fn open(run: Option<&Path>, done: usize) -> Result<Self> {
        let (mut file, mut before) = (None, Progress::default());
        if let Some(run) = run {
            let path = run.join("log.tsv");
            let name = path.display().to_string();
            let (length, progress) =
                kept(&path, done).context(name.clone())?;
            let opened = cut(&path, length).context(name)?;
            (file, before) = (Some(LogFile { path, file: opened }), progress);
        }
        let (losses, tokens, began) = ((0.0, 0), 0, Instant::now());
        Ok(Self { file, losses, before, tokens, began })
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
        valid_loss: f64,
    ) -> Result<String> {
        let loss = self.loss();
        let seconds =
            self.before.seconds + self.began.elapsed().as_secs_f64();
        let tokens = self.before.target_tokens + self.tokens;
        let lr = learning_rate(recipe.peak_lr, update, recipe.warmup);
        self.losses = (0.0, 0);
        if let Some(file) = &mut self.file {
            let losses = format!("{loss:.4}\t{valid_loss:.4}");
            file.append(&format!(
                "{update}\t{lr:.6}\t{losses}\t{tokens}\t{seconds:.1}\n"
            ))?;
        }
        let perplexity = perplexity(valid_loss);
        Ok(format!(
            "update {update}: loss {loss:.3}; validation loss \
             {valid_loss:.3}, perplexity {perplexity:.2}; {seconds:.0} s"
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

/// How many bytes of a log are of the first `done` updates, and what the last
/// of their rows says.
fn kept(path: &Path, done: usize) -> Result<(u64, Progress)> {
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
    parse(text, done)
}

fn parse(text: &str, done: usize) -> Result<(u64, Progress)> {
    if text.is_empty() && done == 0 {
        return Ok(Default::default());
    }
    let Some(rows) = text.strip_prefix(HEADER) else {
        bail!("line 1 is not `{}`", HEADER.trim_end());
    };
    let (length, last) = parse_rows(rows, done)?;
    // After a log has been deleted, a new one begins behind this update.
    let begun_later = rows.is_empty() || length == 0 && rows.contains('\n');
    ensure!(
        last.updates == done || begun_later,
        "there is no row for update {done}, after which the run goes on"
    );
    Ok(((HEADER.len() + length) as u64, last))
}

fn parse_rows(rows: &str, done: usize) -> Result<(usize, Progress)> {
    let (mut length, mut last) = (0, Progress::default());
    for (number, row) in (2..).zip(rows.split_inclusive('\n')) {
        // A row without an end was being written when a kill came. Its
        // checkpoint was not there yet, so the row is not needed.
        let Some(whole) = row.strip_suffix('\n') else { break };
        let next = progress(whole)
            .filter(|next| next.updates > last.updates)
            .with_context(|| {
                format!("line {number} is not a row of a log")
            })?;
        if next.updates <= done {
            (length, last) = (length + row.len(), next);
        }
    }
    Ok((length, last))
}

/// What a row says, if it is one.
fn progress(row: &str) -> Option<Progress> {
    let fields: Vec<&str> = row.split('\t').collect();
    let &[updates, lr, train_loss, valid_loss, target_tokens, seconds] =
        &fields[..]
    else {
        return None;
    };
    for number in [lr, train_loss, valid_loss] {
        number.parse::<f64>().ok()?;
    }
    Some(Progress {
        updates: updates.parse().ok()?,
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
