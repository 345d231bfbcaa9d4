//! Code that the frontends of JSON, YAML and TOML share: the symbols of keys and their values in a document.
//!
//! Each key of a document is a symbol; its value is a scalar, a map or a list. Keys nest down to [`MAX_KEY_LEVELS`].
//! Deeper keys, and all keys inside a list, are part of the text of the key around them and no symbols, because the
//! elements of a list have no names. A skeleton shows the two top levels; values below them, and long texts anywhere,
//! are folded.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;

/// Limit on the nesting of keys: keys on deeper levels do not become symbols.
const MAX_KEY_LEVELS: usize = 6;

/// The nesting level from which a skeleton folds long values; the document itself is level 0.
const FOLD_LEVEL: usize = 2;

/// Limit on the length of a value in its key's signature, in characters; longer values are cut.
const MAX_VALUE_CHARS: usize = 80;

/// The shape of a key's value: scalar, map or list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueShape {
    Scalar,
    Map,
    List,
}

/// A key with its value in a JSON, YAML or TOML document.
pub(crate) struct KeyValuePair<'t> {
    /// The syntax node that spans the key and its value.
    pub node: Node<'t>,
    /// The text of the key without quotes.
    pub name: String,
    /// For a dotted key (`a.b.c`), the keys before the last one, joined by dots (`a.b`).
    pub container: Option<String>,
    /// The text between a key and its value in the key's signature, as in the document's format, such as `: `.
    pub separator: &'static str,
    pub value: Option<Node<'t>>,
    pub shape: ValueShape,
}

impl<'t> KeyValuePair<'t> {
    /// Adds the key as a symbol, unless the key is inside a list or nests too deep.
    pub fn add_key_symbol(self, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        let KeyValuePair { node, name, container, separator: joint, value, shape } = self;
        if builder.is_in_local_scope() {
            // A key inside a list is no symbol; its value only counts as one more level.
            builder.open_local_scope_without_symbol();
            return if builder.open_scope_count() > FOLD_LEVEL { WalkStep::Skip } else { WalkStep::Descend };
        }
        if builder.open_scope_count() >= MAX_KEY_LEVELS {
            return WalkStep::Skip;
        }
        // The signature is built from the key and the value below: `build_definition` leaves it empty because the whole
        // node is the body.
        let mut definition = builder.build_definition(SymbolKind::Key, &name, node, Some(node));
        definition.signature = match value {
            Some(value) if shape == ValueShape::Scalar || is_single_line_list(value, shape) => {
                let container_prefix = container.as_ref().map(|owner| format!("{owner}.")).unwrap_or_default();
                let value = truncated_one_line_value(builder.text_of_node(value));
                text_on_one_line(format!("{container_prefix}{name}{joint}{value}"))
            }
            _ => text_on_one_line(name),
        };
        definition.container = container;
        if shape == ValueShape::Scalar {
            builder.add_leaf_definition(definition);
            if let Some(value) = value {
                builder.fold_value_if_long(value);
            }
            WalkStep::Skip
        } else {
            builder.add_definition_and_open_scope(definition);
            WalkStep::Descend
        }
    }
}

/// Visits a map. Its keys become children of the key whose value the map is.
pub(crate) fn outline_map_value<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let deep = builder.open_scope_count() >= FOLD_LEVEL;
    if deep {
        builder.fold_value_if_long(node);
    }
    if deep && builder.is_in_local_scope() { WalkStep::Skip } else { WalkStep::DescendKeepingAttachments }
}

/// Visits a list. Keys inside a list do not become symbols.
pub(crate) fn visit_list_without_key_symbols<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if builder.open_scope_count() >= FOLD_LEVEL {
        builder.fold_value_if_long(node);
        return WalkStep::Skip;
    }
    builder.open_local_scope_without_symbol();
    WalkStep::Descend
}

fn is_single_line_list(value: Node<'_>, shape: ValueShape) -> bool {
    shape == ValueShape::List && value.start_position().row == value.end_position().row
}

/// A text on one line. A key may have line breaks: in broken JSON, and where YAML has a text block as a key.
fn text_on_one_line(text: String) -> String {
    if text.contains(['\n', '\r']) { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text }
}

/// The first [`MAX_VALUE_CHARS`] characters of a value, on one line.
fn truncated_one_line_value(value: &str) -> String {
    let mut out = String::new();
    let mut chars_left = MAX_VALUE_CHARS;
    for (index, word) in value.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
            chars_left = chars_left.saturating_sub(1);
        }
        for c in word.chars() {
            if chars_left == 0 {
                out.push('…');
                return out;
            }
            out.push(c);
            chars_left -= 1;
        }
    }
    out
}

/// The text of a comment that begins with `#`, without the `#`.
pub(crate) fn hash_sign_comment_text(comment: &str) -> &str {
    comment.trim_start_matches(|c: char| c.is_whitespace() || c == '#')
}
