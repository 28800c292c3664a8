//! `cargo run --example decoder`

fn main() {}
