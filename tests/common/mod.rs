//! What the claims and the answers to the exercises share.

pub mod compare;
pub mod letters;
