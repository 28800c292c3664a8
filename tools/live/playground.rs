//! A small model that learns in the page: the same experiment as in the
//! chapter on what each part is good for, some updates at a time.

use crate::session::{MOST_BYTES, Reply, too_long};
use all_you_need::ablation::{Experiment, HELD_OUT, Switch};
use all_you_need::tasks::Task;
use all_you_need::training::Diverged;
use serde::{Deserialize, Serialize};

/// The most updates of one request: a page wants to hear of it meanwhile.
const MOST_UPDATES: usize = 100;

/// The most letters of a reader's text.
const MOST_LETTERS: usize = 24;

/// What a page may ask a playground for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum Request {
    /// A model that has learned nothing yet.
    Begin {
        /// The name of the task.
        task: String,
        /// The seed of all random numbers.
        seed: u64,
        /// The name of what is changed, if anything is.
        switch: Option<String>,
    },
    /// Some updates, and then a look.
    Learn {
        /// How many; at 0 it only looks.
        updates: usize,
        /// What the model is to answer.
        text: String,
        /// Whether to count how many texts that it has never seen are
        /// answered rightly. This takes as long as some fifty updates.
        count: bool,
    },
}

/// A new model.
#[derive(Debug, Serialize)]
pub struct Began {
    /// How many updates the runs of the book have.
    updates: usize,
    /// Of how many texts the right answers are counted.
    held_out: usize,
}

/// A model after some updates.
#[derive(Debug, Serialize)]
pub struct Learned {
    /// How many updates there have been.
    updates: usize,
    /// The loss of each new one.
    losses: Vec<f32>,
    /// What the model answers.
    wrote: String,
    /// Where it looked meanwhile: a row for each byte of the answer and its
    /// end, a column for each byte of the text and its end.
    looks: Vec<Vec<f32>>,
    /// How many texts are answered rightly, if they were counted.
    right: Option<usize>,
}

/// A model that learns. There is none before the first request.
#[derive(Debug, Default)]
pub struct Playground {
    experiment: Option<Experiment>,
}

impl Playground {
    /// The reply to a request, both as JSON. To a request that cannot be
    /// answered it is a sentence that says why.
    pub fn answer(&mut self, request: &str) -> String {
        if request.len() > MOST_BYTES {
            return too_long(request.len());
        }
        let request = serde_json::from_str(request)
            .map_err(|error| format!("This is no request: {error}."));
        request
            .and_then(|request| self.reply(request))
            .unwrap_or_else(Reply::Error)
            .json()
    }

    fn reply(&mut self, request: Request) -> Result<Reply, String> {
        match request {
            Request::Begin { task, seed, switch } => {
                let task: Task = task.parse().map_err(sentence)?;
                let switch: Option<Switch> = switch
                    .map(|name| name.parse())
                    .transpose()
                    .map_err(sentence)?;
                let switches = switch.into_iter().collect();
                let new = Experiment::new(task, seed, switches);
                let began = Began {
                    updates: Experiment::recipe().updates,
                    held_out: HELD_OUT,
                };
                self.experiment = Some(new);
                Ok(Reply::Began(began))
            }
            Request::Learn { updates, text, count } => {
                let text = checked(&text)?;
                let experiment = self
                    .experiment
                    .as_mut()
                    .ok_or("There is no model yet.")?;
                learn(experiment, updates.min(MOST_UPDATES), text, count)
                    .map(Reply::Learned)
                    .map_err(sentence)
            }
        }
    }
}

/// An error as a sentence.
fn sentence(error: impl ToString) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase());
    let first = first.map(|letter| letter.to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// What the reader typed, if the model can read it.
fn checked(text: &str) -> Result<&str, String> {
    let text = text.trim();
    let plain = |letter: char| {
        letter.is_ascii_lowercase()
            || letter.is_ascii_digit()
            || letter == ' '
    };
    if text.is_empty()
        || text.len() > MOST_LETTERS
        || !text.chars().all(plain)
    {
        return Err(format!(
            "The model reads small letters from a to z, digits and spaces, \
             from 1 to {MOST_LETTERS} of them."
        ));
    }
    Ok(text)
}

fn learn(
    experiment: &mut Experiment,
    updates: usize,
    text: &str,
    count: bool,
) -> Result<Learned, Diverged> {
    let losses = (0..updates).map(|_| experiment.step());
    let losses = losses.collect::<Result<_, _>>()?;
    let wrote = experiment.write(text);
    let looks = experiment.looks(text, &wrote);
    let rows = looks.row_iter().map(|row| row.iter().copied().collect());
    Ok(Learned {
        updates: experiment.learner.adam.steps,
        losses,
        looks: rows.collect(),
        wrote,
        right: count.then(|| experiment.right()),
    })
}
