//! The SCSS language, the syntax of Sass with braces: its files and its query.

mod modules;

use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage = TagsQueryLanguage::with_older_grammar(
    if_feature!("lang-scss", tree_sitter_scss::language),
    include_str!("outline.scm"),
)
.with_source_preparation(modules::blank_what_is_not_read);

pub(crate) static LANGUAGE: Language =
    Language { extensions: &["scss"], ..Language::new("scss", Tier::Document, Analysis::TagsQueryLanguage(&TAGS)) };
