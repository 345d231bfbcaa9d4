//! YAML. What is a symbol is said in [`crate::keys`]; the documents of a stream stand side by side.

use tree_sitter::Node;
use tree_sitter_language::LanguageFn;

use crate::frontend::{Attachment, Frontend, Next};
use crate::keys::{self, Pair, Shape};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::text;

/// The grammar, where the feature `lang-yaml` is on.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-yaml", tree_sitter_yaml::LANGUAGE);

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["yml"],
    extensions: &["yaml", "yml", "cff"],
    file_names: &[".clang-format", ".clang-tidy", ".clangd", ".yamllint", "pubspec.lock", "Podfile.lock"],
    ..Language::new("yaml", Tier::Document, Analysis::Frontend { grammar: GRAMMAR, frontend: &Yaml })
};

struct Yaml;

impl Frontend for Yaml {
    fn enter<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
        match node.kind() {
            "stream" | "document" | "ERROR" | "block_node" | "flow_node" => Next::DescendKeeping,
            "block_sequence_item" => Next::Descend,
            "block_mapping" | "flow_mapping" => keys::map(node, builder),
            "block_sequence" | "flow_sequence" => keys::list(node, builder),
            "block_mapping_pair" | "flow_pair" => pair(node, builder),
            // Anchors and tags stand before a value and part nothing from it.
            "anchor" | "tag" => Next::Skip,
            "block_scalar" => {
                builder.fold_long_value(node);
                Next::Skip
            }
            _ => Next::Skip,
        }
    }

    fn prepare(&self, source: &str) -> Option<String> {
        without_deep_lines(source)
    }

    fn attachment(&self, kind: &str) -> Option<Attachment> {
        (kind == "comment").then_some(Attachment::Comment)
    }

    fn doc<'a>(&self, comment: &'a str) -> Option<&'a str> {
        Some(keys::hash_comment(comment))
    }

    #[cfg(test)]
    fn node_kinds(&self) -> Vec<&'static str> {
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

fn pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let Some(key) = node.child_by_field_name("key") else { return Next::Skip };
    // A key may be a map or a list; such a key has no name.
    if matches!(content(key).map(|inner| inner.kind()), Some(kind) if kind.ends_with("mapping") || kind.ends_with("sequence"))
    {
        return Next::Skip;
    }
    let value = node.child_by_field_name("value");
    let shape = match value.and_then(content).map(|inner| inner.kind()) {
        Some("block_mapping" | "flow_mapping") => Shape::Map,
        Some("block_sequence" | "flow_sequence") => Shape::List,
        _ => Shape::Scalar,
    };
    let name = text::unquote(builder.text(key)).to_owned();
    Pair { node, name, container: None, joint: ": ", value, shape }.enter(builder)
}

/// What stands in a node behind its anchor and tag.
fn content(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !matches!(child.kind(), "anchor" | "tag" | "comment"))
}

/// The grammar's scanner keeps its indentation in a buffer that 253 levels fill, and aborts over one more.
const MAX_COLUMN: usize = 200;

/// The text with blanks in place of what stands deeper than the scanner can count. Each level takes a column, be it by
/// white space or by a mark (`- - - `), so that it is enough to look at how lines begin.
fn without_deep_lines(source: &str) -> Option<String> {
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
