//! Serves the files of a folder to the browsers of this machine, one request a connection.
//!
//! Every page asks once a second for the number of the latest build, and loads itself anew when it has changed.

use anyhow::{Context, Result};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, thread};

/// So many requests are answered at a time; the others wait in line.
const WORKERS: usize = 16;

/// How long a browser may be silent.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long it may take to ask and to take the answer, as a whole.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);

/// How many bytes the head of a request may have.
const LONGEST_HEAD: u64 = 8192;

/// How much of a longer head is read, so that the browser is not cut off before it reads the refusal.
const LONGEST_REST: u64 = 1 << 20;

/// Where a page asks for the number of the latest build.
const BUILD: &str = "__build";

const HTML: &str = "text/html; charset=utf-8";

/// A folder that is served on a port of this machine.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
    folder: PathBuf,
    /// The number of the latest build. No two servers begin with the same.
    build: AtomicU64,
}

/// Takes a port of this machine, any free one for port 0.
///
/// # Errors
/// If it is taken already.
pub fn bind(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .with_context(|| format!("cannot serve on port {port}"))
}

impl Server {
    /// A server of a folder, which may be built later.
    ///
    /// # Errors
    /// If the port of the listener is not known.
    pub fn new(listener: TcpListener, folder: PathBuf) -> Result<Server> {
        let port = listener.local_addr()?.port();
        let now = SystemTime::UNIX_EPOCH.elapsed()?.as_millis();
        let build = AtomicU64::new(now as u64);
        Ok(Server { listener, port, folder, build })
    }

    /// The folder that is served.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Counts a new build, so that the open pages load themselves anew.
    pub fn rebuilt(&self) {
        self.build.fetch_add(1, Relaxed);
    }

    /// Answers from now on, in threads of its own. Returns the address of the first page.
    pub fn start(self: &Arc<Self>) -> String {
        for _ in 0..WORKERS {
            let server = self.clone();
            thread::spawn(move || server.work());
        }
        format!("http://127.0.0.1:{}/index.html", self.port)
    }

    fn work(&self) {
        for stream in self.listener.incoming().flatten() {
            // The browser may have gone away in the meantime.
            let _ = self.answer(&stream);
        }
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let end = Instant::now() + LONGEST_REQUEST;
        let mut browser = Browser { stream, end };
        match Request::read(&mut browser) {
            Ok(request) => self.respond(&request).send(&mut browser),
            Err(status) => {
                Response::refusal(status).send(&mut browser)?;
                stream.shutdown(Shutdown::Write)?;
                io::copy(&mut browser.take(LONGEST_REST), &mut io::sink())?;
                Ok(())
            }
        }
    }

    fn respond(&self, request: &Request) -> Response {
        // Another site's name may lead to this machine; its pages must not read ours.
        if !self.is_own_name(&request.host) {
            return Response::refusal("403 Forbidden");
        }
        match request.method.as_str() {
            "GET" => self.page(&request.path),
            "HEAD" => Response { is_head: true, ..self.page(&request.path) },
            _ => Response::refusal("405 Method Not Allowed"),
        }
    }

    fn is_own_name(&self, host: &str) -> bool {
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        matches!(name, "127.0.0.1" | "localhost")
            && port == self.port.to_string()
    }

    fn page(&self, path: &str) -> Response {
        let build = self.build.load(Relaxed).to_string();
        if path == BUILD {
            return Response::ok("text/plain", build.into_bytes());
        }
        let file = file(&self.folder, path);
        let mut response = file
            .and_then(|file| Response::file(&file))
            .unwrap_or_else(Response::no_such_page);
        if response.kind == HTML {
            response.body.extend(reloader(&build).bytes());
        }
        response
    }
}

/// A connection that is given up at some moment, however slowly it goes on.
struct Browser<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Browser<'_> {
    /// How long the next step may take.
    fn patience(&self) -> io::Result<Option<Duration>> {
        let left = self.end.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(ErrorKind::TimedOut.into()),
            false => Ok(Some(left.min(PATIENCE))),
        }
    }
}

impl Read for Browser<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.patience()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Browser<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.patience()?)?;
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// The head of what a browser asks for.
struct Request {
    method: String,
    path: String,
    host: String,
}

impl Request {
    /// Reads the head, as far as it comes, or says why not. A body stays where it is.
    fn read(browser: &mut Browser) -> Result<Request, &'static str> {
        let mut browser = browser.take(LONGEST_HEAD);
        let mut is_whole = false;
        let lines = BufReader::new(&mut browser).lines();
        let head: Vec<String> = lines
            .map_while(Result::ok)
            .take_while(|line| {
                is_whole = line.is_empty();
                !is_whole
            })
            .collect();
        if !is_whole && browser.limit() == 0 {
            return Err("431 Request Header Fields Too Large");
        }
        Self::parse(&head).ok_or("400 Bad Request")
    }

    fn parse(head: &[String]) -> Option<Request> {
        let mut words = head.first()?.split(' ');
        let (method, address) = (words.next()?, words.next()?);
        let path = address.split(['?', '#']).next()?.trim_start_matches('/');
        let mut fields = head.iter().filter_map(|line| line.split_once(':'));
        let host = fields.find(|field| field.0.eq_ignore_ascii_case("host"));
        Some(Request {
            method: method.to_string(),
            path: path.to_string(),
            host: host?.1.trim().to_ascii_lowercase(),
        })
    }
}

struct Response {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
    /// Only the head is wanted.
    is_head: bool,
}

impl Response {
    fn ok(kind: &'static str, body: Vec<u8>) -> Response {
        Response { status: "200 OK", kind, body, is_head: false }
    }

    fn refusal(status: &'static str) -> Response {
        let body = status.into();
        Response { status, kind: "text/plain", body, is_head: false }
    }

    fn no_such_page() -> Response {
        let body = "no such page".into();
        let status = "404 Not Found";
        Response { status, kind: HTML, body, is_head: false }
    }

    fn file(file: &Path) -> Option<Response> {
        Some(Response::ok(content_type(file), fs::read(file).ok()?))
    }

    fn send(&self, browser: &mut Browser) -> io::Result<()> {
        let Response { status, kind, body, is_head } = self;
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\
             Content-Length: {length}\r\nCache-Control: no-store\r\n\
             Connection: close\r\n\r\n"
        );
        browser.write_all(head.as_bytes())?;
        browser.write_all(if *is_head { &[] } else { body })
    }
}

/// The file of an address. Only plain names lead into the folder, whatever the system makes of the others.
fn file(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut parts = Path::new(path).components();
    let plain = !path.contains(['\\', ':'])
        && parts.all(|part| matches!(part, Component::Normal(_)));
    let file = plain.then(|| folder.join(path))?;
    Some(if file.is_dir() { file.join("index.html") } else { file })
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()).unwrap_or("") {
        "html" => HTML,
        "css" => "text/css",
        "js" => "text/javascript",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// Loads a page of this build anew when there is a later one.
fn reloader(build: &str) -> String {
    format!(
        "<script>setInterval(() => fetch(\"/{BUILD}\")\
         .then(answer => answer.text())\
         .then(build => build === \"{build}\" || location.reload())\
         .catch(() => {{}}), 1000)</script>"
    )
}
