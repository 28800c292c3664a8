//! `config.toml` and `merges.txt`: what people can read of a checkpoint.

use super::files::Digest;
use crate::encoder::Config;
use crate::optimizer::Adam;
use crate::tensor::Matrix;
use crate::tokens::{Bpe, Pair};
use crate::training::Recipe;
use crate::transformer::Transformer;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The format of a checkpoint's files. Format 1 had no digests.
pub(super) const CHECKPOINT: u32 = 2;

/// The format of a quantized model's files.
pub(crate) const QUANTIZED: u32 = 3;

/// The format of a writer's files.
pub(crate) const WRITER: u32 = 4;

/// Read first: another format has other fields.
#[derive(Deserialize)]
struct Format {
    format: Option<u32>,
}

/// What a training run learns from, and how it is kept on the disk.
///
/// It is a part of every checkpoint, so that a run is never continued with
/// other examples than it began with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunData {
    /// The name of the task, or another word for what is learned.
    pub task: String,
    /// The digest of the training examples.
    pub training: Digest,
    /// The digest of the validation examples.
    pub validation: Digest,
    /// Updates from one checkpoint to the next.
    pub every: usize,
    /// How many checkpoints are kept; older ones are removed.
    pub keep: usize,
}

impl RunData {
    /// A run that learns `task` from these pairs of texts. It keeps ten
    /// checkpoints, a hundred updates apart.
    pub fn new(
        task: &str,
        training: &[(String, String)],
        validation: &[(String, String)],
    ) -> Self {
        Self {
            task: task.to_owned(),
            training: Digest::of_pairs(training),
            validation: Digest::of_pairs(validation),
            every: 100,
            keep: 10,
        }
    }
}

/// The content of `config.toml`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    format: u32,
    pub model: Config,
    pub recipe: Recipe,
    pub adam: AdamSettings,
    pub run: RunData,
}

/// Adam without its moments.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdamSettings {
    pub steps: usize,
    betas: (f64, f64),
    epsilon: f64,
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    str::from_utf8(bytes).map_err(|error| error.to_string())
}

/// What the text of a `config.toml` says, or a sentence with the line that
/// is wrong.
pub(crate) fn from_toml<T: DeserializeOwned>(
    bytes: &[u8],
) -> Result<T, String> {
    let text = text(bytes)?;
    toml::from_str(text).map_err(|error| {
        let before = error.span().map_or("", |span| &text[..span.start]);
        let line = before.matches('\n').count() + 1;
        format!("line {line}: {}", error.message())
    })
}

/// The text of a `config.toml`.
pub(crate) fn to_toml(settings: &impl Serialize) -> Vec<u8> {
    toml::to_string(settings).expect("numbers and words").into_bytes()
}

impl Settings {
    pub(super) fn new(
        config: &Config,
        recipe: &Recipe,
        adam: AdamSettings,
        run: &RunData,
    ) -> Self {
        let (model, recipe, run) =
            (config.clone(), recipe.clone(), run.clone());
        Self { format: CHECKPOINT, model, recipe, adam, run }
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let settings: Self = from_toml(bytes)?;
        settings.check()?;
        Ok(settings)
    }

    /// Whether a model of these settings can be trained and can translate.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { model, recipe, adam, run, .. } = self;
        model.check().map_err(|error| error.to_string())?;
        recipe.check().map_err(|error| error.to_string())?;
        adam.check()?;
        match run.every > 0 && run.keep > 0 {
            true => Ok(()),
            false => Err("a run keeps one checkpoint at least".to_owned()),
        }
    }
}

/// The format that a `config.toml` names.
pub(super) fn format(bytes: &[u8]) -> Result<Option<u32>, String> {
    from_toml(bytes).map(|Format { format }| format)
}

/// Whether a file is of the format that is needed, and what it is if not.
pub(crate) fn check_format(bytes: &[u8], needed: u32) -> Result<(), String> {
    let found = match format(bytes)? {
        Some(found) if found == needed => return Ok(()),
        None => return Err(format!("it lacks the line `format = {needed}`")),
        Some(found) => found,
    };
    let what = match found {
        1 => ", which lacks the digests of its files and of the examples",
        CHECKPOINT => ", a checkpoint",
        QUANTIZED => ", a quantized model, which is no checkpoint",
        WRITER => ", a model that writes, and cannot translate",
        _ => "",
    };
    Err(format!(
        "it is of format {found}{what}; this program reads format {needed}"
    ))
}

impl AdamSettings {
    pub(super) fn of(adam: &Adam<Transformer<Matrix<f32>>>) -> Self {
        let &Adam { steps, betas, epsilon, .. } = adam;
        Self { steps, betas, epsilon }
    }

    /// Adam with these settings, and no moments yet.
    pub(super) fn apply(
        self,
        model: &Transformer<Matrix<f32>>,
    ) -> Adam<Transformer<Matrix<f32>>> {
        let Self { steps, betas, epsilon } = self;
        Adam { steps, betas, epsilon, ..Adam::new(model) }
    }

    fn check(&self) -> Result<(), String> {
        let Self { steps, betas: (b1, b2), epsilon } = *self;
        if !(0.0..1.0).contains(&b1) || !(0.0..1.0).contains(&b2) {
            return Err(format!("β = ({b1}, {b2}) is not from 0 to below 1"));
        }
        if !(epsilon > 0.0 && epsilon < 1.0) {
            return Err(format!("ε = {epsilon} is not between 0 and 1"));
        }
        match u32::try_from(steps) {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("Adam cannot have taken {steps} steps")),
        }
    }
}

/// A line for each merge: its two tokens, and what they spell together.
pub(crate) fn merges_to_text(bpe: &Bpe) -> String {
    let mut lines = String::new();
    for (id, (left, right)) in (256..).zip(bpe.merges()) {
        let spelled = bpe.decode(&[id]);
        lines += &format!("{left} {right} {spelled:?}\n");
    }
    lines
}

/// The merges of such a text. What they spell is for people to read.
pub(super) fn parse_merges(bytes: &[u8]) -> Result<Bpe, String> {
    let pair = |line: &str| -> Option<Pair> {
        let mut words = line.split(' ').map(str::parse);
        Some((words.next()?.ok()?, words.next()?.ok()?))
    };
    let merge = |(number, line)| {
        pair(line).ok_or_else(|| format!("line {number}: no merge"))
    };
    let merges = (1..).zip(text(bytes)?.lines()).map(merge);
    let merges = merges.collect::<Result<_, _>>()?;
    Bpe::new(merges).map_err(|error| error.to_string())
}
