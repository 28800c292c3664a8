//! How good is a translation: `cargo run --example bleu`

fn main() {}
