//! C#.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "c_sharp",
    tier: Tier::Basic,
    extensions: &["cs", "csx"],
    file_names: &[],
    interpreters: &["dotnet-script"],
    analysis: Analysis::Tags(Tags::new(tree_sitter_c_sharp::LANGUAGE, include_str!("outline.scm"))),
};
