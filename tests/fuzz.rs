//! A checkpoint whose files were changed at random: by accident, and by
//! somebody who also writes the digests anew.
//!
//! `tests/fuzz.sh` runs a million cases.

use all_you_need::checkpoint::{Checkpoint, Digest, RunData};
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Counts the bytes that are in use.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST_USED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: it only counts what the system's allocator does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST_USED.fetch_max(used, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FILES: [&str; 5] = [
    "config.toml",
    "merges.txt",
    "model.safetensors",
    "adam.safetensors",
    "SHA256SUMS",
];

type Files = [Vec<u8>; 5];

/// A small model after one update.
fn checkpoint() -> Checkpoint {
    let tokenizer = Tokenizer::new(Bpe::train("the cat, the hat", 100));
    let config = Config {
        vocabulary: tokenizer.vocabulary(),
        layers: 1,
        d_model: 2,
        d_ff: 3,
        heads: 1,
        d_k: 2,
        d_v: 1,
    };
    let pairs = [("ab".to_owned(), "ba".to_owned())];
    let run = RunData::new("reverse", &pairs, &pairs);
    let mut training = Training::new(&config, Recipe::toy());
    let example = Example::new("ab", "ba", &tokenizer);
    training.update(&[example]).unwrap();
    Checkpoint { config, training, tokenizer, run }
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
    let line = |(name, bytes): (&&str, &Vec<u8>)| {
        format!("{}  {name}\n", Digest::of(bytes))
    };
    let lines: String =
        FILES[..4].iter().zip(&files[..4]).map(line).collect();
    files[4] = lines.into_bytes();
}

/// What a case found out.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    refused: usize,
    loaded: usize,
    translated: usize,
}

/// A directory for cases, one after the other.
struct Place {
    folder: TempDir,
    written: Files,
}

struct Fuzz {
    original: Checkpoint,
    files: Files,
}

fn bits(model: &Transformer<Matrix<f32>>) -> Vec<u32> {
    let leaves = model.leaves().into_iter();
    let each = leaves.flat_map(|(_, leaf)| leaf.as_slice());
    each.map(|number| number.to_bits()).collect()
}

impl Fuzz {
    fn new() -> Self {
        let original = checkpoint();
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("saved");
        original.save(&dir).unwrap();
        let files = FILES.map(|name| fs::read(dir.join(name)).unwrap());
        Self { original, files }
    }

    fn place(&self) -> Place {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in FILES.iter().zip(&self.files) {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        Place { folder, written: self.files.clone() }
    }

    /// One or two files are changed, once or twice each.
    fn case(&self, place: &mut Place, seed: u64) -> Found {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut files = self.files.clone();
        for _ in 0..=usize::from(rng.random_bool(0.1)) {
            let file = &mut files[rng.random_range(0..5)];
            (0..rng.random_range(1..3)).for_each(|_| change(file, rng));
        }
        let signed = rng.random_bool(0.5);
        if signed {
            sign(&mut files);
        }
        place.write(files);
        let began = Instant::now();
        let found = match signed {
            true => self.hostile(place.folder.path()),
            false => self.accident(place),
        };
        assert!(began.elapsed() < Duration::from_secs(20), "too slow");
        found
    }

    /// Every change is noticed, or does not matter.
    fn accident(&self, place: &Place) -> Found {
        let dir = place.folder.path();
        let checkpoint = Checkpoint::load(dir);
        let same = place.written == self.files;
        assert_eq!(checkpoint.is_ok(), same, "a change is not noticed");
        let Ok(found) = Translator::load(dir) else {
            return Found { refused: 1, ..Found::default() };
        };
        let Checkpoint { config, training, tokenizer, .. } = &self.original;
        assert_eq!(&found.config, config);
        assert_eq!(&found.tokenizer, tokenizer);
        assert_eq!(bits(&found.model), bits(&training.model));
        Found { loaded: 1, ..Found::default() }
    }

    /// What can be loaded can be used.
    fn hostile(&self, dir: &Path) -> Found {
        if let Ok(mut checkpoint) = Checkpoint::load(dir) {
            let Checkpoint { training, tokenizer, .. } = &mut checkpoint;
            let example = Example::new("ab", "ba", tokenizer);
            training.update(&[example]).ok();
        }
        let Ok(found) = Translator::load(dir) else {
            return Found { refused: 1, ..Found::default() };
        };
        let beam = found.beam(2, 0.6, 2);
        let translated = found.n_best(&["the hat", ""], &beam).is_ok();
        Found { loaded: 1, translated: translated.into(), refused: 0 }
    }
}

impl Place {
    /// Writes those files that are others than there are.
    fn write(&mut self, files: Files) {
        for i in 0..5 {
            if files[i] != self.written[i] {
                let path = self.folder.path().join(FILES[i]);
                fs::write(path, &files[i]).unwrap();
            }
        }
        self.written = files;
    }
}

fn variable(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(otherwise, |value| value.parse().expect("a number"))
}

#[test]
fn no_changed_checkpoint_is_a_panic_or_passes_unnoticed() {
    let (cases, seed) = (variable("FUZZ", 4_000), variable("SEED", 1));
    let fuzz = Fuzz::new();
    let one = |place: &mut Place, case: u64| {
        let run = AssertUnwindSafe(|| fuzz.case(place, (seed << 40) + case));
        catch_unwind(run).unwrap_or_else(|_| panic!("case {case}"))
    };
    let found = (0..cases).into_par_iter().map_init(|| fuzz.place(), one);
    let add = |a: Found, b: Found| Found {
        refused: a.refused + b.refused,
        loaded: a.loaded + b.loaded,
        translated: a.translated + b.translated,
    };
    let found = found.reduce(Found::default, add);
    let most = MOST_USED.load(Relaxed) >> 20;
    println!("{cases} cases: {found:?}, at most {most} MiB");
    assert!(found.refused > found.loaded && found.translated > 0);
    assert!(most < 512, "{most} MiB");
}
