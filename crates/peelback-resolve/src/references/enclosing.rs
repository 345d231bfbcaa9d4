//! The qualified names of the definitions that contain a place in a file.

use peelback_syntax::names::{BindingKind, Expr, FILE_SCOPE, Names, ScopeId, ScopeKind};

use crate::resolve::index::NamesIndex;

/// The qualified name of the innermost definition around a byte offset; empty at the top level. Where function
/// expressions are definitions (`are_function_exprs_definitions`), they are named by the variable or field that they are
/// the value of.
pub(crate) fn qualified_name_of_enclosing_definition(
    index: &NamesIndex,
    at: u32,
    are_function_exprs_definitions: bool,
) -> String {
    let scope = index.innermost_scope_at_offset(at);
    qualified_name_of_definition_around_scope(index, scope, are_function_exprs_definitions)
}

/// The qualified name of the definition that a scope is in, as [`qualified_name_of_enclosing_definition`] gives it.
pub(crate) fn qualified_name_of_definition_around_scope(
    index: &NamesIndex,
    scope: ScopeId,
    are_function_exprs_definitions: bool,
) -> String {
    let names = index.names();
    let mut parts: Vec<&str> = Vec::new();
    let mut next = Some(scope);
    while let Some(id) = next {
        let Some(scope) = names.scopes.get(id as usize) else { break };
        let mut outer = scope.parent;
        if let Some((binding, owner)) = scope.owner.and_then(|owner| Some((owner, names.bindings.get(owner as usize)?)))
        {
            let named = matches!(
                owner.kind,
                BindingKind::Function | BindingKind::Property | BindingKind::Type | BindingKind::Module
            );
            if named && owner.body != Some(owner.scope) {
                parts.push(names.name_text(owner.name));
            } else if named && are_function_exprs_definitions {
                let holder = index.holder_of_function_expr(binding);
                if let Some(holder) = holder.and_then(|holder| names.bindings.get(holder as usize)) {
                    parts.push(names.name_text(holder.name));
                    // A field is a member of its type, whatever scope its value is in. Scopes come after those around
                    // them, so that this leads outward.
                    outer = Some(holder.scope).filter(|scope| *scope < id).or(outer);
                }
            }
        } else if scope.kind == ScopeKind::Type
            && let Some(extension) = index.extension_of_scope(id)
        {
            parts.extend(last_name_in_expr(names, extension.target));
        }
        next = outer;
        if id == FILE_SCOPE {
            break;
        }
    }
    parts.reverse();
    parts.join(".")
}

/// The last name of an expression that is a path of names: `b` of `a.b`.
fn last_name_in_expr(names: &Names, mut expr: u32) -> Option<&str> {
    loop {
        expr = match names.expr_by_id(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => return Some(names.name_text(name)),
            Expr::Generic { base: Some(base), .. } => base,
            Expr::Generic { base: None, args } => *names.expr_ids_in_list_range(args).last()?,
            _ => return None,
        };
    }
}
