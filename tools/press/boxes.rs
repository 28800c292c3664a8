//! The boxes of a chapter, each kind with a class of its own: quotations that begin with the name of the box.

/// What a box begins with, and its class.
const KINDS: [(&str, &str); 5] = [
    ("> **From the paper", "paper"),
    ("> **In PyTorch", "pytorch"),
    ("> **Since 2017", "since"),
    ("> **In short", "short"),
    ("> **A common slip", "slip"),
];

/// The page with each box in an element of its class.
pub fn wrap(markdown: &str) -> String {
    let mut page = String::new();
    let mut open = false;
    for line in markdown.split_inclusive('\n') {
        let is_quoted = line.starts_with('>');
        if open && !is_quoted {
            page += "\n</div>\n";
            open = false;
        }
        let kind = KINDS.iter().find(|(name, _)| line.starts_with(name));
        if let (false, Some((_, class))) = (open, kind) {
            page += &format!("<div class=\"box {class}\">\n\n");
            open = true;
        }
        page += line;
    }
    if open {
        page += "\n\n</div>\n";
    }
    page
}
