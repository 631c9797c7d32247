//! Finds the line of a key in YAML text by indentation. Pure.
//!
//! Only for messages: the YAML parser decides what the text means and gives no lines with it. Where
//! the text is written in a way that indentation does not show (a flow mapping, an alias, a merge),
//! the answer is the line of the nearest parent that can be found.

/// The 1-based line of the key at `path`, or of its nearest parent that has one.
pub(super) fn line_of(text: &str, path: &[&str]) -> Option<usize> {
    nth_line_of(text, path, 0)
}

/// Like [`line_of`], for the last key of `path` occurring for the `nth` (from 0) time.
pub(super) fn nth_line_of(text: &str, path: &[&str], nth: usize) -> Option<usize> {
    let lines: Vec<Line<'_>> = significant_lines(text).collect();
    let mut block = lines.as_slice();
    let mut found = None;
    for (depth, key) in path.iter().enumerate() {
        let Some(indent) = block.first().map(|line| line.indent) else { break };
        let skip = if depth + 1 == path.len() { nth } else { 0 };
        let position = block
            .iter()
            .enumerate()
            .filter(|(_, line)| line.indent == indent && line.has_key(key))
            .map(|(at, _)| at)
            .nth(skip);
        let Some(at) = position else { break };
        found = Some(block[at].number);
        let rest = &block[at + 1..];
        let end = rest.iter().position(|line| line.closes(indent)).unwrap_or(rest.len());
        block = &rest[..end];
    }
    found
}

struct Line<'a> {
    number: usize,
    indent: usize,
    content: &'a str,
}

impl Line<'_> {
    /// Whether this line ends a block whose key stands at `indent`. List items may stand there too.
    fn closes(&self, indent: usize) -> bool {
        let is_item = self.content == "-" || self.content.starts_with("- ");
        self.indent < indent || (self.indent == indent && !is_item)
    }

    fn has_key(&self, key: &str) -> bool {
        let after = match self.content.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                self.content[1..].strip_prefix(key).and_then(|rest| rest.strip_prefix(quote))
            }
            _ => self.content.strip_prefix(key),
        };
        let after = after.and_then(|rest| rest.trim_start().strip_prefix(':'));
        after.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    }
}

/// Lines that are not blank, comments, directives or marks between documents.
fn significant_lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().enumerate().filter_map(|(index, line)| {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let content = content.trim_end();
        let is_mark =
            indent == 0 && (content.starts_with(['%']) || content == "---" || content == "...");
        let skipped = content.is_empty() || content.starts_with('#') || is_mark;
        (!skipped).then_some(Line { number: index + 1, indent, content })
    })
}

#[cfg(test)]
#[path = "locate_tests.rs"]
mod tests;
