//! Scala, 2 and 3.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "scala",
    tier: Tier::Basic,
    extensions: &["scala", "sc", "sbt"],
    file_names: &[],
    interpreters: &["scala"],
    analysis: Analysis::Tags(Tags::new(tree_sitter_scala::LANGUAGE, include_str!("outline.scm"))),
};
