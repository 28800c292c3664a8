//! Whether modules, chapters and imports share one reading order.

use crate::coverage::crate_files;
use crate::fault::Fault;
use crate::house::{House, Page};
use anyhow::Result;
use std::path::{Path, PathBuf};
use syn::visit::Visit;
use syn::{Item, ItemUse, UseTree};

/// Chapters that stand in another order than their modules, and imports from a later module.
pub fn check(house: &House, pages: &[Page]) -> Result<Vec<Fault>> {
    let modules = modules(house)?;
    let mut faults = chapters(&modules, pages);
    for file in crate_files(house) {
        let Some(place) = place(&modules, &file) else { continue };
        let text = house.read(&file)?;
        let mut uses =
            Uses { modules: &modules, place, file, faults: Vec::new() };
        uses.visit_file(&syn::parse_file(&text)?);
        faults.extend(uses.faults);
    }
    Ok(faults)
}

/// The modules in the order of `code/lib.rs`, with their lines.
fn modules(house: &House) -> Result<Vec<(String, usize)>> {
    let file = syn::parse_file(&house.read("code/lib.rs")?)?;
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(module) => {
            Some((module.ident.to_string(), module.ident.span().start().line))
        }
        _ => None,
    });
    Ok(modules.collect())
}

/// Which of the modules a file belongs to: `code/tensor.rs` and all in `code/tensor/`.
fn place(modules: &[(String, usize)], file: &Path) -> Option<usize> {
    let stem = file.strip_prefix("code").ok()?.with_extension("");
    modules.iter().position(|(name, _)| stem.starts_with(name))
}

fn chapters(modules: &[(String, usize)], pages: &[Page]) -> Vec<Fault> {
    let chapter =
        |name: &str| pages.iter().position(|page| page.stem == name);
    let mut faults = Vec::new();
    let mut latest = (0, "");
    for (name, line) in modules {
        match chapter(name) {
            Some(place) if place < latest.0 => {
                let message = format!(
                    "the chapter `{name}` comes before `{}`",
                    latest.1
                );
                faults.push(Fault::new("code/lib.rs", *line, message));
            }
            Some(place) => latest = (place, name),
            None => {}
        }
    }
    faults
}

/// Looks for paths `crate::module` of modules that come later.
struct Uses<'a> {
    modules: &'a [(String, usize)],
    place: usize,
    file: PathBuf,
    faults: Vec<Fault>,
}

impl Uses<'_> {
    fn meet(&mut self, module: &syn::Ident) {
        let place = self.modules.iter().position(|(name, _)| module == name);
        if place.is_some_and(|place| place > self.place) {
            let message =
                format!("uses `{module}`, which is explained later");
            self.faults.push(Fault::new(
                &self.file,
                module.span().start().line,
                message,
            ));
        }
    }

    /// Looks for `crate::` in what is imported.
    fn search(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) if path.ident == "crate" => {
                self.meet_tree(&path.tree);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.search(tree));
            }
            _ => {}
        }
    }

    fn meet_tree(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.meet(&path.ident),
            UseTree::Name(name) => self.meet(&name.ident),
            UseTree::Rename(rename) => self.meet(&rename.ident),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.meet_tree(tree))
            }
            UseTree::Glob(_) => {}
        }
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.search(&item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path.segments.iter();
        if segments.next().is_some_and(|segment| segment.ident == "crate") {
            segments
                .next()
                .iter()
                .for_each(|segment| self.meet(&segment.ident));
        }
        syn::visit::visit_path(self, path);
    }
}
