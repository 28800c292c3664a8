//! The settings of a run as a file: a flag of `train` on each line.

use super::data::Files;
use super::plan::share;
use crate::kind::read_settings;
use all_you_need::checkpoint::{Checkpoint, replace_file};
use all_you_need::tasks::Task;
use anyhow::{Context, Result, bail, ensure};
use clap::error::ErrorKind::{InvalidValue, ValueValidation};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Spanned, Table, Value};

/// The name of the file in the directory of a run.
const NAME: &str = "train.toml";

/// What a file of settings begins with.
const TITLE: &str = "# Flags of `transformer train`, for --config.\n";

/// The flag for the updates in both directions.
const BOTH: &str = "bidirectional-updates";

/// Flags that say what to do with a run, and are no settings of it.
const APART: [&str; 4] = ["out", "resume", "config", "threads"];

/// A command line in which `train` has the flags of a file, too: of the one
/// that `--config` names, or of the run with which `--resume` goes on. What was
/// typed comes after them, and so it counts.
pub fn with_saved(
    parser: &Command,
    mut typed: Vec<OsString>,
) -> Result<Vec<OsString>> {
    let lenient = parser.clone().ignore_errors(true);
    let matches = lenient.get_matches_from(&typed);
    let Some(train) = matches.subcommand_matches("train") else {
        return Ok(typed);
    };
    if let Some(file) = file(train) {
        let name = file.display().to_string();
        let mut flags = flags(parser, &file).context(name)?;
        flags.retain(|(key, _)| !is_replaced(key, train));
        if !train.get_flag("resume") {
            keep_share(&mut flags, train);
        }
        let place = typed.iter().position(|word| word == "train");
        let place = place.context("a command")? + 1;
        let words = flags.into_iter().map(|(_, word)| word.into());
        typed.splice(place..place, words);
    }
    Ok(typed)
}

/// The file with more flags, if there is one. An older run has none.
fn file(train: &ArgMatches) -> Option<PathBuf> {
    let path = |flag| train.get_one::<PathBuf>(flag).cloned();
    let run = path("out").filter(|_| train.get_flag("resume"));
    let of_run = run.map(|run| run.join(NAME)).filter(|file| file.exists());
    path("config").or(of_run)
}

/// Whether a flag means other data than those that were typed.
fn is_replaced(key: &str, train: &ArgMatches) -> bool {
    let is_typed =
        |flag| train.value_source(flag) == Some(ValueSource::CommandLine);
    match key {
        "task" => is_typed("source"),
        "source" | "target" | "valid-source" | "valid-target" => {
            is_typed("task")
        }
        _ => false,
    }
}

/// With another number of updates than the file has, those in both directions
/// keep their share.
fn keep_share(flags: &mut [(String, String)], train: &ArgMatches) {
    let of_file = |name| -> Option<usize> {
        let (_, word) = flags.iter().find(|(key, _)| key == name)?;
        word.rsplit('=').next()?.parse().ok()
    };
    let (Some(both), Some(all), Some(&updates)) =
        (of_file(BOTH), of_file("updates"), train.get_one("updates"))
    else {
        return;
    };
    let both = share(both, all, updates);
    for (_, word) in flags.iter_mut().filter(|(key, _)| key == BOTH) {
        *word = format!("--{BOTH}={both}");
    }
}

/// The flags in a file: each name, and the word to type. Every one is checked
/// by itself, so that an error can say where it is.
fn flags(parser: &Command, file: &Path) -> Result<Vec<(String, String)>> {
    let text = read_settings(file)?;
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let read = toml::from_str(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        anyhow::anyhow!("line {}: {}", line(at), error.message())
    });
    let entries: BTreeMap<Spanned<String>, Value> = read?;
    let one = |(key, value): (Spanned<String>, Value)| {
        let place = || format!("line {}", line(key.span().start));
        let word = word(parser, key.get_ref(), &value).with_context(place)?;
        Ok((key.get_ref().clone(), word))
    };
    entries.into_iter().map(one).collect()
}

/// What to type for a line of the file.
fn word(parser: &Command, key: &str, value: &Value) -> Result<String> {
    let train = parser.find_subcommand("train").context("a command")?;
    let mut flags = train.get_arguments().filter_map(|a| a.get_long());
    let is_known = flags.any(|flag| flag == key) && !APART.contains(&key);
    ensure!(is_known, "no setting is called {key}");
    let word = match value {
        Value::String(text) => format!("--{key}={text}"),
        Value::Integer(_) | Value::Float(_) => format!("--{key}={value}"),
        _ => bail!("{key} is neither a number nor a word"),
    };
    let tried = ["transformer", "train", &word];
    match parser.clone().try_get_matches_from(tried) {
        Err(error)
            if [InvalidValue, ValueValidation].contains(&error.kind()) =>
        {
            let text = error.to_string();
            let sentence = text.lines().next().unwrap_or_default();
            bail!("{}", sentence.trim_start_matches("error: "))
        }
        _ => Ok(word),
    }
}

/// Writes the settings of a run into its directory: all of them, and not only
/// those that were typed.
pub fn save(
    run: &Path,
    checkpoint: &Checkpoint,
    files: &Files,
    task: Task,
    more: Table,
) -> Result<()> {
    let Checkpoint { config, training, tokenizer, run: kept } = checkpoint;
    let mut all = Table::try_from(config)?;
    all.extend(Table::try_from(&training.recipe)?);
    for derived in ["vocabulary", "d_k", "d_v"] {
        all.remove(derived);
    }
    let counts = [
        ("merges", tokenizer.bpe().merges().len()),
        ("every", kept.every),
        ("keep", kept.keep),
    ];
    for (name, count) in counts {
        all.insert(name.to_owned(), i64::try_from(count)?.into());
    }
    all.extend(more);
    match files.source() {
        Some(_) => all.extend(files.settings()?),
        None => drop(all.insert("task".to_owned(), task.name().into())),
    }
    let flag =
        |(name, value): (String, Value)| (name.replace('_', "-"), value);
    let all: Table = all.into_iter().map(flag).collect();
    let text = TITLE.to_owned() + &toml::to_string(&all)?;
    Ok(replace_file(&run.join(NAME), text.as_bytes())?)
}
