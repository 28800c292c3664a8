//! `cargo run --example heads`

fn main() {}
