//! The outline of Rust items: their visibility and their documentation attributes.

use tree_sitter::Node;

use crate::facts::{SymbolKind, Visibility};
use crate::outline::{Definition, OutlineBuilder};
use crate::text;

/// Creates the definition of an item. Its visibility comes from its own modifier or from the enclosing symbol, and its
/// documentation may come from a `#[doc]` attribute.
pub(super) fn build_definition_with_visibility_and_doc<'t>(
    builder: &OutlineBuilder<'t, '_>,
    kind: SymbolKind,
    name: &str,
    node: Node<'t>,
    body: Option<Node<'t>>,
) -> Definition<'t> {
    let mut definition = builder.build_definition(kind, name, node, body);
    definition.visibility = item_visibility(node, builder);
    if definition.docstring.is_none() {
        definition.docstring = definition.decorators.iter().find_map(|attribute| doc_attribute_first_line(attribute));
    }
    definition
}

fn item_visibility(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Visibility {
    if let Some(owner) = builder.enclosing_symbol() {
        let inherits = match owner.kind {
            SymbolKind::Trait | SymbolKind::Enum | SymbolKind::EnumMember => true,
            // The items in `impl Trait for Type` are as visible as the trait that they implement.
            SymbolKind::Impl => owner.visibility == Visibility::Public,
            _ => false,
        };
        if inherits {
            return owner.visibility;
        }
    }
    let modifier = node.named_child(0).filter(|child| child.kind() == "visibility_modifier");
    match modifier.map(|modifier| builder.text_of_node(modifier)) {
        None => Visibility::Private,
        Some("pub") => Visibility::Public,
        Some(restricted) if restricted.replace(char::is_whitespace, "") == "pub(self)" => Visibility::Private,
        Some(_) => Visibility::Internal,
    }
}

/// The first line of the text in a `#[doc = "…"]` attribute.
fn doc_attribute_first_line(attribute: &str) -> Option<String> {
    let value = attribute.strip_prefix("#[")?.trim_start().strip_prefix("doc")?.trim_start().strip_prefix('=')?;
    let value = value.trim().strip_suffix(']')?.trim();
    let literal = value.trim_start_matches('r').trim_matches('#');
    literal.starts_with('"').then(|| text::first_non_blank_line(text::without_quotes(literal))).flatten()
}
