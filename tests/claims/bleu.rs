use all_you_need::bleu::{
    Bleu, Counts, Tokenize, bleu, counts, counts_of_several, signature,
};
use all_you_need::tokens::words;
use serde::Deserialize;
use std::collections::HashMap;

/// What sacreBLEU says, as `tests/reference/bleu.py` wrote it down.
#[derive(Deserialize)]
struct Reference {
    signatures: HashMap<String, String>,
    tokens: Vec<(String, Vec<String>)>,
    corpora: Vec<Corpus>,
}

#[derive(Deserialize)]
struct Corpus {
    name: String,
    pairs: Vec<(String, String)>,
    none: Score,
    #[serde(rename = "13a")]
    v13a: Score,
}

#[derive(Deserialize)]
struct Score {
    score: f64,
    precisions: [f64; 4],
    brevity_penalty: f64,
    ratio: f64,
    hypothesis_length: usize,
    reference_length: usize,
    line: String,
}

fn reference() -> Reference {
    let json = include_str!("../reference/bleu.json");
    serde_json::from_str(json).expect("what bleu.py wrote")
}

const BOTH: [Tokenize; 2] = [Tokenize::None, Tokenize::V13a];

fn one(hypothesis: &str, reference: &str) -> Bleu {
    bleu(&[hypothesis], &[reference], Tokenize::None)
}

#[track_caller]
fn same(found: &Bleu, expected: &Score, name: &str) {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(close(found.score, expected.score), "{name}: {found}");
    for (a, b) in found.precisions.iter().zip(expected.precisions) {
        assert!(close(*a, b), "{name}: {found}");
    }
    assert!(close(found.brevity_penalty, expected.brevity_penalty), "{name}");
    assert!(close(found.ratio(), expected.ratio), "{name}");
    assert_eq!(found.hypothesis_length, expected.hypothesis_length, "{name}");
    assert_eq!(found.reference_length, expected.reference_length, "{name}");
    assert_eq!(found.to_string(), expected.line, "{name}");
}

#[test]
fn scores_and_their_parts_are_those_of_sacrebleu() {
    let corpora = reference().corpora;
    assert!(corpora.len() > 20);
    for Corpus { name, pairs, none, v13a } in corpora {
        let (said, wanted): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        same(&bleu(&said, &wanted, Tokenize::None), &none, &name);
        same(&bleu(&said, &wanted, Tokenize::V13a), &v13a, &name);
    }
}

#[test]
fn tokens_are_those_of_sacrebleu() {
    let tokens = reference().tokens;
    assert_eq!(tokens.len(), 300);
    for (text, expected) in tokens {
        assert_eq!(Tokenize::V13a.tokens(&text), expected, "{text:?}");
    }
}

#[test]
fn the_signature_is_that_of_sacrebleu_but_for_who_counted() {
    let signatures = reference().signatures;
    for tokenizer in BOTH {
        let theirs = &signatures[&tokenizer.to_string()];
        let ours = signature(tokenizer, 1);
        let (settings, version) = ours.split_once("|version:").unwrap();
        assert_eq!(Some(settings), theirs.split("|version:").next());
        assert!(version.starts_with("all-you-need-"), "{version}");
    }
}

#[test]
fn two_sentences_come_to_what_the_hand_comes_to() {
    let found = bleu(
        &["the cat jumped over a fence", "I am fine"],
        &["the cat jumped over the fence", "I am fine and so are you"],
        Tokenize::None,
    );
    let parts = [8.0 / 9.0, 5.0 / 7.0, 3.0 / 5.0, 1.0 / 3.0];
    let penalty = (1.0 - 13.0f64 / 9.0).exp();
    let product: f64 = parts.iter().product();
    assert!(
        (found.score - 100.0 * penalty * product.powf(0.25)).abs() < 1e-9
    );
    for (found, part) in found.precisions.iter().zip(parts) {
        assert!((found - 100.0 * part).abs() < 1e-12);
    }
}

#[test]
fn no_word_matches_more_often_than_the_reference_has_it() {
    let (said, wanted) = (words("the the the the"), words("the cat the end"));
    let counts = Counts::of(&said, &wanted);
    assert_eq!(counts.matches, [2, 0, 0, 0]);
    assert_eq!(counts.totals, [4, 3, 2, 1]);
    assert_eq!(counts.reference_length, 4);
    let counts = Counts::of(&wanted, &said);
    assert_eq!(counts.matches, [2, 0, 0, 0]);
}

#[test]
fn only_what_is_too_short_pays_for_its_length() {
    let reference = "one two three four five six seven eight";
    assert!((one(reference, reference).score - 100.0).abs() < 1e-12);
    let short = one("one two three four", reference);
    assert!((short.brevity_penalty - (-1.0f64).exp()).abs() < 1e-15);
    assert_eq!(short.precisions, [100.0; 4]);
    let long = one("one two three four five six seven eight nine", reference);
    assert_eq!(long.brevity_penalty, 1.0);
    assert!(long.precisions.iter().all(|&p| p < 100.0));
}

#[test]
fn n_grams_without_a_match_count_a_half_and_a_quarter() {
    let found = one("one two and three four and five", "one two three four");
    let parts = [4.0 / 7.0, 2.0 / 6.0, 0.5 / 5.0, 0.25 / 4.0];
    for (found, part) in found.precisions.iter().zip(parts) {
        assert!((found - 100.0 * part).abs() < 1e-12);
    }
}

#[test]
fn a_score_is_never_not_a_number() {
    let texts = ["", " ", "one", "one two", "one two three four five"];
    for said in texts {
        for wanted in texts {
            let found = one(said, wanted);
            assert!(found.score.is_finite(), "{said:?} {wanted:?}");
            assert!(found.brevity_penalty.is_finite() && found.score >= 0.0);
        }
    }
    let nothing = bleu(&[""; 0], &[""; 0], Tokenize::V13a);
    assert_eq!((nothing.score, nothing.ratio()), (0.0, 0.0));
}

#[test]
fn the_score_of_a_corpus_is_that_of_its_counts() {
    for Corpus { pairs, .. } in reference().corpora {
        let counts = pairs.iter().map(|(said, wanted)| {
            let tokens = |text| Tokenize::V13a.tokens(text);
            Counts::of(&tokens(said), &tokens(wanted))
        });
        let found = counts.rev().sum::<Counts>().bleu();
        let (said, wanted): (Vec<_>, Vec<_>) = pairs.iter().cloned().unzip();
        assert_eq!(found, bleu(&said, &wanted, Tokenize::V13a));
    }
}

#[test]
fn points_in_numbers_and_apostrophes_stay() {
    let tokens = |text| Tokenize::V13a.tokens(text).join("|");
    assert_eq!(tokens("It's 7.45, not 8."), "It's|7.45|,|not|8|.");
    assert_eq!(tokens("a well-known 5-year (1,000)"), {
        "a|well-known|5|-|year|(|1,000|)"
    });
    // What has been in one pair is in no other: the third point is alone in
    // the first, and cannot leave the 5 in the second.
    assert_eq!(tokens("x...5"), "x|.|.|.|5");
    assert_eq!(tokens("x..5"), "x|.|.5");
}

#[test]
fn entities_are_undone_once_and_in_order() {
    let tokens = |text| Tokenize::V13a.tokens(text).join("|");
    assert_eq!(tokens("&quot;&lt;&gt;&amp;"), "\"|<|>|&");
    assert_eq!(tokens("&amp;lt;"), "<");
    assert_eq!(tokens("&amp;quot;"), "&|quot|;");
    assert_eq!(Tokenize::None.tokens("&lt; x."), ["&lt;", "x."]);
}

#[test]
fn a_tokeniser_goes_by_its_name() {
    for tokenizer in BOTH {
        let name = tokenizer.to_string();
        assert_eq!(name.parse::<Tokenize>().unwrap(), tokenizer);
    }
    let error = "intl".parse::<Tokenize>().unwrap_err();
    assert!(error.to_string().contains("`intl`"));
}

#[test]
#[should_panic(expected = "bleu: 2 hypotheses, but 1 references")]
fn a_missing_reference_is_refused() {
    let _ = bleu(&["one", "two"], &["one"], Tokenize::None);
}

/// Of the references of one sentence, each n-gram may be in any, and the
/// length is the nearest.
#[test]
fn a_sentence_may_have_several_references() {
    let said = ["the cat the cat sat down"];
    let one = ["the cat sat", "the the cat"];
    let of = |references: &[&str]| {
        let each: Vec<[&str; 1]> = references.iter().map(|&r| [r]).collect();
        counts_of_several(&said, &each, Tokenize::None)[0]
    };
    let both = of(&one);
    // `the` twice as in the second, `cat` once, `sat` as in the first.
    assert_eq!(both.matches, [4, 2, 1, 0]);
    assert_eq!(both.reference_length, 3);
    assert_eq!(of(&[one[1], one[0]]), both);
    assert_eq!(of(&one[..1]), counts(&said, &one[..1], Tokenize::None)[0]);
    // Of 5 and 7 words, as near to 6, the shorter.
    let near = ["a b c d e f g", "a b c d e", "a"];
    assert_eq!(of(&near).reference_length, 5);
}
