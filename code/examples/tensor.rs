//! `cargo run --example tensor`

fn main() {}
