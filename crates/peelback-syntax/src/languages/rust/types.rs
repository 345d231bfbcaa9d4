//! Type names in the headers of Rust impl blocks.

use tree_sitter::Node;

use crate::outline::OutlineBuilder;
use crate::text;

/// The limit on the number of wrappers (`&'a mut`, generics, `dyn`) that are removed from a type. After that, the text
/// of the type is used as written.
const MAX_WRAPPERS: usize = 8;

/// The name of an impl block (`impl Write for Stream`), and the name that qualifies the items in it (`Stream`).
pub(super) fn impl_block_name_and_item_qualifier(
    node: Node<'_>,
    target: Node<'_>,
    builder: &OutlineBuilder<'_, '_>,
) -> (String, String) {
    let scope = simple_type_name(target, builder);
    let object = target.kind() == "dynamic_type"
        || target.kind() == "bounded_type" && target.named_child(0).is_some_and(|first| first.kind() == "dynamic_type");
    let shown = if object { format!("dyn {scope}") } else { scope.clone() };
    let header = match node.child_by_field_name("trait") {
        Some(of) => {
            let mut cursor = node.walk();
            let negative = node.children(&mut cursor).take_while(|child| *child != of).any(|child| child.kind() == "!");
            format!("impl {}{} for {shown}", if negative { "!" } else { "" }, simple_type_name(of, builder))
        }
        None => format!("impl {shown}"),
    };
    (header, scope)
}

/// A type's name without references, paths and generic arguments: `Error` for `&'a std::io::Error`, `Box` for `Box<dyn
/// Read>`. A type without a name (`[u8]`, `(A, B)`) stays as written.
fn simple_type_name(mut node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> String {
    for _ in 0..MAX_WRAPPERS {
        let inner = match node.kind() {
            "generic_type" | "reference_type" | "pointer_type" => node.child_by_field_name("type"),
            "scoped_type_identifier" | "scoped_identifier" => node.child_by_field_name("name"),
            "dynamic_type" => node.child_by_field_name("trait"),
            "bounded_type" => node.named_child(0),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    text::to_one_line(builder.text_of_node(node))
}
