//! Letters, words and byte pairs: `cargo run --example tokens`

use all_you_need::tokens::{Bpe, Pair, Token, Vocabulary, characters, words};
use all_you_need::translation::Translator;
use print::{Fixed, grouped, section, table, value};
use std::cmp::Reverse;
use std::collections::HashMap;

/// A story of 1400 words.
const STORY: &str = include_str!("tokens.txt");

fn main() {
    optimus_prime();
    letters_and_words();
    never_seen();
    by_hand();
    story();
    captions();
    latest_first();
}

/// Blanks that can be seen.
pub fn visible(text: &str) -> String {
    text.replace(' ', "␣")
}

/// Things in columns of three letters.
fn line<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items = items.into_iter().map(|item| item.to_string());
    items.map(|item| format!("{item:>3}")).collect()
}

/// *Optimus Prime*, letter by letter.
fn optimus_prime() {
    let text = characters("Optimus Prime");
    let vocabulary = Vocabulary::of(&text);
    let ids = vocabulary.encode(&text).expect("its own letters");
    section("Optimus Prime");
    println!("letter{}", line(text.iter().map(|c| visible(c))));
    println!("id    {}", line(&ids));
    section("Optimus Prime, in the text");
    value("how many characters", text.len());
    value("how many different", vocabulary.len());
    let written = (' '..='~').filter(|c| !c.is_ascii_digit());
    value("letters, punctuation, space", written.count());
    value("room in Unicode", grouped(('\0'..=char::MAX).count()));
}

/// The same sentence in letters and in words.
fn letters_and_words() {
    let sentence = "The cat jumped over the fence";
    let sizes = [characters(sentence), words(sentence)].map(|t| t.len());
    section("Letters and words");
    let names = ["tokens are", "tokens", "comparisons"];
    let rows = ["letters", "words"].into_iter().zip(sizes);
    table(names, rows.map(|(name, n)| (name, n, (n * n))));
    let ratio = sizes[0] as f64 / sizes[1] as f64;
    section("Letters and words, in the text");
    value("times as many tokens", ratio.fixed(1));
    value("times as many pairs", (ratio * ratio).fixed(1));
}

/// The first two thirds of the story, and the rest.
pub fn halves() -> (&'static str, &'static str) {
    let mut spaces = STORY.match_indices(' ');
    let cut = spaces.find(|(at, _)| *at > STORY.len() * 2 / 3);
    STORY.split_at(cut.expect("a space in the last third").0)
}

/// A vocabulary of words meets the rest of the story.
fn never_seen() {
    let (read, unread) = halves();
    let (read, unread) = (words(read), words(unread));
    let vocabulary = Vocabulary::of(&read);
    let is_new =
        |word: &&String| vocabulary.encode(&[(*word).clone()]).is_none();
    let new: Vec<_> = unread.iter().filter(is_new).collect();
    let share = 100.0 * new.len() as f64 / unread.len() as f64;
    section("Words never seen");
    value("different words", vocabulary.len());
    value("words to come", unread.len());
    value("of these new", format!("{share:.0} %"));
}

/// The words that can be followed by hand.
pub const NINE: &str = "the cat and the hat and the fat cat";

/// A text in pieces, cut in front of every space, and each piece as its bytes.
fn cut(text: &str) -> Vec<Vec<Token>> {
    let bytes: Vec<Token> = text.bytes().map(Token::from).collect();
    let pieces = bytes.chunk_by(|_, next| *next != Token::from(b' '));
    pieces.map(<[Token]>::to_vec).collect()
}

/// Makes one token of each such pair in a piece.
fn merge(piece: &mut Vec<Token>, pair: Pair, id: Token) {
    let mut i = 0;
    while i + 1 < piece.len() {
        if (piece[i], piece[i + 1]) == pair {
            piece.splice(i..i + 2, [id]);
        }
        i += 1;
    }
}

/// Learns byte pairs: the two tokens that each merge joins.
fn learn(text: &str, merges: usize) -> Vec<Pair> {
    let mut pieces = cut(text);
    let mut learned = Vec::new();
    for id in (256..).take(merges) {
        let mut counts: HashMap<Pair, usize> = HashMap::new();
        for two in pieces.iter().flat_map(|piece| piece.windows(2)) {
            *counts.entry((two[0], two[1])).or_default() += 1;
        }
        // In a tie, the lowest ids.
        let most = counts.into_iter().max_by_key(|&(p, n)| (n, Reverse(p)));
        let Some((pair, 2..)) = most else { break };
        pieces.iter_mut().for_each(|piece| merge(piece, pair, id));
        learned.push(pair);
    }
    learned
}

/// The tokens of a text: the merges one after the other, as they were learned.
fn encode(text: &str, merges: &[Pair]) -> Vec<Token> {
    let mut pieces = cut(text);
    for (id, &pair) in (256..).zip(merges) {
        pieces.iter_mut().for_each(|piece| merge(piece, pair, id));
    }
    pieces.concat()
}

/// The text of these tokens: all their bytes first, and then the letters.
fn decode(tokens: &[Token], merges: &[Pair]) -> String {
    let mut spelled: Vec<Vec<u8>> = (0..=255).map(|b| vec![b]).collect();
    for &(left, right) in merges {
        let both = [left, right].map(|id| &spelled[id as usize][..]);
        spelled.push(both.concat());
    }
    let bytes = tokens.iter().flat_map(|&id| &spelled[id as usize]);
    String::from_utf8_lossy(&bytes.copied().collect::<Vec<_>>()).into()
}

/// Nine words, and all that can be merged in them.
fn by_hand() {
    let all = Bpe::train(NINE, 100);
    assert_eq!(all.merges(), learn(NINE, 100));
    let tokens = encode(NINE, all.merges());
    assert_eq!(all.encode(NINE), tokens);
    assert_eq!(decode(&tokens, all.merges()), NINE);
    section("Nine words, in the text");
    value("merges in all", all.merges().len());
}

/// How a text is cut, with blanks that can be seen.
fn pieces(bpe: &Bpe, text: &str) -> String {
    let tokens = bpe.encode(text).into_iter();
    let tokens = tokens.map(|id| visible(&bpe.decode(&[id])));
    tokens.collect::<Vec<_>>().join("  ")
}

/// Fails for a tokenizer that loses something, or cuts otherwise than it
/// learned to.
fn check(learn: impl Fn(&str) -> Bpe) {
    let bpe = learn("bc bc bc ab ab abc");
    for text in ["  two  spaces ", "Äpfel, süß", "🦊", "a\nb\tc", ""] {
        assert_eq!(bpe.decode(&bpe.encode(text)), text);
    }
    let pieces = |bpe: &Bpe, text: &str| -> Vec<String> {
        let tokens = bpe.encode(text).into_iter();
        tokens.map(|token| bpe.decode(&[token])).collect()
    };
    // Learned in this order: bc, ␣a, and then ␣ab or ␣bc.
    assert_eq!(pieces(&bpe, " abc"), [" a", "bc"]);
    // Here bc is learned before ab, which is further left.
    let bpe = learn("bc bc bc bc xab yab");
    assert_eq!(pieces(&bpe, "abc"), ["a", "bc"]);
}

/// What is learned from two thirds of the story.
fn story() {
    check(|text| Bpe::train(text, 9));
    let one_line = halves().0.replace('\n', " ");
    let merges = learn(&one_line, 1000);
    assert_eq!(merges, Bpe::train(&one_line, 1000).merges());
    let bpe = Bpe::train(halves().0, 1000);
    section("A story");
    for text in [" the fence", " grandmother", " Optimus Prime"] {
        println!("{:14} → {}", visible(text), pieces(&bpe, text));
    }
    section("A story, in the text");
    value("merges until no pair occurs twice", bpe.merges().len());
    value("half an ü", bpe.decode(&bpe.encode("ü")[..1]));
}

/// What the translator's tokenizer makes of captions.
fn captions() {
    let Translator { tokenizer, .. } = Translator::captions();
    section("Captions");
    for text in [
        "a dog jumps over a fence .",
        "eine fußballspielerin",
        "optimus prime",
    ] {
        println!("{}", pieces(tokenizer.bpe(), text));
    }
    section("Captions, in the text");
    value(
        "merges of the translator",
        grouped(tokenizer.bpe().merges().len()),
    );
}

/// The merges applied in the wrong order, the last learned first.
fn latest_first() {
    let (read, _) = halves();
    let bpe = Bpe::train(read, 1000);
    let ids: HashMap<Pair, Token> =
        bpe.merges().iter().copied().zip(256..).collect();
    let otherwise = |word: &String| {
        let word = format!(" {word}");
        bpe.encode(&word) != backward(&ids, &word)
    };
    section("Latest first");
    let words = words(read);
    value("words", words.len());
    value(
        "words cut otherwise",
        words.iter().filter(|w| otherwise(w)).count(),
    );
}

/// One word, encoded with the latest merge that fits.
fn backward(ids: &HashMap<Pair, Token>, word: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = word.bytes().map(Token::from).collect();
    loop {
        let pairs = tokens.windows(2).enumerate();
        let fits =
            pairs.filter_map(|(i, t)| Some((ids.get(&(t[0], t[1]))?, i)));
        let Some((&id, i)) = fits.max() else { return tokens };
        tokens.splice(i..i + 2, [id]);
    }
}
