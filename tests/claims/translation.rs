use all_you_need::checkpoint::Checkpoint;
use all_you_need::encoder::Config;
use all_you_need::optimizer::Adam;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Recipe, Training, marks, question};
use all_you_need::transformer::Transformer;
use all_you_need::translation::{Pair, corpus, lines, read, vocabulary};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn pairs() -> Vec<Pair> {
    let pairs = [
        ("a warm wind blows", "ein warmer wind weht"),
        ("the wind is warm", "der wind ist warm"),
        ("sand in the hand", "sand in der hand"),
    ];
    pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()
}

/// A model that has learned nothing, and speaks loud enough to be told apart.
fn state() -> Checkpoint {
    let tokens = vocabulary(&pairs(), 12);
    let config = Config {
        vocabulary: tokens.len() + 2,
        layers: 2,
        d_model: 12,
        d_ff: 20,
        heads: 2,
        d_k: 5,
        d_v: 3,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut model = Transformer::new(&config, &mut rng);
    model.embedding.table *= 2.0;
    let (_, end) = marks(config.vocabulary);
    model.embedding.table.row_mut(end).scale_mut(1.7);
    let recipe = Recipe {
        tokens: 10,
        updates: 1,
        both_ways: 0,
        warmup: 1,
        peak: 0.1,
        dropout: 0.0,
        weight_decay: 0.0,
        smoothing: 0.0,
        seed: 1,
    };
    let adam = Adam::new(&model);
    let training = Training { recipe, model, adam };
    Checkpoint { config, training, tokens }
}

fn texts() -> Vec<String> {
    let words = ["wind", "a warm wind", "", "sand in the hand .", " ", "x"];
    let long = (1..100).map(|n| "wind ".repeat(n % 7 + 1));
    words.iter().map(|text| text.to_string()).chain(long).collect()
}

#[test]
fn a_text_has_as_many_lines_as_an_editor_shows() {
    let cut = |text: &str| lines(text.as_bytes()).unwrap();
    assert_eq!(cut("eins\nzwei\n"), ["eins", "zwei"]);
    assert_eq!(cut("eins\nzwei"), ["eins", "zwei"]);
    assert_eq!(cut("eins\r\n\r\nzwei \t\r\n"), ["eins", "", "zwei"]);
    assert_eq!(cut("\n"), [""]);
    assert!(cut("").is_empty());
}

#[test]
fn a_line_that_is_not_utf_8_is_named() {
    let error = lines(b"eins\nzw\xf6lf\ndrei\n").unwrap_err();
    assert_eq!(format!("{error}"), "line 2");
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
fn what_is_wrong_with_a_corpus_is_said_with_file_and_line() {
    let files = [
        ("en", "one\ntwo\n"),
        ("de", "eins\n"),
        ("gap", "a\n \n"),
        ("no", ""),
    ];
    let (_folder, paths) = folder(&files);
    let error = |i: usize| {
        let error = corpus(&paths[0], &paths[i]).unwrap_err();
        format!("{error:#}")
    };
    assert!(error(1).ends_with("de has 1"), "{}", error(1));
    assert!(error(2).ends_with("gap: line 2 is empty"), "{}", error(2));
    assert!(error(3).ends_with("no is empty"), "{}", error(3));
    assert!(read(&paths[0].join("x")).is_err());
}

#[test]
fn no_token_holds_a_line_break() {
    let tokens = vocabulary(&pairs(), 100);
    let learned = 256..tokens.len();
    assert!(learned.len() > 10);
    let line = |id: usize| tokens.bytes(id).contains(&b'\n');
    assert!(!learned.into_iter().any(line));
}

#[test]
fn a_word_of_both_languages_is_one_token() {
    let tokens = vocabulary(&pairs(), 100);
    assert_eq!(tokens.encode(" wind").len(), 1);
}

#[test]
fn every_text_is_translated_as_if_it_were_alone() {
    let (state, texts) = (state(), texts());
    let beam = state.beam(3, 0.6, 2);
    let together = state.translate(&texts, &beam);
    assert_eq!(together.len(), texts.len());
    for (text, found) in texts.iter().zip(&together) {
        let alone = state.translate(std::slice::from_ref(text), &beam);
        let words = |found: &[(String, f64)]| -> Vec<String> {
            found.iter().map(|(text, _)| text.clone()).collect()
        };
        assert_eq!(words(found), words(&alone[0]), "{text}");
    }
    let different: std::collections::HashSet<_> =
        together.iter().map(|found| &found[0].0).collect();
    assert!(different.len() > 3, "{different:?}");
}

#[test]
fn an_empty_text_stays_empty() {
    let (state, texts) = (state(), texts());
    let best = state.best(&texts, &state.beam(2, 0.6, 1));
    assert_eq!((&*best[2], &*best[4]), ("", ""));
    assert!(state.best(&[], &state.beam(1, 0.0, 1)).is_empty());
}

/// Its row of the table is the longest, and so is its score.
#[test]
fn a_start_in_the_middle_spells_nothing() {
    let mut state = state();
    let (start, _) = marks(state.config.vocabulary);
    state.training.model.embedding.table.row_mut(start).scale_mut(9.0);
    let beam = state.beam(1, 0.0, 1);
    let source = question("wind", &state.tokens);
    let found = state.training.model.search(&[source], &beam);
    assert!(found[0][0].tokens.contains(&start));
    assert!(!state.best(&texts(), &beam).is_empty());
}

#[test]
fn a_translation_stays_on_its_line() {
    let state = state();
    let best = state.best(&texts(), &state.beam(1, 0.0, 1));
    assert!(best.iter().all(|text| !text.contains(['\n', '\r'])));
}

#[test]
fn looks_are_weights_of_every_head_of_every_layer() {
    let state = state();
    let (source, target) = ([3, 4, 5, 6, 7], [8, 9, 10]);
    let looks = state.looks(&source, &target);
    let kinds = [
        (&looks.encoder, (5, 5)),
        (&looks.decoder, (3, 3)),
        (&looks.cross, (3, 5)),
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
    let past = &looks.decoder[1][0];
    assert_eq!(past[(0, 1)], 0.0);
}

/// A word that comes later changes no look of those before it, and one of
/// the source changes all.
#[test]
fn looks_are_those_of_the_model_that_translates() {
    let state = state();
    let looks = |source: &[usize], target: &[usize]| -> Matrix<f32> {
        state.looks(source, target).cross[1][1].clone()
    };
    let (short, long) =
        (looks(&[3, 4, 5], &[8, 9]), looks(&[3, 4, 5], &[8, 9, 7]));
    assert!((short - long.rows(0, 2)).amax() < 1e-6);
    let other = looks(&[3, 4, 6], &[8, 9]);
    assert!((other - long.rows(0, 2)).amax() > 1e-4);
}
