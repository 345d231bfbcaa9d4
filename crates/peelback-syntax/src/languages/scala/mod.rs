//! The Scala language, versions 2 and 3: its files and its tags query.

use crate::facts::Visibility;
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-scala", tree_sitter_scala::LANGUAGE), include_str!("outline.scm"))
        .with_visibility_and_import_words(Vocabulary {
            visibility: &[("protected", Visibility::Protected), ("private", Visibility::Private)],
            imports: &["import"],
        });

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "//", has_magics: false }),
    aliases: &["sc"],
    extensions: &["scala", "sc", "sbt"],
    interpreters: &["scala"],
    keywords: Keywords {
        definitions: &["class", "def", "enum", "object", "trait", "type"],
        bindings: &["val", "var"],
        modifiers: &["abstract", "final", "inline", "open", "override", "private", "protected", "sealed"],
        statements: &["if", "else", "for", "while", "match", "catch", "try", "do", "return", "case", "throw"],
    },
    main_is_method: true,
    ..Language::new("scala", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
