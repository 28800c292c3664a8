//! What the book says of the crate, one module a chapter.

mod attention;
mod golden;
mod transformer;
