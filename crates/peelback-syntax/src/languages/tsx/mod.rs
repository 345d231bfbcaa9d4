//! The TSX language: TypeScript with JSX elements. It has a grammar of its own, because `<T>x` begins an element here
//! and is a type assertion in TypeScript.

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
