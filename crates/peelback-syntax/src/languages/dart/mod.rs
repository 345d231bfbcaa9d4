//! The Dart language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-dart", tree_sitter_dart::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary { visibility: &[], imports: &["import", "export", "part", "of"] });

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["dart"],
    interpreters: &["dart"],
    keywords: Keywords {
        definitions: &["class", "enum", "extension", "mixin", "typedef"],
        bindings: &["const", "final", "late", "var"],
        modifiers: &["abstract", "base", "external", "sealed", "static"],
        statements: &[
            "if", "else", "for", "while", "do", "switch", "case", "catch", "return", "throw", "await", "assert",
        ],
    },
    stub_style: StubStyle::NoBraces,
    ..Language::new("dart", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
