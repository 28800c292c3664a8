//! Built pages are looked through for what is broken or comes from elsewhere.

use super::{Scratch, scratch};
use press::links;

fn said(files: &[(&str, &str)]) -> Vec<String> {
    let Scratch { project, _folder } = scratch(files);
    let diagnostics = links::check(&project, &project.path("book")).unwrap();
    diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn good_links_pass() {
    let page = "<main><a href='b.html#x'></a> <a href='https://a.b/c'></a> \
        <a href='#y' id='y'></a> <img src='c.png' alt='C'> \
        <svg role='img'><title>D</title></svg></main>";
    let below = "<main><a href='../b.html#x'></a></main>";
    let nothing: [&str; 0] = [];
    let files = [
        ("book/a.html", page),
        ("book/b.html", "<i id=x>"),
        ("book/below/a.html", below),
        ("book/c.png", ""),
    ];
    assert_eq!(said(&files), nothing);
}

#[test]
fn a_link_that_leads_nowhere_is_named_where_it_is_written() {
    let page = "<main><a href='b.html#x'></a><a href='c.html'></a></main>";
    let files = [
        ("book/a.html", page),
        ("book/b.html", ""),
        ("src/a.md", "# A\n\n[b](b.md#x)\n[c](c.md)\n"),
    ];
    assert_eq!(
        said(&files),
        [
            "src/a.md:3: `b.html#x` leads nowhere: b.html has no `x`",
            "src/a.md:4: `c.html` leads nowhere: there is no such file"
        ]
    );
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let page = "<script src='https://a.b/c.js'></script>\n\
        <img alt='x' src='//a.b/c.png'>\n<link href='http://a.b/c.css'>";
    let css = "p {}\nq { background: url(https://a.b/c.png) }";
    assert_eq!(
        said(&[("book/a.html", page), ("book/a.css", css)]),
        [
            "book/a.html:1: `https://a.b/c.js` is loaded from elsewhere",
            "book/a.html:2: `//a.b/c.png` is loaded from elsewhere",
            "book/a.html:3: `http://a.b/c.css` is loaded from elsewhere",
            "book/a.css:2: loads from elsewhere"
        ]
    );
}

#[test]
fn pictures_speak_and_no_directive_is_left() {
    let page = "<main>{{#code x}}\n<img src='c.png'>\n\
        <svg role='img'></svg></main>";
    assert_eq!(
        said(&[("book/a.html", page), ("book/c.png", "")]),
        [
            "book/a.html:2: a picture without alternative text",
            "book/a.html:3: a picture without alternative text",
            "book/a.html:1: a directive was left over"
        ]
    );
}
