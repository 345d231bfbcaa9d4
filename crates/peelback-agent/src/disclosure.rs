//! Function types for two decisions: which files may leave the machine, and which parts of a text are masked before the
//! text leaves the machine. The decisions apply to everything that a model or a document receives.

use std::borrow::Cow;
use std::sync::Arc;

pub use peelback_code::WithholdPathRule;

/// A function that masks the secrets in a text. The function returns a text that contains no secrets as a borrow.
pub type Redact = Arc<dyn for<'a> Fn(&'a str) -> Cow<'a, str> + Send + Sync>;
