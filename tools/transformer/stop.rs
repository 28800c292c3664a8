//! Ctrl-C, which a training hears after the update that it is in.

use all_you_need::checkpoint::remove_unfinished;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether Ctrl-C has been pressed. Pressed again, it does not wait.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// What a shell says of a program that was ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// What Ctrl-C calls in a training.
pub fn stop() {
    if STOP.swap(true, Relaxed) {
        abandon();
    }
}

/// What it calls in a command that is short: nothing is left of what it is
/// just writing.
pub fn abandon() {
    remove_unfinished();
    process::exit(INTERRUPTED.into());
}
