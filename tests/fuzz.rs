//! A saved model whose files were changed at random: by accident, and by
//! somebody who also writes the digests anew.
//!
//! `tests/fuzz.sh` runs a million cases, and none may ask for much memory,
//! neither at a time nor one after the other.

use all_you_need::checkpoint::{Checkpoint, Digest, RunData};
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::quantization::{QuantizedModel, quantize};
use all_you_need::search::Sampling;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::translation::Translator;
use all_you_need::writer::{Draft, Half, Text, Trainer, Writer};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tempfile::TempDir;

/// Counts the bytes that are in use, and all that were asked for.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST_USED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The bytes that the case on this thread has asked for, also those that
    /// it has given back: the work it makes, which no clock need measure.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

static MOST_ASKED: AtomicUsize = AtomicUsize::new(0);

/// The most bytes that a case may ask for.
const ENOUGH: usize = 1 << 30;

// SAFETY: it only counts what the system's allocator does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST_USED.fetch_max(used, Relaxed);
        ASKED.set(ASKED.get().saturating_add(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Files by name; the last has the digests of the others.
type Files = Vec<(&'static str, Vec<u8>)>;

/// What all models here are saved as, and some of them Adam's moments.
const NAMES: [&str; 5] = [
    "config.toml",
    "merges.txt",
    "model.safetensors",
    "adam.safetensors",
    "SHA256SUMS",
];

fn read(dir: &Path) -> Files {
    let file = |name| Some((name, fs::read(dir.join(name)).ok()?));
    NAMES.into_iter().filter_map(file).collect()
}

/// A kind of saved model.
struct Kind {
    /// One of this kind.
    files: Files,
    /// Whether all of it can be loaded, to go on with.
    is_whole: fn(&Path) -> bool,
    /// What it is to those who only want to use it, if they can load it.
    meaning: fn(&Path) -> Option<Vec<u8>>,
    /// Uses it in every way; whether that goes well, if it can be loaded.
    usage: fn(&Path) -> Option<bool>,
}

fn tokenizer() -> Tokenizer {
    Tokenizer::new(Bpe::train("the cat, the hat", 100))
}

fn config() -> Config {
    Config {
        vocabulary: tokenizer().vocabulary(),
        layers: 1,
        d_model: 2,
        d_ff: 3,
        heads: 1,
        d_k: 2,
        d_v: 1,
    }
}

/// A small model after one update.
fn checkpoint() -> Checkpoint {
    let (config, tokenizer) = (config(), tokenizer());
    let pairs = [("ab".to_owned(), "ba".to_owned())];
    let run = RunData::new("reverse", &pairs, &pairs);
    let mut training = Training::new(&config, Recipe::toy());
    let example = Example::new("ab", "ba", &tokenizer);
    training.update(&[example]).unwrap();
    Checkpoint { config, training, tokenizer, run }
}

/// A small writer after one update.
fn draft() -> Draft {
    let (config, tokenizer) = (config(), tokenizer());
    let new = |rng: &mut _| Half::new(&config, rng);
    let mut trainer: Trainer<Half<Matrix<f32>>> =
        Trainer::new(Recipe::toy(), new);
    trainer.update(&[Text(tokenizer.encode("the hat"))]).unwrap();
    let Trainer { recipe, model, adam } = trainer;
    let text = Digest::of(b"the hat");
    Draft { writer: Writer { config, model, tokenizer, recipe, text }, adam }
}

/// The bytes of what a model is and knows.
fn bytes(
    config: &Config,
    tokenizer: &Tokenizer,
    model: &impl Parameters<Matrix<f32>>,
) -> Vec<u8> {
    let merges = tokenizer.bpe().merges();
    let mut bytes = format!("{config:?}{merges:?}").into_bytes();
    for (_, leaf) in model.leaves() {
        bytes.extend(leaf.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}

fn translates(found: &Translator) -> bool {
    let beam = found.beam(2, 0.6, 2);
    found.n_best(&["the hat", ""], &beam).is_ok()
}

fn of_translator(found: &Translator) -> Vec<u8> {
    bytes(&found.config, &found.tokenizer, &found.model)
}

fn of_writer(dir: &Path) -> Option<Vec<u8>> {
    let found = Writer::load(dir).ok()?;
    Some(bytes(&found.config, &found.tokenizer, &found.model))
}

fn writes(dir: &Path) -> Option<bool> {
    let found = Writer::load(dir).ok()?;
    let (bos, eos) = (found.tokenizer.bos(), found.tokenizer.eos());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let sampling = Sampling::new(bos, eos);
    let mut drawn = found.tokens("the", &sampling, &mut rng).take(3);
    Some(drawn.all(|token| token.is_ok()))
}

/// One of each kind.
fn kinds() -> [Kind; 4] {
    let folder = tempfile::tempdir().unwrap();
    let dirs = ["checkpoint", "quantized", "draft", "writer"];
    let dirs = dirs.map(|name| folder.path().join(name));
    checkpoint().save(&dirs[0]).unwrap();
    quantize(&dirs[0]).unwrap().save(&dirs[1]).unwrap();
    draft().save(&dirs[2]).unwrap();
    draft().writer.save(&dirs[3]).unwrap();
    let [checkpoint, quantized, draft, writer] = dirs.map(|dir| read(&dir));
    [
        Kind {
            files: checkpoint,
            is_whole: |dir| Checkpoint::load(dir).is_ok(),
            meaning: |dir| Some(of_translator(&Translator::load(dir).ok()?)),
            usage: |dir| {
                if let Ok(mut checkpoint) = Checkpoint::load(dir) {
                    let Checkpoint { training, tokenizer, .. } =
                        &mut checkpoint;
                    let example = Example::new("ab", "ba", tokenizer);
                    training.update(&[example]).ok();
                }
                Some(translates(&Translator::load(dir).ok()?))
            },
        },
        Kind {
            files: quantized,
            is_whole: |dir| QuantizedModel::load(dir).is_ok(),
            meaning: |dir| Some(of_translator(&Translator::open(dir).ok()?)),
            usage: |dir| Some(translates(&Translator::open(dir).ok()?)),
        },
        Kind {
            files: draft,
            is_whole: |dir| Draft::load(dir).is_ok(),
            meaning: of_writer,
            usage: |dir| {
                if let Ok(Draft { writer, adam }) = Draft::load(dir) {
                    let Writer { recipe, model, tokenizer, .. } = writer;
                    let text = Text(tokenizer.encode("the hat"));
                    let mut trainer = Trainer { recipe, model, adam };
                    trainer.update(&[text]).ok();
                }
                writes(dir)
            },
        },
        Kind {
            files: writer,
            is_whole: |dir| Writer::load(dir).is_ok(),
            meaning: of_writer,
            usage: writes,
        },
    ]
}

/// One change of a file.
fn change(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let n = bytes.len().max(1);
    let at = rng.random_range(0..n).min(bytes.len());
    let end = (at + rng.random_range(1..40)).min(bytes.len());
    let some: Vec<u8> = bytes[at..end].to_vec();
    match rng.random_range(0..14) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
        2 if at < bytes.len() => bytes[at] = rng.random(),
        3 => bytes.truncate(at),
        4 => bytes.extend(some),
        5 => drop(bytes.drain(at..end)),
        6 => drop(bytes.splice(at..at, some)),
        7 => {
            drop(bytes.splice(at..at, (at..end).map(|_| rng.random::<u8>())))
        }
        8 => change_length(bytes, rng),
        9 => change_float(bytes, rng),
        10 | 11 => change_number(bytes, rng),
        12 => change_line(bytes, rng),
        _ => change_all(bytes, rng),
    }
}

/// A length at the beginning, as a safetensors file has it.
fn change_length(bytes: &mut [u8], rng: &mut ChaCha8Rng) {
    let lengths = [0, 1, 7, 100_000_000, 1 << 40, u64::MAX, rng.random()];
    let length = lengths[rng.random_range(0..lengths.len())].to_le_bytes();
    if let Some(first) = bytes.first_chunk_mut() {
        *first = length;
    }
}

/// Four bytes that may be a number of the model.
fn change_float(bytes: &mut [u8], rng: &mut ChaCha8Rng) {
    let floats = [f32::NAN, f32::INFINITY, f32::MAX, -f32::MAX, 1e-45, 1e20];
    let float = floats[rng.random_range(0..floats.len())].to_le_bytes();
    let numbers = bytes.as_rchunks_mut::<4>().1;
    if !numbers.is_empty() {
        let place = rng.random_range(0..numbers.len());
        numbers[place] = float;
    }
}

/// A number in a text, and in the header of a safetensors file.
fn change_number(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let digits = |byte: &u8| byte.is_ascii_digit();
    let text = &bytes[..bytes.len().min(4000)];
    let from = rng.random_range(0..text.len().max(1)).min(text.len());
    let Some(start) = text[from..].iter().position(digits) else { return };
    let start = from + start;
    let length = text[start..].iter().take_while(|&b| digits(b)).count();
    let numbers = [
        "0",
        "-1",
        "1",
        "2",
        "257",
        "1000",
        "65536",
        "1000000",
        "4294967296",
        "9223372036854775807",
        "18446744073709551616",
        "1e308",
        "nan",
        "0.5",
        "-0.0",
        "\"\"",
        "[]",
        "true",
    ];
    let new = numbers[rng.random_range(0..numbers.len())];
    bytes.splice(start..start + length, new.bytes());
}

/// A line of a text that is gone, or there twice.
fn change_line(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    let mut lines: Vec<&[u8]> =
        bytes.split_inclusive(|&b| b == b'\n').collect();
    if lines.is_empty() {
        return;
    }
    let place = rng.random_range(0..lines.len());
    let line = lines[place];
    match rng.random() {
        true => drop(lines.remove(place)),
        false => lines.insert(rng.random_range(0..lines.len()), line),
    }
    *bytes = lines.concat();
}

/// Another content altogether.
fn change_all(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    *bytes = match rng.random_range(0..40) {
        0 => Vec::new(),
        1 => vec![0; 1000],
        2 => (0..1000).map(|_| rng.random()).collect(),
        3 => deep("[", 100_000),
        4 => deep("{\"a\":", 100_000),
        5 => b"format = 2\n".repeat(1000),
        6 => (0..5000)
            .flat_map(|i| format!("{i} {i} \"\"\n").into_bytes())
            .collect(),
        _ => return change(bytes, rng),
    };
}

/// A header of a safetensors file that is nested deeply.
fn deep(opening: &str, depth: usize) -> Vec<u8> {
    let header = opening.repeat(depth);
    [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat()
}

/// Digests of what the files hold now.
fn sign(files: &mut Files) {
    let (sums, files) = files.split_last_mut().unwrap();
    let line = |(name, bytes): &(&str, Vec<u8>)| {
        format!("{}  {name}\n", Digest::of(bytes))
    };
    sums.1 = files.iter().map(line).collect::<String>().into_bytes();
}

/// What some cases found out.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    refused: usize,
    loaded: usize,
    used: usize,
}

impl Found {
    fn add(self, other: Self) -> Self {
        Self {
            refused: self.refused + other.refused,
            loaded: self.loaded + other.loaded,
            used: self.used + other.used,
        }
    }
}

/// A directory for cases of one kind, one after the other.
struct Place<'a> {
    kind: &'a Kind,
    meaning: Vec<u8>,
    folder: TempDir,
    written: Files,
}

impl<'a> Place<'a> {
    fn new(kind: &'a Kind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in &kind.files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let meaning = (kind.meaning)(folder.path()).unwrap();
        let written = kind.files.clone();
        Self { kind, meaning, folder, written }
    }

    /// One or two files are changed, once or twice each.
    fn case(&mut self, seed: u64) -> Found {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut files = self.kind.files.clone();
        for _ in 0..=usize::from(rng.random_bool(0.1)) {
            let file = rng.random_range(0..files.len());
            let file = &mut files[file].1;
            (0..rng.random_range(1..3)).for_each(|_| change(file, rng));
        }
        let signed = rng.random_bool(0.5);
        if signed {
            sign(&mut files);
        }
        self.write(files);
        match signed {
            true => self.hostile(),
            false => self.accident(),
        }
    }

    /// Writes those files that are others than there are.
    fn write(&mut self, files: Files) {
        for (new, old) in files.iter().zip(&self.written) {
            if new != old {
                fs::write(self.folder.path().join(new.0), &new.1).unwrap();
            }
        }
        self.written = files;
    }

    /// Every change is noticed, or does not matter.
    fn accident(&self) -> Found {
        let dir = self.folder.path();
        let same = self.written == self.kind.files;
        let is_whole = (self.kind.is_whole)(dir);
        assert_eq!(is_whole, same, "a change is not noticed");
        let Some(found) = (self.kind.meaning)(dir) else {
            return Found { refused: 1, ..Found::default() };
        };
        assert!(found == self.meaning, "a change is taken for the model");
        Found { loaded: 1, ..Found::default() }
    }

    /// What can be loaded can be used.
    fn hostile(&self) -> Found {
        match (self.kind.usage)(self.folder.path()) {
            None => Found { refused: 1, ..Found::default() },
            Some(used) => Found { loaded: 1, used: used.into(), refused: 0 },
        }
    }
}

fn variable(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(otherwise, |value| value.parse().expect("a number"))
}

#[test]
fn no_changed_model_is_a_panic_or_passes_unnoticed() {
    let (cases, seed) = (variable("FUZZ", 4_000), variable("SEED", 1));
    let kinds = kinds();
    let places = || kinds.each_ref().map(Place::new);
    let one = |places: &mut [Place; 4], case: u64| {
        let kind = (case % 4) as usize;
        // While it waits for other threads, a case may run another one.
        let outer = ASKED.replace(0);
        let run = AssertUnwindSafe(|| places[kind].case((seed << 40) + case));
        let found = catch_unwind(run);
        let found = found.unwrap_or_else(|_| panic!("case {case}"));
        let asked = ASKED.replace(outer);
        MOST_ASKED.fetch_max(asked, Relaxed);
        assert!(asked < ENOUGH, "case {case}: too much work");
        let mut all = [Found::default(); 4];
        all[kind] = found;
        all
    };
    let found = (0..cases).into_par_iter().map_init(places, one);
    let add = |a: [Found; 4], b: [Found; 4]| {
        std::array::from_fn(|kind| a[kind].add(b[kind]))
    };
    let found = found.reduce(Default::default, add);
    let [most, asked] =
        [&MOST_USED, &MOST_ASKED].map(|bytes| bytes.load(Relaxed) >> 20);
    println!("{cases} cases: {found:?}, at most {most} MiB");
    println!("at most {asked} MiB asked for by a case");
    for Found { refused, loaded, used } in found {
        assert!(refused > loaded && used > 0);
    }
    assert!(most < 512, "{most} MiB");
}
