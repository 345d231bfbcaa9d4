//! The Vue language: the script blocks of its components are analysed.

use super::javascript::embedded;
use crate::spec::{Analysis, Language, Tier};

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["vue"],
    family: Some("javascript"),
    keywords: super::javascript::KEYWORDS,
    ..Language::new(
        "vue",
        Tier::Complete,
        Analysis::Embedded { find: embedded::find_script_blocks_and_language, scripts: embedded::LANGUAGES },
    )
};
