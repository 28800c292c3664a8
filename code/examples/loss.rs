//! `cargo run --example loss`

fn main() {}
