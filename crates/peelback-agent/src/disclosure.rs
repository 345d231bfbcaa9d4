//! Types of the decisions about which files and which parts of texts may leave the machine. The decisions apply to
//! everything that a model or a document receives.

use std::borrow::Cow;
use std::sync::Arc;

pub use peelback_code::WithholdPathRule;

/// A function that replaces the secret parts of a text. The function returns a text without secrets as a borrow.
pub type Redact = Arc<dyn for<'a> Fn(&'a str) -> Cow<'a, str> + Send + Sync>;
