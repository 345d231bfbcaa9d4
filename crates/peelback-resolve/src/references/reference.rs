//! The types of a question for the references to symbols, and of its answer.

use peelback_project::Evidence;
use peelback_syntax::Symbol;
use peelback_syntax::names::Role;

/// How certain it is that a reference means the symbol that was searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Every step from the name to the definition is a binding or a declaration.
    Resolved,
    /// The type of the name's receiver was inferred, or the receiver may be of an heir of its type, so that the name likely
    /// means the symbol.
    Likely,
    /// Only the name is that of the symbol; what it means is not known.
    Name,
}

impl Confidence {
    /// Every level of confidence, the surest first.
    pub const ALL: &[Self] = &[Self::Resolved, Self::Likely, Self::Name];

    /// The word for this level of confidence in answers.
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
    /// The path of the file that defines the symbol, relative to the project root.
    pub path: String,
    /// The symbol, as the outline of its file describes it.
    pub symbol: Symbol,
}

/// A question for references: the symbols that are searched for, how results are related to them, and where to search.
#[derive(Debug, Clone, Default)]
pub struct ReferenceQuery {
    /// The symbols whose references are searched.
    pub symbols: Vec<SymbolQuery>,
    /// Files, folders or globs that results must be in; empty for the whole project.
    pub scope: Vec<String>,
    /// Whether names in strings and comments count as references too, as [`Confidence::Name`] without a role.
    pub text: bool,
    /// How the results are related to the symbols.
    pub relation: Relation,
    /// The number of steps for which callers or callees are followed, at least 1.
    pub depth: u32,
}

/// How the results of a search are related to the symbol that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relation {
    /// Uses of the symbol: all references to it.
    #[default]
    Uses,
    /// Calls of the symbol, and calls of the functions that contain those calls, up to the depth of the query.
    Callers,
    /// Calls inside the symbol, and inside the functions that it calls, up to the depth of the query. Calls of external
    /// functions are left out.
    Callees,
    /// Types that extend or implement the symbol, or members that override or implement it.
    Implementations,
}

/// One result of a search for references: a reference to a symbol, a call, or an implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The path of the file that contains the reference, relative to the project root.
    pub path: String,
    /// The line of the reference, from 1.
    pub line: u32,
    /// The byte offset of the referring name in its file.
    pub at: u32,
    /// The column of the referring name in characters, from 1; 0 until
    /// [`crate::ProjectAnalyzer::fill_columns_and_line_texts`] fills it in.
    pub column: u32,
    /// The same column in bytes.
    pub byte_column: u32,
    /// The text of the reference's line; empty until [`crate::ProjectAnalyzer::fill_columns_and_line_texts`] fills it
    /// in.
    pub context: String,
    /// The role in which the name is used, such as a call or an import; `None` in strings and comments.
    pub role: Option<Role>,
    /// The qualified name of the definition that contains the reference; empty at the top level of the file.
    pub enclosing: String,
    /// The byte offset of that definition, which tells it from others of its name; `None` at the top level, or where the
    /// analysis does not tell it.
    pub enclosing_at: Option<u32>,
    /// How certain it is that the reference means the symbol.
    pub confidence: Confidence,
    /// Whether the place plausibly means the symbol. Where only the name is the same, the receiver's name, or the number of
    /// other members of that name, speaks for the symbol.
    pub is_plausible: bool,
    /// Whether the line of the reference is conditional code (C), which is no reference in builds that leave it out.
    pub is_conditional: bool,
    /// The index of the symbol among the symbols of the query; 0 if only the name matches.
    pub symbol: usize,
    /// The number of steps between the symbol of the query and this result, from 1.
    pub depth: u32,
    /// The function that is called here, if it is not the symbol of the query, or the implementing definition. `None`
    /// if the outline does not contain it.
    pub other: Option<Endpoint>,
}

/// A definition at the other end of a relation: a called function, or an implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The path of the file that contains the definition, relative to the project root.
    pub path: String,
    /// The definition's qualified name, with the suffix by which the outline distinguishes symbols of one name.
    pub qualified_name: String,
}

/// The answer to a [`ReferenceQuery`]: all results that were found.
#[derive(Debug, Clone)]
pub struct References {
    /// The results in the order of their depth, path and byte offset.
    pub references: Vec<Reference>,
    /// How many of the queried symbols are matched by their names alone, because their definitions are not resolved.
    pub unresolved_symbols: usize,
    /// For uses: how many other uses of the same name in the searched scope mean another function or type for sure.
    pub other_meanings: usize,
    /// How complete the list of references is, and which files it leaves out.
    pub evidence: Evidence,
}
