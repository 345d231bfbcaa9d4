//! Svelte: the script blocks of its components.

use super::javascript::embedded;
use crate::language::{Analysis, Language, Tier};

pub(crate) static LANGUAGE: Language = Language {
    name: "svelte",
    tier: Tier::Complete,
    extensions: &["svelte"],
    file_names: &[],
    interpreters: &[],
    analysis: Analysis::Embedded(embedded::find_scripts),
};
