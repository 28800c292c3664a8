//! Ctrl-C, which a training hears after the update that it is in.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether Ctrl-C has been pressed. Pressed again, it does not wait.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// What a shell says of a program that was ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// What Ctrl-C calls.
pub fn stop() {
    if STOP.swap(true, Relaxed) {
        process::exit(INTERRUPTED.into());
    }
}
