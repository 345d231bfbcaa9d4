//! Kotlin.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "kotlin",
    tier: Tier::Basic,
    extensions: &["kt", "kts"],
    file_names: &[],
    interpreters: &["kotlin"],
    analysis: Analysis::Tags(Tags::new(tree_sitter_kotlin_ng::LANGUAGE, include_str!("outline.scm"))),
};
