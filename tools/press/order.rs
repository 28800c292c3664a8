//! Whether modules, chapters and imports share one reading order.

use crate::diagnostic::Diagnostic;
use crate::item::{last_word, name_of_type};
use crate::project::{Page, Project};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Item, ItemUse, UseTree};

/// A file of the crate, and which of the modules it belongs to.
struct Source {
    file: PathBuf,
    place: usize,
    syntax: syn::File,
}

/// Chapters that stand in another order than their modules, imports from a later module, and implementations that a
/// reader of their trait would not hear of.
///
/// # Errors
/// If a file of the crate cannot be read.
pub fn check(project: &Project, pages: &[Page]) -> Result<Vec<Diagnostic>> {
    let modules = modules(project)?;
    let sources = sources(project, &modules)?;
    let mut diagnostics = chapters(&modules, pages);
    for Source { file, place, syntax } in &sources {
        let mut uses = Uses {
            modules: &modules,
            place: *place,
            file,
            diagnostics: Vec::new(),
        };
        uses.visit_file(syntax);
        diagnostics.extend(uses.diagnostics);
    }
    diagnostics.extend(implementations(&modules, &sources, pages));
    Ok(diagnostics)
}

fn sources(
    project: &Project,
    modules: &[(String, usize)],
) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for file in project.files("code", "rs") {
        if let Some(place) = place(modules, &file) {
            let syntax = syn::parse_file(&project.read(&file)?)?;
            sources.push(Source { file, place, syntax });
        }
    }
    Ok(sources)
}

/// The modules in the order of `code/lib.rs`, with their lines.
fn modules(project: &Project) -> Result<Vec<(String, usize)>> {
    let file = syn::parse_file(&project.read("code/lib.rs")?)?;
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

/// Chapters of one part that come in another order than their modules.
fn chapters(modules: &[(String, usize)], pages: &[Page]) -> Vec<Diagnostic> {
    let chapter =
        |name: &str| pages.iter().position(|page| page.stem == name);
    let mut diagnostics = Vec::new();
    let mut latest = BTreeMap::new();
    for (name, line) in modules {
        let Some(place) = chapter(name) else { continue };
        let part = &pages[place].part;
        match latest.get(part) {
            Some(&(before, earlier)) if place < before => {
                let message =
                    format!("the chapter `{name}` comes before `{earlier}`");
                diagnostics.push(Diagnostic::new(
                    "code/lib.rs",
                    *line,
                    message,
                ));
            }
            _ => {
                latest.insert(part, (place, name));
            }
        }
    }
    diagnostics
}

/// Implementations of an earlier module's trait for a type that is not of their own module either. The page of the
/// trait must have a link to theirs.
fn implementations(
    modules: &[(String, usize)],
    sources: &[Source],
    pages: &[Page],
) -> Vec<Diagnostic> {
    let (traits, types) = definitions(sources);
    let mut diagnostics = Vec::new();
    for Source { file, place, syntax } in sources {
        for item in &syntax.items {
            let Item::Impl(item) = item else { continue };
            let Some((_, path, _)) = &item.trait_ else { continue };
            let (name, of) = (last_word(path), name_of_type(&item.self_ty));
            let Some(home) = traits.get(&name) else { continue };
            let (home, here) = (&modules[*home].0, &modules[*place].0);
            let is_own = types.get(&of) == Some(place) || home == here;
            if !is_own && !has_link(pages, home, here) {
                let message = format!(
                    "implements `{name}` for `{of}`, and the page `{home}` has no link to `{here}`"
                );
                let line = path.span().start().line;
                diagnostics.push(Diagnostic::new(file, line, message));
            }
        }
    }
    diagnostics
}

/// Names, each with the module that defines it.
type Definitions = BTreeMap<String, usize>;

/// Where the traits and the types are defined.
fn definitions(sources: &[Source]) -> (Definitions, Definitions) {
    let (mut traits, mut types) = (Definitions::new(), Definitions::new());
    for source in sources {
        for item in &source.syntax.items {
            let (names, name) = match item {
                Item::Trait(item) => (&mut traits, &item.ident),
                Item::Struct(item) => (&mut types, &item.ident),
                Item::Enum(item) => (&mut types, &item.ident),
                Item::Type(item) => (&mut types, &item.ident),
                _ => continue,
            };
            names.insert(name.to_string(), source.place);
        }
    }
    (traits, types)
}

/// Whether the page of one module has a link to the page of another; also if one of them is not written.
fn has_link(pages: &[Page], from: &str, to: &str) -> bool {
    let page = |name: &str| pages.iter().find(|page| page.stem == name);
    match (page(from), page(to)) {
        (Some(from), Some(_)) => from.text.contains(&format!("({to}.md")),
        _ => true,
    }
}

/// Looks for paths `crate::module` of modules that come later.
struct Uses<'a> {
    modules: &'a [(String, usize)],
    place: usize,
    file: &'a Path,
    diagnostics: Vec<Diagnostic>,
}

impl Uses<'_> {
    fn meet(&mut self, module: &syn::Ident) {
        let place = self.modules.iter().position(|(name, _)| module == name);
        if place.is_some_and(|place| place > self.place) {
            let message =
                format!("uses `{module}`, which is explained later");
            self.diagnostics.push(Diagnostic::new(
                self.file,
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
