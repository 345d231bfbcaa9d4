//! The Julia language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-julia", tree_sitter_julia::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary { visibility: &[], imports: &["using", "import"] });

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "#", has_magics: false }),
    aliases: &["jl"],
    extensions: &["jl"],
    interpreters: &["julia"],
    keywords: Keywords {
        definitions: &["function", "macro", "module", "struct", "type"],
        bindings: &["const", "global"],
        modifiers: &["abstract", "mutable", "primitive"],
        statements: &[
            "if", "elseif", "else", "for", "while", "try", "catch", "return", "begin", "let", "do", "using", "import",
            "include",
        ],
    },
    ..Language::new("julia", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
