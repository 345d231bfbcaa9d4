//! The parameters of `find_references`.

use peelback_code::syntax::names::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parsed_question::TestFilter;
use crate::view::{OutputOptions, is_default_value};

/// Which uses count by how sure they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MinimumConfidence {
    /// Those to which a chain of bindings leads.
    Resolved,
    /// Those whose receiver's type was inferred too.
    Likely,
    /// Those too where only the name is the same, if they plausibly mean the symbol and there is room.
    #[default]
    Plausible,
    /// All where only the name is the same, or that only some builds compile, too.
    Name,
    /// Names in strings and comments too.
    Text,
}

/// What is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Its uses.
    #[default]
    Uses,
    /// The calls of it, and of the functions that they stand in, to `depth`.
    Callers,
    /// The calls inside it, and inside the functions that it calls, to `depth`.
    Callees,
    /// What extends, implements or overrides it.
    Implementations,
}

impl Relation {
    /// The same relation as a value of the crate that searches for references.
    pub(super) fn to_code_relation(self) -> peelback_code::Relation {
        match self {
            Self::Uses => peelback_code::Relation::Uses,
            Self::Callers => peelback_code::Relation::Callers,
            Self::Callees => peelback_code::Relation::Callees,
            Self::Implementations => peelback_code::Relation::Implementations,
        }
    }

    /// The noun for the rows of an answer with this relation, singular and plural.
    pub(super) fn singular_and_plural_row_noun(self) -> (&'static str, &'static str) {
        match self {
            Self::Uses => ("reference", "references"),
            Self::Callers | Self::Callees => ("call", "calls"),
            Self::Implementations => ("implementation", "implementations"),
        }
    }

    /// The word between the rows of an answer with this relation and the symbol: references `to` it, calls `in` it.
    pub(super) fn preposition_before_symbol(self) -> &'static str {
        match self {
            Self::Uses => "to",
            Self::Callers | Self::Implementations => "of",
            Self::Callees => "in",
        }
    }
}

/// The part that a use plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoleName {
    Call,
    Type,
    Read,
    Write,
    Member,
    Import,
    Export,
    Decorator,
    Definition,
}

impl RoleName {
    /// The same role as a value of the crate that searches for references.
    pub(super) fn to_reference_role(self) -> Role {
        match self {
            Self::Call => Role::Call,
            Self::Type => Role::Type,
            Self::Read => Role::Read,
            Self::Write => Role::Write,
            Self::Member => Role::Member,
            Self::Import => Role::Import,
            Self::Export => Role::Export,
            Self::Decorator => Role::Decorator,
            Self::Definition => Role::Definition,
        }
    }
}

/// Every use of a symbol, names resolved.
///
/// Each use has its role, the symbol it stands in and a confidence: `resolved` (bindings lead to the definition), `likely`
/// (the receiver's type was inferred, or is a base) or `name` (only the name is the same). Of those of `name`, the ones
/// that plausibly mean the symbol come last, where there is room: the receiver is called as its type is, few other types
/// have the name, or the language's names are not resolved. The others, and C code that only some builds compile, are
/// counted, and listed with `confidence` name; with `text` names in strings and comments too.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Symbol name or id. An id is `path:Qualified.name`, as rows of other answers show it.
    pub name: String,
    /// File defining the symbol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only uses in this folder or glob.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub scope: Option<String>,
    /// Only uses with these roles.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub role: Vec<RoleName>,
    /// Minimum confidence of listed uses.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub confidence: MinimumConfidence,
    /// Whether to include tests.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub tests: TestFilter,
    /// What to list about the symbol.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub relation: Relation,
    /// Call steps to follow. For callers and callees only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(flatten)]
    pub view: OutputOptions,
}
