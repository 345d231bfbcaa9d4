//! PHP.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "php",
    tier: Tier::Basic,
    extensions: &["php", "phtml", "php3", "php4", "php5", "php7", "php8", "phps"],
    file_names: &[],
    interpreters: &["php"],
    analysis: Analysis::Tags(Tags::new(tree_sitter_php::LANGUAGE_PHP, include_str!("outline.scm"))),
};
