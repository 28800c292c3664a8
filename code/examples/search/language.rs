//! A language by hand: which words may follow which, and how probably.

#![allow(dead_code)] // Each of two examples takes what it needs.

use all_you_need::search::{Beam, Hypothesis, LanguageModel, search};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;

pub const START: Token = 0;
pub const END: Token = 1;

/// After each beginning, the words that may come next. After a beginning that
/// is not in the table comes the end.
pub type Table = [(&'static str, &'static [(&'static str, f64)])];

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
pub const SCATTERED: &Table = &[
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

    pub fn id(&self, word: &str) -> usize {
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
    pub fn logs(&self, said: &[usize]) -> Vec<f64> {
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

pub const ENDS: [usize; 2] = [START as usize, END as usize];
