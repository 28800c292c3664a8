//! A built page as XHTML, the XML that e-readers show.

use crate::project::Project;
use anyhow::{Context, Result};
use scraper::{ElementRef, Html, Node, Selector};
use std::collections::{BTreeMap, BTreeSet};

/// What only a program behind the page could bring to life.
const ALIVE: [&str; 7] =
    ["button", "form", "iframe", "input", "link", "script", "template"];

/// Elements that have no content, and no closing tag in HTML.
const VOID: [&str; 5] = ["br", "col", "hr", "img", "wbr"];

/// A page of the book as an e-reader gets it.
#[derive(Debug)]
pub struct Document {
    /// The text of its heading.
    pub title: String,
    /// The places of its sections and the texts of their headings.
    pub sections: Vec<(String, String)>,
    /// What is in the page's `<main>`.
    pub body: String,
}

/// Makes documents of pages.
#[derive(Debug)]
pub struct Converter {
    colours: BTreeMap<String, String>,
    pages: BTreeSet<String>,
}

impl Converter {
    /// A converter for pages with links to one another. Pictures get the colours that they have on paper.
    ///
    /// # Errors
    /// If the style sheet cannot be read.
    pub fn new(
        project: &Project,
        pages: impl IntoIterator<Item = String>,
    ) -> Result<Converter> {
        let style = project.read("theme/book.css")?;
        Ok(Converter {
            colours: paper_colours(&style),
            pages: pages.into_iter().collect(),
        })
    }

    /// The document of a built page.
    ///
    /// # Errors
    /// If the page has no heading.
    pub fn convert(&self, html: &str) -> Result<Document> {
        let html = Html::parse_document(html);
        let main = select(&html, "main").into_iter().next();
        let title = select(&html, "main h1").into_iter().next().map(text);
        let section = |heading: &ElementRef| {
            Some((heading.attr("id")?.to_string(), text(*heading)))
        };
        let headings = select(&html, "main > h2");
        let mut body = String::new();
        self.children(main.context("a page has no content")?, &mut body);
        Ok(Document {
            title: title.context("a page has no heading")?,
            sections: headings.iter().filter_map(section).collect(),
            body,
        })
    }

    fn children(&self, parent: ElementRef, out: &mut String) {
        for child in parent.children() {
            match child.value() {
                Node::Text(text) => *out += &escape(text),
                Node::Element(_) => {
                    let element = ElementRef::wrap(child);
                    self.element(element.expect("an element"), out);
                }
                _ => {}
            }
        }
    }

    fn element(&self, element: ElementRef, out: &mut String) {
        let name = element.value().name();
        match name {
            _ if is_left_out(element) => {}
            // Every heading is a link to itself.
            "a" if has_class(element, "header") => {
                self.children(element, out);
            }
            "a" if self.is_lost(element) => self.children(element, out),
            // A reader may show no folds. The programs are too long to be read without one, as on paper.
            "details" if has_class(element, "program") => {}
            "details" => self.tagged("div", element, out),
            "summary" => {
                *out += "<p class=\"summary\">";
                self.children(element, out);
                *out += "</p>";
            }
            _ => self.tagged(name, element, out),
        }
    }

    fn tagged(&self, name: &str, element: ElementRef, out: &mut String) {
        *out += &format!("<{name}{}", self.attributes(element));
        if VOID.contains(&name) {
            *out += "/>";
            return;
        }
        out.push('>');
        self.children(element, out);
        *out += &format!("</{name}>");
    }

    fn attributes(&self, element: ElementRef) -> String {
        let mut written = namespace(element.value().name()).to_string();
        for (name, value) in element.value().attrs() {
            written += &match (name, value) {
                // A table of a formula has its level by its place, and older readers know no other.
                ("xmlns" | "scriptlevel", _) => String::new(),
                ("style", _) if value.starts_with("--width: ") => {
                    let width =
                        value["--width: ".len()..].trim_end_matches("px");
                    attribute("width", width)
                }
                // Pictures know only XML's attribute.
                ("lang", _) if element.value().name() == "text" => {
                    attribute("xml:lang", value)
                }
                ("lang", _) => {
                    attribute("lang", value) + &attribute("xml:lang", value)
                }
                // Pictures of e-readers are older than links without a prefix.
                ("href", _) if is_in_picture(element) => {
                    attribute("xmlns:xlink", "http://www.w3.org/1999/xlink")
                        + &attribute("xlink:href", &self.target(value))
                        + &attribute(
                            "xlink:title",
                            &element.text().collect::<String>(),
                        )
                }
                // A picture with links is none of the few roles that they know but this.
                ("role", "group") if element.value().name() == "svg" => {
                    attribute(name, "document")
                }
                // The level of a fraction follows from its place, too.
                ("displaystyle", _) if element.value().name() == "mfrac" => {
                    String::new()
                }
                ("href", _) => attribute(name, &self.target(value)),
                _ => attribute(name, &self.coloured(value)),
            };
        }
        written
    }

    /// Where a link leads: pages of the book have another ending here.
    fn target(&self, link: &str) -> String {
        match self.page(link) {
            Some(stem) => link.replacen(
                &format!("{stem}.html"),
                &format!("{stem}.xhtml"),
                1,
            ),
            None => link.to_string(),
        }
    }

    /// The stem of the page to which a link leads.
    fn page<'a>(&self, link: &'a str) -> Option<&'a str> {
        let (stem, _) = link.split_once(".html")?;
        self.pages.contains(stem).then_some(stem)
    }

    /// Whether a link leads to a file that an e-reader does not get.
    fn is_lost(&self, link: ElementRef) -> bool {
        link.attr("href").is_some_and(|href| {
            !href.starts_with('#')
                && !href.contains("://")
                && self.page(href).is_none()
        })
    }

    /// A value with colours in place of variables, which few e-readers know.
    fn coloured(&self, value: &str) -> String {
        let Some((before, rest)) = value.split_once("var(--") else {
            return value.to_string();
        };
        let (variable, after) = rest.split_once(')').unwrap_or((rest, ""));
        let (name, other) =
            variable.split_once(", ").unwrap_or((variable, ""));
        let colour = self.colours.get(name).map_or(other, String::as_str);
        format!("{before}{colour}{}", self.coloured(after))
    }
}

/// Whether a link belongs to a text of a picture.
fn is_in_picture(link: ElementRef) -> bool {
    let parent = link.parent().and_then(ElementRef::wrap);
    parent.is_some_and(|parent| parent.value().name() == "text")
}

/// The variables of the style sheet's part for paper.
fn paper_colours(style: &str) -> BTreeMap<String, String> {
    let paper = style.split_once("@media print").map_or("", |(_, part)| part);
    let colour = |line: &str| {
        let (name, value) =
            line.trim().strip_prefix("--")?.split_once(": ")?;
        let value = value.strip_suffix(" !important;")?;
        Some((name.to_string(), value.to_string()))
    };
    paper.lines().filter_map(colour).collect()
}

fn is_left_out(element: ElementRef) -> bool {
    let value = element.value();
    ALIVE.contains(&value.name())
        || value.attr("hidden").is_some()
        || has_class(element, "boring")
}

fn has_class(element: ElementRef, class: &str) -> bool {
    element.value().classes().any(|other| other == class)
}

/// In HTML, pictures and formulas have their namespaces by their names.
fn namespace(name: &str) -> &'static str {
    match name {
        "svg" => " xmlns=\"http://www.w3.org/2000/svg\"",
        "math" => " xmlns=\"http://www.w3.org/1998/Math/MathML\"",
        _ => "",
    }
}

fn attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", escape(value))
}

/// A text as XML writes it.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn select<'a>(html: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    let selector = Selector::parse(selector).expect("a selector of ours");
    html.select(&selector).collect()
}

fn text(element: ElementRef) -> String {
    element.text().collect()
}
