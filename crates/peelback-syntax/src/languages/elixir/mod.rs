//! The Elixir language: its files and its queries.

use crate::facts::Visibility;
use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-elixir", tree_sitter_elixir::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"))
        .with_visibility_and_import_words(Vocabulary {
            visibility: &[
                ("def", Visibility::Public),
                ("defmacro", Visibility::Public),
                ("defguard", Visibility::Public),
                ("defdelegate", Visibility::Public),
                ("defp", Visibility::Private),
                ("defmacrop", Visibility::Private),
                ("defguardp", Visibility::Private),
                ("typep", Visibility::Private),
                ("type", Visibility::Public),
                ("opaque", Visibility::Public),
            ],
            imports: &["import", "alias", "use", "require"],
        });

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["ex"],
    extensions: &["ex", "exs"],
    interpreters: &["elixir"],
    keywords: Keywords {
        definitions: &[
            "def",
            "defp",
            "defmacro",
            "defmacrop",
            "defmodule",
            "defprotocol",
            "defimpl",
            "defdelegate",
            "defguard",
        ],
        bindings: &[],
        modifiers: &[],
        statements: &[
            "if", "else", "for", "case", "cond", "with", "unless", "receive", "raise", "import", "alias", "use",
            "require",
        ],
    },
    ..Language::new("elixir", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
