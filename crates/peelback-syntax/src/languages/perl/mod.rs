//! The Perl language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-perl", ts_parser_perl::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary {
            visibility: &[],
            imports: &["use", "require", "no", "parent", "base"],
        });

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["pl"],
    extensions: &["pl", "pm", "psgi"],
    file_names: &["cpanfile", "Makefile.PL"],
    interpreters: &["perl"],
    keywords: Keywords {
        definitions: &["package", "sub"],
        bindings: &["my", "our", "local"],
        modifiers: &[],
        statements: &[
            "if", "elsif", "else", "unless", "for", "foreach", "while", "until", "return", "use", "require", "no",
        ],
    },
    ..Language::new("perl", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
