//! Vue: the script blocks of its components.

use super::javascript::embedded;
use crate::language::{Analysis, Language, Tier};

pub(crate) static LANGUAGE: Language = Language {
    name: "vue",
    tier: Tier::Complete,
    extensions: &["vue"],
    file_names: &[],
    interpreters: &[],
    analysis: Analysis::Embedded(embedded::find_scripts),
};
