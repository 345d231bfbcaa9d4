//! Dockerfiles: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(
    if_feature!("lang-dockerfile", tree_sitter_containerfile::LANGUAGE),
    include_str!("outline.scm"),
)
.with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["docker", "containerfile"],
    extensions: &["dockerfile", "containerfile"],
    file_names: &["Dockerfile", "Containerfile"],
    variant_file_names: &["Dockerfile", "Containerfile"],
    describes_builds: true,
    has_imports: false,
    keywords: Keywords {
        definitions: &[],
        bindings: &[],
        modifiers: &[],
        statements: &["FROM", "RUN", "COPY", "ADD", "ENV", "ARG", "CMD", "ENTRYPOINT"],
    },
    ..Language::new("dockerfile", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
