//! Swift.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "swift",
    tier: Tier::Basic,
    extensions: &["swift"],
    file_names: &[],
    interpreters: &["swift"],
    analysis: Analysis::Tags(Tags::new(tree_sitter_swift::LANGUAGE, include_str!("outline.scm"))),
};
