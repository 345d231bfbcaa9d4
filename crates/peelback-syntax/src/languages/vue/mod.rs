//! The Vue language: the script blocks of its components are analysed, and the names that the
//! markup uses.

use super::javascript::embedded;
use super::javascript::templates::record_names_in_vue_markup;
use crate::spec::{Analysis, Language, Tier};

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["vue"],
    family: Some("javascript"),
    keywords: super::javascript::KEYWORDS,
    ..Language::new(
        "vue",
        Tier::Complete,
        Analysis::Embedded {
            find: embedded::find_script_blocks_and_language,
            scripts: embedded::LANGUAGES,
            record_names_in_markup: record_names_in_vue_markup,
        },
    )
};
