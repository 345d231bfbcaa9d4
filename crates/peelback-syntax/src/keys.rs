//! Documents of keys and values (JSON, YAML, TOML): code that their frontends share.
//!
//! A key is a symbol; its value is a scalar, a map or a list. Keys nest down to [`MAX_LEVELS`]; what lies deeper, and
//! every key inside a list, is part of its owner's text and no symbol: elements of a list have no names to ask for.
//! A skeleton shows the two top levels; values below them, and long texts anywhere, are folded.

use tree_sitter::Node;

use crate::facts::SymbolKind;
use crate::frontend::Next;
use crate::outline::OutlineBuilder;

/// Keys nested deeper than this are not symbols.
const MAX_LEVELS: usize = 6;

/// Long values are folded from this level on; the document itself is level 0.
const FOLD_LEVEL: usize = 2;

/// A value is cut after this many characters in a signature.
const MAX_VALUE: usize = 80;

/// The shape of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    Map,
    List,
}

/// A key with its value.
pub(crate) struct Pair<'t> {
    /// The key and its value together.
    pub node: Node<'t>,
    /// The key without quotes.
    pub name: String,
    /// The keys before the last one in a dotted key, joined by dots.
    pub container: Option<String>,
    /// What the format writes between a key and its value.
    pub joint: &'static str,
    pub value: Option<Node<'t>>,
    pub shape: Shape,
}

impl<'t> Pair<'t> {
    /// Adds the pair as a symbol, unless it is inside a list or nests too deep.
    pub fn enter(self, builder: &mut OutlineBuilder<'t, '_>) -> Next {
        let Pair { node, name, container, joint, value, shape } = self;
        if builder.is_local() {
            // Inside a list: its value counts as one level more, that is all.
            builder.open_anonymous();
            return if builder.level() > FOLD_LEVEL { Next::Skip } else { Next::Descend };
        }
        if builder.level() >= MAX_LEVELS {
            return Next::Skip;
        }
        // The signature comes from the key and the value: with the whole node as body, `define` leaves it empty.
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

/// Opens a map: its keys belong to the key before it.
pub(crate) fn map<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let deep = builder.level() >= FOLD_LEVEL;
    if deep {
        builder.fold_long_value(node);
    }
    if deep && builder.is_local() { Next::Skip } else { Next::DescendKeeping }
}

/// Opens a list: keys inside are no symbols.
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

/// The first characters of a value, on one line.
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

/// The text of a `#` comment, without the mark.
pub(crate) fn hash_comment(comment: &str) -> &str {
    comment.trim_start_matches(|c: char| c.is_whitespace() || c == '#')
}
