//! Serves the book while it is written, and rebuilds it when a file changes.

use crate::project::Project;
use crate::server::{self, Server};
use crate::{build, live};
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};
use walkdir::WalkDir;

/// What mdBook itself reads, by its own conventions. What else the pages show, the press knows when it has set them.
const OF_MDBOOK: [&str; 3] = ["book.toml", "src", "theme"];

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
    // Of the first build only this much is known before it.
    let mut sources = Sources::of(&Project::new(project.root()));
    sources = render(sources, &server);
    ready(&server.start());
    loop {
        report(build::check_pages(project, server.folder()));
        sources.wait();
        sources = render(sources, &server);
    }
}

/// Renders the pages, and says what they came from. A file that has changed meanwhile is known as it was before.
fn render(before: Sources, server: &Server) -> Sources {
    // What was read for the pages before is no longer true.
    let project = Project::new(before.project.root());
    report(build::render(&project, server.folder()));
    server.rebuilt();
    let mut sources = Sources::of(&project);
    for file in &mut sources.built {
        let old = before.built.iter().find(|old| old.0 == file.0);
        file.clone_from(old.unwrap_or(&file.clone()));
    }
    sources
}

fn report(done: Result<()>) {
    if let Err(error) = done {
        eprintln!("{error:#}");
    }
}

/// Each file with its length and the time of its last change.
type Files = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The files that the pages come from, as they were when the book was last built.
struct Sources {
    project: Project,
    built: Files,
}

impl Sources {
    fn of(project: &Project) -> Sources {
        Sources { project: project.clone(), built: files(project) }
    }

    /// Waits for a change, and then until the disk is quiet.
    fn wait(&mut self) {
        let mut before = files(&self.project);
        loop {
            thread::sleep(QUIET);
            let now = files(&self.project);
            if now == before && now != self.built {
                self.built = now;
                return;
            }
            before = now;
        }
    }
}

/// What mdBook reads, and what the press has read. Asking the disk finds a file that an editor replaces, too.
fn files(project: &Project) -> Files {
    let below =
        |source| WalkDir::new(project.path(source)).sort_by_file_name();
    let of_mdbook = OF_MDBOOK.into_iter().flat_map(below).flatten();
    let of_mdbook = of_mdbook.map(walkdir::DirEntry::into_path);
    let mut paths: BTreeSet<PathBuf> = project.reads();
    paths.extend(of_mdbook.filter(|path| !live::is_script(project, path)));
    let state = |path: PathBuf| {
        let data = path.metadata().ok().filter(|data| data.is_file())?;
        Some((path, data.len(), data.modified().ok()))
    };
    paths.into_iter().filter_map(state).collect()
}
