//! The limits of the tools, for the reference page.

use std::fmt::Write as _;

use peelback_code::MAX_PATTERN_CLASSES;

use super::find_symbols::MAX_PAGED_ROWS;
use super::grep::MAX_CONTEXT_LINES;
use super::read_lines::MAX_FILES;
use super::read_symbol::MAX_NAMES;
use crate::arguments::{
    MAX_LIST_CHARS, MAX_LIST_ITEMS, MAX_LISTED_PATHS, MAX_LISTED_PATHS_CHARS, MAX_PATTERN_CHARS, MAX_QUESTION_CHARS,
    MAX_TEXT_CHARS,
};
use crate::counts::format_with_thousands_separators;

/// Writes the limits on arguments and pages. Those of answers are settings.
pub(crate) fn write_limits_section(out: &mut String) {
    out.push_str("\n## Limits\n\nWhat is over a limit is refused, or the answer says that more was left out.\n\n");
    let count = |limit: usize| format_with_thousands_separators(limit as u64);
    let limits = [
        ("A text (a name, a path, a glob)", format!("{} characters", count(MAX_TEXT_CHARS))),
        ("`pattern` of `grep`", format!("{} characters", count(MAX_PATTERN_CHARS))),
        (
            "A regular expression of `grep`",
            format!("{} classes such as `\\w` and ranges such as `a-z`", count(MAX_PATTERN_CLASSES)),
        ),
        ("A question", format!("{} characters", count(MAX_QUESTION_CHARS))),
        ("A list", format!("{} items, {} characters in all", count(MAX_LIST_ITEMS), count(MAX_LIST_CHARS))),
        (
            "`scope` that lists paths without wildcards",
            format!("{} items, {} characters in all", count(MAX_LISTED_PATHS), count(MAX_LISTED_PATHS_CHARS)),
        ),
        ("`context` of `grep`", format!("{} lines before and after a match are shown", count(MAX_CONTEXT_LINES))),
        ("Files of a call of `read_lines`", MAX_FILES.to_string()),
        ("`name` of `read_symbol`", format!("{} names are looked up", count(MAX_NAMES))),
        ("Pages of `find_symbols`", format!("the first {} symbols are shown", count(MAX_PAGED_ROWS))),
    ];
    out.push_str("| what | limit |\n| --- | --- |\n");
    for (what, limit) in limits {
        let _ = writeln!(out, "| {what} | {limit} |");
    }
}
