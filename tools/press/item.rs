//! Cuts a Rust file into its items, so that a page can show them by name.

use anyhow::{Result, anyhow};
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, Item, ItemImpl, ItemMacro, TraitItem, Type};

/// The lines of a file, counted from one.
pub type Lines = RangeInclusive<usize>;

/// A Rust file and where its items are.
#[derive(Debug)]
pub struct Source {
    text: String,
    items: Vec<(String, Lines)>,
}

impl Source {
    /// Reads a Rust file.
    ///
    /// # Errors
    /// If it is not Rust.
    pub fn parse(text: String) -> Result<Source> {
        let file = syn::parse_file(&text).map_err(|error| {
            anyhow!("line {}: {error}", error.span().start().line)
        })?;
        let mut source = Source { text, items: Vec::new() };
        source.add_head(&file.attrs);
        for item in &file.items {
            source.add(
                name(item),
                item.span().start().line,
                item.span().end().line,
            );
            source.add_functions(item);
        }
        Ok(source)
    }

    /// The functions of a trait or an implementation, such as `impl Mask::none`. The first begins with the head of
    /// the item and the last ends with its brace, so that together they are the item.
    fn add_functions(&mut self, item: &Item) {
        let functions: Vec<(String, Lines)> = match item {
            Item::Impl(item) => item.items.iter().map(part_of_impl).collect(),
            Item::Trait(item) => {
                item.items.iter().map(part_of_trait).collect()
            }
            _ => return,
        };
        let last = functions.len().saturating_sub(1);
        for (index, (function, lines)) in functions.into_iter().enumerate() {
            let head = item.span().start().line;
            let foot = item.span().end().line;
            let first = if index == 0 { head } else { *lines.start() };
            let end = if index == last { foot } else { *lines.end() };
            self.add(format!("{}::{function}", name(item)), first, end);
        }
    }

    /// The file's own documentation and attributes, under the name `//!`.
    fn add_head(&mut self, attributes: &[Attribute]) {
        if let (Some(first), Some(last)) =
            (attributes.first(), attributes.last())
        {
            self.add(
                "//!".into(),
                first.span().start().line,
                last.span().end().line,
            );
        }
    }

    /// An item owns the plain comments right above it.
    fn add(&mut self, name: String, first: usize, last: usize) {
        let above: Vec<&str> = self.text.lines().take(first - 1).collect();
        let comments = above
            .iter()
            .rev()
            .take_while(|line| line.trim_start().starts_with("//"))
            .count();
        self.items.push((name, first - comments..=last));
    }

    /// Where the items of this name are. `impl Mask#2` is the second of that name; `use` and `mod`
    /// mean all of them.
    pub fn find(&self, name: &str) -> Vec<Lines> {
        let (name, number) = match name.rsplit_once('#') {
            Some((name, number)) => (name, number.parse().unwrap_or(0)),
            None => (name, 1_usize),
        };
        let named = self
            .items
            .iter()
            .filter(|item| item.0 == name)
            .map(|item| item.1.clone());
        match name {
            "use" | "mod" => named.collect(),
            _ => named.skip(number.wrapping_sub(1)).take(1).collect(),
        }
    }

    /// The names of the items that a page can ask for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|(name, _)| name.as_str())
    }

    /// The text of some lines, exactly as it stands in the file.
    pub fn text(&self, lines: &Lines) -> String {
        let chosen = self
            .text
            .lines()
            .skip(lines.start() - 1)
            .take(lines.clone().count());
        chosen.map(|line| format!("{line}\n")).collect()
    }

    /// Joins neighbours that only blank lines keep apart.
    pub fn join(&self, parts: &[Lines]) -> Vec<Lines> {
        let mut runs: Vec<Lines> = Vec::new();
        for part in parts {
            match runs.last_mut() {
                Some(run) if self.adjacent(run, part) => {
                    *run = *run.start()..=*part.end()
                }
                _ => runs.push(part.clone()),
            }
        }
        runs
    }

    fn adjacent(&self, before: &Lines, after: &Lines) -> bool {
        before.end() < after.start()
            && self
                .text(&(before.end() + 1..=after.start() - 1))
                .trim()
                .is_empty()
    }
}

fn name(item: &Item) -> String {
    match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::ForeignMod(_) => "extern".into(),
        Item::Impl(item) => name_of_impl(item),
        Item::Macro(item) => name_of_macro(item),
        Item::Mod(_) => "mod".into(),
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Use(_) => "use".into(),
        _ => String::new(),
    }
}

fn part_of_impl(item: &ImplItem) -> (String, Lines) {
    let name = match item {
        ImplItem::Const(item) => item.ident.to_string(),
        ImplItem::Fn(item) => item.sig.ident.to_string(),
        ImplItem::Type(item) => item.ident.to_string(),
        _ => String::new(),
    };
    (name, lines(item))
}

fn part_of_trait(item: &TraitItem) -> (String, Lines) {
    let name = match item {
        TraitItem::Const(item) => item.ident.to_string(),
        TraitItem::Fn(item) => item.sig.ident.to_string(),
        TraitItem::Type(item) => item.ident.to_string(),
        _ => String::new(),
    };
    (name, lines(item))
}

fn lines(item: &impl Spanned) -> Lines {
    item.span().start().line..=item.span().end().line
}

fn name_of_impl(item: &ItemImpl) -> String {
    let of = name_of_type(&item.self_ty);
    match &item.trait_ {
        Some((_, path, _)) => format!("impl {} for {of}", last_word(path)),
        None => format!("impl {of}"),
    }
}

/// A type without its parameters.
pub(crate) fn name_of_type(of: &Type) -> String {
    match of {
        Type::Path(path) => last_word(&path.path),
        Type::Reference(reference) => {
            format!("&{}", name_of_type(&reference.elem))
        }
        Type::Slice(slice) => format!("[{}]", name_of_type(&slice.elem)),
        Type::Array(array) => format!("[{}]", name_of_type(&array.elem)),
        _ => String::new(),
    }
}

/// The macro that is defined, or the one that is called.
fn name_of_macro(item: &ItemMacro) -> String {
    let called = format!("{}!", last_word(&item.mac.path));
    item.ident.as_ref().map_or(called, |ident| ident.to_string())
}

/// The last name of a path.
pub(crate) fn last_word(path: &syn::Path) -> String {
    path.segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}
