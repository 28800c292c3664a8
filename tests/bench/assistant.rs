//! Writers become assistants, as tables with tabs. What is in a file already
//! is not measured again, so a run that was stopped goes on.
//!
//! `cargo bench --bench assistant -- rates SEED LOGS` tries learning rates on
//! the validation questions, into `LOGS-rates.tsv`.
//!
//! `cargo bench --bench assistant -- run SEED LOGS` trains one writer, and
//! all that is made of it, and judges each by the test questions, into
//! `LOGS-runs.tsv`. What they say is in `LOGS-said.tsv`, and the rewards of
//! each twenty updates in `LOGS-steps.tsv`.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/log.rs"]
mod log;

use all_you_need::assistant::{
    Answer, FEW, GROUP, Lora, QUESTIONS, Question, RANK, World, adapting,
    config, reading, trying, tuning,
};
use all_you_need::gradient::Variable;
use all_you_need::search::Sampling;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{
    Half, Model, Text, Trainer, TrainingExample, mean_loss, windows,
};
use arguments::arguments;
use log::Log;
use rand::Rng;
use rand::seq::IndexedRandom;
use std::ops::ControlFlow;

type Writer = Half<Matrix<f32>>;
type Reward = fn(Question, &str) -> f64;

fn main() {
    match arguments()[..] {
        ["rates", seed, logs] => trial(seed).rates(logs),
        ["run", seed, logs] => trial(seed).run(logs),
        _ => panic!("rates SEED LOGS, or run SEED LOGS"),
    }
}

fn trial(seed: &str) -> Trial {
    Trial::new(seed.parse().expect("a seed is a number"))
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
        let held_out = some(10_000, 0);
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
        let answers = self.right(&self.world.sets.answered);
        self.learn(base.clone(), &answers, recipe)
    }

    /// The same, but for narrow matrices beside its own.
    fn adapt(&self, base: &Writer, recipe: Recipe) -> Writer {
        let rng = &mut generator(self.seed, Stream::Weights);
        let answers = self.right(&self.world.sets.answered);
        let lora = Lora::new(base, RANK, rng);
        self.learn(lora, &answers, recipe).merged()
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

    /// It has tried answers to these questions. `after` gets the step, the
    /// mean reward of its answers, and the model.
    fn try_answers(
        &self,
        tuned: &Writer,
        questions: &[Question],
        reward: Reward,
        recipe: Recipe,
        mut after: impl FnMut(usize, f64, &Writer),
    ) -> Writer {
        let rng = &mut generator(self.seed, Stream::Data);
        let steps = recipe.updates;
        let mut trainer = Trainer::new(recipe, |_| tuned.clone());
        for step in 1..=steps {
            let (mut batch, mut sum) = (Vec::new(), 0.0);
            let mut counted = |question, said: &str| {
                let reward = reward(question, said);
                sum += reward;
                reward
            };
            for &question in questions.sample(rng, QUESTIONS) {
                let model = &trainer.model;
                let counted = &mut counted;
                batch.extend(self.world.group(model, question, counted, rng));
            }
            trainer.update(&batch).expect("a finite loss");
            after(step, sum / (GROUP * QUESTIONS) as f64, &trainer.model);
        }
        trainer.model
    }

    /// The probability that a model goes on with the right answer, whatever
    /// follows it.
    fn share(&self, model: &Writer, before: &str, question: Question) -> f64 {
        let tokens = |text: &str| self.world.tokens(text);
        let right = tokens(&question.answer());
        let text = [&[World::END], &tokens(before)[..], &right].concat();
        let asked = text.len() - right.len();
        let answer = Answer { text, asked, worth: 1.0 };
        (-mean_loss(model, &[answer]) * right.len() as f64).exp()
    }

    /// The mean probability of the right answers, after what `before` makes
    /// of each question.
    fn shares(
        &self,
        model: &Writer,
        questions: &[Question],
        mut before: impl FnMut(Question) -> String,
    ) -> f64 {
        let share = |&one: &Question| self.share(model, &before(one), one);
        let sum: f64 = questions.iter().map(share).sum();
        sum / questions.len() as f64
    }

    /// The share of the questions to which the right answer is made of the
    /// most probable tokens.
    fn likeliest(
        &self,
        model: &Writer,
        questions: &[Question],
        mut before: impl FnMut(Question) -> String,
    ) -> f64 {
        let rng = &mut generator(self.seed, Stream::Data);
        let surest = Sampling { top_k: 1, ..World::sampling() };
        let mut is_right = |one: &&Question| {
            let (text, right) = (before(**one), one.answer());
            let right = self.world.tokens(&right);
            let length = right.len();
            let said =
                self.world.continued(model, &text, length, &surest, rng);
            said == right
        };
        let right = questions.iter().filter(&mut is_right).count();
        right as f64 / questions.len() as f64
    }

    /// The loss on the held-out text; then for each kind of questions the mean
    /// probability of the right answer when it is asked, and when a statement
    /// is begun.
    fn judge(
        &self,
        model: &Writer,
        sets: &[Vec<Question>; 2],
        mut asked: impl FnMut(Question) -> String,
    ) -> String {
        let mut row = format!("{:.4}", mean_loss(model, &self.held_out));
        for questions in sets {
            let answered = self.shares(model, questions, &mut asked);
            let stated = self.shares(model, questions, Question::begun);
            row += &format!("\t{answered:.4}\t{stated:.4}");
        }
        row
    }

    /// Questions of each kind that quizzes answer.
    fn seen(&self) -> [Vec<Question>; 2] {
        let answered = self.world.sets.answered.iter().copied();
        Question::all().map(|kind| {
            answered.clone().filter(|one| kind.contains(one)).collect()
        })
    }

    /// The sums that will be tried, and homes that quizzes answer.
    fn tried(&self) -> [Vec<Question>; 2] {
        let [_, homes] = self.seen();
        [self.world.sets.checked.clone(), homes]
    }

    /// A question after a quiz of three others, which are answered.
    fn in_a_quiz(&self) -> impl FnMut(Question) -> String {
        let mut rng = generator(self.seed, Stream::Data);
        move |question| {
            let three = self.world.sets.answered.sample(&mut rng, 3);
            let mut quiz: Vec<String> = three
                .map(|one| format!("{} {}", one.asked(), one.answer()))
                .collect();
            quiz.push(question.asked());
            quiz.join(" ")
        }
    }

    /// How a model goes on.
    fn said(&self, model: &Writer, text: &str, rng: &mut impl Rng) -> String {
        let plain = World::sampling();
        let said = self.world.continued(model, text, LOOK, &plain, rng);
        self.world.text(&said)
    }
}

/// The columns of what `judge` finds.
const COLUMNS: &str = "text\tsums\tsums stated\thomes\thomes stated";

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
        if STAGES.iter().all(|stage| !new(stage)) {
            return;
        }
        let base = self.read();
        let tuned = self.tune(&base, tuning(seed));
        let steps = format!("{logs}-steps.tsv");
        for stage in STAGES.into_iter().filter(|stage| new(stage)) {
            let model = match stage {
                "read" | "seen" | "quiz" => base.clone(),
                "tuned" | "tried" => tuned.clone(),
                "lora" => self.adapt(&base, adapting(seed)),
                "mixed" => self.mix(&base),
                _ => self.reward(&tuned, stage, &steps),
            };
            let test = &self.world.sets.test;
            let sets = match stage {
                "seen" => self.seen(),
                "tried" => self.tried(),
                _ => test.clone(),
            };
            let mut asked: Box<dyn FnMut(Question) -> String> = match stage {
                "quiz" => Box::new(self.in_a_quiz()),
                _ => Box::new(Question::asked),
            };
            let row = self.judge(&model, &sets, &mut asked);
            let likeliest = self.likeliest(&model, &sets[0], asked);
            let rng = &mut generator(seed, Stream::Data);
            for kind in test.iter().filter(|_| SAID.contains(&stage)) {
                // The next one may be the same sum in the other order.
                for question in kind.iter().step_by(2).take(2) {
                    let asked = question.asked();
                    let text = self.said(&model, &asked, rng);
                    said.add(
                        "seed\tstage\tasked\tsaid",
                        &format!("{seed}\t{stage}\t{asked}\t{text}"),
                    );
                }
            }
            let head = format!("seed\tstage\t{COLUMNS}\tlikeliest sums");
            let row = format!("{seed}\t{stage}\t{row}\t{likeliest:.4}");
            runs.add(&head, &row);
        }
    }

    /// It tries answers. Its rewards are written down, and how probable the
    /// right answers to the test sums are.
    fn reward(&self, tuned: &Writer, stage: &str, steps: &str) -> Writer {
        let checked = &self.world.sets.checked[..];
        let (questions, reward): (_, Reward) = match stage {
            "few" => (&checked[..FEW], Question::check),
            "checked" => (checked, Question::check),
            _ => (checked, Question::careless),
        };
        let (seed, log, mut sum) = (self.seed, Log(steps), 0.0);
        let recipe = trying(seed);
        let after = |step: usize, mean: f64, model: &Writer| {
            sum += mean;
            if step.is_multiple_of(EACH) {
                let reward = sum / EACH as f64;
                sum = 0.0;
                let sums = &self.world.sets.test[0];
                let right = self.shares(model, sums, Question::asked);
                let row = format!("{seed}\t{stage}\t{step}");
                if !log.has(&row) {
                    let head = "seed\tstage\tstep\treward\ttest sums";
                    log.add(head, &format!("{row}\t{reward:.4}\t{right:.4}"));
                }
            }
        };
        self.try_answers(tuned, questions, reward, recipe, after)
    }
}

/// How many updates are in a row of the rewards.
const EACH: usize = 20;

/// What is judged: the writer, by questions that quizzes answer, and after a
/// quiz; what it has become by fine-tuning in three ways, the first also by
/// the sums that it will try; and by rewards of all checked questions, of a
/// few, and by a careless check.
const STAGES: [&str; 10] = [
    "read", "seen", "quiz", "tuned", "tried", "mixed", "lora", "checked",
    "few", "careless",
];

/// Of these it is written down what they say.
const SAID: [&str; 4] = ["read", "tuned", "checked", "careless"];

/// Learning rates that are tried for each of three stages.
const RATES: [(&str, &[f64]); 3] = [
    ("tuned", &[0.0001, 0.0003, 0.001]),
    ("lora", &[0.001, 0.003]),
    ("checked", &[0.00003, 0.0001, 0.0003]),
];

impl Trial {
    /// All rates, judged by validation questions.
    fn rates(&self, logs: &str) {
        let (seed, file) = (self.seed, format!("{logs}-rates.tsv"));
        let log = Log(&file);
        let all = RATES.into_iter().flat_map(|(stage, rates)| {
            rates.iter().map(move |&rate| (stage, rate))
        });
        let left = all.filter(|(stage, rate)| {
            !log.has(&format!("{seed}\t{stage}\t{rate}"))
        });
        let left: Vec<_> = left.collect();
        if left.is_empty() {
            return;
        }
        let base = self.read();
        let tuned = self.tune(&base, tuning(seed));
        for (stage, peak_lr) in left {
            let at = |recipe: Recipe| Recipe { peak_lr, ..recipe };
            let model = match stage {
                "tuned" => self.tune(&base, at(tuning(seed))),
                "lora" => self.adapt(&base, at(adapting(seed))),
                _ => self.try_answers(
                    &tuned,
                    &self.world.sets.checked,
                    Question::check,
                    at(trying(seed)),
                    |_, _, _| (),
                ),
            };
            let sets = &self.world.sets.validation;
            let row = self.judge(&model, sets, Question::asked);
            let head = format!("seed\tstage\trate\t{COLUMNS}");
            log.add(&head, &format!("{seed}\t{stage}\t{peak_lr}\t{row}"));
        }
    }
}
