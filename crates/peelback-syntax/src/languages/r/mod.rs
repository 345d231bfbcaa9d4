//! The R language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-r", tree_sitter_r::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "#", has_magics: false }),
    extensions: &["r"],
    file_names: &[".Rprofile"],
    interpreters: &["Rscript", "r"],
    keywords: Keywords {
        definitions: &[],
        bindings: &[],
        modifiers: &[],
        statements: &["if", "else", "for", "while", "repeat", "library", "return"],
    },
    ..Language::new("r", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
