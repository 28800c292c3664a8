//! What the program writes to the standard output.

use anyhow::{Context, Error, Result, ensure};
use std::ffi::c_int;
use std::fmt::Display;
use std::io::{self, ErrorKind::BrokenPipe, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A line on the standard output.
pub fn say(line: impl Display) -> Result<()> {
    writeln!(io::stdout(), "{line}").context("standard output")
}

/// Many lines on the standard output.
pub fn say_all(mut lines: impl Iterator<Item = String>) -> Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut write = || {
        lines.try_for_each(|line| writeln!(out, "{line}"))?;
        out.flush()
    };
    write().context("standard output")
}

unsafe extern "C" {
    /// Reads, among other things, a setting of an open file. This is safe
    /// with any number, also with that of no file.
    safe fn fcntl(file: c_int, command: c_int, ...) -> c_int;
}

/// Whether the program was started with its standard output closed.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// What Linux calls before `main`. Later it cannot be known, because Rust
/// opens `/dev/null` where nothing is open: no other file may get there.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    const STANDARD_OUTPUT: c_int = 1;
    const GET_FLAGS: c_int = 1;
    CLOSED.store(fcntl(STANDARD_OUTPUT, GET_FLAGS) < 0, Relaxed);
}

/// An error, if nobody can get what is going to be said.
pub fn check() -> Result<()> {
    ensure!(!CLOSED.load(Relaxed), "the standard output is closed");
    Ok(())
}

/// A line beside the output, for people.
pub fn note(line: impl Display) {
    writeln!(io::stderr(), "note: {line}").ok();
}

/// The name of a file, on one line: a line break or an escape in it cannot
/// move what a terminal shows.
pub fn named(path: &Path) -> String {
    escaped(&path.display().to_string())
}

/// A text with its control characters as Rust writes them.
pub fn escaped(text: &str) -> String {
    let one = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(one).collect()
}

/// All sentences of an error, with colons between. Some errors have the cause
/// in their own text already, and it is not said again.
pub fn explained(error: &Error) -> String {
    let causes = error.chain().map(ToString::to_string);
    causes.fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        said if said.ends_with(&cause) => text,
        said => format!("{said}: {cause}"),
    })
}

/// Whether the program that read our output has closed it. The error is
/// found behind the sentences of `context`, too.
pub fn is_closed(error: &Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == BrokenPipe)
}
