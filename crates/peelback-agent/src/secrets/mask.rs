//! The text that replaces secret values in texts for models and documents.

/// The text that replaces a secret value.
pub const MASK: &str = "[masked]";
