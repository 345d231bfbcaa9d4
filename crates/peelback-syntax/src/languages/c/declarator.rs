//! Declarators: what a declaration names, through any depth of pointers, arrays, parentheses and parameters.

use tree_sitter::Node;

/// What one declarator names.
pub(super) struct Declarator<'t> {
    /// The identifier.
    pub name: Node<'t>,
    /// Whether it names a function, not a value (a pointer to a function is a value).
    pub is_function: bool,
    /// Whether the pointer nearest to the name is `const`; `None` where there is no pointer.
    pub const_pointer: Option<bool>,
    /// Attributes inside it: `int f(void) __attribute__((pure))`.
    pub attributes: Vec<Node<'t>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    Pointer,
    Array,
    Function,
}

/// Reads a declarator from outside in: the part nearest to the name tells what the name is.
pub(super) fn read<'t>(declarator: Node<'t>, source: &str) -> Option<Declarator<'t>> {
    let mut at = declarator;
    let mut nearest = Shape::Plain;
    let mut const_pointer = None;
    let mut attributes = Vec::new();
    loop {
        let mut cursor = at.walk();
        match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" => {
                // The parser puts an empty name where it misses one.
                if at.is_missing() {
                    return None;
                }
                let is_function = nearest == Shape::Function;
                return Some(Declarator { name: at, is_function, const_pointer, attributes });
            }
            "pointer_declarator" => {
                nearest = Shape::Pointer;
                let is_const = at
                    .named_children(&mut cursor)
                    .any(|child| child.kind() == "type_qualifier" && source.get(child.byte_range()) == Some("const"));
                const_pointer = Some(is_const);
            }
            "array_declarator" => nearest = Shape::Array,
            "function_declarator" => {
                nearest = Shape::Function;
                attributes.extend(at.named_children(&mut cursor).filter(is_attribute));
            }
            "attributed_declarator" => attributes.extend(at.named_children(&mut cursor).filter(is_attribute)),
            "init_declarator" | "parenthesized_declarator" => {}
            _ => return None,
        }
        let mut cursor = at.walk();
        let inner = at.child_by_field_name("declarator").or_else(|| {
            at.named_children(&mut cursor).find(|child| child.kind().ends_with("declarator") || is_name(child))
        });
        at = inner?;
    }
}

fn is_name(node: &Node<'_>) -> bool {
    matches!(node.kind(), "identifier" | "field_identifier" | "type_identifier" | "primitive_type")
}

/// Whether a node is an attribute in any of its spellings.
pub(super) fn is_attribute(node: &Node<'_>) -> bool {
    matches!(node.kind(), "attribute_specifier" | "attribute_declaration" | "ms_declspec_modifier")
}
