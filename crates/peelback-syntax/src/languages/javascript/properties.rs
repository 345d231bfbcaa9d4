//! The outline of JavaScript calls that define a property of an object with a function:
//! `Object.defineProperty(a, "b", { get() {} })`.

use tree_sitter::Node;

use crate::facts::{ExportKind, SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;

use super::assignments::member_of_object;
use super::placement::{
    add_export_unless_repeated, build_definition_with_decorators, member_name, unwrap_parentheses_and_assertions,
};
use super::property_definers::{
    ArgumentPart, DEFINE_PROPERTY_PATH, DescriptorPart, PropertyDefiner, PropertyDefiners, argument_nodes,
    does_function_only_return_path, function_of_defined_property, object_and_name_of_defined_property,
};

/// What the outline of a file keeps of the calls that define properties.
#[derive(Default)]
struct PropertyCalls {
    /// The functions whose calls define properties, once they were needed.
    definers: Option<PropertyDefiners>,
    /// The node id of the function that the last of these calls makes a part of its property.
    last_function: Option<usize>,
}

/// Adds the symbol of the property that a call of `function` defines with a function. Left as they are: calls that define
/// nothing, those inside a function, whose objects are mostly its own, and getters that only re-export another definition.
pub(super) fn outline_property_definition_call<'t>(
    call: Node<'t>,
    function: Node<'t>,
    builder: &mut OutlineBuilder<'t, '_>,
) -> WalkStep {
    if builder.is_in_local_scope() {
        return WalkStep::Descend;
    }
    let Some(definer) = definer_called_by(function, builder) else { return WalkStep::Descend };
    let arguments = argument_nodes(call);
    let (Some((object, name)), Some((part, value))) = (
        object_and_name_of_defined_property(&arguments, definer),
        function_of_defined_property(&arguments, definer, builder.source),
    ) else {
        return WalkStep::Descend;
    };
    let object = unwrap_parentheses_and_assertions(object);
    if name.kind() != "string" || !matches!(object.kind(), "identifier" | "member_expression" | "this") {
        return WalkStep::Descend;
    }
    let target = member_of_object(object, member_name(name, builder), builder);
    let is_whole_module = target.container.as_deref() == Some("module");
    let is_re_export = part == DescriptorPart::Getter && does_function_only_return_path(value, builder.source);
    if target.exports && (is_whole_module || is_re_export) {
        return WalkStep::Descend;
    }
    let kind = if target.exports { SymbolKind::Function } else { SymbolKind::Method };
    let body = value.child_by_field_name("body");
    let mut definition = build_definition_with_decorators(builder, kind, &target.name, call, body);
    if target.exports {
        add_export_unless_repeated(builder, &target.name, ExportKind::Named, call);
        definition.visibility = Visibility::Public;
    }
    definition.container = target.container;
    builder.add_definition_and_open_scope(definition);
    if let Some(calls) = builder.frontend_state::<PropertyCalls>() {
        calls.last_function = Some(value.id());
    }
    WalkStep::Descend
}

/// Whether a function is the getter or value of a property whose symbol was added for the call that defines it.
pub(super) fn is_function_of_defined_property(function: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> bool {
    builder.existing_frontend_state::<PropertyCalls>().is_some_and(|calls| calls.last_function == Some(function.id()))
}

/// Whether the walk's current node, a member of an object literal with the name `key`, is the getter, setter or value in the
/// descriptor of a property. It is no symbol of its own, but a part of the property.
pub(super) fn is_function_in_property_descriptor(key: &str, builder: &mut OutlineBuilder<'_, '_>) -> bool {
    if DescriptorPart::from_key(key).is_none() {
        return false;
    }
    let (descriptor, arguments, call) = {
        let mut above = builder.ancestor_nodes();
        let (Some(descriptor), Some(arguments), Some(call)) = (above.next(), above.next(), above.next()) else {
            return false;
        };
        (descriptor, arguments, call)
    };
    if descriptor.kind() != "object" || arguments.kind() != "arguments" || call.kind() != "call_expression" {
        return false;
    }
    let definer = call.child_by_field_name("function").and_then(|function| definer_called_by(function, builder));
    let at = argument_nodes(call).iter().position(|argument| argument.id() == descriptor.id());
    match (definer, at) {
        (Some(definer), Some(at)) => definer.part_of_argument(at) == ArgumentPart::Descriptor,
        _ => false,
    }
}

/// How a call of `function` defines a property, if it does.
fn definer_called_by(function: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) -> Option<PropertyDefiner> {
    let callee = builder.text_of_node(function);
    if function.kind() != "identifier" && callee != DEFINE_PROPERTY_PATH {
        return None;
    }
    if builder.frontend_state::<PropertyCalls>()?.definers.is_none() {
        let made = PropertyDefiners::in_file(builder.ancestor_nodes().last()?, builder.source);
        builder.frontend_state::<PropertyCalls>()?.definers = Some(made);
    }
    builder.frontend_state::<PropertyCalls>()?.definers.as_ref()?.definer_called_by(callee)
}
