//! The markup of Astro: JSX with HTML's leniency, behind the code between two lines of `---`.

use super::component::bind_component_of_file;
use super::expressions::record_names_in_tokens;
use super::lexer::{Dialect, Lexer};
use super::sink::{FileNames, MarkupNames};
use crate::languages::javascript::embedded::astro_code_and_start_of_markup;
use crate::names::{BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeKind};

/// Records the names that the markup of an Astro file uses, after those of its code.
pub(crate) fn record_names_in_astro_markup(builder: &mut NamesBuilder<'_>) {
    let source = builder.source;
    let (_, start) = astro_code_and_start_of_markup(source);
    let mut tokens = Lexer::new(source, start..source.len(), Dialect::WithMarkup).tokens_of_markup();
    let end = tokens.len();
    record_names_in_tokens(&mut tokens, (0, end), Role::Read, &mut MarkupNames::new(builder, FileNames::InScope));
    let properties = bind_global_object(builder);
    bind_component_of_file(properties, builder);
}

/// Binds the object `Astro`, whose `props` have the type `Props` of the file, and returns the value of those. `None` where the
/// file has no such type.
fn bind_global_object(builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
    let (object, props) = (builder.intern_constructed_text("Astro"), builder.intern_constructed_text("Props"));
    let mut of_file = builder.names.bindings.iter().filter(|binding| binding.scope == FILE_SCOPE);
    let is_declared = of_file.clone().any(|binding| binding.name == props);
    if !is_declared || of_file.any(|binding| binding.name == object) {
        return None;
    }
    let end = builder.source.len();
    let at = u32::try_from(end).unwrap_or(u32::MAX);
    let of = builder.add_expr(Expr::Name { name: props, scope: FILE_SCOPE, at });
    let properties = builder.add_expr(Expr::Instance { of });
    let members = builder.add_child_scope_for_bytes(FILE_SCOPE, ScopeKind::Type, end..end);
    let name = builder.intern_constructed_text("props");
    let field = builder.add_binding(members, BindingKind::Field, name, end);
    builder.binding_mut(field).annotation = Some(of);
    let own = builder.add_expr(Expr::Object { scope: members });
    // The other members are not of the project.
    let global = builder.intern_constructed_text("globalThis");
    let outside = builder.add_expr(Expr::Name { name: global, scope: FILE_SCOPE, at });
    let value = builder.expr_of_possible_values(vec![own, outside]);
    let binding = builder.add_binding(FILE_SCOPE, BindingKind::Variable, object, end);
    builder.binding_mut(binding).values = builder.add_expr_list(&[value]);
    Some(properties)
}
