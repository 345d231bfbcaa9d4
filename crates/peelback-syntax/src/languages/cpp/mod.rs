//! The languages C++ and CUDA. The grammar of C++ parses CUDA well enough.

mod headers;
mod names;
mod repair;

use tree_sitter_language::LanguageFn;

use crate::spec::{Analysis, ContentRule, Keywords, Language, StubStyle, Tier, if_feature};
use crate::tags::{CLASS_VISIBILITY, TagsQueryLanguage, Vocabulary};

/// The grammar of C++; `None` where the feature of the language is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-cpp", tree_sitter_cpp::LANGUAGE);

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(GRAMMAR, include_str!("outline.scm"))
    .with_visibility_and_import_words(Vocabulary { visibility: CLASS_VISIBILITY, imports: &[] })
    .with_source_preparation(repair::repair_source_for_parser)
    .with_names_binder(names::bind_names_in_file);

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["c++", "cxx"],
    extensions: &[
        "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "ixx", "cppm", "cu", "cuh",
    ],
    family: Some("cpp"),
    includes_family: Some("c"),
    keywords: Keywords {
        definitions: &["class", "enum", "namespace", "struct", "typedef", "union"],
        bindings: &["const", "static"],
        modifiers: &[
            "const",
            "extern",
            "final",
            "inline",
            "override",
            "private",
            "protected",
            "public",
            "static",
            "virtual",
        ],
        statements: &["if", "else", "for", "while", "switch", "catch", "try", "do", "return", "case", "throw"],
    },
    stub_style: StubStyle::NoBraces,
    content_rule: Some(ContentRule { extensions: &["h"], matches: headers::is_cpp_header }),
    ..Language::new("cpp", Tier::Complete, Analysis::TagsQueryLanguage(&TAGS))
};
