use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Example, Recipe, Training};

#[path = "../../exercises/checks/loop.rs"]
mod check;

// Exercise 1
//
// The number of threads changes nothing, since it says only who computes a
// part and when, or, with two threads for each part, who computes which rows
// of a product; what is added to what stays the same. The number of parts is a
// part of the recipe: eight parts are added along another tree, and some last
// digits differ from then on. (With dropout it is not only the last digits,
// because each part draws from a stream of its own.)
#[test]
fn eight_parts_are_another_run() {
    let tokenizer = Tokenizer::default();
    let words =
        ["stop", "planet", "tea", "stone", "plate", "lost", "oat", "note"];
    let example = |word: &str| Example::new(word, word, &tokenizer);
    let batch: Vec<_> = words.map(example).into();
    let bits = |parts: usize| -> Vec<u32> {
        let recipe = Recipe { parts, dropout: 0.0, ..Recipe::toy() };
        let mut training = Training::<f32>::new(&Config::toy(), recipe);
        training.update(&batch).unwrap();
        let leaves = training.model.leaves().into_iter();
        let numbers = leaves.flat_map(|(_, leaf)| leaf.as_slice());
        numbers.map(|number| number.to_bits()).collect()
    };
    assert!(bits(4) == bits(4));
    assert!(bits(4) != bits(8));
}

// Exercise 2
//
// Lay the sentences end to end and cut the line into equal pieces: a sentence
// goes to the piece in which its middle lies, so a part begins and ends at
// most half a sentence beside its piece. Batch and recipe alone decide, so
// threads still change nothing, but it is another run than with equally many
// sentences. A part can be empty, as two of the four are if the sentences have
// 10 and 1 tokens: it has no mean loss, and has to be left out.

/// How many sentences each part of a batch gets.
pub fn share_out(tokens: &[usize], parts: usize) -> Vec<usize> {
    let all: usize = tokens.iter().sum();
    let (mut counts, mut before) = (vec![0; parts], 0);
    for n in tokens {
        // Twice the place of the middle, which may be between two tokens.
        counts[(2 * before + n) * parts / (2 * all)] += 1;
        before += n;
    }
    counts
}

// Exercise 3
//
// The updates go on with the right number, and the batches begin again with
// the first. So the run sees its beginning twice and its end never, and nothing
// looks wrong but the bytes at its end. The batches of the updates that are
// done have to be skipped.

/// The updates of a run that are left, each as its number and its batch.
pub fn remaining(
    batches: impl Iterator<Item = u32>,
    done: usize,
    all: usize,
) -> Vec<(usize, u32)> {
    (done + 1..=all).zip(batches.skip(done)).collect()
}
