//! The CSS language: its files and its query.

use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-css", tree_sitter_css::LANGUAGE), include_str!("outline.scm"));

pub(crate) static LANGUAGE: Language =
    Language { extensions: &["css"], ..Language::new("css", Tier::Document, Analysis::TagsQueryLanguage(&TAGS)) };
