//! What is wrong with the book, and where.

use std::error::Error;
use std::fmt::{self, Display};
use std::path::PathBuf;

/// One thing that is wrong, with the file and line to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The file, relative to the project's folder.
    pub file: PathBuf,
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong there, as a sentence.
    pub message: String,
}

impl Fault {
    /// A fault at a line of a file.
    pub fn new(
        file: impl Into<PathBuf>,
        line: usize,
        message: impl Display,
    ) -> Self {
        Fault { file: file.into(), line, message: message.to_string() }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.message)
    }
}

/// All that was found wrong at once, so that it can be mended at once.
#[derive(Debug)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// An error, if there is any fault.
    pub fn check(faults: Vec<Fault>) -> Result<(), Faults> {
        if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
    }
}

impl Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> =
            self.0.iter().map(Fault::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl Error for Faults {}
