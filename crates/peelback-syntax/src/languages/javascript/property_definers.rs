//! Calls that define a property of an object: `Object.defineProperty(a, "b", { … })`, and calls of the file's own functions
//! that pass their parameters on to it. The outline and the binder read such calls by the rules of this file.

use foldhash::HashMap;
use tree_sitter::Node;

use super::placement::{identifiers_bound_by_pattern, is_function_value, unwrap_parentheses_and_assertions};
use crate::text;

/// The limit on the number of statements of a function, arguments of a call, members of a descriptor and steps of a path
/// that are read.
const MAX_PARTS: usize = 64;

/// The name of the function of the standard library that defines a property.
pub(super) const DEFINE_PROPERTY_PATH: &str = "Object.defineProperty";

/// The arguments of `Object.defineProperty`.
pub(super) const DEFINE_PROPERTY: PropertyDefiner =
    PropertyDefiner { object: 0, name: 1, getter: None, value: None, descriptor: Some(2) };

/// The positions of the arguments, from 0, that say which property a call defines, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PropertyDefiner {
    /// The object that gets the property.
    object: usize,
    /// The property's name.
    name: usize,
    /// The function that is the property's getter.
    getter: Option<usize>,
    /// The property's value.
    value: Option<usize>,
    /// The object that describes the property by members such as `get` and `value`.
    descriptor: Option<usize>,
}

/// What an argument of a call says about the property that the call defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentPart {
    /// The object that gets the property.
    Object,
    /// The property's name.
    Name,
    /// The function that is the property's getter.
    Getter,
    /// The property's value.
    Value,
    /// The object that describes the property.
    Descriptor,
    /// Nothing that is known.
    Other,
}

/// What a member of a property's descriptor says about the property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DescriptorPart {
    Getter,
    Setter,
    Value,
}

impl DescriptorPart {
    /// The part that a descriptor's member of this name says; `None` for members such as `enumerable`.
    pub fn from_key(key: &str) -> Option<Self> {
        match key {
            "get" => Some(Self::Getter),
            "set" => Some(Self::Setter),
            "value" => Some(Self::Value),
            _ => None,
        }
    }
}

impl PropertyDefiner {
    /// What the argument at position `index` says about the property.
    pub fn part_of_argument(self, index: usize) -> ArgumentPart {
        if index == self.object {
            ArgumentPart::Object
        } else if index == self.name {
            ArgumentPart::Name
        } else if Some(index) == self.getter {
            ArgumentPart::Getter
        } else if Some(index) == self.value {
            ArgumentPart::Value
        } else if Some(index) == self.descriptor {
            ArgumentPart::Descriptor
        } else {
            ArgumentPart::Other
        }
    }
}

/// The functions whose calls define properties in a file.
#[derive(Debug, Default)]
pub(super) struct PropertyDefiners {
    /// The functions of the file's top level that define a property of one of their arguments, by their names.
    own: HashMap<String, PropertyDefiner>,
    /// Whether the file's top level binds a name `Object` of its own, which is not that of the standard library.
    has_own_object: bool,
}

impl PropertyDefiners {
    /// Those of the file with the text `source`, whose syntax tree has the root `root`.
    pub fn in_file(root: Node<'_>, source: &str) -> Self {
        let mut definers = Self::default();
        if !contains_define_property(source) {
            return definers;
        }
        let mut cursor = root.walk();
        for statement in root.named_children(&mut cursor) {
            for (name, function) in names_declared_by_statement(statement) {
                let name = text_of(name, source);
                definers.has_own_object |= name == "Object";
                // Of several declarations of one name, the last counts.
                match function.and_then(|function| definer_of_function(function, source)) {
                    Some(definer) => {
                        definers.own.insert(name.to_owned(), definer);
                    }
                    None => {
                        definers.own.remove(name);
                    }
                }
            }
        }
        definers
    }

    /// How a call of `callee`, a name or `Object.defineProperty`, defines a property; `None` if it defines none.
    pub fn definer_called_by(&self, callee: &str) -> Option<PropertyDefiner> {
        if callee == DEFINE_PROPERTY_PATH {
            return (!self.has_own_object).then_some(DEFINE_PROPERTY);
        }
        self.own.get(callee).copied()
    }
}

fn contains_define_property(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), DEFINE_PROPERTY_PATH.as_bytes()).is_some()
}

fn text_of<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or("")
}

/// The names that a statement binds in the scope around it, each with the function that it is, if it is one.
fn names_declared_by_statement(statement: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    let declaration = match statement.kind() {
        "export_statement" => statement.child_by_field_name("declaration"),
        _ => Some(statement),
    };
    let Some(declaration) = declaration else { return Vec::new() };
    let name = declaration.child_by_field_name("name");
    match declaration.kind() {
        "function_declaration" | "generator_function_declaration" => {
            name.into_iter().map(|name| (name, Some(declaration))).collect()
        }
        "class_declaration" => name.into_iter().map(|name| (name, None)).collect(),
        "lexical_declaration" | "variable_declaration" => {
            let mut found = Vec::new();
            let mut cursor = declaration.walk();
            for declarator in declaration.named_children(&mut cursor) {
                let Some(pattern) = declarator.child_by_field_name("name") else { continue };
                let value = declarator.child_by_field_name("value").map(unwrap_parentheses_and_assertions);
                let function = value.filter(|value| pattern.kind() == "identifier" && is_function_value(*value));
                found.extend(identifiers_bound_by_pattern(pattern).into_iter().map(|name| (name, function)));
            }
            found
        }
        "import_statement" => local_names_of_import(declaration).into_iter().map(|name| (name, None)).collect(),
        _ => Vec::new(),
    }
}

fn local_names_of_import(statement: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut stack = vec![statement];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "identifier" => found.push(node),
            "import_specifier" => {
                found.extend(node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name")));
            }
            "import_statement" | "import_clause" | "named_imports" | "namespace_import" | "import_require_clause" => {
                let mut cursor = node.walk();
                stack.extend(node.named_children(&mut cursor));
            }
            _ => {}
        }
    }
    found
}

/// The roles of a function's parameters, if its body calls `Object.defineProperty` with them.
fn definer_of_function(function: Node<'_>, source: &str) -> Option<PropertyDefiner> {
    if !contains_define_property(text_of(function, source)) {
        return None;
    }
    let parameters = function.child_by_field_name("parameters")?;
    let mut cursor = parameters.walk();
    let parameters: Vec<&str> = parameters
        .named_children(&mut cursor)
        .filter(|child| child.kind() != "comment")
        .map(|parameter| text_of(parameter.child_by_field_name("pattern").unwrap_or(parameter), source))
        // No argument is passed for a parameter called `this`.
        .filter(|parameter| *parameter != "this")
        .take(MAX_PARTS)
        .collect();
    let body = function.child_by_field_name("body")?;
    if body.kind() != "statement_block" {
        return definer_by_call(unwrap_parentheses_and_assertions(body), &parameters, source);
    }
    let mut cursor = body.walk();
    body.named_children(&mut cursor)
        .take(MAX_PARTS)
        .find_map(|statement| definer_by_call(statement.named_child(0)?, &parameters, source))
}

/// The roles of `parameters`, the names of a function's parameters, if the expression `call` calls `Object.defineProperty`
/// with them.
fn definer_by_call(call: Node<'_>, parameters: &[&str], source: &str) -> Option<PropertyDefiner> {
    if call.kind() != "call_expression"
        || text_of(call.child_by_field_name("function")?, source) != DEFINE_PROPERTY_PATH
    {
        return None;
    }
    let position = |node: Node<'_>| {
        let is_name = matches!(node.kind(), "identifier" | "shorthand_property_identifier");
        let name = is_name.then(|| text_of(node, source))?;
        parameters.iter().position(|parameter| *parameter == name)
    };
    let arguments = argument_nodes(call);
    let [object, name, descriptor] = arguments.as_slice() else { return None };
    let (object, name) = (position(*object)?, position(*name)?);
    let member = |part| descriptor_member(*descriptor, part, source).and_then(position);
    let (getter, value) = (member(DescriptorPart::Getter), member(DescriptorPart::Value));
    let descriptor = position(*descriptor);
    let is_known = descriptor.is_some() || getter.is_some() || value.is_some();
    is_known.then_some(PropertyDefiner { object, name, getter, value, descriptor })
}

/// The arguments of a call, without comments; the first few of them, up to one that is spread.
pub(super) fn argument_nodes<'t>(call: Node<'t>) -> Vec<Node<'t>> {
    let Some(arguments) = call.child_by_field_name("arguments").filter(|node| node.kind() == "arguments") else {
        return Vec::new();
    };
    let mut cursor = arguments.walk();
    let written = arguments.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    written.take_while(|child| child.kind() != "spread_element").take(MAX_PARTS).collect()
}

/// The value of the member of the object literal `descriptor` that says `part`, or the method that does.
fn descriptor_member<'t>(descriptor: Node<'t>, part: DescriptorPart, source: &str) -> Option<Node<'t>> {
    if descriptor.kind() != "object" {
        return None;
    }
    let mut cursor = descriptor.walk();
    descriptor.named_children(&mut cursor).take(MAX_PARTS).find_map(|member| {
        let (name, value) = match member.kind() {
            "pair" => (member.child_by_field_name("key")?, member.child_by_field_name("value")?),
            "method_definition" => (member.child_by_field_name("name")?, member),
            "shorthand_property_identifier" => (member, member),
            _ => return None,
        };
        (DescriptorPart::from_key(text::without_quotes(text_of(name, source))) == Some(part)).then_some(value)
    })
}

/// The function that a call makes the getter, the value or the setter of a property, and what it is of the property. The
/// setter counts only where there is no other. `None` if the call defines the property in another way.
pub(super) fn function_of_defined_property<'t>(
    arguments: &[Node<'t>],
    definer: PropertyDefiner,
    source: &str,
) -> Option<(DescriptorPart, Node<'t>)> {
    let argument = |index: Option<usize>| arguments.get(index?).copied();
    let described = |part| descriptor_member(argument(definer.descriptor)?, part, source);
    let parts = [
        (DescriptorPart::Getter, argument(definer.getter)),
        (DescriptorPart::Value, argument(definer.value)),
        (DescriptorPart::Getter, described(DescriptorPart::Getter)),
        (DescriptorPart::Value, described(DescriptorPart::Value)),
        (DescriptorPart::Setter, described(DescriptorPart::Setter)),
    ];
    parts.into_iter().find_map(|(part, node)| {
        let node = unwrap_parentheses_and_assertions(node?);
        (is_function_value(node) || node.kind() == "method_definition").then_some((part, node))
    })
}

/// The arguments of a call that are the object and the name of the property that it defines.
pub(super) fn object_and_name_of_defined_property<'t>(
    arguments: &[Node<'t>],
    definer: PropertyDefiner,
) -> Option<(Node<'t>, Node<'t>)> {
    Some((arguments.get(definer.object).copied()?, arguments.get(definer.name).copied()?))
}

/// Whether a function does nothing but return a path of names or a module: `() => a.b`,
/// `function () { return require("./a"); }`. Compilers write such getters for re-exports.
pub(super) fn does_function_only_return_path(function: Node<'_>, source: &str) -> bool {
    let is_plain =
        function.kind() != "generator_function" && function.child(0).is_none_or(|first| first.kind() != "async");
    let Some(body) = function.child_by_field_name("body").filter(|_| is_plain) else { return false };
    if body.kind() != "statement_block" {
        return is_path_or_module(body, source);
    }
    let mut cursor = body.walk();
    let mut statements = body.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    match (statements.next(), statements.next()) {
        (Some(only), None) if only.kind() == "return_statement" => {
            only.named_child(0).is_some_and(|value| is_path_or_module(value, source))
        }
        _ => false,
    }
}

/// Whether an expression is a path of names, such as `a.b`, or `require(…)`, or a path that begins with that.
fn is_path_or_module(value: Node<'_>, source: &str) -> bool {
    let mut next = Some(value);
    for _ in 0..MAX_PARTS {
        let Some(at) = next.map(unwrap_parentheses_and_assertions) else { return false };
        match at.kind() {
            "identifier" => return true,
            "member_expression" => next = at.child_by_field_name("object"),
            "call_expression" => {
                return at.child_by_field_name("function").is_some_and(|callee| text_of(callee, source) == "require");
            }
            _ => return false,
        }
    }
    false
}
