//! Statements of a file's top level that work with prototypes: variables for a prototype, and functions that become members
//! of one. The outline and the binder read such statements by the rules of this file.

use foldhash::{HashMap, HashSet};
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
    /// The names that the file's top level binds to something that the project defines.
    names_of_project: HashSet<String>,
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
            let statement = statement.child_by_field_name("declaration").unwrap_or(statement);
            match statement.kind() {
                "function_declaration" | "generator_function_declaration" | "class_declaration" => {
                    let name = statement.child_by_field_name("name").map(text);
                    found.names_of_project.extend(name.map(str::to_owned));
                }
                "import_statement" => {
                    let module = statement.child_by_field_name("source").map_or("", text);
                    if !is_module_outside_project(module) {
                        found.add_names_of_project(statement, source);
                    }
                }
                "lexical_declaration" | "variable_declaration" => {
                    let mut declarators = statement.walk();
                    for declarator in statement.named_children(&mut declarators) {
                        let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
                        let value = declarator.child_by_field_name("value").map(unwrap_parentheses_and_assertions);
                        if let Some(pattern) = declarator.child_by_field_name("name")
                            && !value.is_some_and(|value| found.is_value_from_outside_project(value, source))
                        {
                            found.add_names_of_project(pattern, source);
                        }
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

    /// Whether the function that is called as `callee` copies the members of its further arguments to its first one:
    /// `Object.assign`, or `_.extend` of a library. A function of the project with such a name can do anything.
    pub fn does_function_copy_members(&self, callee: Node<'_>, source: &str) -> bool {
        let path = source.get(callee.byte_range()).unwrap_or("");
        matches!(callee.kind(), "identifier" | "member_expression")
            && matches!(path.rsplit('.').next(), Some("assign" | "assignIn" | "extend" | "mixin"))
            && root_of_path(path).is_some_and(|root| !self.names_of_project.contains(root))
    }

    /// Whether a value is a module from outside the project, or a member of one or of a global object.
    fn is_value_from_outside_project(&self, value: Node<'_>, source: &str) -> bool {
        let text = source.get(value.byte_range()).unwrap_or("");
        match text.strip_prefix("require(") {
            Some(module) => is_module_outside_project(module),
            None => {
                value.kind() == "member_expression"
                    && root_of_path(text).is_some_and(|root| !self.names_of_project.contains(root))
            }
        }
    }

    /// Adds the names that an import or a pattern binds.
    fn add_names_of_project(&mut self, node: Node<'_>, source: &str) {
        if matches!(node.kind(), "identifier" | "shorthand_property_identifier_pattern") {
            self.names_of_project.extend(source.get(node.byte_range()).map(str::to_owned));
        }
        let mut cursor = node.walk();
        let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for part in parts {
            let is_part = matches!(
                part.kind(),
                "identifier"
                    | "shorthand_property_identifier_pattern"
                    | "import_clause"
                    | "named_imports"
                    | "import_specifier"
                    | "namespace_import"
                    | "pair_pattern"
            );
            if is_part {
                self.add_names_of_project(part, source);
            }
        }
    }

    fn class_of_prototype_or_alias<'a>(&'a self, object: &'a str) -> Option<&'a str> {
        class_of_prototype(object).or_else(|| self.class_of_alias(object))
    }
}

/// Whether the text of a string, from its opening quote on, names a module outside the project: a package.
fn is_module_outside_project(text: &str) -> bool {
    let module = text.strip_prefix(['"', '\'', '`']);
    module.is_some_and(|module| !module.starts_with(['.', '/', '#', '~']) && !module.starts_with("@/"))
}

/// The first name of a path `a.b.c` of names; `None` for any other expression, and for a path that begins with `this`.
fn root_of_path(path: &str) -> Option<&str> {
    let is_path = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
    path.split('.').next().filter(|root| is_path && !matches!(*root, "" | "this" | "super"))
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
