//! How much a result is worth when room is short.

use serde::{Deserialize, Serialize};

/// What leaves a conversation first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Long, and seldom read twice.
    Low,
    /// Targeted, and easily had again.
    Medium,
    /// The map: where the model has been and where it can go.
    High,
}

/// What kind of result a tool gave; the table of priorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Files, lines, symbols or passages that were searched for.
    Search,
    /// Symbols without bodies.
    Outline,
    /// Folders and files.
    Tree,
    /// The docs of tools.
    Docs,
    /// Bodies of symbols.
    Symbol,
    /// Exact lines.
    Lines,
    /// Uses of a symbol.
    References,
    /// Imports, and who imports.
    Dependencies,
    /// A whole file, raw or as a profile.
    File,
    /// A document that a model wrote.
    Document,
    /// What no word of this list tells.
    Other,
}

impl Kind {
    /// The kind of a tool's results, by the tool's own name.
    pub fn of_tool(name: &str) -> Self {
        match name {
            "find_files" | "grep" | "search" | "find_symbols" => Self::Search,
            "outline" => Self::Outline,
            "tree" => Self::Tree,
            "search_tools" => Self::Docs,
            "read_symbol" => Self::Symbol,
            "read_lines" => Self::Lines,
            "find_references" => Self::References,
            "dependencies" => Self::Dependencies,
            "read_file" => Self::File,
            "scope" => Self::Document,
            _ => Self::Other,
        }
    }

    /// When it goes.
    pub fn priority(self) -> Priority {
        match self {
            Self::Search | Self::Outline | Self::Tree | Self::Docs => Priority::High,
            Self::Symbol | Self::Lines | Self::References | Self::Dependencies | Self::Document | Self::Other => {
                Priority::Medium
            }
            Self::File => Priority::Low,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Priority};

    #[test]
    fn every_tool_has_its_place_in_the_table() {
        let high = ["tree", "find_files", "search", "grep", "outline", "find_symbols", "search_tools"];
        for tool in peelback_tools::all() {
            let wanted = match tool.name {
                name if high.contains(&name) => Priority::High,
                "read_file" => Priority::Low,
                _ => Priority::Medium,
            };
            assert_ne!(Kind::of_tool(tool.name), Kind::Other, "{} is in no row", tool.name);
            assert_eq!(Kind::of_tool(tool.name).priority(), wanted, "{}", tool.name);
        }
    }
}
