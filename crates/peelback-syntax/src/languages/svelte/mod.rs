//! The Svelte language: the script blocks of its components are analysed.

use super::javascript::embedded;
use crate::spec::{Analysis, Language, Tier};

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["svelte"],
    family: Some("javascript"),
    keywords: super::javascript::KEYWORDS,
    ..Language::new(
        "svelte",
        Tier::Complete,
        Analysis::Embedded { find: embedded::find_script_blocks_and_language, scripts: embedded::LANGUAGES },
    )
};
