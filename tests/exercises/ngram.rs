use all_you_need::ngram::Ngram;
use all_you_need::tokens::Token;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[path = "../../exercises/checks/ngram.rs"]
mod check;

// Exercise 1
//
// It has never seen *a*, so neither *saw a* nor *a* is a context that it
// knows. What is left is the empty context: it gives each word a mixture of
// its share of the text and 1/V, whatever came before.
#[test]
fn an_unknown_word_leaves_the_shares_of_single_words() {
    let mut trigram = Ngram::new(3, 5, 0.5);
    trigram.count(&[0, 1, 2, 0, 1, 3]);
    for token in 0..5 {
        let unknown = trigram.probability(&[1, 4], token);
        assert_eq!(unknown, trigram.probability(&[], token));
    }
    let shares = 0.5 * 2.0 / 6.0 + 0.5 / 5.0;
    assert!((trigram.probability(&[1, 4], 0) - shares).abs() < 1e-12);
}

// Exercise 2
//
// A set keeps each pair once, and the pairs are counted by their second word.
// Kneser and Ney give these numbers to the empty context, and count the
// beginning of the text as a word before, too.

/// How many different words came before each, the most first.
pub fn most_welcome(text: &[Token]) -> Vec<(Token, usize)> {
    let pairs = text.windows(2).map(|pair| (pair[0], pair[1]));
    let mut before = BTreeMap::new();
    for (_, word) in pairs.collect::<BTreeSet<_>>() {
        *before.entry(word).or_insert(0) += 1;
    }
    let mut all: Vec<_> = before.into_iter().collect();
    all.sort_by_key(|(_, count)| Reverse(*count));
    all
}

// Exercise 3
//
// The contexts go from the longest to the empty one. If the longest has been
// seen with the same next token, the loop ends, and the shorter ones are not
// counted: a token that comes often in the same phrase counts once in the
// short contexts. The count of a short context is then that of the
// *different* longer contexts. These are the counts
// of Kneser and Ney, and with their discount they make a better model. But the
// shares that are mixed in the first half of the chapter are of the text itself.

/// For every context of up to `most` tokens, what followed it, and how often.
pub fn count_all(
    text: &[Token],
    most: usize,
) -> HashMap<Vec<Token>, HashMap<Token, usize>> {
    let mut counts = HashMap::<Vec<Token>, HashMap<Token, usize>>::new();
    for (i, &next) in text.iter().enumerate() {
        for start in i.saturating_sub(most)..=i {
            let after = counts.entry(text[start..i].to_vec()).or_default();
            *after.entry(next).or_default() += 1;
        }
    }
    counts
}

// Exercise 4
//
// No, it is even slightly better: the table has the sum of all nats in its
// last column, and with 1,000 merges that is a few percent lower. The same pages are fewer tokens with 1,000
// merges, and each of them has more to say, so more is to be guessed per
// token. Two models can be compared by perplexity only if they have the same
// tokens; else, by nats per letter or per page.
#[test]
fn fewer_and_longer_tokens_have_slightly_fewer_nats_in_all() {
    let log = include_str!("../../src/logs/ngram-counts.tsv");
    let all = |merges: &str| {
        let start = format!("{merges}\t3\tinterpolated\t");
        let line = log.lines().find(|line| line.starts_with(&start));
        let cells: Vec<&str> = line.unwrap().split('\t').collect();
        cells[5].parse::<f64>().unwrap() * cells[6].parse::<f64>().unwrap()
    };
    let ratio = all("1000") / all("500");
    assert!((0.9..1.0).contains(&ratio), "{ratio}");
}
