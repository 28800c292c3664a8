//! Encoders that fill gaps, as tables with tabs:
//!
//! `cargo bench --bench gaps -- learn SEED SENTENCE…` trains one, says how
//! many gaps it fills correctly, and fills those of the sentences, such as
//! `"the cats near the dog ___ tired today ."`.
//!
//! `cargo bench --bench gaps -- causal SEED` does the same with an encoder
//! that sees only what comes before a word, `everywhere` with one that has to
//! predict all words, hidden or not, and `copy` with one from which no word is
//! hidden.
//!
//! `cargo bench --bench gaps -- rivals SEED` fills the verbs of the test
//! sentences, of sentences of other forms, and of those about a subject that
//! has never been one: by counts, by a linear model of the words and their
//! places, and by the encoder.
//!
//! `cargo bench --bench gaps -- look SEED` trains the first again, and says
//! what it looks at.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/forms.rs"]
mod forms;

use all_you_need::classifier::{Classifier, Labelled};
use all_you_need::encoder::Config;
use all_you_need::gaps::{Form, GAP, Gaps, Neighbours, Sentence, Sets};
use all_you_need::gaps::{
    config, fill, maps, number, probabilities, recipe, vocabulary,
};
use all_you_need::gradient::Variable;
use all_you_need::layers::LayerOps;
use all_you_need::loss::TiedCrossEntropy;
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, words};
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Half, Trainer, TrainingExample};
use arguments::arguments;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::iter;
use std::ops::ControlFlow;
use std::time::Instant;

type Model = Half<Matrix<f32>>;
type OnTape = Half<Variable<f32>>;

/// Says which words are in the gaps of some texts.
type Fill = fn(&Model, &[Vec<Token>]) -> Vec<Token>;

const COMMANDS: &str =
    "learn, causal, everywhere, copy, rivals or look, and a seed";

fn main() {
    let words = arguments();
    let [command, seed, ref texts @ ..] = words[..] else {
        panic!("{COMMANDS}")
    };
    let trial = Trial::new(seed.parse().expect("a seed"));
    match command {
        "learn" => {
            let model = trial.run(true);
            texts.iter().for_each(|text| trial.print_filled(&model, text));
        }
        "causal" => trial.causal(),
        "everywhere" => trial.everywhere(),
        "copy" => trial.copy(),
        "look" => trial.look(),
        "rivals" => trial.rivals(),
        _ => panic!("{COMMANDS}"),
    }
}

/// The columns of what is printed while a model learns.
const HEAD: &str =
    "update\tseconds\tloss\tset\tform\tgap\tnearest\ttime\tright\tof";

/// What is asked, and how often the answer was right, of how many.
type Scores = BTreeMap<[&'static str; 4], (usize, usize)>;

/// What an encoder learns from, and what it is judged by.
struct Trial {
    recipe: Recipe,
    sets: Sets,
    words: Vocabulary,
}

impl Trial {
    fn new(seed: u64) -> Self {
        let words = vocabulary();
        let sets = Sets::new(seed, &words);
        Self { recipe: recipe(seed), sets, words }
    }

    fn word(&self, token: Token) -> String {
        self.words.decode(&[token]).remove(0)
    }

    fn tokens(&self, text: &str) -> Vec<Token> {
        let tokens = self.words.encode(&words(text));
        tokens.unwrap_or_else(|| panic!("a word that is not ours: {text}"))
    }

    /// The encoder of the chapter.
    fn run(&self, aloud: bool) -> Model {
        let examples = &self.sets.examples;
        self.train(&self.recipe, examples, fill, aloud)
    }

    /// Trains, and says how it goes.
    fn train<E: TrainingExample<OnTape, Variable<f32>>>(
        &self,
        recipe: &Recipe,
        examples: &[E],
        fill: Fill,
        aloud: bool,
    ) -> Model {
        let mut learning =
            Trainer::new(recipe.clone(), |rng| Half::new(&config(), rng));
        if aloud {
            println!("{HEAD}");
        }
        let (start, mut losses) = (Instant::now(), Vec::new());
        let run = learning.run(examples, |learning, update| {
            losses.push(f64::from(update.loss));
            let Trainer { adam, model, .. } = learning;
            if aloud && adam.steps.is_multiple_of(100) {
                let mean = losses.iter().sum::<f64>() / losses.len() as f64;
                losses.clear();
                let seconds = start.elapsed().as_secs_f64();
                let head = format!("{}\t{seconds:.1}\t{mean:.4}", adam.steps);
                let said = |tokens: &[Token], places: &[usize]| {
                    let hide = |&i| Gaps::new(tokens, &[i]).text;
                    let gaps: Vec<_> = places.iter().map(hide).collect();
                    fill(model, &gaps)
                };
                let set = &self.sets.validation;
                let scores = self.scores(set, true, said);
                print(&format!("{head}\tvalidation"), &scores);
                if adam.steps == recipe.updates {
                    let scores = self.scores(&self.sets.test, false, said);
                    print(&format!("{head}\ttest"), &scores);
                }
            }
            ControlFlow::<()>::Continue(())
        });
        assert!(run.is_ok(), "finite losses");
        learning.model
    }

    /// How well the gaps of some sentences are filled, one gap at a time.
    fn scores(
        &self,
        sentences: &[Sentence],
        only_verbs: bool,
        fill: impl Fn(&[Token], &[usize]) -> Vec<Token> + Sync,
    ) -> Scores {
        let one = |sentence: &Sentence| {
            let tokens = sentence.tokens(&self.words);
            let all = (0..tokens.len())
                .filter(|&place| !only_verbs || place == sentence.verb);
            let places: Vec<usize> = all.collect();
            let said = fill(&tokens, &places);
            let mut scores = Scores::new();
            for (place, said) in places.into_iter().zip(said) {
                let right = self.is_right(sentence, place, said);
                let asked = asked(sentence, place, only_verbs);
                let score = scores.entry(asked).or_default();
                *score = (score.0 + usize::from(right), score.1 + 1);
            }
            scores
        };
        let sum = |mut all: Scores, scores: Scores| {
            for (asked, (right, of)) in scores {
                let score = all.entry(asked).or_default();
                *score = (score.0 + right, score.1 + of);
            }
            all
        };
        sentences.par_iter().map(one).reduce(Scores::new, sum)
    }

    /// Whether it is the word that was there. Of the subject we ask only the
    /// number, since nothing tells which noun it was.
    fn is_right(&self, s: &Sentence, place: usize, said: Token) -> bool {
        let (said, word) = (self.word(said), &s.words[place]);
        if place == s.subject {
            number(&said) == number(word)
        } else {
            said == *word
        }
    }

    /// Prints what is probably in the gaps of a text.
    fn print_filled(&self, model: &Model, text: &str) {
        let p = probabilities(model, &[self.tokens(text)]);
        for (i, row) in p.row_iter().enumerate() {
            let mut best: Vec<_> = row.iter().zip(0..).collect();
            best.sort_by(|one, other| other.0.total_cmp(one.0));
            for (p, token) in &best[..4] {
                let word = self.word(*token);
                println!("fill\t{text}\t{}\t{word}\t{p:.4}", i + 1);
            }
        }
    }
}

/// Form, gap, the number of the noun that is nearest before a verb, and
/// where the time is.
fn asked(
    sentence: &Sentence,
    place: usize,
    only_verbs: bool,
) -> [&'static str; 4] {
    let Sentence { words, subject, verb, time, .. } = sentence;
    let form = forms::name(sentence.form);
    if only_verbs {
        return [form, "verb", "", ""];
    }
    let when = if *time == 0 { "first" } else { "last" };
    let gap = match place {
        place if place == *verb => "verb",
        place if place == *time => "time",
        place if place == *subject => "subject",
        place if words[place] == "the" => "the",
        _ => "other",
    };
    let same = number(&words[nearest(sentence)]) == number(&words[*subject]);
    let nearest = match (gap, same) {
        ("verb", true) => "same",
        ("verb", false) => "other",
        _ => "",
    };
    [form, gap, nearest, when]
}

/// The noun that is nearest before the verb.
fn nearest(sentence: &Sentence) -> usize {
    let before = |place: &&usize| **place < sentence.verb;
    *sentence.nouns.iter().rfind(before).expect("a subject")
}

fn print(head: &str, scores: &Scores) {
    for (asked, (right, of)) in scores {
        println!("{head}\t{}\t{right}\t{of}", asked.join("\t"));
    }
}

// Other encoders

/// The rows of all gaps, each of which knows only what comes before it.
fn rows_before<T: LayerOps>(model: &Half<T>, texts: &[Vec<Token>]) -> T {
    let tokens = texts.concat().into_iter().enumerate();
    let gaps = tokens.filter(|(_, token)| *token == GAP);
    model.causal(texts).gather(&gaps.map(|(row, _)| row).collect::<Vec<_>>())
}

/// A example in which a gap sees only what comes before it.
#[derive(Clone)]
struct LeftOnly(Gaps);

impl TrainingExample<OnTape, Variable<f32>> for LeftOnly {
    fn answers(&self) -> usize {
        self.0.answers.len()
    }

    fn loss(model: &OnTape, examples: &[Self], smooth: f64) -> Variable<f32> {
        let each = examples.iter().map(|Self(gaps)| gaps.clone());
        let (texts, answers): (Vec<_>, Vec<_>) =
            each.map(|Gaps { text, answers }| (text, answers)).unzip();
        let (z, table) = (rows_before(model, &texts), &model.embedding.table);
        z.tied_cross_entropy(table, &answers.concat(), smooth)
    }
}

/// The most probable word in each gap, for a model that sees what is before.
fn fill_causal(model: &Model, texts: &[Vec<Token>]) -> Vec<Token> {
    let z = rows_before(model, texts);
    let logits = z.matmul_t(&model.embedding.table);
    let rows = logits.row_iter();
    rows.map(|row| row.transpose().argmax().0 as Token).collect()
}

/// A example that asks for all words of a text, hidden or not.
#[derive(Clone)]
struct Everywhere {
    text: Vec<Token>,
    answers: Vec<Token>,
}

impl TrainingExample<OnTape, Variable<f32>> for Everywhere {
    fn answers(&self) -> usize {
        self.answers.len()
    }

    fn loss(model: &OnTape, examples: &[Self], smooth: f64) -> Variable<f32> {
        let texts: Vec<_> = examples.iter().map(|l| &l.text).collect();
        let answers: Vec<_> =
            examples.iter().map(|l| l.answers.clone()).collect();
        let z = model.bidirectional(&texts);
        let table = &model.embedding.table;
        z.tied_cross_entropy(table, &answers.concat(), smooth)
    }
}

impl Trial {
    fn causal(&self) {
        let examples = self.sets.examples.iter().cloned().map(LeftOnly);
        let examples: Vec<_> = examples.collect();
        self.train(&self.recipe, &examples, fill_causal, true);
    }

    /// About as many sentences per update as with the loss in the gaps alone,
    /// since one word of five is hidden.
    fn everywhere(&self) {
        let Sets { training, examples, .. } = &self.sets;
        let example = |(s, gaps): (&Sentence, &Gaps)| Everywhere {
            text: gaps.text.clone(),
            answers: s.tokens(&self.words),
        };
        let all = training.iter().zip(examples).map(example);
        let all: Vec<_> = all.collect();
        let batch_tokens = self.recipe.batch_tokens * 5;
        let recipe = Recipe { batch_tokens, ..self.recipe.clone() };
        self.train(&recipe, &all, fill, true);
    }

    /// Every word is there, and every word is asked for.
    fn copy(&self) {
        let example = |s: &Sentence| {
            let text = s.tokens(&self.words);
            Everywhere { answers: text.clone(), text }
        };
        let all: Vec<_> = self.sets.training.iter().map(example).collect();
        let batch_tokens = self.recipe.batch_tokens * 5;
        let recipe = Recipe { batch_tokens, ..self.recipe.clone() };
        self.train(&recipe, &all, fill, true);
    }
}

// Rivals, and sentences outside of what was learned

/// How many sentences of each kind that is outside.
const OUTSIDE: usize = 2000;

/// A noun that is never a subject in the sentences to learn from.
const NEVER: [&str; 2] = ["queen", "queens"];

fn is_new(s: &Sentence) -> bool {
    NEVER.contains(&&*s.words[s.subject])
}

/// The verbs, in the order of their classes.
const BE: [&str; 4] = ["is", "are", "was", "were"];

/// How many words the counts see before a gap and after it. The next of these
/// is asked where the neighbours of the one before were never seen.
const SIGHTS: [(usize, usize); 3] = [(2, 2), (1, 1), (1, 0)];

/// The farthest word from a gap that a linear model sees.
const FAR: usize = 20;

/// The rates with which the linear model is tried.
const RATES: [f64; 3] = [0.006, 0.02, 0.06];

/// Sentences with a name.
type Named = (&'static str, Vec<Sentence>);

impl Trial {
    fn rivals(&self) {
        println!("what\tsentences\tright\tof");
        let rng = &mut generator(1, Stream::Data);
        let [three, inside] = Form::OUTSIDE.map(|form| -> Named {
            let drawn = (0..OUTSIDE).map(|_| Sentence::of(form, rng));
            (forms::name(form), drawn.collect())
        });
        let new = iter::repeat_with(|| Sentence::random(rng)).filter(is_new);
        let new: Named = ("a new subject", new.take(OUTSIDE).collect());
        let Sets { training, examples, test, .. } = &self.sets;
        let longest = training.iter().map(|s| s.words.len()).max();
        let (short, long): (Vec<_>, Vec<_>) = three
            .1
            .iter()
            .cloned()
            .partition(|s| Some(s.words.len()) <= longest);
        let far = |s: &Sentence| s.verb - s.subject;
        let farthest = short.iter().map(far).max();
        let near = long.into_iter().filter(|s| Some(far(s)) <= farthest);
        let long = ("three phrases, no farther", near.collect());
        let short = ("three phrases, no longer", short);
        let of = |form| -> Named {
            let these = test.iter().filter(|s| s.form == form);
            (forms::name(form), these.cloned().collect())
        };
        let mut kinds = Form::ALL.map(of).to_vec();
        kinds.extend([inside, three, short, long]);
        self.compare(training, examples, &kinds);
        let without = training.iter().zip(examples);
        let without = without.filter(|(s, _)| !is_new(s));
        let (training, examples): (Vec<_>, Vec<_>) =
            without.map(|(s, gaps)| (s.clone(), gaps.clone())).unzip();
        self.compare(&training, &examples, &[new]);
    }

    /// What all three say that have learned from the same sentences.
    fn compare(
        &self,
        training: &[Sentence],
        examples: &[Gaps],
        kinds: &[Named],
    ) {
        let encoder = self.train(&self.recipe, examples, fill, false);
        let linear = self.linear(training);
        let counts = SIGHTS.map(|(before, after)| {
            let mut counts = Neighbours::new(before, after);
            training
                .iter()
                .for_each(|s| counts.count(&s.tokens(&self.words)));
            counts
        });
        for (kind, sentences) in kinds {
            let print = |what, verb: &dyn Fn(&Sentence) -> String| {
                let right = |s: &&Sentence| verb(s) == s.words[s.verb];
                let right = sentences.iter().filter(right).count();
                println!("{what}\t{kind}\t{right}\t{}", sentences.len());
            };
            print("counts", &|s| {
                let tokens = s.tokens(&self.words);
                let said =
                    counts.iter().find_map(|c| c.fill(&tokens, s.verb));
                self.word(said.expect("a word that was seen before a verb"))
            });
            print("linear", &|s| self.verb_by_linear(&linear, s));
            print("encoder", &|s| {
                let gap = Gaps::new(&s.tokens(&self.words), &[s.verb]);
                self.word(fill(&encoder, &[gap.text])[0])
            });
        }
    }

    /// A sentence without its verb as words that each know how far they are
    /// from the gap.
    fn placed(&self, s: &Sentence) -> Labelled {
        let tokens = s.tokens(&self.words).into_iter().enumerate();
        let v = self.words.len();
        let others = tokens.filter(|(place, _)| *place != s.verb);
        let placed = others.map(|(place, token)| {
            let far = FAR + place - s.verb;
            (far * v) as Token + token
        });
        let class = BE.iter().position(|be| *be == s.words[s.verb]);
        let class = class.expect("a verb") as Token;
        Labelled { text: placed.collect(), class }
    }

    /// A number for each word at each distance from the gap and each verb,
    /// learned at the rate that is best on the validation set.
    fn linear(&self, sentences: &[Sentence]) -> Classifier<Matrix<f32>> {
        let vocabulary = 2 * FAR * self.words.len();
        let sizes = Config { vocabulary, layers: 0, ..config() };
        let examples: Vec<_> =
            sentences.iter().map(|s| self.placed(s)).collect();
        let learned = RATES.map(|peak_lr| {
            let new = |rng: &mut _| Classifier::new(&sizes, BE.len(), rng);
            let recipe = Recipe { peak_lr, ..self.recipe.clone() };
            let mut learning = Trainer::new(recipe, new);
            let run = learning
                .run(&examples, |_, _| ControlFlow::<()>::Continue(()));
            assert!(run.is_ok(), "finite losses");
            let right = |s: &&Sentence| {
                self.verb_by_linear(&learning.model, s) == s.words[s.verb]
            };
            let right = self.sets.validation.iter().filter(right).count();
            eprintln!("linear at {peak_lr}: {right}");
            (right, learning.model)
        });
        let best = learned.into_iter().max_by_key(|(right, _)| *right);
        best.expect("a rate").1
    }

    fn verb_by_linear(
        &self,
        model: &Classifier<Matrix<f32>>,
        s: &Sentence,
    ) -> String {
        let logits = model.logits(&[self.placed(s).text]);
        BE[logits.row(0).transpose().argmax().0].to_owned()
    }
}

// What it looks at

/// Sentences to fill and to look at.
const SHOWN: [&str; 3] = [
    "the young cats near the old dog ___ tired today .",
    "the young ___ near the old dog are tired today .",
    "the young cats near the old dog ___ tired ___ .",
];

impl Trial {
    fn look(&self) {
        let model = self.run(false);
        println!("what\tof\twhich\twhere\tnumber");
        for text in SHOWN {
            assert!(!self.was_learned(text), "it has learned: {text}");
            self.print_filled(&model, text);
        }
        self.shares(&model);
        let simple = self.with_others().filter(|s| s.form != Form::Clause);
        self.exchanges(&model, "as trained", simple.cloned());
        let rng = &mut generator(1, Stream::Data);
        let three =
            iter::repeat_with(|| Sentence::of(Form::ThreePhrases, rng));
        self.exchanges(&model, "three phrases", three.take(OUTSIDE));
        self.two_gaps(&model);
        self.print_maps(&model, SHOWN[0]);
    }

    /// Whether a text with gaps is a sentence of the training set.
    fn was_learned(&self, text: &str) -> bool {
        let text = words(text);
        let fits =
            |(gap, word): (&String, &String)| gap == "___" || gap == word;
        self.sets.training.iter().any(|s| {
            s.words.len() == text.len() && text.iter().zip(&s.words).all(fits)
        })
    }

    /// The test sentences that have more than one noun.
    fn with_others(&self) -> impl Iterator<Item = &Sentence> {
        self.sets.test.iter().filter(|s| s.form != Form::Plain)
    }

    /// How much weight the row of a hidden verb gives to what, on average.
    fn shares(&self, model: &Model) {
        let (mut sums, mut of) = (BTreeMap::new(), BTreeMap::new());
        for s in &self.sets.test {
            let text = Gaps::new(&s.tokens(&self.words), &[s.verb]).text;
            *of.entry(forms::name(s.form)).or_insert(0.0) += 1.0;
            for (at, head) in heads(&maps(model, &text)) {
                for (key, &weight) in head.row(s.verb).iter().enumerate() {
                    let group =
                        (forms::name(s.form), at.clone(), seen(s, key));
                    *sums.entry(group).or_insert(0.0) += f64::from(weight);
                }
            }
        }
        for ((form, at, which), sum) in sums {
            let mean: f64 = sum / of[form];
            println!("share\t{form}\t{at}\t{which}\t{mean:.4}");
        }
    }

    /// How often another word is said when one of the others is exchanged.
    fn exchanges(
        &self,
        model: &Model,
        kind: &str,
        all: impl Iterator<Item = Sentence>,
    ) {
        let names = ["subject", "noun between", "time", "adjective"];
        let (mut changed, mut unmoved) = ([0; 4], 0);
        let mut sentences = 0;
        for s in all {
            let other = s.nouns.iter().rfind(|n| **n != s.subject);
            let places = [s.subject, *other.unwrap(), s.time, s.verb + 1];
            let mut texts = vec![s.words.clone(); 5];
            for (text, place) in texts[1..].iter_mut().zip(places) {
                text[place] = exchanged(&text[place]);
            }
            let gaps = texts.iter().map(|text| {
                let tokens = self.words.encode(text).expect("our words");
                Gaps::new(&tokens, &[s.verb]).text
            });
            let said = fill(model, &gaps.collect::<Vec<_>>());
            for (changed, new) in changed.iter_mut().zip(&said[1..]) {
                *changed += usize::from(*new != said[0]);
            }
            unmoved += usize::from(said.iter().all(|verb| *verb == said[0]));
            sentences += 1;
        }
        let all = names.iter().zip(changed);
        for (name, changed) in all.chain([(&"none of these", unmoved)]) {
            let part = changed as f64 / f64::from(sentences);
            println!("exchange\t{name}\t{sentences}\t{kind}\t{part:.4}");
        }
    }

    /// The verb and the time are both hidden: how probable it is that they
    /// fit if each is drawn, and how often they do if the time is filled
    /// first.
    fn two_gaps(&self, model: &Model) {
        let pairs = [("is", "today"), ("are", "today")];
        let pairs =
            [&pairs[..], &[("was", "yesterday"), ("were", "yesterday")]]
                .concat();
        let token = |word: &str| self.tokens(word)[0];
        let (mut fits, mut ones, mut said_both) = (0.0, 0, 0);
        for s in &self.sets.test {
            let tokens = s.tokens(&self.words);
            let gaps = Gaps::new(&tokens, &[s.verb, s.time]).text;
            let p = probabilities(model, &[&gaps]);
            let (verb, time) = if s.time == 0 { (1, 0) } else { (0, 1) };
            for (be, when) in &pairs {
                let both = p[(verb, token(be) as usize)]
                    * p[(time, token(when) as usize)];
                fits += f64::from(both);
            }
            let said = fill(model, &[&gaps]);
            let fit = |verb: Token, time: Token| {
                let [verb, time] = [verb, time].map(|token| self.word(token));
                pairs.contains(&(&verb, &time))
            };
            said_both += usize::from(fit(said[verb], said[time]));
            let mut one = gaps.clone();
            one[s.time] = said[time];
            ones += usize::from(fit(fill(model, &[one])[0], said[time]));
        }
        let n = self.sets.test.len() as f64;
        println!("two gaps\tdrawn\t\t\t{:.4}", fits / n);
        println!("two gaps\tmost probable\t\t\t{:.4}", said_both as f64 / n);
        println!("two gaps\tone after the other\t\t\t{:.4}", ones as f64 / n);
    }

    fn print_maps(&self, model: &Model, text: &str) {
        for (at, head) in heads(&maps(model, &self.tokens(text))) {
            for (query, row) in head.row_iter().enumerate() {
                for (key, weight) in row.iter().enumerate() {
                    println!("map\t{text}\t{at}\t{query}.{key}\t{weight:.3}");
                }
            }
        }
    }
}

/// All heads with their names, such as 2.1 for the first of layer 2.
fn heads(
    maps: &[Vec<Matrix<f32>>],
) -> impl Iterator<Item = (String, &Matrix<f32>)> {
    let layers = (1..).zip(maps);
    layers.flat_map(|(i, layer)| {
        (1..).zip(layer).map(move |(j, head)| (format!("{i}.{j}"), head))
    })
}

/// What a word is to the hidden verb.
fn seen(s: &Sentence, place: usize) -> &'static str {
    match place {
        place if place == s.verb => "gap",
        place if place == s.subject => "subject",
        place if place == s.time => "time",
        place if s.nouns.contains(&place) => "other noun",
        place if s.words[place] == "." => "full stop",
        place if before_subject(s, place) => "before subject",
        _ => "rest",
    }
}

/// Whether it is the article or the adjective of the subject.
fn before_subject(s: &Sentence, place: usize) -> bool {
    let the = s.words[..s.subject].iter().rposition(|word| word == "the");
    (the.expect("an article")..s.subject).contains(&place)
}

/// A noun of the other number, the other time, or another adjective.
fn exchanged(word: &str) -> String {
    match word {
        "today" => "yesterday".to_owned(),
        "yesterday" => "today".to_owned(),
        "old" => "young".to_owned(),
        noun if number(noun) == Some(0) => format!("{noun}s"),
        noun if number(noun) == Some(1) => noun[..noun.len() - 1].to_owned(),
        _ => "old".to_owned(),
    }
}
