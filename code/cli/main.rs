//! Trains a Transformer, and translates with it.

use all_you_need::bleu::{Tokenizer, bleu, signature};
use all_you_need::checkpoint::{
    Checkpoint, average, checkpoints, find, keep, newest, place,
};
use all_you_need::encoder::Config;
use all_you_need::loss::perplexity;
use all_you_need::optimizer::{Adam, peak, rate};
use all_you_need::tasks::Task;
use all_you_need::tensor::{Bill, Matrix, Shape, Tensor};
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::training::{marks, nats, question, said};
use all_you_need::transformer::{Parameters, Transformer, count};
use all_you_need::translation::{
    Layer, Pair, corpus, lines, read, vocabulary,
};
use anyhow::{Context, Error, Result, ensure};
use clap::error::ErrorKind::ValueValidation;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use mimalloc::MiMalloc;
use nalgebra::convert;
use plot::{Figure, HeatMaps, Panel};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind::BrokenPipe, Read, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Every result is a new matrix: what hands out memory must be quick too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Trains a Transformer, and translates with it.
#[derive(Parser)]
#[command(name = "transformer", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Threads to compute with; all there are, if not said.
    #[arg(long, global = true, value_parser = whole)]
    threads: Option<usize>,
}

#[derive(Subcommand)]
enum Command {
    Train(Box<Train>),
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
        Err(error) if hung_up(&error) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "error: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}

fn run(Arguments { command, threads }: Arguments) -> Result<()> {
    if let Some(threads) = threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build_global()?;
    }
    match command {
        Command::Train(train) => train.run(),
        Command::Translate(translate) => translate.run(),
        Command::Score(score) => score.run(),
        Command::Attend(attend) => attend.run(),
        Command::Params(params) => params.run(),
        Command::Average(average) => average.run(),
        Command::Export(export) => export.run(),
    }
}

/// A line on the standard output.
fn say(line: impl Display) -> Result<()> {
    writeln!(io::stdout(), "{line}").context("standard output")
}

/// Whoever read our output has had enough, like `head`. That is no error.
fn hung_up(error: &Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == BrokenPipe)
}

/// A flag's number, if it makes sense.
fn within<T: FromStr + PartialOrd + Display>(
    text: &str,
    range: RangeInclusive<T>,
) -> Result<T> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (from, to) = (range.start(), range.end());
    number.with_context(|| format!("not a number from {from} to {to}"))
}

fn whole(text: &str) -> Result<usize> {
    within(text, 1..=1_000_000)
}

fn seed(text: &str) -> Result<u64> {
    within(text, 0..=u64::from(u32::MAX))
}

fn part(text: &str) -> Result<f64> {
    within(text, 0.0..=0.99)
}

fn pace(text: &str) -> Result<f64> {
    within(text, 1e-9..=1.0)
}

fn exponent(text: &str) -> Result<f64> {
    within(text, 0.0..=10.0)
}

/// Flags of which each makes sense, but not all together.
fn misuse(sentence: String) -> ! {
    Arguments::command().error(ValueValidation, sentence).exit()
}

/// Learn a small task, or to translate from two files.
///
/// Without arguments: learn to reverse words, and say how well.
#[derive(Args)]
struct Train {
    /// What to learn, if not from files: copy, reverse, sort or dates.
    #[arg(long, default_value = "reverse", conflicts_with = "source")]
    task: Task,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    sizes: Sizes,
    #[command(flatten)]
    lessons: Lessons,
    #[command(flatten)]
    records: Records,
}

/// Texts to learn from, and others to be tested with.
#[derive(Args)]
struct Files {
    /// Texts to translate from, one a line.
    #[arg(long, requires = "target")]
    source: Option<PathBuf>,
    /// Their translations.
    #[arg(long, requires_all = ["source", "valid_source", "out"])]
    target: Option<PathBuf>,
    /// Texts to be tested with on the way.
    #[arg(long, requires_all = ["source", "valid_target"])]
    valid_source: Option<PathBuf>,
    /// Their translations.
    #[arg(long, requires = "valid_source")]
    valid_target: Option<PathBuf>,
}

/// How large the model is.
#[derive(Args)]
struct Sizes {
    /// Sizes and settings to begin with; toy for tasks, tiny for files.
    #[arg(long)]
    preset: Option<Preset>,
    /// Byte pairs to merge.
    #[arg(long)]
    merges: Option<usize>,
    /// Layers in the encoder and in the decoder.
    #[arg(long, value_parser = whole)]
    layers: Option<usize>,
    /// The width between the layers.
    #[arg(long, value_parser = whole)]
    d_model: Option<usize>,
    /// The width inside the feed-forward networks.
    #[arg(long, value_parser = whole)]
    d_ff: Option<usize>,
    /// Heads of every attention.
    #[arg(long, value_parser = whole)]
    heads: Option<usize>,
}

/// How it is trained.
#[derive(Args)]
struct Lessons {
    /// Target tokens in a batch.
    #[arg(long, value_parser = whole)]
    tokens: Option<usize>,
    /// Updates of the weights.
    #[arg(long, value_parser = whole)]
    updates: Option<usize>,
    /// Updates in which the way back is learned too.
    #[arg(long)]
    both_ways: Option<usize>,
    /// Updates in which the rate rises.
    #[arg(long, value_parser = whole)]
    warmup: Option<usize>,
    /// The highest rate.
    #[arg(long, value_parser = pace)]
    rate: Option<f64>,
    /// What part of the numbers is dropped.
    #[arg(long, value_parser = part)]
    dropout: Option<f64>,
    /// How fast weights shrink if nothing holds them.
    #[arg(long, value_parser = part)]
    weight_decay: Option<f64>,
    /// What part of the target is spread over the vocabulary.
    #[arg(long, value_parser = part)]
    smoothing: Option<f64>,
    /// Where all random numbers come from.
    #[arg(long, default_value = "1", value_parser = seed)]
    seed: u64,
}

/// What is kept of it.
#[derive(Args)]
struct Records {
    /// Where to keep what is learned.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Go on with what is there: the same command, and perhaps more updates.
    #[arg(long, requires = "out")]
    resume: bool,
    /// Updates from one line of the log, and one checkpoint, to the next.
    #[arg(long, value_parser = whole)]
    every: Option<usize>,
    /// How many checkpoints to keep.
    #[arg(long, default_value = "10", value_parser = whole)]
    keep: usize,
}

/// Sizes, and what goes well with them.
#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    /// Learns a task in a minute.
    Toy,
    /// Learns to translate captions in less than two hours.
    Tiny,
    /// The paper's base model.
    Base,
    /// The paper's big model.
    Big,
}

impl Preset {
    /// All tokens but the bytes, start and end.
    fn merges(self) -> usize {
        self.config().vocabulary - 256 - 2
    }

    fn config(self) -> Config {
        let tiny = Config::tiny();
        match self {
            Self::Toy => Config {
                vocabulary: 256 + 2,
                layers: 2,
                d_model: 64,
                d_ff: 128,
                heads: 2,
                ..tiny
            },
            Self::Tiny => tiny,
            Self::Base => Config::base(),
            Self::Big => Config::big(),
        }
    }

    fn recipe(self) -> Recipe {
        match self {
            Self::Toy => Recipe {
                tokens: 1000,
                updates: 2000,
                warmup: 100,
                peak: 0.0015,
                dropout: 0.0,
                ..Self::Base.recipe()
            },
            Self::Tiny => Recipe {
                tokens: 5500,
                updates: 7800,
                both_ways: 4000,
                warmup: 2000,
                peak: 0.005,
                dropout: 0.3,
                weight_decay: 0.1,
                ..Self::Base.recipe()
            },
            Self::Base => Recipe {
                tokens: 25_000,
                updates: 100_000,
                both_ways: 0,
                warmup: 4000,
                peak: peak(512, 4000),
                dropout: 0.1,
                weight_decay: 0.0,
                smoothing: 0.1,
                seed: 1,
            },
            Self::Big => Recipe {
                updates: 300_000,
                peak: peak(1024, 4000),
                dropout: 0.3,
                ..Self::Base.recipe()
            },
        }
    }
}

impl Files {
    /// What to learn from and what to be tested with, if files are given.
    fn read(&self) -> Result<Option<(Vec<Pair>, Vec<Pair>)>> {
        let Self { source, target, valid_source, valid_target } = self;
        let learn = source.as_ref().zip(target.as_ref());
        let test = valid_source.as_ref().zip(valid_target.as_ref());
        let Some((learn, test)) = learn.zip(test) else { return Ok(None) };
        Ok(Some((corpus(learn.0, learn.1)?, corpus(test.0, test.1)?)))
    }
}

impl Sizes {
    fn config(&self, preset: &Config, vocabulary: usize) -> Config {
        let layers = self.layers.unwrap_or(preset.layers);
        let d_model = self.d_model.unwrap_or(preset.d_model);
        let d_ff = self.d_ff.unwrap_or(preset.d_ff);
        let heads = self.heads.unwrap_or(preset.heads);
        if !d_model.is_multiple_of(heads) || !d_model.is_multiple_of(2) {
            misuse(format!(
                "a width of {d_model} is odd, or not that of {heads} heads"
            ));
        }
        let (d_k, d_v) = (d_model / heads, d_model / heads);
        Config { vocabulary, layers, d_model, d_ff, heads, d_k, d_v }
    }
}

impl Lessons {
    fn recipe(&self, preset: &Recipe) -> Recipe {
        Recipe {
            tokens: self.tokens.unwrap_or(preset.tokens),
            updates: self.updates.unwrap_or(preset.updates),
            both_ways: self.both_ways.unwrap_or(preset.both_ways),
            warmup: self.warmup.unwrap_or(preset.warmup),
            peak: self.rate.unwrap_or(preset.peak),
            dropout: self.dropout.unwrap_or(preset.dropout),
            weight_decay: self.weight_decay.unwrap_or(preset.weight_decay),
            smoothing: self.smoothing.unwrap_or(preset.smoothing),
            seed: self.seed,
        }
    }
}

/// Whether somebody has pressed Ctrl-C. Who presses it twice will not wait.
static STOP: AtomicBool = AtomicBool::new(false);

fn stop() {
    if STOP.swap(true, Relaxed) {
        process::exit(130);
    }
}

impl Train {
    fn run(&self) -> Result<()> {
        let found = self.records.found()?;
        let (texts, held_out) = match self.files.read()? {
            Some(texts) => texts,
            None => exercises(self.task, self.lessons.seed),
        };
        let mut state = self.begin(&texts);
        if let Some(dir) = found {
            state = resumed(&dir, &state)?;
        }
        let example = |pair| state.example(pair);
        let learn: Vec<Example> = texts.iter().map(example).collect();
        let test: Vec<Example> = held_out.iter().map(example).collect();
        enough(&learn, state.training.recipe.tokens)?;
        self.describe(&state, learn.len())?;
        ctrlc::set_handler(stop)?;
        self.records.learn(&mut state, &learn, &test)?;
        if STOP.load(Relaxed) {
            return self.records.farewell();
        }
        if self.files.source.is_none() {
            examine(&state, &held_out)?;
        }
        Ok(())
    }

    /// A new model, and how to train it, from the preset and the flags.
    fn begin(&self, texts: &[Pair]) -> Checkpoint {
        let files = self.files.source.is_some();
        let preset = if files { Preset::Tiny } else { Preset::Toy };
        let preset = self.sizes.preset.unwrap_or(preset);
        let merges = if files { preset.merges() } else { 0 };
        let merges = self.sizes.merges.unwrap_or(merges);
        let tokens = vocabulary(texts, merges);
        let config = self.sizes.config(&preset.config(), tokens.len() + 2);
        let recipe = self.lessons.recipe(&preset.recipe());
        let mut rng = ChaCha8Rng::seed_from_u64(recipe.seed);
        let model = Transformer::new(&config, &mut rng);
        let adam = Adam::new(&model);
        let training = Training { recipe, model, adam };
        Checkpoint { config, training, tokens }
    }

    /// What will be learned, and by how large a model.
    fn describe(&self, state: &Checkpoint, examples: usize) -> Result<()> {
        let parameters = count(&state.training.model);
        let what = match &self.files.source {
            Some(file) => file.display().to_string(),
            None => format!("the task {}", self.task.name()),
        };
        say(format!("{examples} examples of {what}, {parameters} parameters"))
    }
}

/// Whether there is enough for a batch.
fn enough(learn: &[Example], tokens: usize) -> Result<()> {
    let said = said(learn);
    ensure!(
        said >= tokens,
        "all translations together have {said} tokens, too few for a batch \
         of {tokens}; --tokens makes it smaller"
    );
    Ok(())
}

/// The run in this directory, if it is the one that is asked for.
fn resumed(dir: &Path, asked: &Checkpoint) -> Result<Checkpoint> {
    let mut found = Checkpoint::load(dir)?;
    found.training.recipe.updates = asked.training.recipe.updates;
    let (is, should) = (settings(&found)?, settings(asked)?);
    for (is, should) in is.lines().zip(should.lines()) {
        let dir = dir.display();
        ensure!(is == should, "{dir} has {is}, and not {should}");
    }
    let dir = dir.display();
    ensure!(found.tokens == asked.tokens, "{dir} has learned other texts");
    Ok(found)
}

/// Sizes and recipe, a line each.
fn settings(state: &Checkpoint) -> Result<String> {
    let sizes = toml::to_string(&state.config)?;
    Ok(sizes + &toml::to_string(&state.training.recipe)?)
}

impl Records {
    /// Where to go on, if that is wanted.
    fn found(&self) -> Result<Option<PathBuf>> {
        let Some(out) = &self.out else { return Ok(None) };
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

    /// The updates that are left, or those until somebody stops us.
    fn learn(
        &self,
        state: &mut Checkpoint,
        learn: &[Example],
        test: &[Example],
    ) -> Result<()> {
        let recipe = state.training.recipe.clone();
        let done = state.training.adam.steps as usize;
        let every = self.every.unwrap_or(recipe.updates.div_ceil(40));
        let mut log = Log::open(self.out.as_deref(), done)?;
        let bar = bar(recipe.updates, done);
        let batches = recipe.batches(learn).skip(done);
        for (step, batch) in (done + 1..=recipe.updates).zip(batches) {
            log.add(state.training.update(&batch), said(&batch));
            bar.set_message(log.message());
            bar.inc(1);
            let last = step == recipe.updates || STOP.load(Relaxed);
            if last || step.is_multiple_of(every) {
                let left = nats(&state.training.model, test);
                let line = log.line(step, &recipe, left)?;
                self.save(state)?;
                bar.suspend(|| say(line))?;
            }
            if last {
                break;
            }
        }
        bar.abandon();
        Ok(())
    }

    fn save(&self, state: &Checkpoint) -> Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        state.save(&place(out, state.training.adam.steps as usize))?;
        keep(out, self.keep)
    }

    fn farewell(&self) -> Result<()> {
        say(match &self.out {
            Some(_) => "stopped; the same command and --resume go on",
            None => "stopped; without --out nothing is kept",
        })
    }
}

/// Examples of a task: many to learn from, and others to be tested with.
fn exercises(task: Task, seed: u64) -> (Vec<Pair>, Vec<Pair>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let held_out: Vec<Pair> =
        (0..500).map(|_| task.example(&mut rng)).collect();
    let hidden: HashSet<&String> =
        held_out.iter().map(|(text, _)| text).collect();
    let examples = std::iter::repeat_with(|| task.example(&mut rng));
    let examples = examples.filter(|(text, _)| !hidden.contains(text));
    (examples.take(100_000).collect(), held_out)
}

/// How many of the answers are right, to the letter.
fn examine(state: &Checkpoint, held_out: &[Pair]) -> Result<()> {
    let (texts, wanted): (Vec<_>, Vec<_>) = held_out.iter().cloned().unzip();
    let answers = state.best(&texts, &state.beam(1, 0.0, 1));
    for (text, answer) in texts.iter().zip(&answers).take(3) {
        say(format!("{text} → {answer}"))?;
    }
    let right = answers.iter().zip(&wanted).filter(|(a, b)| a == b).count();
    let all = held_out.len();
    let verdict = if right == all { "solved" } else { "not yet solved" };
    say(format!("{verdict}: {right} of {all} new examples are right"))
}

fn bar(updates: usize, done: usize) -> ProgressBar {
    let style = "{bar:30} {pos}/{len} {msg} {eta} left";
    let style = ProgressStyle::with_template(style).expect("a template");
    let bar = ProgressBar::new(updates as u64).with_style(style);
    let bar = bar.with_position(done as u64);
    bar.reset_eta();
    bar
}

/// What is written down on the way.
struct Log {
    file: Option<PathBuf>,
    /// The sum of the losses since the last line, and how many there are.
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
        let (file, losses, tokens, before) = (None, (0.0, 0), 0, 0.0);
        let began = Instant::now();
        let mut log = Self { file, losses, tokens, began, before };
        if let Some(out) = out {
            let name = || out.display().to_string();
            fs::create_dir_all(out).with_context(name)?;
            let file = out.join("log.tsv");
            log.take_up(&file, done).with_context(name)?;
            log.file = Some(file);
        }
        Ok(log)
    }

    /// A kill may have come between a line and its checkpoint.
    fn take_up(&mut self, file: &Path, done: usize) -> io::Result<()> {
        let old = fs::read_to_string(file).unwrap_or_default();
        let mut kept = HEAD.to_owned();
        for line in old.lines().skip(1) {
            let fields = line.split('\t').flat_map(str::parse);
            match *fields.collect::<Vec<f64>>() {
                [update, .., tokens, seconds] if update <= done as f64 => {
                    (self.tokens, self.before) = (tokens as usize, seconds);
                    kept += &format!("{line}\n");
                }
                _ => break,
            }
        }
        let new = file.with_extension("new");
        fs::write(&new, kept)?;
        fs::rename(new, file)
    }

    fn add(&mut self, loss: f32, tokens: usize) {
        self.losses.0 += f64::from(loss);
        self.losses.1 += 1;
        self.tokens += tokens;
    }

    fn loss(&self) -> f64 {
        self.losses.0 / self.losses.1 as f64
    }

    fn seconds(&self) -> f64 {
        self.before + self.began.elapsed().as_secs_f64()
    }

    fn message(&self) -> String {
        let (loss, speed) =
            (self.loss(), self.tokens as f64 / self.seconds());
        format!("loss {loss:.3}, {speed:.0} tokens/s,")
    }

    /// One more line of the file, and what to say.
    fn line(
        &mut self,
        update: usize,
        recipe: &Recipe,
        valid: f64,
    ) -> Result<String> {
        let (nats, seconds) = (self.loss(), self.seconds());
        self.losses = (0.0, 0);
        if let Some(file) = &self.file {
            let (name, tokens) = (|| file.display().to_string(), self.tokens);
            let rate = rate(recipe.peak, update, recipe.warmup);
            let losses = format!("{nats:.4}\t{valid:.4}");
            let line = format!(
                "{update}\t{rate:.6}\t{losses}\t{tokens}\t{seconds:.1}\n"
            );
            let file = OpenOptions::new().append(true).open(file);
            let write = |mut file: fs::File| file.write_all(line.as_bytes());
            file.and_then(write).with_context(name)?;
        }
        let hard = perplexity(valid);
        Ok(format!(
            "update {update}: loss {nats:.3}; held out {valid:.3} nats, \
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
    /// How many translations of each, with their scores.
    #[arg(long, default_value = "1", value_parser = whole)]
    nbest: usize,
    /// The text.
    text: Option<String>,
}

/// How to search.
#[derive(Args)]
struct Search {
    /// How many hypotheses go on at a time.
    #[arg(long, default_value = "5", value_parser = whole)]
    beam: usize,
    /// How much a long translation is helped.
    #[arg(long, default_value = "0.6", value_parser = exponent)]
    alpha: f64,
}

fn load(model: &Path) -> Result<Checkpoint> {
    Checkpoint::load(&find(model)?)
}

impl Translate {
    fn run(&self) -> Result<()> {
        let Self { search: Search { beam, alpha }, nbest, .. } = *self;
        if nbest > beam {
            misuse(format!("a beam of {beam} has no {nbest} translations"));
        }
        let state = load(&self.model)?;
        let texts = match &self.text {
            Some(text) => vec![text.clone()],
            None => standard_input()?,
        };
        let beam = state.beam(beam, alpha, nbest);
        for (text, score) in state.translate(&texts, &beam).concat() {
            match nbest {
                1 => say(text)?,
                _ => say(format!("{score:.4}\t{text}"))?,
            }
        }
        Ok(())
    }
}

fn standard_input() -> Result<Vec<String>> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text).context("standard input")?;
    lines(&text).context("standard input")
}

/// BLEU of a model's translations, or of translations in a file.
#[derive(Args)]
struct Score {
    /// A checkpoint, or a run: then its last.
    #[arg(long, requires = "source", required_unless_present = "hypotheses")]
    model: Option<PathBuf>,
    /// Texts to translate, one a line.
    #[arg(long, requires = "model")]
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
        let references = read(&self.reference)?;
        let file = self.reference.display();
        ensure!(!references.is_empty(), "{file} is empty");
        let hypotheses = self.hypotheses()?;
        let (said, wanted) = (hypotheses.len(), references.len());
        ensure!(
            said == wanted,
            "{file} has {wanted} lines for {said} translations"
        );
        say(bleu(&hypotheses, &references, self.tokenizer))?;
        say(signature(self.tokenizer))
    }

    fn hypotheses(&self) -> Result<Vec<String>> {
        if let Some(file) = &self.hypotheses {
            return read(file);
        }
        let given = self.model.as_ref().zip(self.source.as_ref());
        let (model, source) =
            given.context("neither model nor hypotheses")?;
        let (texts, state) = (read(source)?, load(model)?);
        let Search { beam, alpha } = self.search;
        Ok(state.best(&texts, &state.beam(beam, alpha, 1)))
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
        let state = load(&self.model)?;
        let text = std::slice::from_ref(&self.text);
        let said = state.best(text, &state.beam(5, 0.6, 1)).concat();
        let (start, _) = marks(state.config.vocabulary);
        let source = question(&self.text, &state.tokens);
        let target = [vec![start], state.tokens.encode(&said)].concat();
        let looks = state.looks(&source, &target);
        let names = (spelled(&target, &state), spelled(&source, &state));
        let (target, source) = (&*names.0, &*names.1);
        self.draw("encoder", &looks.encoder, source, source)?;
        self.draw("decoder", &looks.decoder, target, target)?;
        self.draw("cross", &looks.cross, target, source)?;
        say(said)
    }

    /// A picture for each layer.
    fn draw(
        &self,
        kind: &str,
        layers: &[Layer],
        queries: &[String],
        keys: &[String],
    ) -> Result<()> {
        for (i, layer) in (1..).zip(layers) {
            let title = format!("{}: {kind}, layer {i}", self.text);
            heads(&title, layer, queries, keys)
                .write(&self.out, &format!("{kind}-{i}"))
                .with_context(|| self.out.display().to_string())?;
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
    let drawn = |text: String| text.replace(char::is_control, "�");
    tokens.iter().map(spell).map(drawn).collect()
}

/// All heads of a layer, two in a row.
fn heads(
    title: &str,
    layer: &Layer,
    queries: &[String],
    keys: &[String],
) -> Figure {
    let text = "Each row is a query; the darker, the more it takes.";
    let mut maps = HeatMaps::new(title, text);
    for (i, weights) in layer.iter().enumerate() {
        let weights: Matrix = weights.map(convert);
        let panel = Panel::new(&weights).title(&format!("head {}", i + 1));
        let panel = panel.rows(queries).columns(keys).full(1.0);
        maps = if i > 0 && i % 2 == 0 { maps.next_row() } else { maps };
        maps = maps.panel(panel);
    }
    maps.draw()
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
    #[arg(long, default_value = "30", value_parser = whole)]
    length: usize,
}

impl Params {
    fn run(&self) -> Result<()> {
        let config = match &self.model {
            Some(model) => load(model)?.config,
            None => self.preset.config(),
        };
        let bill = Bill::default();
        let model: Transformer<Shape> =
            Transformer::new(&config, &mut bill.clone());
        let mut leaves = Vec::new();
        model.map("", &mut |name, leaf| {
            leaves.push((name.to_string(), leaf.shape()));
        });
        for (name, (rows, columns)) in leaves {
            let numbers = rows * columns;
            say(format!("{name:50} {rows:>6} × {columns:<6} {numbers:>10}"))?;
        }
        let (parameters, length) = (count(&model), self.length);
        let sentence = [vec![0; length]];
        model.forward(&sentence, &sentence);
        let products = bill.cost().multiply_adds;
        say(format!(
            "{parameters} parameters\n{products} multiply-adds for {length} \
             tokens from {length} tokens"
        ))
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
                _ => dirs.extend(checkpoints(model)?),
            }
        }
        average(&dirs)?.save(&self.out)?;
        let (number, out) = (dirs.len(), self.out.display());
        say(format!("the mean of {number} checkpoints is in {out}"))
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
        load(&self.model)?.export(&self.out)?;
        say(format!("{} is written", self.out.display()))
    }
}
