//! Search for the lines of a symbol that an excerpt can fold to one row: documentation, and the bodies of members.

use peelback_code::AnalysedFile;
use peelback_code::syntax::{FoldKind, Symbol, walk_symbols_with_depth};

/// The minimum number of lines that are folded to one row.
const MIN_FOLDED: u32 = 2;

/// The line ranges of the bodies of the functions and methods inside a symbol, both ends included, in the order of the
/// file; empty for a symbol without members. Lines that hold a part of a signature are not among them.
pub(super) fn body_ranges_of_members(analysed: &AnalysedFile, symbol: &Symbol) -> Vec<(u32, u32)> {
    let text = analysed.file.text.as_str();
    let has_members =
        walk_symbols_with_depth(&symbol.children).any(|(child, _)| !child.local && child.kind.is_callable());
    if !has_members || symbol.kind.is_callable() {
        return Vec::new();
    }
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut line = 1_u32;
    let mut counted = 0;
    for fold in analysed.facts.folds.iter().filter(|fold| fold.kind == FoldKind::Body) {
        if fold.bytes.start < symbol.bytes.start || symbol.bytes.end < fold.bytes.end {
            continue;
        }
        let Some(folded) = text.get(fold.bytes.clone()) else { continue };
        line += line_breaks(text.get(counted..fold.bytes.start).unwrap_or(""));
        counted = fold.bytes.start;
        let before = text.get(..fold.bytes.start).and_then(|before| before.rsplit('\n').next()).unwrap_or("");
        // The line on which the body begins, and the one on which its bracket closes, stay.
        let first = line + u32::from(!before.trim().is_empty());
        let last = (line + line_breaks(folded.trim_end())).saturating_sub(u32::from(folded.trim_end().ends_with('}')));
        if last + 1 >= first + MIN_FOLDED {
            ranges.push((first, last));
        }
    }
    ranges
}

fn line_breaks(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

/// The line ranges of the documentation in a symbol's text, both ends included: multi-line docstrings and the leading
/// comment. `first` is the number of the text's first line. The summary line of each docstring or comment is included
/// only if `whole` is set.
pub(crate) fn docstring_and_leading_comment_ranges(text: &str, first: u32, whole: bool) -> Vec<(u32, u32)> {
    let lines: Vec<(u32, &str)> = (first..).zip(text.lines().map(str::trim)).collect();
    let mut found = Vec::new();
    let mut add = |from: usize, to: usize, summary: usize| {
        let begin = if whole { from } else { summary + 1 };
        if let (Some((a, _)), Some((b, _))) = (lines.get(begin), lines.get(to))
            && (whole || b.saturating_sub(*a) + 1 >= MIN_FOLDED)
            && a <= b
        {
            found.push((*a, *b));
        }
    };
    let is_comment = |line: &str| {
        ["//", "/*", "*", "# ", "#!", "--"].iter().any(|mark| line.starts_with(mark)) || line == "#" || line == "*/"
    };
    let top = lines.iter().take_while(|(_, line)| is_comment(line)).count();
    if top > 1 {
        let summary = lines.iter().position(|(_, line)| line.chars().any(char::is_alphanumeric)).unwrap_or(0);
        add(0, top - 1, summary.min(top - 1));
    }
    let mut at = top;
    let mut before = "";
    while let Some((_, line)) = lines.get(at) {
        let Some(quotes) =
            unclosed_docstring_quotes(line).filter(|_| !before.ends_with(['=', ',', '(', '[', '{', '\\', '+']))
        else {
            if !line.is_empty() {
                before = line;
            }
            at += 1;
            continue;
        };
        let Some(length) = lines.iter().skip(at + 1).position(|(_, line)| line.contains(quotes)) else { break };
        let end = at + 1 + length;
        // If the docstring's first line contains only the quotes, the summary is on the next line.
        let is_bare = !line.chars().skip(1).any(char::is_alphanumeric);
        add(at, end, if is_bare { (at + 1).min(end) } else { at });
        before = "";
        at = end + 1;
    }
    found
}

/// The opening quotes of a docstring that starts on this line of code and does not end on it; otherwise `None`.
fn unclosed_docstring_quotes(line: &str) -> Option<&'static str> {
    let inner = line.trim_start_matches(['r', 'u', 'b', 'R', 'U', 'B']);
    if line.len() - inner.len() > 2 {
        return None;
    }
    ["\"\"\"", "'''"].into_iter().find(|quotes| {
        let rest = inner.strip_prefix(quotes);
        rest.is_some_and(|rest| !rest.contains(quotes))
    })
}

#[cfg(test)]
mod tests {
    use super::docstring_and_leading_comment_ranges;

    #[test]
    fn documentation_is_told_from_code() {
        let text =
            "def f():\n    \"\"\"Adds.\n\n    More.\n    \"\"\"\n    a = call(\n        \"\"\"no\n        doc\"\"\")\n";
        assert_eq!(docstring_and_leading_comment_ranges(text, 10, false), [(12, 14)]);
        assert_eq!(docstring_and_leading_comment_ranges(text, 10, true), [(11, 14)]);
        assert_eq!(docstring_and_leading_comment_ranges("\"\"\"\nWhat it is.\nA.\nB.\n\"\"\"\n", 1, false), [(3, 5)]);
        assert_eq!(
            docstring_and_leading_comment_ranges(
                "// F adds.\n//\n// It is slow.\nfunc F() {\n\t// two\n\t// lines\n}",
                4,
                false
            ),
            [(5, 6)]
        );
        assert!(docstring_and_leading_comment_ranges("a = 1\n", 1, false).is_empty());
        assert!(docstring_and_leading_comment_ranges("\"\"\"never closed\n", 1, false).is_empty());
    }
}
