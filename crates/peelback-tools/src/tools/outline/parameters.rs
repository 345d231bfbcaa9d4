//! The parameters of `outline`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::{OutputOptions, is_default_value};

/// Symbols of files, folders and globs.
///
/// One file: every symbol with decorators and the first line of its documentation (symbols local to functions only
/// with `detail_level: full`). A folder or glob: the top-level symbols of each file. Markdown headings and
/// JSON/YAML/TOML keys are symbols too. Several paths at once share the budget.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Files, folders or globs; default: everything.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub path: Vec<String>,
    /// Symbol kind: class, function, method. Other kinds are struct, trait, constant, section, key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Levels of nested symbols to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    #[serde(flatten)]
    pub view: OutputOptions,
}
