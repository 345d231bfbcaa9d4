//! Names that Ruby code writes as symbols or strings: `:name`, `"name"`, and those of `%i[a b]`.

use std::ops::Range;

use tree_sitter::Node;

/// The byte range of the name that a literal is, without its marks; `None` for other nodes, and for a literal that is
/// composed when it runs.
pub(super) fn name_range_of_literal(node: Node<'_>) -> Option<Range<usize>> {
    match node.kind() {
        "simple_symbol" => Some(node.start_byte() + 1..node.end_byte()),
        "string" | "delimited_symbol" | "bare_symbol" | "bare_string" => {
            let content = node.named_child(0).filter(|content| content.kind() == "string_content")?;
            (node.named_child_count() == 1).then(|| content.byte_range())
        }
        "hash_key_symbol" => Some(node.byte_range()),
        _ => None,
    }
}

/// The byte ranges of all names in an argument: of one literal, or of the literals in an array.
pub(super) fn name_ranges_in_argument(node: Node<'_>) -> Vec<Range<usize>> {
    match node.kind() {
        "symbol_array" | "string_array" | "array" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).filter_map(name_range_of_literal).collect()
        }
        _ => name_range_of_literal(node).into_iter().collect(),
    }
}

/// The arguments of a call, in order; comments and the block are none.
pub(super) fn arguments_of_call<'t>(call: Node<'t>) -> Vec<Node<'t>> {
    let Some(list) = call.child_by_field_name("arguments") else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|argument| argument.kind() != "comment").collect()
}

/// What a call of a method without a receiver defines, told by the method's name: `attr_reader :a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefiningCall {
    /// Each literal is an attribute, of objects or of the class, too; with a writer or without.
    Attributes { writer: bool, on_class: bool },
    /// The first literal is a method, whose body is the block of the call.
    MethodWithBlock,
    /// The first literal is a further name of the method that the second names.
    Alias,
    /// Each literal is a method that another object answers.
    Delegates,
    /// As [`DefiningCall::Delegates`], but the first argument names the other object.
    DelegatesBehindTarget,
    /// The second literal is a method of the object that the first names, and the third is its name here, if there is one.
    DelegateBehindTarget,
    /// The first literal is a relation to other records, which has a reader and a writer.
    Association,
    /// The first literal is a method of the class.
    Scope,
}

/// What a call of `method` without a receiver defines; `None` if it defines nothing that is known.
pub(super) fn defining_call(method: &str) -> Option<DefiningCall> {
    let attributes = |writer, on_class| Some(DefiningCall::Attributes { writer, on_class });
    match method {
        "attr_reader" | "attr" => attributes(false, false),
        "attr_writer" => attributes(true, false),
        "attr_accessor" | "attr_internal" | "attr_internal_accessor" | "thread_mattr_accessor" => {
            attributes(true, false)
        }
        "cattr_accessor" | "mattr_accessor" | "class_attribute" => attributes(true, true),
        "cattr_reader" | "mattr_reader" => attributes(false, true),
        "cattr_writer" | "mattr_writer" => attributes(true, true),
        "define_method" | "define_singleton_method" => Some(DefiningCall::MethodWithBlock),
        "alias_method" => Some(DefiningCall::Alias),
        "delegate" => Some(DefiningCall::Delegates),
        "def_delegators" | "def_instance_delegators" => Some(DefiningCall::DelegatesBehindTarget),
        "def_delegator" | "def_instance_delegator" => Some(DefiningCall::DelegateBehindTarget),
        "has_many" | "has_one" | "belongs_to" | "has_and_belongs_to_many" => Some(DefiningCall::Association),
        "scope" => Some(DefiningCall::Scope),
        _ => None,
    }
}

/// The name ranges of what a defining call defines, by its arguments.
pub(super) fn names_defined_by_call(call: DefiningCall, arguments: &[Node<'_>]) -> Vec<Range<usize>> {
    let literal_at = |index: usize| arguments.get(index).copied().and_then(name_range_of_literal);
    match call {
        DefiningCall::Attributes { .. } | DefiningCall::Delegates => {
            arguments.iter().flat_map(|argument| name_ranges_in_argument(*argument)).collect()
        }
        DefiningCall::DelegatesBehindTarget => {
            arguments.iter().skip(1).flat_map(|argument| name_ranges_in_argument(*argument)).collect()
        }
        DefiningCall::DelegateBehindTarget => literal_at(2).or_else(|| literal_at(1)).into_iter().collect(),
        DefiningCall::MethodWithBlock | DefiningCall::Alias | DefiningCall::Association | DefiningCall::Scope => {
            literal_at(0).into_iter().collect()
        }
    }
}

/// The name of the class of `Struct.new(…)`, `Class.new(…)` and the like, if a call makes a class or module.
pub(super) fn maker_of_type<'s>(call: Node<'_>, source: &'s str) -> Option<&'s str> {
    let receiver = call.child_by_field_name("receiver").filter(|receiver| receiver.kind() == "constant")?;
    let method = call.child_by_field_name("method")?;
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or("");
    let maker = text(receiver);
    match (maker, text(method)) {
        ("Struct" | "Class" | "Module", "new") | ("Data", "define") => Some(maker),
        _ => None,
    }
}
