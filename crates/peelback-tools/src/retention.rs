//! What a conversation keeps of a tool's results when room is short.

use serde::{Deserialize, Serialize};

/// Which results leave a conversation first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Long, and seldom read twice.
    Low,
    /// Targeted, and easily read again.
    Medium,
    /// The map: where the model has been and where it can go.
    High,
}

/// The kind of result that a tool gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
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
    /// A result of none of these kinds, such as an agent's own answer to a call.
    Other,
}

impl ResultKind {
    /// When results of this kind leave a conversation.
    pub fn priority(self) -> Priority {
        match self {
            Self::Search | Self::Outline | Self::Tree | Self::Docs => Priority::High,
            Self::Symbol | Self::Lines | Self::References | Self::Dependencies | Self::Document | Self::Other => {
                Priority::Medium
            }
            Self::File => Priority::Low,
        }
    }

    /// Whether the outline of the file can take the place of an old result.
    pub fn is_replaced_by_outline(self) -> bool {
        self == Self::File
    }
}
