//! Lua.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "lua",
    tier: Tier::Basic,
    extensions: &["lua", "rockspec"],
    file_names: &[".luacheckrc"],
    interpreters: &["lua", "luajit"],
    analysis: Analysis::Tags(Tags::new(tree_sitter_lua::LANGUAGE, include_str!("outline.scm"))),
};
