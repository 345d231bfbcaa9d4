//! The Solidity language: its files and its queries.

use crate::facts::Visibility;
use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-solidity", tree_sitter_solidity::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary {
            visibility: &[
                ("public", Visibility::Public),
                ("external", Visibility::Public),
                ("internal", Visibility::Internal),
                ("private", Visibility::Private),
            ],
            imports: &[],
        });

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["sol"],
    extensions: &["sol"],
    keywords: Keywords {
        definitions: &["contract", "enum", "error", "event", "function", "interface", "library", "modifier", "struct"],
        bindings: &[],
        modifiers: &["abstract", "external", "internal", "private", "public"],
        statements: &["if", "else", "for", "while", "do", "return", "emit", "revert", "require", "import", "using"],
    },
    stub_style: StubStyle::NoBraces,
    ..Language::new("solidity", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
