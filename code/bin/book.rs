//! Builds, serves and tests the book.

fn main() {}
