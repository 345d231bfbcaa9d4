//! The mark of citations that could not be verified.

/// The text before the reason, behind a citation that could not be verified.
pub const UNVERIFIED_MARK: &str = "⚠ unverified:";
