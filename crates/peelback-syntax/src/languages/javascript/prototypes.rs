//! Statements of a file's top level that work with prototypes: variables for a prototype, and functions that become members
//! of one. The outline and the binder read such statements by the rules of this file.

use foldhash::HashMap;
use tree_sitter::Node;

use super::placement::unwrap_parentheses_and_assertions;

/// The limit on the length of an expression for a class, in bytes.
const MAX_CLASS_LENGTH: usize = 120;

/// The limit on the number of classes that get one function as a member.
const MAX_CLASSES: usize = 8;

/// What the statements of a file's top level say about prototypes.
#[derive(Debug, Default)]
pub(super) struct Prototypes {
    /// The class whose prototype a variable holds, by the name of the variable: `Node` for `var proto = Node.prototype`.
    classes_by_alias: HashMap<String, String>,
    /// The classes to whose prototypes a function is assigned, by the name of the function: `Node.prototype.walk = walk`.
    classes_by_function: HashMap<String, Vec<String>>,
}

impl Prototypes {
    /// Those of the file with the text `source`, whose syntax tree has the root `root`.
    pub fn in_file(root: Node<'_>, source: &str) -> Self {
        let mut found = Self::default();
        if memchr::memmem::find(source.as_bytes(), b".prototype").is_none() {
            return found;
        }
        let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or("");
        let mut cursor = root.walk();
        for statement in root.named_children(&mut cursor) {
            match statement.kind() {
                "lexical_declaration" | "variable_declaration" => {
                    let mut declarators = statement.walk();
                    for declarator in statement.named_children(&mut declarators) {
                        let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
                        let value = declarator.child_by_field_name("value").map(unwrap_parentheses_and_assertions);
                        if let (Some(name), Some(value)) = (name, value)
                            && let Some(class) = class_of_prototype(text(value))
                        {
                            found.classes_by_alias.insert(text(name).to_owned(), class.to_owned());
                        }
                    }
                }
                "expression_statement" => {
                    let assignment = statement.named_child(0).filter(|node| node.kind() == "assignment_expression");
                    let Some(assignment) = assignment else { continue };
                    let function = assignment.child_by_field_name("right").filter(|node| node.kind() == "identifier");
                    let object =
                        assignment.child_by_field_name("left").and_then(|left| left.child_by_field_name("object"));
                    if let (Some(function), Some(object)) = (function, object)
                        && let Some(class) = found.class_of_prototype_or_alias(text(object)).map(str::to_owned)
                    {
                        let classes = found.classes_by_function.entry(text(function).to_owned()).or_default();
                        if classes.len() < MAX_CLASSES && !classes.contains(&class) {
                            classes.push(class);
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The class whose prototype the variable `name` holds.
    pub fn class_of_alias(&self, name: &str) -> Option<&str> {
        self.classes_by_alias.get(name).map(String::as_str)
    }

    /// The classes to whose prototypes the function `name` is assigned.
    pub fn classes_of_function(&self, name: &str) -> &[String] {
        self.classes_by_function.get(name).map_or(&[], Vec::as_slice)
    }

    fn class_of_prototype_or_alias<'a>(&'a self, object: &'a str) -> Option<&'a str> {
        class_of_prototype(object).or_else(|| self.class_of_alias(object))
    }
}

/// Whether a function with this path copies the members of its further arguments to its first one: `Object.assign`,
/// `_.extend`.
pub(super) fn does_function_copy_members(path: &str) -> bool {
    matches!(path.rsplit('.').next(), Some("assign" | "assignIn" | "extend" | "mixin"))
}

/// The class `Node` of the expression `Node.prototype`, where it is a simple name.
fn class_of_prototype(text: &str) -> Option<&str> {
    let class = text.strip_suffix(".prototype").filter(|class| class.len() <= MAX_CLASS_LENGTH)?;
    class
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        .then_some(class)
        .filter(|class| !class.is_empty())
}
