//! The Kotlin language: its files, its tags query, and the repair of source that the grammar misreads.

mod names;
mod repair;

use tree_sitter_language::LanguageFn;

use crate::facts::Visibility;
use crate::project_files::ProjectFiles;
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, StubStyle, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

/// The grammar of Kotlin; `None` where the feature of the language is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-kotlin", tree_sitter_kotlin_ng::LANGUAGE);

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(GRAMMAR, include_str!("outline.scm"))
    .with_visibility_and_import_words(Vocabulary {
        visibility: &[
            ("public", Visibility::Public),
            ("protected", Visibility::Protected),
            ("internal", Visibility::Internal),
            ("private", Visibility::Private),
        ],
        imports: &["import"],
    })
    .with_source_repair(repair::repair_source)
    .with_names_binder(names::bind_names_in_file);

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "//", has_magics: false }),
    aliases: &["kt"],
    extensions: &["kt", "kts"],
    interpreters: &["kotlin"],
    // The languages of one virtual machine use each other's types.
    family: Some("java"),
    keywords: Keywords {
        definitions: &["class", "enum", "fun", "interface", "object"],
        bindings: &["const", "val", "var"],
        modifiers: &[
            "abstract",
            "const",
            "final",
            "inline",
            "internal",
            "open",
            "override",
            "private",
            "protected",
            "public",
            "sealed",
        ],
        statements: &["if", "else", "for", "while", "catch", "try", "do", "return", "throw"],
    },
    stub_style: StubStyle::NoBraces,
    standard_library: Some(is_standard_library_package),
    project_files: FILES,
    ..Language::new("kotlin", Tier::Complete, Analysis::TagsQueryLanguage(&TAGS))
};

/// The files of Kotlin's projects that have a meaning by their names.
const FILES: ProjectFiles =
    ProjectFiles { command_marks: &["gradle ", "./gradlew"], test_stem_ends: &["Test", "Tests"], ..ProjectFiles::NONE };

/// Whether a package, given by its full name, belongs to the library of Kotlin or to the Java platform.
fn is_standard_library_package(package: &str) -> bool {
    ["kotlin.", "java.", "javax."].iter().any(|prefix| package.starts_with(prefix))
}
