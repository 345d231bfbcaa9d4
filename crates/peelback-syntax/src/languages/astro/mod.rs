//! The Astro language: the code between two lines of `---` and the script blocks are analysed, and the names that the
//! markup uses.

use super::javascript::embedded;
use super::javascript::templates::record_names_in_astro_markup;
use crate::spec::{Analysis, Language, Tier};

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["astro"],
    family: Some("javascript"),
    keywords: super::javascript::KEYWORDS,
    ..Language::new(
        "astro",
        Tier::Complete,
        Analysis::Embedded {
            find: embedded::find_astro_code,
            scripts: embedded::LANGUAGES,
            record_names_in_markup: record_names_in_astro_markup,
        },
    )
};
