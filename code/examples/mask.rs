//! `cargo run --example mask`

fn main() {}
