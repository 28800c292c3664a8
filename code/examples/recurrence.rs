//! `cargo run --example recurrence`

fn main() {}
