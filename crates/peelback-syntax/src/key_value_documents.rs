//! Shared parts of the frontends of key-value documents: JSON, YAML and TOML.
//!
//! Each key is a symbol; its value is a scalar, a map or a list. Keys nest down to [`MAX_KEY_LEVELS`]. Deeper keys, and all
//! keys inside a list, are part of their owner's text and no symbols, because the elements of a list have no names. A
//! skeleton shows the two top levels; values below them, and long texts anywhere, are folded.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;

/// The deepest level of nested keys that become symbols.
const MAX_KEY_LEVELS: usize = 6;

/// The level from which long values are folded; the document itself is level 0.
const FOLD_LEVEL: usize = 2;

/// The most characters of a value in a signature; longer values are cut.
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
    /// The keys before the last one in a dotted key, joined by dots.
    pub container: Option<String>,
    /// The separator that the format writes between a key and its value, such as `: `.
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
            builder.open_anonymous_scope();
            return if builder.nesting_level() > FOLD_LEVEL { WalkStep::Skip } else { WalkStep::Descend };
        }
        if builder.nesting_level() >= MAX_KEY_LEVELS {
            return WalkStep::Skip;
        }
        // The signature is built from the key and the value below: `define` leaves it empty because the whole node is
        // the body.
        let mut definition = builder.build_definition(SymbolKind::Key, &name, node, Some(node));
        definition.signature = match value {
            Some(value) if shape == ValueShape::Scalar || is_single_line_list(value, shape) => {
                let container_prefix = container.as_ref().map(|owner| format!("{owner}.")).unwrap_or_default();
                format!("{container_prefix}{name}{joint}{}", truncated_value(builder.text_of_node(value)))
            }
            _ => name,
        };
        definition.container = container;
        if shape == ValueShape::Scalar {
            builder.add_leaf_definition(definition);
            if let Some(value) = value {
                builder.fold_long_value(value);
            }
            WalkStep::Skip
        } else {
            builder.open_definition(definition);
            WalkStep::Descend
        }
    }
}

/// Opens a map value: the keys in the map become children of the key before it.
pub(crate) fn enter_map_value<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let deep = builder.nesting_level() >= FOLD_LEVEL;
    if deep {
        builder.fold_long_value(node);
    }
    if deep && builder.is_in_local_scope() { WalkStep::Skip } else { WalkStep::DescendKeepingAttachments }
}

/// Opens a list value: keys inside a list are no symbols.
pub(crate) fn enter_list_value<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    if builder.nesting_level() >= FOLD_LEVEL {
        builder.fold_long_value(node);
        return WalkStep::Skip;
    }
    builder.open_anonymous_scope();
    WalkStep::Descend
}

fn is_single_line_list(value: Node<'_>, shape: ValueShape) -> bool {
    shape == ValueShape::List && value.start_position().row == value.end_position().row
}

/// The first [`MAX_VALUE`] characters of a value, on one line.
fn truncated_value(value: &str) -> String {
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

/// The text of a `#` comment, without the `#`.
pub(crate) fn hash_comment_text(comment: &str) -> &str {
    comment.trim_start_matches(|c: char| c.is_whitespace() || c == '#')
}
