//! The sizes of the book's models: `cargo run --example notation`

use all_you_need::encoder::Config;
use print::{grouped, section, value};

fn main() {
    section("Sizes");
    for (name, config) in [
        ("toy", Config::toy()),
        ("tiny", Config::tiny()),
        ("base", Config::base()),
    ] {
        print_sizes(name, &config);
    }
}

fn print_sizes(name: &str, config: &Config) {
    for (letter, size) in [
        ("V", config.vocabulary),
        ("N", config.layers),
        ("d_model", config.d_model),
        ("h", config.heads),
        ("d_k", config.d_k),
        ("d_v", config.d_v),
        ("d_ff", config.d_ff),
    ] {
        value(format!("{letter} of {name}"), grouped(size));
    }
    value(format!("parameters of {name}"), grouped(config.parameters()));
}
