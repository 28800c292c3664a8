//! Serves the book while it is written, and reloads the page when a file changes.

use crate::build;
use crate::house::House;
use anyhow::{Result, anyhow};
use notify::{RecursiveMode, Watcher};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tiny_http::{Header, ReadWrite, Request, Response, Server};
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

/// Where a page asks to be told when to reload.
const RELOAD: &str = "__reload";

/// The open pages that wait to be told.
type Waiting = Arc<Mutex<Vec<WebSocket<Box<dyn ReadWrite + Send>>>>>;

/// Builds and serves the book on a port of this machine, for ever; calls `ready` with its address.
pub fn serve(
    house: &House,
    port: u16,
    ready: impl FnOnce(&str),
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    rebuild(house, folder.path());
    let server =
        Server::http(("127.0.0.1", port)).map_err(|error| anyhow!(error))?;
    let waiting = Waiting::default();
    let (root, pages) = (folder.path().to_owned(), waiting.clone());
    thread::spawn(move || {
        server
            .incoming_requests()
            .for_each(|request| answer(request, &root, &pages));
    });
    ready(&format!("http://127.0.0.1:{port}/index.html"));
    watch(house, || {
        rebuild(house, folder.path());
        reload(&waiting);
    })
}

/// Builds the book; what is wrong with it is printed, and the pages wait for the next change.
fn rebuild(house: &House, folder: &Path) {
    let built = build::all(house, folder, |book| {
        book.config.set("output.html.live-reload-endpoint", RELOAD)
    });
    if let Err(error) = built {
        eprintln!("{error:#}");
    }
}

fn answer(request: Request, root: &Path, waiting: &Waiting) {
    let path = request
        .url()
        .split('?')
        .next()
        .unwrap_or("")
        .trim_start_matches('/')
        .to_owned();
    // A browser that has gone away in the meantime is no fault of the book.
    let _ = match path.as_str() {
        RELOAD => {
            wait(request, waiting);
            Ok(())
        }
        _ => send(request, &file(root, &path)),
    };
}

/// The file of an address; only plain names lead into the folder.
fn file(root: &Path, path: &str) -> PathBuf {
    let parts = path
        .split('/')
        .filter(|part| !part.is_empty() && !part.starts_with('.'));
    let file = parts.fold(root.to_owned(), |file, part| file.join(part));
    if file.is_dir() { file.join("index.html") } else { file }
}

fn send(request: Request, path: &Path) -> std::io::Result<()> {
    match File::open(path) {
        Ok(file) => request.respond(
            Response::from_file(file).with_header(content_type(path)),
        ),
        Err(_) => request.respond(
            Response::from_string("no such page").with_status_code(404),
        ),
    }
}

fn content_type(path: &Path) -> Header {
    let kind =
        match path.extension().and_then(|end| end.to_str()).unwrap_or("") {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css",
            "js" => "text/javascript",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "woff2" => "font/woff2",
            _ => "application/octet-stream",
        };
    header("Content-Type", kind)
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("a header of ours")
}

/// Keeps the line to a page open.
fn wait(request: Request, waiting: &Waiting) {
    let key = request
        .headers()
        .iter()
        .find(|header| header.field.equiv("Sec-WebSocket-Key"));
    let accept = derive_accept_key(
        key.map_or("", |key| key.value.as_str()).as_bytes(),
    );
    let response = Response::empty(101)
        .with_header(header("Sec-WebSocket-Accept", &accept));
    let stream = request.upgrade("websocket", response);
    let page = WebSocket::from_raw_socket(stream, Role::Server, None);
    waiting.lock().expect("the list of pages").push(page);
}

/// Tells every waiting page to reload. It then asks anew; a closed page is forgotten.
fn reload(waiting: &Waiting) {
    for mut page in waiting.lock().expect("the list of pages").drain(..) {
        let _ = page.send(Message::text("reload"));
    }
}

/// Calls `changed` whenever the book or the crate is changed on disk.
fn watch(house: &House, changed: impl Fn()) -> Result<()> {
    let (sender, receiver) = channel();
    let mut watcher = notify::recommended_watcher(
        move |event: notify::Result<notify::Event>| {
            // Reading a file is an event too, and building the book reads them all.
            if event.is_ok_and(|event| !event.kind.is_access()) {
                let _ = sender.send(());
            }
        },
    )?;
    for place in ["src", "code", "theme", "book.toml"] {
        watcher.watch(&house.path(place), RecursiveMode::Recursive)?;
    }
    loop {
        settle(&receiver)?;
        changed();
    }
}

/// Waits for a change, and then until the disk is quiet.
fn settle(receiver: &Receiver<()>) -> Result<()> {
    receiver.recv()?;
    while receiver.recv_timeout(Duration::from_millis(200)).is_ok() {}
    Ok(())
}
