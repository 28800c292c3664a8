//! `cargo run --example transformer`

fn main() {}
