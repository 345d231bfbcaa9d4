//! Declarators of C: the name that a declaration declares, inside any number of pointers, arrays, parentheses and
//! parameter lists.

use tree_sitter::Node;

/// A parsed C declarator: the declared name, and what the declarator says about its type.
pub(super) struct Declarator<'t> {
    /// The syntax node of the declared name.
    pub name: Node<'t>,
    /// Whether the declarator declares a function. A pointer to a function is a variable.
    pub is_function: bool,
    /// Whether the pointer nearest to the declared name is `const`; `None` if the declarator has no pointer.
    pub const_pointer: Option<bool>,
    /// Attributes inside the declarator: `int f(void) __attribute__((pure))`.
    pub attributes: Vec<Node<'t>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclaratorKind {
    Plain,
    Pointer,
    Array,
    Function,
}

/// Parses a C declarator from the outside in. The part nearest to the name (pointer, array or parameter list)
/// determines whether the name is a function. `None` if the declarator has no name.
pub(super) fn parse_declarator<'t>(declarator: Node<'t>, source: &str) -> Option<Declarator<'t>> {
    let mut node = declarator;
    let mut nearest = DeclaratorKind::Plain;
    let mut const_pointer = None;
    let mut attributes = Vec::new();
    loop {
        let mut cursor = node.walk();
        match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" => {
                // The parser inserts an empty name if the name is missing.
                if node.is_missing() {
                    return None;
                }
                let is_function = nearest == DeclaratorKind::Function;
                return Some(Declarator { name: node, is_function, const_pointer, attributes });
            }
            "pointer_declarator" => {
                nearest = DeclaratorKind::Pointer;
                let is_const = node
                    .named_children(&mut cursor)
                    .any(|child| child.kind() == "type_qualifier" && source.get(child.byte_range()) == Some("const"));
                const_pointer = Some(is_const);
            }
            "array_declarator" => nearest = DeclaratorKind::Array,
            "function_declarator" => {
                nearest = DeclaratorKind::Function;
                attributes.extend(node.named_children(&mut cursor).filter(is_attribute_node));
            }
            "attributed_declarator" => attributes.extend(node.named_children(&mut cursor).filter(is_attribute_node)),
            "init_declarator" | "parenthesized_declarator" => {}
            _ => return None,
        }
        let mut cursor = node.walk();
        let inner = node.child_by_field_name("declarator").or_else(|| {
            node.named_children(&mut cursor)
                .find(|child| child.kind().ends_with("declarator") || is_declared_name_node(child))
        });
        node = inner?;
    }
}

fn is_declared_name_node(node: &Node<'_>) -> bool {
    matches!(node.kind(), "identifier" | "field_identifier" | "type_identifier" | "primitive_type")
}

/// Whether a syntax node is an attribute: `__attribute__`, `[[…]]` or `__declspec`.
pub(super) fn is_attribute_node(node: &Node<'_>) -> bool {
    matches!(node.kind(), "attribute_specifier" | "attribute_declaration" | "ms_declspec_modifier")
}
