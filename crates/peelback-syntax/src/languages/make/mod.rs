//! Makefiles, with the extensions of GNU Make: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-make", tree_sitter_make::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["makefile"],
    extensions: &["mk", "mak"],
    file_names: &["Makefile", "makefile", "GNUmakefile", "BSDmakefile"],
    variant_file_names: &["Makefile", "GNUmakefile"],
    describes_builds: true,
    keywords: Keywords {
        definitions: &["define"],
        bindings: &[],
        modifiers: &[],
        statements: &["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "include"],
    },
    ..Language::new("make", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
