//! The parameters of `outline`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::OutputOptions;

/// Symbols of a file, folder or glob.
///
/// One file: every symbol with decorators and the first line of its documentation (symbols local to functions only
/// with `detail_level: full`). A folder or glob: the top-level symbols of each file. Markdown headings and
/// JSON/YAML/TOML keys are symbols too.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// A file, folder or glob; the whole project by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only symbols of this kind: class, function, method, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Levels of nesting to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    #[serde(flatten)]
    pub view: OutputOptions,
}
