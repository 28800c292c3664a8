//! A run on disk, and the mean of its models: `cargo run --example checkpoint`

#[path = "checkpoint/mean.rs"]
pub mod mean;
#[path = "checkpoint/reverser.rs"]
pub mod reverser;

use all_you_need::checkpoint::{Checkpoint, checkpoint_path, newest};
use all_you_need::optimizer::{Adam, learning_rate};
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::training::Training;
use mean::{between, distance, last, three_models};
use print::{Fixed, grouped, section, table, value};
use reverser::{
    Model, examples, loaded, loss, plan, right, train_and_keep, trained,
};
use std::fs;
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;

fn main() {
    let folder = trained();
    let run = &folder.path().join("run");
    five_files(run);
    inside_a_file(run);
    resumed(run);
    left_out(run);
    rows_for_columns(run);
    mean_of_the_last();
    between_two(run);
}

/// In the order in which they are written.
pub const FILES: [&str; 5] = [
    "config.toml",
    "merges.txt",
    "model.safetensors",
    "adam.safetensors",
    "SHA256SUMS",
];

/// The bytes of the five.
fn files(dir: &Path) -> [Vec<u8>; 5] {
    FILES.map(|name| fs::read(dir.join(name)).expect("a file"))
}

/// As many of them as there are, in a directory of their own.
fn write(dir: &Path, files: &[Vec<u8>]) {
    fs::create_dir_all(dir).expect("a directory");
    for (name, bytes) in FILES.iter().zip(files) {
        fs::write(dir.join(name), bytes).expect("room for it");
    }
}

fn five_files(run: &Path) {
    let files = files(&checkpoint_path(run, 160));
    section("Five files");
    let row = |(name, bytes): (&'static str, &Vec<u8>)| {
        (name, grouped(bytes.len()))
    };
    table(["", "bytes"], FILES.into_iter().zip(&files).map(row));
    let text = |i: usize| str::from_utf8(&files[i]).expect("text");
    section("config.toml");
    println!("{}", text(0).trim_end());
    section("merges.txt");
    print!("{}", text(1));
    // The model's last digits, and so its digest, depend on the machine.
    section("SHA256SUMS");
    text(4).lines().take(2).for_each(|line| println!("{line}"));
    println!("…");
    let parameters = parameter_count(&loaded(run, 160).model);
    section("How much");
    value("parameters", grouped(parameters));
}

/// The bytes of the header of the model's file, and the bytes after it.
pub fn header_and_numbers(run: &Path) -> (String, usize) {
    let [_, _, model, ..] = files(&checkpoint_path(run, 160));
    let (length, rest) = model.split_first_chunk().expect("a length");
    let length = u64::from_le_bytes(*length) as usize;
    let (header, numbers) = rest.split_at(length);
    let header = str::from_utf8(header).expect("text").to_string();
    (header, numbers.len())
}

fn inside_a_file(run: &Path) {
    let (header, _) = header_and_numbers(run);
    section("The beginning of the header");
    for entry in header.split_inclusive("},").take(3) {
        println!("{entry}");
    }
    println!("…");
}

/// One run goes through, the other has the first half of its checkpoints.
fn resumed(run: &Path) {
    let resumed = &run.with_file_name("resumed");
    write(&checkpoint_path(resumed, 160), &files(&checkpoint_path(run, 160)));
    let end = train_and_keep(resumed, &plan(1), &examples(false));
    end.expect("the rest of a run");
    let [one, other] =
        [run, resumed].map(|run| files(&checkpoint_path(run, 320)));
    section("Resumed");
    let equal = one.iter().zip(&other).filter(|(a, b)| a == b).count();
    value("equal files", equal);
}

/// What a checkpoint might leave out.
pub const PARTS: [&str; 4] =
    ["nothing", "the moments", "the number of updates", "the seed"];

fn leave_out(part: &str, training: &mut Training) {
    let Training { recipe, model, adam } = training;
    match part {
        "the moments" => {
            *adam = Adam { steps: adam.steps, ..Adam::new(model) }
        }
        "the number of updates" => adam.steps = 0,
        "the seed" => recipe.seed += 1,
        _ => {}
    }
}

/// The models after each of forty updates from update 160 on, resumed from a
/// checkpoint without this part.
fn resumed_without(part: &str, run: &Path) -> Vec<Model> {
    let mut training = loaded(run, 160);
    leave_out(part, &mut training);
    let mut models = Vec::new();
    let end = training.run(&examples(false), |training, _| {
        models.push(training.model.clone());
        if models.len() < 40 { Continue(()) } else { Break(()) }
    });
    let _ = end.expect("forty updates");
    models
}

/// After each update, how far a run that was resumed without this part is
/// from the one that was left alone.
pub fn apart(part: &str, run: &Path) -> Vec<f64> {
    let all = resumed_without("nothing", run);
    let some = resumed_without(part, run);
    all.iter().zip(&some).map(|(a, b)| distance(a, b)).collect()
}

fn left_out(run: &Path) {
    section("Left out");
    let row = |part: &'static str| {
        let apart = apart(part, run);
        let model = &resumed_without(part, run)[39];
        (part, [apart[0], apart[39]].fixed(4), loss(model).fixed(2))
    };
    let names = ["left out", "after one", "after forty", "held-out loss"];
    table(names, PARTS.map(row));
    section("The first step after it");
    let before = loaded(run, 160);
    let lr = learning_rate(before.recipe.peak_lr, 161, before.recipe.warmup);
    for (name, part) in [("kept", "nothing"), ("lost", "the moments")] {
        let step = distance(&resumed_without(part, run)[0], &before.model);
        value(format!("memory {name}"), (step / lr).fixed(2));
    }
}

/// What a directory is called while it is written, by process 4711.
pub const UNFINISHED: &str = ".00000320.4711-0.unfinished";

/// Which checkpoint is found if a save is stopped when it has written so many
/// files, which may be in place.
pub fn found(run: &Path, written: usize, in_place: bool) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stopped = folder.path();
    let [old, new] = [280, 320].map(|updates| checkpoint_path(run, updates));
    write(&checkpoint_path(stopped, 280), &files(&old));
    let name = if in_place { "00000320" } else { UNFINISHED };
    write(&stopped.join(name), &files(&new)[..written]);
    let found = newest(stopped).expect("a run").expect("a checkpoint");
    let steps =
        Checkpoint::load(&found).expect("it is whole").training.adam.steps;
    format!("{steps:08}")
}

/// How many files are written, and whether they are in place.
pub const MOMENTS: [(usize, bool); 3] = [(2, false), (5, false), (5, true)];

/// Columns read as rows: no size tells.
fn rows_for_columns(run: &Path) {
    let model =
        loaded(run, 320).model.map("", &mut |_, leaf: &Matrix<f32>| {
            let (rows, columns) = leaf.shape();
            Matrix::from_row_slice(rows, columns, leaf.as_slice())
        });
    section("Rows for columns");
    value("loss", loss(&model).fixed(2));
    value("right", right(&model));
}

fn mean_of_the_last() {
    let constant = last(|_| 0.1);
    section("The mean of the last");
    let row = |k: usize| (k, constant[k - 1].1.fixed(5));
    let names = ["how many", "each, on average", "their mean"];
    table(names, [1, 2, 5, 10, 20, 50, 80, 100].map(row));
    let [each, mean] = constant[19].1;
    section("Twenty of them");
    value("times as low", (each / mean).fixed(0));
    let falling = last(|update| learning_rate(0.1, update, 100));
    value("falling, last", falling[0].1[0].fixed(5));
    value("falling, mean of 20", falling[19].1[1].fixed(5));
}

fn between_two(run: &Path) {
    let [early, late, stranger] = &three_models(run);
    section("Halfway");
    let mixed = between(stranger, late, 0.5);
    for (name, model) in [
        ("update 240", early),
        ("update 320", late),
        ("their mean", &between(early, late, 0.5)),
        ("mean of two runs", &mixed),
    ] {
        value(format!("{name}, loss"), loss(model).fixed(2));
    }
    value("another run, right", right(stranger));
    value("mean of two runs, right", right(&mixed));
}
