//! Makes large files of pairs, measures each step from them to batches, and trains on words that were shuffled in windows:
//! `src/logs/corpus.sh`

#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/window.rs"]
mod window;

use all_you_need::corpus::{Corpus, survey};
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{
    Example, Examples, Recipe, Stream, generator, target_tokens,
};
use all_you_need::translation::pairs;
use arguments::arguments;
use rand::{RngExt, rngs::ChaCha8Rng};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// How many words there are in each language.
const LEXICON: f64 = 500_000.0;

/// A word by its rank: syllables for the digits of the rank, so that a frequent word is short. Those of the target are
/// the other way round.
fn word(mut rank: usize, reversed: bool) -> String {
    let mut word = String::new();
    loop {
        let (consonant, vowel) = (rank / 5 % 16, rank % 5);
        word.push(char::from(b"bcdfghjklmnprstw"[consonant]));
        word.push(char::from(b"aeiou"[vowel]));
        rank /= 80;
        if rank == 0 {
            let letters = word.chars();
            return if reversed { letters.rev().collect() } else { word };
        }
    }
}

/// Ten to forty words. By Zipf's law the word of rank *r* is drawn with a probability of about 1/*r*, but for a factor.
fn sentence(rng: &mut ChaCha8Rng, reversed: bool) -> String {
    let length = rng.random_range(10..=40);
    let mut draw = || LEXICON.powf(rng.random::<f64>()) as usize;
    let words: Vec<_> = (0..length).map(|_| word(draw(), reversed)).collect();
    words.join(" ")
}

/// Two files with this many lines.
fn generate(count: usize, folder: &Path) -> Result<(), Box<dyn Error>> {
    let rng = &mut generator(1, Stream::Data);
    for (name, reversed) in [("source", false), ("target", true)] {
        let mut file = BufWriter::new(File::create(folder.join(name))?);
        for _ in 0..count {
            writeln!(file, "{}", sentence(rng, reversed))?;
        }
        file.flush()?;
    }
    Ok(())
}

/// What a step has made, how many seconds it took, and for how many a processor has worked for it.
fn timed<T>(step: impl FnOnce() -> T) -> (T, [f64; 2]) {
    let (start, before) = (Instant::now(), processor_time());
    let result = step();
    let seconds = start.elapsed().as_secs_f64();
    (result, [seconds, processor_time() - before])
}

/// For how many seconds the threads of this process have had a processor, as Linux tells.
fn processor_time() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.map(|n| n.parse::<f64>().expect("ticks")).sum::<f64>() / 100.0
}

/// A row: what the files hold, and for each step its seconds and those of the processors.
fn measure(folder: &Path) -> Result<(), Box<dyn Error>> {
    let [source, target] = ["source", "target"].map(|name| folder.join(name));
    let text = fs::metadata(&source)?.len() + fs::metadata(&target)?.len();
    let read = || pairs(&source, &target);
    let (surveyed, counting) = timed(|| survey(read()?));
    let (digest, words) = surveyed?;
    let distinct = words.distinct();
    let (bpe, learning) = timed(|| Bpe::learn(words, 10_000));
    let tokenizer = Tokenizer::new(bpe);
    let file = tempfile::tempfile()?;
    let (corpus, packing) =
        timed(|| Corpus::pack(read()?, &digest, &tokenizer, file));
    let corpus = corpus?;
    let batch = milliseconds_of_a_batch(&corpus);
    let (count, memory) = (corpus.count(), corpus.memory());
    let tokens =
        (0..count).map(|i| corpus.target_tokens(i)[1]).sum::<usize>()
            + target_tokens(&corpus);
    print!("{count}\t{text}\t{distinct}\t{tokens}\t{memory}");
    for [seconds, processor] in [counting, learning, packing] {
        print!("\t{seconds:.1}\t{processor:.1}");
    }
    println!("\t{batch:.1}");
    Ok(())
}

/// How long it takes to read a batch of the paper's size, at random places of the file.
fn milliseconds_of_a_batch(corpus: &Corpus) -> f64 {
    const BATCHES: usize = 20;
    let recipe = Recipe::base();
    let mut batches = recipe.batches(corpus, 0).map(Result::unwrap);
    let first: Option<Vec<Example>> = batches.next();
    assert!(first.is_some(), "the order of the epoch is made with it");
    let (_, [seconds, _]) = timed(|| batches.take(BATCHES).for_each(drop));
    1e3 * seconds / BATCHES as f64
}

fn main() -> Result<(), Box<dyn Error>> {
    match arguments()[..] {
        ["generate", count, folder] => {
            generate(count.parse()?, Path::new(folder))
        }
        ["measure", folder] => measure(Path::new(folder)),
        ["windows"] => {
            window::windows();
            Ok(())
        }
        _ => Err("generate PAIRS FOLDER, measure FOLDER, or windows")?,
    }
}
