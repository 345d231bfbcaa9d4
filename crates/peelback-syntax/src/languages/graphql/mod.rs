//! The GraphQL language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-graphql", tree_sitter_graphql::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["gql"],
    extensions: &["graphql", "gql", "graphqls"],
    keywords: Keywords {
        definitions: &[
            "directive",
            "enum",
            "fragment",
            "input",
            "interface",
            "mutation",
            "query",
            "scalar",
            "subscription",
            "type",
            "union",
        ],
        bindings: &[],
        modifiers: &["extend"],
        statements: &[],
    },
    ..Language::new("graphql", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
