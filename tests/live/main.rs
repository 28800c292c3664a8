//! The model in a page: what it answers, and that the module of the
//! repository says the same.

mod answers;
mod module;
mod playground;
mod refusals;

use all_you_need::Translator;
use live::{Session, answer};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The project's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of the book's model that a session is made from.
fn files() -> [Vec<u8>; 3] {
    let folder = root().join("code/models/captions");
    ["config.toml", "merges.txt", "model.safetensors"]
        .map(|name| fs::read(folder.join(name)).unwrap())
}

/// Captions of our own.
fn captions() -> Vec<String> {
    let captions = root().join("src/logs/translation-own.en");
    let captions = fs::read_to_string(captions).unwrap();
    captions.lines().map(str::to_owned).collect()
}

static SESSION: LazyLock<Session> = LazyLock::new(|| {
    let [settings, merges, model] = files();
    Session::new(&settings, &merges, &model).unwrap()
});

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(Translator::captions);

/// A request for a greedy translation.
fn greedy(text: &str) -> Value {
    json!({"text": text, "search": "greedy"})
}

/// What a session replies.
fn reply(request: &Value) -> Value {
    serde_json::from_str(&answer(&SESSION, &request.to_string())).unwrap()
}

/// An answer, where there must be one.
#[track_caller]
fn answered(request: &Value) -> Value {
    let mut reply = reply(request);
    let answer = reply["answer"].take();
    assert!(!answer.is_null(), "{reply}");
    answer
}

/// The answer to a request with a change in the model.
#[track_caller]
fn changed(mut request: Value, change: Value) -> Value {
    request["change"] = change;
    answered(&request)
}

/// The elements of an array.
#[track_caller]
fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

/// All numbers, in any depth.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Number(number) => vec![number.as_f64().unwrap()],
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        _ => panic!("no numbers: {value}"),
    }
}

/// The numbers of the tokens.
fn ids(tokens: &Value) -> Vec<u32> {
    let id = |token: &Value| token["id"].as_u64().unwrap() as u32;
    list(tokens).iter().map(id).collect()
}
