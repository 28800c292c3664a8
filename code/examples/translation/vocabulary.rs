//! Into how many tokens the translator's tokenizer cuts a text.

use all_you_need::translation::Translator;
use print::log::file;
use print::{section, value};

/// What it costs that the first word of a line has no space before it.
pub fn no_space_before() {
    section("The first word of a line");
    let Translator { tokenizer, .. } = Translator::captions();
    let tokens = |text: &str| tokenizer.encode(text).len();
    let counted = |count| match count {
        1 => "one token".to_owned(),
        _ => format!("{count} tokens"),
    };
    value("menschen within", counted(tokens(" menschen")));
    value("menschen at the beginning", counted(tokens("menschen")));
    let lines = file("translation-own.en").lines();
    let more = lines.map(|line| tokens(line) - tokens(&format!(" {line}")));
    value("tokens too many", more.sum::<usize>());
}
