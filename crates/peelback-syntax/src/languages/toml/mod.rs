//! TOML. [`crate::keys`] defines which nodes are symbols; a table is a symbol too, and contains the keys below its
//! header. The table `[a.b]` is `b` in the container `a`.

use tree_sitter::Node;
use tree_sitter_language::LanguageFn;

use crate::facts::SymbolKind;
use crate::frontend::{Attachment, Frontend, Next};
use crate::keys::{self, Pair, Shape};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Language, Tier, if_feature};
use crate::text;

/// The grammar, where the feature `lang-toml` is on.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-toml", tree_sitter_toml_ng::LANGUAGE);

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["toml"],
    file_names: &["Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Gopkg.lock", "Pipfile"],
    ..Language::new("toml", Tier::Document, Analysis::Frontend { grammar: GRAMMAR, frontend: &Toml })
};

struct Toml;

impl Frontend for Toml {
    fn enter<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
        match node.kind() {
            "document" | "ERROR" => Next::Descend,
            "table" | "table_array_element" => enter_table(node, builder),
            "pair" => enter_pair(node, builder),
            "inline_table" => keys::map(node, builder),
            "array" => keys::list(node, builder),
            _ => Next::Skip,
        }
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

fn enter_table<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
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
            "pair" => end = child.end_byte(),
            _ => {}
        }
    }
    let Some(key) = key else { return Next::Descend };
    let (name, container) = key_name_and_container(key, builder);
    let mut definition = builder.define(SymbolKind::Key, &name, node, Some(node));
    let written = text::one_line(builder.text(key));
    definition.signature = if node.kind() == "table" { format!("[{written}]") } else { format!("[[{written}]]") };
    // If the previous header is broken, the node begins at that header.
    let before = builder.source.get(node.start_byte()..key.start_byte()).unwrap_or("");
    definition.start = node.start_byte() + before.trim_end_matches(['[', ' ', '\t']).len();
    definition.outer_start = definition.start;
    definition.container = container;
    // The grammar attaches comments below the last key to this table, but they document the next table.
    definition.end = text::trimmed_end(builder.source, definition.start..end);
    if let Some((start, line)) = comment_above(builder.source, definition.start) {
        definition.outer_start = start;
        definition.docstring = line;
    } else {
        definition.docstring = None;
    }
    builder.open(definition);
    Next::Descend
}

/// Byte offset and first line of the comment directly above the line of byte `start`.
fn comment_above(source: &str, start: usize) -> Option<(usize, Option<String>)> {
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
    first.map(|(at, line)| (at, text::first_line(keys::hash_comment(line))))
}

fn enter_pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let mut cursor = node.walk();
    let mut parts = node.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    let Some(key) = parts.next() else { return Next::Skip };
    let value = parts.next();
    let shape = match value.map(|value| value.kind()) {
        Some("inline_table") => Shape::Map,
        Some("array") => Shape::List,
        _ => Shape::Scalar,
    };
    let (name, container) = key_name_and_container(key, builder);
    Pair { node, name, container, joint: " = ", value, shape }.enter(builder)
}

/// The last part of a key, and the container that the other parts name.
fn key_name_and_container(key: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> (String, Option<String>) {
    if key.kind() != "dotted_key" {
        return (text::unquote(builder.text(key)).to_owned(), None);
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
                    parts.push(text::unquote(builder.text(child)));
                }
                _ => {}
            }
        }
        if let Some(last) = last {
            parts.push(text::unquote(builder.text(last)));
        }
    }
    let name = parts.first().copied().unwrap_or("").to_owned();
    let owner: Vec<&str> = parts.iter().skip(1).rev().copied().collect();
    (name, (!owner.is_empty()).then(|| owner.join(".")))
}
