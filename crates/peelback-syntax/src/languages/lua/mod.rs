//! The Lua language: its files and its tags query.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-lua", tree_sitter_lua::LANGUAGE), include_str!("outline.scm"));

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["lua", "rockspec"],
    file_names: &[".luacheckrc"],
    interpreters: &["lua", "luajit"],
    keywords: Keywords {
        definitions: &["function"],
        bindings: &[],
        modifiers: &[],
        statements: &["if", "else", "for", "while", "do", "return", "until"],
    },
    ..Language::new("lua", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
