use crate::golden::largest;
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{Recipe, Training};
use all_you_need::transformer::NotFinite;
use all_you_need::translation::{
    MAX_BYTES_KEPT, MAX_TOKENS, TextError, TextPair, TooLong, Translation,
    TranslationError, Translator, corpus, decode_entities, detokenize,
    examples, learn_tokenizer, lines, normalize, pairs, read,
};
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use tempfile::TempDir;

fn three_pairs() -> Vec<TextPair> {
    let pairs = [
        ("a warm wind blows", "ein warmer wind weht"),
        ("the wind is warm", "der wind ist warm"),
        ("sand in the hand", "sand in der hand"),
    ];
    pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()
}

/// A model that has learned nothing, and speaks loud enough to be told apart.
fn translator() -> Translator {
    let tokenizer = learn_tokenizer(&three_pairs(), 12);
    let config = Config {
        vocabulary: tokenizer.vocabulary(),
        layers: 2,
        d_model: 12,
        d_ff: 20,
        heads: 2,
        d_k: 5,
        d_v: 3,
    };
    let recipe = Recipe { seed: 3, ..Recipe::toy() };
    let mut model = Training::new(&config, recipe).model;
    model.embedding.table *= 2.0;
    let eos = tokenizer.eos() as usize;
    model.embedding.table.row_mut(eos).scale_mut(1.7);
    Translator { config, model, tokenizer }
}

fn texts() -> Vec<String> {
    let words = ["wind", "a warm wind", "", "sand in the hand .", " ", "x"];
    let long = (1..100).map(|n| "wind ".repeat(n % 7 + 1));
    words.iter().map(|text| text.to_string()).chain(long).collect()
}

fn cut(text: &[u8]) -> Result<Vec<String>, TextError> {
    lines(text, "a text").collect()
}

#[test]
fn a_text_has_as_many_lines_as_an_editor_shows() {
    let cut = |text: &str| cut(text.as_bytes()).unwrap();
    assert_eq!(cut("eins\nzwei\n"), ["eins", "zwei"]);
    assert_eq!(cut("eins\nzwei"), ["eins", "zwei"]);
    assert_eq!(cut("eins\r\n\r\nzwei \t\r\n"), ["eins", "", "zwei"]);
    assert_eq!(cut("\n"), [""]);
    assert!(cut("").is_empty());
}

/// Some editors begin a file with it; it is not part of the first word.
#[test]
fn a_byte_order_mark_is_dropped() {
    let cut = |text: &str| cut(text.as_bytes()).unwrap();
    assert_eq!(cut("\u{feff}eins\nzwei"), ["eins", "zwei"]);
    assert_eq!(cut("eins\n\u{feff}zwei"), ["eins", "\u{feff}zwei"]);
    let (_folder, paths) = folder(&[("marked", "\u{feff}eins\n")]);
    assert_eq!(read(&paths[0]).unwrap(), ["eins"]);
}

#[test]
fn a_line_that_is_not_utf_8_is_named() {
    let error = cut(b"eins\nzw\xf6lf\ndrei\n").unwrap_err().to_string();
    assert!(error.starts_with("a text: line 2: invalid utf-8"), "{error}");
}

/// A line of a gigabyte is refused when the first part of it has been read.
#[test]
fn a_line_that_is_far_too_long_is_not_read_to_its_end() {
    let endless = std::io::repeat(b'a');
    let text = std::io::BufReader::new(b"eins\n".chain(endless));
    let mut lines = lines(text, "a text");
    assert_eq!(lines.next().unwrap().unwrap(), "eins");
    let error = lines.next().unwrap().unwrap_err().to_string();
    assert_eq!(error, "a text: line 2: more than 262144 bytes");
}

#[test]
fn a_line_of_the_most_bytes_is_read() {
    let longest = vec![b'a'; 262_144];
    assert_eq!(cut(&longest).unwrap()[0].len(), longest.len());
    assert!(cut(&[&longest[..], b"a"].concat()).is_err());
}

/// Files of these names and texts.
fn folder(files: &[(&str, &str)]) -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |(name, text): &(&str, &str)| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let paths = files.iter().map(write).collect();
    (folder, paths)
}

#[test]
fn two_files_make_pairs() {
    let (_folder, paths) =
        folder(&[("en", "one\ntwo"), ("de", "eins\nzwei")]);
    let found = corpus(&paths[0], &paths[1]).unwrap();
    assert_eq!(found[1], ("two".to_owned(), "zwei".to_owned()));
    assert_eq!(found.len(), 2);
}

#[test]
fn pairs_come_one_after_the_other_until_one_is_wrong() {
    let (folder, paths) = folder(&[
        ("en", "one\ntwo\nthree\nfour"),
        ("de", "eins\nzwei\n\nvier"),
        ("more", "eins\nzwei\ndrei\nvier\nf\nsechs"),
        ("bad", "eins\nzwei\ndrei\nvier\nf\n\n"),
    ]);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let mut found = pairs(&paths[0], &paths[1]).unwrap();
    let two = ("two".to_owned(), "zwei".to_owned());
    assert_eq!(found.by_ref().nth(1).unwrap().unwrap(), two);
    let error = found.next().unwrap().unwrap_err().to_string();
    assert_eq!(error, format!("{}: line 3: it is empty", at("de")));
    let unequal = |i: usize, j: usize| {
        let mut found = pairs(&paths[i], &paths[j]).unwrap();
        assert!(found.by_ref().take(4).all(|pair| pair.is_ok()));
        let error = found.next().unwrap().unwrap_err().to_string();
        assert!(found.next().is_none());
        error
    };
    let (en, more) = (at("en"), at("more"));
    let [fewer, longer] = [format!("{en} has 4"), format!("{more} has 6")];
    assert_eq!(unequal(0, 2), format!("{fewer} lines, and {longer}"));
    let [longer, fewer] = [longer + " lines", format!("{en} has 4")];
    assert_eq!(unequal(2, 0), format!("{longer}, and {fewer}"));
    // The lines that are left are looked at, too.
    let gap = format!("{}: line 6: it is empty", at("bad"));
    assert_eq!(unequal(3, 0), gap);
    let missing = folder.path().join("missing");
    assert!(pairs(&paths[0], &missing).is_err());
}

#[test]
fn what_is_wrong_with_a_corpus_is_said_with_file_and_line() {
    let files = [
        ("en", "one\ntwo\n"),
        ("de", "eins\n"),
        ("gap", "a\n \n"),
        ("no", ""),
    ];
    let (folder, paths) = folder(&files);
    let error =
        |i: usize| corpus(&paths[0], &paths[i]).unwrap_err().to_string();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let unequal = format!("{} has 2 lines, and {} has 1", at("en"), at("de"));
    assert_eq!(error(1), unequal);
    assert_eq!(error(2), format!("{}: line 2: it is empty", at("gap")));
    assert_eq!(error(3), format!("{} is empty", at("no")));
    let missing = read(&folder.path().join("missing")).unwrap_err();
    assert!(matches!(&missing, TextError::Io { .. }));
    assert!(missing.to_string().starts_with(&at("missing")), "{missing}");
}

#[test]
fn no_token_holds_a_line_break() {
    let tokenizer = learn_tokenizer(&three_pairs(), 100);
    let learned = 256..tokenizer.bpe().len() as Token;
    assert!(learned.len() > 10);
    let line = |token| tokenizer.bpe().bytes(token).contains(&b'\n');
    assert!(!learned.into_iter().any(line));
}

#[test]
fn a_word_of_both_languages_is_one_token() {
    let tokenizer = learn_tokenizer(&three_pairs(), 100);
    assert_eq!(tokenizer.encode(" wind").len(), 1);
}

#[test]
fn a_pair_becomes_an_example() {
    let tokenizer = learn_tokenizer(&three_pairs(), 0);
    let found = examples(&three_pairs(), &tokenizer).unwrap();
    let (source, target) = &three_pairs()[2];
    assert_eq!(found[2].source, tokenizer.encode_source(source));
    assert_eq!(found[2].target, tokenizer.encode_target(target));
}

/// Its attention would need memory for a square of numbers.
#[test]
fn a_text_with_too_many_tokens_is_refused_with_its_line() {
    let mut translator = translator();
    translator.tokenizer = learn_tokenizer(&[], 0);
    let longest = "x".repeat(MAX_TOKENS);
    let longer = "x".repeat(MAX_TOKENS + 1);
    let tokenizer = &translator.tokenizer;
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert!(examples(&[pair(&longest, &longest)], tokenizer).is_ok());
    let too_long = TooLong { line: 2, tokens: MAX_TOKENS + 1 };
    for long in [pair(&longer, "x"), pair("x", &longer)] {
        let found = examples(&[pair("x", "x"), long], tokenizer);
        assert_eq!(found.unwrap_err(), too_long);
    }
    let beam = translator.beam(1, 0.0, 1);
    let found = translator.translate(&["", &longer], &beam);
    assert_eq!(found, Err(TranslationError::TooLong(too_long)));
    let said = too_long.to_string();
    assert_eq!(said, "line 2: 1025 tokens; at most 1024 are possible");
}

#[test]
fn the_longest_text_is_translated() {
    let mut translator = translator();
    translator.tokenizer = learn_tokenizer(&[], 0);
    let longest = "x".repeat(MAX_TOKENS);
    let beam = translator.beam(2, 0.6, 1);
    assert!(translator.translate(&[longest], &beam).is_ok());
}

/// So many hypotheses are not kept in memory at a time: there are batches.
/// This model ends every sentence as soon as it begins.
#[test]
fn many_texts_are_translated_with_a_wide_beam() {
    let mut translator = translator();
    let eos = translator.tokenizer.eos() as usize;
    let model = &mut translator.model;
    let norm = &mut model.decoder.layers[1].feed_forward_norm;
    norm.gain.fill(0.0);
    norm.bias = 9.0 * model.embedding.table.rows(eos, 1);
    let texts: Vec<_> = (0..40).map(|n| "sand ".repeat(n % 3 + 40)).collect();
    let beam = translator.beam(60, 0.0, 1);
    let together = translator.n_best(&texts, &beam).unwrap();
    for (text, found) in texts.iter().zip(&together) {
        let alone = translator.n_best(&[text], &beam).unwrap();
        assert_eq!((&*found[0].text, found.len()), ("", 1));
        assert!((found[0].score - alone[0][0].score).abs() < 1e-6);
    }
}

#[test]
fn every_text_is_translated_as_if_it_were_alone() {
    let (translator, texts) = (translator(), texts());
    let beam = translator.beam(3, 0.6, 2);
    let together = translator.n_best(&texts, &beam).unwrap();
    assert_eq!(together.len(), texts.len());
    for (text, found) in texts.iter().zip(&together) {
        let alone = translator.n_best(&[text], &beam).unwrap();
        let words = |found: &[Translation]| -> Vec<String> {
            found.iter().map(|found| found.text.clone()).collect()
        };
        assert_eq!(words(found), words(&alone[0]), "{text}");
    }
    let different: std::collections::HashSet<_> =
        together.iter().map(|found| &found[0].text).collect();
    assert!(different.len() > 3, "{different:?}");
}

#[test]
fn the_best_come_first() {
    let translator = translator();
    let beam = translator.beam(4, 0.6, 3);
    let found = translator.n_best(&["a warm wind"], &beam).unwrap();
    assert_eq!(found[0].len(), 3);
    assert!(found[0].is_sorted_by(|a, b| a.score >= b.score));
    let best = translator.translate(&["a warm wind"], &beam).unwrap();
    assert_eq!(best[0], found[0][0].text);
}

#[test]
fn an_empty_text_stays_empty() {
    let (translator, texts) = (translator(), texts());
    let beam = translator.beam(2, 0.6, 2);
    let best = translator.translate(&texts, &beam).unwrap();
    assert_eq!((&*best[2], &*best[4]), ("", ""));
    let found = translator.n_best(&[" "], &beam).unwrap();
    let nothing = Translation { text: String::new(), score: 0.0 };
    assert_eq!(found, [[nothing]]);
    assert!(translator.translate(&[""; 0], &beam).unwrap().is_empty());
}

/// Its row of the table is the longest, and so is its score.
#[test]
fn a_begin_of_sequence_in_the_middle_spells_nothing() {
    let mut translator = translator();
    let bos = translator.tokenizer.bos();
    let table = &mut translator.model.embedding.table;
    table.row_mut(bos as usize).scale_mut(9.0);
    let beam = translator.beam(1, 0.0, 1);
    let source = translator.tokenizer.encode_source("wind");
    let found = translator.model.search(&[source], &beam).unwrap();
    assert!(found[0][0].tokens.contains(&bos));
    assert!(!translator.translate(&texts(), &beam).unwrap().is_empty());
}

#[test]
fn a_translation_stays_on_its_line() {
    let translator = translator();
    let beam = translator.beam(1, 0.0, 1);
    let best = translator.translate(&texts(), &beam).unwrap();
    assert!(best.iter().all(|text| !text.contains(['\n', '\r'])));
}

/// Each is a finite number, and the products of two are not.
#[test]
fn weights_that_overflow_are_an_error() {
    for weight in [1e30, 3e38] {
        for leaf in 0..translator().model.leaves().len() {
            let mut translator = translator();
            translator.model.leaves_mut()[leaf].fill(weight);
            let beam = translator.beam(2, 0.6, 1);
            match translator.translate(&["a warm wind"], &beam) {
                // A layer norm makes numbers of any size small again.
                Ok(found) => assert_eq!(found.len(), 1),
                Err(error) => {
                    assert_eq!(error, TranslationError::NotFinite(NotFinite));
                }
            }
        }
    }
    let mut translator = translator();
    translator.model.embedding.table.fill(1e30);
    let beam = translator.beam(2, 0.6, 1);
    let error = translator.translate(&["wind"], &beam).unwrap_err();
    let expected =
        "the logits are not finite numbers: the weights are too large";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn attention_maps_are_weights_of_every_head_of_every_layer() {
    let translator = translator();
    let (source, target) = ([3, 4, 5, 6, 7], [8, 9, 10]);
    let maps = translator.attention_maps(&source, &target);
    let kinds = [
        (&maps.encoder, (5, 5)),
        (&maps.decoder, (3, 3)),
        (&maps.cross, (3, 5)),
    ];
    for (layers, shape) in kinds {
        assert_eq!(layers.len(), 2);
        for weights in layers.iter().flatten() {
            assert_eq!(weights.shape(), shape);
            let sums = weights.row_iter().map(|row| row.sum());
            assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-6));
        }
        assert!(layers.iter().all(|heads| heads.len() == 2));
    }
    let past = &maps.decoder[1][0];
    assert_eq!(past[(0, 1)], 0.0);
}

/// A word that comes later changes no map of those before it, and one of the
/// source changes all.
#[test]
fn attention_maps_are_those_of_the_model_that_translates() {
    let translator = translator();
    let map = |source: &[Token], target: &[Token]| -> Matrix<f32> {
        translator.attention_maps(source, target).cross[1][1].clone()
    };
    let apart =
        |a: &Matrix<f32>, b: &Matrix<f32>| largest(&(a - b).map(f64::from));
    let (short, long) =
        (map(&[3, 4, 5], &[8, 9]), map(&[3, 4, 5], &[8, 9, 7]));
    let long = long.rows(0, 2).into_owned();
    assert!(apart(&short, &long) < 1e-6);
    assert!(apart(&map(&[3, 4, 6], &[8, 9]), &long) > 1e-4);
}

#[test]
fn punctuation_becomes_tokens_of_its_own() {
    for (written, tokens) in [
        ("A Dog Runs!", "a dog runs !"),
        (
            "Two dogs (small ones), running.",
            "two dogs ( small ones ) , running .",
        ),
        ("A well-known sign: 50% off?", "a well-known sign : 50 % off ?"),
        (
            "a dog's bone; the dogs' bones",
            "a dog &apos;s bone ; the dogs &apos; bones",
        ),
        ("They’re #1 & proud…", "they &apos;re # 1 &amp; proud …"),
        ("It costs 1,000.50, or 2,", "it costs 1,000.50 , or 2 ,"),
        (
            "Mr. Fox, in St. Ives, U.S. Army.",
            "mr. fox , in st. ives , u.s. army .",
        ),
        ("It is in St.", "it is in st ."),
        ("Wait... what?!", "wait ... what ? !"),
        (
            "«Ja», „nein“ – ‘so’",
            "&quot; ja , &quot; &quot; nein &quot; - &apos; so &apos;",
        ),
        ("a < b [c] | d", "a &lt; b &#91; c &#93; &#124; d"),
        // An apostrophe begins an ending only after a letter, after a digit, or
        // where the token begins.
        ("1990's 's ('s", "1990 &apos;s &apos;s ( &apos; s"),
        ("A dog. It runs etc.. now", "a dog . it runs etc .. now"),
        ("\ta \u{7} b\r\n", "a b"),
        ("", ""),
        ("İ Ä ẞ", "i\u{307} ä ß"),
    ] {
        assert_eq!(normalize(written), tokens);
    }
}

/// Otherwise the captions of the tests would be changed, too.
#[test]
fn what_is_normal_stays_as_it_is() {
    for tokens in [
        "a man &apos;s hat , and &quot; st. mary &quot; .",
        "the dogs &apos; bowl is # 1 , at 2.50 or 1,000 .",
        "s.c.u.b.a. divers wait ... and wait .",
        "a - b -- c , 1800 &apos;s &amp; more",
    ] {
        assert_eq!(normalize(tokens), tokens);
    }
    // Of any text, the second time changes nothing.
    let signs: Vec<char> = "aS1 .,'\"-&;<(“’…é".chars().collect();
    let mut state = 1u32;
    for _ in 0..20_000 {
        let text: String = (0..12)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(12345);
                signs[(state >> 16) as usize % signs.len()]
            })
            .collect();
        let once = normalize(&text);
        assert_eq!(normalize(&once), once, "{text:?}");
    }
}

#[test]
fn tokens_become_a_text_as_it_is_written() {
    for written in [
        "a dog's bone, and a \"big\" one (or two).",
        "wait... it costs $5, or 10% of #1!",
        "they're here; why? no: nothing.",
        "the letter s and \"a\" and \"b\" are here.",
    ] {
        assert_eq!(detokenize(&normalize(written)), written);
    }
    assert_eq!(detokenize("mcdonald &apos; s haus ."), "mcdonald's haus.");
    assert_eq!(detokenize(""), "");
    assert_eq!(decode_entities("&amp;lt; &quot;"), "&lt; \"");
}

/// A file of 275 million zeros, which take no room on most disks, with a
/// line break after each 250,000 of them.
#[test]
fn a_text_that_does_not_end_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long");
    let mut file = fs::File::create(&path).unwrap();
    let (line, lines) = (250_000, 1100);
    assert!(line * lines > MAX_BYTES_KEPT);
    for i in 1..=lines {
        file.seek(SeekFrom::Start((i * line) as u64)).unwrap();
        file.write_all(b"\n").unwrap();
    }
    let place = path.display();
    let sentence =
        format!("{place}: the lines take more than {MAX_BYTES_KEPT} bytes");
    assert_eq!(read(&path).unwrap_err().to_string(), sentence);
    assert_eq!(corpus(&path, &path).unwrap_err().to_string(), sentence);
}
