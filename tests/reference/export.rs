use all_you_need::checkpoint::export;
use all_you_need::translation::Translator;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{at, random, sizes};

/// `EXPORT=1` writes it. Then PyTorch has to be asked again.
#[test]
fn the_export_that_pytorch_was_given_is_what_we_export() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torch.safetensors");
    export(&sizes(), &random(), &path).unwrap();
    if std::env::var_os("EXPORT").is_some() {
        fs::copy(&path, at("export.safetensors")).unwrap();
    }
    let committed = fs::read(at("export.safetensors")).unwrap();
    assert!(fs::read(&path).unwrap() == committed);
}

/// A Python that can import these modules: the one that `PYTHON` names, that
/// of `target/venv`, or `python3`. Says so if there is none.
pub fn python(modules: &str) -> Option<PathBuf> {
    let named = std::env::var_os("PYTHON").map(PathBuf::from);
    let venv = at("../../target/venv/bin/python");
    let all = named.into_iter().chain([venv, "python3".into()]);
    let has_them = |python: &PathBuf| {
        let import = format!("import {modules}");
        let done = Command::new(python).args(["-c", &import]).output();
        done.is_ok_and(|done| done.status.success())
    };
    let found = all.into_iter().find(has_them);
    if found.is_none() {
        eprintln!("not tested, since there is no Python with {modules}");
    }
    found
}

/// The script that is shown to those who come from PyTorch.
#[test]
fn pytorch_translates_as_we_do() {
    let Some(python) = python("torch, safetensors") else { return };
    let Translator { config, model, tokenizer } = Translator::captions();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torch.safetensors");
    export(&config, &model, &path).unwrap();
    let text = "two boys play in the snow .";
    let tokens = tokenizer.encode_source(text);
    let mut load = Command::new(python);
    load.arg(at("load.py")).arg(&path);
    load.args(tokens.iter().map(u32::to_string));
    let done = load.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8(done.stdout).unwrap();
    let said = said.split_whitespace().map(|token| token.parse().unwrap());
    let mut said: Vec<u32> = said.collect();
    assert_eq!(said.pop(), Some(tokenizer.eos()));
    let beam = Translator::captions().beam(1, 0.0, 1);
    let ours = Translator::captions().translate(&[text], &beam).unwrap();
    assert_eq!(tokenizer.decode(&said), ours[0]);
}
