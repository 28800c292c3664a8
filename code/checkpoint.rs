//! What is kept of a training run, and how.

use crate::encoder::Config;
use crate::heads::MultiHead;
use crate::layers::{LayerNorm, Linear};
use crate::optimizer::{Adam, Moments, descend};
use crate::tensor::{Bill, Matrix, Shape, Tensor};
use crate::tokens::{BytePairs, Pair};
use crate::training::{Recipe, Training};
use crate::transformer::{Parameters, Transformer};
use anyhow::{Context, Result, bail, ensure};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// With the numbers that are kept.
type Model = Transformer<Matrix<f32>>;

/// A training run at one moment.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The sizes of the model.
    pub config: Config,
    /// The model, and how it is trained.
    pub training: Training,
    /// What its token ids mean.
    pub tokens: BytePairs,
}

/// A text whose last line is whole.
fn text(bytes: &[u8]) -> Result<&str> {
    let text = str::from_utf8(bytes)?;
    let whole = text.is_empty() || text.ends_with('\n');
    ensure!(whole, "its last line has no end");
    Ok(text)
}

/// The form of the files that are written here.
const FORMAT: u32 = 1;

/// Asked first: another form would have other fields.
#[derive(Deserialize)]
struct Form {
    format: Option<u32>,
}

/// All but the long lists of numbers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    format: u32,
    merges: usize,
    model: Config,
    recipe: Recipe,
    adam: Pace,
}

/// Adam without its moments.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pace {
    steps: i32,
    betas: (f64, f64),
    epsilon: f64,
}

impl Settings {
    fn of(checkpoint: &Checkpoint) -> Self {
        let Checkpoint { config, training, tokens } = checkpoint;
        let Adam { steps, betas, epsilon, .. } = training.adam;
        Self {
            format: FORMAT,
            merges: tokens.merges().len(),
            model: config.clone(),
            recipe: training.recipe.clone(),
            adam: Pace { steps, betas, epsilon },
        }
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let text = text(bytes)?;
        let Form { format } = toml::from_str(text)?;
        ensure!(
            format == Some(FORMAT),
            "not of format {FORMAT}, the only one there is"
        );
        let settings: Self = toml::from_str(text)?;
        settings.check()?;
        Ok(settings)
    }

    /// Whether a model can be made of it.
    fn check(&self) -> Result<()> {
        let Self { merges, model, adam, .. } = self;
        let &Config { vocabulary, layers, d_model, d_ff, heads, d_k, d_v } =
            model;
        let sizes = [vocabulary, layers, d_model, d_ff, heads, d_k, d_v];
        let possible = sizes.iter().all(|size| (1..1 << 20).contains(size));
        ensure!(
            possible && layers < 1000 && d_model.is_multiple_of(2),
            "no model has these sizes: {model:?}"
        );
        ensure!(
            merges.saturating_add(256) <= vocabulary,
            "256 bytes and {merges} merges in a vocabulary of {vocabulary}"
        );
        ensure!(adam.steps >= 0, "Adam took {} steps", adam.steps);
        Ok(())
    }
}

/// A line for each merge: its two tokens, and what they spell.
fn list(tokens: &BytePairs) -> String {
    let mut lines = String::new();
    for (id, (left, right)) in (256..).zip(tokens.merges()) {
        let spelled = tokens.decode(&[id]);
        lines += &format!("{left} {right} {spelled:?}\n");
    }
    lines
}

/// And back. What they spell is for people to read.
fn parse_list(bytes: &[u8], merges: usize) -> Result<BytePairs> {
    let pair = |line: &str| -> Option<Pair> {
        let mut words = line.split(' ').map(str::parse);
        Some((words.next()?.ok()?, words.next()?.ok()?))
    };
    let merge = |(i, line)| {
        pair(line).with_context(|| format!("line {}: no merge", i + 1))
    };
    let listed = text(bytes)?.lines().enumerate().map(merge);
    let listed = listed.collect::<Result<Vec<_>>>()?;
    let found = listed.len();
    ensure!(found == merges, "{found} merges where there were {merges}");
    BytePairs::new(listed)
}

/// A tensor as others know it: its sizes, and its numbers row after row.
struct Stored {
    shape: Vec<usize>,
    numbers: Vec<f32>,
}

impl Stored {
    /// In memory, our own lie column after column.
    fn of(m: &Matrix<f32>) -> Self {
        let numbers = m.transpose().as_slice().to_vec();
        Self { shape: vec![m.nrows(), m.ncols()], numbers }
    }
}

/// A file of tensors, each with its name.
fn pack(tensors: &[(String, Stored)]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for (name, Stored { numbers, .. }) in tensors {
        finite(name, numbers)?;
        let each = numbers.iter().flat_map(|number| number.to_le_bytes());
        bytes.push(each.collect::<Vec<u8>>());
    }
    let views = tensors.iter().zip(&bytes).map(|((name, stored), bytes)| {
        let shape = stored.shape.clone();
        Ok((name, TensorView::new(Dtype::F32, shape, bytes)?))
    });
    Ok(serialize(views.collect::<Result<Vec<_>>>()?, None)?)
}

/// One number that is none soon makes others so.
fn finite(name: &str, numbers: &[f32]) -> Result<()> {
    let finite = numbers.iter().all(|number| number.is_finite());
    ensure!(finite, "{name} has numbers that are infinite or no numbers");
    Ok(())
}

/// The leaves of a model.
fn weights(model: &Model) -> Vec<(String, Stored)> {
    let mut weights = Vec::new();
    model.map("", &mut |name, leaf| {
        weights.push((name.to_string(), Stored::of(leaf)));
    });
    weights
}

/// What Adam remembers of each.
fn memory(training: &Training) -> Vec<(String, Stored)> {
    let mut memory = Vec::new();
    let sizes = sizes(&training.model).into_iter();
    for ((name, _), own) in sizes.zip(&training.adam.moments) {
        memory.push((format!("{name}.mean"), Stored::of(&own.mean)));
        memory.push((format!("{name}.square"), Stored::of(&own.square)));
    }
    memory
}

/// What a file should hold: names, rows and columns.
type Sizes = Vec<(String, (usize, usize))>;

/// The leaves of a model, with numbers or without.
fn sizes<T: Tensor>(model: &Transformer<T>) -> Sizes {
    let mut sizes = Vec::new();
    model.map("", &mut |name, leaf| {
        sizes.push((name.to_string(), leaf.shape()));
    });
    sizes
}

/// The matrices of a file: all that are named, in the order named, and no
/// others.
fn unpack(bytes: &[u8], sizes: &Sizes) -> Result<Vec<Matrix<f32>>> {
    let file = SafeTensors::deserialize(bytes)?;
    let one = |(name, size): &(String, _)| unpack_one(&file, name, *size);
    let matrices = sizes.iter().map(one).collect::<Result<_>>()?;
    let foreign = |name: &&str| sizes.iter().all(|(known, _)| known != name);
    if let Some(name) = file.names().into_iter().filter(foreign).min() {
        bail!("{name} does not belong here");
    }
    Ok(matrices)
}

fn unpack_one(
    file: &SafeTensors,
    name: &str,
    (rows, cols): (usize, usize),
) -> Result<Matrix<f32>> {
    let found = file.tensor(name)?;
    let (kind, shape) = (found.dtype(), found.shape());
    ensure!(
        kind == Dtype::F32 && shape == [rows, cols],
        "{name} is {kind} {shape:?} and should be F32 {:?}",
        [rows, cols]
    );
    let (numbers, _) = found.data().as_chunks();
    let numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let matrix = Matrix::from_row_iterator(rows, cols, numbers);
    finite(name, matrix.as_slice())?;
    Ok(matrix)
}

/// A model of these sizes.
fn read_model(bytes: &[u8], config: &Config) -> Result<Model> {
    let shapes: Transformer<Shape> =
        Transformer::new(config, &mut Bill::default());
    let mut leaves = unpack(bytes, &sizes(&shapes))?.into_iter();
    Ok(shapes.map("", &mut |_, _| leaves.next().expect("a matrix each")))
}

/// What Adam remembers of a model.
fn read_memory(bytes: &[u8], model: &Model) -> Result<Vec<Moments<f32>>> {
    let two = |(name, size): (String, _)| {
        ["mean", "square"].map(|part| (format!("{name}.{part}"), size))
    };
    let sizes = sizes(model).into_iter().flat_map(two).collect();
    let mut all = unpack(bytes, &sizes)?.into_iter();
    let pairs = std::iter::from_fn(|| all.next().zip(all.next()));
    Ok(pairs.map(|(mean, square)| Moments { mean, square }).collect())
}

/// What `parse` makes of a file.
fn open<T>(path: &Path, parse: impl Fn(&[u8]) -> Result<T>) -> Result<T> {
    let read = || parse(&fs::read(path)?);
    read().with_context(|| path.display().to_string())
}

/// A file, all the way to the disk.
fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().with_context(|| path.display().to_string())
}

/// The names in a directory, all the way to the disk. Not every system can;
/// there they come a little later.
fn sync(dir: &Path) {
    File::open(dir).and_then(|dir| dir.sync_all()).ok();
}

/// If it is there, and if that can be done.
fn remove(path: &Path) {
    fs::remove_dir_all(path).or_else(|_| fs::remove_file(path)).ok();
}

/// The whole of what `write` writes, or nothing of it: gets its name when it
/// is done.
fn whole(path: &Path, write: impl Fn(&Path) -> Result<()>) -> Result<()> {
    let path = std::path::absolute(path)?;
    let name = path.file_name().context("it has no name")?;
    let mut part = OsString::from(".");
    part.push(name);
    part.push(".unfinished");
    let part = path.with_file_name(part);
    // Somebody may have been killed while writing it.
    remove(&part);
    let done = write(&part).and_then(|()| Ok(fs::rename(&part, &path)?));
    if done.is_err() {
        // It may be room that is missing.
        remove(&part);
    }
    path.parent().map(sync);
    done
}

const SETTINGS: &str = "config.toml";
const TOKENS: &str = "tokens.txt";
const MODEL: &str = "model.safetensors";
const ADAM: &str = "adam.safetensors";

/// To a directory, and back.
impl Checkpoint {
    /// All of it, to a directory that is not there yet; or nothing, even if
    /// somebody kills us while we write.
    ///
    /// # Errors
    /// If there is something already, a number is not finite, or the disk is
    /// full.
    pub fn save(&self, dir: &Path) -> Result<()> {
        ensure!(!dir.exists(), "{} is there already", dir.display());
        whole(dir, |part| self.write(part))
            .with_context(|| format!("{} is not saved", dir.display()))
    }

    fn write(&self, dir: &Path) -> Result<()> {
        fs::create_dir_all(dir)?;
        let settings = toml::to_string(&Settings::of(self))?;
        put(&dir.join(SETTINGS), settings.as_bytes())?;
        put(&dir.join(TOKENS), list(&self.tokens).as_bytes())?;
        put(&dir.join(MODEL), &pack(&weights(&self.training.model))?)?;
        // Who has taken no step remembers nothing.
        if self.training.adam.steps > 0 {
            put(&dir.join(ADAM), &pack(&memory(&self.training))?)?;
        }
        sync(dir);
        Ok(())
    }

    /// What [`save`](Self::save) put there.
    ///
    /// # Errors
    /// If something is missing, or is not what it should be.
    pub fn load(dir: &Path) -> Result<Self> {
        let settings = open(&dir.join(SETTINGS), Settings::parse)?;
        let Settings { merges, model: config, recipe, adam, .. } = settings;
        let tokens = open(&dir.join(TOKENS), |b| parse_list(b, merges))?;
        let model = open(&dir.join(MODEL), |b| read_model(b, &config))?;
        let Pace { steps, betas, epsilon } = adam;
        let mut adam = Adam { betas, epsilon, steps, ..Adam::new(&model) };
        if steps > 0 {
            adam.moments = open(&dir.join(ADAM), |b| read_memory(b, &model))?;
        }
        let training = Training { recipe, model, adam };
        Ok(Self { config, training, tokens })
    }
}

/// Where a run keeps what it was after so many updates.
pub fn place(run: &Path, updates: usize) -> PathBuf {
    run.join(format!("{updates:08}"))
}

fn is_checkpoint(dir: &Path) -> bool {
    [SETTINGS, MODEL].iter().all(|name| dir.join(name).exists())
}

/// The checkpoints of a run, the oldest first.
///
/// # Errors
/// If its directory cannot be read.
pub fn checkpoints(run: &Path) -> Result<Vec<PathBuf>> {
    let name = || run.display().to_string();
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(run).with_context(name)? {
        let path = entry.with_context(name)?.path();
        let last = path.file_name().and_then(OsStr::to_str);
        let Some(updates) = last.and_then(|n| n.parse().ok()) else {
            continue;
        };
        if path == place(run, updates) && is_checkpoint(&path) {
            found.insert(updates, path);
        }
    }
    Ok(found.into_values().collect())
}

/// The last checkpoint of a run, if there is one yet.
///
/// # Errors
/// If its directory is there and cannot be read.
pub fn newest(run: &Path) -> Result<Option<PathBuf>> {
    if !run.exists() {
        return Ok(None);
    }
    Ok(checkpoints(run)?.pop())
}

/// Forgets all checkpoints of a run but the last few.
///
/// # Errors
/// If one cannot be removed.
///
/// # Panics
/// If none is to be kept.
pub fn keep(run: &Path, last: usize) -> Result<()> {
    assert!(last > 0, "a run keeps its last checkpoint");
    let all = checkpoints(run)?;
    let forgotten = run.join(".forgotten");
    for old in &all[..all.len().saturating_sub(last)] {
        let name = || old.display().to_string();
        // Somebody may have been killed while removing the one before.
        remove(&forgotten);
        fs::rename(old, &forgotten).with_context(name)?;
        fs::remove_dir_all(&forgotten).with_context(name)?;
    }
    Ok(())
}

/// The checkpoint that is meant: this one, or the newest of this run.
///
/// # Errors
/// If there is none.
pub fn find(path: &Path) -> Result<PathBuf> {
    if is_checkpoint(path) {
        return Ok(path.to_path_buf());
    }
    let none = || format!("there is no checkpoint in {}", path.display());
    newest(path)?.with_context(none)
}

/// The mean of the weights of several models, and an Adam that remembers
/// nothing; for the rest, the first of them.
///
/// # Errors
/// If there are none, one cannot be read, or one has other sizes or tokens
/// than the first.
pub fn average(dirs: &[PathBuf]) -> Result<Checkpoint> {
    let (first, others) = dirs.split_first().context("nothing to average")?;
    let mut mean = Checkpoint::load(first)?;
    let wide =
        |model: &Model| model.map("", &mut |_, leaf| leaf.map(f64::from));
    let mut sum = wide(&mean.training.model);
    for dir in others {
        let next = Checkpoint::load(dir)?;
        let differ = |what| {
            format!("{what}: {} and {}", first.display(), dir.display())
        };
        ensure!(next.config == mean.config, differ("not of one size"));
        ensure!(next.tokens == mean.tokens, differ("not of one vocabulary"));
        // Descending by −w adds w.
        sum = descend(&sum, &wide(&next.training.model), -1.0);
    }
    let number = dirs.len() as f64;
    mean.training.model =
        sum.map("", &mut |_, leaf| leaf.map(|w| (w / number) as f32));
    mean.training.adam = Adam::new(&mean.training.model);
    Ok(mean)
}

/// A model's weights under the names of PyTorch's `nn.Transformer`.
#[derive(Default)]
struct Torch(Vec<(String, Stored)>);

impl Torch {
    fn put(&mut self, name: String, shape: &[usize], numbers: &[f32]) {
        let (shape, numbers) = (shape.to_vec(), numbers.to_vec());
        self.0.push((name, Stored { shape, numbers }));
    }

    /// Wᵀ row after row is W column after column: as it lies in memory.
    fn linear(&mut self, name: &str, layer: &Linear<Matrix<f32>>) {
        let (d_in, d_out) = layer.weight.shape();
        let (weight, bias) = (&layer.weight, &layer.bias);
        self.put(format!("{name}.weight"), &[d_out, d_in], weight.as_slice());
        self.put(format!("{name}.bias"), &[d_out], bias.as_slice());
    }

    fn norm(&mut self, name: &str, norm: &LayerNorm<Matrix<f32>>) {
        let (gain, bias) = (norm.gain.as_slice(), norm.bias.as_slice());
        self.put(format!("{name}.weight"), &[gain.len()], gain);
        self.put(format!("{name}.bias"), &[bias.len()], bias);
    }

    /// There the three projections lie one above the other, and all four
    /// have a bias.
    fn attention(&mut self, name: &str, own: &MultiHead<Matrix<f32>>) {
        let d = own.w_o.ncols();
        let three = [&own.w_q, &own.w_k, &own.w_v].map(|w| w.as_slice());
        let (weights, zeros) = (three.concat(), vec![0.0; 3 * d]);
        self.put(format!("{name}.in_proj_weight"), &[3 * d, d], &weights);
        self.put(format!("{name}.in_proj_bias"), &[3 * d], &zeros);
        let bias = Matrix::zeros(1, d);
        let weight = own.w_o.clone();
        self.linear(&format!("{name}.out_proj"), &Linear { weight, bias });
    }
}

impl Torch {
    fn of(model: &Model) -> Self {
        let mut torch = Self::default();
        let table = Stored::of(&model.embedding.table);
        torch.0.push(("embedding.weight".to_string(), table));
        for (i, layer) in model.encoder.layers.iter().enumerate() {
            let name = |part| format!("encoder.layers.{i}.{part}");
            torch.attention(&name("self_attn"), &layer.attention);
            torch.norm(&name("norm1"), &layer.attention_norm);
            torch.linear(&name("linear1"), &layer.feed_forward.inner);
            torch.linear(&name("linear2"), &layer.feed_forward.outer);
            torch.norm(&name("norm2"), &layer.feed_forward_norm);
        }
        for (i, layer) in model.decoder.layers.iter().enumerate() {
            let name = |part| format!("decoder.layers.{i}.{part}");
            torch.attention(&name("self_attn"), &layer.self_attention);
            torch.norm(&name("norm1"), &layer.self_norm);
            torch.attention(&name("multihead_attn"), &layer.cross_attention);
            torch.norm(&name("norm2"), &layer.cross_norm);
            torch.linear(&name("linear1"), &layer.feed_forward.inner);
            torch.linear(&name("linear2"), &layer.feed_forward.outer);
            torch.norm(&name("norm3"), &layer.feed_forward_norm);
        }
        torch
    }
}

impl Checkpoint {
    /// The weights as PyTorch's `nn.Transformer` reads them, and the table
    /// as `embedding.weight`, in one file.
    ///
    /// # Errors
    /// If the heads are not as wide as PyTorch has them, or it cannot be
    /// written.
    pub fn export(&self, path: &Path) -> Result<()> {
        let Config { d_model, heads, d_k, d_v, .. } = self.config;
        ensure!(
            heads * d_k == d_model && heads * d_v == d_model,
            "PyTorch makes {heads} heads of d_model = {d_model} in all, not \
             d_k = {d_k} and d_v = {d_v}"
        );
        let bytes = pack(&Torch::of(&self.training.model).0)?;
        whole(path, |part| put(part, &bytes))
    }
}
