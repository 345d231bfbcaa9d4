//! The outline of JavaScript assignments that define symbols: CommonJS exports, and members of prototypes and objects.

use tree_sitter::Node;

use crate::facts::{ExportKind, SymbolKind, Visibility};
use crate::frontend::WalkStep;
use crate::outline::OutlineBuilder;
use crate::text;

use super::outline_state::OutlineState;
use super::placement::{
    MAX_WRAPPERS, add_export_unless_repeated, build_definition_with_decorators, fold_long_initializer,
    is_function_value, member_name, name_of_exported_value, part_left_out_of_signature,
    symbol_kind_of_function_or_class_value, unwrap_parentheses_and_assertions,
};
use super::prototypes::Prototypes;

/// The left side of an assignment to a member: the member's name, and the object that gets the member.
pub(super) struct AssignmentTarget {
    pub name: String,
    /// Name of the object that gets the member; `None` if the object has no simple name.
    pub container: Option<String>,
    /// Whether the assignment exports the name: `exports.x`, `module.exports`.
    pub exports: bool,
}

/// The limit on the length, in bytes, of the object expression on the left side of an assignment. The member of a
/// longer one has no container.
const MAX_CONTAINER: usize = 120;

/// Parses the left side of an assignment: `exports.x`, `module.exports`, `Foo.prototype.x`, `foo.x`, `foo["x"]`.
pub(super) fn parse_member_assignment_target(
    left: Node<'_>,
    builder: &OutlineBuilder<'_, '_>,
) -> Option<AssignmentTarget> {
    let property = match left.kind() {
        "member_expression" => left.child_by_field_name("property")?,
        "subscript_expression" => left.child_by_field_name("index").filter(|index| index.kind() == "string")?,
        _ => return None,
    };
    let object = unwrap_parentheses_and_assertions(left.child_by_field_name("object")?);
    Some(member_of_object(object, member_name(property, builder), builder))
}

/// The member `name` of the object that an expression is.
pub(super) fn member_of_object(object: Node<'_>, name: String, builder: &OutlineBuilder<'_, '_>) -> AssignmentTarget {
    if object.byte_range().len() > MAX_CONTAINER {
        return AssignmentTarget { name, container: None, exports: false };
    }
    let owner = text::to_one_line(builder.text_of_node(object));
    let (container, exports) = match owner.as_str() {
        "exports" | "module.exports" => (Some("exports".to_owned()), true),
        "module" if name == "exports" => (Some(owner), true),
        "this" => (None, false),
        _ => {
            let path = owner.strip_suffix(".prototype").unwrap_or(&owner);
            let named = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '#'));
            (named.then(|| path.strip_prefix("this.").unwrap_or(path).to_owned()), false)
        }
    };
    AssignmentTarget { name, container, exports }
}

/// The name of the class whose prototype a variable holds, or `container` itself if it is no such variable.
pub(super) fn name_of_class_or_object(
    container: Option<String>,
    builder: &mut OutlineBuilder<'_, '_>,
) -> Option<String> {
    let name = container?;
    let class = prototypes_of_file(builder).and_then(|prototypes| prototypes.class_of_alias(&name)).map(str::to_owned);
    Some(class.unwrap_or(name))
}

/// What the file's top level says about prototypes.
pub(super) fn prototypes_of_file<'b>(builder: &'b mut OutlineBuilder<'_, '_>) -> Option<&'b Prototypes> {
    if builder.frontend_state::<OutlineState>().is_some_and(|state| state.prototypes.is_none())
        && let Some(root) = builder.ancestor_nodes().last()
    {
        let made = Prototypes::in_file(root, builder.source);
        if let Some(state) = builder.frontend_state::<OutlineState>() {
            state.prototypes = Some(made);
        }
    }
    builder.existing_frontend_state::<OutlineState>().and_then(|state| state.prototypes.as_ref())
}

/// The class name `Foo` of an assignment whose left side is `Foo.prototype`; `None` for any other left side.
pub(super) fn class_name_of_prototype_expression(left: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Option<String> {
    let target = parse_member_assignment_target(left, builder)?;
    if target.name == "prototype" { target.container } else { None }
}

/// Adds the symbol and the export that the assignment `left = right` defines to the outline.
pub(super) fn outline_member_assignment<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return WalkStep::Descend;
    };
    let value = unwrap_parentheses_and_assertions(right);
    let Some(mut target) = parse_member_assignment_target(left, builder) else {
        // In `exports = module.exports = x` the inner assignment is the definition.
        return if left.kind() == "identifier" { WalkStep::DescendKeepingAttachments } else { WalkStep::Descend };
    };
    target.container = name_of_class_or_object(target.container, builder);
    if let Some(function) = function_at_end_of_member_assignment_chain(value, builder) {
        // In `a.b = a.c = function () {}` both are names of one function.
        if target.exports {
            add_assignment_export(&target, node, value, builder);
        }
        let body = part_left_out_of_signature(function);
        let kind = if target.exports { SymbolKind::Function } else { SymbolKind::Method };
        let mut definition = build_definition_with_decorators(builder, kind, &target.name, node, body);
        if target.exports {
            definition.visibility = Visibility::Public;
        }
        definition.container = target.container;
        builder.add_leaf_definition(definition);
        return WalkStep::DescendKeepingAttachments;
    }
    let is_whole_module = target.exports && target.container.as_deref() == Some("module");
    let kind = match symbol_kind_of_function_or_class_value(value) {
        Some(SymbolKind::Function) if !target.exports => SymbolKind::Method,
        Some(kind) => kind,
        // Compilers write `exports.x = void 0` as a placeholder before the real assignment.
        None if target.exports && !builder.is_in_local_scope() && !is_undefined_value(value, builder) => {
            SymbolKind::Variable
        }
        // Any other assignment is no symbol itself. In `Foo.prototype = { … }`, the members of the object become
        // members of `Foo`.
        None => return WalkStep::Descend,
    };
    if target.exports {
        add_assignment_export(&target, node, value, builder);
        let named_already =
            builder.ancestor_nodes().next().is_some_and(|parent| parent.kind() == "variable_declarator");
        let container = target.container.as_deref().unwrap_or("");
        if kind == SymbolKind::Variable
            && (named_already || builder.has_symbol_with_qualified_name(&format!("{container}.{}", target.name)))
        {
            return WalkStep::Descend;
        }
    }
    // `module.exports = class A {}` defines `A`. A function's own name is seen only inside the function.
    if is_whole_module
        && kind == SymbolKind::Class
        && let Some(own) = name_of_exported_value(value, builder)
    {
        (target.name, target.container) = (own.to_owned(), None);
    }
    let mut definition =
        build_definition_with_decorators(builder, kind, &target.name, node, part_left_out_of_signature(right));
    if target.exports {
        definition.visibility = Visibility::Public;
    }
    definition.container = target.container;
    if !builder.is_in_local_scope() {
        fold_long_initializer(right, builder);
    }
    builder.add_definition_and_open_scope(definition);
    WalkStep::Descend
}

/// The function that a chain of assignments to members ends in: that of `a.c = a.d = function () {}`. `value` is the right
/// side of the chain's first assignment, and itself an assignment.
fn function_at_end_of_member_assignment_chain<'t>(
    value: Node<'t>,
    builder: &OutlineBuilder<'t, '_>,
) -> Option<Node<'t>> {
    let mut value = value;
    for _ in 0..MAX_WRAPPERS {
        if value.kind() != "assignment_expression" {
            return None;
        }
        parse_member_assignment_target(value.child_by_field_name("left")?, builder)?;
        value = unwrap_parentheses_and_assertions(value.child_by_field_name("right")?);
        if is_function_value(value) {
            return Some(value);
        }
    }
    None
}

/// Adds an export for an assignment to `exports.x` or `module.exports`.
fn add_assignment_export(
    target: &AssignmentTarget,
    node: Node<'_>,
    value: Node<'_>,
    builder: &mut OutlineBuilder<'_, '_>,
) {
    let whole = target.container.as_deref() == Some("module");
    let (name, kind) = match whole {
        true => (name_of_exported_value(value, builder).unwrap_or(&target.name), ExportKind::Module),
        false => (target.name.as_str(), ExportKind::Named),
    };
    add_export_unless_repeated(builder, name, kind, node);
    match value.kind() {
        "identifier" => {
            let local = builder.text_of_node(value).to_owned();
            builder.collected_names.insert(local);
        }
        "object" if whole => add_object_member_exports(value, builder),
        _ => {}
    }
}

/// Whether a value is `undefined` or `void 0`, including a chain such as `exports.a = exports.b = void 0`.
fn is_undefined_value(value: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> bool {
    match value.kind() {
        "undefined" => true,
        "unary_expression" => builder.text_of_node(value).starts_with("void"),
        "assignment_expression" => builder.text_of_node(value).ends_with("= void 0"),
        _ => false,
    }
}

/// Adds the exports of the object in `module.exports = { a, b: c }`: `a` and `b`.
fn add_object_member_exports(object: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let mut cursor = object.walk();
    for member in object.named_children(&mut cursor) {
        let name = match member.kind() {
            "shorthand_property_identifier" => member,
            "pair" => match member.child_by_field_name("key") {
                Some(key) if key.kind() != "computed_property_name" => key,
                _ => continue,
            },
            "method_definition" => match member.child_by_field_name("name") {
                Some(name) if name.kind() != "computed_property_name" => name,
                _ => continue,
            },
            _ => continue,
        };
        let name = member_name(name, builder);
        add_export_unless_repeated(builder, &name, ExportKind::Named, member);
    }
}
