//! The OCaml language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-ocaml", tree_sitter_ocaml::LANGUAGE_OCAML), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary { visibility: &[], imports: &["open", "include"] });

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["ml"],
    extensions: &["ml", "mli"],
    interpreters: &["ocaml"],
    keywords: Keywords {
        definitions: &["class", "exception", "external", "method", "module", "type", "val"],
        bindings: &["let"],
        modifiers: &["rec", "and", "virtual", "private"],
        statements: &["if", "else", "for", "while", "match", "try", "function", "open", "include", "begin"],
    },
    ..Language::new("ocaml", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
