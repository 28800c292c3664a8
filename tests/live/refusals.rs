//! What cannot be translated gets a sentence.

use super::{SESSION, captions, greedy, reply};
use live::{Session, answer};
use serde_json::{Value, json};

/// A sentence that begins so.
#[track_caller]
fn refuses(reply: &str, start: &str) {
    let reply: Value = serde_json::from_str(reply).unwrap();
    let sentence = reply["error"].as_str().expect("a sentence");
    assert!(sentence.starts_with(start), "{sentence}");
    assert!(sentence.ends_with('.'), "{sentence}");
}

#[track_caller]
fn refuses_text(text: &str, start: &str) {
    refuses(&reply(&greedy(text)).to_string(), start);
}

#[test]
fn a_text_without_a_word() {
    for text in ["", "  \t\n", ".", "?!", "( - )", "’"] {
        refuses_text(text, "There is no word");
    }
}

#[test]
fn more_than_sixty_words() {
    refuses_text(&"a ".repeat(61), "This text has 61 words.");
    let answer = reply(&greedy(&"a ".repeat(60)));
    assert_eq!(answer["answer"]["source"]["tokens"][59]["label"], "·a");
}

#[test]
fn words_of_too_many_tokens() {
    refuses_text(&"q".repeat(500), "This text becomes ");
    refuses_text(&"ÿ".repeat(5000), "This text becomes ");
}

#[test]
fn megabytes() {
    refuses_text(&"a".repeat(3 << 20), "This text is too long: 31");
    refuses_text(&" ".repeat(1 << 16), "This text is too long");
}

#[test]
fn pictures_and_letters_that_no_caption_has() {
    for text in ["🐕", "a dog 🐕 runs .", "собака", "狗", "كلب", "a\u{202e}b"]
    {
        refuses_text(text, "The model has read");
    }
    for text in ["a\0b", "a\u{7f}", "\u{feff}", "a\u{301}"] {
        refuses_text(text, "The model has read");
    }
}

#[test]
fn what_is_no_request() {
    let nested = "[".repeat(60_000);
    for json in ["", "{", "null", "[]", "\"a dog\"", "{}", "\u{0}", &nested] {
        refuses(&answer(&SESSION, json), "This is no request");
    }
    for request in [
        json!({"text": "a dog"}),
        json!({"text": 7, "search": "greedy"}),
        json!({"text": "a dog", "search": "quick"}),
        json!({"text": "a dog", "search": "greedy", "more": 1}),
        json!({"text": "a dog", "search": {"beam": {}}}),
        json!({"text": "a dog", "search": {"beam": {"width": -1}}}),
        json!({"text": "a dog", "search": {"beam": {"width": 2.5}}}),
        json!({"text": "a dog", "search": {"beam": {"width": 2, "n": 1}}}),
        json!({"text": "a dog", "search": "greedy", "change": "all"}),
    ] {
        refuses(&reply(&request).to_string(), "This is no request");
    }
}

#[test]
fn beams_that_are_too_narrow_or_too_wide() {
    for width in [0, 6, 1000] {
        let search = json!({"beam": {"width": width}});
        let request = json!({"text": "a dog", "search": search});
        refuses(&reply(&request).to_string(), "A beam has a width");
    }
}

#[test]
fn sampling_that_leaves_nothing_to_draw() {
    let good = json!({
        "temperature": 1.0, "top_k": 10, "top_p": 0.9, "seed": 1
    });
    let with = |field: &str, value: Value| {
        let mut sample = good.clone();
        sample[field] = value;
        json!({"text": "a dog", "search": {"sample": sample}})
    };
    for (field, value) in [
        ("temperature", json!(0.0)),
        ("temperature", json!(-1.0)),
        ("temperature", json!(1e300)),
        ("top_k", json!(0)),
        ("top_p", json!(0.0)),
        ("top_p", json!(1.01)),
    ] {
        let request = with(field, value);
        refuses(&reply(&request).to_string(), "Sampling needs");
    }
    for (field, value) in [("seed", json!(-1)), ("top_k", json!(0.5))] {
        let request = with(field, value);
        refuses(&reply(&request).to_string(), "This is no request");
    }
    let request = with("top_k", json!(4_000_000_000_u32));
    assert!(reply(&request)["answer"].is_object());
    // JSON can write numbers that are larger than any `f64`.
    let endless = with("temperature", json!(0.0)).to_string();
    let endless = endless.replace("0.0,", "1e999,");
    refuses(&answer(&SESSION, &endless), "This is no request");
}

#[test]
fn heads_that_the_model_does_not_have() {
    for (layer, head) in [(0, 1), (5, 1), (1, 0), (1, 5)] {
        let head =
            json!({"attention": "cross", "layer": layer, "head": head});
        let mut request = greedy("a dog");
        request["change"] = json!({"head": head});
        refuses(&reply(&request).to_string(), "There is no head");
    }
}

#[test]
fn files_that_are_no_model() {
    let error = Session::new(b"", b"", b"").unwrap_err();
    assert!(error.to_string().starts_with("config.toml: "), "{error}");
}

/// Pieces of real captions and of what is not, thrown together.
#[test]
fn nothing_is_a_panic() {
    let mut words: Vec<String> = captions();
    let odd =
        ["", "\"", "\\", "'", "…", "“", "ß", "İ", "...", "!?", "&", "<b>"];
    words.extend(odd.map(str::to_owned));
    let mut state = 1_u64;
    let mut draw = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % n
    };
    for _ in 0..30 {
        let parts = (0..draw(4)).map(|_| {
            let word = &words[draw(words.len())];
            word.chars().skip(draw(9)).take(1 + draw(15)).collect::<String>()
        });
        let text = parts.collect::<Vec<_>>().join(" ");
        let reply = reply(&greedy(&text));
        let has_one =
            reply["answer"].is_object() != reply["error"].is_string();
        assert!(has_one, "{text}");
    }
}
