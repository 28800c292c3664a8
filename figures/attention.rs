//! The figures of the chapter on attention.

pub fn draw() {}
