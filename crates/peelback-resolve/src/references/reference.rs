//! What a search for references is asked, and what it returns.

use peelback_project::Evidence;
use peelback_syntax::Symbol;
use peelback_syntax::names::Role;

/// How sure it is that a reference means its symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A chain of bindings leads to the definition.
    Resolved,
    /// The receiver's type was inferred.
    Likely,
    /// Only the name is the same.
    Name,
}

impl Confidence {
    /// Every level, the surest first.
    pub const ALL: &[Self] = &[Self::Resolved, Self::Likely, Self::Name];

    /// The word that answers print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Likely => "likely",
            Self::Name => "name",
        }
    }
}

/// A symbol whose uses are sought: one that an outline of its file gave.
#[derive(Debug, Clone)]
pub struct SymbolQuery {
    /// Its file, from the root.
    pub path: String,
    /// The symbol.
    pub symbol: Symbol,
}

/// What is sought, and where.
#[derive(Debug, Clone, Default)]
pub struct ReferenceQuery {
    /// The symbols.
    pub symbols: Vec<SymbolQuery>,
    /// Files, folders or globs in which uses count; everywhere where it is empty.
    pub scope: Vec<String>,
    /// Names in strings and comments too, as [`Confidence::Name`] without a role.
    pub text: bool,
    /// How what is sought is related to the symbols.
    pub relation: Relation,
    /// How many steps calls are followed, at least 1.
    pub depth: u32,
}

/// How what is sought is related to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relation {
    /// Its uses.
    #[default]
    Uses,
    /// The calls of it, and of the functions in which those stand, to a depth.
    Callers,
    /// The calls inside it, and inside the functions that it calls, to a depth. Calls of what is not of the project
    /// are left out.
    Callees,
    /// The types that extend or implement it, or the members that override or implement it.
    Implementations,
}

/// One use of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The file, from the root.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The name's first byte in the file.
    pub at: u32,
    /// The column of the name's first character, from 1, in characters; 0 until [`ProjectAnalyzer::show`] was asked.
    pub column: u32,
    /// That one line; empty until [`ProjectAnalyzer::show`] was asked.
    pub context: String,
    /// The part that the name plays; `None` in strings and comments.
    pub role: Option<Role>,
    /// The qualified name of the definition in which it stands; empty at the file's top level.
    pub enclosing: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whether only builds that define a macro compile the line (C): in others it is no use.
    pub some_builds: bool,
    /// Which of the symbols it belongs to, from 0; the first where only the name is the same.
    pub symbol: usize,
    /// How many steps it is away, from 1.
    pub depth: u32,
    /// The function that is called, where that is not the symbol; what implements it. `None` where the outline does
    /// not have it.
    pub other: Option<Endpoint>,
}

/// A definition at the other end of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its file, from the root.
    pub path: String,
    /// Its qualified name, as its outline tells it from others.
    pub qualified_name: String,
}

/// All uses that were found.
#[derive(Debug, Clone)]
pub struct References {
    /// In the order of paths and places.
    pub references: Vec<Reference>,
    /// How far they can be trusted.
    pub evidence: Evidence,
}
