//! The Markdown language: its files and its reader.

#[cfg(feature = "lang-markdown")]
mod reader;

use crate::project_files::ProjectFiles;
use crate::spec::{Analysis, Language, Tier, if_feature};

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["md"],
    extensions: &["md", "markdown", "mdx", "mdown", "mkd", "mdc", "qmd", "rmd"],
    is_prose: true,
    project_files: ProjectFiles {
        documentation_extensions: &["md", "mdx"],
        readme_extensions: &["md", "markdown"],
        ..ProjectFiles::NONE
    },
    ..Language::new(
        "markdown",
        Tier::Document,
        Analysis::Reader(if_feature!("lang-markdown", reader::read_markdown_facts)),
    )
};
