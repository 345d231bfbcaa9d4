//! The PHP language: its files, its tags query, the code of its templates, and the binder of its names.

mod blade;
mod names;
mod project;

use tree_sitter_language::LanguageFn;

use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier, if_feature};
use crate::tags::{CLASS_VISIBILITY, TagsQueryLanguage, Vocabulary};

/// The grammar of PHP; `None` where the feature of the language is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-php", tree_sitter_php::LANGUAGE_PHP);

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(GRAMMAR, include_str!("outline.scm"))
    .with_visibility_and_import_words(Vocabulary {
        visibility: CLASS_VISIBILITY,
        imports: &["use", "function", "const"],
    })
    .with_source_preparation(blade::code_of_template)
    .with_names_binder(names::bind_names_in_file);

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["php", "phtml", "php3", "php4", "php5", "php7", "php8", "phps"],
    interpreters: &["php"],
    keywords: Keywords {
        definitions: &["class", "enum", "function", "interface", "namespace", "trait"],
        bindings: &["const", "static", "var"],
        modifiers: &["abstract", "final", "private", "protected", "public", "static"],
        statements: &[
            "if", "else", "for", "while", "switch", "match", "catch", "try", "do", "return", "case", "throw",
            "foreach", "print", "require",
        ],
    },
    stub_style: StubStyle::NoBraces,
    family: Some("php"),
    project_files: project::FILES,
    ..Language::new("php", Tier::Complete, Analysis::TagsQueryLanguage(&TAGS))
};
