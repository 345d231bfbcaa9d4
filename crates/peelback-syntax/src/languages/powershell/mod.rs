//! The PowerShell language: its files and its queries.

use crate::facts::Visibility;
use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(
    if_feature!("lang-powershell", tree_sitter_powershell::LANGUAGE),
    include_str!("outline.scm"),
)
.with_references(include_str!("references.scm"))
.with_visibility_and_import_words(Vocabulary {
    visibility: &[("hidden", Visibility::Private)],
    imports: &["using", "module", "namespace"],
});

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["pwsh", "ps1"],
    extensions: &["ps1", "psm1", "psd1"],
    interpreters: &["pwsh", "powershell"],
    keywords: Keywords {
        definitions: &["class", "enum", "filter", "function", "configuration"],
        bindings: &[],
        modifiers: &["hidden", "static"],
        statements: &[
            "if", "elseif", "else", "for", "foreach", "while", "switch", "try", "catch", "return", "throw", "param",
        ],
    },
    ..Language::new("powershell", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
