//! What a file with markup defines as a whole: a component, which other files import as the file's default export.

use crate::names::{BindingKind, Exported, Expr, ExprId, FILE_SCOPE, NamesBuilder, ScopeKind, WHOLE_FILE};

/// The name of the member of a component that has the component's properties.
pub(super) const PROPERTIES: &str = "$props";

/// Binds the component that the file defines, and exports it as the default. `properties` is the value that has the component's
/// properties as members. What the script exports as the default is the value of the component, unless it is a definition with a
/// name of its own, which is then the component.
pub(super) fn bind_component_of_file(properties: Option<ExprId>, builder: &mut NamesBuilder<'_>) {
    let default = builder.intern_constructed_text("default");
    let exports = builder.names.exports.get_or_insert_default();
    let written = exports.iter().position(|export| export.name == default);
    let what = written.and_then(|at| exports.get(at)).map(|export| export.what);
    let mut values = Vec::new();
    match (what, written) {
        (None, _) => {}
        (Some(Exported::Expr(value)), Some(at)) => {
            if matches!(builder.names.expr_by_id(value), Expr::Name { .. } | Expr::Bound { .. }) {
                return;
            }
            values.push(value);
            if let Some(exports) = &mut builder.names.exports {
                exports.remove(at);
            }
        }
        _ => return,
    }
    if let Some(properties) = properties {
        let end = builder.source.len();
        let members = builder.add_child_scope_for_bytes(FILE_SCOPE, ScopeKind::Type, end..end);
        let name = builder.intern_constructed_text(PROPERTIES);
        let field = builder.add_binding(members, BindingKind::Field, name, end);
        builder.binding_mut(field).values = builder.add_expr_list(&[properties]);
        values.push(builder.add_expr(Expr::Object { scope: members }));
    }
    let name = builder.intern_constructed_text(WHOLE_FILE);
    let component = builder.add_binding(FILE_SCOPE, BindingKind::Variable, name, 0);
    builder.binding_mut(component).constant = true;
    values.retain(|value| *value != builder.unknown_expr());
    if !values.is_empty() {
        let value = builder.expr_of_possible_values(values);
        builder.binding_mut(component).values = builder.add_expr_list(&[value]);
    }
    let component = builder.add_expr(Expr::Bound { binding: component });
    builder.add_export(default, 0, Exported::Expr(component));
}
