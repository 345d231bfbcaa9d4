//! Retention of tool results in a conversation that runs out of room.

use serde::{Deserialize, Serialize};

/// The retention priority of a result: results with low priority are evicted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetentionPriority {
    /// Long results that are seldom read twice.
    Low,
    /// Targeted results that are easy to obtain again.
    Medium,
    /// Results that map the code: where the model has been, and where it can go next.
    High,
}

/// The kind of a tool's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
    /// Ranked or matching files, lines, symbols or passages.
    Search,
    /// Symbols of files, without bodies.
    Outline,
    /// The tree of folders and files.
    Tree,
    /// Documentation of tools.
    Docs,
    /// Source code of symbols, with their bodies.
    Symbol,
    /// Exact source lines.
    Lines,
    /// References to a symbol.
    References,
    /// Imports of a file, and the files that import it.
    Dependencies,
    /// A whole file, as raw text or as a profile.
    File,
    /// A document that a model wrote.
    Document,
    /// A result of no other kind, such as an agent's own reply to a call.
    Other,
}

impl ResultKind {
    /// The retention priority of results of this kind.
    pub fn retention_priority(self) -> RetentionPriority {
        match self {
            Self::Search | Self::Outline | Self::Tree | Self::Docs => RetentionPriority::High,
            Self::Symbol | Self::Lines | Self::References | Self::Dependencies | Self::Document | Self::Other => {
                RetentionPriority::Medium
            }
            Self::File => RetentionPriority::Low,
        }
    }

    /// Whether a conversation may replace an old result of this kind by the file's outline.
    pub fn can_be_replaced_by_outline(self) -> bool {
        self == Self::File
    }
}
