//! Calls that define a property of an object: `Object.defineProperty(a, "b", { … })`, and calls of the file's own functions
//! that pass their parameters on to it.

use std::collections::HashMap;

use tree_sitter::Node;

use super::placement::is_function_value;
use crate::text;

/// The limit on the number of statements in a function's body, and of functions of a file, that are searched for such a
/// call.
const MAX_STATEMENTS: usize = 64;

/// The positions of the arguments, from 0, that say which property a call defines, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PropertyDefiner {
    /// The object that gets the property.
    pub object: usize,
    /// The property's name.
    pub name: usize,
    /// The function that is the property's getter.
    pub getter: Option<usize>,
    /// The property's value.
    pub value: Option<usize>,
    /// The object that describes the property by members such as `get` and `value`.
    pub descriptor: Option<usize>,
}

/// The arguments of `Object.defineProperty`.
pub(super) const DEFINE_PROPERTY: PropertyDefiner =
    PropertyDefiner { object: 0, name: 1, getter: None, value: None, descriptor: Some(2) };

/// The name of the function of the standard library that defines a property.
pub(super) const DEFINE_PROPERTY_PATH: &str = "Object.defineProperty";

/// The functions at the top level of a file that define a property of one of their arguments, by their names. `root` is
/// the root of the syntax tree of `source`.
pub(super) fn property_definers_of_file(root: Node<'_>, source: &str) -> HashMap<String, PropertyDefiner> {
    let mut found = HashMap::new();
    if memchr::memmem::find(source.as_bytes(), DEFINE_PROPERTY_PATH.as_bytes()).is_none() {
        return found;
    }
    let mut cursor = root.walk();
    let functions = root.named_children(&mut cursor).filter(|child| child.kind() == "function_declaration");
    let passes_on = functions.filter(|function| text_of(*function, source).contains(DEFINE_PROPERTY_PATH));
    for function in passes_on.take(MAX_STATEMENTS) {
        let (Some(name), Some(definer)) = (function.child_by_field_name("name"), definer_of_function(function, source))
        else {
            continue;
        };
        found.insert(text_of(name, source).to_owned(), definer);
    }
    found
}

fn text_of<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or("")
}

/// The roles of a function's parameters, if its body calls `Object.defineProperty` with them.
fn definer_of_function(function: Node<'_>, source: &str) -> Option<PropertyDefiner> {
    let parameters = function.child_by_field_name("parameters")?;
    let mut cursor = parameters.walk();
    let parameters: Vec<&str> = parameters
        .named_children(&mut cursor)
        .filter(|child| child.kind() != "comment")
        .take(MAX_STATEMENTS)
        .map(|parameter| text_of(parameter.child_by_field_name("pattern").unwrap_or(parameter), source))
        .collect();
    let position = |node: Node<'_>| {
        let name = (node.kind() == "identifier").then(|| text_of(node, source))?;
        parameters.iter().position(|parameter| *parameter == name)
    };
    let body = function.child_by_field_name("body")?;
    let mut cursor = body.walk();
    body.named_children(&mut cursor).take(MAX_STATEMENTS).find_map(|statement| {
        let call = statement.named_child(0).filter(|call| call.kind() == "call_expression")?;
        if text_of(call.child_by_field_name("function")?, source) != DEFINE_PROPERTY_PATH {
            return None;
        }
        let arguments = argument_nodes(call);
        let [object, name, descriptor] = arguments.as_slice() else { return None };
        let (object, name) = (position(*object)?, position(*name)?);
        let whole = position(*descriptor);
        let member = |key: &str| descriptor_member(*descriptor, key, source).and_then(position);
        let (getter, value) = (member("get"), member("value"));
        (whole.is_some() || getter.is_some() || value.is_some()).then_some(PropertyDefiner {
            object,
            name,
            getter,
            value,
            descriptor: whole,
        })
    })
}

/// The arguments of a call, without comments; the first few of them.
pub(super) fn argument_nodes<'t>(call: Node<'t>) -> Vec<Node<'t>> {
    let Some(arguments) = call.child_by_field_name("arguments").filter(|node| node.kind() == "arguments") else {
        return Vec::new();
    };
    let mut cursor = arguments.walk();
    arguments.named_children(&mut cursor).filter(|child| child.kind() != "comment").take(MAX_STATEMENTS).collect()
}

/// The value of the member `key` of the object literal `descriptor`, or the method of that name.
fn descriptor_member<'t>(descriptor: Node<'t>, key: &str, source: &str) -> Option<Node<'t>> {
    if descriptor.kind() != "object" {
        return None;
    }
    let mut cursor = descriptor.walk();
    descriptor.named_children(&mut cursor).take(MAX_STATEMENTS).find_map(|member| {
        let (name, value) = match member.kind() {
            "pair" => (member.child_by_field_name("key")?, member.child_by_field_name("value")?),
            "method_definition" => (member.child_by_field_name("name")?, member),
            _ => return None,
        };
        (text::without_quotes(text_of(name, source)) == key).then_some(value)
    })
}

/// The function that a call makes the getter or the value of a property: `None` if it defines the property in another way.
pub(super) fn function_of_defined_property<'t>(
    arguments: &[Node<'t>],
    definer: PropertyDefiner,
    source: &str,
) -> Option<Node<'t>> {
    let argument = |index: Option<usize>| arguments.get(index?).copied();
    let described = |key: &str| descriptor_member(argument(definer.descriptor)?, key, source);
    let functions = [argument(definer.getter), argument(definer.value), described("get"), described("value")];
    functions.into_iter().flatten().find(|node| is_function_value(*node) || node.kind() == "method_definition")
}
