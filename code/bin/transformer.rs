//! Trains a Transformer, and translates with it.

use all_you_need::bleu::{Tokenizer, bleu, signature};
use all_you_need::checkpoint::{
    Checkpoint, average, find, keep, newest, place,
};
use all_you_need::encoder::Config;
use all_you_need::loss::perplexity;
use all_you_need::optimizer::{Adam, peak, rate};
use all_you_need::press::plot::{Figure, HeatMaps, Panel};
use all_you_need::tasks::Task;
use all_you_need::tensor::{Bill, Matrix, Shape, Tensor};
use all_you_need::tokens::BytePairs;
use all_you_need::training::question;
use all_you_need::training::{Example, Recipe, Training, marks, nats};
use all_you_need::transformer::{Parameters, Transformer, count};
use all_you_need::translation::{Layer, corpus, lines, read};
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use nalgebra::convert;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Trains a Transformer, and translates with it.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Threads to compute with; all there are, if not said.
    #[arg(long, global = true)]
    threads: Option<usize>,
}

#[derive(Subcommand)]
enum Command {
    Train(Train),
    Translate(Translate),
    Score(Score),
    Attend(Attend),
    Params(Params),
    Average(Average),
    Export(Export),
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
    if let Some(threads) = arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global()?;
    }
    match arguments.command {
        Command::Train(train) => train.run(),
        Command::Translate(translate) => translate.run(),
        Command::Score(score) => score.run(),
        Command::Attend(attend) => attend.run(),
        Command::Params(params) => params.run(),
        Command::Average(average) => average.run(),
        Command::Export(export) => export.run(),
    }
}

/// Learn a small task, or to translate from two files.
///
/// Without arguments: learn to reverse words, and say how well.
#[derive(Args)]
struct Train {
    /// What to learn, if not from files: copy, reverse, sort or dates.
    #[arg(long, default_value = "reverse")]
    task: Task,
    /// Texts to translate from, one a line.
    #[arg(long, requires = "target")]
    source: Option<PathBuf>,
    /// Their translations.
    #[arg(long, requires_all = ["source", "valid_source", "out"])]
    target: Option<PathBuf>,
    /// Texts to be tested with on the way.
    #[arg(long, requires = "valid_target")]
    valid_source: Option<PathBuf>,
    /// Their translations.
    #[arg(long, requires = "valid_source")]
    valid_target: Option<PathBuf>,
    /// Where to keep what is learned.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Go on with what is there.
    #[arg(long, requires = "out")]
    resume: bool,
    /// Sizes and settings to begin with; toy for tasks, tiny for files.
    #[arg(long)]
    preset: Option<Preset>,
    /// Byte pairs to merge.
    #[arg(long)]
    merges: Option<usize>,
    /// Layers in the encoder and in the decoder.
    #[arg(long)]
    layers: Option<usize>,
    /// The width between the layers.
    #[arg(long)]
    d_model: Option<usize>,
    /// The width inside the feed-forward networks.
    #[arg(long)]
    d_ff: Option<usize>,
    /// Heads of every attention.
    #[arg(long)]
    heads: Option<usize>,
    /// Target tokens in a batch.
    #[arg(long)]
    tokens: Option<usize>,
    /// Updates of the weights.
    #[arg(long)]
    updates: Option<usize>,
    /// Updates in which the rate rises.
    #[arg(long)]
    warmup: Option<usize>,
    /// The highest rate.
    #[arg(long)]
    rate: Option<f64>,
    /// What part of the numbers is dropped.
    #[arg(long)]
    dropout: Option<f64>,
    /// What part of the target is spread over the vocabulary.
    #[arg(long)]
    smoothing: Option<f64>,
    /// Where all random numbers come from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Updates from one line of the log, and one checkpoint, to the next.
    #[arg(long)]
    every: Option<usize>,
    /// How many checkpoints to keep.
    #[arg(long, default_value_t = 10)]
    keep: usize,
}

/// Sizes, and what goes well with them.
#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    /// Learns a task in a minute.
    Toy,
    /// Learns to translate captions in an hour.
    Tiny,
    /// The paper's base model.
    Base,
    /// The paper's big model.
    Big,
}

impl Preset {
    /// Merges, the model, and how to train it.
    fn settings(self) -> (usize, Config, Recipe) {
        let sizes = |layers, d_model, d_ff, heads| Config {
            vocabulary: 0,
            layers,
            d_model,
            d_ff,
            heads,
            d_k: d_model / heads,
            d_v: d_model / heads,
        };
        let paper = |config: &Config, dropout| Recipe {
            tokens: 25_000,
            updates: 100_000,
            warmup: 4000,
            peak: peak(config.d_model, 4000),
            dropout,
            smoothing: 0.1,
            seed: 0,
        };
        match self {
            Self::Toy => {
                let config = sizes(2, 64, 128, 2);
                let recipe = Recipe {
                    tokens: 1000,
                    updates: 2000,
                    warmup: 200,
                    peak: 0.003,
                    ..paper(&config, 0.0)
                };
                (0, config, recipe)
            }
            Self::Tiny => {
                let config = sizes(4, 128, 256, 4);
                let recipe = Recipe {
                    tokens: 4000,
                    updates: 10_000,
                    warmup: 2000,
                    peak: 0.005,
                    ..paper(&config, 0.3)
                };
                (9742, config, recipe)
            }
            Self::Base => {
                let config = Config::base();
                let recipe = paper(&config, 0.1);
                (36_742, config, recipe)
            }
            Self::Big => {
                let config = Config::big();
                let recipe =
                    Recipe { updates: 300_000, ..paper(&config, 0.3) };
                (36_742, config, recipe)
            }
        }
    }
}

/// Texts and their translations.
type Pairs = Vec<(String, String)>;

impl Train {
    fn run(&self) -> Result<()> {
        let (texts, held_out) = self.pairs()?;
        let fresh = self.begin(&texts)?;
        let mut state = self.resumed(&fresh)?.unwrap_or(fresh);
        let example = |pair| state.example(pair);
        let examples: Vec<Example> = texts.iter().map(example).collect();
        let valid: Vec<Example> = held_out.iter().map(example).collect();
        self.describe(&state, examples.len());
        let stop = Arc::new(AtomicBool::new(false));
        let handler = Arc::clone(&stop);
        ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed))?;
        self.learn(&mut state, &examples, &valid, &stop)?;
        if self.source.is_none() {
            examine(&state, &held_out);
        }
        Ok(())
    }

    /// What to learn from, and what to be tested with.
    fn pairs(&self) -> Result<(Pairs, Pairs)> {
        let files = [
            &self.source,
            &self.target,
            &self.valid_source,
            &self.valid_target,
        ];
        let [source, target, valid_source, valid_target] =
            files.map(Option::as_ref);
        match (source, target, valid_source, valid_target) {
            (Some(s), Some(t), Some(vs), Some(vt)) => {
                Ok((corpus(s, t)?, corpus(vs, vt)?))
            }
            _ => Ok(exercises(self.task, self.seed)),
        }
    }

    /// A new model, and its recipe, from the preset and the flags.
    fn begin(&self, texts: &Pairs) -> Result<Checkpoint> {
        let files = self.source.is_some();
        let preset = if files { Preset::Tiny } else { Preset::Toy };
        let (merges, mut config, mut recipe) =
            self.preset.unwrap_or(preset).settings();
        let merges = if files { merges } else { 0 };
        let text: String = texts
            .iter()
            .map(|(source, target)| format!("{source}\n{target}\n"))
            .collect();
        let merges = self.merges.unwrap_or(merges);
        let tokens = BytePairs::train(&text, merges);
        config.vocabulary = tokens.len() + 2; // and start and end
        config.layers = self.layers.unwrap_or(config.layers);
        config.d_model = self.d_model.unwrap_or(config.d_model);
        config.d_ff = self.d_ff.unwrap_or(config.d_ff);
        config.heads = self.heads.unwrap_or(config.heads);
        ensure!(
            config.heads > 0
                && config.d_model.is_multiple_of(2 * config.heads),
            "{} heads do not share a width of {}",
            config.heads,
            config.d_model
        );
        config.d_k = config.d_model / config.heads;
        config.d_v = config.d_k;
        recipe.tokens = self.tokens.unwrap_or(recipe.tokens);
        recipe.updates = self.updates.unwrap_or(recipe.updates);
        recipe.warmup = self.warmup.unwrap_or(recipe.warmup);
        recipe.peak = self.rate.unwrap_or(recipe.peak);
        recipe.dropout = self.dropout.unwrap_or(recipe.dropout);
        recipe.smoothing = self.smoothing.unwrap_or(recipe.smoothing);
        recipe.seed = self.seed;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let model = Transformer::new(&config, &mut rng);
        let adam = Adam::new(&model);
        let training = Training { recipe, model, adam };
        Ok(Checkpoint { config, training, tokens })
    }

    /// What is there already, if that is wanted; it must be the same run.
    fn resumed(&self, fresh: &Checkpoint) -> Result<Option<Checkpoint>> {
        let Some(out) = &self.out else { return Ok(None) };
        let Some(dir) = newest(out)? else { return Ok(None) };
        ensure!(
            self.resume,
            "{} is there already: --resume to go on, or another --out",
            dir.display()
        );
        let found = Checkpoint::load(&dir)?;
        let (is, asked) = (&found.training.recipe, &fresh.training.recipe);
        ensure!(
            (&found.config, is, &found.tokens)
                == (&fresh.config, asked, &fresh.tokens),
            "{} is another run: {:?}, {is:?}; asked for {:?}, {asked:?}",
            dir.display(),
            found.config,
            fresh.config
        );
        Ok(Some(found))
    }

    fn describe(&self, state: &Checkpoint, examples: usize) {
        let parameters = count(&shapes(&state.config));
        let what = match &self.source {
            Some(file) => file.display().to_string(),
            None => format!("the task {}", self.task.name()),
        };
        println!("{examples} examples of {what}, {parameters} parameters");
    }

    /// The updates that are left.
    fn learn(
        &self,
        state: &mut Checkpoint,
        examples: &[Example],
        valid: &[Example],
        stop: &AtomicBool,
    ) -> Result<()> {
        let recipe = state.training.recipe.clone();
        let done = state.training.adam.steps as usize;
        let every = self.every.unwrap_or(recipe.updates / 40).max(1);
        let mut log = Log::open(self.out.as_deref(), done)?;
        let bar = bar(recipe.updates, done);
        let batches = recipe.batches(examples).skip(done);
        for (step, batch) in (done + 1..=recipe.updates).zip(batches) {
            let loss = state.training.update(&batch);
            log.add(loss, batch.iter().map(|e| e.target.len() + 1).sum());
            bar.set_message(log.message());
            bar.inc(1);
            let last = stop.load(Ordering::Relaxed) || step == recipe.updates;
            if last || step.is_multiple_of(every) {
                let left = nats(&state.training.model, valid);
                let line = log.line(step, rate_at(&recipe, step), left)?;
                bar.suspend(|| println!("{line}"));
                self.save(state)?;
            }
            if stop.load(Ordering::Relaxed) {
                bar.abandon();
                println!("stopped after {step} updates; --resume goes on");
                return Ok(());
            }
        }
        bar.finish();
        Ok(())
    }

    fn save(&self, state: &Checkpoint) -> Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        let dir = place(out, state.training.adam.steps as usize);
        if !dir.exists() {
            state.save(&dir)?;
        }
        keep(out, self.keep)
    }
}

fn rate_at(recipe: &Recipe, step: usize) -> f64 {
    rate(recipe.peak, step, recipe.warmup)
}

/// A model of these sizes, without numbers.
fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

/// Examples of a task: many to learn from, and others to be tested with.
fn exercises(task: Task, seed: u64) -> (Pairs, Pairs) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let held_out: Pairs = (0..500).map(|_| task.example(&mut rng)).collect();
    let hidden: HashSet<&String> =
        held_out.iter().map(|(text, _)| text).collect();
    let examples = std::iter::repeat_with(|| task.example(&mut rng));
    let examples = examples.filter(|(text, _)| !hidden.contains(text));
    (examples.take(20_000).collect(), held_out)
}

/// How many of the answers are right, to the letter.
fn examine(state: &Checkpoint, held_out: &Pairs) {
    let texts: Vec<String> =
        held_out.iter().map(|(text, _)| text.clone()).collect();
    let found = state.translate(&texts, &state.beam(1, 0.0, 1));
    let said = |found: &Vec<(String, f64)>| {
        found.first().map(|(text, _)| text.clone()).unwrap_or_default()
    };
    let answers: Vec<String> = found.iter().map(said).collect();
    for ((text, _), answer) in held_out.iter().zip(&answers).take(3) {
        println!("{text} → {answer}");
    }
    let right = held_out.iter().zip(&answers);
    let right = right.filter(|((_, wanted), answer)| wanted == *answer);
    let (right, all) = (right.count(), held_out.len());
    let verdict = if right == all { "solved" } else { "not yet solved" };
    println!("{verdict}: {right} of {all} new examples are right");
}

fn bar(updates: usize, done: usize) -> ProgressBar {
    let bar = ProgressBar::new(updates as u64).with_position(done as u64);
    let style = "{bar:30} {pos}/{len} {msg} {eta} left";
    bar.with_style(ProgressStyle::with_template(style).expect("a template"))
}

/// What is written down on the way.
struct Log {
    file: Option<PathBuf>,
    /// Since the last line: the losses, and how many.
    losses: (f64, usize),
    /// Target tokens in all.
    tokens: usize,
    began: Instant,
    /// How long it took before it was interrupted.
    before: f64,
}

const HEAD: &str = "update\trate\tnats\tvalid\ttokens\tseconds\n";

impl Log {
    /// A new log, or what an old one says of the first `done` updates.
    fn open(out: Option<&Path>, done: usize) -> Result<Self> {
        let mut log = Self {
            file: None,
            losses: (0.0, 0),
            tokens: 0,
            began: Instant::now(),
            before: 0.0,
        };
        let Some(out) = out else { return Ok(log) };
        fs::create_dir_all(out).with_context(|| out.display().to_string())?;
        let file = out.join("log.tsv");
        let old = fs::read_to_string(&file).unwrap_or_default();
        let mut kept = HEAD.to_owned();
        for line in old.lines().skip(1) {
            let fields: Vec<f64> =
                line.split('\t').flat_map(str::parse).collect();
            let &[update, .., tokens, seconds] = &*fields else { break };
            if update <= done as f64 {
                kept += &format!("{line}\n");
                (log.tokens, log.before) = (tokens as usize, seconds);
            }
        }
        fs::write(&file, kept).with_context(|| file.display().to_string())?;
        log.file = Some(file);
        Ok(log)
    }

    fn add(&mut self, loss: f32, tokens: usize) {
        self.losses.0 += f64::from(loss);
        self.losses.1 += 1;
        self.tokens += tokens;
    }

    fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }

    fn message(&self) -> String {
        let loss = self.losses.0 / self.losses.1 as f64;
        let speed = self.tokens as f64 / self.seconds();
        format!("loss {loss:.3}, {speed:.0} tokens/s,")
    }

    /// One more line of the file, and what to say.
    fn line(&mut self, step: usize, rate: f64, valid: f64) -> Result<String> {
        let (sum, losses) = std::mem::take(&mut self.losses);
        let (nats, seconds) = (sum / losses as f64, self.seconds());
        if let Some(file) = &self.file {
            let tokens = self.tokens;
            let name = || file.display().to_string();
            let mut file = OpenOptions::new()
                .append(true)
                .open(file)
                .with_context(name)?;
            let line = format!(
                "{step}\t{rate:.6}\t{nats:.4}\t{valid:.4}\t{tokens}\t{seconds:.1}\n"
            );
            file.write_all(line.as_bytes()).with_context(name)?;
        }
        let hard = perplexity(valid);
        Ok(format!(
            "update {step}: loss {nats:.3}; held out {valid:.3} nats, \
             perplexity {hard:.2}; {seconds:.0} s"
        ))
    }
}

/// Translate a text, or the lines of the standard input.
#[derive(Args)]
struct Translate {
    /// A checkpoint, or a run: then its last.
    #[arg(long)]
    model: PathBuf,
    #[command(flatten)]
    search: Search,
    /// How many translations of each.
    #[arg(long, default_value_t = 1)]
    nbest: usize,
    /// The text.
    text: Option<String>,
}

/// How to search.
#[derive(Args)]
struct Search {
    /// How many hypotheses go on at a time.
    #[arg(long, default_value_t = 5)]
    beam: usize,
    /// How much a long translation is helped.
    #[arg(long, default_value_t = 0.6)]
    alpha: f64,
}

impl Search {
    fn check(&self, nbest: usize) -> Result<()> {
        ensure!(
            (1..=self.beam).contains(&nbest),
            "a beam of {} does not give {nbest} translations",
            self.beam
        );
        ensure!(self.alpha >= 0.0, "an alpha of 0 or more");
        Ok(())
    }
}

impl Translate {
    fn run(&self) -> Result<()> {
        self.search.check(self.nbest)?;
        let state = Checkpoint::load(&find(&self.model)?)?;
        let texts = match &self.text {
            Some(text) => vec![text.clone()],
            None => standard_input()?,
        };
        let Search { beam, alpha } = self.search;
        let beam = state.beam(beam, alpha, self.nbest);
        let mut out = std::io::stdout().lock();
        for found in state.translate(&texts, &beam) {
            for (text, score) in found {
                match self.nbest {
                    1 => writeln!(out, "{text}")?,
                    _ => writeln!(out, "{score:.4}\t{text}")?,
                }
            }
        }
        Ok(())
    }
}

fn standard_input() -> Result<Vec<String>> {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    lines(&text).context("standard input")
}

/// BLEU of a model's translations, or of translations in a file.
#[derive(Args)]
struct Score {
    /// A checkpoint, or a run: then its last.
    #[arg(long, requires = "source", required_unless_present = "hypotheses")]
    model: Option<PathBuf>,
    /// Texts to translate, one a line.
    #[arg(long)]
    source: Option<PathBuf>,
    /// Translations that are there already.
    #[arg(long, conflicts_with_all = ["model", "source"])]
    hypotheses: Option<PathBuf>,
    /// How people translated them.
    #[arg(long)]
    reference: PathBuf,
    #[command(flatten)]
    search: Search,
    /// How to cut texts into words: none or 13a.
    #[arg(long, default_value = "13a")]
    tokenizer: Tokenizer,
}

impl Score {
    fn run(&self) -> Result<()> {
        self.search.check(1)?;
        let hypotheses = match (&self.hypotheses, &self.model, &self.source) {
            (Some(file), ..) => read(file)?,
            (None, Some(model), Some(source)) => {
                self.translations(model, source)?
            }
            _ => bail!("neither --hypotheses nor --model and --source"),
        };
        let references = read(&self.reference)?;
        ensure!(
            hypotheses.len() == references.len(),
            "{} translations, and {} in {}",
            hypotheses.len(),
            references.len(),
            self.reference.display()
        );
        println!("{}", bleu(&hypotheses, &references, self.tokenizer));
        println!("{}", signature(self.tokenizer));
        Ok(())
    }

    fn translations(
        &self,
        model: &Path,
        source: &Path,
    ) -> Result<Vec<String>> {
        let state = Checkpoint::load(&find(model)?)?;
        let Search { beam, alpha } = self.search;
        let found =
            state.translate(&read(source)?, &state.beam(beam, alpha, 1));
        let best = found.into_iter().map(|found| found.into_iter().next());
        Ok(best.map(|best| best.unwrap_or_default().0).collect())
    }
}

/// Draw what every head looks at while a text is translated.
#[derive(Args)]
struct Attend {
    /// A checkpoint, or a run: then its last.
    #[arg(long)]
    model: PathBuf,
    /// Where to put the pictures.
    #[arg(long, default_value = "attention")]
    out: PathBuf,
    /// The text.
    text: String,
}

impl Attend {
    fn run(&self) -> Result<()> {
        let state = Checkpoint::load(&find(&self.model)?)?;
        let texts = [self.text.clone()];
        let found = state.translate(&texts, &state.beam(5, 0.6, 1));
        let said = found.into_iter().flatten().next().unwrap_or_default().0;
        println!("{said}");
        let source = question(&self.text, &state.tokens);
        let (start, _) = marks(state.config.vocabulary);
        let target = [vec![start], state.tokens.encode(&said)].concat();
        let looks = state.looks(&source, &target);
        let (rows, columns) =
            (spelled(&target, &state), spelled(&source, &state));
        fs::create_dir_all(&self.out)
            .with_context(|| self.out.display().to_string())?;
        let kinds = [
            ("encoder", &looks.encoder, &columns, &columns),
            ("decoder", &looks.decoder, &rows, &rows),
            ("cross", &looks.cross, &rows, &columns),
        ];
        for (kind, layers, rows, columns) in kinds {
            for (i, layer) in layers.iter().enumerate() {
                let name = format!("{kind}-{}", i + 1);
                let figure = heads(&name, layer, rows, columns);
                figure
                    .write(&self.out, &name)
                    .with_context(|| self.out.display().to_string())?;
            }
        }
        Ok(())
    }
}

/// Tokens as one can read them.
fn spelled(tokens: &[usize], state: &Checkpoint) -> Vec<String> {
    let (start, end) = marks(state.config.vocabulary);
    let spell = |&token: &usize| match token {
        token if token == start => "‹start›".to_owned(),
        token if token == end => "‹end›".to_owned(),
        token => state.tokens.decode(&[token]).replace(' ', "·"),
    };
    tokens.iter().map(spell).collect()
}

/// All heads of a layer, side by side.
fn heads(
    name: &str,
    layer: &Layer,
    rows: &[String],
    columns: &[String],
) -> Figure {
    let text = "Each row is a query; the darker, the more it takes.";
    let maps = HeatMaps::new(name, text);
    let panels = layer.iter().enumerate();
    panels
        .fold(maps, |maps, (i, weights)| {
            let weights: Matrix = weights.map(convert);
            let panel = Panel::new(&weights)
                .title(&format!("head {}", i + 1))
                .rows(rows)
                .columns(columns)
                .axes("queries", "keys");
            maps.panel(panel)
        })
        .draw()
}

/// The parameters of a model, and what a sentence costs it.
#[derive(Args)]
struct Params {
    /// A checkpoint, or a run: then its last.
    #[arg(long, conflicts_with = "preset")]
    model: Option<PathBuf>,
    /// A model by its name.
    #[arg(long, default_value = "base")]
    preset: Preset,
    /// The length of the sentence, in tokens.
    #[arg(long, default_value_t = 30)]
    length: usize,
}

impl Params {
    fn run(&self) -> Result<()> {
        let config = match &self.model {
            Some(model) => Checkpoint::load(&find(model)?)?.config,
            None => {
                let (merges, config, _) = self.preset.settings();
                Config { vocabulary: 256 + merges + 2, ..config }
            }
        };
        let bill = Bill::default();
        let model: Transformer<Shape> =
            Transformer::new(&config, &mut bill.clone());
        model.map("", &mut |name, leaf| {
            let (rows, columns) = leaf.shape();
            let numbers = rows * columns;
            println!("{name:50} {rows:>6} × {columns:<6} {numbers:>10}");
        });
        println!("{} parameters", count(&model));
        let sentence = [vec![0; self.length]];
        model.forward(&sentence, &sentence);
        println!(
            "{} multiply-adds for {} tokens from {1} tokens",
            bill.cost().multiply_adds,
            self.length
        );
        Ok(())
    }
}

/// The mean of several models.
#[derive(Args)]
struct Average {
    /// Where to put it.
    #[arg(long)]
    out: PathBuf,
    /// Checkpoints; of a run, all that it kept.
    #[arg(required = true)]
    models: Vec<PathBuf>,
}

impl Average {
    fn run(&self) -> Result<()> {
        let mut dirs = Vec::new();
        for model in &self.models {
            match find(model)? {
                found if found == *model => dirs.push(found),
                _ => {
                    dirs.extend(all_you_need::checkpoint::checkpoints(model)?)
                }
            }
        }
        average(&dirs)?.save(&self.out)?;
        println!("{} checkpoints make {}", dirs.len(), self.out.display());
        Ok(())
    }
}

/// A model as PyTorch reads it.
#[derive(Args)]
struct Export {
    /// A checkpoint, or a run: then its last.
    #[arg(long)]
    model: PathBuf,
    /// The file to write.
    #[arg(long, default_value = "torch.safetensors")]
    out: PathBuf,
}

impl Export {
    fn run(&self) -> Result<()> {
        Checkpoint::load(&find(&self.model)?)?.export(&self.out)
    }
}
