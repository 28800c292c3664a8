//! Answers each line, a request to the module, natively: `cargo run --package live --example answer`

use live::{Session, answer};
use std::error::Error;
use std::fs;
use std::io::stdin;

fn main() -> Result<(), Box<dyn Error>> {
    let folder =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../code/models/captions/");
    let read = |name: &str| fs::read(format!("{folder}{name}"));
    let session = Session::new(
        &read("config.toml")?,
        &read("merges.txt")?,
        &read("model.safetensors")?,
    )?;
    for request in stdin().lines() {
        println!("{}", answer(&session, &request?));
    }
    Ok(())
}
