//! Greedy, beams, cache and sampling: `cargo run --example search`

use all_you_need::costs::{Bill, Shape};
use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::loss::log_sum_exp;
use all_you_need::search::{
    Beam, Cache, Hypothesis, LanguageModel, Sampling, length_penalty, sample,
    search,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use plot::{Bars, Block, Chart, Diagram, Figure, HeatMaps, Hue, Panel};
use print::grouped;
use print::log::{number, table};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn main() {
    greedy();
    all_sentences();
    two_at_a_time();
    naive();
    logarithms();
    wider_and_shorter();
    tokens_of_four_fifths();
    random_models();
    the_translator();
    two_together();
    rows_that_are_computed();
    shared_columns();
    what_the_cache_costs();
    what_the_cache_saves();
    the_next_word();
    a_thousand_draws();
    drawn_translations();
    raw_and_dropped();
    out_of_order();
    wider_and_worse();
}

const START: Token = 0;
const END: Token = 1;

/// After each beginning, the words that may come next. After a beginning that
/// is not in the table comes the end.
type Table = [(&'static str, &'static [(&'static str, f64)])];

/// What may be said in German to *I am fine*.
const I_AM_FINE: &Table = &[
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
struct Language {
    table: &'static Table,
    words: Vec<&'static str>,
    /// What each hypothesis has said.
    said: Vec<String>,
    /// The same, for every step of the search.
    steps: Vec<Vec<String>>,
}

impl Language {
    fn new(table: &'static Table) -> Self {
        let mut words = vec!["<start>", "<end>"];
        for (word, _) in table.iter().flat_map(|(_, next)| *next) {
            if !words.contains(word) {
                words.push(word);
            }
        }
        Self { table, words, said: vec![String::new()], steps: Vec::new() }
    }

    fn after(&self, said: &str) -> &'static [(&'static str, f64)] {
        let known =
            self.table.iter().find(|(beginning, _)| *beginning == said);
        known.map_or(&[("<end>", 1.0)], |(_, next)| next)
    }

    fn id(&self, word: &str) -> usize {
        let place = self.words.iter().position(|known| *known == word);
        place.expect("a word of the table")
    }

    fn sentence(&self, tokens: &[Token]) -> String {
        let words: Vec<&str> =
            tokens.iter().map(|&token| self.words[token as usize]).collect();
        words.join(" ")
    }

    /// The probability of a beginning.
    fn probability(&self, said: &str) -> f64 {
        let words: Vec<&str> = said.split_whitespace().collect();
        let factor = |i: usize| {
            let mut next = self.after(&words[..i].join(" ")).iter();
            next.find(|(word, _)| *word == words[i]).expect("a way on").1
        };
        (0..words.len()).map(factor).product()
    }

    /// All sentences, without their ends, the most probable first.
    fn sentences(&self) -> Vec<(String, f64)> {
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

fn joined(said: &str, word: &str) -> String {
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

fn wide(width: usize, alpha: f64) -> Beam {
    Beam { width, alpha, ..Beam::greedy(START, END) }
}

const FINITE: &str = "logits that are numbers";

/// The best sentence that was found for the first source.
fn best_of(mut found: Vec<Vec<Hypothesis>>) -> Hypothesis {
    found.swap_remove(0).swap_remove(0)
}

/// The best sentence of a language by hand.
fn find(language: &mut Language, beam: &Beam) -> Hypothesis {
    best_of(search(language, &[10], beam).expect(FINITE))
}

/// The best sentence that is found in answer to *I am fine*.
fn fine(beam: &Beam) -> (String, Hypothesis) {
    let mut language = Language::new(I_AM_FINE);
    let found = find(&mut language, beam);
    (language.sentence(&found.tokens), found)
}

/// A beginning in the tree of all sentences.
struct Node {
    said: String,
    text: String,
    at: (f64, f64),
    next: Vec<Node>,
}

/// Between two leaves of the tree, and between its columns.
const STEP: (f64, f64) = (6.5, 1.55);

impl Node {
    /// The tree of all that can follow. `leaves` counts those that are above.
    fn new(
        language: &Language,
        said: &str,
        text: &str,
        depth: usize,
        leaves: &mut usize,
    ) -> Self {
        let after = language.after(said);
        let is_leaf = after.len() == 1;
        let after: &[(&str, f64)] = if is_leaf { &[] } else { after };
        let child = |(word, p): &(&str, f64)| {
            let (said, text) = (joined(said, word), format!("{word} {p}"));
            Node::new(language, &said, &text, depth + 1, leaves)
        };
        let next: Vec<Node> = after.iter().map(child).collect();
        let y = match (next.first(), next.last()) {
            (Some(first), Some(last)) => (first.at.1 + last.at.1) / 2.0,
            _ => {
                *leaves += 1;
                STEP.1 * *leaves as f64 - 0.5
            }
        };
        let at = (2.2 + STEP.0 * depth as f64, y);
        Self { said: said.to_string(), text: text.to_string(), at, next }
    }

    fn draw(
        &self,
        figure: &mut Diagram,
        language: &Language,
        paint: &impl Fn(&str) -> Hue,
    ) -> Block {
        let width = if self.said.is_empty() { 3.6 } else { 5.3 };
        let size = (width, 1.25);
        let block =
            figure.block(self.at, size, &self.text, paint(&self.said));
        for node in &self.next {
            let next = node.draw(figure, language, paint);
            figure.line(&[block.right(), next.left()], paint(&node.said));
        }
        if self.next.is_empty() {
            let p = format!("{:.3}", language.probability(&self.said));
            figure.note(block.right(), plot::Side::Right, &p);
        }
        block
    }
}

/// All sentences as a tree.
fn draw_tree(
    title: &str,
    description: &str,
    paint: impl Fn(&str) -> Hue,
) -> Figure {
    let (language, mut leaves) = (Language::new(I_AM_FINE), 0);
    let tree = Node::new(&language, "", "<start>", 0, &mut leaves);
    let height = STEP.1 * leaves as f64 + 0.6;
    let mut figure = Diagram::new(title, description, 33.4, height);
    tree.draw(&mut figure, &language, &paint);
    figure.draw()
}

/// Sentences with their probabilities, in words.
fn listed(sentences: &[(String, f64)]) -> String {
    let each = sentences.iter().map(|(said, p)| format!("{said} {p:.3}"));
    each.collect::<Vec<_>>().join(", ")
}

/// Always the most probable word.
fn greedy() {
    let (sentence, found) = fine(&wide(1, 0.0));
    let language = Language::new(I_AM_FINE);
    let all = language.sentences();
    let p = found.log_probability.exp();
    let better: Vec<_> =
        all.iter().filter(|(_, other)| *other > p + 1e-9).cloned().collect();
    println!("== Greedy");
    println!("greedy finds = {sentence}");
    println!("greedy's probability = {p:.3}");
    let longer = "Mir geht es gut <end>";
    println!("overlooked = {:.3}", language.probability(longer));
    let description = format!(
        "A tree. From the start a line leads to each word that may come \
         first, from there to each that may come second, and so on. Greedy \
         goes to {sentence}, {p:.3}. The sentences at its ends are: {}.",
        listed(&all)
    );
    let paint = |said: &str| match () {
        () if sentence.starts_with(said) => Hue::Orange,
        () if better.iter().any(|(other, _)| other.starts_with(said)) => {
            Hue::Green
        }
        () if said == "Gut <end>" => Hue::Green,
        () => Hue::Rule,
    };
    let figure = draw_tree("What can follow I am fine", &description, paint);
    plot::save("search-tree", &figure);
}

fn all_sentences() {
    let all = Language::new(I_AM_FINE).sentences();
    println!("\n== Every sentence");
    for (said, p) in &all {
        println!("{said:24} {p:.3}");
    }
    println!("\n== To be sure");
    println!("sentences = {}", all.len());
    println!("the best = {}", all[0].0);
    println!("its share of a hundred draws = {:.0}", 100.0 * all[0].1);
    let digits = 30.0 * 37_000f64.log10();
    println!("digits in 37,000 to the 30 = {:.0}", digits.ceil());
}

/// A beam of two.
fn two_at_a_time() {
    println!("\n== A beam of two");
    let mut language = Language::new(I_AM_FINE);
    let found = find(&mut language, &wide(2, 0.0));
    let ended = beam(&language, 2).into_iter().map(|(said, _)| said);
    let steps = [&language.steps[1..], &[ended.collect()][..]].concat();
    for said in &steps {
        let each = said.iter().map(|said| {
            let p = language.probability(said);
            format!("{:30}", format!("{said} {p:.3}"))
        });
        println!("{}", each.collect::<String>().trim_end());
    }
    println!("\n== Two find more");
    println!("two find = {}", language.sentence(&found.tokens));
    println!("the probability of that = {:.3}", found.log_probability.exp());
    let steps = language.steps.len() - 1;
    let frames: Vec<_> =
        (1..=steps).map(|step| frame(&language, step)).collect();
    plot::save_frames("search-beam", &frames);
}

/// What a beam keeps and what it lets go, up to a step.
fn frame(language: &Language, step: usize) -> Figure {
    let mut asked = Vec::new();
    for said in language.steps[..step].iter().flatten() {
        let next = language.after(said).iter();
        asked.extend(next.map(|(word, _)| joined(said, word)));
    }
    let kept = &language.steps[step];
    let with_p = |said: &String| (said.clone(), language.probability(said));
    let [keeps, asks]: [Vec<_>; 2] = [kept, &asked]
        .map(|all: &Vec<String>| all.iter().map(with_p).collect());
    let description = format!(
        "The tree of all sentences. Asked so far: {}. Kept: {}.",
        listed(&asks),
        listed(&keeps)
    );
    let paint = |said: &str| match () {
        () if kept.iter().any(|kept| kept.starts_with(said)) => Hue::Green,
        () if asked.iter().any(|asked| asked == said) => Hue::Orange,
        () => Hue::Rule,
    };
    let title = format!("A beam of two after step {step}");
    draw_tree(&title, &description, paint)
}

/// The `width` most probable beginnings, word by word, until all have ended.
fn beam(language: &Language, width: usize) -> Vec<(String, f64)> {
    let (mut live, mut finished) = (vec![(String::new(), 1.0)], vec![]);
    while !live.is_empty() {
        let mut all = Vec::new();
        for (said, p) in &live {
            for (word, q) in language.after(said) {
                all.push((joined(said, word), p * q));
            }
        }
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(width);
        let (ended, going): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(said, _)| said.ends_with("<end>"));
        finished.extend(ended);
        live = going;
    }
    finished.sort_by(|a, b| b.1.total_cmp(&a.1));
    finished
}

fn naive() {
    println!("\n== Wider beams");
    println!("width  finds               probability");
    for width in [1, 2, 3, 4, 16] {
        let (sentence, found) = fine(&wide(width, 0.0));
        let p = found.log_probability.exp();
        let (naive, same) = &beam(&Language::new(I_AM_FINE), width)[0];
        assert_eq!(*naive, joined(&sentence, "<end>"));
        assert!((p - same).abs() < 1e-12);
        println!("{width:5}  {sentence:19} {p:.3}");
    }
}

/// Products that vanish, and logarithms of nothing.
fn logarithms() {
    let lasts = |p: f64| (1..).find(|&n| p.powi(n) == 0.0).expect("an end");
    let lasts_f32 =
        |p: f32| (1..).find(|&n| p.powi(n) == 0.0).expect("an end");
    println!("\n== Sums of logarithms");
    println!("f32 words of 0.1 to nothing = {}", lasts_f32(0.1));
    println!("f64 words of 0.1 to nothing = {}", lasts(0.1));
    let logits = [0.0, -800.0];
    let careless = softmax(&logits)[1].ln();
    assert_eq!(careless, f64::NEG_INFINITY);
    println!("ln of softmax = −∞");
    println!("log-softmax = −{}", log_sum_exp(&logits) - logits[1]);
}

/// *Gut* and *Mir geht es gut*.
fn wider_and_shorter() {
    let language = Language::new(I_AM_FINE);
    let both = ["Gut <end>", "Mir geht es gut <end>"];
    println!("\n== Gut, or Mir geht es gut");
    println!("                tokens     P   α = 0  α = 0.6  α = 1");
    for said in both {
        let length = said.split_whitespace().count();
        let p = language.probability(said);
        let [none, some, full] = [0.0, 0.6, 1.0]
            .map(|alpha| p.ln() / length_penalty(length, alpha));
        let words = said.trim_end_matches(" <end>");
        print!("{words:15} {length:6} {p:.3} ");
        println!("{none:7.3} {some:8.3} {full:6.3}");
    }
    println!("\n== Found with a penalty");
    println!("width  α = 0               α = 0.6");
    for width in [1, 2, 3, 4, 16] {
        let [none, some] =
            [0.0, 0.6].map(|alpha| fine(&wide(width, alpha)).0);
        println!("{width:5}  {none:19} {some}");
    }
    println!("\n== Penalties at 0.6");
    println!("lp(2) = {:.3}", length_penalty(2, 0.6));
    println!("lp(5) = {:.3}", length_penalty(5, 0.6));
    let longest = length_penalty(11, 0.6);
    let gut = language.probability("Gut <end>").ln() / length_penalty(2, 0.6);
    println!("lp(11) = {longest:.3}");
    println!("dropped below = {:.2}", longest * gut);
}

/// The score of sentences whose every token has probability 0.8.
fn tokens_of_four_fifths() {
    let score =
        |n: usize, alpha| n as f64 * 0.8f64.ln() / length_penalty(n, alpha);
    println!("\n== Tokens of four fifths");
    println!("tokens       P   α = 0  α = 0.6   α = 1");
    for n in [1, 5, 10, 20, 40] {
        let p = 0.8f64.powi(n as i32);
        let [none, some, full] = [0.0, 0.6, 1.0].map(|alpha| score(n, alpha));
        println!("{n:6} {p:8.4} {none:7.2} {some:8.2} {full:7.2}");
    }
    let limit = -6.0 * 0.8f64.ln();
    println!("\n== Mean");
    println!("never below, at α of 1 = −{limit:.2}");
    let (longest, papers, full) = (40, 0.6, 1.0);
    let line =
        |alpha| (1..=longest).map(move |n| (n as f64, score(n, alpha)));
    let [none, some, most] = [0.0, papers, full]
        .map(|alpha| grouped(format!("{:.1}", score(longest, alpha))));
    let figure = Chart::new(
        "What length costs",
        &format!(
            "The score of a sentence whose tokens all have the same \
             probability, up to {longest} tokens. Without a penalty it falls \
             in a straight line to {none}; at α = {papers} it falls more and \
             more slowly, to {some}; at α = {full} it is nearly level, and \
             ends at {most}."
        ),
    )
    .x("tokens, the end included")
    .y("ln P / lp")
    .line("α = 0", line(0.0))
    .line("α = 0.6", line(papers))
    .line("α = 1", line(full));
    plot::save("search-penalty", &figure.draw());
}

const SOURCE: [Token; 3] = [2, 3, 4];
const LIMIT: usize = 12;

/// A random model of twelve words. Its table is larger than training would
/// begin with, so that it has opinions.
fn random(seed: u64) -> Transformer<Matrix> {
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

/// The best sentence that a beam finds in a random model.
fn answer(model: &Transformer<Matrix>, beam: &Beam) -> Hypothesis {
    let mut cache = Cache::new(model, &[SOURCE.to_vec()]);
    best_of(search(&mut cache, &[LIMIT], beam).expect(FINITE))
}

/// How often a wider beam finds less in a hundred random models.
fn random_models() {
    let models: Vec<_> = (0..100).map(random).collect();
    let scores = |width, alpha| {
        let beam = wide(width, alpha);
        let scores = models.iter().map(|model| answer(model, &beam).score);
        scores.collect::<Vec<_>>()
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
    println!("\n== Not always");
    println!("compared with half the width = {compared}");
    println!("worse than with half the width = {worse}");
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

/// The same with the translator of this book, from its log.
fn the_translator() {
    let log = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../src/logs/translation-beams.tsv"
    );
    let log = fs::read_to_string(log).expect("a log");
    let rows: Vec<[&str; 8]> = table(&log).collect();
    let [none, some]: [f64; 2] = [0, 1].map(|row| number(rows[row][4]));
    println!("\n== A trained translator");
    println!("        {:17}α = {some}", format!("α = {none}"));
    println!("width   length   BLEU    length   BLEU");
    for both in rows.chunks(2) {
        let [(width, none), (same, some)] = [&both[0], &both[1]].map(|row| {
            let [length, bleu] = [row[7], row[5]].map(number::<f64>);
            (row[3], format!("{length:6.3} {bleu:6.2}"))
        });
        assert_eq!(width, same);
        println!("{width:>5}   {none}    {some}");
    }
    println!("\n== Its penalty");
    println!("its α = {some}");
}

/// A language that writes down how it is asked.
struct Asked {
    language: Language,
    /// The sentence of each hypothesis.
    owners: Vec<usize>,
    step: usize,
}

impl LanguageModel<f64> for Asked {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        self.owners = parents.iter().map(|&i| self.owners[i]).collect();
        self.step += 1;
        let each = parents.iter().zip(tokens).zip(&self.owners);
        let mut lists = [const { (Vec::new(), Vec::new()) }; 2];
        for ((parent, &token), &owner) in each {
            lists[owner].0.push(parent.to_string());
            lists[owner].1.push(self.language.words[token as usize]);
        }
        let [(a, one), (b, other)] = lists;
        let [a, b, one, other] =
            [a.join(" "), b.join(" "), one.join(" "), other.join(" ")];
        let row = format!("{:4}   {a:8} {b:8} {one:12} {other}", self.step);
        println!("{}", row.trim_end());
        self.language.next_logits(parents, tokens)
    }
}

/// A beam of two for two sentences, where *Mir* has been said in the second.
fn two_together() {
    println!("\n== Two together");
    println!("       parents           tokens");
    println!("step   first    second   first        second");
    let mut language = Language::new(I_AM_FINE);
    language.said.push("Mir".to_string());
    let mut asked = Asked { language, owners: vec![0, 1], step: 0 };
    let found = search(&mut asked, &[10, 10], &wide(2, 0.0));
    assert_eq!(found.expect(FINITE).len(), 2);
}

/// Which rows of the decoder are computed in each step.
fn rows_that_are_computed() {
    let words = ["<start>", "Mir", "geht", "es", "gut"];
    let size = words.len();
    let computed = |i: usize, j: usize| f64::from(u8::from(j <= i));
    let anew = Matrix::from_fn(size, size, computed);
    let kept = 0.25;
    let cached = Matrix::from_fn(size, size, |i, j| match i == j {
        true => 1.0,
        false => kept * computed(i, j),
    });
    let steps: Vec<_> = (1..=size).collect();
    let counted = |m: &Matrix| m.iter().filter(|cell| **cell == 1.0).count();
    let description = format!(
        "Two maps of {size} steps and {size} tokens. On the left {} rows are \
         computed, all up to the new one in each step. On the right {}, one \
         in each step, and the keys and values of those before it are read \
         from the cache.",
        counted(&anew),
        counted(&cached)
    );
    let panel = |matrix: &Matrix, title: &str| {
        let panel = Panel::new(matrix).title(title).full(1.0).rows(&steps);
        let panel = panel.columns(&words).cell(34.0, 28.0);
        panel.axes("step", "row of")
    };
    let figure = HeatMaps::new("Rows that are computed", &description)
        .panel(panel(&anew, "all anew"))
        .panel(panel(&cached, "with a cache"));
    plot::save("search-rows", &figure.draw());
}

/// Which columns of the cache each hypothesis has.
fn shared_columns() {
    let mut language = Language::new(I_AM_FINE);
    find(&mut language, &Beam { n_best: 4, ..wide(4, 0.6) });
    let steps = &language.steps[..4];
    let columns: Vec<&String> = steps.iter().flatten().collect();
    let hypotheses = &steps[3];
    let begins = |said: &str, other: &str| {
        other.is_empty()
            || said == other
            || said.starts_with(&format!("{other} "))
    };
    let used = Matrix::from_fn(hypotheses.len(), columns.len(), |i, j| {
        f64::from(u8::from(begins(&hypotheses[i], columns[j])))
    });
    let names = columns.iter().enumerate().map(|(j, said)| {
        let word =
            said.split(' ').next_back().filter(|word| !word.is_empty());
        format!("{j} {}", word.unwrap_or("<start>"))
    });
    let names: Vec<String> = names.collect();
    let lists = used.row_iter().zip(hypotheses).map(|(row, said)| {
        let own = (0..columns.len()).filter(|&j| row[j] > 0.0);
        let own: Vec<_> = own.map(|j| names[j].as_str()).collect();
        format!("{said}: {}", own.join(", "))
    });
    let lists: Vec<_> = lists.collect();
    let panel = Panel::new(&used).rows(hypotheses).columns(&names).full(1.0);
    let figure = HeatMaps::new(
        "Columns that are shared",
        &format!(
            "A map of {} hypotheses and {} columns of the cache, with a mark \
             where a hypothesis uses a column. {}.",
            hypotheses.len(),
            columns.len(),
            lists.join("; ")
        ),
    )
    .panel(panel.axes("hypotheses", "cache").cell(30.0, 24.0));
    plot::save("search-cache", &figure.draw());
}

/// How large a cache gets.
fn what_the_cache_costs() {
    println!("\n== What is kept");
    println!("model  layers  d_model  numbers  bytes  4 × 60 tokens");
    let sizes = [
        ("toy", Config::toy()),
        ("tiny", Config::tiny()),
        ("base", Config::base()),
    ];
    for (name, Config { layers, d_model, heads, d_k, d_v, .. }) in sizes {
        let numbers = layers * heads * (d_k + d_v);
        let bytes = 4 * numbers;
        println!(
            "{name:5} {layers:7} {d_model:8} {:>8} {:>6} {:>11} kB",
            grouped(numbers),
            grouped(bytes),
            grouped((4 * 60 * bytes + 500) / 1000)
        );
    }
}

/// The base model says n words to a source of thirty, with and without.
fn what_the_cache_saves() {
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut bill.clone());
    let sources = [vec![0; 30]];
    let mut spent = 0;
    let mut since = || {
        let before = std::mem::replace(&mut spent, bill.cost().multiply_adds);
        bill.cost().multiply_adds - before
    };
    let memory = model.encode(&sources);
    let encoded = since();
    let mut cache = Cache::new(&model, &sources);
    let (mut plain, mut cached) = (0, since() - encoded);
    let (mut lines, mut thirty) = ([const { Vec::new() }; 2], 0.0);
    println!("\n== Multiply-adds of the decoder, in millions");
    println!("words   rows anew  all anew   cached   times");
    for n in 1..=60 {
        let z = model.decode(&[vec![0; n]], &memory);
        let _ = model.logits(&z.gather(&[n - 1]));
        let pass = since();
        cache.feed(&[0], &[0]);
        (plain, cached) = (plain + pass, cached + since());
        if [1, 10, 30, 60].contains(&n) {
            let (rows, plain) = (n * (n + 1) / 2, plain as f64 / 1e6);
            let cached = cached as f64 / 1e6;
            let times = plain / cached;
            println!("{n:5} {rows:11} {plain:9.0} {cached:8.0} {times:7.1}");
            if n == 30 {
                thirty = cached;
            }
        }
        for (line, cost) in lines.iter_mut().zip([plain, cached]) {
            line.push((n as f64, cost as f64 / 1e9));
        }
    }
    draw_cost(lines);
    println!("\n== One pass");
    let z = model.decode(&[vec![0; 30]], &memory);
    let _ = model.logits(&z);
    let once = since() as f64 / 1e6;
    println!("thirty one by one = {thirty:.0}");
    println!("one pass over thirty = {once:.0}");
    // Under the mask are pairs that only the single pass multiplies: those of
    // a query and a key, and of a weight and a value.
    let Config { layers, d_model, .. } = Config::base();
    let hidden = layers * (30 * 29 / 2) * 2 * d_model;
    assert!((once - thirty - hidden as f64 / 1e6).abs() < 1e-6);
}

fn draw_cost([plain, cached]: [Vec<(f64, f64)>; 2]) {
    let figure = Chart::new(
        "What the cache saves",
        "Multiply-adds of the base model's decoder against the number of words \
         said. Computed anew for every word they rise like a parabola; with \
         the cache they rise in a nearly straight line, close above the axis.",
    )
    .x("words said")
    .y("multiply-adds, in billions")
    .line("all anew", plain)
    .line("cached", cached);
    plot::save("search-cost", &figure.draw());
}

/// Sampling as the model says, and with each of the settings.
fn settings(bos: Token, eos: Token) -> [(String, Sampling); 5] {
    let plain = Sampling::new(bos, eos);
    let warm = |temperature| {
        let name = format!("temperature {temperature}");
        (name, Sampling { temperature, ..plain.clone() })
    };
    let (top_k, top_p) = (2, 0.85);
    [
        ("as the model says".to_string(), plain.clone()),
        warm(0.5),
        warm(2.0),
        (format!("top-k of {top_k}"), Sampling { top_k, ..plain.clone() }),
        (format!("top-p of {top_p}"), Sampling { top_p, ..plain.clone() }),
    ]
}

/// The logits of what may follow a beginning.
fn logits(said: &str) -> Vec<f64> {
    let mut language = Language::new(I_AM_FINE);
    language.said = vec![said.to_string()];
    language.next_logits(&[0], &[START]).as_slice().to_vec()
}

/// The probabilities of the first word, before and after.
fn the_next_word() {
    let language = Language::new(I_AM_FINE);
    let first = language.after("");
    let mut frames = Vec::new();
    for (name, sampling) in settings(START, END) {
        let p = sampling.probabilities(&logits("")).expect("finite logits");
        let of = |word: &str| p[language.id(word)];
        let each = first.iter().map(|(word, _)| (word.to_string(), of(word)));
        let each: Vec<_> = each.collect();
        let figure = Bars::new(
            &format!("The first word, {name}"),
            &format!("The probabilities are: {}.", listed(&each)),
        );
        let figure = figure.heading(&name).full(0.6).decimals(3);
        let bar =
            |figure: Bars, (word, p): &(String, f64)| figure.bar(word, *p);
        frames.push(each.iter().fold(figure, bar).draw());
    }
    plot::save_frames("search-sampling", &frames);
}

/// A sentence is rare if its probability is below this.
const RARE: f64 = 0.03;

/// How often each of two sentences is drawn.
fn a_thousand_draws() {
    println!("\n== A thousand draws");
    println!("                   different  Mir geht es gut   Gut  rare");
    let language = Language::new(I_AM_FINE);
    for (name, sampling) in settings(START, END) {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut counts = BTreeMap::<String, usize>::new();
        for _ in 0..1000 {
            let mut model = Language::new(I_AM_FINE);
            let drawn = sample(&mut model, 10, &sampling, rng).expect(FINITE);
            *counts.entry(language.sentence(&drawn)).or_default() += 1;
        }
        let of = |said: &str| counts.get(said).copied().unwrap_or(0);
        let rare = counts.iter().filter(|(said, _)| {
            language.probability(&joined(said, "<end>")) < RARE
        });
        println!(
            "{name:17} {:10} {:16} {:5} {:5}",
            counts.len(),
            of("Mir geht es gut"),
            of("Gut"),
            rare.map(|(_, count)| count).sum::<usize>()
        );
    }
    println!("\n== Rare");
    println!("rare below = {RARE}");
}

/// Translations of a caption, drawn from the translator of this book.
fn drawn_translations() {
    let caption = "a woman in a red coat is reading a book .";
    println!("\n== The caption");
    println!("caption = {caption}");
    let Translator { model, tokenizer, .. } = Translator::captions();
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    let (sources, rng) = (
        [tokenizer.encode_source(caption)],
        &mut ChaCha8Rng::seed_from_u64(2),
    );
    let found = model.search(&sources, &Beam::paper(bos, eos));
    let found = best_of(found.expect(FINITE)).tokens;
    println!("\n== Twenty translations");
    println!("                   different   that of the beam");
    let mut all = Vec::new();
    for (name, sampling) in settings(bos, eos) {
        let mut draw = || {
            let mut cache = Cache::new(&model, &sources);
            sample(&mut cache, 20, &sampling, rng).expect(FINITE)
        };
        let drawn: Vec<_> = (0..20).map(|_| draw()).collect();
        let different = BTreeSet::from_iter(&drawn).len();
        let same = drawn.iter().filter(|drawn| **drawn == found).count();
        println!("{name:17} {different:10} {same:19}");
        all.push(drawn);
    }
    let [as_it_says, _, hot, ..] = &all[..] else { unreachable!() };
    println!("\n== Some as the model says");
    let others = as_it_says.iter().filter(|drawn| **drawn != found);
    for drawn in others.take(4) {
        println!("{}", tokenizer.decode(drawn));
    }
    println!("\n== One of the hot ones");
    println!("it begins = {}", tokenizer.decode(&hot[0][..5]));
}

/// ln P(Y | X), from one pass over the whole sentence.
fn log_probability(model: &Transformer<Matrix>, tokens: &[Token]) -> f64 {
    let fed = [&[START], tokens].concat();
    let said = [tokens, &[END]].concat();
    let logits = model.forward(&[SOURCE.to_vec()], &[fed]).transpose();
    let columns = logits.column_iter().zip(said);
    columns
        .map(|(z, token)| z[token as usize] - log_sum_exp(z.as_slice()))
        .sum()
}

/// A beam search that may have two faults.
#[derive(Clone, Copy)]
struct Careless {
    logarithms: bool,
    keeps: bool,
}

/// The place of a parent, the tokens with the start, and their sum.
type Summed = (usize, Vec<Token>, f64);

impl Careless {
    /// A beam of four, by adding up and sorting everything. Without a fault
    /// it finds what the crate's search finds.
    fn search(self, model: &mut impl LanguageModel<f64>) -> Vec<Token> {
        let mut live: Vec<Summed> = vec![(0, vec![START], 0.0)];
        let mut finished: Vec<Summed> = Vec::new();
        while !live.is_empty() {
            let mut all = self.continued(&live, model);
            all.sort_by(|a, b| b.2.total_cmp(&a.2));
            all.truncate(4);
            let ended = |said: &Summed| said.1.ends_with(&[END]);
            let (done, on): (Vec<_>, Vec<_>) =
                all.into_iter().partition(ended);
            if self.keeps || on.is_empty() {
                finished.extend(done);
            }
            live = on;
        }
        finished.sort_by(|a, b| b.2.total_cmp(&a.2));
        let best = finished.swap_remove(0).1;
        best[1..best.len() - 1].to_vec()
    }

    /// Every hypothesis with every token, at the limit with the end only.
    fn continued(
        self,
        live: &[Summed],
        model: &mut impl LanguageModel<f64>,
    ) -> Vec<Summed> {
        let parents: Vec<usize> = live.iter().map(|said| said.0).collect();
        let last = |said: &Summed| said.1[said.1.len() - 1];
        let lasts: Vec<Token> = live.iter().map(last).collect();
        let logits = model.next_logits(&parents, &lasts);
        let mut all = Vec::new();
        for (i, (_, said, sum)) in live.iter().enumerate() {
            let logits = logits.column(i);
            let total = log_sum_exp(logits.as_slice());
            let total = if self.logarithms { total } else { 0.0 };
            for (token, logit) in (0..).zip(logits) {
                if said.len() > LIMIT && token != END {
                    continue;
                }
                let said = [&said[..], &[token]].concat();
                all.push((i, said, sum + logit - total));
            }
        }
        all
    }
}

fn raw_and_dropped() {
    println!("\n== Sums of logits, and what is dropped");
    println!("sums of        the finished   mean ln P   words");
    for (logarithms, keeps) in
        [(true, true), (true, false), (false, true), (false, false)]
    {
        let careless = Careless { logarithms, keeps };
        let found: Vec<_> = (0..100)
            .map(|seed| {
                let model = random(seed);
                let mut cache = Cache::new(&model, &[SOURCE.to_vec()]);
                let tokens = careless.search(&mut cache);
                let right = answer(&model, &wide(4, 0.0)).tokens;
                assert!(tokens == right || !logarithms || !keeps);
                (log_probability(&model, &tokens), tokens.len() as f64)
            })
            .collect();
        println!(
            "{:14} {:12} {:11.2} {:7.1}",
            if logarithms { "logarithms" } else { "logits" },
            if keeps { "are kept" } else { "are dropped" },
            mean(found.iter().map(|found| found.0)),
            mean(found.iter().map(|found| found.1))
        );
    }
}

/// Every hypothesis goes on from the past of the one in its place.
struct Forgetful<'a>(Cache<'a, Matrix>, usize);

impl LanguageModel<f64> for Forgetful<'_> {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        let last = self.1 - 1;
        self.1 = parents.len();
        let wrong: Vec<usize> =
            (0..parents.len()).map(|i| i.min(last)).collect();
        self.0.next_logits(&wrong, tokens)
    }
}

fn out_of_order() {
    let beam = wide(4, 0.6);
    let (mut differ, mut gaps) = (0, Vec::new());
    for seed in 0..100 {
        let model = random(seed);
        let right = answer(&model, &beam);
        let cache = Cache::new(&model, &[SOURCE.to_vec()]);
        let mut forgetful = Forgetful(cache, 1);
        let found = search(&mut forgetful, &[LIMIT], &beam);
        let found = best_of(found.expect(FINITE));
        let Hypothesis { tokens, log_probability: claim, .. } = &found;
        let gap = (claim - log_probability(&model, tokens)).abs();
        differ += usize::from(*tokens != right.tokens);
        gaps.push(gap);
    }
    gaps.retain(|gap| *gap > 1e-9);
    println!("\n== The past of another");
    println!("other sentences = {differ}");
    println!("wrong sums = {}", gaps.len());
    println!("off by = {:.2}", mean(gaps.into_iter()));
}

/// A language in which a beam of two finds less than greedy.
fn wider_and_worse() {
    println!("\n== Wider and worse");
    println!("width  found   probability");
    for width in [1, 2, 3] {
        let mut language = Language::new(SCATTERED);
        let found = find(&mut language, &wide(width, 0.0));
        let p = found.log_probability.exp();
        println!("{width:5}  {:7} {p:.4}", language.sentence(&found.tokens));
    }
}
