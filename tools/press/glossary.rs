//! Definition lists as headings: mdBook's search knows sections by their heading, and finds a heading first.

/// The page with each defined term as a heading over its definition.
///
/// A term is a line of its own, and the line after it begins with a colon and a space.
pub fn headings(markdown: &str) -> String {
    let mut lines = markdown.split_inclusive('\n').peekable();
    let mut page = String::new();
    while let Some(line) = lines.next() {
        match lines.peek().and_then(|next| next.strip_prefix(": ")) {
            Some(definition) if !line.trim().is_empty() => {
                let term = line.trim_end();
                page += &format!("### {term} {{ .term }}\n\n{definition}");
                lines.next();
            }
            _ => page += line,
        }
    }
    page
}
