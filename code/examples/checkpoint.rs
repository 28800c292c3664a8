//! A run on disk, and what is made of several: `cargo run --example checkpoint`

use all_you_need::attention::{Mask, Softmax};
use all_you_need::checkpoint::{
    Checkpoint, RunData, Snapshot, checkpoint_path, lock, newest, prune,
};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::loss::{CrossEntropy, shift_right};
use all_you_need::optimizer::{Adam, descend, learning_rate};
use all_you_need::parameters::{
    Parameters, add_into, gradient, parameter_count,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Bpe, Token, Tokenizer, words};
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use plot::{Chart, Diagram, Figure, Hue, Side};
use print::grouped;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::error::Error;
use std::fs;
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;
use std::thread;

/// A story of 1400 words.
const STORY: &str = include_str!("tokens.txt");

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let run = &folder.path().join("run");
    let (plan, examples) = plan();
    train_and_keep(run, &plan, &examples).unwrap();
    five_files(&plan, run);
    inside_a_file(run);
    killed_while_saving(run);
    killed_in_place(run);
    same_bytes(run, &plan, &examples);
    let (one, other) = thread::scope(|scope| {
        let other = scope.spawn(|| backwards(2));
        (backwards(1), other.join().unwrap())
    });
    without_memory(&one);
    mean_of_the_last();
    between_two(&one, &other);
    rows_for_columns(&one);
}

/// Trains a model, or goes on with it, and saves it every few updates.
fn train_and_keep(
    dir: &Path,
    plan: &Checkpoint,
    examples: &[Example],
) -> Result<(), Box<dyn Error>> {
    let _lock = lock(dir)?;
    let mut now = match newest(dir)? {
        Some(last) => Checkpoint::load(&last)?,
        None => plan.clone(),
    };
    // The fingerprints of the examples.
    if now.run.training != plan.run.training {
        return Err("this run has learned from other examples".into());
    }
    let Checkpoint { config, training, tokenizer, run: data } = &mut now;
    let end = training.run(examples, |training, update| {
        if !update.step.is_multiple_of(data.every) {
            return Continue(());
        }
        let now = Snapshot { config, training, tokenizer, run: data };
        let saved = now.save(&checkpoint_path(dir, update.step));
        match saved.and_then(|()| prune(dir, data.keep)) {
            Ok(()) => Continue(()),
            Err(error) => Break(error),
        }
    })?;
    match end {
        Continue(()) => Ok(()),
        Break(error) => Err(error.into()),
    }
}

fn newborn(config: &Config, seed: u64) -> Model {
    Transformer::new(config, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// The sizes of all models here.
fn sizes(vocabulary: usize) -> Config {
    Config {
        vocabulary,
        layers: 1,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 8,
        d_v: 8,
    }
}

/// A run that learns to write the words of the story backwards, before its
/// first update, and its examples.
fn plan() -> (Checkpoint, Vec<Example>) {
    let tokenizer = Tokenizer::new(Bpe::train(STORY, 20));
    let config = sizes(tokenizer.vocabulary());
    let recipe = Recipe {
        batch_tokens: 40,
        parts: 4,
        updates: 20,
        bidirectional_updates: 0,
        warmup: 10,
        peak_lr: 0.01,
        dropout: 0.0,
        weight_decay: 0.0,
        label_smoothing: 0.1,
        seed: 1,
    };
    let backwards = |word: &String| {
        (word.clone(), word.chars().rev().collect::<String>())
    };
    let pairs: Vec<_> = words(STORY).iter().map(backwards).collect();
    let example = |(word, answer): &(String, String)| {
        Example::new(word, answer, &tokenizer)
    };
    let examples = pairs.iter().map(example).collect();
    let run = RunData::new("reverse", &pairs, &pairs[..100]);
    let run = RunData { every: 10, ..run };
    let training = Training::new(&config, recipe);
    (Checkpoint { config, training, tokenizer, run }, examples)
}

/// In the order in which they are written.
const FILES: [&str; 5] = [
    "config.toml",
    "merges.txt",
    "model.safetensors",
    "adam.safetensors",
    "SHA256SUMS",
];

/// The bytes of the five.
fn files(dir: &Path) -> [Vec<u8>; 5] {
    FILES.map(|name| fs::read(dir.join(name)).unwrap())
}

/// As many of them as there are, in a directory of their own.
fn write(dir: &Path, files: &[Vec<u8>]) {
    fs::create_dir_all(dir).unwrap();
    for (name, bytes) in FILES.iter().zip(files) {
        fs::write(dir.join(name), bytes).unwrap();
    }
}

fn five_files(checkpoint: &Checkpoint, run: &Path) {
    println!("== Five files");
    let files = files(&checkpoint_path(run, 10));
    for (name, bytes) in FILES.iter().zip(&files) {
        println!("{name:18} {:>8} bytes", grouped(bytes.len()));
    }
    let [settings, merges, digests] =
        [0, 1, 4].map(|i| str::from_utf8(&files[i]).unwrap());
    println!("\n== config.toml\n{}", settings.trim_end());
    println!("\n== merges.txt");
    merges.lines().take(6).for_each(|line| println!("{line}"));
    println!("…");
    // The model's last digits, and so its digest, depend on the machine.
    println!("\n== SHA256SUMS");
    digests.lines().take(2).for_each(|line| println!("{line}"));
    println!("…");
    let parameters = parameter_count(&checkpoint.training.model);
    println!("\n== How much");
    println!("parameters = {}", grouped(parameters));
    println!("merges = {}", checkpoint.tokenizer.bpe().merges().len());
    println!("bytes of them = {}", grouped(4 * parameters));
}

/// What lies between the first byte and the last.
fn inside_a_file(run: &Path) {
    let bytes =
        fs::read(checkpoint_path(run, 10).join("model.safetensors")).unwrap();
    let (length, rest) = bytes.split_first_chunk().unwrap();
    let length = u64::from_le_bytes(*length) as usize;
    let (header, numbers) = rest.split_at(length);
    let header = str::from_utf8(header).unwrap();
    println!("\n== The beginning of the header");
    for entry in header.split_inclusive("},").take(3) {
        println!("{entry}");
    }
    println!("…");
    println!("\n== Three parts");
    println!("bytes of header = {}", grouped(length));
    println!("bytes of numbers = {}", grouped(numbers.len()));
    draw_layout(length, numbers.len());
}

fn draw_layout(header: usize, numbers: usize) {
    let mut figure = Diagram::new(
        "The parts of a safetensors file",
        &format!(
            "Three boxes side by side. Eight bytes say how long the header \
             is. The header, {header} bytes, is text with the names, sizes \
             and places of all tensors. Then come {numbers} bytes of \
             numbers, four for each. An arrow leads from the header to the \
             numbers."
        ),
        25.0,
        6.6,
    );
    let length = figure.block((2.6, 2.4), (4.4, 2.4), "length", Hue::Orange);
    let header_at = figure.block(
        (8.9, 2.4),
        (7.4, 2.4),
        "names, sizes, places",
        Hue::Blue,
    );
    let numbers_at =
        figure.block((18.8, 2.4), (11.4, 2.4), "numbers", Hue::Green);
    for (block, bytes) in
        [(length, 8), (header_at, header), (numbers_at, numbers)]
    {
        let (x, y) = block.top();
        let text = format!("{} bytes", grouped(bytes));
        figure.note((x, y - 0.7), Side::On, &text);
    }
    let (from, to) = (header_at.bottom(), numbers_at.bottom());
    let below = 5.0;
    figure.arrow(&[from, (from.0, below), (to.0, below), to], Hue::Ink);
    figure.note(((from.0 + to.0) / 2.0, below + 0.7), Side::On, "where");
    plot::save("checkpoint-layout", &figure.draw());
}

/// What a directory is called while it is written, by process 4711.
const UNFINISHED: &str = ".00000020.4711-0.unfinished";

/// A save seen from outside, stopped at four moments: how many files are
/// written, and whether they have their place.
fn killed_while_saving(run: &Path) {
    let [old, new] =
        [10, 20].map(|updates| files(&checkpoint_path(run, updates)));
    println!("\n== Killed while saving");
    println!("files written   in place   found");
    let frame = |(written, in_place): (usize, bool)| {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path();
        write(&checkpoint_path(run, 10), &old);
        let unfinished = run.join(UNFINISHED);
        let dir =
            if in_place { checkpoint_path(run, 20) } else { unfinished };
        if written > 0 {
            write(&dir, &new[..written]);
        }
        let found = newest(run).unwrap().unwrap();
        let steps = Checkpoint::load(&found).unwrap().training.adam.steps;
        assert_eq!(found, checkpoint_path(run, steps));
        let yes = if in_place { "yes" } else { "no" };
        println!("{written:13}   {yes:8}   {steps:08}");
        draw_save(written, in_place, &format!("{steps:08}"))
    };
    let frames = [(0, false), (2, false), (5, false), (5, true)].map(frame);
    plot::save_frames("checkpoint-save", &frames);
}

/// The run's directory, and the one that is found in it.
fn draw_save(written: usize, in_place: bool, found: &str) -> Figure {
    let old = "00000010";
    let new = if in_place { "00000020" } else { UNFINISHED };
    let place = if in_place { "in place" } else { "not in place" };
    let mut figure = Diagram::new(
        &format!("A save with {written} files written, {place}"),
        &match written {
            0 => format!("The run holds {old}. Found: {found}."),
            _ => format!(
                "The run holds {old} with its five files, and {new} with \
                 {written}. Found: {found}."
            ),
        },
        30.2,
        6.6,
    )
    .across(16.6);
    let rows = [(old, 5, 1.6), (new, written, 4.6)];
    for (name, files, y) in rows.into_iter().filter(|row| row.1 > 0) {
        let hue = if name == found { Hue::Green } else { Hue::Rule };
        let dir = figure.block((6.4, y), (12.0, 1.8), name, hue);
        for i in 0..files {
            let x = 14.6 + 3.4 * i as f64;
            let name = ["settings", "merges", "model", "Adam", "digests"][i];
            let file = figure.block((x, y), (3.0, 1.8), name, hue);
            if i == 0 {
                figure.line(&[dir.right(), file.left()], hue);
            }
        }
    }
    figure.draw()
}

/// The same with the old files overwritten one after the other.
fn killed_in_place(run: &Path) {
    let [old, new] =
        [10, 20].map(|updates| files(&checkpoint_path(run, updates)));
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    write(dir, &old);
    let model = &new[2];
    let load_after = |percent| {
        let bytes = &model[..percent * model.len() / 100];
        fs::write(dir.join(FILES[2]), bytes).unwrap();
        Checkpoint::load(dir)
    };
    let moments = (0..100).step_by(5);
    let survived = moments.filter(|&percent| load_after(percent).is_ok());
    println!("\n== Killed in place");
    println!("of 20, could be loaded = {}", survived.count());
    let error = load_after(99).unwrap_err();
    let folder = format!("{}/", dir.display());
    println!("at 99 % = {}", error.to_string().replace(&folder, ""));
    let mixed = load_after(100).is_ok();
    println!(
        "new model, old memory = {}",
        if mixed { "loads without a complaint" } else { "does not load" }
    );
}

/// One run goes through, the other has the first of its two checkpoints.
fn same_bytes(run: &Path, plan: &Checkpoint, examples: &[Example]) {
    let resumed = &run.with_file_name("resumed");
    write(&checkpoint_path(resumed, 10), &files(&checkpoint_path(run, 10)));
    train_and_keep(resumed, plan, examples).unwrap();
    let [one, other] =
        [run, resumed].map(|run| files(&checkpoint_path(run, 20)));
    let equal = one.iter().zip(&other).filter(|(a, b)| a == b).count();
    println!("\n== Resumed");
    println!("equal files = {equal}");
}

const LETTERS: usize = 6;
const END: Token = LETTERS as Token;
const WARMUP: usize = 40;

type Model<T = Matrix> = Transformer<T>;
type Words = Vec<Vec<Token>>;

/// The word of four letters with this number, from 0 to 6⁴ − 1.
fn word(number: usize) -> Vec<Token> {
    let letter = |place| (number / LETTERS.pow(place) % LETTERS) as Token;
    (0..4).map(letter).collect()
}

/// The words backwards, each between two ends.
fn answers(words: &[Vec<Token>]) -> Words {
    let answer = |word: &Vec<Token>| {
        let letters = word.iter().rev().copied();
        std::iter::once(END).chain(letters).chain([END]).collect()
    };
    words.iter().map(answer).collect()
}

/// A hundred words that are in no lesson.
fn held_out() -> Words {
    (0..1296usize).filter(|n| n.is_multiple_of(13)).map(word).collect()
}

/// What the hundred words cost, in nats a letter.
fn loss(model: &Model) -> f64 {
    let words = held_out();
    let ten =
        |words: &[Vec<Token>]| model.loss(words, &answers(words), 0.0)[0];
    words.chunks(10).map(ten).sum::<f64>() / 10.0
}

/// How many of them it turns round: each letter is right that follows on
/// right letters.
fn right(model: &Model) -> usize {
    let words = held_out();
    let turned = |(word, answer): &(&Vec<Token>, Vec<Token>)| {
        let (fed, asked) = shift_right(answer);
        let scores = model.forward(&[word], &[fed]);
        let best = scores.row_iter().map(|row| row.transpose().argmax().0);
        best.eq(asked.iter().map(|&id| id as usize))
    };
    words.iter().zip(answers(&words)).filter(turned).count()
}

/// The optimizer's chapter once more, now with what Adam remembers.
struct Run {
    /// Before the first step, and after each.
    models: Vec<Model>,
    adams: Vec<Adam<Model>>,
}

/// Twelve words of the lesson with this number, and a step.
fn step(lesson: usize, model: &mut Model, adam: &mut Adam<Model>, lr: f64) {
    let rng = &mut ChaCha8Rng::seed_from_u64(lesson as u64);
    let numbers = std::iter::repeat_with(|| rng.random_range(0..1296));
    let numbers = numbers.filter(|n: &usize| !n.is_multiple_of(13));
    let words: Words = numbers.map(word).take(12).collect();
    let (_, gradients) =
        gradient(&*model, |model| model.loss(&words, &answers(&words), 0.1));
    adam.step(model, &gradients, lr);
}

fn backwards(seed: u64) -> Run {
    let model = newborn(&sizes(LETTERS + 1), seed);
    let adams = vec![Adam::new(&model)];
    let mut run = Run { models: vec![model], adams };
    for lesson in 1..=240 {
        let mut adam = run.adams[lesson - 1].clone();
        let mut model = run.models[lesson - 1].clone();
        let lr = learning_rate(0.01, lesson, WARMUP);
        step(lesson, &mut model, &mut adam, lr);
        run.models.push(model);
        run.adams.push(adam);
    }
    run
}

/// How far two models are apart: the root of the mean square over all
/// parameters.
fn distance(one: &Model, other: &Model) -> f64 {
    let mut apart = one.clone();
    descend(&mut apart, other, 1.0);
    let leaves = apart.leaves().into_iter();
    let squares: f64 = leaves.map(|(_, leaf)| leaf.norm_squared()).sum();
    (squares / parameter_count(one) as f64).sqrt()
}

/// From step 120 on, with Adam's memory and without.
fn without_memory(run: &Run) {
    let mut model = run.models[120].clone();
    let mut adam = Adam::new(&model);
    let mut forgetful = vec![model.clone()];
    for lesson in 121..=160 {
        let lr = learning_rate(0.01, lesson, WARMUP);
        step(lesson, &mut model, &mut adam, lr);
        forgetful.push(model.clone());
    }
    println!("\n== The first step after it");
    for (name, next) in [("kept", &run.models[121]), ("lost", &forgetful[1])]
    {
        let far = distance(next, &run.models[120])
            / learning_rate(0.01, 121, WARMUP);
        println!("memory {name} = {far:.2}");
    }
    println!("\n== With memory and without");
    println!("step   kept   lost");
    for i in [0, 2, 5, 10, 20, 40] {
        let (kept, lost) = (&run.models[120 + i], &forgetful[i]);
        println!("{:4} {:6.2} {:6.2}", 120 + i, loss(kept), loss(lost));
    }
}

/// Which letter follows which, as a table of scores: the smallest model of
/// a language.
type Letters<T = Matrix> = Embedding<T>;

/// The story's letters, spaces 0 and *a* 1.
fn letters() -> Vec<Token> {
    let id = |byte: u8| match byte.to_ascii_lowercase() {
        letter @ b'a'..=b'z' => Token::from(letter - b'a') + 1,
        _ => 0,
    };
    STORY.bytes().map(id).collect()
}

/// The mean of models that are all of one form.
fn mean<L>(models: &[L]) -> L
where
    L: Parameters<Matrix, With<Matrix> = L>,
{
    let mut sum = models[0].map("", &mut |_, leaf| leaf * 0.0);
    models.iter().for_each(|model| add_into(&mut sum, model));
    sum.map("", &mut |_, leaf| leaf / models.len() as f64)
}

/// A noisy descent: every tenth model of a thousand updates, with 64 random
/// letters in a batch.
fn noisy_descent(text: &[Token], rate: fn(usize) -> f64) -> Vec<Letters> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut model = Letters { table: Matrix::zeros(27, 27) };
    let mut adam = Adam::new(&model);
    let mut kept = Vec::new();
    for update in 1..=1000 {
        let mut pair = || {
            let at = rng.random_range(1..text.len());
            (text[at - 1] as usize, text[at])
        };
        let (letters, next): (Vec<_>, Vec<_>) =
            (0..64).map(|_| pair()).unzip();
        let (_, gradients) =
            gradient(&model, |model: &Letters<Variable<_>>| {
                model.table.gather(&letters).cross_entropy(&next, 0.0)
            });
        adam.step(&mut model, &gradients, rate(update));
        if update % 10 == 0 {
            kept.push(model.clone());
        }
    }
    kept
}

/// How often each letter is followed by each.
fn counts(text: &[Token]) -> Matrix {
    let mut counts = Matrix::zeros(27, 27);
    text.windows(2)
        .for_each(|pair| counts[(pair[0] as usize, pair[1] as usize)] += 1.0);
    counts
}

/// What a letter of the story costs on average.
fn story_loss(model: &Letters, counts: &Matrix) -> f64 {
    let p = model.table.softmax(&Mask::none(27, 27));
    let nats = p.zip_map(counts, |p, count| -p.ln() * count);
    nats.sum() / counts.sum()
}

/// The least it can cost: to know how often each follows. What never does
/// gets next to nothing.
fn best(counts: &Matrix) -> f64 {
    let table = counts.map(|count| (count + 1e-9).ln());
    story_loss(&Letters { table }, counts)
}

fn mean_of_the_last() {
    let text = letters();
    let (kept, counts) = (noisy_descent(&text, |_| 0.2), counts(&text));
    let floor = best(&counts);
    let above = |model: &Letters| story_loss(model, &counts) - floor;
    let heights: Vec<f64> = kept.iter().map(above).collect();
    println!("\n== The mean of the last");
    println!("how many   each, on average   their mean");
    let point = |k: usize| {
        let last = kept.len() - k;
        let each = heights[last..].iter().sum::<f64>() / k as f64;
        (k as f64, each, above(&mean(&kept[last..])))
    };
    for (k, each, mean) in [1, 2, 5, 10, 20, 50, 80, 100].map(point) {
        println!("{k:8} {each:18.3} {mean:12.3}");
    }
    let (_, each, mean_20) = point(20);
    println!("\n== The floor");
    println!("times as low = {:.0}", each / mean_20);
    println!("best = {floor:.2}");
    println!("ln 27 = {:.2}", 27f64.ln());
    let falling =
        noisy_descent(&text, |update| learning_rate(0.2, update, 100));
    println!("falling, last = {:.3}", above(&falling[99]));
    println!("falling, mean of 20 = {:.3}", above(&mean(&falling[80..])));
    let points: Vec<_> = (1..=100).map(point).collect();
    let many = points[79];
    let figure = Chart::new(
        "The mean of the last checkpoints",
        &format!(
            "Each of the last checkpoints is about {each:.2} above the best \
             possible loss, whatever their number. Their mean comes down \
             from {:.2} to {:.3} for {} of them and rises again at the end.",
            points[0].2, many.2, many.0
        ),
    )
    .size(450.0, 290.0)
    .log_x()
    .log_y()
    .x("how many of the last")
    .y("nats above the best")
    .line("each", points.iter().map(|p| (p.0, p.1)))
    .line("their mean", points.iter().map(|p| (p.0, p.2)));
    plot::save("checkpoint-mean", &figure.draw());
}

/// On a straight line from one model to another.
fn between(one: &Model, other: &Model, part: f64) -> Model {
    let (mut apart, mut model) = (one.clone(), one.clone());
    descend(&mut apart, other, 1.0);
    descend(&mut model, &apart, part);
    model
}

fn between_two(one: &Run, other: &Run) {
    let start = 200;
    let (early, late, stranger) =
        (&one.models[start], &one.models[240], &other.models[240]);
    println!("\n== Halfway");
    for (name, model) in [
        ("step 200", early),
        ("step 240", late),
        ("their mean", &between(early, late, 0.5)),
        ("another run", stranger),
        ("mean of two runs", &between(stranger, late, 0.5)),
    ] {
        println!("{name}, loss = {:.2}", loss(model));
        println!("{name}, right = {}", right(model));
    }
    let line = |from: &Model| {
        let parts = (0..=20).map(|i| f64::from(i) / 20.0);
        let point = |part| (part, loss(&between(from, late, part)));
        parts.map(point).collect::<Vec<_>>()
    };
    let figure = Chart::new(
        "On the way from one model to another",
        &format!(
            "The loss along two straight lines that end at the same model. \
             From its own step {start} it falls all the way. From the model \
             of another run it climbs over a ridge far above both ends."
        ),
    )
    .size(450.0, 290.0)
    .x("part of the way")
    .y("loss on held-out words, in nats")
    .line("from another run", line(stranger))
    .line("from step 200", line(early))
    .guide_y(7f64.ln(), "ln 7");
    plot::save("checkpoint-line", &figure.draw());
}

/// Columns read as rows: where a matrix is square, every size is right.
fn rows_for_columns(run: &Run) {
    let (mut square, mut all) = (0, 0);
    let model = run.models[240].map("", &mut |_, leaf: &Matrix| {
        all += 1;
        if !leaf.is_square() {
            return leaf.clone();
        }
        square += 1;
        leaf.transpose()
    });
    println!("\n== Rows for columns");
    println!("square = {square}");
    println!("tensors = {all}");
    println!("loss = {:.2}", loss(&model));
    println!("right = {}", right(&model));
}
