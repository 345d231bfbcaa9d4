//! The CMake language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-cmake", tree_sitter_cmake::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["cmake"],
    file_names: &["CMakeLists.txt"],
    describes_builds: true,
    keywords: Keywords {
        definitions: &[],
        bindings: &[],
        modifiers: &[],
        statements: &["if", "elseif", "else", "endif", "foreach", "while", "return"],
    },
    ..Language::new("cmake", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
