use all_you_need::checkpoint::{export, import};
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;
use all_you_need::translation::Translator;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use safetensors::tensor::SafeTensors;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Transformer, at, random, sizes};

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

/// What a script of this folder prints.
fn run(python: &Path, script: &str, path: &Path, more: &[String]) -> String {
    let mut script_of = Command::new(python);
    // Small matrices are not worth several threads.
    script_of.env("OMP_NUM_THREADS", "1");
    let done = script_of.arg(at(script)).arg(path).args(more).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// How PyTorch continues these tokens.
fn translated(python: &Path, path: &Path, tokens: &[u32]) -> Vec<u32> {
    let tokens: Vec<_> = tokens.iter().map(u32::to_string).collect();
    let said = run(python, "load.py", path, &tokens);
    said.split_whitespace().map(|token| token.parse().unwrap()).collect()
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
    let mut said = translated(&python, &path, &tokens);
    assert_eq!(said.pop(), Some(tokenizer.eos()));
    let beam = Translator::captions().beam(1, 0.0, 1);
    let ours = Translator::captions().translate(&[text], &beam).unwrap();
    assert_eq!(tokenizer.decode(&said), ours[0]);
}

/// What was trained with PyTorch, by the script that is shown, comes back.
#[test]
fn what_pytorch_has_trained_is_what_we_import() {
    let Some(python) = python("torch, safetensors") else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let config = Config { layers: 1, ..Config::toy() };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let untrained: Transformer<Matrix<f32>> = Transformer::new(&config, rng);
    export(&config, &untrained, &at("untrained")).unwrap();
    let train = |name: &str, dropout: &str| {
        let out = at(name).display().to_string();
        let more = [out, "40".to_owned(), dropout.to_owned()];
        let said = run(&python, "train.py", &at("untrained"), &more);
        let loss = said.trim_end().rsplit(' ').next().unwrap();
        let mut model = untrained.clone();
        import(&config, &mut model, &at(name)).unwrap();
        (loss.parse::<f64>().unwrap(), model)
    };
    let (loss, model) = train("trained", "0");
    // Guessing among the letters and the end costs ln 27 = 3.3.
    assert!(loss < 3.3, "{loss}");
    // Every matrix has learned.
    let before = untrained.leaves();
    for ((name, leaf), (_, old)) in model.leaves().into_iter().zip(before) {
        assert!(leaf != old, "{name}");
    }
    // What we export again is the same, so no number got another place.
    export(&config, &model, &at("again")).unwrap();
    let [one, other] =
        ["trained", "again"].map(|it| fs::read(at(it)).unwrap());
    let tensors = |file| SafeTensors::deserialize(file).unwrap();
    let (one, other) = (tensors(&one), tensors(&other));
    assert_eq!(one.len(), other.len());
    for (name, tensor) in one.tensors() {
        assert!(other.tensor(&name).unwrap() == tensor, "{name}");
    }
    // The same seed, but for the dropout.
    let (_, other) = train("dropout", "0.3");
    assert!(model.embedding.table != other.embedding.table);
}
