//! `cargo run --example layers`

fn main() {}
