//! A translator from before 2017 and one of the book with as many parameters,
//! which learn from the same captions in the same batches:
//!
//! `cargo bench --bench rival -- learn DATA KIND SEED RATE BUDGET OUT LOG`
//! trains one, `rival` or `book`, and goes on if it was stopped: OUT has its
//! state, LOG a row for every twentieth of the run. BUDGET is how many target
//! tokens it learns from.
//!
//! `… -- judge DATA SET KIND OUT` translates a set with a beam, and prints for
//! each sentence what BLEU counts.
//!
//! `… -- distance DATA KIND OUT` says how much of a word's gradient comes from
//! how far away.
//!
//! `… -- backwards FILE` trains small recurrent networks to write words
//! backwards, with attention and without.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "rival/backwards.rs"]
mod backwards;
#[path = "common/log.rs"]
mod log;

use all_you_need::attention::Mask;
use all_you_need::bleu::{Tokenize, counts};
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::rand::RngExt;
use all_you_need::rival::Rival;
use all_you_need::search::{Beam, Hypothesis};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::training::{Recipe, Stream, generator, target_tokens};
use all_you_need::transformer::{NotFinite, Transformer};
use all_you_need::translation::{corpus, examples, learn_tokenizer};
use all_you_need::writer::{Model, mean_loss};
use all_you_need::{Example, Trainer, TrainingExample};
use arguments::arguments;
use print::log::number;
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensors, serialize};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

fn main() {
    match arguments()[..] {
        ["sizes", data] => sizes(&Data::new(data)),
        ["learn", data, "rival", ref rest @ ..] => {
            learn(&Data::new(data), rival, rest);
        }
        ["learn", data, "book", ref rest @ ..] => {
            learn(&Data::new(data), book, rest);
        }
        ["judge", data, set, "rival", out] => {
            judge(&Data::new(data), set, rival, out, Rival::search);
        }
        ["judge", data, set, "book", out] => {
            judge(&Data::new(data), set, book, out, Transformer::search);
        }
        ["distance", data, kind, out] => {
            let data = Data::new(data);
            match kind {
                "rival" => distance(&data, &trained(&data, rival, out)),
                "book" => distance(&data, &trained(&data, book, out)),
                _ => panic!("rival or book"),
            }
        }
        ["backwards", file] => backwards::backwards(file),
        _ => panic!("sizes, learn, judge, distance or backwards"),
    }
}

// The captions and the two models

/// A small vocabulary, so that most of the time goes into what differs.
const MERGES: usize = 2000;

/// Numbers for a word.
const D: usize = 128;

struct Data {
    folder: String,
    tokenizer: Tokenizer,
    training: Vec<Example>,
    validation: Vec<Example>,
}

fn pairs(folder: &str, set: &str) -> Vec<(String, String)> {
    let side = |language| Path::new(folder).join(format!("{set}.{language}"));
    corpus(&side("en"), &side("de")).unwrap_or_else(|e| panic!("{e}"))
}

impl Data {
    fn new(folder: &str) -> Self {
        let training = pairs(folder, "train");
        let tokenizer = learn_tokenizer(&training, MERGES);
        let [training, validation] = [training, pairs(folder, "val")]
            .map(|pairs| examples(&pairs, &tokenizer).expect("short lines"));
        Self { folder: folder.to_owned(), tokenizer, training, validation }
    }
}

type Recurrent = Rival<Matrix<f32>>;
type Attending = Transformer<Matrix<f32>>;

fn rival(vocabulary: usize, seed: u64) -> Recurrent {
    Rival::new(vocabulary, D, &mut generator(seed, Stream::Weights))
}

/// Two layers on each side, with networks as wide as the rival has parameters
/// for.
fn book(vocabulary: usize, seed: u64) -> Attending {
    let rng = &mut generator(seed, Stream::Weights);
    Transformer::new(&sizes_of_book(vocabulary), rng)
}

fn sizes_of_book(vocabulary: usize) -> Config {
    let with = |d_ff| Config {
        vocabulary,
        layers: 2,
        d_model: D,
        d_ff,
        ..Config::tiny()
    };
    let count = |d_ff| {
        let rng = &mut generator(1, Stream::Weights);
        parameter_count::<Matrix<f32>>(&Transformer::new(&with(d_ff), rng))
    };
    let wanted = parameter_count(&rival(vocabulary, 1));
    let each = count(2) - count(1);
    with((wanted - count(1) + each / 2) / each + 1)
}

fn sizes(data: &Data) {
    let v = data.tokenizer.vocabulary();
    println!("vocabulary\t{v}");
    println!("rival\t{}", parameter_count(&rival(v, 1)));
    println!("book\t{}", parameter_count(&book(v, 1)));
    println!("d_ff\t{}", sizes_of_book(v).d_ff);
    println!("pairs\t{}", data.training.len());
    println!("tokens\t{}", target_tokens(&data.training));
}

// Learning

fn recipe(seed: u64, peak_lr: f64, budget: usize) -> Recipe {
    let batch_tokens = 1400;
    let updates = budget / batch_tokens;
    Recipe {
        batch_tokens,
        parts: 1,
        updates,
        warmup: updates.div_ceil(5),
        peak_lr,
        seed,
        ..Recipe::base()
    }
}

/// Rows of the log.
const ROWS: usize = 20;

fn learn<L>(data: &Data, new: fn(usize, u64) -> L, rest: &[&str])
where
    L: Model + Sync,
    Example: TrainingExample<L::OnTape, Variable<f32>>
        + TrainingExample<L, Matrix<f32>>,
{
    let [seed, rate, budget, out, log] = rest else {
        panic!("learn DATA KIND SEED RATE BUDGET OUT LOG")
    };
    let (seed, v) = (number(seed), data.tokenizer.vocabulary());
    let recipe = recipe(seed, number(rate), number(budget));
    let mut learning = Trainer::new(recipe, |_| new(v, seed));
    let mut seconds = load(&mut learning, out).unwrap_or_else(|| {
        fs::write(log, "update\ttokens\tloss\tval\tseconds\n").expect(log);
        0.0
    });
    let every = learning.recipe.updates.div_ceil(ROWS);
    let (mut clock, mut tokens, mut nats) = (Instant::now(), 0, 0.0);
    let run = learning.run(&data.training, |now, update| {
        tokens += update.target_tokens;
        nats += f64::from(update.loss) * update.target_tokens as f64;
        if update.step % every == 0 || update.step == now.recipe.updates {
            seconds += clock.elapsed().as_secs_f64();
            let val = mean_loss(&now.model, &data.validation);
            let loss = nats / tokens as f64;
            let mut log = OpenOptions::new().append(true).open(log).unwrap();
            let step = update.step;
            writeln!(
                log,
                "{step}\t{tokens}\t{loss:.4}\t{val:.4}\t{seconds:.0}"
            )
            .unwrap();
            save(now, seconds, out);
            (clock, tokens, nats) = (Instant::now(), 0, 0.0);
        }
        ControlFlow::<()>::Continue(())
    });
    assert!(run.is_ok(), "finite losses");
}

/// The model, its moments, and how far it is.
fn save<L: Model>(learning: &Trainer<L>, seconds: f64, out: &str) {
    let Trainer { model, adam, .. } = learning;
    let trees = [("w", model), ("m", &adam.mean), ("s", &adam.square)];
    let mut tensors = Vec::new();
    for (tree, leaves) in trees {
        for (name, leaf) in leaves.leaves() {
            let bytes = leaf.iter().flat_map(|x| x.to_le_bytes()).collect();
            tensors.push((format!("{tree}.{name}"), vec![leaf.len()], bytes));
        }
    }
    let far = [adam.steps as f32, seconds as f32];
    let far = far.iter().flat_map(|x| x.to_le_bytes()).collect();
    tensors.push(("far".into(), vec![2], far));
    let views =
        tensors.iter().map(|(name, shape, bytes): &(_, _, Vec<u8>)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
            (name, view.expect("four bytes a number"))
        });
    let bytes = serialize(views, None).expect("names that differ");
    let part = format!("{out}.part");
    fs::write(&part, bytes).expect(&part);
    fs::rename(&part, out).expect(out);
}

/// Goes on where a run was saved; returns the seconds until then.
fn load<L: Model>(learning: &mut Trainer<L>, out: &str) -> Option<f64> {
    let bytes = fs::read(out).ok()?;
    let file = SafeTensors::deserialize(&bytes).expect(out);
    let numbers = |name: &str| -> Vec<f32> {
        let tensor =
            file.tensor(name).unwrap_or_else(|e| panic!("{out}: {e}"));
        let (cells, _) = tensor.data().as_chunks();
        cells.iter().map(|&cell| f32::from_le_bytes(cell)).collect()
    };
    let Trainer { model, adam, .. } = learning;
    let trees =
        [("w", model), ("m", &mut adam.mean), ("s", &mut adam.square)];
    for (tree, leaves) in trees {
        let names: Vec<String> =
            leaves.leaves().into_iter().map(|(name, _)| name).collect();
        for (name, leaf) in iter::zip(names, leaves.leaves_mut()) {
            leaf.copy_from_slice(&numbers(&format!("{tree}.{name}")));
        }
    }
    let far = numbers("far");
    adam.steps = far[0] as usize;
    Some(f64::from(far[1]))
}

/// A model that has learned.
fn trained<L: Model>(data: &Data, new: fn(usize, u64) -> L, out: &str) -> L {
    let v = data.tokenizer.vocabulary();
    let mut learning = Trainer::new(recipe(1, 1e-3, 1400), |_| new(v, 1));
    load(&mut learning, out).unwrap_or_else(|| panic!("{out} is missing"));
    learning.model
}

// Translating

type Found = Result<Vec<Vec<Hypothesis>>, NotFinite>;

fn judge<L: Model>(
    data: &Data,
    set: &str,
    new: fn(usize, u64) -> L,
    out: &str,
    search: impl Fn(&L, &[Vec<Token>], &Beam) -> Found,
) {
    let (model, tokenizer) = (trained(data, new, out), &data.tokenizer);
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    let beam = Beam { width: 5, ..Beam::paper(bos, eos) };
    let pairs = pairs(&data.folder, set);
    let n_grams = |name| (1..=4).map(move |n| format!("{name} {n}"));
    let head = n_grams("match").chain(n_grams("total"));
    let head: Vec<_> = head.collect();
    println!("words\t{}\treference", head.join("\t"));
    for pairs in pairs.chunks(20) {
        let sources = pairs.iter().map(|(en, _)| tokenizer.encode_source(en));
        let sources: Vec<Vec<Token>> = sources.collect();
        let found = search(&model, &sources, &beam).expect("finite logits");
        for ((en, de), found) in pairs.iter().zip(found) {
            let said = found.first().map(|h| tokenizer.decode(&h.tokens));
            let said = [said.unwrap_or_default()];
            let reference = std::slice::from_ref(de);
            let counts = counts(&said, reference, Tokenize::None)[0];
            let words = en.split_whitespace().count();
            let numbers = counts.matches.iter().chain(&counts.totals);
            let numbers: Vec<_> = numbers.map(usize::to_string).collect();
            println!(
                "{words}\t{}\t{}",
                numbers.join("\t"),
                counts.reference_length
            );
        }
    }
}

// What vanishes

/// The most tokens between two words that are looked at.
const FAR: usize = 24;

/// What reads a sentence, in two steps: the row of each token, and the states
/// that are made of all rows.
trait Reader: Model {
    fn embedded(&self, source: &[Token]) -> Matrix<f32>;
    fn states(on_tape: &Self::OnTape, rows: &Variable<f32>) -> Variable<f32>;
}

impl Reader for Recurrent {
    fn embedded(&self, source: &[Token]) -> Matrix<f32> {
        self.embedding.embed(source)
    }

    fn states(on_tape: &Self::OnTape, rows: &Variable<f32>) -> Variable<f32> {
        on_tape.forward.read(rows, &[rows.shape().0], false)
    }
}

impl Reader for Attending {
    fn embedded(&self, source: &[Token]) -> Matrix<f32> {
        self.embedding.pack(&[source]).rows
    }

    fn states(on_tape: &Self::OnTape, rows: &Variable<f32>) -> Variable<f32> {
        let n = rows.shape().0;
        on_tape.encoder.forward(rows, &Mask::none(n, n))
    }
}

/// How a random direction of the reader's last state changes with each word
/// before, averaged over the captions of val that are long enough.
fn distance<L: Reader>(data: &Data, model: &L) {
    let mut squares = vec![0.0; FAR + 1];
    let mut texts = 0;
    let rng = &mut generator(1, Stream::Data);
    for Example { source, .. } in &data.validation {
        if source.len() <= FAR {
            continue;
        }
        texts += 1;
        let direction =
            Matrix::from_fn(D, 1, |_, _| rng.random_range(-1.0..1.0));
        let gradient = along(model, source, &direction);
        let last = source.len() - 1;
        for (far, square) in squares.iter_mut().enumerate() {
            let row = gradient.row(last - far);
            *square += f64::from(row.norm_squared());
        }
    }
    println!("distance\tchange\ttexts");
    for (far, square) in squares.into_iter().enumerate() {
        println!("{far}\t{:.6}\t{texts}", (square / f64::from(texts)).sqrt());
    }
}

/// The gradient of the last state, along a direction, with respect to each
/// row that was read.
fn along<L: Reader>(
    model: &L,
    source: &[Token],
    direction: &Matrix,
) -> Matrix<f32> {
    let tape = Tape::default();
    let shared = model.share();
    let on_tape = shared.map("", &mut |_, leaf| tape.variable(leaf.clone()));
    let rows = tape.variable(model.embedded(source));
    let last = L::states(&on_tape, &rows).gather(&[source.len() - 1]);
    let loss = last.matmul(&last.constant(direction));
    tape.gradients(&loss).of(&rows)
}
