//! Serves the book while it is written, and rebuilds it when a file changes.

use crate::project::Project;
use crate::server::{self, Server};
use crate::{build, live};
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};
use walkdir::WalkDir;

/// Where all that the pages show comes from.
const SOURCES: [&str; 6] =
    ["book.toml", "src", "code", "theme", "exercises", "tests/exercises"];

/// How long the disk must be quiet before the book is built again.
const QUIET: Duration = Duration::from_millis(300);

/// Builds and serves the book on a port of this machine, for ever; calls `ready` with its address.
///
/// What is wrong with the book is printed, and the pages are served all the same.
///
/// # Errors
/// If the port is taken.
pub fn serve(
    project: &Project,
    port: u16,
    ready: impl FnOnce(&str),
) -> Result<()> {
    let listener = server::bind(port)?;
    let folder = format!("target/serve/{}", listener.local_addr()?.port());
    let server = Arc::new(Server::new(listener, project.path(folder))?);
    let mut sources = Sources::of(project);
    render(project, &server);
    ready(&server.start());
    loop {
        report(build::check_pages(project, server.folder()));
        sources.wait();
        render(project, &server);
    }
}

fn render(project: &Project, server: &Server) {
    report(build::render(project, server.folder()));
    server.rebuilt();
}

fn report(done: Result<()>) {
    if let Err(error) = done {
        eprintln!("{error:#}");
    }
}

/// Each file with its length and the time of its last change.
type Files = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The files that the pages come from, as they were when the book was last built.
struct Sources<'a> {
    project: &'a Project,
    built: Files,
}

impl Sources<'_> {
    fn of(project: &Project) -> Sources<'_> {
        Sources { project, built: files(project) }
    }

    /// Waits for a change, and then until the disk is quiet.
    fn wait(&mut self) {
        let mut before = files(self.project);
        loop {
            thread::sleep(QUIET);
            let now = files(self.project);
            if now == before && now != self.built {
                self.built = now;
                return;
            }
            before = now;
        }
    }
}

/// Asking the disk finds a file that an editor replaces, too.
fn files(project: &Project) -> Files {
    let below =
        |source| WalkDir::new(project.path(source)).sort_by_file_name();
    let entries = SOURCES.into_iter().flat_map(below).flatten();
    let entries =
        entries.filter(|entry| !live::is_script(project, entry.path()));
    let state = |entry: walkdir::DirEntry| {
        let data = entry.metadata().ok().filter(|data| data.is_file())?;
        Some((entry.into_path(), data.len(), data.modified().ok()))
    };
    entries.filter_map(state).collect()
}
