//! The German of an English book. It is marked, so that a program which reads the page aloud says it in German.

use crate::math::options;
use pulldown_cmark::{Event, Parser, Tag};

/// The book's German words that are not English ones as well.
const GERMAN: &str = "auf aus bin blauen brille danke drei dunkelhäutig ein eine einem einen einer \
    eines einigen enten fahrrad fein frau füttert fußball fühle geht gelben gesund glück gut habe \
    haus hemd holz holzklötzen hund ich jungen katze kleinen köche küche lastwagens leute liest mann \
    mantel mich mir mit mädchen nachts nicht nichts orangefarbenem prima recht regen regenschirm \
    repariert rotem roten rück rücken schläft schlecht schwarze schwarzer seinem spielen springt \
    stehen straße süß tanzen trägt turm ufer verschiedene vor wartet wird wohl zaun zeitung zwei \
    über";

/// Those that are English words, too: German only with others.
const WITH_OTHERS: &str = "alter am armband bank baut bus den der die es \
    hut im in ist kind see so sofa";

/// The page with the language of what is emphasized in German, and of the German in its pictures.
pub fn mark(markdown: &str) -> String {
    mark_pictures(&mark_emphasized(markdown))
}

fn mark_emphasized(markdown: &str) -> String {
    let (mut marked, mut copied) = (String::new(), 0);
    let events = Parser::new_ext(markdown, options()).into_offset_iter();
    for (event, range) in events {
        let text = &markdown[range.clone()];
        let inside = text.trim_matches(['*', '_']);
        if event == Event::Start(Tag::Emphasis) && is_german(inside) {
            marked += &markdown[copied..range.start];
            marked += &format!("<em lang=\"de\">{inside}</em>");
            copied = range.end;
        }
    }
    marked + &markdown[copied..]
}

fn mark_pictures(markdown: &str) -> String {
    let mut parts = markdown.split("<text");
    let mut marked = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let text = part.split_once('>').map_or("", |(_, text)| text);
        let text = text.split("</text>").next().unwrap_or_default();
        let language = if is_german(text) { " lang=\"de\"" } else { "" };
        marked += &format!("<text{language}{part}");
    }
    marked
}

/// Whether a text is of German words only, and one of them nothing else.
fn is_german(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = || {
        lower.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty())
    };
    let among =
        |list: &str, word| list.split_whitespace().any(|other| other == word);
    words().any(|word| among(GERMAN, word))
        && words().all(|word| among(GERMAN, word) || among(WITH_OTHERS, word))
}
