//! What is done to the files of a saved model, to see whether it is noticed.

use all_you_need::checkpoint::Digest;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A file with `old` in it, and then with `new` instead.
#[track_caller]
pub fn edit(file: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "no {old} in {text}");
    fs::write(file, text.replacen(old, new, 1)).unwrap();
}

/// Digests of what the files hold now, as if they had been saved so.
pub fn sign(dir: &Path) {
    let mut sums = String::new();
    let written = fs::read_to_string(dir.join("SHA256SUMS")).unwrap();
    for line in written.lines() {
        let (_, name) = line.split_once("  ").unwrap();
        let digest = Digest::of(&fs::read(dir.join(name)).unwrap());
        sums += &format!("{digest}  {name}\n");
    }
    fs::write(dir.join("SHA256SUMS"), sums).unwrap();
}

/// Tensors by name: type, shape and bytes.
pub type Raw = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

/// Changes the tensors of a file, and writes its digest anew.
pub fn tamper(file: &Path, change: impl Fn(&mut Raw)) {
    rewrite(file, change);
    sign(file.parent().unwrap());
}

/// Changes the tensors of a file.
pub fn rewrite(file: &Path, change: impl Fn(&mut Raw)) {
    let bytes = fs::read(file).unwrap();
    let read = SafeTensors::deserialize(&bytes).unwrap();
    let raw = |(name, t): (String, TensorView)| {
        (name, (t.dtype(), t.shape().to_vec(), t.data().to_vec()))
    };
    let mut tensors = read.tensors().into_iter().map(raw).collect();
    change(&mut tensors);
    let views = tensors.iter().map(|(name, (dtype, shape, bytes))| {
        (name, TensorView::new(*dtype, shape.clone(), bytes).unwrap())
    });
    fs::write(file, serialize(views, None).unwrap()).unwrap();
}
