//! The networks that write words backwards, and their training.

/// Numbers for a letter, and for a state.
pub const D: usize = 48;

/// The lengths that are tested.
pub const TESTED: [usize; 6] = [4, 8, 12, 16, 20, 24];

pub const UPDATES: usize = 2000;
