//! The press: draws the figures and sets the pages of the book.

pub mod plot;
