//! The Groovy language, with Gradle build scripts: its files and its queries.

mod finals;

use crate::project_files::ProjectFiles;
use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{CLASS_VISIBILITY, TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(
    if_feature!("lang-groovy", dekobon_tree_sitter_groovy::LANGUAGE),
    include_str!("outline.scm"),
)
.with_source_preparation(finals::define_finals)
.with_references(include_str!("references.scm"))
.with_visibility_and_import_words(Vocabulary { visibility: CLASS_VISIBILITY, imports: &["import", "static"] });

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["gradle"],
    extensions: &["groovy", "gradle", "gvy", "gy", "gsh", "nf"],
    file_names: &["Jenkinsfile"],
    interpreters: &["groovy", "nextflow"],
    keywords: Keywords {
        definitions: &["class", "interface", "enum", "trait", "def"],
        bindings: &[],
        modifiers: &["abstract", "final", "private", "protected", "public", "static"],
        statements: &["if", "else", "for", "while", "switch", "catch", "try", "do", "return", "case", "throw"],
    },
    main_is_method: true,
    project_files: ProjectFiles { auxiliary_stems: &["jenkinsfile"], ..ProjectFiles::NONE },
    ..Language::new("groovy", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
