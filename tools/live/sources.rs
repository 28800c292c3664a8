//! What a module was made from, as a digest that it carries at its end.
//!
//! The digest is the same on every machine: it follows from the names and
//! contents of files, and from the versions of packages.

use all_you_need::checkpoint::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// Where the module is, from the project's folder.
pub const MODULE: &str = "tools/live/live.wasm";

/// The packages whose code is in the module: the library, and this one.
const PACKAGES: [&str; 2] = ["code", "tools/live"];

/// Cargo's name for a folder of programs that are not a part of a package.
const EXAMPLES: &str = "examples";

/// The digest of all that the module is made from: the code of the library
/// and of this package, the profile, and the versions of all packages that
/// they use.
///
/// # Errors
/// If a file cannot be read.
pub fn digest(root: &Path) -> io::Result<Digest> {
    let mut parts = BTreeMap::new();
    for package in PACKAGES {
        collect(root, package, &mut parts)?;
    }
    let workspace = read(root, "Cargo.toml")?;
    for heading in ["[profile.live]", "[workspace.dependencies]"] {
        parts.insert(heading.to_owned(), section(&workspace, heading));
    }
    let lock = read(root, "Cargo.lock")?;
    parts.insert("Cargo.lock".to_owned(), versions(&lock, &parts));
    // As `sha256sum` writes the digests of files.
    let lines = parts.iter().map(|(name, text)| {
        format!("{}  {name}\n", Digest::of(text.as_bytes()))
    });
    Ok(Digest::of(lines.collect::<String>().as_bytes()))
}

/// The text of a file, with the line breaks that it has in the repository.
fn read(root: &Path, file: &str) -> io::Result<String> {
    let text = fs::read_to_string(root.join(file))?;
    Ok(text.replace("\r\n", "\n"))
}

/// Adds the code in a folder and below, and what manifests say of
/// dependencies: a test or an example more makes no other module.
fn collect(
    root: &Path,
    folder: &str,
    parts: &mut BTreeMap<String, String>,
) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if entry.file_type()?.is_dir() {
            if name != EXAMPLES {
                collect(root, &path, parts)?;
            }
        } else if name.ends_with(".rs") {
            parts.insert(path.clone(), read(root, &path)?);
        } else if name == "Cargo.toml" {
            let manifest = read(root, &path)?;
            parts.insert(path, section(&manifest, "[dependencies]"));
        }
    }
    Ok(())
}

/// The lines of a manifest from a heading to the next.
fn section(manifest: &str, heading: &str) -> String {
    let lines = manifest.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The packages that the manifests among these parts name, and all that
/// those need, each with its version.
fn versions(lock: &str, parts: &BTreeMap<String, String>) -> String {
    let manifests =
        parts.iter().filter(|(name, _)| name.ends_with("Cargo.toml"));
    let named = manifests.flat_map(|(_, lines)| dependencies(lines));
    let mut wanted: Vec<String> = named.collect();
    let mut found = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        let packages = lock.split("[[package]]\n").skip(1);
        let named = |package: &&str| is_named(package, &name);
        for package in packages.filter(named) {
            // Packages of the project are among the parts themselves.
            if package.contains("\nsource = ") && found.insert(head(package))
            {
                wanted.extend(needs(package));
            }
        }
    }
    found.into_iter().collect::<Vec<_>>().join("\n")
}

/// The names in the lines under `[dependencies]`.
fn dependencies(lines: &str) -> impl Iterator<Item = String> {
    let names = lines.lines().filter_map(|line| {
        line.split(['.', ' ', '=']).next().filter(|name| !name.is_empty())
    });
    names.map(str::to_owned)
}

/// Name and version of a package of `Cargo.lock`, as others name it.
fn head(package: &str) -> String {
    let value = |key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    format!("{} {}", value("name = "), value("version = "))
}

/// Whether a package is meant by a name with or without a version.
fn is_named(package: &str, name: &str) -> bool {
    let head = head(package);
    head == name || head.split(' ').next() == Some(name)
}

/// What a package of `Cargo.lock` needs.
fn needs(package: &str) -> impl Iterator<Item = String> {
    let lines = package.lines().filter_map(|line| line.strip_prefix(" \""));
    lines.map(|line| line.trim_end_matches(['"', ',']).to_owned())
}

/// A module that carries a digest, in a section of its own after all others.
pub fn stamped(module: &[u8], digest: &Digest) -> Vec<u8> {
    [module, &stamp(digest)].concat()
}

/// Whether a module carries this digest.
pub fn carries(module: &[u8], digest: &Digest) -> bool {
    module.ends_with(&stamp(digest))
}

/// A custom section: 0, its length, and a name with its length. All of them
/// are below 128 and so take one byte each.
fn stamp(digest: &Digest) -> Vec<u8> {
    let (name, text) = ("sources", digest.to_string());
    let length = 1 + name.len() + text.len();
    let head = [0, length as u8, name.len() as u8];
    [&head, name.as_bytes(), text.as_bytes()].concat()
}
