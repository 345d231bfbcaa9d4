//! The PHP language: its files and its tags query.

use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier, if_feature};
use crate::tags::{CLASS_VISIBILITY, TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-php", tree_sitter_php::LANGUAGE_PHP), include_str!("outline.scm"))
        .with_visibility_and_import_words(Vocabulary {
            visibility: CLASS_VISIBILITY,
            imports: &["use", "function", "const"],
        });

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["php", "phtml", "php3", "php4", "php5", "php7", "php8", "phps"],
    interpreters: &["php"],
    keywords: Keywords {
        definitions: &["class", "enum", "function", "interface", "namespace", "trait"],
        bindings: &["const", "static", "var"],
        modifiers: &["abstract", "final", "private", "protected", "public", "static"],
        statements: &[
            "if", "else", "for", "while", "switch", "match", "catch", "try", "do", "return", "case", "throw",
            "foreach", "print", "require",
        ],
    },
    stub_style: StubStyle::NoBraces,
    ..Language::new("php", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
