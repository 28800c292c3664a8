//! `cargo run --example encoder`

fn main() {}
