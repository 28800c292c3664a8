//! Trains a model to write dates and another to sort, and writes into a
//! folder what they have learned and where they look:
//! `cargo bench --bench training -- FOLDER`
//!
//! - `training-tasks.tsv`: while they learn, the loss of 200 examples that
//!   are held out, and how many of a hundred have the right answer.
//! - `training-looks.tsv`: the attention of the decoder to the source, mean of
//!   all heads. Each row writes a token, and has a weight for every token of
//!   the text.
//! - `training-dates.tsv`: to which parts of the text a part of a date
//!   attends, in percent, on average over the dates that are held out.

use all_you_need::encoder::Config;
use all_you_need::tasks::{Task, date};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Example, Recipe, Training, validation_loss};
use all_you_need::translation::{TextPair, Translator};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::{env, fs, thread};

fn main() {
    // Cargo adds a flag of its own.
    let folder = env::args().skip(1).find(|text| !text.starts_with("--"));
    let folder = folder.expect("a folder for the logs");
    let [dates, sort] = thread::scope(|scope| {
        let tasks = [Task::Dates, Task::Sort];
        let runs = tasks.map(|task| scope.spawn(move || Learned::new(task)));
        runs.map(|run| run.join().expect("a run that ends"))
    });
    let write = |name: &str, text: String| {
        let path = Path::new(&folder).join(name);
        fs::write(path, text).expect("a folder to write to");
    };
    let head = "task\tupdate\theld out\tright\n".to_string();
    write("training-tasks.tsv", head + &dates.progress + &sort.progress);
    let word = ("planet".to_string(), "aelnpt".to_string());
    let head = "task\ttext\tanswer\trow\tweights\n".to_string();
    let looks = dates.looks_as_text(&date(DAY)) + &sort.looks_as_text(&word);
    write("training-looks.tsv", head + &looks);
    write("training-dates.tsv", dates.parts_as_text());
}

/// Tuesday, 6 March 1984, which is left out of what is learned.
const DAY: usize = 30_745;

/// What has learned a task.
struct Learned {
    task: Task,
    held_out: Vec<TextPair>,
    translator: Translator,
    progress: String,
}

fn example((text, answer): &TextPair) -> Example {
    Example::new(text, answer, &Tokenizer::default())
}

impl Learned {
    fn new(task: Task) -> Self {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let held_out: Vec<_> = (0..200).map(|_| task.example(rng)).collect();
        let mut hidden: HashSet<_> = held_out.iter().cloned().collect();
        hidden.insert(date(DAY));
        let others = std::iter::repeat_with(|| task.example(rng));
        let others = others.filter(|pair| !hidden.contains(pair));
        let training: Vec<_> =
            others.take(20_000).map(|pair| example(&pair)).collect();
        let config =
            Config { layers: 1, heads: 4, d_k: 16, d_v: 16, ..Config::toy() };
        let recipe = Recipe {
            batch_tokens: 400,
            updates: 1000,
            warmup: 200,
            peak_lr: 0.005,
            ..Recipe::toy()
        };
        let mut run: Training = Training::new(&config, recipe);
        let asked: Vec<_> = held_out.iter().map(example).collect();
        let (mut progress, name) = (String::new(), task.name());
        let ended = run.run(&training, |run, update| {
            if update.step.is_multiple_of(100) {
                let loss = validation_loss(&run.model, &asked);
                let right = right(run, &asked);
                let step = update.step;
                progress += &format!("{name}\t{step}\t{loss:.4}\t{right}\n");
            }
            ControlFlow::<()>::Continue(())
        });
        assert!(ended.is_ok(), "a loss that is a number");
        let (model, tokenizer) = (run.model, Tokenizer::default());
        let translator = Translator { config, model, tokenizer };
        Self { task, held_out, translator, progress }
    }

    /// To what the decoder attends while it writes the answer, on average
    /// over its heads, m × n.
    fn looks(&self, pair: &TextPair) -> Matrix<f32> {
        let Example { source, target } = example(pair);
        let fed = &target[..target.len() - 1];
        let maps = self.translator.attention_maps(&source, fed);
        let heads = &maps.cross[0];
        let sum = heads.iter().cloned().reduce(|a, b| a + b);
        sum.expect("heads") / heads.len() as f32
    }

    fn looks_as_text(&self, pair: &TextPair) -> String {
        let ((text, answer), name) = (pair, self.task.name());
        let line = |(i, row): (usize, Vec<String>)| {
            format!("{name}\t{text}\t{answer}\t{i}\t{}\n", row.join(" "))
        };
        let looks = self.looks(pair);
        let rows = looks.row_iter();
        let rows = rows.map(|row| row.iter().map(rounded).collect());
        rows.enumerate().map(line).collect()
    }

    fn parts_as_text(&self) -> String {
        let mut text =
            "to write\tweekday\tday\tmonth\tyear\tother\n".to_string();
        for (name, rows) in [("year", 0..4), ("month", 5..7), ("day", 8..10)]
        {
            let shares = self.shares(rows).map(|share| format!("{share:.0}"));
            text += &format!("{name}\t{}\n", shares.join("\t"));
        }
        text
    }

    /// How many percent of what these rows attend to is in each part.
    fn shares(&self, rows: Range<usize>) -> [f32; 5] {
        let mut shares = [0.0; 5];
        for pair in &self.held_out {
            let looks = self.looks(pair);
            for (column, part) in parts(&pair.0).into_iter().enumerate() {
                let column = looks.column(column);
                shares[part] += column.rows_range(rows.clone()).sum();
            }
        }
        let all: f32 = shares.iter().sum();
        shares.map(|share| 100.0 * share / all)
    }
}

fn rounded(weight: &f32) -> String {
    format!("{weight:.3}")
}

/// For each token of a date in words, in which part of it the token is:
/// weekday, day, month, year, or none of them.
fn parts(text: &str) -> Vec<usize> {
    let (mut part, none) = (0, 4);
    let letters = text.chars().map(|letter| match letter {
        ' ' => {
            part += 1;
            none
        }
        _ => part,
    });
    letters.chain([none]).collect()
}

/// Of a hundred examples, how many have an answer without a mistake.
fn right(run: &Training, examples: &[Example]) -> usize {
    let correct = |Example { source, target }: &&Example| {
        let fed = &target[..target.len() - 1];
        let logits = run.model.forward(&[source], &[fed]);
        let most = |(row, &token): (usize, &u32)| {
            logits.row(row).transpose().argmax().0 == token as usize
        };
        target[1..].iter().enumerate().all(|(row, token)| most((row, token)))
    };
    100 * examples.iter().filter(correct).count() / examples.len()
}
