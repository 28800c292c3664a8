//! A page while it is being rendered: its text, and which line of the source each line comes from.

/// Text that remembers where it comes from.
#[derive(Debug, Default)]
pub struct SourceMap {
    text: String,
    /// For each line of the text the line of the source.
    origins: Vec<usize>,
}

impl SourceMap {
    /// Adds text of the source that starts at this line.
    pub fn copy(&mut self, text: &str, line: usize) {
        self.push(text, line, 1);
    }

    /// Adds text that stands for what was at this line.
    pub fn insert(&mut self, text: &str, line: usize) {
        self.push(text, line, 0);
    }

    fn push(&mut self, text: &str, line: usize, step: usize) {
        if self.origins.is_empty() {
            self.origins.push(line);
        }
        let breaks = text.matches('\n').count();
        self.origins.extend((1..=breaks).map(|number| line + number * step));
        self.text.push_str(text);
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line of the source that a byte of the text comes from.
    pub fn line(&self, offset: usize) -> usize {
        let above = line_of(&self.text, offset) - 1;
        self.origins.get(above).copied().unwrap_or(1)
    }
}

/// The line of a text, counted from one, that a byte is in.
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text[..offset].matches('\n').count()
}
