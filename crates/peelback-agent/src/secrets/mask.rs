//! The replacement of masked values.

/// The text that replaces a masked value.
pub const MASK: &str = "[masked]";
