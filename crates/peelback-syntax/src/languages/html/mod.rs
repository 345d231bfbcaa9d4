//! The HTML language: its files and its query.

use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-html", tree_sitter_html::LANGUAGE), include_str!("outline.scm"));

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["html", "htm", "xhtml"],
    is_prose: true,
    ..Language::new("html", Tier::Document, Analysis::TagsQueryLanguage(&TAGS))
};
