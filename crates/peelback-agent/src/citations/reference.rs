//! A code reference: a file and line range with a description of the code.

use peelback_code::syntax::Lines;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reference to lines of a file, with a description of the code in these lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// The path of the file, relative to the project's root, with `/` as separator.
    pub path: String,
    /// The number of the first line; lines count from 1.
    pub line_start: u32,
    /// The number of the last line, which is included.
    pub line_end: u32,
    /// A description of the code in these lines, in one sentence.
    pub description: String,
}

/// Formats a range of lines: `10-40`, or `10` for one line.
pub(crate) fn format_line_range(lines: Lines) -> String {
    if lines.first == lines.last { lines.first.to_string() } else { format!("{}-{}", lines.first, lines.last) }
}
