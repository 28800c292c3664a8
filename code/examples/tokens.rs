//! Characters, words, one-hot rows, byte pairs: `cargo run --example tokens`

use all_you_need::tensor::Matrix;
use all_you_need::tokens::{
    Bpe, Pair, Token, Vocabulary, characters, one_hot, words,
};
use plot::{Chart, Diagram, Figure, HeatMaps, Hue, Panel, Side};
use print::grouped;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A story of 1400 words.
const STORY: &str = include_str!("tokens.txt");

fn main() {
    optimus_prime();
    twelve_codes();
    alphabets();
    order();
    one_hot_rows();
    distances();
    eleven_columns();
    lengths();
    never_seen();
    by_hand();
    story();
    tokens_a_word();
    nothing_is_lost();
    across_words();
    latest_first();
}

/// Blanks that can be seen.
fn visible(text: &str) -> String {
    text.replace(' ', "␣").replace('\n', "↵")
}

fn line<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items =
        items.into_iter().map(|item| format!("{:>3}", item.to_string()));
    items.collect()
}

/// *Optimus Prime*, character by character, there and back.
fn optimus_prime() {
    let text = characters("Optimus Prime");
    let vocabulary = Vocabulary::of(&text);
    let ids = vocabulary.encode(&text).unwrap();
    println!("== Optimus Prime");
    println!("character{}", line(text.iter().map(|c| visible(c))));
    println!("id       {}", line(&ids));
    println!("\nand back = {}", vocabulary.decode(&ids).concat());
    println!("how many characters = {}", text.len());
    println!("how many different = {}", vocabulary.len());
}

/// The first note's codes, under the two readings that fit their number.
fn twelve_codes() {
    let codes = [1, 2, 3, 4, 5, 6, 0, 2, 7, 4, 5, 8];
    println!("\n== Twelve codes");
    println!("code   {}", line(codes));
    for letters in ["OptimusPrime", "Optimu Prime"] {
        let letters = characters(letters);
        let mut letter_of = BTreeMap::new();
        for (code, letter) in codes.iter().zip(&letters) {
            letter_of.entry(code).or_insert(letter);
        }
        let back: Vec<_> = codes.iter().map(|code| letter_of[code]).collect();
        println!("for    {}", line(letters.iter().map(|c| visible(c))));
        println!("back to{}", line(back.iter().map(|c| visible(c))));
    }
}

/// How many characters there are.
fn alphabets() {
    let ascii = || ' '..='~';
    let count = |test: fn(&char) -> bool| ascii().filter(test).count();
    println!("\n== Alphabets");
    println!("letters = {}", count(char::is_ascii_alphabetic));
    println!("and digits = {}", count(char::is_ascii_alphanumeric));
    let written = |c: &char| !c.is_ascii_digit();
    println!("letters, punctuation, space = {}", count(written));
    println!("all of them = {}", ascii().count());
    let all = ('\0'..=char::MAX).count();
    println!("room in Unicode = {}", grouped(all as u64));
}

/// The same characters in another order are other ids.
fn order() {
    let vocabulary = Vocabulary::of(&characters("Optimus Prime"));
    println!("\n== Order");
    for text in ["Optimus Prime", "Prime Optimus"] {
        let ids = vocabulary.encode(&characters(text)).unwrap();
        println!("{text}{}", line(ids));
    }
}

/// The six words of the second note, in small letters.
fn fence() -> (Vec<String>, Vocabulary, Vec<Token>) {
    let sentence = words("the cat jumped over the fence");
    let vocabulary = Vocabulary::of(&sentence);
    let ids = vocabulary.encode(&sentence).unwrap();
    (sentence, vocabulary, ids)
}

/// In which column each row has its 1: the ids again.
fn ones(rows: &Matrix) -> Vec<Token> {
    let rows = rows.row_iter();
    rows.map(|row| row.transpose().argmax().0 as Token).collect()
}

/// *The cat jumped over the fence*, a row for each word.
fn one_hot_rows() {
    let (sentence, vocabulary, ids) = fence();
    let rows = one_hot(&ids, vocabulary.len());
    let all = Vec::from_iter(0..vocabulary.len() as Token);
    let columns = vocabulary.decode(&all);
    println!("\n== One-hot");
    for (word, row) in sentence.iter().zip(rows.row_iter()) {
        println!("{word:8}{}", line(row.iter()));
    }
    println!("\nrows and columns = {} × {}", rows.nrows(), rows.ncols());
    let capital = words("The cat jumped over the fence");
    let larger = Vocabulary::of(&capital).len();
    println!("with The and the apart = {} × {larger}", capital.len());
    println!("the columns of the ones = {}", line(ones(&rows)).trim());
    let panel = Panel::new(&rows).rows(&sentence).columns(&columns);
    let figure = HeatMaps::new(
        "One-hot rows",
        &format!(
            "{} rows for the words of the sentence, {} columns for the words \
             of the vocabulary. Each row has a single one; the rows of the two \
             thes are the same.",
            rows.nrows(),
            rows.ncols()
        ),
    )
    .panel(
        panel.axes("sentence", "vocabulary").numbers(0).cell(56.0, 28.0),
    );
    plot::save("tokens-one-hot", &figure.draw());
}

/// How far the five words are from each other, as ids and as one-hot rows.
fn distances() {
    let (_, vocabulary, _) = fence();
    let ids = Vec::from_iter(0..vocabulary.len() as Token);
    let names = vocabulary.decode(&ids);
    let rows = one_hot(&ids, ids.len());
    let n = ids.len();
    let of_ids = Matrix::from_fn(n, n, |i, j| ids[i].abs_diff(ids[j]) as f64);
    let of_rows =
        Matrix::from_fn(n, n, |i, j| (rows.row(i) - rows.row(j)).norm());
    println!("\n== Distances");
    println!("from the to fence, as ids = {}", of_ids[(0, n - 1)]);
    println!("from the to cat, as ids = {}", of_ids[(0, 1)]);
    println!("from the to fence, one-hot = {:.2}", of_rows[(0, n - 1)]);
    println!("from the to cat, one-hot = {:.2}", of_rows[(0, 1)]);
    let panel = |matrix, title, decimals| {
        let panel = Panel::new(matrix).title(title);
        panel.columns(&names).numbers(decimals).cell(36.0, 30.0).full(4.0)
    };
    let figure = HeatMaps::new(
        "How far from word to word",
        &format!(
            "Two {n} × {n} maps of distances. Between ids they run from {} to \
             {}, growing away from the diagonal; between one-hot rows all of \
             them are {:.2}.",
            of_ids[(0, 1)],
            of_ids[(0, n - 1)],
            of_rows[(0, 1)]
        ),
    )
    .panel(panel(&of_ids, "between ids", 0).rows(&names))
    .panel(panel(&of_rows, "between one-hot rows", 2));
    plot::save("tokens-distances", &figure.draw());
}

/// The first note's array of eleven, read with our eleven characters.
fn eleven_columns() {
    let array = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0].map(f64::from);
    let row = Matrix::from_row_slice(1, array.len(), &array);
    assert_eq!(row, one_hot(&[7], 11));
    let vocabulary = Vocabulary::of(&characters("Optimus Prime"));
    let id = ones(&row)[0];
    println!("\n== Eleven columns");
    println!("the column of the 1 = {id}");
    println!("our letter there = {}", visible(&vocabulary.decode(&[id])[0]));
}

/// The same sentence in characters and in words.
fn lengths() {
    let sentence = "The cat jumped over the fence";
    println!("\n== Characters and words");
    println!("            tokens   pairs");
    let mut sizes = Vec::new();
    for (name, tokens) in
        [("characters", characters(sentence)), ("words", words(sentence))]
    {
        let n = tokens.len();
        println!("{name:12}{n:6}{:8}", n * n);
        sizes.push(n as f64);
    }
    let ratio = sizes[0] / sizes[1];
    println!("\ntimes as many tokens = {ratio:.1}");
    println!("times as many pairs = {:.1}", ratio * ratio);
}

/// The first two thirds of the story, and the rest.
fn halves() -> (&'static str, &'static str) {
    let mut spaces = STORY.match_indices(' ');
    let cut = spaces.find(|(at, _)| *at > STORY.len() * 2 / 3).unwrap().0;
    STORY.split_at(cut)
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
    println!("\n== Words never seen");
    println!("words read = {}", read.len());
    println!("of these different = {}", vocabulary.len());
    println!("words to come = {}", unread.len());
    println!("of these new = {share:.0} %");
    let some: BTreeSet<_> = new.iter().map(|w| w.as_str()).collect();
    let some: Vec<_> = some.into_iter().filter(|w| w.len() > 9).collect();
    println!("some of the new:\n  {}", some.join("  "));
}

/// How often a text, cut into tokens, has this pair.
fn count(tokens: &[Token], pair: Pair) -> usize {
    tokens.windows(2).filter(|two| (two[0], two[1]) == pair).count()
}

/// Nine words, and all that can be merged in them.
fn by_hand() {
    let text = "the cat and the hat and the fat cat";
    let all = Bpe::train(text, 100);
    println!("\n== Nine words");
    println!("   merge           times   tokens");
    let mut frames = Vec::new();
    let plain = Bpe::train(text, 0).encode(text);
    println!("{:33}", plain.len());
    frames.push(frame(&all, &plain, "before the first merge"));
    for (k, &(left, right)) in all.merges().iter().enumerate() {
        let before = Bpe::train(text, k).encode(text);
        let after = Bpe::train(text, k + 1).encode(text);
        let times = count(&before, (left, right));
        let [left, right, both] = [left, right, 256 + k as Token]
            .map(|id| visible(&all.decode(&[id])));
        let merge = format!("{left} + {right} → {both}");
        println!("{:2} {merge:18}{times:3}{:9}", k + 1, after.len());
        let title = format!("merge {}:  {merge}", k + 1);
        frames.push(frame(&all, &after, &title));
    }
    println!("\nmerges in all = {}", all.merges().len());
    plot::save_frames("tokens-merges", &frames);
}

/// The tokens as boxes, in two lines; those of the last merge stand out.
fn frame(pairs: &Bpe, tokens: &[Token], title: &str) -> Figure {
    let spelled: Vec<_> =
        tokens.iter().map(|&t| pairs.decode(&[t])).collect();
    let tokens_said = format!("{} tokens", tokens.len());
    let shown: Vec<_> = spelled.iter().map(|s| visible(s)).collect();
    let description = format!("{tokens_said}: {}", shown.join(" | "));
    let mut figure = Diagram::new(title, &description, 21.0, 6.4);
    figure.note((0.2, 0.8), Side::Right, title);
    figure.note((20.8, 0.8), Side::Left, &tokens_said);
    let newest = *tokens.iter().max().unwrap();
    let (mut x, mut y) = (0.5, 2.6);
    for ((token, text), shown) in tokens.iter().zip(&spelled).zip(&shown) {
        let hue = match *token {
            byte if byte < 256 => Hue::Rule,
            id if id == newest => Hue::Orange,
            _ => Hue::Blue,
        };
        if text.starts_with(' ') && x > 15.0 && y < 3.0 {
            (x, y) = (0.5, 4.9);
        }
        let width = text.len() as f64;
        figure.block((x + width / 2.0, y), (width - 0.15, 1.5), shown, hue);
        x += width;
    }
    figure.draw()
}

/// What is learned from two thirds of the story, and what it makes of words.
fn story() {
    let (read, _) = halves();
    let pairs = Bpe::train(read, 1000);
    let token = |id: Token| visible(&pairs.decode(&[id]));
    println!("\n== A story");
    println!("merge times");
    for k in [0, 10, 100, 200, 300] {
        let first = 256 + k as Token;
        let before = Bpe::train(read, k).encode(read);
        let times = count(&before, pairs.merges()[k]);
        let tokens: Vec<_> = (first..first + 10).map(token).collect();
        println!("{:5} {times:5}  {}", k + 1, tokens.join("  "));
    }
    println!();
    for text in
        [" the fence", " grandmother", " supermarket", " Optimus Prime"]
    {
        let cut: Vec<_> = pairs.encode(text).into_iter().map(token).collect();
        println!("{:14} → {}", visible(text), cut.join("  "));
    }
    let grandmother = pairs.encode(" grandmother").len();
    println!("\ntokens for grandmother = {grandmother}");
    println!("merges until no pair occurs twice = {}", pairs.merges().len());
}

/// How long the two parts of the story become, merge by merge.
fn tokens_a_word() {
    let (read, unread) = halves();
    let rate = |pairs: &Bpe, text: &str| {
        pairs.encode(text).len() as f64 / words(text).len() as f64
    };
    println!("\n== Tokens a word");
    println!("merges   read   not read");
    let (mut known, mut new) = (Vec::new(), Vec::new());
    for merges in [1, 3, 10, 30, 100, 200, 362] {
        let pairs = Bpe::train(read, merges);
        let (a, b) = (rate(&pairs, read), rate(&pairs, unread));
        println!("{merges:6}{a:7.2}{b:11.2}");
        known.push((merges as f64, a));
        new.push((merges as f64, b));
    }
    let last = known.len() - 1;
    let figure = Chart::new(
        "Tokens a word against the number of merges",
        &format!(
            "Both lines fall from nearly one token a letter, {:.1} a word, to \
             {:.1} in the text that was read; the text that was not read stays \
             above it, and comes to {:.1}.",
            known[0].1, known[last].1, new[last].1
        ),
    )
    .size(450.0, 290.0)
    .x("merges learned")
    .y("tokens a word")
    .log_x()
    .y_range(0.0..5.0)
    .guide_y(1.0, "whole words")
    .line("text it learned from", known)
    .line("text it had not read", new);
    plot::save("tokens-rate", &figure.draw());
}

/// Any text there is, through tokens and back.
fn nothing_is_lost() {
    let pairs = Bpe::train(halves().0, 1000);
    println!("\n== Nothing is lost");
    println!("characters  bytes  tokens  the same again");
    for text in [
        "The cat jumped over the fence",
        "  two  spaces ",
        "Äpfel, süß",
        "🦊",
        "",
    ] {
        let ids = pairs.encode(text);
        let same = if pairs.decode(&ids) == text { "yes" } else { "no" };
        let (length, bytes) = (text.chars().count(), text.len());
        println!("{length:10}{bytes:7}{:8}  {same:4} “{text}”", ids.len());
    }
    let half = pairs.decode(&pairs.encode("ü")[..1]);
    println!("\nhalf an ü = {half}");
}

/// The story as one long word, so that merges may reach from word to word.
fn across_words() {
    let text = STORY.replace(char::is_whitespace, "_");
    let pairs = Bpe::train(&text, 362);
    let tokens: Vec<String> =
        pairs.encode(&text).iter().map(|&t| pairs.decode(&[t])).collect();
    let long: BTreeSet<_> = tokens.iter().filter(|t| t.len() > 9).collect();
    println!("\n== Across words");
    for token in long {
        println!("{token}");
    }
    let places: Vec<usize> =
        text.match_indices("_the_").map(|(at, _)| at + 1).collect();
    let ways: BTreeSet<_> =
        places.iter().map(|&at| cut(&tokens, at, at + 3)).collect();
    println!("\ntimes the story says the = {}", places.len());
    println!("ways in which the is cut = {}", ways.len());
}

/// The tokens that have a part in the text from `start` to `end`.
fn cut(tokens: &[String], start: usize, end: usize) -> Vec<&str> {
    let mut cut = Vec::new();
    let mut at = 0;
    for token in tokens {
        if at < end && at + token.len() > start {
            cut.push(token.as_str());
        }
        at += token.len();
    }
    cut
}

/// A word that the wrong order of merges cuts otherwise.
const WORD: &str = " anything";

/// The merges applied in the wrong order, the last learned first.
fn latest_first() {
    let (read, _) = halves();
    let pairs = Bpe::train(read, 1000);
    let ids: HashMap<Pair, Token> =
        pairs.merges().iter().copied().zip(256..).collect();
    let (mut forwards, mut backwards, mut other) = (0, 0, 0);
    for word in words(read) {
        let word = format!(" {word}");
        let (right, wrong) = (pairs.encode(&word), backward(&ids, &word));
        forwards += right.len();
        backwards += wrong.len();
        other += usize::from(right != wrong);
    }
    let spell = |ids: Vec<Token>| {
        let tokens = ids.into_iter().map(|id| visible(&pairs.decode(&[id])));
        tokens.collect::<Vec<_>>().join("  ")
    };
    println!("\n== Latest first");
    println!("first learned, first used = {}", spell(pairs.encode(WORD)));
    println!("last learned, first used = {}", spell(backward(&ids, WORD)));
    println!("words cut otherwise = {other}");
    println!("tokens in order = {forwards}");
    println!("tokens latest first = {backwards}");
    let ratio = backwards as f64 / forwards as f64;
    println!("times as many = {ratio:.1}");
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
