//! `cargo run --example embedding`

fn main() {}
