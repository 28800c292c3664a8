//! The preview: the pages, for the browsers of this machine and nobody else.

use super::{Scratch, program, scratch};
use press::server::{Server, bind};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

const SITE: [(&str, &str); 4] = [
    ("site/index.html", "<p>first</p>"),
    ("site/css/a.css", "p {}"),
    ("site/deep/index.html", "deep"),
    ("secret.txt", "secret"),
];

/// A served folder, and its port.
fn site() -> (Scratch, Arc<Server>, u16) {
    let scratch = scratch(&SITE);
    let folder = scratch.project.path("site");
    let server = Arc::new(Server::new(bind(0).unwrap(), folder).unwrap());
    let port = port(&server.start());
    (scratch, server, port)
}

fn port(address: &str) -> u16 {
    let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
    rest.strip_suffix("/index.html").unwrap().parse().unwrap()
}

/// What the server says to these bytes.
fn ask(port: u16, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(port: u16, path: &str) -> String {
    let host = format!("127.0.0.1:{port}");
    ask(
        port,
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes(),
    )
}

#[test]
fn a_file_is_served_with_its_kind_and_length() {
    let (_scratch, _, port) = site();
    let style = get(port, "/css/a.css?v=1#top");
    assert!(style.starts_with("HTTP/1.1 200 OK\r\n"), "{style}");
    assert!(style.contains("\r\nContent-Type: text/css\r\n"), "{style}");
    assert!(style.contains("\r\nContent-Length: 4\r\n"), "{style}");
    assert!(style.ends_with("\r\n\r\np {}"), "{style}");
    assert!(get(port, "/").contains("<p>first</p>"));
    assert!(get(port, "/deep/").contains("deep"));
    assert!(get(port, "/deep").contains("deep"));
}

#[test]
fn a_browser_is_told_what_kind_of_file_it_gets() {
    let (scratch, _, port) = site();
    for (end, kind) in [
        ("js", "text/javascript"),
        ("svg", "image/svg+xml"),
        ("png", "image/png"),
        ("woff2", "font/woff2"),
        ("data", "application/octet-stream"),
    ] {
        fs::write(scratch.project.path(format!("site/a.{end}")), "").unwrap();
        let answer = get(port, &format!("/a.{end}"));
        let line = format!("\r\nContent-Type: {kind}\r\n");
        assert!(answer.contains(&line), "{answer}");
    }
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let (_scratch, _, port) = site();
    for path in [
        "/../secret.txt",
        "/deep/../../secret.txt",
        "/..\\secret.txt",
        "/deep\\..\\..\\secret.txt",
        "/C:/secret.txt",
        "/C:secret.txt",
        "//../secret.txt",
        "/%2e%2e/secret.txt",
        "/nothing.html",
        "/\0",
    ] {
        let answer = get(port, path);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        assert!(!answer.contains("secret"), "{path}: {answer}");
    }
}

#[test]
fn only_this_machines_own_names_are_answered() {
    let (_scratch, _, port) = site();
    let of = |host: &str| {
        let head = format!("GET / HTTP/1.1\r\n{host}\r\n\r\n");
        ask(port, head.as_bytes())
    };
    for host in ["127.0.0.1", "localhost", "LocalHost"] {
        let answer = of(&format!("host: {host}:{port}"));
        assert!(answer.contains("<p>first</p>"), "{host}: {answer}");
    }
    let other = port.wrapping_add(1);
    for host in [
        format!("Host: evil.example:{port}"),
        format!("Host: localhost.evil.example:{port}"),
        format!("Host: localhost:{other}"),
        "Host: localhost".to_string(),
    ] {
        let answer = of(&host);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{host}: {answer}");
    }
    assert!(of("Accept: */*").starts_with("HTTP/1.1 400 "));
}

#[test]
fn a_body_is_not_read_however_long_it_says_it_is() {
    let (_scratch, _, port) = site();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost:{port}\r\n\
         Content-Length: 99999999999\r\n\r\nabc"
    );
    let answer = ask(port, head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
    assert!(get(port, "/").contains("<p>first</p>"));
}

#[test]
fn an_endless_or_broken_head_does_no_harm() {
    let (_scratch, _, port) = site();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let endless = vec![b'x'; 1 << 20];
    let _ = stream.write_all(&endless);
    drop(stream);
    for broken in ["", "\r\n\r\n", "GET\r\n\r\n", "\u{ff}\u{0} x\r\n\r\n"] {
        let answer = ask(port, broken.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    assert!(get(port, "/").contains("<p>first</p>"));
}

#[test]
fn connections_that_say_nothing_are_given_up() {
    let (_scratch, _, port) = site();
    let open = || TcpStream::connect(("127.0.0.1", port)).unwrap();
    let silent: Vec<_> = (0..20).map(|_| open()).collect();
    assert!(get(port, "/").contains("<p>first</p>"));
    drop(silent);
}

/// More of them than can be answered at a time, each with a byte now and then.
#[test]
fn connections_that_are_slow_without_an_end_are_given_up() {
    let (_scratch, _, port) = site();
    let slow = || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        std::thread::spawn(move || {
            while stream.write_all(b"x").is_ok() {
                sleep(Duration::from_millis(200));
            }
        })
    };
    let slow: Vec<_> = (0..16).map(|_| slow()).collect();
    assert!(get(port, "/").contains("<p>first</p>"));
    slow.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_head_that_is_too_large_is_refused_by_its_number() {
    let (_scratch, _, port) = site();
    for length in [8_200, 100_000] {
        let long = "x".repeat(length);
        let head = format!(
            "GET / HTTP/1.1\r\nHost: localhost:{port}\r\nA: {long}\r\n\r\n"
        );
        let answer = ask(port, head.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
        assert!(answer.ends_with("431 Request Header Fields Too Large"));
    }
}

#[test]
fn a_head_alone_is_answered_without_the_page() {
    let (_scratch, _, port) = site();
    let host = format!("Host: localhost:{port}");
    let head = format!("HEAD /css/a.css HTTP/1.1\r\n{host}\r\n\r\n");
    let answer = ask(port, head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("\r\nContent-Length: 4\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    let head = format!("HEAD /nothing HTTP/1.1\r\n{host}\r\n\r\n");
    assert!(ask(port, head.as_bytes()).starts_with("HTTP/1.1 404 "));
}

#[test]
fn a_page_learns_of_the_next_build() {
    let (_scratch, server, port) = site();
    let build = || {
        get(port, "/__build").split("\r\n\r\n").nth(1).unwrap().to_string()
    };
    let first = build();
    assert!(get(port, "/").contains(&format!("build === \"{first}\"")));
    server.rebuilt();
    assert_ne!(build(), first);
}

/// A small book.
const BOOK: [(&str, &str); 7] = [
    ("book.toml", "[book]\ntitle = \"Before\"\n"),
    ("src/SUMMARY.md", "- [A](a.md)\n"),
    (
        "src/a.md",
        "# A\n\n{{#code f}}\n\n{{#code elsewhere/b.rs: g}}\n\n{{#exercise 1}}\n\n{{#output}}\n",
    ),
    ("src/outputs/a.txt", "stale\n"),
    ("code/a.rs", "fn f() {}\n"),
    ("elsewhere/b.rs", "fn g() {}\n"),
    ("tests/exercises/a.rs", "// Exercise 1\n// A.\nfn old() {}\n"),
];

/// The program at work, which ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The program in a project, where there is no cargo to build examples with.
fn book(scratch: &Scratch, port: u16) -> Command {
    let mut book = program(scratch);
    let temporary = scratch.project.path("temporary");
    fs::create_dir_all(&temporary).unwrap();
    book.args(["serve", "--port", &port.to_string()])
        .env("CARGO", "/no/cargo")
        .env("TMPDIR", temporary);
    book
}

/// The program at work once its pages can be asked for, and their port.
fn preview(scratch: &Scratch, errors: Stdio) -> (Running, u16) {
    let mut book = book(scratch, 0);
    let child = book.stdout(Stdio::piped()).stderr(errors).spawn();
    let mut running = Running(child.unwrap());
    let mut line = String::new();
    let output = running.0.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    (running, port(line.trim()))
}

/// Asks for the page until it says this.
fn wait_for(port: u16, text: &str) {
    let mut tries = 0..600;
    while !get(port, "/a.html").contains(text) {
        assert!(tries.next().is_some(), "never: {text}");
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_preview_follows_every_file_it_shows() {
    let scratch = scratch(&BOOK);
    let file = |name: &str| scratch.project.path(name);
    let (running, port) = preview(&scratch, Stdio::null());
    wait_for(port, "fn old");
    fs::write(
        file("tests/exercises/a.rs"),
        "// Exercise 1\n// A.\nfn new() {}\n",
    )
    .unwrap();
    wait_for(port, "fn new");
    fs::write(file("code/a.rs"), "fn f() -> Changed {}\n").unwrap();
    wait_for(port, "Changed");
    fs::write(file("elsewhere/b.rs"), "fn g() -> Moved {}\n").unwrap();
    wait_for(port, "Moved");
    // As editors save: a new file takes the name of the old one.
    fs::write(file("new"), "[book]\ntitle = \"Afterwards\"\n").unwrap();
    fs::rename(file("new"), file("book.toml")).unwrap();
    wait_for(port, "Afterwards");
    drop(running);
    assert_eq!(fs::read_dir(file("temporary")).unwrap().count(), 0);
}

#[test]
fn a_preview_says_what_is_wrong_and_waits_for_a_change() {
    let scratch = scratch(&BOOK);
    let file = |name: &str| scratch.project.path(name);
    fs::write(file("src/a.md"), "# A\n\n{{#cod f}}\n").unwrap();
    let errors = File::create(file("errors")).unwrap();
    let (_running, port) = preview(&scratch, errors.into());
    let said = fs::read_to_string(file("errors")).unwrap();
    assert!(said.contains("src/a.md:3: there is no directive"), "{said}");
    let build = || get(port, "/__build");
    let first = build();
    // Longer than the disk must be quiet before a build.
    sleep(Duration::from_secs(1));
    assert_eq!(build(), first);
    fs::write(file("src/a.md"), "# A\n\n{{#code f}}\n").unwrap();
    wait_for(port, "fn f");
}

#[test]
fn a_port_that_is_taken_is_named_before_anything_is_built() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let scratch = scratch(&BOOK);
    let done = book(&scratch, port).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success());
    assert!(said.contains(&format!("cannot serve on port {port}")), "{said}");
    assert!(!scratch.project.path("target").exists());
}
