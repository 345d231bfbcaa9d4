//! TypeScript with elements. The grammar differs from TypeScript's: `<T>x` is an element, and no type assertion.

use super::javascript::is_standard_library_module;
use super::typescript;
use crate::spec::{Analysis, Language, StubStyle, Tier, if_feature};

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["tsx"],
    family: Some("javascript"),
    keywords: typescript::LANGUAGE.keywords,
    stub_style: StubStyle::NoBraces,
    standard_library: Some(is_standard_library_module),
    ..Language::new(
        "tsx",
        Tier::Complete,
        Analysis::Frontend {
            grammar: if_feature!("lang-typescript", tree_sitter_typescript::LANGUAGE_TSX),
            frontend: &typescript::FRONTEND,
        },
    )
};
