//! What a bench is asked to do.

use std::env;

/// The words after its name, without the flag that Cargo itself adds. They
/// stay in memory until it ends.
pub fn arguments() -> Vec<&'static str> {
    let all = env::args().skip(1).filter(|word| word != "--bench");
    all.map(|word| &*word.leak()).collect()
}
