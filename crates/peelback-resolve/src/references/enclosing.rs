//! The qualified names of the definitions that contain a place in a file.

use peelback_syntax::names::{Binding, BindingKind, Expr, FILE_SCOPE, Names, ScopeId, ScopeKind};

use crate::resolve::index::NamesIndex;

/// The innermost named definition around a place in a file.
pub(crate) struct EnclosingDefinition {
    /// The qualified name of the definition; empty at the top level.
    pub qualified_name: String,
    /// The byte offset of the definition, which tells it from others of its name; `None` at the top level.
    pub at: Option<u32>,
}

/// The innermost definition around a byte offset. Where function expressions are definitions
/// (`are_function_exprs_definitions`), they are named by the variable or field that they are the value of.
pub(crate) fn enclosing_definition_at(
    index: &NamesIndex,
    at: u32,
    are_function_exprs_definitions: bool,
) -> EnclosingDefinition {
    let scope = index.innermost_scope_at_offset(at);
    definition_around_scope(index, scope, are_function_exprs_definitions)
}

/// The definition that a scope is in, as [`enclosing_definition_at`] gives it.
pub(crate) fn definition_around_scope(
    index: &NamesIndex,
    scope: ScopeId,
    are_function_exprs_definitions: bool,
) -> EnclosingDefinition {
    let names = index.names();
    let mut parts: Vec<&str> = Vec::new();
    let mut innermost_at = None;
    let mut next = Some(scope);
    while let Some(id) = next {
        let Some(scope) = names.scopes.get(id as usize) else { break };
        let mut outer = scope.parent;
        // A member belongs to its type, whatever scope its value is in. Scopes come after those around them, so that this
        // leads outward.
        let scope_of_member = |member: &Binding| Some(member.scope).filter(|scope| *scope < id);
        if let Some((binding, owner)) = scope.owner.and_then(|owner| Some((owner, names.bindings.get(owner as usize)?)))
        {
            let named = matches!(
                owner.kind,
                BindingKind::Function | BindingKind::Property | BindingKind::Type | BindingKind::Module
            );
            // A module with an annotation is one that a macro opens: its binding has no name of the source.
            let is_opened_by_macro = owner.kind == BindingKind::Module && owner.annotation.is_some();
            // A namespace that is written with its whole path: its binding is in its own body, where no source can name it.
            let is_whole_path =
                owner.kind == BindingKind::Module && !is_opened_by_macro && owner.body == Some(owner.scope);
            if is_whole_path {
                parts.push(names.name_text(owner.name));
                innermost_at.get_or_insert(owner.at);
                break;
            }
            if named && !is_opened_by_macro && owner.body != Some(owner.scope) {
                parts.push(names.name_text(owner.name));
                innermost_at.get_or_insert(owner.at);
                // The accessors of a property may be written in a call that defines it.
                if owner.kind == BindingKind::Property {
                    outer = scope_of_member(owner).or(outer);
                }
            } else if named && !is_opened_by_macro && are_function_exprs_definitions {
                let holder = index.holder_of_function_expr(binding);
                if let Some(holder) = holder.and_then(|holder| names.bindings.get(holder as usize)) {
                    parts.push(names.name_text(holder.name));
                    innermost_at.get_or_insert(holder.at);
                    outer = scope_of_member(holder).or(outer);
                }
            }
        } else if scope.kind == ScopeKind::Type
            && let Some(extension) = index.extension_of_scope(id)
            && let Some(name) = last_name_in_expr(names, extension.target)
        {
            parts.push(name);
            innermost_at.get_or_insert(scope.bytes.start);
        }
        next = outer;
        if id == FILE_SCOPE {
            break;
        }
    }
    parts.reverse();
    EnclosingDefinition { qualified_name: parts.join("."), at: innermost_at }
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
