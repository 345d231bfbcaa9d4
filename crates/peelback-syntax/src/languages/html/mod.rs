//! The HTML language: its files and its queries.

use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-html", tree_sitter_html::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["html", "htm", "xhtml"],
    ..Language::new("html", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
