//! The YAML language. [`crate::key_value_documents`] defines which nodes are symbols. The documents of one file
//! (separated by `---`) are siblings.

use tree_sitter::Node;
use tree_sitter_language::LanguageFn;

use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::key_value_documents::{self, KeyValuePair, ValueShape};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::text;

/// The grammar of YAML; `None` where the cargo feature `lang-yaml` is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-yaml", tree_sitter_yaml::LANGUAGE);

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["yml"],
    extensions: &["yaml", "yml", "cff"],
    file_names: &[".clang-format", ".clang-tidy", ".clangd", ".yamllint", "pubspec.lock", "Podfile.lock"],
    ..Language::new("yaml", Tier::Document, Analysis::Frontend { grammar: GRAMMAR, frontend: &Yaml })
};

struct Yaml;

impl LanguageFrontend for Yaml {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "stream" | "document" | "ERROR" | "block_node" | "flow_node" => WalkStep::DescendKeepingAttachments,
            "block_sequence_item" => WalkStep::Descend,
            "block_mapping" | "flow_mapping" => key_value_documents::outline_map_value(node, builder),
            "block_sequence" | "flow_sequence" => key_value_documents::visit_list_without_key_symbols(node, builder),
            "block_mapping_pair" | "flow_pair" => outline_yaml_pair(node, builder),
            // An anchor (`&name`) or a tag (`!type`) precedes a value and does not separate a comment from it.
            "anchor" | "tag" => WalkStep::Skip,
            "block_scalar" => {
                builder.fold_value_if_long(node);
                WalkStep::Skip
            }
            _ => WalkStep::Skip,
        }
    }

    fn prepare_source(&self, source: &str) -> Option<String> {
        blank_deeply_indented_content(source)
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        (kind == "comment").then_some(Attachment::Comment)
    }

    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        Some(key_value_documents::hash_sign_comment_text(comment))
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        vec![
            "stream",
            "document",
            "block_node",
            "flow_node",
            "block_sequence_item",
            "block_mapping",
            "flow_mapping",
            "block_sequence",
            "flow_sequence",
            "block_mapping_pair",
            "flow_pair",
            "anchor",
            "tag",
            "block_scalar",
            "comment",
        ]
    }
}

fn outline_yaml_pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(key) = node.child_by_field_name("key") else { return WalkStep::Skip };
    // A key that is itself a map or a list has no name, so it is not a symbol.
    if matches!(content_node_of_key_or_value(key).map(|inner| inner.kind()), Some(kind) if kind.ends_with("mapping") || kind.ends_with("sequence"))
    {
        return WalkStep::Skip;
    }
    let value = node.child_by_field_name("value");
    let shape = match value.and_then(content_node_of_key_or_value).map(|inner| inner.kind()) {
        Some("block_mapping" | "flow_mapping") => ValueShape::Map,
        Some("block_sequence" | "flow_sequence") => ValueShape::List,
        _ => ValueShape::Scalar,
    };
    let name = text::without_quotes(builder.text_of_node(key)).to_owned();
    KeyValuePair { node, name, container: None, separator: ": ", value, shape }.add_key_symbol(builder)
}

/// The content of a YAML key or value: the child of its node that is not an anchor, a tag or a comment.
fn content_node_of_key_or_value(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !matches!(child.kind(), "anchor" | "tag" | "comment"))
}

/// The limit on the indentation, in columns, of YAML that is parsed. The grammar's scanner stores indentation in a
/// buffer of 253 levels and aborts at the next one.
const MAX_COLUMN: usize = 200;

/// The YAML text with blanks in place of content that is indented deeper than the grammar's scanner can store; `None`
/// if there is no such content. Each level occupies at least one column of white space or markers (`- - - `), so the
/// start of each line shows its depth.
fn blank_deeply_indented_content(source: &str) -> Option<String> {
    let begins = |line: &str| line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'?' | b':')).count();
    if !source.lines().any(|line| begins(line) > MAX_COLUMN) {
        return None;
    }
    let mut out = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        if begins(line) > MAX_COLUMN {
            let kept = line.get(..MAX_COLUMN)?;
            out.push_str(kept);
            let end = line.trim_end_matches(['\r', '\n']).len();
            out.extend(std::iter::repeat_n(' ', end - kept.len()));
            out.push_str(line.get(end..)?);
        } else {
            out.push_str(line);
        }
    }
    Some(out)
}
