//! Builds more of the project, in the way and in the place in which this program was built.

use crate::project::{Project, stem};
use anyhow::{Context, Result};
use std::env;
use std::path::PathBuf;
use std::process::Command;

/// A folder that Cargo builds into, and a profile.
#[derive(Clone, Debug)]
pub struct Target {
    folder: PathBuf,
    /// The profile's folder in it: its name, or `debug` for `dev`.
    profile: String,
}

impl Target {
    /// What this program was built with.
    ///
    /// # Errors
    /// If it is not where Cargo puts programs and tests.
    pub fn of_this_program() -> Result<Self> {
        let program = env::current_exe()?;
        let built = program
            .ancestors()
            .skip(1)
            .find(|folder| !folder.ends_with("deps"));
        let split = built.and_then(|built| Some((built, built.parent()?)));
        let (built, folder) =
            split.context("this program is in no target folder")?;
        Ok(Self { folder: folder.to_owned(), profile: stem(built) })
    }

    /// Where libraries and programs of the profile are.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.profile)
    }

    /// A call of Cargo that builds what is further asked for.
    pub fn build(&self, project: &Project) -> Command {
        let profile = match self.profile.as_str() {
            "debug" => "dev",
            name => name,
        };
        let mut cargo = project.cargo();
        cargo.args(["build", "--quiet", "--profile", profile]);
        cargo.arg("--target-dir").arg(&self.folder);
        cargo
    }
}
