//! `cargo run --example position`

fn main() {}
