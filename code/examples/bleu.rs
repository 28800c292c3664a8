//! How good a translation is: `cargo run --example bleu`

use all_you_need::bleu::{Bleu, Counts, Tokenize, bleu, signature};
use all_you_need::tokens::{Bpe, characters, words};
use plot::{Chart, Diagram, Hue};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

fn main() {
    plot::read_arguments();
    words_and_order();
    two_sentences();
    brevity();
    salad();
    smoothing();
    one_point();
    six_scores();
    resamples();
    a_hundred_tests();
    other_words();
    sentence_by_sentence();
    letter_by_letter();
}

const FENCE: &str = "the cat jumped over the fence";

/// What is counted of two sentences whose tokens have spaces in between.
fn counts(said: &str, wanted: &str) -> Counts {
    Counts::of(&words(said), &words(wanted))
}

/// BLEU of one sentence.
fn score(said: &str, wanted: &str) -> f64 {
    counts(said, wanted).bleu().score
}

fn words_and_order() {
    println!("== n-grams");
    println!("n                                 1    2    3    4");
    for said in [
        "the cat jumped over a fence",
        "fence the over jumped cat the",
        "the the the the the the",
    ] {
        let counts = counts(said, FENCE);
        let row: String = (0..4).map(|i| part(&counts, i)).collect();
        println!("{said:30}{row}");
    }
    draw_matches("the cat jumped over a fence", FENCE);
}

/// All n-grams of the hypothesis, a row for each n.
fn draw_matches(said: &str, wanted: &str) {
    let (said, wanted) = (words(said), words(wanted));
    let mut figure = Diagram::new(
        "What matches",
        "Four rows of boxes. First the words: the, cat, jumped, over and \
         fence are green, a is grey. Then two words in a box: the cat, cat \
         jumped and jumped over are green. Of three words the cat jumped and \
         cat jumped over are green, of four only the cat jumped over.",
        22.5,
        9.2,
    );
    for n in 1..=4 {
        let (y, width) = (2.2 * n as f64 - 0.9, 22.3 / (7 - n) as f64);
        for (i, run) in said.windows(n).enumerate() {
            let hue = match wanted.windows(n).any(|other| other == run) {
                true => Hue::Green,
                false => Hue::Rule,
            };
            let x = 0.1 + width * (i as f64 + 0.5);
            figure.block((x, y), (width - 0.2, 1.6), &run.join(" "), hue);
        }
    }
    plot::save("bleu-matches", &figure.draw());
}

/// So many of so many.
fn part(counts: &Counts, i: usize) -> String {
    format!("  {}/{}", counts.matches[i], counts.totals[i])
}

fn two_sentences() {
    let pairs = [
        ("the cat jumped over a fence", FENCE),
        ("I am fine", "I am fine and so are you"),
    ];
    let each = pairs.map(|(said, wanted)| counts(said, wanted));
    let both: Counts = each.into_iter().sum();
    let found = both.bleu();
    println!("\n== Two sentences");
    println!("n  the cat  I am fine   both  per cent");
    for i in 0..4 {
        let [cat, fine] = each.map(|counts| part(&counts, i));
        let (both, p) = (part(&both, i), found.precisions[i]);
        println!("{} {cat:>8} {fine:>10} {both:>6} {p:9.1}", i + 1);
    }
    let alone = each[0].bleu();
    let product: f64 = alone.precisions.iter().map(|p| p / 100.0).product();
    println!("\n== The first sentence alone");
    println!("product of the four = {product:.3}");
    println!("its fourth root = {:.3}", product.powf(0.25));
    println!("BLEU of the first = {:.1}", alone.score);
    println!("\n== One line");
    println!("{}", folded(&found));
    println!("\n== Its parts");
    println!("tokens said = {}", found.hypothesis_length);
    println!("tokens wanted = {}", found.reference_length);
    println!("BP = {:.3}", found.brevity_penalty);
    println!("mean = {:.1}", found.score / found.brevity_penalty);
}

/// The line of a score, in two: it is longer than a page is wide.
fn folded(bleu: &Bleu) -> String {
    bleu.to_string().replace(" (", "\n(")
}

/// What a hundred words for each reference of `wanted` words pay.
fn brevity() {
    let penalty = |said: usize| {
        let counts = Counts {
            totals: [said; 4],
            reference_length: 100,
            ..Counts::default()
        };
        counts.bleu().brevity_penalty
    };
    println!("\n== Brevity");
    println!("BP at 50 = {:.2}", penalty(50));
    println!("BP at 90 = {:.2}", penalty(90));
    let curve = (10..=130).map(|said| (said as f64 / 100.0, penalty(said)));
    let [fifth, half, most, all] = [20, 50, 90, 100]
        .map(|said| format!("{:.2} at {said} %", penalty(said)));
    let figure = Chart::new(
        "What brevity costs",
        &format!(
            "The brevity penalty against the length of the hypotheses over \
             that of the references. It is {fifth}, {half}, {most}, {all}, \
             and the same from there on."
        ),
    )
    .size(450.0, 290.0)
    .x("hypothesis length / reference length")
    .y("brevity penalty")
    .line("", curve);
    plot::save("bleu-brevity", &figure.draw());
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
    println!("\n== Salad");
    println!("salad, 1 = {:.1}", found.precisions[0]);
    println!("salad, 2 = {:.1}", found.precisions[1]);
    println!("salad, 3 = {:.1}", found.precisions[2]);
    println!("salad, 4 = {:.1}", found.precisions[3]);
    println!("salad, plain mean = {:.1}", sum / 4.0);
    println!("salad = {:.1}", found.score);
}

/// What becomes of precisions without a match.
fn smoothing() {
    let said = "fence the over jumped cat the";
    let (counts, found) = (counts(said, FENCE), counts(said, FENCE).bleu());
    let row = |name: &str, cell: &dyn Fn(usize) -> String| {
        let cells = (0..4).map(|i| format!("{:>9}", cell(i)));
        println!("{name:9}{}", cells.collect::<String>());
    };
    let counted = |i: usize| {
        let share = found.precisions[i] / 100.0 * counts.totals[i] as f64;
        ((1000.0 * share).round() / 1000.0, counts.totals[i])
    };
    println!("\n== Smoothing");
    row("n", &|i| (i + 1).to_string());
    row("matches", &|i| part(&counts, i).trim().to_owned());
    row("counted", &|i| {
        let (share, total) = counted(i);
        format!("{share}/{total}")
    });
    row("per cent", &|i| format!("{:.2}", found.precisions[i]));
    println!("\n== Smoothed");
    println!("with smoothing = {:.1}", found.score);
}

/// The part of wrong words at which a score is reached, by the formula.
fn wrong_at(score: f64) -> f64 {
    1.0 - (score / 100.0).powf(0.4)
}

/// BLEU against the part of words that are wrong.
fn one_point() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let parts = (0..=16).map(|i| f64::from(i) / 20.0);
    let point = |part| {
        let pairs = even(400, part, rng);
        (100.0 * part, all(&pairs).bleu().score)
    };
    let measured: Vec<_> = parts.map(point).collect();
    let law = |part: f64| 100.0 * (1.0 - part).powf(2.5);
    println!("\n== One point");
    let off = |&(part, score): &(f64, f64)| (law(part / 100.0) - score).abs();
    let off = measured.iter().map(off).fold(0.0, f64::max);
    println!("farthest from the formula = {off:.1}");
    println!("one in ten wrong = {:.0}", law(0.1));
    println!("wrong at 41 = {:.0}", 100.0 * wrong_at(41.0));
    println!("wrong at 28 = {:.0}", 100.0 * wrong_at(28.4));
    let step = wrong_at(41.0) - wrong_at(42.0);
    println!("words for a point at 41 = {:.0}", 1.0 / step);
    let curve = (0..=80).map(|i| (f64::from(i), law(f64::from(i) / 100.0)));
    let [none, few, some, half, most] = [0, 10, 30, 50, 80].map(|percent| {
        format!("{:.0} at {percent} %", law(f64::from(percent) / 100.0))
    });
    let figure = Chart::new(
        "What wrong words cost",
        &format!(
            "BLEU against the share of words that are wrong. It falls from \
             {none} to {few}, {some}, {half} and {most}. The measured dots \
             lie on the curve."
        ),
    )
    .size(450.0, 290.0)
    .x("wrong words in a hundred")
    .y("BLEU")
    .y_range(0.0..100.0)
    .line("", curve)
    .dots("", measured);
    plot::save("bleu-wrong", &figure.draw());
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
    println!("\n== One of them");
    for tokenizer in [Tokenize::None, Tokenize::V13a] {
        let tokens = tokenizer.tokens("at 7.45, not at 8.");
        println!("{:5} {}", tokenizer.to_string(), tokens.join(" | "));
    }
    let (said, wanted) = TRANSLATIONS.iter().copied().unzip();
    let (said, wanted): (Vec<_>, Vec<_>) = (said, wanted);
    println!("\n== Signed");
    println!("{}", signature(Tokenize::V13a, 1));
    println!("{}", folded(&bleu(&said, &wanted, Tokenize::V13a)));
    println!("\n== Six scores");
    println!("                    score    p₁    p₄");
    let learned = Bpe::train(&wanted.join("\n"), 100);
    let v13a = |text: &str| Tokenize::V13a.tokens(text);
    let lowest = report("none", |text| Tokenize::None.tokens(text));
    let whole = report("13a", v13a);
    report("13a, lower case", |text| v13a(&text.to_lowercase()));
    let split = |text: &str| v13a(&text.replace('-', " - "));
    let split = report("13a, hyphens split", split);
    let pieces = report("byte pairs", |text| {
        learned.encode(text).iter().map(ToString::to_string).collect()
    });
    let highest = report("characters", characters);
    println!("\n== Six scores compared");
    println!("lowest = {:.1}", lowest.score);
    println!("highest = {:.1}", highest.score);
    println!("hyphens split = {:.1}", split.score - whole.score);
    let pieces = pieces.hypothesis_length as f64;
    let words = words(&said.join(" ")).len() as f64;
    println!("pieces in a word = {:.1}", pieces / words);
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
fn without_end() -> f64 {
    let precision = |n: i32| {
        let integral = |x: f64| x.powi(n + 1) / f64::from(n + 1);
        (integral(0.9) - integral(0.5)) / 0.4
    };
    100.0 * (1..=4).map(precision).product::<f64>().powf(0.25)
}

/// How sure a score is that was measured on so many sentences.
fn resamples() {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let all = test(2000, rng);
    let mut lines = [const { Vec::new() }; 3];
    println!("\n== A thousand resamples");
    println!("sentences   score   from     to   width");
    for n in [125, 250, 500, 1000, 2000] {
        let score = all[..n].iter().copied().sum::<Counts>().bleu().score;
        let scores = resampled(&all[..n], 1000, rng);
        let (low, high) = (scores[25], scores[974]);
        let width = high - low;
        println!("{n:9} {score:7.1} {low:6.1} {high:6.1} {width:7.1}");
        for (line, y) in lines.iter_mut().zip([high, score, low]) {
            line.push((n as f64, y));
        }
    }
    let [high, score, low] = lines;
    let (first, last) = (0, high.len() - 1);
    let width = |i: usize| high[i].1 - low[i].1;
    let figure = Chart::new(
        "How sure is a score",
        &format!(
            "The score and its interval against the number of sentences, \
             from {} to {}. The interval is {:.1} points wide at first and \
             {:.1} at last. The score of an endless test, {:.1}, is always \
             inside.",
            high[first].0,
            high[last].0,
            width(first),
            width(last),
            without_end()
        ),
    )
    .size(450.0, 290.0)
    .log_x()
    .x("sentences of the test")
    .y("BLEU")
    .line("97.5 %", high)
    .line("score", score)
    .line("2.5 %", low)
    .guide_y(without_end(), "endless");
    plot::save("bleu-resampled", &figure.draw());
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
    println!("\n== A hundred tests");
    println!("without end = {endless:.1}");
    println!("intervals that hold it = {held}");
}

/// Right in other words, and wrong in the same.
fn other_words() {
    let wanted = "you must not open the red door before noon on Monday";
    println!("\n== Right and wrong");
    for (name, said) in [
        ("without not", "you must open the red door before noon on Monday"),
        (
            "in other words",
            "on Monday the red door has to stay shut until twelve",
        ),
    ] {
        println!("{name:14} {:6.1}", score(said, wanted));
    }
}

fn sentence_by_sentence() {
    println!("\n== Short ones");
    println!("I am fine = {:.0}", score("I am fine", "I am fine"));
    let good = "Mir geht es gut";
    println!("Mir geht es gut = {:.0}", score(good, good));
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut pairs = uneven(800, rng);
    println!("\n== Sentence by sentence");
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

/// What a published program computes: the i-th word against the i-th, each
/// a row of letters. Without any match it is 0.
fn of_letters(said: &[String], wanted: &[String]) -> f64 {
    let pairs = said.iter().zip(wanted);
    let counts: Counts = pairs
        .map(|(said, wanted)| {
            Counts::of(&characters(said), &characters(wanted))
        })
        .sum();
    match counts.matches.contains(&0) {
        true => 0.0,
        false => counts.bleu().score,
    }
}

fn letter_by_letter() {
    let wanted = "yesterday the old cat jumped over the wooden fence";
    println!("\n== Letters");
    println!("                    words  letters");
    for (name, said) in [
        ("word by word", wanted),
        (
            "well in front",
            "well yesterday the old cat jumped over the wooden fence",
        ),
        ("broken off", "yesterday the old cat"),
        ("last letters lost", "yesterda th ol ca jumpe ove th woode fenc"),
    ] {
        let letters = of_letters(&words(said), &words(wanted));
        println!("{name:18} {:6.1} {letters:8.1}", score(said, wanted));
    }
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    println!("\n== Letters of many");
    println!("wrong words   words   letters");
    let mut last = (0.0, 0.0);
    for part in [0.3, 0.5, 0.75] {
        let pairs = even(300, part, rng);
        let letters =
            pairs.iter().map(|(said, wanted)| of_letters(said, wanted));
        let letters = letters.sum::<f64>() / 300.0;
        let words = all(&pairs).bleu().score;
        println!("{:11} {words:7.1} {letters:9.1}", 100.0 * part);
        last = (words, letters);
    }
    println!("\n== Three of four wrong");
    println!("by words = {:.1}", last.0);
    println!("by letters = {:.1}", last.1);
}
