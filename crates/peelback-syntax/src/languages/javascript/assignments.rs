//! Assignments that define: CommonJS exports, methods put on prototypes and objects.

use tree_sitter::Node;

use crate::facts::{ExportKind, SymbolKind, Visibility};
use crate::frontend::Next;
use crate::outline::OutlineBuilder;
use crate::text;

use super::placement::{add_export, bare, define, fold_value, hidden_part, kind_of_value, member_name};

/// What an assignment's left side names.
pub(super) struct Target {
    pub name: String,
    /// The object that the name is put on, where it has a name itself.
    pub container: Option<String>,
    /// Whether the name leaves the module: `exports.x`, `module.exports`.
    pub exports: bool,
}

/// Longer left sides are expressions, not names.
const MAX_CONTAINER: usize = 120;

/// Reads `exports.x`, `module.exports`, `Foo.prototype.x`, `foo.x`, `foo["x"]`.
pub(super) fn target(left: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Option<Target> {
    let property = match left.kind() {
        "member_expression" => left.child_by_field_name("property")?,
        "subscript_expression" => left.child_by_field_name("index").filter(|index| index.kind() == "string")?,
        _ => return None,
    };
    let object = bare(left.child_by_field_name("object")?);
    let name = member_name(property, builder);
    if object.byte_range().len() > MAX_CONTAINER {
        return Some(Target { name, container: None, exports: false });
    }
    let owner = text::one_line(builder.text(object));
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
    Some(Target { name, container, exports })
}

/// `Foo` for `Foo.prototype`.
pub(super) fn prototype_owner(left: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> Option<String> {
    let target = target(left, builder)?;
    if target.name == "prototype" { target.container } else { None }
}

/// `left = right`.
pub(super) fn assignment<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return Next::Descend;
    };
    let value = bare(right);
    let Some(target) = target(left, builder) else {
        // `exports = module.exports = x`: the inner assignment defines.
        return if left.kind() == "identifier" { Next::DescendKeeping } else { Next::Descend };
    };
    let kind = match kind_of_value(value) {
        Some(SymbolKind::Function) if !target.exports => SymbolKind::Method,
        Some(kind) => kind,
        // Compilers write `exports.x = void 0` before the value is there.
        None if target.exports && !builder.is_local() && !is_undefined(value, builder) => SymbolKind::Variable,
        // The members of `Foo.prototype = { … }` are `Foo`'s.
        None => return Next::Descend,
    };
    if target.exports {
        export(&target, node, value, builder);
        let named_already = builder.ancestors().next().is_some_and(|parent| parent.kind() == "variable_declarator");
        let container = target.container.as_deref().unwrap_or("");
        if kind == SymbolKind::Variable && (named_already || builder.is_known(&format!("{container}.{}", target.name)))
        {
            return Next::Descend;
        }
    }
    let mut definition = define(builder, kind, &target.name, node, hidden_part(right));
    if target.exports {
        definition.visibility = Visibility::Public;
    }
    definition.container = target.container;
    if !builder.is_local() {
        fold_value(right, builder);
    }
    builder.open(definition);
    Next::Descend
}

/// Takes an assignment to `exports.x` or `module.exports` as an export.
fn export(target: &Target, node: Node<'_>, value: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let whole = target.container.as_deref() == Some("module");
    add_export(builder, &target.name, if whole { ExportKind::Module } else { ExportKind::Named }, node);
    match value.kind() {
        "identifier" => {
            let local = builder.text(value).to_owned();
            builder.noted.insert(local);
        }
        "object" if whole => export_members(value, builder),
        _ => {}
    }
}

/// `void 0`, at the end of a chain too: `exports.a = exports.b = void 0`.
fn is_undefined(value: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> bool {
    match value.kind() {
        "undefined" => true,
        "unary_expression" => builder.text(value).starts_with("void"),
        "assignment_expression" => builder.text(value).ends_with("= void 0"),
        _ => false,
    }
}

/// `module.exports = { a, b: c }` exports `a` and `b`.
fn export_members(object: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
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
        add_export(builder, &name, ExportKind::Named, member);
    }
}
