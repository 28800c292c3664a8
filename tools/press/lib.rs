//! The press: sets the pages of the book.

#![forbid(unsafe_code)]
#![deny(missing_debug_implementations, missing_docs)]

pub mod boxes;
pub mod build;
pub mod contents;
pub mod coverage;
pub mod descriptions;
pub mod diagnostic;
pub mod directive;
pub mod doctest;
pub mod epub;
pub mod german;
pub mod glossary;
pub mod golden;
pub mod hours;
pub mod include;
pub mod item;
pub mod limits;
pub mod links;
pub mod listing;
pub mod live;
pub mod math;
pub mod order;
pub mod outputs;
pub mod pdf;
pub mod picture;
pub mod plain;
pub mod pointer;
pub mod preprocessor;
pub mod project;
pub mod render;
pub mod serve;
pub mod server;
pub mod snippet;
pub mod source_map;
pub mod strip;
pub mod target;
pub mod unused;
pub mod xhtml;
