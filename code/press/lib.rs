//! The press: sets the pages of the book.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod build;
pub mod coverage;
pub mod directive;
pub mod fault;
pub mod house;
pub mod include;
pub mod item;
pub mod links;
pub mod listing;
pub mod math;
pub mod order;
pub mod picture;
pub mod preprocessor;
pub mod printed;
pub mod proof;
pub mod serve;
pub mod setting;
pub mod sheet;
pub mod shown;
pub mod snippet;
