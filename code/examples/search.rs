//! `cargo run --example search`

fn main() {}
