use all_you_need::checkpoint::export;
use std::fs;

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
