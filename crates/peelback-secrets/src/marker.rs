//! The text that stands where a secret stood.

/// The text that replaces a secret value.
pub const MASK: &str = "[masked]";
