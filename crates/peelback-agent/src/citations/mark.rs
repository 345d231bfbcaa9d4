//! The mark that the citation check adds to citations it could not verify.

/// The beginning of the mark after an unverified citation; the reason follows.
pub const UNVERIFIED_MARK: &str = "⚠ unverified:";
