//! What is wrong with the book, and where.

use std::error::Error;
use std::fmt::{self, Display};
use std::path::PathBuf;

/// One thing that is wrong, with the file and line to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The file, relative to the project's folder.
    pub file: PathBuf,
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong there, as a sentence.
    pub message: String,
}

impl Diagnostic {
    /// A diagnostic at a line of a file.
    pub fn new(
        file: impl Into<PathBuf>,
        line: usize,
        message: impl Display,
    ) -> Self {
        Diagnostic { file: file.into(), line, message: message.to_string() }
    }
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.message)
    }
}

/// All that was found wrong at once, so that it can be mended at once.
#[derive(Debug)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// An error if there is any diagnostic.
    ///
    /// # Errors
    /// All of them.
    pub fn check(diagnostics: Vec<Diagnostic>) -> Result<(), Diagnostics> {
        if diagnostics.is_empty() {
            Ok(())
        } else {
            Err(Diagnostics(diagnostics))
        }
    }
}

impl Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> =
            self.0.iter().map(Diagnostic::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl Error for Diagnostics {}
