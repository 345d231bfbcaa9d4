//! The parameters of `dependencies`.

use peelback_code::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parsed_question::TestFilter;
use crate::view::{OutputOptions, is_default_value};

/// Dependencies of files, both ways.
///
/// Imports lead to files as in each language; what lies outside is external, what leads nowhere is unresolved. Without
/// `path`, the whole project: the files most depended on, entry points, cycles. `format` can be `dot` or `mermaid` too: files
/// joined into folders, or each file with a `limit`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// File or folder; default: the whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Files it imports, or its importers. What it imports is outgoing.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub direction: DependencyDirection,
    /// Only list files in this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Whether to include tests.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub tests: TestFilter,
    /// Import steps to follow; default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    #[serde(flatten)]
    pub view: OutputOptions,
}

/// A direction as a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DependencyDirection {
    /// Both ways.
    #[default]
    Both,
    /// What it depends on.
    Outgoing,
    /// What depends on it.
    Incoming,
}

impl DependencyDirection {
    /// The direction's name, as calls write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Outgoing => "outgoing",
            Self::Incoming => "incoming",
        }
    }
}

impl From<DependencyDirection> for Direction {
    fn from(way: DependencyDirection) -> Self {
        match way {
            DependencyDirection::Both => Self::Both,
            DependencyDirection::Outgoing => Self::Outgoing,
            DependencyDirection::Incoming => Self::Incoming,
        }
    }
}
