//! The Haskell language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-haskell", tree_sitter_haskell::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary { visibility: &[], imports: &["import", "qualified", "safe"] });

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["hs"],
    extensions: &["hs", "hs-boot"],
    interpreters: &["runhaskell", "runghc", "stack"],
    keywords: Keywords {
        definitions: &["class", "data", "newtype", "type", "instance", "module"],
        bindings: &[],
        modifiers: &[],
        statements: &["if", "else", "case", "where", "let", "do", "import", "return"],
    },
    ..Language::new("haskell", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
