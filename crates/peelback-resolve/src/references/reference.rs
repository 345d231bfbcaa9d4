//! The query and the answer of a search for references.

use peelback_project::Evidence;
use peelback_syntax::Symbol;
use peelback_syntax::names::Role;

/// How certainly a reference means its symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Every step to the definition is a binding or a declaration.
    Resolved,
    /// The receiver's type was inferred.
    Likely,
    /// Only the name matches.
    Name,
}

impl Confidence {
    /// Every level, the surest first.
    pub const ALL: &[Self] = &[Self::Resolved, Self::Likely, Self::Name];

    /// The word for the level in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Likely => "likely",
            Self::Name => "name",
        }
    }
}

/// A symbol whose references are searched, taken from the outline of its file.
#[derive(Debug, Clone)]
pub struct SymbolQuery {
    /// The symbol's file, relative to the root.
    pub path: String,
    /// The symbol.
    pub symbol: Symbol,
}

/// The symbols whose references are searched, and where.
#[derive(Debug, Clone, Default)]
pub struct ReferenceQuery {
    /// The symbols.
    pub symbols: Vec<SymbolQuery>,
    /// Files, folders or globs that references must be in; empty for the whole project.
    pub scope: Vec<String>,
    /// Whether names in strings and comments count too, as [`Confidence::Name`] without a role.
    pub text: bool,
    /// How the results are related to the symbols.
    pub relation: Relation,
    /// The number of steps for which calls are followed, at least 1.
    pub depth: u32,
}

/// How results are related to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relation {
    /// References to the symbol.
    #[default]
    Uses,
    /// Calls of the symbol, and calls of the functions that contain those calls, to a depth.
    Callers,
    /// Calls inside the symbol, and inside the functions that it calls, to a depth. Calls of external functions are
    /// left out.
    Callees,
    /// Types that extend or implement the symbol, or members that override or implement it.
    Implementations,
}

/// One reference to a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The file of the reference, relative to the root.
    pub path: String,
    /// The line of the reference, from 1.
    pub line: u32,
    /// The byte offset of the name in the file.
    pub at: u32,
    /// The column of the name in characters, from 1; 0 until [`crate::ProjectAnalyzer::fill_lines_and_columns`] fills it in.
    pub column: u32,
    /// The text of the line; empty until [`crate::ProjectAnalyzer::fill_lines_and_columns`] fills it in.
    pub context: String,
    /// The role of the name; `None` in strings and comments.
    pub role: Option<Role>,
    /// The qualified name of the definition that contains the reference; empty at the top level of the file.
    pub enclosing: String,
    /// How certainly the reference means the symbol.
    pub confidence: Confidence,
    /// Whether the line is conditional code (C), which is no reference in builds that leave it out.
    pub is_conditional: bool,
    /// The index of the symbol in the query; 0 if only the name matches.
    pub symbol: usize,
    /// The number of steps to the symbol, from 1.
    pub depth: u32,
    /// The called function if it is not the symbol, or the implementing definition. `None` if the outline does not
    /// contain it.
    pub other: Option<Endpoint>,
}

/// A definition at the other end of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The definition's file, relative to the root.
    pub path: String,
    /// The qualified name, with the suffix by which the outline distinguishes symbols of one name.
    pub qualified_name: String,
}

/// All references that were found.
#[derive(Debug, Clone)]
pub struct References {
    /// References in the order of paths and byte offsets.
    pub references: Vec<Reference>,
    /// How complete the references are.
    pub evidence: Evidence,
}
