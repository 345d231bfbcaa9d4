//! SQL in its common dialects: its files and its queries.

mod dialects;

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-sql", tree_sitter_sequel::LANGUAGE), include_str!("outline.scm"))
        .with_source_preparation(dialects::blank_what_is_not_read)
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["postgresql", "mysql", "sqlite", "psql", "plpgsql"],
    extensions: &["sql", "psql", "pgsql", "ddl", "mysql"],
    has_imports: false,
    keywords: Keywords {
        definitions: &[],
        bindings: &[],
        modifiers: &[],
        statements: &[
            "select", "insert", "update", "delete", "from", "where", "SELECT", "INSERT", "UPDATE", "DELETE", "FROM",
            "WHERE",
        ],
    },
    ..Language::new("sql", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
