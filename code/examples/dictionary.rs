//! `cargo run --example dictionary`

fn main() {}
