//! A log that a bench goes on with when it was stopped.

use std::fs::{OpenOptions, read_to_string};
use std::io::Write;

/// A table with tabs, to which rows are added.
pub struct Log<'a>(pub &'a str);

impl Log<'_> {
    fn rows(&self) -> String {
        read_to_string(self.0).unwrap_or_default()
    }

    /// Whether there is a row that begins with these cells.
    pub fn has(&self, key: &str) -> bool {
        let key = format!("{key}\t");
        self.rows().lines().any(|row| row.starts_with(&key))
    }

    /// Adds a row, and before the first one the head.
    pub fn add(&self, head: &str, row: &str) {
        let new = self.rows().is_empty();
        let file = OpenOptions::new().create(true).append(true).open(self.0);
        let mut file =
            file.unwrap_or_else(|error| panic!("{}: {error}", self.0));
        let lines =
            if new { format!("{head}\n{row}\n") } else { format!("{row}\n") };
        file.write_all(lines.as_bytes()).expect("a file that can be written");
    }
}
