//! `cargo run --example tokens`

fn main() {}
