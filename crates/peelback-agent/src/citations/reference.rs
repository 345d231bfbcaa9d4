//! A place in the code with a description.

use peelback_code::syntax::Lines;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in the code, and what is to be seen there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// The file, relative to the project's root, with `/`.
    pub path: String,
    /// The first line, from 1.
    pub line_start: u32,
    /// The last line, included.
    pub line_end: u32,
    /// What is there, in one sentence.
    pub description: String,
}

/// A range of lines as text: `10-40`, or `10` for one line.
pub(crate) fn line_range(lines: Lines) -> String {
    if lines.first == lines.last { lines.first.to_string() } else { format!("{}-{}", lines.first, lines.last) }
}
