//! Greedy, beams, a penalty and sampling: `cargo run --example search`

use all_you_need::encoder::Config;
use all_you_need::loss::log_sum_exp;
use all_you_need::parameters::Parameters;
use all_you_need::plain::{self, decode, encode, read};
use all_you_need::search::{
    Beam, Cache, Hypothesis, LanguageModel, Sampling, length_penalty, search,
};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use print::log::number;
use print::{section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::{BTreeMap, BTreeSet};

fn main() {
    greedy();
    all_sentences();
    two_at_a_time();
    wider_beams();
    short_and_long();
    the_translator();
    a_thousand_draws();
    drawn_translations();
    not_always();
    sums_of_logits();
    wider_and_worse();
}

const START: Token = 0;
const END: Token = 1;

/// After each beginning, the words that may come next. After a beginning that
/// is not in the table comes the end.
type Table = [(&'static str, &'static [(&'static str, f64)])];

/// What may be said in German to *I am fine*.
pub const I_AM_FINE: &Table = &[
    (
        "",
        &[
            ("Ich", 0.37),
            ("Mir", 0.32),
            ("Gut", 0.25),
            ("Danke", 0.04),
            ("Prima", 0.02),
        ],
    ),
    ("Ich", &[("fühle", 0.4), ("bin", 0.35), ("habe", 0.25)]),
    ("Ich fühle", &[("mich", 0.9), ("nichts", 0.1)]),
    ("Ich fühle mich", &[("gut", 0.7), ("wohl", 0.3)]),
    ("Ich bin", &[("gesund", 0.6), ("fein", 0.4)]),
    ("Ich habe", &[("Glück", 0.6), ("Recht", 0.4)]),
    ("Mir", &[("geht", 0.9), ("ist", 0.1)]),
    ("Mir geht", &[("es", 0.9), ("gut", 0.1)]),
    ("Mir geht es", &[("gut", 0.8), ("schlecht", 0.2)]),
    ("Mir ist", &[("wohl", 0.6), ("gut", 0.4)]),
    ("Gut", &[("<end>", 0.96), ("so", 0.04)]),
];

/// Two ways on from b look better than a's best, and then scatter.
const SCATTERED: &Table = &[
    ("", &[("a", 0.55), ("b", 0.45)]),
    ("a", &[("v", 0.4), ("w", 0.2), ("x", 0.2), ("y", 0.2)]),
    ("b", &[("v", 0.5), ("w", 0.5)]),
    ("b v", &[("v", 0.25), ("w", 0.25), ("x", 0.25), ("y", 0.25)]),
    ("b w", &[("v", 0.25), ("w", 0.25), ("x", 0.25), ("y", 0.25)]),
];

/// A language by hand.
pub struct Language {
    table: &'static Table,
    pub words: Vec<&'static str>,
    /// What each hypothesis has said.
    pub said: Vec<String>,
    /// The same, for every step of the search.
    pub steps: Vec<Vec<String>>,
}

impl Language {
    pub fn new(table: &'static Table) -> Self {
        let mut words = vec!["<start>", "<end>"];
        for (word, _) in table.iter().flat_map(|(_, next)| *next) {
            if !words.contains(word) {
                words.push(word);
            }
        }
        Self { table, words, said: vec![String::new()], steps: Vec::new() }
    }

    pub fn after(&self, said: &str) -> &'static [(&'static str, f64)] {
        let known =
            self.table.iter().find(|(beginning, _)| *beginning == said);
        known.map_or(&[("<end>", 1.0)], |(_, next)| next)
    }

    fn id(&self, word: &str) -> usize {
        let place = self.words.iter().position(|known| *known == word);
        place.expect("a word of the table")
    }

    pub fn sentence(&self, tokens: &[Token]) -> String {
        let words: Vec<&str> =
            tokens.iter().map(|&token| self.words[token as usize]).collect();
        words.join(" ")
    }

    /// The probability of a beginning.
    pub fn probability(&self, said: &str) -> f64 {
        let words: Vec<&str> = said.split_whitespace().collect();
        let factor = |i: usize| {
            let mut next = self.after(&words[..i].join(" ")).iter();
            next.find(|(word, _)| *word == words[i]).expect("a way on").1
        };
        (0..words.len()).map(factor).product()
    }

    /// The logarithms of the probabilities of all words after some words.
    fn logs(&self, said: &[usize]) -> Vec<f64> {
        let said: Vec<_> = said[1..].iter().map(|&i| self.words[i]).collect();
        let mut logs = vec![f64::NEG_INFINITY; self.words.len()];
        for (word, p) in self.after(&said.join(" ")) {
            logs[self.id(word)] = p.ln();
        }
        logs
    }

    /// All sentences, without their ends, the most probable first.
    pub fn sentences(&self) -> Vec<(String, f64)> {
        let (mut live, mut all) = (vec![String::new()], Vec::new());
        while let Some(said) = live.pop() {
            for (word, _) in self.after(&said) {
                match *word {
                    "<end>" => {
                        let p = self.probability(&joined(&said, word));
                        all.push((said.clone(), p));
                    }
                    word => live.push(joined(&said, word)),
                }
            }
        }
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all
    }
}

pub fn joined(said: &str, word: &str) -> String {
    format!("{said} {word}").trim().to_string()
}

impl LanguageModel<f64> for Language {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        let each = parents.iter().zip(tokens);
        let grown = each.map(|(&i, &token)| match token {
            START => self.said[i].clone(),
            word => joined(&self.said[i], self.words[word as usize]),
        });
        self.said = grown.collect();
        self.steps.push(self.said.clone());
        let mut logs = Matrix::from_element(
            self.words.len(),
            tokens.len(),
            f64::NEG_INFINITY,
        );
        for (i, said) in self.said.iter().enumerate() {
            for (word, p) in self.after(said) {
                logs[(self.id(word), i)] = p.ln();
            }
        }
        logs
    }
}

/// A beam of the crate.
pub fn wide(width: usize, alpha: f64) -> Beam {
    Beam { width, alpha, ..Beam::greedy(START, END) }
}

/// The best sentence that the crate's search finds in a language by hand.
pub fn find(language: &mut Language, beam: &Beam) -> Hypothesis {
    let mut found = search(language, &[10], beam).expect("finite logits");
    found.swap_remove(0).swap_remove(0)
}

const ENDS: [usize; 2] = [START as usize, END as usize];

/// ((5 + |Y|) / 6)^α, where |Y| counts the end, too.
fn lp(length: usize, alpha: f64) -> f64 {
    ((5.0 + length as f64) / 6.0).powf(alpha)
}

/// The best sentence that a beam finds, with its score. After some tokens,
/// `next` gives the log-probabilities of all tokens that may follow.
fn beam(
    next: impl Fn(&[usize]) -> Vec<f64>,
    [begin, end]: [usize; 2],
    (width, alpha, longest): (usize, f64, usize),
) -> (Vec<usize>, f64) {
    let (mut live, mut finished) = (vec![(vec![begin], 0.0)], vec![]);
    while !live.is_empty() {
        let mut all = Vec::new();
        for (said, sum) in &live {
            for (token, log) in next(said).into_iter().enumerate() {
                if token == end || said.len() <= longest {
                    all.push(([&said[..], &[token]].concat(), sum + log));
                }
            }
        }
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(width);
        let ended = |(said, _): &(Vec<_>, _)| said.ends_with(&[end]);
        finished.extend(all.extract_if(.., |found| ended(found)));
        live = all;
    }
    let score = |(said, sum): (Vec<_>, f64)| {
        let score = sum / lp(said.len() - 1, alpha);
        (said, score)
    };
    let scores = finished.into_iter().map(score);
    scores.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a sentence")
}

/// What a beam finds in answer to *I am fine*, with its score.
fn fine(width: usize, alpha: f64) -> (String, f64) {
    let language = Language::new(I_AM_FINE);
    let next = |said: &[usize]| language.logs(said);
    let (said, score) = beam(next, ENDS, (width, alpha, 10));
    let words = said[1..said.len() - 1].iter().map(|&i| language.words[i]);
    (words.collect::<Vec<_>>().join(" "), score)
}

fn greedy() {
    let (sentence, sum) = fine(1, 0.0);
    let overlooked = Language::new(I_AM_FINE).probability("Mir geht es gut");
    section("Greedy");
    value("greedy finds", sentence);
    value("greedy's probability", format!("{:.3}", sum.exp()));
    value("overlooked", format!("{overlooked:.3}"));
}

fn all_sentences() {
    let all = Language::new(I_AM_FINE).sentences();
    section("Every sentence");
    for (said, p) in all.iter().take(5) {
        println!("{said:24} {p:.3}");
    }
    section("To be sure");
    value("sentences", all.len());
    value("the best", &all[0].0);
    value("its share of a hundred draws", format!("{:.0}", 100.0 * all[0].1));
    let digits = 30.0 * 37_000f64.log10();
    value("digits in 37,000 to the 30", digits.ceil());
    let lasts = |p: f32| (1..).find(|&n| p.powi(n) == 0.0).expect("an end");
    value("words of 0.1 to nothing", lasts(0.1));
}

/// What a beam of two keeps in each step.
pub fn two_steps() -> Language {
    let mut language = Language::new(I_AM_FINE);
    find(&mut language, &wide(2, 0.0));
    language
}

fn two_at_a_time() {
    let language = two_steps();
    section("A beam of two");
    for said in &language.steps[1..] {
        let each = said.iter().map(|said| {
            let p = language.probability(said);
            format!("{:30}", format!("{said} {p:.3}"))
        });
        println!("{}", each.collect::<String>().trim_end());
    }
}

fn wider_beams() {
    section("Wider beams");
    let row = |width: usize| {
        let [none, some] = [0.0, 0.6].map(|alpha| fine(width, alpha).0);
        let mut language = Language::new(I_AM_FINE);
        let crates = find(&mut language, &wide(width, 0.6));
        assert_eq!(language.sentence(&crates.tokens), some);
        [width.to_string(), format!("{none:>20}"), format!("{some:>20}")]
    };
    table(["width", "α = 0", "α = 0.6"], [1, 2, 3, 4, 16].map(row));
}

/// The score of a sentence whose tokens all have the probability 0.8.
pub fn of_four_fifths(tokens: usize, alpha: f64) -> f64 {
    tokens as f64 * 0.8f64.ln() / length_penalty(tokens, alpha)
}

fn short_and_long() {
    let language = Language::new(I_AM_FINE);
    section("Gut, or Mir geht es gut");
    let row = |said: &str| {
        let length = said.split_whitespace().count();
        let p = language.probability(said);
        let [none, some, full] = [0.0, 0.6, 1.0]
            .map(|alpha| format!("{:.3}", p.ln() / lp(length, alpha)));
        let words = said.trim_end_matches(" <end>").to_string();
        [words, length.to_string(), format!("{p:.3}"), none, some, full]
    };
    let both = ["Gut <end>", "Mir geht es gut <end>"].map(row);
    table(["", "tokens", "P", "α = 0", "α = 0.6", "α = 1"], both);
    section("Penalties at 0.6");
    value("lp(2)", format!("{:.3}", lp(2, 0.6)));
    value("lp(5)", format!("{:.3}", lp(5, 0.6)));
}

/// The same with the translator of this book, from its log.
fn the_translator() {
    let log = include_str!("../../src/logs/translation-beams.tsv");
    let rows: Vec<[&str; 8]> = print::log::table(log).collect();
    let [none, some]: [f64; 2] = [0, 1].map(|row| number(rows[row][4]));
    section("A trained translator");
    println!("        {:17}α = {some}", format!("α = {none}"));
    println!("width   length   BLEU    length   BLEU");
    for both in rows.chunks(2) {
        let [none, some] = [&both[0], &both[1]].map(|row| {
            let [length, bleu] = [row[7], row[5]].map(number::<f64>);
            format!("{length:6.3} {bleu:6.2}")
        });
        assert_eq!(both[0][3], both[1][3]);
        println!("{:>5}   {none}    {some}", both[0][3]);
    }
    section("Its penalty");
    value("its α", some);
}

/// The tokens that may be drawn next, the most probable first, each with its
/// weight: those that are left by top-k and then by top-p.
fn possible(
    logs: &[f64],
    (temperature, top_k, top_p): (f64, usize, f64),
) -> Vec<(usize, f64)> {
    let weight = |log: &f64| (log / temperature).exp();
    let weights = logs.iter().map(weight).enumerate();
    let mut all: Vec<(usize, f64)> = weights.collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(top_k);
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    let mut before = 0.0;
    all.retain(|(_, weight)| {
        let is_needed = before < top_p * sum;
        before += weight;
        is_needed
    });
    all
}

/// Draws a sentence, token by token.
fn drawn(
    next: impl Fn(&[usize]) -> Vec<f64>,
    [begin, end]: [usize; 2],
    settings: Settings,
    rng: &mut ChaCha8Rng,
) -> Vec<usize> {
    let mut said = vec![begin];
    while said.len() <= 20 {
        let all = possible(&next(&said), settings);
        let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
        let mut left = rng.random::<f64>() * sum;
        let hit = all.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        let (token, _) = *hit.unwrap_or(&all[0]);
        if token == end {
            break;
        }
        said.push(token);
    }
    said.split_off(1)
}

/// A temperature, top-k and top-p.
type Settings = (f64, usize, f64);

/// Sampling as the model says, and with each of the settings.
pub const SETTINGS: [(&str, Settings); 5] = [
    ("as the model says", (1.0, usize::MAX, 1.0)),
    ("temperature 0.5", (0.5, usize::MAX, 1.0)),
    ("temperature 2", (2.0, usize::MAX, 1.0)),
    ("top-k of 2", (1.0, 2, 1.0)),
    ("top-p of 0.85", (1.0, usize::MAX, 0.85)),
];

/// The words that come first in answer to *I am fine*, with their
/// probabilities.
pub fn first_words(settings: Settings) -> Vec<(String, f64)> {
    let language = Language::new(I_AM_FINE);
    let all = possible(&language.logs(&[ENDS[0]]), settings);
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    let of = |word: &str| {
        let found =
            all.iter().find(|(token, _)| language.words[*token] == word);
        found.map_or(0.0, |(_, weight)| weight / sum)
    };
    let words = language.after("").iter();
    words.map(|(word, _)| (word.to_string(), of(word))).collect()
}

/// A sentence is rare if its probability is below this.
const RARE: f64 = 0.03;

/// How often each of two sentences is drawn.
fn a_thousand_draws() {
    section("A thousand draws");
    let language = Language::new(I_AM_FINE);
    let row = |(name, settings): (&str, Settings)| {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut counts = BTreeMap::<String, usize>::new();
        for _ in 0..1000 {
            let next = |said: &[usize]| language.logs(said);
            let said = drawn(next, ENDS, settings, rng);
            let words: Vec<_> =
                said.iter().map(|&i| language.words[i]).collect();
            *counts.entry(words.join(" ")).or_default() += 1;
        }
        let of = |said: &str| counts.get(said).copied().unwrap_or(0);
        let rare = counts.iter().filter(|(said, _)| {
            language.probability(&joined(said, "<end>")) < RARE
        });
        let rare: usize = rare.map(|(_, count)| count).sum();
        let cells = [counts.len(), of("Mir geht es gut"), of("Gut"), rare];
        let [different, mir, gut, rare] = cells.map(|n| n.to_string());
        [name.to_string(), different, mir, gut, rare]
    };
    table(
        ["", "different", "Mir geht es gut", "Gut", "rare"],
        SETTINGS.map(row),
    );
    section("Rare");
    value("rare below", RARE);
    let crates = |(t, k, p): Settings| {
        let sampling = Sampling {
            temperature: t,
            top_k: k,
            top_p: p,
            ..Sampling::new(START, END)
        };
        let words = Language::new(I_AM_FINE);
        let found = sampling.probabilities(&words.logs(&[ENDS[0]]));
        let found = found.expect("finite logits");
        let own = first_words((t, k, p)).into_iter();
        own.map(|(word, p)| (found[words.id(&word)] - p).abs())
            .fold(0.0, f64::max)
    };
    let apart = SETTINGS.map(|(_, settings)| crates(settings));
    assert!(apart.into_iter().all(|apart| apart < 1e-15));
}

/// The plain model, with the parameters of the book's translator.
fn plain_model(translator: &Translator) -> plain::Model {
    let (heads, layers) = (translator.config.heads, translator.config.layers);
    let leaves = translator.model.leaves().into_iter();
    let mut matrices = leaves.map(|(_, leaf)| leaf.map(f64::from));
    read::model(heads, layers, &mut matrices)
}

/// The logarithms of probabilities, from logits.
fn logarithms(logits: &[f64]) -> Vec<f64> {
    let sum = log_sum_exp(logits);
    logits.iter().map(|logit| logit - sum).collect()
}

const CAPTION: &str = "a woman in a red coat is reading a book .";

/// Translations of a caption: that of a beam, and some that are drawn.
fn drawn_translations() {
    let translator = Translator::captions();
    let model = plain_model(&translator);
    let Translator { model: crates, tokenizer, .. } = &translator;
    let source = tokenizer.encode_source(CAPTION);
    let read: Vec<usize> = source.iter().map(|&id| id as usize).collect();
    let z = encode(&model, &read);
    let next = |said: &[usize]| {
        let scores = decode(&model, said, &z);
        let last: Vec<f64> =
            scores.row(said.len() - 1).iter().copied().collect();
        logarithms(&last)
    };
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    let ends = [bos as usize, eos as usize];
    let (said, score) = beam(next, ends, (4, 0.6, read.len() + 50));
    let found = &said[1..said.len() - 1];
    let words = |said: &[usize]| {
        let ids: Vec<Token> = said.iter().map(|&id| id as Token).collect();
        tokenizer.decode(&ids)
    };
    let theirs = crates.search(&[source], &Beam::paper(bos, eos));
    let theirs = &theirs.expect("finite logits")[0][0];
    let same =
        found.iter().map(|&id| id as Token).eq(theirs.tokens.iter().copied());
    assert!(same && (score - theirs.score).abs() < 1e-5);
    section("The caption");
    value("caption", CAPTION);
    value("found", words(found));
    value("score", format!("{score:.3}"));
    section("Twenty translations");
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let all = SETTINGS.map(|(name, settings)| {
        let drawn = (0..20).map(|_| drawn(next, ends, settings, rng));
        (name, drawn.collect::<Vec<_>>())
    });
    let rows = all.iter().map(|(name, drawn)| {
        let different = BTreeSet::from_iter(drawn).len();
        let same = drawn.iter().filter(|drawn| *drawn == found).count();
        [name.to_string(), different.to_string(), same.to_string()]
    });
    table(["", "different", "that of the beam"], rows);
    let [(_, as_it_says), _, (_, hot), ..] = &all;
    section("Some as the model says");
    for drawn in as_it_says.iter().filter(|drawn| *drawn != found).take(4) {
        println!("{}", words(drawn));
    }
    section("One of the hot ones");
    value("it begins", words(&hot[0][..5]));
}

pub const SOURCE: [Token; 3] = [2, 3, 4];
pub const LIMIT: usize = 12;

/// A random model of twelve words. Its table is larger than training would
/// begin with, so that it has opinions.
pub fn random(seed: u64) -> Transformer<Matrix> {
    let config = Config {
        vocabulary: 12,
        layers: 1,
        d_model: 8,
        d_ff: 16,
        heads: 2,
        d_k: 4,
        d_v: 4,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut model = Transformer::new(&config, rng);
    model.embedding.table *= 2.5;
    model
}

/// How often a wider beam finds less in a hundred random models.
fn not_always() {
    let models: Vec<_> = (0..100).map(random).collect();
    let scores = |width, alpha| {
        let beam = wide(width, alpha);
        let score = |model| {
            let mut cache = Cache::new(model, &[SOURCE.to_vec()]);
            let found = search(&mut cache, &[LIMIT], &beam);
            found.expect("finite logits")[0][0].score
        };
        models.iter().map(score).collect::<Vec<_>>()
    };
    let (mut compared, mut worse) = (0, 0);
    for alpha in [0.0, 0.6, 1.0] {
        let widths = [1, 2, 4, 8, 16].map(|width| scores(width, alpha));
        for pair in widths.windows(2) {
            let both = pair[0].iter().zip(&pair[1]);
            compared += both.len();
            worse += both.filter(|(a, b)| **b < **a - 1e-9).count();
        }
    }
    section("Not always");
    value("compared with half the width", compared);
    value("worse than with half the width", worse);
}

/// The logits after some tokens.
fn logits(model: &Transformer<Matrix>, said: &[usize]) -> Vec<f64> {
    let fed: Vec<Token> = said.iter().map(|&id| id as Token).collect();
    let rows = model.forward(&[SOURCE.to_vec()], &[fed]);
    rows.row(said.len() - 1).iter().copied().collect()
}

/// ln P(Y | X), from begin to end, computed once more.
pub fn recomputed(model: &Transformer<Matrix>, said: &[usize]) -> f64 {
    let log = |n: usize| logarithms(&logits(model, &said[..n]))[said[n]];
    (1..said.len()).map(log).sum()
}

/// Beams of four that add logarithms, and such that add logits.
fn sums_of_logits() {
    section("Sums of logits");
    let row = |name: &str, kind: fn(&[f64]) -> Vec<f64>| {
        let found = (0..100).map(|seed| {
            let model = random(seed);
            let next = |said: &[usize]| kind(&logits(&model, said));
            let (said, sum) = beam(next, ENDS, (4, 0.0, LIMIT));
            [said.len() as f64 - 2.0, sum, recomputed(&model, &said)]
        });
        let found: Vec<[f64; 3]> = found.collect();
        let mean =
            |i: usize| found.iter().map(|all| all[i]).sum::<f64>() / 100.0;
        let [words, sum, again] = [0, 1, 2].map(mean);
        let cells = [format!("{words:.1}"), format!("{sum:.2}")];
        let [words, sum] = cells;
        [name.to_string(), words, sum, format!("{again:.2}")]
    };
    let rows =
        [row("logarithms", logarithms), row("logits", <[f64]>::to_vec)];
    table(["sums of", "words", "its sum", "ln P"], rows);
}

/// A language in which a beam of two finds less than greedy.
fn wider_and_worse() {
    section("Wider and worse");
    let row = |width: usize| {
        let mut language = Language::new(SCATTERED);
        let found = find(&mut language, &wide(width, 0.0));
        let p = found.log_probability.exp();
        let said = language.sentence(&found.tokens);
        [width.to_string(), said, format!("{p:.4}")]
    };
    table(["width", "found", "probability"], [1, 2, 3].map(row));
}
