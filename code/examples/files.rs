//! Files that PyTorch reads, and files that are refused:
//! `cargo run --example files`

/// What was typed in a terminal, and what appeared there.
const SESSION: &str = include_str!("../../src/logs/files.txt");

fn main() {
    print!("{SESSION}");
}
