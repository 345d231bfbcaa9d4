//! The F# language: its files and its queries.

use crate::facts::Visibility;
use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(
    if_feature!("lang-fsharp", tree_sitter_fsharp::LANGUAGE_FSHARP),
    include_str!("outline.scm"),
)
.with_references(include_str!("references.scm"))
.with_visibility_and_import_words(Vocabulary {
    visibility: &[("public", Visibility::Public), ("internal", Visibility::Internal), ("private", Visibility::Private)],
    imports: &["open"],
});

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["f#", "fs"],
    extensions: &["fs", "fsx", "fsscript"],
    interpreters: &["fsharpi"],
    keywords: Keywords {
        definitions: &["exception", "member", "module", "namespace", "type"],
        bindings: &["let"],
        modifiers: &["abstract", "inline", "internal", "mutable", "override", "private", "public", "rec", "static"],
        statements: &["if", "elif", "else", "for", "while", "match", "try", "open", "use", "yield", "return", "do"],
    },
    ..Language::new("fsharp", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
