//! Folders that `published.py` makes anew, of kinds and sizes that no fixture
//! has.

use crate::compare::close;
use crate::export::python;
use all_you_need::published::Published;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use safetensors::tensor::SafeTensors;
use serde::Deserialize;
use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(Deserialize)]
struct Strings {
    strings: Vec<String>,
    ids: Vec<Vec<Token>>,
}

/// Compares a folder with what `transformers` has made of it.
fn check(folder: &Path) {
    let Published { model, tokenizer, .. } = Published::open(folder).unwrap();
    let bytes = fs::read(folder.join("expected.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    for i in 0..3 {
        let tokens = file.tensor(&format!("tokens.{i}")).unwrap();
        let tokens = tokens.data().as_chunks().0.iter();
        let tokens: Vec<Token> =
            tokens.map(|token| Token::from_le_bytes(*token)).collect();
        let logits = file.tensor(&format!("logits.{i}")).unwrap();
        let numbers = logits.data().as_chunks().0.iter();
        let numbers = numbers.map(|x| f64::from(f32::from_le_bytes(*x)));
        let (n, v) = (tokens.len(), logits.shape()[1]);
        let logits = Matrix::from_row_iterator(n, v, numbers);
        let scores = model.scores(&model.read().feed(&tokens));
        close(&scores.map(f64::from), &logits, 1e-4);
    }
    let text = fs::read_to_string(folder.join("strings.json")).unwrap();
    let Strings { strings, ids } = serde_json::from_str(&text).unwrap();
    for (string, ids) in strings.iter().zip(ids) {
        assert_eq!(tokenizer.encode(string), ids, "{string:?}");
    }
}

#[test]
fn a_folder_that_transformers_makes_anew_runs_to_the_same_logits() {
    let Some(python) = python("torch, transformers") else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/reference/published.py"
    );
    let made = Command::new(&python)
        .args([script, "fresh"])
        .arg(folder.path())
        .args((1..=12).map(|seed| seed.to_string()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
    for seed in 1..=12 {
        println!("{seed}"); // to be read if it is wrong
        check(&folder.path().join(seed.to_string()));
    }
}
