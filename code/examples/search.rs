//! Greedy, beam and cache: `cargo run --example search`

use all_you_need::costs::{Bill, Shape};
use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::loss::log_sum_exp;
use all_you_need::search::{
    Beam, Cache, Hypothesis, LanguageModel, length_penalty, search,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use plot::print::grouped;
use plot::{Chart, Diagram, Figure, Hue, Side};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    two_at_a_time();
    logarithms();
    short_or_long();
    words_of_four_fifths();
    the_wider_the_shorter();
    what_the_cache_saves();
    several_sentences();
    wider_and_worse();
    raw_and_dropped();
    out_of_order();
}

const START: Token = 0;
const END: Token = 1;

/// After each beginning, the words that may come next.
type Table = [(&'static str, &'static [(&'static str, f64)])];

/// A language by hand. After a beginning that is not in the table comes the
/// end.
struct Language {
    table: &'static Table,
    words: Vec<&'static str>,
    /// What each hypothesis has said.
    said: Vec<String>,
    /// The same, for every step of the search.
    steps: Vec<Vec<String>>,
}

const I_AM_FINE: &Table = &[
    ("", &[("Ich", 0.6), ("Mir", 0.4)]),
    ("Ich", &[("fühle", 0.35), ("bin", 0.33), ("habe", 0.32)]),
    ("Mir", &[("geht", 0.9), ("ist", 0.05), ("wird", 0.05)]),
    ("Ich fühle", &[("mich", 0.9), ("nichts", 0.1)]),
    ("Mir geht", &[("es", 0.9), ("nichts", 0.1)]),
    ("Ich fühle mich", &[("gut", 0.7), ("wohl", 0.3)]),
    ("Mir geht es", &[("gut", 0.9), ("schlecht", 0.1)]),
];

const GUT: &Table = &[
    ("", &[("Mir", 0.6), ("Gut", 0.4)]),
    ("Gut", &[("<end>", 0.9), ("so", 0.1)]),
    ("Mir", &[("geht", 0.8), ("ist", 0.2)]),
    ("Mir geht", &[("es", 0.9), ("das", 0.1)]),
    ("Mir geht es", &[("gut", 0.9), ("schlecht", 0.1)]),
    ("Mir geht es gut", &[("<end>", 0.9), ("heute", 0.1)]),
];

/// Two ways on from b look better than a's best, and then scatter.
const SCATTERED: &Table = &[
    ("", &[("a", 0.55), ("b", 0.45)]),
    ("a", &[("v", 0.4), ("w", 0.2), ("x", 0.2), ("y", 0.2)]),
    ("b", &[("v", 0.5), ("w", 0.5)]),
    ("b v", &[("v", 0.25), ("w", 0.25), ("x", 0.25), ("y", 0.25)]),
    ("b w", &[("v", 0.25), ("w", 0.25), ("x", 0.25), ("y", 0.25)]),
];

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

const FINITE: &str = "scores that are numbers";

/// The best sentence that was found for the first source.
fn best_of(mut found: Vec<Vec<Hypothesis>>) -> Hypothesis {
    found.swap_remove(0).swap_remove(0)
}

/// The best sentence of a language by hand.
fn find(language: &mut Language, beam: &Beam) -> Hypothesis {
    best_of(search(language, &[10], beam).expect(FINITE))
}

/// *I am fine* by hand: greedy, and two at a time.
fn two_at_a_time() {
    println!("== A beam of two");
    let mut language = Language::new(I_AM_FINE);
    let found = find(&mut language, &wide(2, 0.0));
    for said in &language.steps[1..] {
        let each = said.iter().map(|said| {
            let p = language.probability(said);
            format!("{:26}", format!("{said} {p:.3}"))
        });
        println!("{}", each.collect::<String>().trim_end());
    }
    let mut other = Language::new(I_AM_FINE);
    let greedy = find(&mut other, &wide(1, 0.0));
    println!("\n== Greedy and two");
    let digits = 30.0 * 37_000f64.log10();
    println!("digits in 37,000 to the 30 = {:.0}", digits.ceil());
    println!("greedy finds = {}", language.sentence(&greedy.tokens));
    println!("its probability = {:.3}", greedy.log_probability.exp());
    println!("two find = {}", language.sentence(&found.tokens));
    println!("the probability of that = {:.3}", found.log_probability.exp());
    let frames = (0..language.steps.len()).map(|step| frame(&language, step));
    plot::save_frames("search-beam", &frames.collect::<Vec<_>>());
}

/// One step: at the left what is kept, at the right what it may become.
fn frame(language: &Language, step: usize) -> Figure {
    let live = &language.steps[step];
    let kept = language.steps.get(step + 1);
    let title = format!("A beam of two, step {}", step + 1);
    let mut figure =
        Diagram::new(&title, &describe(language, step), 27.5, 13.4);
    let rows: usize =
        live.iter().map(|said| language.after(said).len()).sum();
    let mut y = 6.7 - 1.1 * (rows as f64 - 1.0);
    for said in live {
        let next = language.after(said);
        let middle = y + 1.1 * (next.len() as f64 - 1.0);
        let text = if said.is_empty() { "<start>" } else { said };
        let left = figure.block((4.3, middle), (8.0, 1.6), text, Hue::Green);
        for (word, p) in next {
            let all = joined(said, word);
            let hue = match kept {
                Some(kept) if kept.contains(&all) => Hue::Green,
                _ if *word == "<end>" => Hue::Purple,
                _ => Hue::Rule,
            };
            let right = figure.block((15.8, y), (5.0, 1.6), word, hue);
            figure.arrow(&[left.right(), right.left()], hue);
            let before = language.probability(said);
            let text = match before {
                1.0 => format!("{p}"),
                _ => format!("{before:.3} · {p} = {:.3}", before * p),
            };
            figure.note(right.right(), Side::Right, &text);
            y += 2.2;
        }
    }
    figure.draw()
}

/// A frame in words.
fn describe(language: &Language, step: usize) -> String {
    let mut text = String::new();
    for said in &language.steps[step] {
        for (word, _) in language.after(said) {
            let all = joined(said, word);
            let p = language.probability(&all);
            text += &format!("{all}: {p:.3}. ");
        }
    }
    match language.steps.get(step + 1) {
        Some(kept) => text + "Kept: " + &kept.join(", ") + ".",
        None => text + "Both have ended.",
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
    let scores = [0.0, -800.0];
    let careless = softmax(&scores)[1].ln();
    assert_eq!(careless, f64::NEG_INFINITY);
    println!("ln of softmax = −∞");
    println!("log-softmax = −{}", log_sum_exp(&scores) - scores[1]);
}

/// *Gut* against *Mir geht es gut*.
fn short_or_long() {
    println!("\n== Gut, or Mir geht es gut");
    println!("                  P   α = 0  α = 0.6  α = 1");
    let language = Language::new(GUT);
    for said in ["Gut <end>", "Mir geht es gut <end>"] {
        let length = said.split_whitespace().count();
        let p = language.probability(said);
        let [none, some, full] = [0.0, 0.6, 1.0]
            .map(|alpha| p.ln() / length_penalty(length, alpha));
        let words = said.trim_end_matches(" <end>");
        println!("{words:15} {p:.3} {none:6.3} {some:7.3} {full:7.3}");
    }
    println!();
    for alpha in [0.0, 0.6, 1.0] {
        let mut language = Language::new(GUT);
        let found = find(&mut language, &wide(4, alpha));
        let sentence = language.sentence(&found.tokens);
        println!("found with α = {alpha:<3}  {sentence}");
    }
    println!("\n== Penalties at 0.6");
    println!("lp(2) = {:.3}", length_penalty(2, 0.6));
    println!("lp(5) = {:.3}", length_penalty(5, 0.6));
    println!("lp(10) = {:.3}", length_penalty(10, 0.6));
}

/// The score of sentences whose every word has probability 0.8.
fn words_of_four_fifths() {
    let score =
        |n: usize, alpha| n as f64 * 0.8f64.ln() / length_penalty(n, alpha);
    println!("\n== Words of four fifths");
    println!("words        P   α = 0  α = 0.6   α = 1");
    for n in [1, 5, 10, 20, 40] {
        let p = 0.8f64.powi(n as i32);
        let [none, some, full] = [0.0, 0.6, 1.0].map(|alpha| score(n, alpha));
        println!("{n:5} {p:8.4} {none:7.2} {some:8.2} {full:7.2}");
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

/// Wider beams over a hundred random models.
fn the_wider_the_shorter() {
    let models: Vec<_> = (0..100).map(random).collect();
    let alphas = [0.0, 0.6, 1.0];
    let mut lines = [const { Vec::new() }; 3];
    let (mut before, mut compared, mut worse) = (Vec::new(), 0, 0);
    println!("\n== The wider, the shorter");
    println!("        α = 0           α = 0.6   α = 1");
    println!("width   ln P   words    words     words");
    for width in [1, 2, 4, 8, 16] {
        let found = alphas.map(|alpha| {
            let beam = wide(width, alpha);
            let answers = models.iter().map(|model| answer(model, &beam));
            answers.collect::<Vec<_>>()
        });
        let log = mean(found[0].iter().map(|found| found.log_probability));
        let words = found.each_ref().map(|all| mean(all.iter().map(length)));
        let [none, some, full] = words;
        println!("{width:5} {log:6.2} {none:7.1} {some:8.1} {full:9.1}");
        for (line, words) in lines.iter_mut().zip(words) {
            line.push((width as f64, words));
        }
        let now: Vec<f64> = found.iter().flatten().map(|h| h.score).collect();
        let pairs = before.iter().zip(&now);
        compared += pairs.len();
        worse += pairs.filter(|(a, b)| **b < **a - 1e-9).count();
        before = now;
    }
    println!("\n== Not always");
    println!("compared with half the width = {compared}");
    println!("worse than with half the width = {worse}");
    draw_lengths(lines);
}

fn length(found: &Hypothesis) -> f64 {
    found.tokens.len() as f64
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

fn draw_lengths([none, some, full]: [Vec<(f64, f64)>; 3]) {
    let widest = none.len() - 1;
    let figure = Chart::new(
        "The wider, the shorter",
        &format!(
            "The mean number of words found in random models, for beams up to \
             {} wide. All three lines begin at {:.1} words. At the widest beam \
             {:.1} are left without a penalty, {:.1} with a mild one, and {:.1} \
             with a full one.",
            none[widest].0,
            none[0].1,
            none[widest].1,
            some[widest].1,
            full[widest].1
        ),
    )
    .log_x()
    .x("width of the beam")
    .y("words")
    .line("α = 0", none)
    .line("α = 0.6", some)
    .line("α = 1", full);
    plot::save("search-width", &figure.draw());
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
    let mut lines = [const { Vec::new() }; 2];
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
        }
        for (line, cost) in lines.iter_mut().zip([plain, cached]) {
            line.push((n as f64, cost as f64 / 1e9));
        }
    }
    draw_cost(lines);
    println!("\n== One pass, and what is kept");
    let z = model.decode(&[vec![0; 30]], &memory);
    let _ = model.logits(&z.gather(&[29]));
    println!("one pass over thirty = {:.0}", since() as f64 / 1e6);
    let Config { layers, heads, d_k, d_v, .. } = Config::base();
    println!("numbers for each word = {}", layers * heads * (d_k + d_v));
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

/// Counts the hypotheses of every step.
struct Counted<'a>(Cache<'a, Matrix>, Vec<String>);

impl LanguageModel<f64> for Counted<'_> {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        self.1.push(tokens.len().to_string());
        self.0.next_logits(parents, tokens)
    }
}

/// Three sources in one batch.
fn several_sentences() {
    let model = random(14);
    let sources = [vec![2, 3, 4, 5, 6, 7], vec![8], vec![9, 10, 11]];
    let limits = sources.each_ref().map(|source| source.len() + 10);
    let beam = Beam::paper(START, END);
    let mut counted = Counted(Cache::new(&model, &sources), Vec::new());
    let found = search(&mut counted, &limits, &beam).expect(FINITE);
    println!("\n== Three sentences at once");
    println!("source   limit   found   ln P   score");
    for ((source, limit), found) in sources.iter().zip(limits).zip(found) {
        let Hypothesis { tokens, log_probability, score } = &found[0];
        println!(
            "{:6} {limit:7} {:7} {log_probability:6.2} {score:7.2}",
            source.len(),
            tokens.len()
        );
    }
    println!("\nhypotheses at each step: {}", counted.1.join(", "));
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

/// ln P(Y | X), from one pass over the whole sentence.
fn log_probability(model: &Transformer<Matrix>, tokens: &[Token]) -> f64 {
    let fed = [&[START], tokens].concat();
    let said = [tokens, &[END]].concat();
    let scores = model.forward(&[SOURCE.to_vec()], &[fed]).transpose();
    let columns = scores.column_iter().zip(said);
    columns
        .map(|(s, token)| s[token as usize] - log_sum_exp(s.as_slice()))
        .sum()
}

/// What a published notebook does, and may be told not to do.
#[derive(Clone, Copy)]
struct Notebook {
    logarithms: bool,
    keeps: bool,
}

type Scored = (usize, Vec<Token>, f64);

impl Notebook {
    /// A beam of four, by adding up and sorting everything.
    fn search(self, model: &mut impl LanguageModel<f64>) -> Vec<Token> {
        let mut live: Vec<Scored> = vec![(0, vec![START], 0.0)];
        let mut finished: Vec<Scored> = Vec::new();
        while !live.is_empty() && live[0].1.len() <= LIMIT + 1 {
            let mut all = self.continued(&live, model);
            all.sort_by(|a, b| b.2.total_cmp(&a.2));
            all.truncate(4);
            let ended = |said: &Scored| said.1.ends_with(&[END]);
            let (done, on): (Vec<_>, Vec<_>) =
                all.into_iter().partition(ended);
            if self.keeps || on.is_empty() {
                finished.extend(done);
            }
            live = on;
        }
        finished.extend(live);
        finished.sort_by(|a, b| b.2.total_cmp(&a.2));
        let best = finished.swap_remove(0).1;
        best.into_iter().filter(|&t| t != START && t != END).collect()
    }

    fn continued(
        self,
        live: &[Scored],
        model: &mut impl LanguageModel<f64>,
    ) -> Vec<Scored> {
        let parents: Vec<usize> = live.iter().map(|said| said.0).collect();
        let last = |said: &Scored| said.1[said.1.len() - 1];
        let lasts: Vec<Token> = live.iter().map(last).collect();
        let scores = model.next_logits(&parents, &lasts);
        let mut all = Vec::new();
        for (i, (_, said, sum)) in live.iter().enumerate() {
            let scores = scores.column(i);
            let total = log_sum_exp(scores.as_slice());
            let total = if self.logarithms { total } else { 0.0 };
            for (token, score) in (0..).zip(scores) {
                let said = [&said[..], &[token]].concat();
                all.push((i, said, sum + score - total));
            }
        }
        all
    }
}

fn raw_and_dropped() {
    println!("\n== Raw scores, and what is dropped");
    println!("sums of        the finished   mean ln P   words");
    for (logarithms, keeps) in
        [(true, true), (true, false), (false, true), (false, false)]
    {
        let notebook = Notebook { logarithms, keeps };
        let found: Vec<_> = (0..100)
            .map(|seed| {
                let model = random(seed);
                let mut cache = Cache::new(&model, &[SOURCE.to_vec()]);
                let tokens = notebook.search(&mut cache);
                (log_probability(&model, &tokens), tokens.len() as f64)
            })
            .collect();
        println!(
            "{:14} {:12} {:11.2} {:7.1}",
            if logarithms { "logarithms" } else { "raw scores" },
            if keeps { "are kept" } else { "are dropped" },
            mean(found.iter().map(|found| found.0)),
            mean(found.iter().map(|found| found.1))
        );
    }
}

/// Every survivor goes on from the block that lies in its place.
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
    println!("\n== Blocks left where they are");
    println!("other sentences = {differ}");
    println!("wrong sums = {}", gaps.len());
    println!("off by = {:.2}", mean(gaps.into_iter()));
}
