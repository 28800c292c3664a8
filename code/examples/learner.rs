//! What a fast learner of byte pairs looks at: `cargo run --example learner`

use all_you_need::tokens::{Bpe, Pair, Token};
use print::{grouped, section, table, value};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

fn main() {
    looked_at();
    first_merge();
    queues();
}

/// A word as tokens, and how often the text has it.
type Word = (Vec<Token>, usize);

/// The different words of a text, cut in front of every space.
fn words(text: &str) -> Vec<Word> {
    let mut counts = BTreeMap::<&str, usize>::new();
    let cut = text.replace(' ', "\n ");
    cut.split('\n').for_each(|word| *counts.entry(word).or_default() += 1);
    let bytes = |word: &str| word.bytes().map(Token::from).collect();
    counts.into_iter().map(|(word, n)| (bytes(word), n)).collect()
}

fn pairs(tokens: &[Token]) -> impl Iterator<Item = Pair> {
    tokens.windows(2).map(|two| (two[0], two[1]))
}

/// How often each pair occurs in the text.
fn counts(words: &[Word]) -> HashMap<Pair, usize> {
    let mut counts = HashMap::new();
    for (tokens, n) in words {
        pairs(tokens).for_each(|pair| *counts.entry(pair).or_default() += n);
    }
    counts
}

/// Joins the pair in this word, if it has it.
fn join(tokens: &mut Vec<Token>, pair: Pair, id: Token) {
    let mut i = 0;
    while i + 1 < tokens.len() {
        if (tokens[i], tokens[i + 1]) == pair {
            tokens.splice(i..i + 2, [id]);
        }
        i += 1;
    }
}

/// Two thirds of the story of the chapter on tokens, on one line.
fn story() -> String {
    let story = include_str!("tokens.txt");
    let mut spaces = story.match_indices(' ');
    let cut = spaces.find(|(at, _)| *at > story.len() * 2 / 3);
    let (read, _) = story.split_at(cut.expect("a space in the last third").0);
    read.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words that have a pair or, as in the crate, had it once.
type Places = HashMap<Pair, BTreeSet<usize>>;

fn remember(places: &mut Places, word: usize, tokens: &[Token]) {
    for pair in pairs(tokens) {
        places.entry(pair).or_default().insert(word);
    }
}

/// The pairs that each of three ways of learning looks at, merge by merge:
/// all of the text, all of its different words, and those of words that
/// change, before and after.
pub fn merge_by_merge() -> Vec<[usize; 3]> {
    let (bpe, mut words) = (Bpe::train(&story(), 1000), words(&story()));
    let size = |(tokens, _): &Word| tokens.len() - 1;
    let mut places = Places::new();
    for (i, (tokens, _)) in words.iter().enumerate() {
        remember(&mut places, i, tokens);
    }
    let one = |(id, &pair): (Token, &Pair)| {
        let all = words.iter().map(|word| size(word) * word.1).sum();
        let once = words.iter().map(size).sum();
        let mut changed = 0;
        for i in places.remove(&pair).unwrap_or_default() {
            changed += size(&words[i]);
            join(&mut words[i].0, pair, id);
            changed += size(&words[i]);
            remember(&mut places, i, &words[i].0);
        }
        [all, once, changed]
    };
    (256..).zip(bpe.merges()).map(one).collect()
}

fn looked_at() {
    let (merges, words) = (merge_by_merge(), words(&story()));
    let sum = |way: usize| merges.iter().map(|m| m[way]).sum::<usize>();
    let first = merges[0][1]; // the last way also counts all words once
    let (all, once, changed) = (sum(0), sum(1), first + sum(2));
    section("Looked at");
    let rows = [
        ("every pair of the text", all),
        ("every pair of each distinct word", once),
        ("only words that change", changed),
    ];
    let row = |(way, pairs): (&'static str, usize)| {
        let times = format!("{:.1}", all as f64 / pairs as f64);
        (way, grouped(pairs), times)
    };
    table(["looked at", "pairs in all", "times fewer"], rows.map(row));
    section("Looked at, in the text");
    value("merges", merges.len());
    value("words", words.iter().map(|word| word.1).sum::<usize>());
}

/// The words that can be followed by hand.
const NINE: &str = "the cat and the hat and the fat cat";

/// The counts that the first merge changes.
fn first_merge() {
    let bpe = Bpe::train(NINE, 1);
    let mut words = words(NINE);
    let before = counts(&words);
    words.iter_mut().for_each(|word| join(&mut word.0, bpe.merges()[0], 256));
    let after = counts(&words);
    let all = before.keys().chain(after.keys()).copied();
    let changed = all.filter(|pair| before.get(pair) != after.get(pair));
    let changed: BTreeMap<Pair, ()> =
        changed.map(|pair| (pair, ())).collect();
    let spell = |id| bpe.decode(&[id]).replace(' ', "␣");
    let row = |pair: &Pair| {
        let count = |counts: &HashMap<Pair, usize>| {
            counts.get(pair).map_or("–".to_owned(), usize::to_string)
        };
        let name = format!("{} + {}", spell(pair.0), spell(pair.1));
        let old = before.contains_key(pair);
        let queued = match *pair == bpe.merges()[0] {
            true => "–".to_owned(), // it was taken from the queue
            false => count(if old { &before } else { &after }),
        };
        [name, count(&before), count(&after), queued]
    };
    section("The first merge");
    table(
        ["pair", "before", "after", "in the queue then"],
        changed.keys().map(row),
    );
}

/// Learns with a queue of counts, some of which are stale, and says how many
/// stale ones came to its top. If it trusts them, it learns something else.
fn learn(mut words: Vec<Word>, trusts: bool) -> (Vec<Pair>, usize) {
    let entry = |(&pair, &n): (&Pair, &usize)| (n, Reverse(pair));
    let (mut learned, mut stale) = (Vec::new(), 0);
    let mut now = counts(&words);
    let mut queue: BinaryHeap<_> = now.iter().map(entry).collect();
    while let Some((n, Reverse(pair))) = queue.pop() {
        let left = now.get(&pair).copied().unwrap_or(0);
        if left != n && !trusts {
            stale += 1;
            queue.push((left, Reverse(pair)));
            continue;
        }
        if n < 2 {
            break;
        }
        let id = 256 + learned.len() as Token;
        words.iter_mut().for_each(|word| join(&mut word.0, pair, id));
        now = counts(&words);
        let new = now.iter().filter(|(pair, _)| pair.0 == id || pair.1 == id);
        queue.extend(new.map(entry));
        learned.push(pair);
    }
    (learned, stale)
}

fn queues() {
    let (right, stale) = learn(words(&story()), false);
    assert_eq!(right, Bpe::train(&story(), 1000).merges());
    let (wrong, _) = learn(words(&story()), true);
    let same = right.iter().zip(&wrong).take_while(|(a, b)| a == b).count();
    section("Stale counts");
    value("stale counts that came to the top", stale);
    value("the first wrong merge", same + 1);
}
