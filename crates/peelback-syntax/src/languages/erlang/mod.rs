//! The Erlang language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-erlang", tree_sitter_erlang::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["erl"],
    extensions: &["erl", "hrl", "escript"],
    file_names: &["rebar.config"],
    interpreters: &["escript"],
    keywords: Keywords {
        definitions: &[],
        bindings: &[],
        modifiers: &[],
        statements: &["case", "if", "receive", "try", "fun", "catch"],
    },
    ..Language::new("erlang", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
