//! From what people type to what the model has learned to read.

/// The most words that a text may have.
pub const MOST_WORDS: usize = 60;

/// The text as the captions of the training are written: in small letters,
/// with a space before each punctuation mark.
///
/// # Errors
/// If there is no word in it, if there are too many, or if it has characters
/// that no caption had.
pub fn prepared(text: &str) -> Result<String, String> {
    let words = text.split_whitespace().count();
    if words > MOST_WORDS {
        return Err(format!(
            "This text has {words} words. At most {MOST_WORDS} can be \
             translated here."
        ));
    }
    if let Some(c) = text.chars().find(|&c| !is_known(c)) {
        return Err(format!(
            "The model has read English and German captions only, and \
             cannot read “{}”.",
            c.escape_debug()
        ));
    }
    if !text.contains(char::is_alphanumeric) {
        return Err("There is no word to translate yet.".to_owned());
    }
    let text = spelled(text);
    let words: Vec<&str> = text.split_whitespace().flat_map(split).collect();
    Ok(words.join(" "))
}

/// Whether captions have such a character: of the letters, those of the
/// Latin alphabet.
fn is_known(c: char) -> bool {
    let is_latin = c.is_alphabetic() && c <= '\u{17f}';
    is_latin
        || c.is_ascii_graphic()
        || c.is_whitespace()
        || "‘’“”„–—…".contains(c)
}

/// Small letters, and the marks that the captions have: a quotation mark and
/// an apostrophe are words of their own there.
fn spelled(text: &str) -> String {
    text.to_lowercase()
        .replace(['‘', '’', '\''], " &apos;")
        .replace(['“', '”', '„', '"'], " &quot; ")
        .replace(['–', '—'], "-")
        .replace('…', "...")
}

/// A word, and the punctuation marks that end it.
fn split(word: &str) -> impl Iterator<Item = &str> {
    let marks = ['.', ',', '!', '?', ':', ';'];
    let (stem, end) = match word.ends_with("&quot;") {
        true => (word, ""),
        false => word.split_at(word.trim_end_matches(marks).len()),
    };
    let apart = end.split_inclusive(|_| true);
    std::iter::once(stem).filter(|stem| !stem.is_empty()).chain(apart)
}
