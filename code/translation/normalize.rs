//! Texts as the captions of Multi30k have them, and back.

/// How an ending after an apostrophe can read, as in *the dog's*.
const ENDINGS: [&str; 7] = ["s", "t", "d", "m", "re", "ve", "ll"];

/// Words that keep their full stop unless they are the last of a text.
const ABBREVIATIONS: [&str; 9] =
    ["mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs"];

/// Characters that Moses writes as entities, as in HTML.
const ENTITIES: [(char, &str); 8] = [
    ('&', "&amp;"),
    ('|', "&#124;"),
    ('<', "&lt;"),
    ('>', "&gt;"),
    ('\'', "&apos;"),
    ('"', "&quot;"),
    ('[', "&#91;"),
    (']', "&#93;"),
];

/// An English text in the form that the model of the book was trained with:
/// small letters, plain quotation marks, a space around each punctuation mark,
/// and entities in place of some, as the script `tokenizer.perl` of the system
/// Moses writes them.
///
/// A hyphen stays in its word, a comma or a point in its number, and a point
/// in an abbreviation that it knows. What is in this form already stays as it
/// is. The rules are a part of those of Moses. From the English captions of
/// Multi30k as people wrote them they make those in which the collection has
/// tokens, but for one in a thousand, mostly where it has encoded a sign twice.
///
/// ```
/// use all_you_need::translation::normalize;
///
/// assert_eq!(normalize("A Dog Runs!"), "a dog runs !");
/// let quoted = normalize("It's “St. Mary’s”, No. 1,000.");
/// let expected = "it &apos;s &quot; st. mary &apos;s , &quot; no . 1,000 .";
/// assert_eq!(quoted, expected);
/// assert_eq!(normalize(expected), expected);
/// ```
pub fn normalize(text: &str) -> String {
    let plain: String = text.chars().map(plain).collect();
    // As is usual in American English.
    let plain = plain.replace("\".", ".\"").replace("\",", ",\"");
    let mut tokens = Vec::new();
    for word in plain.to_lowercase().split_whitespace() {
        match has_entity(word) {
            true => tokens.push(word.to_owned()),
            false => tokens.extend(split(word).iter().map(|t| encode(t))),
        }
    }
    let last = tokens.len().saturating_sub(1);
    let tokens = tokens.into_iter().enumerate();
    let tokens = tokens.map(|(i, token)| stop_apart(token, i == last));
    tokens.collect::<Vec<_>>().join(" ")
}

/// A character, as a keyboard has it.
fn plain(c: char) -> char {
    match c {
        '“' | '”' | '„' | '‟' | '«' | '»' => '"',
        '‘' | '’' | '‚' | '‛' | '´' | '`' => '\'',
        '‐' | '‑' | '‒' | '–' | '—' => '-',
        c if c.is_control() => ' ',
        c => c,
    }
}

fn has_entity(word: &str) -> bool {
    ENTITIES.iter().any(|(_, entity)| word.contains(entity))
}

/// The tokens of a word, with every full stop still at its place.
fn split(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut tokens = vec![String::new()];
    for (i, &c) in letters.iter().enumerate() {
        let (before, after) = letters.split_at(i);
        let own = tokens.last_mut().expect("there is one always");
        match kind(c, before, &after[1..]) {
            Kind::Inside => own.push(c),
            Kind::First => tokens.push(c.to_string()),
            Kind::Alone => tokens.extend([c.to_string(), String::new()]),
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Where a character stands in its token.
enum Kind {
    Inside,
    First,
    Alone,
}

/// What a character is, by those before and after it in its word.
fn kind(c: char, before: &[char], after: &[char]) -> Kind {
    let is = |c: Option<&char>, test: fn(char) -> bool| {
        c.is_some_and(|&c| test(c))
    };
    let (last, next) = (before.last(), after.first());
    match c {
        // An accent that is a character of its own is a part of its letter.
        '.' | '-' | '\u{300}'..='\u{36f}' => Kind::Inside,
        ',' if is(last, char::is_numeric) && is(next, char::is_numeric) => {
            Kind::Inside
        }
        '\'' if is(last, char::is_alphabetic) => {
            match is(next, char::is_alphabetic) {
                true => Kind::First,
                false => Kind::Alone,
            }
        }
        '\'' if before.is_empty() || is(last, char::is_numeric) => {
            let rest: String = after.iter().collect();
            match ENDINGS.contains(&&*rest) {
                true => Kind::First,
                false => Kind::Alone,
            }
        }
        c if c.is_alphanumeric() => Kind::Inside,
        _ => Kind::Alone,
    }
}

/// A token whose full stop, if it ends a sentence, is apart from it.
fn stop_apart(token: String, is_last: bool) -> String {
    let word = token.trim_end_matches('.');
    let stops = &token[word.len()..];
    if word.is_empty() || stops.is_empty() {
        return token;
    }
    let is_short = word.contains('.') || ABBREVIATIONS.contains(&word);
    match is_short && stops.len() == 1 && !is_last {
        true => token,
        false => format!("{word} {stops}"),
    }
}

fn encode(token: &str) -> String {
    let one = |c: char| {
        let entity = ENTITIES.iter().find(|(plain, _)| *plain == c);
        entity.map_or(c.to_string(), |(_, entity)| (*entity).to_owned())
    };
    token.chars().map(one).collect()
}

/// A text whose entities are the characters that they stand for.
///
/// ```
/// use all_you_need::translation::decode_entities;
///
/// assert_eq!(decode_entities("john &apos; s pizza"), "john ' s pizza");
/// ```
pub fn decode_entities(text: &str) -> String {
    // `&amp;` is last, so that `&amp;lt;` becomes `&lt;`.
    let others = ENTITIES.iter().rev();
    others.fold(text.to_owned(), |text, (plain, entity)| {
        text.replace(entity, &plain.to_string())
    })
}

/// A text as it is written, from tokens with spaces between them: without
/// entities, and with spaces only where words are apart. Letters stay as
/// they are, small or capital.
///
/// ```
/// use all_you_need::translation::detokenize;
///
/// let text = "ein schild mit &quot; stop &quot; ( rot ) , oder ?";
/// assert_eq!(detokenize(text), "ein schild mit \"stop\" (rot), oder?");
/// ```
pub fn detokenize(text: &str) -> String {
    let (mut line, mut is_open, mut joins) = (String::new(), false, true);
    let decoded = decode_entities(text);
    let mut tokens = decoded.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        let is_quote = token == "\"";
        let closes = match is_quote {
            true => is_open,
            false => token.starts_with(is_closing),
        };
        if !closes && !joins {
            line.push(' ');
        }
        line += token;
        let is_ending = tokens.peek().is_some_and(|t| ENDINGS.contains(t));
        joins = matches!(token, "(" | "[" | "{" | "$" | "#")
            || is_quote && !is_open
            || token == "'" && is_ending;
        is_open ^= is_quote;
    }
    line
}

/// Whether there is no space before it.
fn is_closing(c: char) -> bool {
    matches!(
        c,
        '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '%' | '\''
    )
}
