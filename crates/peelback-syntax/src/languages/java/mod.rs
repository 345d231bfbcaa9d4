//! Java.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "java",
    tier: Tier::Basic,
    extensions: &["java"],
    file_names: &[],
    interpreters: &[],
    analysis: Analysis::Tags(Tags::new(tree_sitter_java::LANGUAGE, include_str!("outline.scm"))),
};
