//! The book's model in a page: a request goes in, and an answer with every
//! number on the way from an English caption to a German one comes out, both
//! as JSON.
//!
//! The numbers are all made by the library `all-you-need`. Here is only what
//! reads requests, asks the library, and writes answers. Compiled to
//! WebAssembly, it is called through [`boundary`].
//!
//! ```
//! use live::Session;
//!
//! let [settings, merges, model] =
//!     ["config.toml", "merges.txt", "model.safetensors"].map(|name| {
//!         std::fs::read(format!("../../code/models/captions/{name}")).unwrap()
//!     });
//! let session = Session::new(&settings, &merges, &model)?;
//! let request = r#"{"text": "A dog runs.", "search": "greedy"}"#;
//! let answer = live::answer(&session, request);
//! assert!(answer.starts_with(r#"{"answer":{"text":"a dog runs .""#));
//! # Ok::<(), all_you_need::checkpoint::Error>(())
//! ```

#![deny(missing_docs, missing_debug_implementations, unsafe_code)]

mod answer;
pub mod boundary;
mod playground;
mod record;
mod request;
mod session;
pub mod sources;
mod text;
mod tree;
mod variant;

pub use playground::Playground;
pub use session::{Session, answer};
