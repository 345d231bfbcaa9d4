//! The parameters common to all tools: how much of an answer to show, and in which format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parameter_name::parameter_name;

/// How much detail an answer gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DetailLevel {
    /// A compact answer, capped.
    #[default]
    Exploring,
    /// All detail, paged by `offset` and `limit`.
    Full,
}

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Text for a model or a person.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// One `path:line:column:text` for each row, as editors read it, of tools whose rows are places.
    Vimgrep,
    /// A graph for Graphviz, of tools that draw one.
    Dot,
    /// A graph for Mermaid, of tools that draw one.
    Mermaid,
}

impl Format {
    /// The format's name, as calls write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Vimgrep => "vimgrep",
            Self::Dot => "dot",
            Self::Mermaid => "mermaid",
        }
    }

    /// Names of the formats that only tools with a graph have.
    pub(crate) const GRAPH_FORMATS: [&'static str; 2] = ["dot", "mermaid"];

    /// The format that a word names, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let formats = [Self::Text, Self::Json, Self::Vimgrep, Self::Dot, Self::Mermaid];
        formats.into_iter().find(|format| format.as_str().eq_ignore_ascii_case(name))
    }

    /// Whether programs read the format: they ask for all of an answer, unless they say how much.
    pub fn is_for_programs(self) -> bool {
        matches!(self, Self::Json | Self::Vimgrep)
    }

    /// Which tools have the format, where not all have it.
    pub(crate) fn required_rows(self) -> Option<&'static str> {
        match self {
            Self::Text | Self::Json => None,
            Self::Vimgrep => Some("it is for tools whose rows are places with a line and a column"),
            Self::Dot | Self::Mermaid => Some("it is for tools that draw a graph"),
        }
    }
}

/// How much of an answer to show, and in which form.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct OutputOptions {
    /// Project root, if not the nearest repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Compact and capped, or all detail.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub detail_level: DetailLevel,
    /// Number of rows to skip.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub offset: usize,
    /// Number of rows to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Token budget of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Format of the answer.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub format: Format,
}

impl OutputOptions {
    /// The name of the parameter with the format of the answer.
    pub const FORMAT: &'static str = parameter_name!(OutputOptions, format);
    /// The name of the parameter with the budget of the answer.
    pub const MAX_TOKENS: &'static str = parameter_name!(OutputOptions, max_tokens);
    /// Names of the parameters that every tool has.
    pub const PARAMETER_NAMES: [&'static str; 6] = [
        parameter_name!(OutputOptions, root),
        parameter_name!(OutputOptions, detail_level),
        parameter_name!(OutputOptions, offset),
        parameter_name!(OutputOptions, limit),
        parameter_name!(OutputOptions, max_tokens),
        parameter_name!(OutputOptions, format),
    ];

    /// Whether the call requests full detail.
    pub fn is_full_detail(&self) -> bool {
        self.detail_level == DetailLevel::Full
    }

    /// The number of rows to show, where an answer at detail level `exploring` shows `cap` rows by default. A format for
    /// programs without a limit on tokens is whole.
    pub fn row_limit(&self, cap: usize) -> usize {
        match (self.limit, self.detail_level) {
            (Some(limit), _) => limit,
            (None, _) if self.format.is_for_programs() && self.max_tokens == Some(0) => usize::MAX,
            (None, DetailLevel::Exploring) => cap,
            (None, DetailLevel::Full) => cap.saturating_mul(10),
        }
    }
}

pub(crate) fn is_default_value<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
