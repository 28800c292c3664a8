//! Where a model that has learned a task looks, as tables with tabs. MODEL is
//! what `transformer train` has learned with `--layers 1`.
//!
//! `cargo bench --bench training -- map MODEL TEXT ANSWER` has a row for each
//! token of ANSWER, and a column for each token of TEXT.
//!
//! `cargo bench --bench training -- parts MODEL` has a row for each part of a
//! date to write, and says how many percent of its weights go to each part of
//! the date that is read, for the dates that the program has held out.
//!
//! `cargo bench --bench training -- counts TASK MODEL` says how many percent
//! of the rows have their largest weight where the answer's letter comes from,
//! and how many would by chance, for the examples that are held out.
//!
//! `cargo bench --bench training -- exchanged MODEL` changes the last digit
//! of each date that is held out, in some of the encoder's rows only, and says
//! in how many percent of the dates the decoder then writes the new one.
//!
//! `cargo bench --bench training -- runs` trains small models with other
//! rates, in another order, and of too few words, and has a row for every ten
//! updates of each.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "../../code/examples/training.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tasks::Task;
use all_you_need::tensor::Matrix;
use all_you_need::training::{
    Example, Recipe, Stream, Training, generator, validation_loss,
};
use all_you_need::translation::Translator;
use arguments::arguments;
use example::runs::{FEW, PEAKS, WAYS, with_peak, with_way};
use example::{config, lessons, recipe, right};
use print::mean;
use std::path::Path;

fn main() {
    match arguments()[..] {
        ["map", model, text, answer] => map(&load(model), text, answer),
        ["parts", model] => parts(&load(model)),
        ["counts", task, model] => {
            counts(task.parse().expect("a task"), &load(model));
        }
        ["exchanged", model] => exchanged(&load(model)),
        ["runs"] => runs(),
        _ => panic!("map, parts, counts, exchanged or runs"),
    }
}

fn load(model: &str) -> Translator {
    let loaded = Translator::load(Path::new(model));
    loaded.unwrap_or_else(|error| panic!("{error}"))
}

/// The weights of the cross-attention, the mean of its heads: a row for each
/// token to be written, the end included.
fn looks(translator: &Translator, text: &str, answer: &str) -> Matrix {
    let tokenizer = &translator.tokenizer;
    let source = tokenizer.encode_source(text);
    let target = [vec![tokenizer.bos()], tokenizer.encode(answer)].concat();
    let heads = &translator.attention_maps(&source, &target).cross[0];
    let sum = heads.iter().map(|head| head.map(f64::from));
    sum.reduce(|a, b| a + b).expect("heads") / heads.len() as f64
}

fn map(translator: &Translator, text: &str, answer: &str) {
    let looks = looks(translator, text, answer);
    text.chars().for_each(|letter| print!("\t{letter}"));
    println!("\tend");
    let names = answer.chars().map(String::from);
    let names = names.chain(["end".to_owned()]);
    for (name, row) in names.zip(looks.row_iter()) {
        print!("{name}");
        row.iter().for_each(|weight| print!("\t{weight:.4}"));
        println!();
    }
}

/// The rows of 1984-03-06 that write each part of it.
const TO_WRITE: [(&str, &[usize]); 4] = [
    ("year", &[0, 1, 2, 3]),
    ("month", &[5, 6]),
    ("day", &[8, 9]),
    ("hyphens", &[4, 7]),
];

fn parts(translator: &Translator) {
    let looks = |(text, answer): (String, String)| {
        (read(&text), looks(translator, &text, &answer))
    };
    let maps: Vec<_> = held_out(Task::Dates).into_iter().map(looks).collect();
    println!("to write\tweekday\tday\tmonth\tyear\tspaces and end");
    for (name, rows) in TO_WRITE {
        let mut shares = [0.0; 5];
        for (read, looks) in &maps {
            for (column, part) in read.iter().enumerate() {
                let weights = rows.iter().map(|&row| looks[(row, column)]);
                shares[*part] += weights.sum::<f64>();
            }
        }
        percent(name, shares);
    }
    let mut even = [0.0; 5];
    for (read, _) in &maps {
        read.iter().for_each(|&part| even[part] += 1.0 / read.len() as f64);
    }
    percent("evenly", even);
}

fn percent(name: &str, shares: [f64; 5]) {
    let all: f64 = shares.iter().sum();
    print!("{name}");
    shares.iter().for_each(|share| print!("\t{:.1}", 100.0 * share / all));
    println!();
}

/// Which part of a date in words each token belongs to: weekday, day, month,
/// year, or none of them.
fn read(text: &str) -> Vec<usize> {
    let mut part = 0;
    let letters = text.chars().map(|letter| match letter {
        ' ' => {
            part += 1;
            4
        }
        _ => part,
    });
    letters.chain([4]).collect()
}

/// The texts and answers that the program holds out when it learns a task.
fn held_out(task: Task) -> Vec<(String, String)> {
    let mut rng = generator(1, Stream::Data);
    (0..500).map(|_| task.example(&mut rng)).collect()
}

/// The parts of an answer, each with its rows.
fn rows(task: Task, answer: &str) -> Vec<(&'static str, Vec<usize>)> {
    match task {
        Task::Dates => TO_WRITE[..3]
            .iter()
            .map(|(name, rows)| (*name, rows.to_vec()))
            .collect(),
        _ => vec![(task.name(), (0..answer.len()).collect())],
    }
}

/// Which columns may be read to write this row. Of equal letters that are
/// sorted, each will do; for the 0 of a day, the space behind it as well.
fn places(task: Task, text: &str, answer: &str, row: usize) -> Vec<usize> {
    let part = |wanted| {
        let read = read(text);
        let columns = 0..text.len();
        columns.filter(|&column| read[column] == wanted).collect::<Vec<_>>()
    };
    match (task, row) {
        (Task::Copy, _) => vec![row],
        (Task::Reverse, _) => vec![text.len() - 1 - row],
        (Task::Sort, _) => {
            let letter = &answer[row..=row];
            text.match_indices(letter).map(|(column, _)| column).collect()
        }
        (Task::Dates, 0..=3) => vec![part(3)[row]],
        (Task::Dates, 5 | 6) => part(2),
        (Task::Dates, _) => match (&part(1)[..], row) {
            (&[tens, _], 8) => vec![tens],
            (&[_, ones], _) => vec![ones],
            (&[one], 8) => vec![one, one + 1],
            (day, _) => day.to_vec(),
        },
    }
}

fn counts(task: Task, translator: &Translator) {
    let mut counted: Vec<(&str, [f64; 3])> = Vec::new();
    for (text, answer) in held_out(task) {
        let looks = looks(translator, &text, &answer);
        for (i, (name, rows)) in rows(task, &answer).into_iter().enumerate() {
            if counted.len() == i {
                counted.push((name, [0.0; 3]));
            }
            let (_, [all, found, chance]) = &mut counted[i];
            for row in rows {
                let places = places(task, &text, &answer, row);
                let (most, _) = looks.row(row).transpose().argmax();
                *all += 1.0;
                *found += f64::from(u8::from(places.contains(&most)));
                *chance += places.len() as f64 / looks.ncols() as f64;
            }
        }
    }
    for (name, [all, found, chance]) in counted {
        let [found, chance] = [found, chance].map(|n| 100.0 * n / all);
        println!("{}\t{name}\t{found:.1}\t{chance:.1}", task.name());
    }
}

/// Which part of a date each token belongs to, as [`read`] says, with the last
/// digit as part 5 and the end as part 6.
fn with_the_end(text: &str) -> Vec<usize> {
    let mut parts = read(text);
    parts[text.len() - 1] = 5;
    parts[text.len()] = 6;
    parts
}

/// The date with the next digit in the place of its last.
fn a_year_later(text: &str) -> String {
    let last = text.len() - 1;
    let digit: u32 = text[last..].parse().expect("a digit");
    format!("{}{}", &text[..last], (digit + 1) % 10)
}

/// Names for some parts of a date.
const ROWS: [(&str, &[usize]); 4] = [
    ("its own", &[5]),
    ("spaces and end", &[4, 6]),
    ("both", &[4, 5, 6]),
    ("all others", &[0, 1, 2, 3]),
];

fn exchanged(translator: &Translator) {
    let Translator { model, tokenizer, .. } = translator;
    let dates = held_out(Task::Dates);
    println!("{}", ROWS.map(|(name, _)| format!("\t{name}")).concat());
    let counts = ROWS.map(|(_, exchanged)| {
        let new = dates.iter().filter(|(text, _)| {
            let later = a_year_later(text);
            let encode =
                |text: &str| model.encode(&[tokenizer.encode_source(text)]);
            let (mut memory, other) = (encode(text), encode(&later).rows);
            for (column, part) in with_the_end(text).iter().enumerate() {
                if exchanged.contains(part) {
                    memory.rows.set_row(column, &other.row(column));
                }
            }
            let mut said = vec![tokenizer.bos()];
            for _ in 0..4 {
                let z = model.decode(&[&said], &memory);
                let logits = model.logits(&z);
                let last = logits.row(said.len() - 1).transpose();
                said.push(last.argmax().0 as u32);
            }
            tokenizer.decode(&said[4..]) == later[later.len() - 1..]
        });
        format!("\t{:.1}", 100.0 * new.count() as f64 / dates.len() as f64)
    });
    println!("new digit{}", counts.concat());
}

/// Trains a new model with these batches and looks at it.
fn follow(
    name: &str,
    recipe: Recipe,
    batches: impl Iterator<Item = Vec<Example>>,
) {
    let (learned, unseen) = (lessons(FEW), example::held_out());
    let mut training: Training<f64> = Training::new(&config(), recipe);
    let look = |update: usize, losses: &[f64], model: &_| {
        let [known, unknown] = [&learned, &unseen]
            .map(|examples| validation_loss(model, examples));
        let (loss, right) = (mean(losses), right(model, &unseen));
        println!(
            "{name}\t{update}\t{loss:.6}\t{known:.6}\t{unknown:.6}\t{right}"
        );
    };
    // No loss comes before the first update.
    look(0, &[f64::NAN], &training.model);
    let mut losses = Vec::new();
    for (update, batch) in (1..).zip(batches) {
        losses.push(training.update(&batch).expect("a finite loss"));
        if losses.len() == 10 {
            look(update, &losses, &training.model);
            losses.clear();
        }
    }
}

fn runs() {
    println!("run\tupdate\tloss\tlearned\theld out\tright");
    let in_order = |name: &str, recipe: Recipe, words: &[Example]| {
        let batches = recipe.batches(words, 0).flatten().take(recipe.updates);
        follow(name, recipe.clone(), batches);
    };
    let mut words = lessons(4000);
    for peak in PEAKS {
        in_order(&peak.to_string(), with_peak(peak), &words);
    }
    for (name, way) in WAYS {
        in_order(name, with_way(way), &lessons(FEW));
    }
    words.sort_by(|a, b| a.source.cmp(&b.source));
    let batches = words.chunks(55).map(<[Example]>::to_vec);
    follow("sorted", recipe(), batches.cycle().take(200));
}
