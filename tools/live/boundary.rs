//! The functions that a page calls. They take and return only numbers.
//!
//! What is longer is written to the module's memory and read from there: the
//! page asks for [`room`], writes bytes there, calls [`start`] or [`answer`],
//! and reads as many bytes as these return from where [`reply`] says.

#![expect(
    unsafe_code,
    reason = "a name that a page can call may be defined only once in a \
              program, and Rust cannot check that"
)]

use crate::playground::Playground;
use crate::session::{Session, error, too_long};
use std::cell::RefCell;

/// The most bytes that there is room for.
const MOST_ROOM: usize = 1 << 24;

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<String> = const { RefCell::new(String::new()) };
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static PLAYGROUND: RefCell<Playground> = RefCell::default();
}

/// A place for so many bytes, until the next call of [`start`] or [`answer`];
/// null if they are more than 16 MiB.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    ROOM.with_borrow_mut(|room| {
        room.clear();
        if bytes > MOST_ROOM {
            return std::ptr::null_mut();
        }
        room.resize(bytes, 0);
        room.as_mut_ptr()
    })
}

/// Loads the model. The room has the contents of `config.toml`, `merges.txt`
/// and `model.safetensors`, end to end, of these lengths. Returns the length
/// of the reply.
#[unsafe(no_mangle)]
pub extern "C" fn start(
    settings: usize,
    merges: usize,
    model: usize,
) -> usize {
    let files = ROOM.take();
    let cut = || {
        let (settings, rest) = files.split_at_checked(settings)?;
        let (merges, rest) = rest.split_at_checked(merges)?;
        Some((settings, merges, rest.get(..model)?))
    };
    let Some((settings, merges, model)) = cut() else {
        return tell(error("The model has other lengths than were named."));
    };
    match Session::new(settings, merges, model) {
        Ok(session) => {
            let ready = session.ready();
            SESSION.set(Some(session));
            tell(ready)
        }
        Err(reason) => tell(error(format!("No model: {reason}."))),
    }
}

/// Answers the request in the room, which has so many bytes, with the model
/// that [`start`] has loaded. Returns the length of the reply.
#[unsafe(no_mangle)]
pub extern "C" fn answer(bytes: usize) -> usize {
    reply_to(bytes, |request| {
        SESSION.with_borrow(|session| match session {
            Some(session) => crate::answer(session, request),
            None => error("The model is not loaded yet."),
        })
    })
}

/// Answers the request in the room, which has so many bytes, with a model
/// that learns. Returns the length of the reply.
#[unsafe(no_mangle)]
pub extern "C" fn learn(bytes: usize) -> usize {
    reply_to(bytes, |request| {
        PLAYGROUND.with_borrow_mut(|playground| playground.answer(request))
    })
}

/// Reads the request in the room and keeps the reply to it.
fn reply_to(bytes: usize, answer: impl FnOnce(&str) -> String) -> usize {
    let room = ROOM.take();
    let Some(request) = room.get(..bytes) else {
        return tell(too_long(bytes));
    };
    match str::from_utf8(request) {
        Ok(request) => tell(answer(request)),
        Err(_) => tell(error("This is no text: its bytes are not UTF-8.")),
    }
}

/// Where the last reply is, until the next.
#[unsafe(no_mangle)]
pub extern "C" fn reply() -> *const u8 {
    REPLY.with_borrow(|reply| reply.as_ptr())
}

/// Keeps a reply, and returns its length.
fn tell(text: String) -> usize {
    let length = text.len();
    REPLY.set(text);
    length
}
