//! The Zig language: its files and its queries.

use crate::facts::Visibility;
use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-zig", tree_sitter_zig::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary { visibility: &[("pub", Visibility::Public)], imports: &[] });

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["zig", "zon"],
    keywords: Keywords {
        definitions: &["fn", "test"],
        bindings: &["const", "var"],
        modifiers: &["pub", "export", "extern", "inline", "comptime"],
        statements: &["if", "else", "for", "while", "switch", "return", "try", "catch", "defer", "errdefer", "break"],
    },
    ..Language::new("zig", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
