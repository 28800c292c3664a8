//! `transformer learn`

use crate::flags::{self, misuse};
use crate::output::say;
use all_you_need::checkpoint::Digest;
use all_you_need::loss::perplexity;
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::Recipe;
use all_you_need::translation::read;
use all_you_need::writer::{Half, Learning, Text, Writer, mean_loss};
use all_you_need::writer::{config, recipe};
use anyhow::{Result, ensure};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Learn to write from a text, and keep the writer in a directory.
///
/// Says after every twentieth of the updates how well it predicts a text
/// that it does not learn from, as a table with tabs.
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
    #[arg(long, default_value = "1000", value_parser = flags::count_or_none)]
    merges: usize,
    /// The number of updates of the weights.
    #[arg(long, value_parser = flags::count)]
    updates: Option<usize>,
    /// Where all random numbers come from.
    #[arg(long, default_value = "1", value_parser = flags::seed)]
    seed: u64,
}

/// The paragraphs of a file.
fn paragraphs(file: &Path) -> Result<Vec<String>> {
    let lines = read(file)?;
    ensure!(!lines.is_empty(), "{} is empty", file.display());
    Ok(lines)
}

impl Learn {
    pub fn run(&self) -> Result<()> {
        if self.out.exists() {
            misuse(format!("{} is there already", self.out.display()));
        }
        let (lines, others) =
            (paragraphs(&self.text)?, paragraphs(&self.held_out)?);
        let lesson = lines.join(" ");
        let tokenizer = Tokenizer::new(Bpe::train(&lesson, self.merges));
        let [texts, others] = [lines, others].map(|lines| {
            let win = std::env::var("WIN").map(|w| w.parse::<usize>().unwrap()).unwrap_or(256);
            let (mut texts, mut now) = (Vec::new(), String::new());
            for line in &lines {
                if line == "" || tokenizer.encode(&now).len() + tokenizer.encode(line).len() > win {
                    if now.len() > 0 {texts.push(Text(tokenizer.encode_target(&now)))}
                    now.clear();
                }
                if line == "" {continue}
                if now.len() > 0 { now += "\n"; }
                now += line;
            }
            if now.len() > 0 {texts.push(Text(tokenizer.encode_target(&now)))}
            texts
        });
        let config = config(tokenizer.vocabulary());
        let mut recipe = recipe(self.seed);
        let env = |n: &str| std::env::var(n).ok().and_then(|v| v.parse::<f64>().ok());
        let mut config = config;
        if let Some(x) = env("LAYERS") { config.layers = x as usize }
        if let Some(x) = env("D") { config.d_model = x as usize; config.d_ff = 4 * x as usize; config.d_k = x as usize / 4; config.d_v = x as usize / 4 }
        if let Some(x) = env("DROP") { recipe.dropout = x }
        if let Some(x) = env("LR") { recipe.peak_lr = x }
        if let Some(x) = env("WD") { recipe.weight_decay = x }
        if let Some(x) = env("LS") { recipe.label_smoothing = x }
        if let Some(x) = env("BATCH") { recipe.batch_tokens = x as usize }
        recipe.updates = self.updates.unwrap_or(recipe.updates);
        let learning = Learning::new(recipe, |rng| Half::new(&config, rng));
        let (model, recipe) = learn(learning, &texts, &others)?;
        let text = Digest::of(lesson.as_bytes());
        Writer { config, model, tokenizer, recipe, text }.save(&self.out)?;
        Ok(())
    }
}

/// A model on the processor, and how it has learned.
type Learned = (Half<Matrix<f32>>, Recipe);

/// Makes all updates, and says how it goes.
fn learn(
    mut learning: Learning<Half<Matrix<f32>>>,
    texts: &[Text],
    others: &[Text],
) -> Result<Learned> {
    let updates = learning.recipe.updates;
    let (start, every) = (Instant::now(), updates.div_ceil(20));
    let parameters = parameter_count(&learning.model);
    say(format!("# {parameters} parameters {} tokens {} held out", texts.iter().map(|t| t.0.len() - 1).sum::<usize>(), others.iter().map(|t| t.0.len() - 1).sum::<usize>()))?;
    for order in 1..=6 {
        let mut ngram = all_you_need::writer::Ngram::new(order, learning.model.embedding.table.nrows());
        texts.iter().for_each(|t| ngram.count(&t.0));
        say(format!("# {order}-gram {:.2}", perplexity(ngram.loss(others))))?;
    }
    say("update\tseconds\tloss\theld out\tperplexity")?;
    let (mut sum, mut said) = (0.0, Ok(()));
    let win = std::env::var("RAND").map(|w| w.parse::<usize>().unwrap()).unwrap_or(0);
    let stream: Vec<_> = texts.iter().flat_map(|t| t.0[..t.0.len() - 1].to_vec()).collect();
    let heldstream: Vec<_> = others.iter().flat_map(|t| t.0[..t.0.len() - 1].to_vec()).collect();
    let held: Vec<Text> = if win == 0 { others.to_vec() } else { heldstream.windows(win + 1).step_by(win).map(|w| Text(w.to_vec())).collect() };
    let mut rng = all_you_need::training::generator(learning.recipe.seed, all_you_need::training::Stream::Data);
    use rand::RngExt;
    for order in 3..=5 {
        let mut ngram = all_you_need::writer::Ngram::new(order, learning.model.embedding.table.nrows());
        ngram.count(&stream);
        say(format!("# {order}-gram stream {:.2}", perplexity(ngram.loss(&[Text(heldstream.clone())]))))?;
    }
    for step in 1..=updates {
        let n = learning.recipe.batch_tokens;
        let batch: Vec<Text> = if win > 0 { (0..n / win).map(|_| { let at = rng.random_range(0..stream.len() - win - 1); Text(stream[at..=at + win].to_vec()) }).collect() } else {
            let mut v = Vec::new(); let mut c = 0; while c < n { let t = &texts[rng.random_range(0..texts.len())]; c += t.0.len() - 1; v.push(t.clone()); } v };
        sum += learning.update(&batch)?;
        if step.is_multiple_of(every) || step == updates {
            let nats = mean_loss(&learning.model, &held);
            let seconds = start.elapsed().as_secs();
            let (loss, p) = (sum / every as f32, perplexity(nats));
            let line =
                format!("{step}\t{seconds}\t{loss:.4}\t{nats:.4}\t{p:.2}");
            if said.is_ok() { said = say(line); }
            sum = 0.0;
        }
    }
    said.map(|()| (learning.model, learning.recipe))
}
