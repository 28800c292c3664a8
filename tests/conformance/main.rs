//! The fixtures in `conformance/` are what the crate computes. `UPDATE=1`
//! writes them.

mod fixture;
mod parts;
mod plain;
mod text;

use fixture::{Part, apart, deserialize, pretty, serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs};

fn at(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.join("../conformance").join(name)
}

/// All parts, as the crate computes them today.
static PARTS: LazyLock<Vec<Part>> = LazyLock::new(|| {
    let parts = parts::all();
    if env::var_os("UPDATE").is_some() {
        write(&parts);
    }
    parts
});

const TENSORS: &str = "fixtures.safetensors";

fn write(parts: &[Part]) {
    fs::create_dir_all(at("fixtures")).unwrap();
    let mut tensors = BTreeMap::new();
    for part in parts {
        let path = at("fixtures").join(format!("{}.json", part.name));
        fs::write(path, pretty(&part.json())).unwrap();
        part.tensors(&mut tensors);
    }
    fs::write(at(TENSORS), serialize(&tensors)).unwrap();
}

/// Takes the mistakes out of all cases.
fn without_mistakes(part: &mut Value) -> Vec<Value> {
    let cases = part["cases"].as_array_mut().unwrap();
    cases.iter_mut().map(|case| case["wrong"].take()).collect()
}

#[test]
fn every_part_is_what_the_crate_computes() {
    for part in &*PARTS {
        let path = at("fixtures").join(format!("{}.json", part.name));
        let text = fs::read_to_string(&path).unwrap();
        let mut committed: Value = serde_json::from_str(&text).unwrap();
        let mut found = part.json();
        // What is wrong has eight digits, of which the last may be rounded
        // another way.
        let [a, b] = [&mut found, &mut committed].map(without_mistakes);
        for (found, committed, tolerance) in
            [(&found, &committed, 1e-12), (&a.into(), &b.into(), 1e-6)]
        {
            let gap = apart(found, committed);
            assert!(gap <= tolerance, "{} is {gap:e} apart", part.name);
        }
    }
}

#[test]
fn the_tensors_are_the_same_numbers() {
    let mut tensors = BTreeMap::new();
    PARTS.iter().for_each(|part| part.tensors(&mut tensors));
    let committed = deserialize(&fs::read(at(TENSORS)).unwrap());
    assert!(tensors.keys().eq(committed.keys()));
    for (name, tensor) in &tensors {
        let gap = tensor.apart(&committed[name]);
        assert!(gap <= 1e-12, "{name} is {gap:e} apart");
    }
}

/// Where a part has both.
#[test]
fn every_mistake_can_be_told_from_every_other_in_some_part() {
    let mut pairs = BTreeMap::new();
    for part in &*PARTS {
        let mistakes = part.mistakes();
        for (i, a) in mistakes.iter().enumerate() {
            for b in &mistakes[..i] {
                let told = part.tells(a, Some(b));
                *pairs.entry([*a.min(b), *a.max(b)]).or_insert(false) |= told;
            }
        }
    }
    pairs.retain(|_, told| !*told);
    assert!(pairs.is_empty(), "{:#?}", pairs.keys());
}

#[test]
fn nothing_else_is_in_the_folder_and_it_is_small() {
    let names = PARTS.iter().map(|part| format!("{}.json", part.name));
    let names: BTreeSet<String> = names.collect();
    let mut found = BTreeSet::new();
    let mut bytes = fs::metadata(at(TENSORS)).unwrap().len();
    for file in fs::read_dir(at("fixtures")).unwrap() {
        let file = file.unwrap();
        bytes += file.metadata().unwrap().len();
        found.insert(file.file_name().into_string().unwrap());
    }
    assert_eq!(found, names);
    assert!(bytes < 800_000, "{bytes} bytes");
}

#[test]
fn the_readme_names_every_function_and_how_many_mistakes_are_known() {
    let readme = fs::read_to_string(at("README.md")).unwrap();
    let mut mistakes = BTreeSet::new();
    for part in &*PARTS {
        let json = part.json();
        let function = json["function"].as_str().unwrap();
        assert!(readme.contains(function), "{function}");
        mistakes.extend(part.mistakes());
    }
    let count = format!("{} mistakes", mistakes.len());
    assert!(readme.contains(&count), "the README should say {count}");
}
