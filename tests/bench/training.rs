//! Where a model that has learned a task looks, as tables with tabs. MODEL is
//! what `transformer train` has learned with `--layers 1`.
//!
//! `cargo bench --bench training -- map MODEL TEXT ANSWER` has a row for each
//! token of ANSWER, and a column for each token of TEXT.
//!
//! `cargo bench --bench training -- parts MODEL` has a row for each part of a
//! date to write, and says how many percent of its weights go to each part of
//! the date that is read, for the dates that the program has held out.

use all_you_need::tasks::Task;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Stream, generator};
use all_you_need::translation::Translator;
use std::env;
use std::path::Path;

fn main() {
    // Cargo itself adds a flag.
    let all = env::args().skip(1).filter(|word| word != "--bench");
    let all: Vec<String> = all.collect();
    match all.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["map", model, text, answer] => map(&load(model), text, answer),
        ["parts", model] => parts(&load(model)),
        _ => panic!("map MODEL TEXT ANSWER, or parts MODEL"),
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
    let mut rng = generator(1, Stream::Data);
    let held_out = (0..500).map(|_| Task::Dates.example(&mut rng));
    let looks = |(text, answer): (String, String)| {
        (read(&text), looks(translator, &text, &answer))
    };
    let maps: Vec<_> = held_out.map(looks).collect();
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
