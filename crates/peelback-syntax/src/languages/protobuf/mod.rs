//! The Protocol Buffers language: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-protobuf", tree_sitter_proto::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["proto", "proto3"],
    extensions: &["proto"],
    keywords: Keywords {
        definitions: &["enum", "message", "oneof", "rpc", "service"],
        bindings: &[],
        modifiers: &["optional", "repeated", "required"],
        statements: &["import", "option", "package", "syntax"],
    },
    ..Language::new("protobuf", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
