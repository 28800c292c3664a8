//! How good a translation is: `cargo run --example bleu`

use all_you_need::bleu::{Bleu, Counts, Tokenize, bleu, signature};
use all_you_need::tokens::{Bpe, characters, words};
use print::log::number;
use print::{section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

fn main() {
    by_hand();
    two_sentences();
    salad();
    one_point();
    right_and_wrong();
    six_scores();
    in_five_sizes();
    a_hundred_tests();
    three_trainings();
    by_letters();
    sentence_by_sentence();
    letters_for_words();
}

pub const SAID: &str = "the cat jumped over a fence";
pub const WANTED: &str = "the cat jumped over the fence";

/// How many n-grams of a hypothesis are in its reference, none more often
/// than there, and how many there are.
fn matches<T: Eq>(said: &[T], wanted: &[T], n: usize) -> [f64; 2] {
    let mut left: Vec<_> = wanted.windows(n).collect();
    let found = said.windows(n).filter(|n_gram| {
        let place = left.iter().position(|other| other == n_gram);
        place.map(|place| left.swap_remove(place)).is_some()
    });
    [found.count() as f64, said.windows(n).count() as f64]
}

/// BLEU of a test: of all hypotheses with their references.
fn plain_bleu(test: &[(&str, &str)]) -> f64 {
    let (mut sums, mut c, mut r) = ([[0.0; 2]; 4], 0.0, 0.0);
    for (said, wanted) in test {
        let said: Vec<&str> = said.split(' ').collect();
        let wanted: Vec<&str> = wanted.split(' ').collect();
        for (sum, n) in sums.iter_mut().zip(1..) {
            let [matches, all] = matches(&said, &wanted, n);
            *sum = [sum[0] + matches, sum[1] + all];
        }
        (c, r) = (c + said.len() as f64, r + wanted.len() as f64);
    }
    let brevity = if c < r { (1.0 - r / c).exp() } else { 1.0 };
    let product: f64 =
        sums.iter().map(|[matches, all]| matches / all).product();
    100.0 * brevity * product.powf(0.25)
}

/// What the crate counts of two sentences with spaces between their tokens.
fn counts(said: &str, wanted: &str) -> Counts {
    Counts::of(&words(said), &words(wanted))
}

/// So many of so many.
fn part(counts: &Counts, i: usize) -> String {
    format!("{}/{}", counts.matches[i], counts.totals[i])
}

fn by_hand() {
    section("n-grams");
    let row = |said: &str| {
        let counts = counts(said, WANTED);
        let [one, two, three, four] = [0, 1, 2, 3].map(|i| part(&counts, i));
        [said.to_string(), one, two, three, four]
    };
    let all =
        [SAID, "fence the over jumped cat the", "the the the the the the"];
    table(["n", "1", "2", "3", "4"], all.map(row));
    section("The first sentence alone");
    let found = counts(SAID, WANTED).bleu();
    let product: f64 = found.precisions.iter().map(|p| p / 100.0).product();
    value("product of the four", format!("{product:.3}"));
    value("BLEU of the first", format!("{:.1}", found.score));
    let smoothed = counts(all[1], WANTED).bleu().score;
    value("with smoothing", format!("{smoothed:.1}"));
}

fn two_sentences() {
    let pairs = [(SAID, WANTED), ("I am fine", "I am fine and so are you")];
    let each = pairs.map(|(said, wanted)| counts(said, wanted));
    let both: Counts = each.into_iter().sum();
    let found = both.bleu();
    assert!((found.score - plain_bleu(&pairs)).abs() < 1e-12);
    section("Two sentences");
    let row = |i: usize| {
        let [cat, fine] = each.map(|counts| part(&counts, i));
        let p = format!("{:.1}", found.precisions[i]);
        [(i + 1).to_string(), cat, fine, part(&both, i), p]
    };
    let rows = [0, 1, 2, 3].map(row);
    table(["n", "the cat", "I am fine", "both", "per cent"], rows);
    section("One line");
    println!("{}", folded(&found));
    section("Its parts");
    value("BP", format!("{:.3}", found.brevity_penalty));
    value("score", format!("{:.2}", found.score));
}

/// The line of a score, in two: it is longer than a page is wide.
fn folded(bleu: &Bleu) -> String {
    bleu.to_string().replace(" (", "\n(")
}

/// A word of a made-up language.
fn word(rng: &mut ChaCha8Rng) -> String {
    let syllables = rng.random_range(1..=4);
    let letters = |_| {
        let first = b"bdfgklmnprst"[rng.random_range(0..12)];
        let second = b"aeiou"[rng.random_range(0..5)];
        [char::from(first), char::from(second)]
    };
    (0..syllables).flat_map(letters).collect()
}

/// A sentence of five to twenty words.
fn sentence(rng: &mut ChaCha8Rng) -> Vec<String> {
    (0..rng.random_range(5..=20)).map(|_| word(rng)).collect()
}

/// The sentence with this part of its words exchanged for others.
fn worse(wanted: &[String], part: f64, rng: &mut ChaCha8Rng) -> Vec<String> {
    let say = |wanted: &String| match rng.random::<f64>() < part {
        true => word(rng),
        false => wanted.clone(),
    };
    wanted.iter().map(say).collect()
}

/// A hypothesis and its reference.
type Pair = (Vec<String>, Vec<String>);

/// Sentences, each with the same part of its words wrong.
fn even(n: usize, part: f64, rng: &mut ChaCha8Rng) -> Vec<Pair> {
    let pair = |_| {
        let wanted = sentence(rng);
        (worse(&wanted, part, rng), wanted)
    };
    (0..n).map(pair).collect()
}

/// Sentences, some of them easy and some of them hard: every tenth word is
/// wrong, or every second, or anything in between.
fn uneven(n: usize, rng: &mut ChaCha8Rng) -> Vec<Pair> {
    let pair = |_| {
        let (wanted, part) = (sentence(rng), rng.random_range(0.1..0.5));
        (worse(&wanted, part, rng), wanted)
    };
    (0..n).map(pair).collect()
}

fn all(pairs: &[Pair]) -> Counts {
    pairs.iter().map(|(said, wanted)| Counts::of(said, wanted)).sum()
}

/// The right words in any order.
fn salad() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let shuffled = |_| {
        let wanted = sentence(rng);
        let mut said = wanted.clone();
        for i in (1..said.len()).rev() {
            said.swap(i, rng.random_range(0..=i));
        }
        (said, wanted)
    };
    let pairs: Vec<Pair> = (0..200).map(shuffled).collect();
    let found = all(&pairs).bleu();
    let sum: f64 = found.precisions.iter().sum();
    section("Salad");
    for (i, p) in found.precisions.iter().enumerate() {
        value(&format!("salad, {}", i + 1), format!("{p:.1}"));
    }
    value("salad, plain mean", format!("{:.1}", sum / 4.0));
    value("salad", format!("{:.1}", found.score));
}

/// BLEU if so many of a hundred words are wrong, by the formula.
pub fn law(wrong: f64) -> f64 {
    100.0 * (1.0 - wrong / 100.0).powf(2.5)
}

/// The part of wrong words at which a score is reached, by the formula.
fn wrong_at(score: f64) -> f64 {
    1.0 - (score / 100.0).powf(0.4)
}

/// BLEU against the number of wrong words in a hundred, measured.
pub fn measured() -> Vec<(f64, f64)> {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let point = |i| {
        let pairs = even(400, f64::from(i) / 20.0, rng);
        (5.0 * f64::from(i), all(&pairs).bleu().score)
    };
    (0..=16).map(point).collect()
}

fn one_point() {
    let off = |&(wrong, score): &(f64, f64)| (law(wrong) - score).abs();
    let off = measured().iter().map(off).fold(0.0, f64::max);
    section("One point");
    value("farthest from the formula", format!("{off:.1}"));
    value("one in ten wrong", format!("{:.0}", law(10.0)));
    value("wrong at 41", format!("{:.0}", 100.0 * wrong_at(41.0)));
    let step = wrong_at(41.0) - wrong_at(42.0);
    value("words for a point at 41", format!("{:.0}", 1.0 / step));
}

/// Right in other words, and wrong in the same.
fn right_and_wrong() {
    section("Right and wrong");
    let wanted = "you must not open the red door before noon on monday";
    for said in [
        "you must now open the red door before noon on monday",
        "on monday the red door has to stay shut until twelve",
    ] {
        println!("{said:54} {:5.1}", counts(said, wanted).bleu().score);
    }
}

/// Translations, and what a person wrote.
const TRANSLATIONS: [(&str, &str); 12] = [
    (
        "The ferry to Lindau departs at 7.45, not at 8.",
        "The ferry to Lindau leaves at 7.45, not at 8.",
    ),
    (
        r#""Nobody asked me", she said."#,
        r#""Nobody has asked me," she said."#,
    ),
    (
        "The tickets cost 12.50 euros (children 6.00).",
        "Tickets cost 12.50 euros (children: 6.00).",
    ),
    (
        "It rained the whole night, the well-known bridge is closed.",
        "It rained all night; the well-known bridge is closed.",
    ),
    ("Who has left the window open?", "Who left the window open?"),
    (
        "The dog of my neighbour barks at the moon.",
        "My neighbour's dog barks at the moon.",
    ),
    (
        "please do not feed the long-haired goats!",
        "Please don't feed the long-haired goats!",
    ),
    (
        "In 1903 about 1,200 people lived here.",
        "In 1903, about 1,200 people lived here.",
    ),
    (
        "He sold house, boat and the half-finished barn.",
        "He sold the house, the boat and the half-finished barn.",
    ),
    ("The museum is closed on Monday.", "On Monday the museum is closed."),
    (
        "She would have preferred to stay at home.",
        "She would rather have stayed at home.",
    ),
    (
        "The rest of the money (80%) went to the school.",
        "The rest of the money (80%) went to the school.",
    ),
];

/// The same translations, cut into tokens in six ways.
fn six_scores() {
    section("One of them");
    for tokenizer in [Tokenize::None, Tokenize::V13a] {
        let tokens = tokenizer.tokens("at 7.45, not at 8.");
        println!("{:5} {}", tokenizer.to_string(), tokens.join(" | "));
    }
    let (said, wanted) = TRANSLATIONS.iter().copied().unzip();
    let (said, wanted): (Vec<_>, Vec<_>) = (said, wanted);
    section("Signed");
    println!("{}", signature(Tokenize::V13a, 1));
    println!("{}", folded(&bleu(&said, &wanted, Tokenize::V13a)));
    section("Six scores");
    println!("                    score    p₁    p₄");
    let learned = Bpe::train(&wanted.join("\n"), 100);
    let v13a = |text: &str| Tokenize::V13a.tokens(text);
    let lowest = report("none", |text| Tokenize::None.tokens(text));
    let whole = report("13a", v13a);
    let lower = report("13a, lower case", |text| v13a(&text.to_lowercase()));
    let split = |text: &str| v13a(&text.replace('-', " - "));
    report("13a, hyphens split", split);
    report("byte pairs", |text| {
        learned.encode(text).iter().map(ToString::to_string).collect()
    });
    let highest = report("characters", characters);
    section("Six scores compared");
    value("lowest", format!("{:.1}", lowest.score));
    value("highest", format!("{:.1}", highest.score));
    value("whole", format!("{:.1}", whole.score));
    value("lower case", format!("{:.1}", lower.score));
}

fn report(name: &str, tokens: impl Fn(&str) -> Vec<String>) -> Bleu {
    let pairs =
        TRANSLATIONS.map(|(said, wanted)| (tokens(said), tokens(wanted)));
    let found = all(&pairs).bleu();
    let ([first, .., last], score) = (found.precisions, found.score);
    println!("{name:18} {score:6.1} {first:5.1} {last:5.1}");
    found
}

/// What so many resamples of a test score, from the least to the best.
fn resampled(
    counts: &[Counts],
    times: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let mut draw = || counts[rng.random_range(0..counts.len())];
    let resample = |_| {
        let drawn: Counts = counts.iter().map(|_| draw()).sum();
        drawn.bleu().score
    };
    let mut scores: Vec<f64> = (0..times).map(resample).collect();
    scores.sort_by(f64::total_cmp);
    scores
}

/// What is counted of each sentence of a new test.
fn test(n: usize, rng: &mut ChaCha8Rng) -> Vec<Counts> {
    let pairs = uneven(n, rng);
    pairs.iter().map(|(said, wanted)| Counts::of(said, wanted)).collect()
}

/// The score of a test without end. pₙ is the mean of (1 − w)ⁿ, for w from
/// 0.1 to 0.5.
pub fn without_end() -> f64 {
    let precision = |n: i32| {
        let integral = |x: f64| x.powi(n + 1) / f64::from(n + 1);
        (integral(0.9) - integral(0.5)) / 0.4
    };
    100.0 * (1..=4).map(precision).product::<f64>().powf(0.25)
}

/// The score of a test in five sizes, each with both ends of its interval.
pub fn sizes() -> Vec<(usize, [f64; 3])> {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let all = test(2000, rng);
    let size = |n: usize| {
        let score = all[..n].iter().copied().sum::<Counts>().bleu().score;
        let scores = resampled(&all[..n], 1000, rng);
        (n, [score, scores[25], scores[974]])
    };
    [125, 250, 500, 1000, 2000].into_iter().map(size).collect()
}

fn in_five_sizes() {
    section("A thousand resamples");
    let rows = sizes().into_iter().map(|(n, [score, from, to])| {
        let [score, from, to, width] =
            [score, from, to, to - from].map(|x| format!("{x:.1}"));
        [n.to_string(), score, from, to, width]
    });
    table(["sentences", "score", "from", "to", "width"], rows);
}

/// How many of a hundred tests have the score of an endless one between the
/// sixth and the last but five of two hundred resamples.
fn a_hundred_tests() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let endless = without_end();
    let holds = |_: &i32| {
        let scores = resampled(&test(150, rng), 200, rng);
        scores[5] <= endless && endless <= scores[194]
    };
    let held = (0..100).filter(holds).count();
    section("A hundred tests");
    value("without end", format!("{endless:.1}"));
    value("intervals that hold it", held);
}

/// What was counted of each sentence of test2017, as three trainings of the
/// translator have translated it.
const LOGS: [&str; 3] = [
    include_str!("../../src/logs/translation-sentences-1-test2017.tsv"),
    include_str!("../../src/logs/translation-sentences-2-test2017.tsv"),
    include_str!("../../src/logs/translation-sentences-3-test2017.tsv"),
];

/// The sentences of a log, which has no line with names.
fn sentences(log: &str) -> Vec<Counts> {
    let sentence = |line: &str| {
        let cells: Vec<usize> = line.split('\t').map(number).collect();
        let four = |from: usize| std::array::from_fn(|i| cells[from + i]);
        Counts {
            matches: four(0),
            totals: four(4),
            reference_length: cells[8],
        }
    };
    log.lines().map(sentence).collect()
}

/// By how much one model is ahead of another on a thousand tests, for which
/// the same sentences are drawn for both: from the least to the most.
fn paired(
    one: &[Counts],
    other: &[Counts],
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let n = one.len();
    let mut ahead = || {
        let drawn: Vec<_> = (0..n).map(|_| rng.random_range(0..n)).collect();
        let score = |of: &[Counts]| {
            drawn.iter().map(|&i| of[i]).sum::<Counts>().bleu().score
        };
        score(one) - score(other)
    };
    let mut all: Vec<f64> = (0..1000).map(|_| ahead()).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn three_trainings() {
    let models = LOGS.map(sentences);
    let score =
        |i: usize| models[i].iter().copied().sum::<Counts>().bleu().score;
    section("Three trainings");
    let row = |i: usize| {
        // The draws of the chapter on the translator.
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let scores = resampled(&models[i], 1000, rng);
        let cells =
            [score(i), scores[25], scores[974]].map(|x| format!("{x:.1}"));
        let [score, from, to] = cells;
        [format!("seed {}", i + 1), score, from, to]
    };
    table(["", "BLEU", "from", "to"], [0, 1, 2].map(row));
    section("In pairs");
    let rng = &mut ChaCha8Rng::seed_from_u64(10);
    let row = |(i, j): (usize, usize)| {
        let all = paired(&models[i], &models[j], rng);
        let ahead = all.iter().filter(|by| **by > 0.0).count();
        let [by, from, to] = [score(i) - score(j), all[25], all[974]]
            .map(|x| print::grouped(format!("{x:.1}")));
        [
            format!("{} before {}", i + 1, j + 1),
            by,
            from,
            to,
            ahead.to_string(),
        ]
    };
    let rows = [(0, 1), (0, 2), (1, 2)].map(row);
    table(["seed", "by", "from", "to", "of 1000"], rows);
    section("The test");
    value("sentences", models[0].len());
}

/// Precision and recall of runs of letters, and chrF.
fn chrf(said: &str, wanted: &str) -> [f64; 3] {
    let (said, wanted) = (characters(said), characters(wanted));
    let longest = said.len().min(wanted.len()).min(6);
    let mean = |a: &[String], b: &[String]| {
        let parts = (1..=longest).map(|n| matches(a, b, n));
        parts.map(|[matches, all]| matches / all).sum::<f64>()
            / longest as f64
    };
    let (p, r) = (mean(&said, &wanted), mean(&wanted, &said));
    [p, r, 100.0 * 5.0 * p * r / (4.0 * p + r)]
}

fn by_letters() {
    let [p, r, score] = chrf("hund", "hunde");
    section("By letters");
    value("precision", format!("{p:.2}"));
    value("recall", format!("{r:.2}"));
    value("chrF", format!("{score:.1}"));
}

fn sentence_by_sentence() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut pairs = uneven(800, rng);
    section("Sentence by sentence");
    println!("                          mean     BLEU");
    println!("800 sentences          {}", means(&pairs));
    let short = |_| [word(rng), word(rng), word(rng)].to_vec();
    pairs.extend((0..200).map(short).map(|said| (said.clone(), said)));
    println!("and 200 perfect ones   {}", means(&pairs));
}

/// The mean of the sentences' scores, and the score of all of them.
fn means(pairs: &[Pair]) -> String {
    let scores = pairs.iter().map(|p| Counts::of(&p.0, &p.1).bleu().score);
    let mean = scores.sum::<f64>() / pairs.len() as f64;
    format!("{mean:7.1} {:8.1}", all(pairs).bleu().score)
}

/// A text in place of a list of words: each letter is taken for a word.
fn letters_for_words() {
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    section("Letters for words");
    let mut row = |wrong: f64| {
        let pairs = even(300, wrong / 100.0, rng);
        let letters = |text: &[String]| characters(&text.join(" "));
        let taken = pairs.iter().map(|(said, wanted)| {
            Counts::of(&letters(said), &letters(wanted))
        });
        let [words, letters] = [all(&pairs), taken.sum()]
            .map(|counts| format!("{:.1}", counts.bleu().score));
        [wrong.to_string(), words, letters]
    };
    let rows = [30.0, 50.0, 75.0].map(&mut row);
    let [.., [_, words, letters]] = rows.clone();
    table(["wrong words", "words", "letters"], rows);
    section("Three of four wrong");
    value("by words", words);
    value("by letters", letters);
}
