//! The TOML language. [`crate::key_value_documents`] defines which nodes are symbols; a table is a symbol too, and
//! contains the keys below its header. The table `[a.b]` is the symbol `b` in the container `a`.

use tree_sitter::Node;
use tree_sitter_language::LanguageFn;

use crate::facts::SymbolKind;
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::key_value_documents::{self, KeyValuePair, ValueShape};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::text;

/// The grammar of TOML; `None` where the cargo feature `lang-toml` is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-toml", tree_sitter_toml_ng::LANGUAGE);

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["toml"],
    file_names: &["Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Gopkg.lock", "Pipfile"],
    ..Language::new("toml", Tier::Document, Analysis::Frontend { grammar: GRAMMAR, frontend: &Toml })
};

struct Toml;

impl LanguageFrontend for Toml {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "document" | "ERROR" => WalkStep::Descend,
            "table" | "table_array_element" => outline_toml_table(node, builder),
            "pair" => outline_toml_pair(node, builder),
            "inline_table" => key_value_documents::outline_map_value(node, builder),
            "array" => key_value_documents::visit_list_without_key_symbols(node, builder),
            _ => WalkStep::Skip,
        }
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
            "document",
            "table",
            "table_array_element",
            "pair",
            "inline_table",
            "array",
            "comment",
            "bare_key",
            "quoted_key",
            "dotted_key",
        ]
    }
}

fn outline_toml_table<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let mut cursor = node.walk();
    let mut key = None;
    let mut end = node.start_byte();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "bare_key" | "quoted_key" | "dotted_key" => {
                key = Some(child);
                let rest = builder.source.get(child.end_byte()..node.end_byte()).unwrap_or("");
                let brackets = rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b']')).count();
                end = child.end_byte() + brackets;
            }
            "comment" => {}
            // A pair, or a broken part, in which there may be pairs.
            _ => end = child.end_byte(),
        }
    }
    let Some(key) = key else { return WalkStep::Descend };
    let (name, container) = last_key_part_and_container(key, builder);
    let mut definition = builder.build_definition(SymbolKind::Key, &name, node, Some(node));
    let written = text::to_one_line(builder.text_of_node(key));
    definition.signature = if node.kind() == "table" { format!("[{written}]") } else { format!("[[{written}]]") };
    // If the header of the table before this one is broken, the node of this table begins at that header.
    let before = builder.source.get(node.start_byte()..key.start_byte()).unwrap_or("");
    definition.start = node.start_byte() + before.trim_end_matches(['[', ' ', '\t']).len();
    definition.outer_start = definition.start;
    definition.container = container;
    // The grammar attaches comments below a table's last key to that table, but they document the next table.
    definition.end = text::trimmed_end_offset(builder.source, definition.start..end);
    if let Some((start, line)) = start_and_first_line_of_comment_above(builder.source, definition.start) {
        definition.outer_start = start;
        definition.docstring = line;
    } else {
        definition.docstring = None;
    }
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// Byte offset and first text line of the comment directly above the line that contains byte offset `start`.
fn start_and_first_line_of_comment_above(source: &str, start: usize) -> Option<(usize, Option<String>)> {
    let mut first = None;
    let mut rest = source.get(..start)?;
    while let Some(above) = rest.strip_suffix('\n') {
        let line_start = above.rfind('\n').map_or(0, |newline| newline + 1);
        let line = above.get(line_start..).unwrap_or("");
        if !line.trim_start().starts_with('#') {
            break;
        }
        first = Some((line_start + (line.len() - line.trim_start().len()), line));
        rest = source.get(..line_start)?;
    }
    first.map(|(at, line)| (at, text::first_non_blank_line(key_value_documents::hash_sign_comment_text(line))))
}

fn outline_toml_pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let mut cursor = node.walk();
    let mut parts = node.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    let Some(key) = parts.next() else { return WalkStep::Skip };
    let value = parts.next();
    let shape = match value.map(|value| value.kind()) {
        Some("inline_table") => ValueShape::Map,
        Some("array") => ValueShape::List,
        _ => ValueShape::Scalar,
    };
    let (name, container) = last_key_part_and_container(key, builder);
    KeyValuePair { node, name, container, separator: " = ", value, shape }.add_key_symbol(builder)
}

/// The last part of a dotted TOML key, and the container that the parts before it name: `c` and `a.b` for `a.b.c`.
fn last_key_part_and_container(key: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> (String, Option<String>) {
    if key.kind() != "dotted_key" {
        return (text::without_quotes(builder.text_of_node(key)).to_owned(), None);
    }
    let mut parts = Vec::new();
    let mut at = Some(key);
    // The grammar nests `a.b.c` to the left: each iteration removes the last part.
    while let Some(dotted) = at {
        let mut cursor = dotted.walk();
        at = None;
        let mut last = None;
        for child in dotted.named_children(&mut cursor) {
            match child.kind() {
                "dotted_key" => at = Some(child),
                "bare_key" | "quoted_key" if last.is_none() || at.is_some() => last = Some(child),
                "bare_key" | "quoted_key" => {
                    parts.push(text::without_quotes(builder.text_of_node(child)));
                }
                _ => {}
            }
        }
        if let Some(last) = last {
            parts.push(text::without_quotes(builder.text_of_node(last)));
        }
    }
    let name = parts.first().copied().unwrap_or("").to_owned();
    let owner: Vec<&str> = parts.iter().skip(1).rev().copied().collect();
    (name, (!owner.is_empty()).then(|| owner.join(".")))
}
