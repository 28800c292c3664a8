//! Random words, written backwards by two recurrent networks of the same
//! size: one looks back at all states of its reader, the other has nothing
//! but the last.

#[path = "sizes.rs"]
mod sizes;

use crate::log::Log;
use all_you_need::gradient::Variable;
use all_you_need::loss::{TiedCrossEntropy, shift_right};
use all_you_need::parameters;
use all_you_need::rand::{Rng, RngExt};
use all_you_need::rival::{Memory, RecurrentOps, Rival};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Model, mean_loss};
use all_you_need::{Example, Trainer, TrainingExample};
use sizes::{D, TESTED, UPDATES};
use std::ops::ControlFlow;

/// Letters, and the two ends after them.
const LETTERS: Token = 26;
const BOS: Token = LETTERS;
const EOS: Token = LETTERS + 1;
const VOCABULARY: usize = LETTERS as usize + 2;

/// The longest word to learn from.
const LONGEST: usize = 24;

/// How many words to learn from, and of each length that is tested.
const WORDS: usize = 100_000;
const OF_EACH: usize = 200;

const RATES: [f64; 4] = [0.002, 0.005, 0.0125, 0.03];

/// A random word of so many letters, and the same backwards.
fn word(letters: usize, rng: &mut impl Rng) -> Example {
    let word = (0..letters).map(|_| rng.random_range(0..LETTERS));
    let word: Vec<Token> = word.collect();
    let backwards = word.iter().rev().copied();
    let target = [BOS].into_iter().chain(backwards).chain([EOS]).collect();
    Example { source: word, target }
}

/// Words of all lengths.
fn words(count: usize, rng: &mut impl Rng) -> Vec<Example> {
    (0..count).map(|_| word(rng.random_range(1..=LONGEST), rng)).collect()
}

/// A rival whose writer gets the last state in each direction, and no other.
#[derive(Clone, Debug)]
struct OneState<T> {
    rival: Rival<T>,
}

parameters!(OneState, [], [rival], []);

/// What reads words, and what writes.
trait Reader<T> {
    fn read(&self, words: &[&[Token]]) -> Memory<T>;
    fn rival(&self) -> &Rival<T>;
}

impl<T: RecurrentOps> Reader<T> for Rival<T> {
    fn read(&self, words: &[&[Token]]) -> Memory<T> {
        self.encode(words)
    }

    fn rival(&self) -> &Self {
        self
    }
}

impl<T: RecurrentOps> Reader<T> for OneState<T> {
    fn read(&self, words: &[&[Token]]) -> Memory<T> {
        let all = self.rival.encode(words);
        let (mut firsts, mut lasts, mut rows) = (vec![], vec![], 0);
        for length in all.lengths {
            firsts.push(rows);
            rows += length;
            lasts.push(rows - 1);
        }
        let [forward, backward] = &all.values.chunk(2)[..] else {
            panic!("states in two directions");
        };
        let values =
            T::concat(&[forward.gather(&lasts), backward.gather(&firsts)]);
        let keys = self.rival.key.forward(&values);
        Memory { values, keys, lengths: vec![1; words.len()] }
    }

    fn rival(&self) -> &Rival<T> {
        &self.rival
    }
}

impl<T: RecurrentOps + TiedCrossEntropy> TrainingExample<OneState<T>, T>
    for Example
{
    fn answers(&self) -> usize {
        self.target_tokens()
    }

    fn loss(model: &OneState<T>, examples: &[Self], smoothing: f64) -> T {
        let sources: Vec<&[Token]> =
            examples.iter().map(|e| &e.source[..]).collect();
        let (inputs, answers): (Vec<_>, Vec<_>) =
            examples.iter().map(|e| shift_right(&e.target)).unzip();
        let made = model.rival.decode(&inputs, &model.read(&sources));
        let table = &model.rival.embedding.table;
        made.tied_cross_entropy(table, &answers.concat(), smoothing)
    }
}

/// How many of these words are written backwards without a mistake.
fn right<M: Reader<Matrix<f32>>>(model: &M, words: &[Example]) -> usize {
    let sources: Vec<&[Token]> =
        words.iter().map(|w| &w.source[..]).collect();
    let memory = model.read(&sources);
    let Rival { embedding, .. } = model.rival();
    let mut written = vec![vec![BOS]; words.len()];
    for length in 1..=LONGEST + 1 {
        let made = model.rival().decode(&written, &memory);
        let newest = (1..=words.len()).map(|text| text * length - 1);
        let newest = made.gather(&newest.collect::<Vec<_>>());
        let logits = newest.matmul_t(&embedding.table);
        for (text, row) in written.iter_mut().zip(logits.row_iter()) {
            text.push(row.transpose().argmax().0 as Token);
        }
    }
    let is_right = |(word, text): (&Example, &Vec<Token>)| {
        text.starts_with(&word.target)
    };
    words.iter().zip(&written).filter(|&both| is_right(both)).count()
}

fn recipe(seed: u64, peak_lr: f64) -> Recipe {
    Recipe {
        batch_tokens: 600,
        parts: 1,
        updates: UPDATES,
        warmup: 200,
        peak_lr,
        dropout: 0.0,
        label_smoothing: 0.0,
        seed,
        ..Recipe::base()
    }
}

/// Trains a network, and adds its row: the loss on other words, and how many
/// of each length it writes.
fn run<M>(log: &Log, kind: &str, seed: u64, rate: f64, new: fn(u64) -> M)
where
    M: Model + Sync + Reader<Matrix<f32>>,
    Example: TrainingExample<M::OnTape, Variable<f32>>
        + TrainingExample<M, Matrix<f32>>,
{
    let key = format!("{kind}\t{seed}\t{rate}");
    if log.has(&key) {
        return;
    }
    let lessons = words(WORDS, &mut generator(seed, Stream::Data));
    let rng = &mut generator(0, Stream::Data);
    let validation = words(500, rng);
    let mut learning = Trainer::new(recipe(seed, rate), |_| new(seed));
    let end = learning.run(&lessons, |_, _| ControlFlow::<()>::Continue(()));
    assert!(end.is_ok(), "finite losses");
    let loss = mean_loss(&learning.model, &validation);
    let right = TESTED.map(|letters| {
        let words: Vec<_> =
            (0..OF_EACH).map(|_| word(letters, rng)).collect();
        right(&learning.model, &words).to_string()
    });
    let lengths = TESTED.map(|letters| letters.to_string()).join("\t");
    let head = format!("kind\tseed\trate\tloss\tof\t{lengths}");
    let right = right.join("\t");
    log.add(&head, &format!("{key}\t{loss:.4}\t{OF_EACH}\t{right}"));
}

/// Four rates for each, three seeds for each rate.
pub fn backwards(file: &str) {
    let log = Log(file);
    for seed in 1..=3 {
        for rate in RATES {
            run(&log, "all states", seed, rate, new);
            run(&log, "last state", seed, rate, |seed| OneState {
                rival: new(seed),
            });
        }
    }
}

fn new(seed: u64) -> Rival<Matrix<f32>> {
    Rival::new(VOCABULARY, D, &mut generator(seed, Stream::Weights))
}
