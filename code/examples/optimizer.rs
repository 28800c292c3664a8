//! `cargo run --example optimizer`

fn main() {}
