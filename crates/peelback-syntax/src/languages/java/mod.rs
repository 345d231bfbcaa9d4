//! The language Java: file names, keywords and how its outline is read.

use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier, if_feature};
use crate::tags::{CLASS_VISIBILITY, TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-java", tree_sitter_java::LANGUAGE), include_str!("outline.scm"))
        .with_visibility_and_import_words(Vocabulary { visibility: CLASS_VISIBILITY, imports: &["import", "static"] });

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["java"],
    keywords: Keywords {
        definitions: &["class", "enum", "interface", "record"],
        bindings: &[],
        modifiers: &["abstract", "default", "final", "private", "protected", "public", "static"],
        statements: &[
            "if", "else", "for", "while", "switch", "catch", "try", "do", "return", "case", "throw", "assert",
        ],
    },
    stub_style: StubStyle::NoBraces,
    main_is_method: true,
    standard_library: Some(is_standard_library_package),
    ..Language::new("java", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};

/// Whether a package, given by its full name, belongs to the Java platform.
fn is_standard_library_package(package: &str) -> bool {
    package.starts_with("java.") || package.starts_with("javax.")
}
