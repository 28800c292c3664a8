//! Writers become assistants, as tables with tabs. What is in a file already
//! is not measured again, so a run that was stopped goes on.
//!
//! `cargo bench --bench assistant -- rates LOGS` tries learning rates, with
//! one seed, on the validation questions, into `LOGS-rates.tsv`.
//!
//! `cargo bench --bench assistant -- run SEED LOGS` trains one writer, and
//! all that is made of it, and judges each by the test questions, into
//! `LOGS-runs.tsv`. What they say is in `LOGS-said.tsv`, and the rewards of
//! each ten updates in `LOGS-steps.tsv`.

#[path = "common/log.rs"]
mod log;

use all_you_need::assistant::{
    Answer, GROUP, LIMIT, Lora, QUESTIONS, Question, RANK, World, adapting,
    config, reading, trying, tuning,
};
use all_you_need::gradient::Variable;
use all_you_need::search::Sampling;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{
    Half, Model, Text, Trainer, TrainingExample, mean_loss, windows,
};
use log::Log;
use rand::seq::IndexedRandom;
use std::env;
use std::ops::ControlFlow;

type Writer = Half<Matrix<f32>>;
type Reward = fn(Question, &str) -> f64;

fn main() {
    // Cargo itself adds a flag.
    let all = env::args().skip(1).filter(|word| word != "--bench");
    let all: Vec<String> = all.collect();
    match all.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["rates", logs] => rates(&format!("{logs}-rates.tsv")),
        ["run", seed, logs] => {
            let seed = seed.parse().expect("a seed is a number");
            Trial::new(seed).run(logs);
        }
        _ => panic!("rates LOGS, or run SEED LOGS"),
    }
}

/// What every run of a seed has in common.
struct Trial {
    seed: u64,
    world: World,
    /// The text that is read, and a held-out one, in windows.
    text: Vec<Text>,
    held_out: Vec<Text>,
}

const WINDOW: usize = 64;

impl Trial {
    fn new(seed: u64) -> Self {
        let world = World::default();
        let Recipe { updates, batch_tokens, .. } = reading(seed);
        let some = |tokens, seed| {
            let rng = &mut generator(seed, Stream::Data);
            windows(&world.running(tokens, rng), WINDOW, WINDOW)
        };
        // Nothing is read twice.
        let text = some(updates * batch_tokens + WINDOW, seed);
        let held_out = some(20_000, 0);
        Self { seed, world, text, held_out }
    }

    /// A model that has learned from these examples.
    fn learn<M, E>(&self, model: M, examples: &[E], recipe: Recipe) -> M
    where
        M: Model,
        E: TrainingExample<M::OnTape, Variable<f32>>,
    {
        let mut trainer = Trainer::new(recipe, |_| model);
        let go_on = |_: &_, _| ControlFlow::<()>::Continue(());
        let end = trainer.run(examples, go_on);
        assert!(end.expect("finite losses").is_continue());
        trainer.model
    }

    /// The writer.
    fn read(&self) -> Writer {
        let rng = &mut generator(self.seed, Stream::Weights);
        let new = Half::new(&config(&self.world), rng);
        self.learn(new, &self.text, reading(self.seed))
    }

    fn right(&self, questions: &[Question]) -> Vec<Answer> {
        questions.iter().map(|&one| self.world.right(one)).collect()
    }

    /// It has learned from the answered questions.
    fn tune(&self, base: &Writer, recipe: Recipe) -> Writer {
        self.learn(
            base.clone(),
            &self.right(&self.world.sets.answered),
            recipe,
        )
    }

    /// The same, but for narrow matrices beside its own.
    fn adapt(&self, base: &Writer, recipe: Recipe) -> Writer {
        let rng = &mut generator(self.seed, Stream::Weights);
        let answers = self.right(&self.world.sets.answered);
        let lora = Lora::new(base, RANK, rng);
        self.learn(lora, &answers, recipe).merged()
    }

    /// It has tried answers to the checked questions. `after` gets the step,
    /// the mean reward and the mean number of tokens of its answers.
    fn try_answers(
        &self,
        tuned: &Writer,
        reward: Reward,
        recipe: Recipe,
        mut after: impl FnMut(usize, f64, f64),
    ) -> Writer {
        let rng = &mut generator(self.seed, Stream::Data);
        let steps = recipe.updates;
        let mut trainer = Trainer::new(recipe, |_| tuned.clone());
        let all = (GROUP * QUESTIONS) as f64;
        for step in 1..=steps {
            let (mut batch, mut sum) = (Vec::new(), 0.0);
            let mut counted = |question, said: &str| {
                let reward = reward(question, said);
                sum += reward;
                reward
            };
            for &question in self.world.sets.checked.sample(rng, QUESTIONS) {
                let model = &trainer.model;
                let counted = &mut counted;
                batch.extend(self.world.group(model, question, counted, rng));
            }
            let said = |one: &Answer| one.text.len() - one.asked;
            let tokens: usize = batch.iter().map(said).sum();
            trainer.update(&batch).expect("a finite loss");
            after(step, sum / all, tokens as f64 / all);
        }
        trainer.model
    }

    /// The loss on the held-out text; then of each kind of questions how
    /// often the most probable answer is right, how often a drawn one is,
    /// and how often a statement is ended correctly.
    fn judge(&self, model: &Writer, sets: &[Vec<Question>; 3]) -> String {
        let mut row = format!("{:.4}", mean_loss(model, &self.held_out));
        for questions in sets {
            let mean = |right: &dyn Fn(Question) -> f64| {
                let sum: f64 = questions.iter().map(|&one| right(one)).sum();
                sum / questions.len() as f64
            };
            let most_probable = |question: Question| {
                question.check(&self.first(model, &question.asked(), LIMIT))
            };
            let drawn = |question: Question| {
                let answer = self.world.right(question);
                let tokens = (answer.text.len() - answer.asked) as f64;
                (-mean_loss(model, &[answer]) * tokens).exp()
            };
            let stated = |question: Question| {
                question.check(&self.first(model, &question.begun(), 2))
            };
            let rights: [&dyn Fn(Question) -> f64; 3] =
                [&most_probable, &drawn, &stated];
            for right in rights {
                row += &format!("\t{:.4}", mean(right));
            }
        }
        row
    }

    /// How a model most probably goes on.
    fn first(&self, model: &Writer, text: &str, limit: usize) -> String {
        let first = Sampling { top_k: 1, ..World::sampling() };
        self.said(model, text, limit, &first)
    }

    fn said(
        &self,
        model: &Writer,
        text: &str,
        limit: usize,
        sampling: &Sampling,
    ) -> String {
        let rng = &mut generator(self.seed, Stream::Data);
        let tokens = self.world.continued(model, text, limit, sampling, rng);
        self.world.text(&tokens)
    }
}

const KINDS: [&str; 3] = ["sums", "days", "homes"];

/// The columns of what `judge` finds.
fn columns() -> String {
    let each =
        KINDS.map(|kind| format!("\t{kind}\t{kind} drawn\t{kind} stated"));
    format!("text{}", each.concat())
}

/// How many tokens a writer goes on with where we look at it.
const LOOK: usize = 32;

impl Trial {
    /// Everything that is made of one writer.
    fn run(&self, logs: &str) {
        let seed = self.seed;
        let [runs, said] =
            ["runs", "said"].map(|what| format!("{logs}-{what}.tsv"));
        let (runs, said) = (Log(&runs), Log(&said));
        let new = |stage: &str| !runs.has(&format!("{seed}\t{stage}"));
        let judged = |stage: &str, model: &Writer| {
            for kind in &self.world.sets.test {
                let (asked, plain) = (kind[0].asked(), World::sampling());
                let text = self.said(model, &asked, LOOK, &plain);
                said.add(
                    "seed\tstage\tasked\tsaid",
                    &format!("{seed}\t{stage}\t{asked}\t{text}"),
                );
            }
            let row = self.judge(model, &self.world.sets.test);
            let head = format!("seed\tstage\t{}", columns());
            runs.add(&head, &format!("{seed}\t{stage}\t{row}"));
        };
        if STAGES.iter().all(|stage| !new(stage)) {
            return;
        }
        let base = self.read();
        let tuned = self.tune(&base, tuning(seed));
        let steps = format!("{logs}-steps.tsv");
        for stage in STAGES.into_iter().filter(|stage| new(stage)) {
            let model = match stage {
                "read" => base.clone(),
                "tuned" => tuned.clone(),
                "lora" => self.adapt(&base, adapting(seed)),
                "mixed" => self.mix(&base),
                "more" => self.more(&base),
                _ => self.reward(&tuned, stage, &steps),
            };
            judged(stage, &model);
        }
    }

    /// It learns from the answered questions and, in the same updates, goes
    /// on reading.
    fn mix(&self, base: &Writer) -> Writer {
        let mut examples = self.right(&self.world.sets.answered);
        let asked: usize =
            examples.iter().map(|one| one.text.len() - one.asked).sum();
        let windows = self.text.iter().take(2 * asked / WINDOW).cloned();
        examples.extend(windows.map(|Text(text)| Answer {
            text,
            asked: 1,
            worth: 1.0,
        }));
        let recipe = tuning(self.seed);
        let batch_tokens = 3 * recipe.batch_tokens;
        self.learn(base.clone(), &examples, Recipe { batch_tokens, ..recipe })
    }

    /// It learns from the answered questions and the answers to those that
    /// are checked, had somebody written them down.
    fn more(&self, base: &Writer) -> Writer {
        let all = [&self.world.sets.answered[..], &self.world.sets.checked]
            .concat();
        let recipe = tuning(self.seed);
        let updates = 2 * recipe.updates;
        self.learn(
            base.clone(),
            &self.right(&all),
            Recipe { updates, ..recipe },
        )
    }

    /// It tries answers, and its rewards are written down.
    fn reward(&self, tuned: &Writer, stage: &str, steps: &str) -> Writer {
        let reward: Reward = match stage {
            "checked" => Question::check,
            _ => Question::mention,
        };
        let (seed, mut last) = (self.seed, Vec::new());
        self.try_answers(tuned, reward, trying(seed), |step, mean, tokens| {
            last.push([mean, tokens]);
            if step % TEN == 0 {
                let [mean, tokens] = [0, 1].map(|i| {
                    last.iter().map(|one| one[i]).sum::<f64>() / TEN as f64
                });
                last.clear();
                let row = format!("{seed}\t{stage}\t{step}");
                if !Log(steps).has(&row) {
                    Log(steps).add(
                        "seed\tstage\tstep\treward\ttokens",
                        &format!("{row}\t{mean:.4}\t{tokens:.3}"),
                    );
                }
            }
        })
    }
}

const TEN: usize = 10;

/// What is judged: the writer, what it has become by fine-tuning in three
/// ways and with more answers, and by two rewards.
const STAGES: [&str; 7] =
    ["read", "tuned", "lora", "mixed", "more", "checked", "careless"];

/// Learning rates for each of three stages, judged by validation questions.
fn rates(file: &str) {
    let (trial, log) = (Trial::new(1), Log(file));
    let rates = [
        ("tuned", [0.0003, 0.001, 0.003]),
        ("lora", [0.001, 0.003, 0.01]),
        ("checked", [0.0003, 0.001, 0.003]),
    ];
    let all = rates
        .into_iter()
        .flat_map(|(stage, rates)| rates.map(|rate| (stage, rate)));
    let left =
        all.filter(|(stage, rate)| !log.has(&format!("{stage}\t{rate}")));
    let left: Vec<_> = left.collect();
    if left.is_empty() {
        return;
    }
    let base = trial.read();
    let tuned = trial.tune(&base, tuning(1));
    for (stage, peak_lr) in left {
        let model = match stage {
            "tuned" => trial.tune(&base, Recipe { peak_lr, ..tuning(1) }),
            "lora" => trial.adapt(&base, Recipe { peak_lr, ..adapting(1) }),
            _ => {
                let recipe = Recipe { peak_lr, ..trying(1) };
                trial.try_answers(
                    &tuned,
                    Question::check,
                    recipe,
                    |_, _, _| (),
                )
            }
        };
        let row = trial.judge(&model, &trial.world.sets.validation);
        let head = format!("stage\trate\t{}", columns());
        log.add(&head, &format!("{stage}\t{peak_lr}\t{row}"));
    }
}
