//! Shared parts of the frontends of key-value documents: JSON, YAML and TOML.
//!
//! Each key is a symbol; its value is a scalar, a map or a list. Keys nest down to [`MAX_LEVELS`]. Deeper keys, and all
//! keys inside a list, are part of their owner's text and no symbols, because the elements of a list have no names. A
//! skeleton shows the two top levels; values below them, and long texts anywhere, are folded.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::Next;
use crate::outline::OutlineBuilder;

/// The deepest level of nested keys that become symbols.
const MAX_LEVELS: usize = 6;

/// The level from which long values are folded; the document itself is level 0.
const FOLD_LEVEL: usize = 2;

/// The most characters of a value in a signature; longer values are cut.
const MAX_VALUE: usize = 80;

/// The shape of a key's value: scalar, map or list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    Map,
    List,
}

/// A key with its value in a JSON, YAML or TOML document.
pub(crate) struct Pair<'t> {
    /// The syntax node that spans the key and its value.
    pub node: Node<'t>,
    /// The text of the key without quotes.
    pub name: String,
    /// The keys before the last one in a dotted key, joined by dots.
    pub container: Option<String>,
    /// The separator that the format writes between a key and its value, such as `: `.
    pub joint: &'static str,
    pub value: Option<Node<'t>>,
    pub shape: Shape,
}

impl<'t> Pair<'t> {
    /// Adds the key as a symbol, unless the key is inside a list or nests too deep.
    pub fn enter(self, builder: &mut OutlineBuilder<'t, '_>) -> Next {
        let Pair { node, name, container, joint, value, shape } = self;
        if builder.is_local() {
            // A key inside a list is no symbol; its value only counts as one more level.
            builder.open_anonymous();
            return if builder.level() > FOLD_LEVEL { Next::Skip } else { Next::Descend };
        }
        if builder.level() >= MAX_LEVELS {
            return Next::Skip;
        }
        // The signature is built from the key and the value below: `define` leaves it empty because the whole node is
        // the body.
        let mut definition = builder.define(SymbolKind::Key, &name, node, Some(node));
        definition.signature = match value {
            Some(value) if shape == Shape::Scalar || is_short_list(value, shape) => {
                let dotted = container.as_ref().map(|owner| format!("{owner}.")).unwrap_or_default();
                format!("{dotted}{name}{joint}{}", shortened(builder.text(value)))
            }
            _ => name,
        };
        definition.container = container;
        if shape == Shape::Scalar {
            builder.leaf(definition);
            if let Some(value) = value {
                builder.fold_long_value(value);
            }
            Next::Skip
        } else {
            builder.open(definition);
            Next::Descend
        }
    }
}

/// Opens a map value: the keys in the map become children of the key before it.
pub(crate) fn map<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let deep = builder.level() >= FOLD_LEVEL;
    if deep {
        builder.fold_long_value(node);
    }
    if deep && builder.is_local() { Next::Skip } else { Next::DescendKeeping }
}

/// Opens a list value: keys inside a list are no symbols.
pub(crate) fn list<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    if builder.level() >= FOLD_LEVEL {
        builder.fold_long_value(node);
        return Next::Skip;
    }
    builder.open_anonymous();
    Next::Descend
}

fn is_short_list(value: Node<'_>, shape: Shape) -> bool {
    shape == Shape::List && value.start_position().row == value.end_position().row
}

/// The first [`MAX_VALUE`] characters of a value, on one line.
fn shortened(value: &str) -> String {
    let mut out = String::new();
    let mut left = MAX_VALUE;
    for (index, word) in value.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
            left = left.saturating_sub(1);
        }
        for c in word.chars() {
            if left == 0 {
                out.push('…');
                return out;
            }
            out.push(c);
            left -= 1;
        }
    }
    out
}

/// The text of a `#` comment, without the `#`.
pub(crate) fn hash_comment(comment: &str) -> &str {
    comment.trim_start_matches(|c: char| c.is_whitespace() || c == '#')
}
