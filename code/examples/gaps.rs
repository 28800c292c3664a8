//! An encoder that fills gaps: `cargo run --example gaps`

use all_you_need::costs::{Bill, Shape};
use all_you_need::gaps::{Form, GAP, Neighbours, Sentence, Sets};
use all_you_need::gaps::{config, recipe, sentences, vocabulary};
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Vocabulary, words};
use all_you_need::training::{Stream, generator};
use all_you_need::writer::Half;
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Side};
use print::grouped;
use print::log::{number, spread, table};

fn main() {
    most_frequent();
    draw_clues();
    five_forms();
    loss_of_two_gaps();
    what_is_learned();
    ideal();
    scores();
    draw_learning();
    what_it_says();
    what_it_looks_at();
    exchanges();
    left_only();
    two_gaps();
    other_losses();
}

/// Three sentences to count in.
const STORY: [&str; 3] = [
    "the dog is tired today .",
    "the cats near the dog are tired today .",
    "the dog is old today .",
];

/// A gap that the counts fill, and what should be there.
const GAP_OF_DOG: &str = "the cats near the dog ___ old today .";

fn most_frequent() {
    let text = words(&[&STORY[..], &[GAP_OF_DOG]].concat().join(" "));
    let vocabulary = Vocabulary::of(&text);
    let encode = |text| vocabulary.encode(&words(text)).expect("known words");
    println!("== After dog");
    for (name, before, after) in [("before", 1, 0), ("both", 1, 1)] {
        let mut counts = Neighbours::new(before, after);
        STORY.iter().for_each(|text| counts.count(&encode(text)));
        let text = words(GAP_OF_DOG);
        let gap = text.iter().position(|word| word == "___").expect("a gap");
        let said = counts.fill(&encode(GAP_OF_DOG), gap).expect("a word");
        println!("{name} = {}", vocabulary.decode(&[said])[0]);
    }
}

/// A sentence with a gap, and which words tell what is missing.
fn draw_clues() {
    let words = words("the cats near the old dog ___ tired today .");
    let text = "The words of the sentence in a row. An arrow leads from cats, \
        far to the left of the gap, to the gap, and says plural. Another leads \
        from today, to the right of the gap, and says now. A third leads from \
        dog, the word before the gap, and misleads: it says singular.";
    let mut figure =
        Diagram::new("What tells the missing word", text, 31.0, 7.6);
    let widths =
        words.iter().map(|word| 1.0 + 0.42 * word.chars().count() as f64);
    let mut x = 0.4;
    let mut blocks = Vec::new();
    for (word, width) in words.iter().zip(widths) {
        let hue = match word.as_str() {
            "___" => Hue::QUERIES,
            "cats" | "today" => Hue::KEYS,
            _ => Hue::Rule,
        };
        let at = (x + width / 2.0, 4.0);
        blocks.push((at.0, figure.block(at, (width, 1.6), word, hue)));
        x += width + 0.35;
    }
    let gap = blocks[6].0;
    for (from, height, shift, note) in
        [(1, 1.2, -0.3, "more than one"), (8, 1.2, 0.3, "now")]
    {
        let x = blocks[from].0;
        let way = [
            (x, 3.2),
            (x, height),
            (gap + shift, height),
            (gap + shift, 3.2),
        ];
        figure.arrow(&way, Hue::KEYS);
        figure.note(((x + gap) / 2.0, height), Side::Above, note);
    }
    let dog = blocks[5].0;
    figure
        .arrow(&[(dog, 4.8), (dog, 5.9), (gap, 5.9), (gap, 4.8)], Hue::Rule);
    figure.note(((dog + gap) / 2.0, 5.9), Side::Below, "one");
    plot::save("gaps-clues", &figure.draw());
}

fn name(form: Form) -> &'static str {
    match form {
        Form::Plain => "plain",
        Form::PhraseBefore => "phrase before",
        Form::Phrase => "phrase",
        Form::TwoPhrases => "two phrases",
        Form::Clause => "clause",
    }
}

fn five_forms() {
    let drawn = sentences(60, &[], &mut generator(3, Stream::Data));
    println!("\n== One of each form");
    for form in Form::ALL {
        let first = drawn.iter().find(|s| s.form == form);
        let Sentence { words, .. } = first.expect("a sentence of each form");
        println!("{:14} {}", name(form), words.join(" "));
    }
}

/// Two gaps, and the probability of what was there.
fn loss_of_two_gaps() {
    let p: [f64; 2] = [0.9, 0.5];
    let nats = p.map(|p| -p.ln());
    println!("\n== Two gaps");
    println!("first = {:.2}", nats[0]);
    println!("second = {:.2}", nats[1]);
    println!("mean = {:.2}", (nats[0] + nats[1]) / 2.0);
}

fn what_is_learned() {
    let (sizes, recipe) = (config(), recipe(1));
    let half: Half<Shape> = Half::new(&sizes, &mut Bill::default());
    println!("\n== The model");
    println!("words = {}", vocabulary().len() - 1);
    println!("layers = {}", sizes.layers);
    println!("heads = {}", sizes.heads);
    println!("d_model = {}", sizes.d_model);
    println!("parameters = {}", grouped(parameter_count(&half)));
    println!("updates = {}", grouped(recipe.updates));
    println!("gaps in a batch = {}", recipe.batch_tokens);
    let seconds: f64 = number(last(RUNS[0])[1]);
    println!("seconds = {seconds:.0}");
    let slowest = RUNS.map(|log| number::<f64>(last(log)[1]));
    let slowest = slowest.into_iter().fold(0.0, f64::max);
    println!("slowest = {slowest:.0}");
}

/// Among how many equally probable words a gap leaves the choice, if all other
/// words are there.
fn choices(sentence: &Sentence, gap: usize) -> f64 {
    let Sentence { words, form, nouns, subject, verb, time } = sentence;
    let is_noun = nouns.contains(&gap);
    match words[gap].as_str() {
        "the" | "that" | "." => 1.0,
        _ if gap == *verb || gap == *time => 1.0,
        // A verb tells the number of its noun.
        _ if gap == *subject => 10.0,
        _ if is_noun && *form == Form::Clause => 10.0,
        _ if is_noun => 20.0,
        _ if gap == verb + 1 || nouns.contains(&(gap + 1)) => 8.0,
        // A preposition, or the verb of a clause.
        _ => 4.0,
    }
}

/// The gaps to learn from, and what a model could reach that knows the
/// grammar.
fn ideal() {
    let Sets { training, examples, test, .. } = Sets::new(1, &vocabulary());
    let gaps = training.iter().zip(&examples).flat_map(|(sentence, gaps)| {
        let hidden = (0..).zip(&gaps.text).filter(|(_, word)| **word == GAP);
        hidden.map(|(gap, _)| choices(sentence, gap).ln())
    });
    let nats: Vec<f64> = gaps.collect();
    println!("\n== Ideal");
    println!("training sentences = {}", grouped(training.len()));
    println!("gaps = {}", grouped(nats.len()));
    let per_sentence = nats.len() as f64 / training.len() as f64;
    println!("gaps in a sentence = {per_sentence:.1}");
    let learned = recipe(1).updates * recipe(1).batch_tokens;
    println!("gaps learned = {}", grouped(learned));
    println!(
        "least loss = {:.2}",
        nats.iter().sum::<f64>() / nats.len() as f64
    );
    let others = test.iter().flat_map(|sentence| {
        let Sentence { words, subject, verb, time, .. } = sentence;
        let is_other = move |gap: &usize| {
            ![subject, verb, time].contains(&gap) && words[*gap] != "the"
        };
        let others = (0..words.len()).filter(is_other);
        others.map(move |gap| 1.0 / choices(sentence, gap))
    });
    let right: Vec<f64> = others.collect();
    let part = right.iter().sum::<f64>() / right.len() as f64;
    println!("other words = {:.1} %", 100.0 * part);
}

// What `src/logs/gaps.sh` has measured

const NEIGHBOURS: &str = include_str!("../../src/logs/gaps-neighbours.tsv");
const CAUSAL: &str = include_str!("../../src/logs/gaps-causal.tsv");
const EVERYWHERE: &str = include_str!("../../src/logs/gaps-everywhere.tsv");
const COPY: &str = include_str!("../../src/logs/gaps-copy.tsv");
const LOOK: &str = include_str!("../../src/logs/gaps-look.tsv");
const RUNS: [&str; 5] = [
    include_str!("../../src/logs/gaps-run-1.tsv"),
    include_str!("../../src/logs/gaps-run-2.tsv"),
    include_str!("../../src/logs/gaps-run-3.tsv"),
    include_str!("../../src/logs/gaps-run-4.tsv"),
    include_str!("../../src/logs/gaps-run-5.tsv"),
];

/// Update, seconds, loss, set, form, gap, nearest, time, right, of.
type Row = [&'static str; 10];

fn last(log: &'static str) -> Row {
    table(log).last().expect("a row of a run")
}

/// Right answers and all answers, in those rows of a log.
fn right(log: &'static str, which: impl Fn(&Row) -> bool) -> (f64, f64) {
    let rows = table(log).filter(which);
    rows.fold((0.0, 0.0), |sum, row| {
        (sum.0 + number::<f64>(row[8]), sum.1 + number::<f64>(row[9]))
    })
}

/// The same in percent.
fn percent(log: &'static str, which: impl Fn(&Row) -> bool) -> f64 {
    let (right, of) = right(log, which);
    assert!(of > 0.0, "no such rows");
    100.0 * right / of
}

/// What is asked in some rows.
type Asked = (&'static str, fn(&Row) -> bool);

const ASKED: [Asked; 9] = [
    ("the", |row| row[5] == "the"),
    ("verb, plain", |row| row[5] == "verb" && row[4] == "plain"),
    ("phrase before", |row| row[5] == "verb" && row[4] == "phrase before"),
    ("phrase", |row| row[5] == "verb" && row[4] == "phrase"),
    ("two phrases", |row| row[5] == "verb" && row[4] == "two phrases"),
    ("clause", |row| row[5] == "verb" && row[4] == "clause"),
    ("today, yesterday", |row| row[5] == "time"),
    ("subject's number", |row| row[5] == "subject"),
    ("other words", |row| row[5] == "other"),
];

/// A verb whose nearest noun has the other number.
fn misled(row: &Row) -> bool {
    row[5] == "verb" && row[6] == "other"
}

fn is_verb(row: &Row) -> bool {
    row[5] == "verb"
}

const COUNTS: [&str; 3] =
    ["one before", "one on each side", "two on each side"];

/// The same question to the counts, and to five encoders.
fn answers(asked: impl Fn(&Row) -> bool) -> ([f64; 3], [f64; 5]) {
    let counts = COUNTS
        .map(|set| percent(NEIGHBOURS, |row| row[3] == set && asked(row)));
    let runs =
        RUNS.map(|log| percent(log, |row| row[3] == "test" && asked(row)));
    (counts, runs)
}

fn scores() {
    println!("\n== Right in the test set, in percent");
    println!("                    one   one on   two on");
    println!("hidden           before each side each side   encoder");
    for (name, asked) in ASKED {
        let ([one, both, two], runs) = answers(asked);
        let (mean, std) = spread(&runs);
        println!(
            "{name:18}{one:5.1} {both:9.1} {two:9.1}  {mean:6.2} ± {std:.2}"
        );
    }
    println!("\n== Verbs");
    for (name, asked) in
        [("all", is_verb as fn(&Row) -> bool), ("misled", misled)]
    {
        let (counts, runs) = answers(asked);
        println!("{name}, one before = {:.0} %", counts[0]);
        println!("{name}, encoder = {:.1} %", spread(&runs).0);
        let worst = runs.iter().copied().fold(f64::MAX, f64::min);
        let best = counts.into_iter().fold(0.0, f64::max);
        assert!(worst > best, "an encoder that counts beat");
    }
    let (_, of) = right(RUNS[0], |row| row[3] == "test" && is_verb(row));
    println!("verbs = {}", grouped(of));
    // So rarely a model may fail that passes such a test once in twenty.
    let failing = 1.0 - 0.05_f64.powf(1.0 / of);
    println!("up to this share wrong = {:.2} %", 100.0 * failing);
    let losses = RUNS.map(|log| number(last(log)[2]));
    println!("loss = {:.2}", spread(&losses).0);
}

/// The points of a curve: the share of right verbs in the validation set
/// after so many updates, the mean of five runs.
fn curve(form: &str) -> Vec<(f64, f64)> {
    let updates: Vec<f64> = table(RUNS[0])
        .filter(|row: &Row| row[3] == "validation" && row[4] == form)
        .map(|row| number(row[0]))
        .collect();
    let at = |&update: &f64| {
        let runs = RUNS.map(|log| {
            percent(log, |row| {
                row[3] == "validation"
                    && row[4] == form
                    && number::<f64>(row[0]) == update
            })
        });
        (update, spread(&runs).0)
    };
    updates.iter().map(at).collect()
}

fn draw_learning() {
    let curves = Form::ALL.map(|form| (name(form), curve(name(form))));
    let passes = |points: &[(f64, f64)]| {
        let passed = points.iter().find(|(_, y)| *y > 95.0);
        passed.expect("it learns").0
    };
    let all: Vec<_> = curves
        .iter()
        .map(|(name, points)| format!("{name} after {}", passes(points)))
        .collect();
    let text = format!(
        "The share of hidden verbs that are filled rightly, by the number of \
         updates, a line for each form of sentence, the mean of {} runs. All \
         lines begin at about a half and end near {:.0} percent. They pass \
         {:.0} percent in this order of updates: {}.",
        RUNS.len(),
        curves[0].1.last().expect("a point").1,
        95.0,
        all.join(", ")
    );
    println!("\n== When a form is learned");
    for (name, points) in &curves {
        println!("{name} = {}", passes(points));
    }
    let mut chart = Chart::new("The encoder learns to agree", &text)
        .size(500.0, 300.0)
        .x("updates")
        .y("right verbs, in percent");
    for (name, points) in curves {
        chart = chart.line(name, points);
    }
    plot::save("gaps-learning", &chart.draw());
}

/// What, of, which, where, number.
type Look = [&'static str; 5];

fn looked(what: &str) -> impl Iterator<Item = Look> {
    table(LOOK).filter(move |row: &Look| row[0] == what)
}

fn what_it_says() {
    println!("\n== It fills");
    let mut before = ("", "");
    for [_, text, gap, word, p] in looked("fill") {
        if before.0 != text {
            print!("{}{text}", if before.0.is_empty() { "" } else { "\n" });
        }
        if before != (text, gap) {
            print!("\n   ");
        }
        print!(" {word} {:.3} ", number::<f64>(p));
        before = (text, gap);
    }
    println!();
}

/// The share of a gap's weight that goes to a group of words, on average over
/// the forms for which this is so.
fn share(head: &str, group: &str, form: impl Fn(&str) -> bool) -> f64 {
    let rows = looked("share").filter(|[_, of, at, which, _]| {
        form(of) && *at == head && *which == group
    });
    let shares: Vec<f64> = rows.map(|row| number(row[4])).collect();
    // A group that no sentence of a form has is not in the log.
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

/// All heads, from the first layer up.
fn heads() -> Vec<String> {
    let sizes = config();
    let layers = 1..=sizes.layers;
    layers
        .flat_map(|i| (1..=sizes.heads).map(move |j| format!("{i}.{j}")))
        .collect()
}

/// The head that gives a group the most weight, and how much.
fn most(group: &str, form: impl Fn(&str) -> bool + Copy) -> (String, f64) {
    let all = heads().into_iter().map(|head| {
        let weight = share(&head, group, form);
        (head, weight)
    });
    all.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a head")
}

/// Between the subject and its verb are other words.
fn is_far(form: &str) -> bool {
    ["phrase", "two phrases", "clause"].contains(&form)
}

fn what_it_looks_at() {
    let (noun, to_noun) = most("subject", is_far);
    let (time, to_time) = most("time", is_far);
    println!("\n== Heads");
    println!("noun's head = {noun}");
    println!("on the subject = {:.0} %", 100.0 * to_noun);
    println!(
        "on other nouns = {:.1} %",
        100.0 * share(&noun, "other noun", is_far)
    );
    println!("time's head = {time}");
    println!("on the time = {:.0} %", 100.0 * to_time);
    let phrase = |form: &str| form == "phrase";
    println!(
        "on the time, phrase = {:.0} %",
        100.0 * share(&time, "time", phrase)
    );
    let (stop, to_stop) = most("full stop", phrase);
    println!("full stop's head = {stop}");
    println!("on the full stop = {:.0} %", 100.0 * to_stop);
    let before = |form: &str| form == "phrase before";
    println!(
        "noun's head, phrase before = {:.0} %",
        100.0 * share(&noun, "subject", before)
    );
    println!(
        "noun's head on the gap = {:.0} %",
        100.0 * share(&noun, "gap", before)
    );
    let first = |form: &str| form == "phrase before" || form == "plain";
    let near = most_of_first("subject", first);
    println!("near head = {near}");
    println!(
        "near head, on the noun between = {:.0} %",
        100.0 * share(&near, "other noun", phrase)
    );
    draw_shares();
    let sentence = looked("map").next().expect("a map")[1];
    draw_maps(sentence, [(&noun, "the subject"), (&time, "the time")]);
}

/// The head of the first layer that gives a group the most weight.
fn most_of_first(group: &str, form: impl Fn(&str) -> bool + Copy) -> String {
    let first = heads().into_iter().filter(|head| head.starts_with("1."));
    let weight = |head: &String| share(head, group, form);
    first.max_by(|a, b| weight(a).total_cmp(&weight(b))).expect("a head")
}

const GROUPS: [(&str, &str); 7] = [
    ("subject", "subject"),
    ("before subject", "words before it"),
    ("other noun", "other nouns"),
    ("time", "the time"),
    ("gap", "the gap"),
    ("full stop", "full stop"),
    ("rest", "the rest"),
];

/// Where each head's weight goes from a gap, with and without other words
/// between.
fn draw_shares() {
    let heads = heads();
    let names = GROUPS.map(|(_, name)| name);
    let matrix = |form: &str| {
        Matrix::from_fn(heads.len(), GROUPS.len(), |i, j| {
            share(&heads[i], GROUPS[j].0, |of| of == form)
        })
    };
    let best = |group, form: &str| most(group, |of| of == form);
    let (noun, weight) = best("subject", "phrase");
    let (time, other) = best("time", "phrase");
    let text = format!(
        "A map for sentences with a phrase between. Rows are the {} heads, \
         columns groups of words, and a cell is the share of the gap's weight. \
         Head {noun} gives {weight:.2} to the subject, and head {time} gives \
         {other:.2} to the time. The heads of the first layer spread their \
         weight.",
        heads.len()
    );
    let panel = Panel::new(&matrix("phrase"))
        .rows(&heads)
        .columns(&names)
        .axes("heads", "words")
        .numbers(2)
        .full(1.0)
        .hue(Hue::WEIGHTS)
        .cell(38.0, 22.0);
    let figure =
        HeatMaps::new("Where the row of a gap looks", &text).panel(panel);
    plot::save("gaps-shares", &figure.draw());
}

/// All weights of two heads.
fn draw_maps(sentence: &str, chosen: [(&String, &str); 2]) {
    let words = words(sentence);
    let n = words.len();
    let gap = words.iter().position(|word| word == "___").expect("a gap");
    let weights = |head: &str| {
        let mut map: Matrix = Matrix::zeros(n, n);
        for [_, text, at, cell, weight] in looked("map") {
            if text == sentence && at == head {
                let (i, j) =
                    cell.split_once('.').expect("a row and a column");
                map[(number::<usize>(i), number::<usize>(j))] =
                    number(weight);
            }
        }
        map
    };
    let maps = chosen.map(|(head, _)| weights(head));
    let looks: Vec<String> = maps
        .iter()
        .zip(&chosen)
        .map(|(map, (head, _))| {
            let (key, weight) = map.row(gap).transpose().argmax();
            format!("in head {head} it gives {weight:.2} to {}", words[key])
        })
        .collect();
    let text = format!(
        "Two maps of the weights for “{sentence}”, rows are queries and \
         columns keys. The row of the gap: {}.",
        looks.join(", ")
    );
    let mut figure = HeatMaps::new("Two heads and a gap", &text);
    for (map, (head, what)) in maps.iter().zip(chosen) {
        let panel = Panel::new(map)
            .title(&format!("head {head}: {what}"))
            .rows(&words)
            .columns(&words)
            .axes("queries", "keys")
            .full(1.0)
            .hue(Hue::WEIGHTS)
            .cell(17.0, 17.0);
        figure = figure.panel(panel);
    }
    plot::save("gaps-maps", &figure.draw());
}

fn exchanges() {
    println!("\n== Exchanged");
    for [_, which, of, _, part] in looked("exchange") {
        println!("{which} = {:.0} %", 100.0 * number::<f64>(part));
        if which == "subject" {
            println!("sentences = {}", grouped(of));
        }
    }
}

/// An encoder that sees the left side only.
fn left_only() {
    println!("\n== With the left side only, in percent");
    println!("the verb         time first   time last");
    for form in Form::ALL {
        let of = |time: &str| {
            percent(CAUSAL, |row| {
                row[3] == "test"
                    && is_verb(row)
                    && row[4] == name(form)
                    && row[7] == time
            })
        };
        let [first, last] = ["first", "last"].map(of);
        println!("{:14} {first:12.1} {last:11.1}", name(form));
    }
}

fn two_gaps() {
    println!("\n== Verb and time");
    for [_, how, _, _, part] in looked("two gaps") {
        println!("{how} = {:.0} %", 100.0 * number::<f64>(part));
    }
}

/// What is learned with the loss of all words, and without gaps.
fn other_losses() {
    println!("\n== Other losses");
    let early = "500";
    let at_first = |log| -> Row {
        let mut rows = table(log);
        rows.find(|row: &Row| row[0] == early).expect("an early row")
    };
    let verbs = |log, set: &str, update: &str| {
        percent(log, |row| row[3] == set && row[0] == update && is_verb(row))
    };
    println!("early = {early}");
    let losses = RUNS.map(|log| number(at_first(log)[2]));
    println!("gaps, early loss = {:.2}", spread(&losses).0);
    let (mean, std) =
        spread(&RUNS.map(|log| verbs(log, "validation", early)));
    println!("gaps, early verbs = {mean:.0} %");
    println!("gaps, early standard deviation = {std:.0}");
    let loss: f64 = number(at_first(EVERYWHERE)[2]);
    println!("all words, early loss = {loss:.2}");
    let right = verbs(EVERYWHERE, "validation", early);
    println!("all words, early verbs = {right:.0} %");
    for (name, log) in [("all words", EVERYWHERE), ("no gaps", COPY)] {
        let [update, _, loss, ..] = last(log);
        println!("{name}, loss = {:.4}", number::<f64>(loss));
        println!("{name}, verbs = {:.0} %", verbs(log, "test", update));
    }
}
