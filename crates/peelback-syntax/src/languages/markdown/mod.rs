//! Markdown.

#[cfg(feature = "lang-markdown")]
mod reader;

use crate::spec::{Analysis, Language, Tier, if_feature};

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["md"],
    extensions: &["md", "markdown", "mdx", "mdown", "mkd", "mdc", "qmd", "rmd"],
    is_prose: true,
    ..Language::new(
        "markdown",
        Tier::Document,
        Analysis::Reader(if_feature!("lang-markdown", reader::read_markdown_facts)),
    )
};
