//! The text that replaces secret values.

/// The text that replaces a masked value.
pub const MASK: &str = "[masked]";
