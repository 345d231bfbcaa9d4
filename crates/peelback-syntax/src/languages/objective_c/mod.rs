//! The Objective-C language: its files and its queries. Objective-C++ is read as far as the grammar understands it.

mod includes;
mod macros;

use crate::spec::{Analysis, ContentRule, Keywords, Language, StubStyle, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-objective-c", tree_sitter_objc::LANGUAGE), include_str!("outline.scm"))
        .with_source_preparation(macros::blank_macros)
        .with_import_binder(includes::bind_includes)
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary { visibility: &[], imports: &["@import"] });

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["objc", "objective-c", "obj-c"],
    extensions: &["m", "mm"],
    includes_family: Some("c"),
    keywords: Keywords {
        definitions: &["@interface", "@implementation", "@protocol", "struct", "enum", "union", "typedef"],
        bindings: &[],
        modifiers: &["static", "const", "extern"],
        statements: &["if", "else", "for", "while", "switch", "do", "return", "case", "goto"],
    },
    stub_style: StubStyle::NoBraces,
    content_rule: Some(ContentRule { extensions: &["h"], matches: macros::is_objective_c_header }),
    ..Language::new("objective_c", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
