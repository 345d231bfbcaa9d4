//! The Swift language: its files and its tags query.

use crate::facts::Visibility;
use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-swift", tree_sitter_swift::LANGUAGE), include_str!("outline.scm"))
        .with_visibility_and_import_words(Vocabulary {
            visibility: &[
                ("public", Visibility::Public),
                ("internal", Visibility::Internal),
                ("private", Visibility::Private),
                ("fileprivate", Visibility::Private),
            ],
            imports: &["@testable", "import", "struct", "class", "enum", "protocol", "func", "var", "let", "typealias"],
        });

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["swift"],
    interpreters: &["swift"],
    keywords: Keywords {
        definitions: &["class", "enum", "func", "protocol", "struct"],
        bindings: &["let", "static", "var"],
        modifiers: &["final", "internal", "open", "override", "private", "public", "static"],
        statements: &["if", "else", "for", "while", "switch", "catch", "do", "return", "case", "defer", "throw"],
    },
    ..Language::new("swift", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
