use all_you_need::checkpoint::Digest;
use all_you_need::cluster::{Alone, Channels, Peers};
use all_you_need::corpus::{Corpus, PackError, survey};
use all_you_need::parameters::Parameters;
use all_you_need::tokens::{Bpe, Tokenizer};
use all_you_need::training::{
    Example, Examples, Recipe, Training, target_tokens,
};
use all_you_need::translation::{
    MAX_TOKENS, TextError, TextPair, examples, learn_tokenizer,
};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::fs::{self, File};
use std::ops::ControlFlow::Continue;
use std::{iter, thread};
use tempfile::tempfile;

use crate::golden::sizes;

/// Texts of one to twelve words, some with letters of two bytes.
fn texts(count: usize, seed: u64) -> Vec<TextPair> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let words = ["wind", "wärme", " ", "sand", "die", "the", "🦊", "in"];
    let mut text = || -> String {
        let length = rng.random_range(1..12);
        let words: Vec<_> =
            (0..length).map(|_| words[rng.random_range(0..8)]).collect();
        words.join(" ")
    };
    (0..count).map(|_| (text(), text())).collect()
}

fn well(
    pairs: &[TextPair],
) -> impl Iterator<Item = Result<TextPair, TextError>> {
    pairs.iter().cloned().map(Ok)
}

/// The same examples, in a file and in memory.
fn both(pairs: &[TextPair], merges: usize) -> (Corpus, Vec<Example>) {
    let tokenizer = learn_tokenizer(pairs, merges);
    let digest = Digest::of_pairs(pairs);
    let file = tempfile().unwrap();
    let corpus = Corpus::pack(well(pairs), &digest, &tokenizer, file);
    (corpus.unwrap(), examples(pairs, &tokenizer).unwrap())
}

fn recipe() -> Recipe {
    Recipe {
        batch_tokens: 60,
        parts: 4,
        updates: 12,
        bidirectional_updates: 7,
        warmup: 4,
        dropout: 0.1,
        ..Recipe::toy()
    }
}

#[test]
fn a_packed_example_is_the_one_that_was_packed() {
    let (corpus, memory) = both(&texts(200, 1), 20);
    assert_eq!((corpus.count(), memory.count()), (200, 200));
    // In any order.
    for i in (0..200).map(|i| i * 77 % 200) {
        assert_eq!(corpus.example(i).unwrap(), memory[i]);
        let both = [memory[i].clone(), memory[i].reversed()];
        let tokens = both.map(|example| example.target_tokens());
        assert_eq!(corpus.target_tokens(i), tokens);
        assert_eq!(memory.target_tokens(i), tokens);
    }
    assert_eq!(target_tokens(&corpus), target_tokens(&memory));
}

#[test]
fn a_packed_corpus_takes_sixteen_bytes_an_example_in_memory() {
    for (count, more) in [(1, 0), (3, 0), (1000, 40)] {
        let mut texts = texts(count, 2);
        texts.iter_mut().for_each(|pair| pair.0 += &" and".repeat(more));
        assert_eq!(both(&texts, 20).0.memory(), 16 * count);
    }
}

#[test]
fn the_batches_are_those_of_examples_in_memory() {
    let (corpus, memory) = both(&texts(50, 3), 20);
    let recipe = recipe();
    let take = |examples: &dyn Examples, skip| -> Vec<_> {
        recipe.batches(examples, skip).map(Result::unwrap).take(40).collect()
    };
    assert_eq!(take(&corpus, 0), take(&memory, 0));
    assert_eq!(take(&corpus, 9), take(&memory, 9));
    assert_eq!(take(&corpus, 9)[..20], take(&memory, 0)[9..29]);
}

/// Trains; every number of the model, bit by bit.
fn train(peers: &impl Peers, examples: &dyn Examples) -> Vec<u32> {
    let mut training = Training::new(&sizes(300), recipe());
    let end = training.run_with(peers, examples, |_, _| Continue::<()>(()));
    assert!(end.is_ok());
    let leaves = training.model.leaves();
    let numbers = leaves.iter().flat_map(|(_, leaf)| leaf.iter());
    numbers.map(|number: &f32| number.to_bits()).collect()
}

#[test]
fn a_training_ends_with_the_same_bytes_and_so_do_two_processes() {
    let (corpus, memory) = both(&texts(50, 3), 20);
    let expected = train(&Alone, &memory);
    assert!(train(&Alone, &corpus) == expected);
    thread::scope(|scope| {
        for peers in Channels::between(2) {
            let expected = &expected;
            scope.spawn(move || {
                let (corpus, _) = both(&texts(50, 3), 20);
                assert!(train(&peers, &corpus) == *expected);
            });
        }
    });
}

#[test]
fn several_threads_can_ask_for_examples() {
    let (corpus, memory) = both(&texts(300, 4), 20);
    thread::scope(|scope| {
        for first in 0..4 {
            let (corpus, memory) = (&corpus, &memory);
            scope.spawn(move || {
                for i in (first..300).step_by(4).chain(0..300) {
                    assert_eq!(corpus.example(i).unwrap(), memory[i]);
                }
            });
        }
    });
}

#[test]
fn a_survey_finds_the_digest_and_the_merges_of_all_pairs() {
    let pairs = texts(200, 5);
    let (digest, words) = survey(well(&pairs)).unwrap();
    assert_eq!(digest, Digest::of_pairs(&pairs));
    assert!(words.distinct() < 20, "{}", words.distinct());
    let learned = Tokenizer::new(Bpe::learn(words, 30));
    assert_eq!(learned, learn_tokenizer(&pairs, 30));
}

/// So much text that it is encoded in several chunks.
#[test]
fn long_texts_are_packed_chunk_by_chunk() {
    let mut pairs = texts(10_000, 6);
    for (i, pair) in (0..).zip(&mut pairs) {
        pair.0 += &format!(" {i:0>900}");
    }
    let bytes = pairs.iter().map(|(a, b)| a.len() + b.len());
    assert!(bytes.sum::<usize>() > 9_000_000);
    let (corpus, memory) = both(&pairs, 0);
    assert!((0..10_000).all(|i| corpus.example(i).unwrap() == memory[i]));
    let (i, tokenizer) = (8999, Tokenizer::default());
    pairs[i].1 = "a".repeat(MAX_TOKENS + 1);
    let digest = Digest::of_pairs(&pairs);
    let error =
        Corpus::pack(well(&pairs), &digest, &tokenizer, tempfile().unwrap());
    let said = error.unwrap_err().to_string();
    let expected = "line 9000: 1025 tokens; at most 1024 are possible";
    assert_eq!(said, expected);
    assert_eq!(examples(&pairs, &tokenizer).unwrap_err().to_string(), said);
}

/// The first pair is too long, and with 4 MiB exactly a chunk. The others
/// need not be in memory, too, for that to be found.
#[test]
fn no_more_than_a_chunk_of_texts_is_read_ahead() {
    let (chunk, mut read) = (4 << 20, 0);
    let pair = || ("a".repeat(chunk - 1), "b".to_owned());
    let pairs = iter::repeat_with(|| Ok(pair())).take(3);
    let pairs = pairs.inspect(|_| read += 1);
    let (digest, tokenizer) = (Digest::of(b""), Tokenizer::default());
    let file = tempfile().unwrap();
    let error = Corpus::pack(pairs, &digest, &tokenizer, file).unwrap_err();
    assert!(matches!(error, PackError::TooLong(_)), "{error}");
    assert_eq!(read, 1);
}

#[test]
fn texts_that_have_changed_are_refused() {
    let (pairs, tokenizer) = (texts(20, 7), Tokenizer::default());
    let digest = Digest::of_pairs(&pairs);
    let pack = |pairs: &[TextPair]| {
        let file = tempfile().unwrap();
        Corpus::pack(well(pairs), &digest, &tokenizer, file)
    };
    assert!(pack(&pairs).is_ok());
    let mut other = pairs.clone();
    other[19].1.push('.');
    let more = [&pairs[..], &pairs[..1]].concat();
    let mut order = pairs.clone();
    order.reverse();
    for changed in [&other[..], &more, &order, &pairs[1..], &[]] {
        let error = pack(changed).unwrap_err();
        assert!(matches!(error, PackError::Changed), "{error}");
    }
    let said = pack(&other).unwrap_err().to_string();
    assert_eq!(said, "they have changed since they were read first");
}

#[test]
fn an_error_among_the_pairs_is_handed_on() {
    let wrong = || TextError::Empty("a file".to_owned());
    let pairs = || well(&texts(3, 1)).collect::<Vec<_>>();
    let pairs = || pairs().into_iter().chain(iter::once(Err(wrong())));
    let said = wrong().to_string();
    assert_eq!(survey(pairs()).unwrap_err().to_string(), said);
    let (digest, tokenizer) = (Digest::of(b""), Tokenizer::default());
    let file = tempfile().unwrap();
    let error = Corpus::pack(pairs(), &digest, &tokenizer, file);
    assert_eq!(error.unwrap_err().to_string(), said);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("read-only");
    fs::write(&path, "").unwrap();
    let full = File::options().write(true).open("/dev/full");
    for file in [File::open(&path).unwrap()].into_iter().chain(full) {
        let (pairs, tokenizer) = (texts(2, 1), Tokenizer::default());
        let digest = Digest::of_pairs(&pairs);
        let error = Corpus::pack(well(&pairs), &digest, &tokenizer, file);
        let error = error.unwrap_err();
        assert!(matches!(error, PackError::Write(_)));
        let said = error.to_string();
        let start = "their tokens cannot be written to a temporary file: ";
        assert!(said.starts_with(start), "{said}");
    }
}
