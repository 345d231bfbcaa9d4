//! The CSS language: its files and its queries.

use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-css", tree_sitter_css::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language =
    Language { extensions: &["css"], ..Language::new("css", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS)) };
