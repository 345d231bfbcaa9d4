//! The Nix language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-nix", tree_sitter_nix::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["nix"],
    interpreters: &["nix-shell"],
    keywords: Keywords {
        definitions: &[],
        bindings: &[],
        modifiers: &[],
        statements: &["if", "else", "let", "with", "in", "assert"],
    },
    ..Language::new("nix", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
