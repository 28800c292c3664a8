//! The Transformer of *Attention Is All You Need* (Vaswani et al., 2017), in reading order.
//!
//! Each module is read aloud in the book's chapter of the same name.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "plots")]
pub mod press;
