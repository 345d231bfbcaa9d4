//! The keys of Go's maps. A container's value holds only its elements, so the keys come from the map's declared type.

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Referent;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::PossibleValues;

/// The limit on the number of names that are followed from an expression to the declared type of a map.
const MAX_NAMES: usize = 4;

/// The values of the keys of the map that an expression is; `None` unless the map's type is written in the source.
pub(super) fn key_values_of_declared_map(
    resolver: &Resolver<'_>,
    file: FileId,
    of: ExprId,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let (file, key) = declared_key_type_of_map_expr(resolver, file, of, MAX_NAMES, budget)?;
    Some(budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(file, key, budget)))
}

/// The type expression of the keys in a map's declared type, with the file that contains the expression.
fn declared_key_type_of_map_expr(
    resolver: &Resolver<'_>,
    file: FileId,
    of: ExprId,
    names: usize,
    budget: &mut EvaluationBudget,
) -> Option<(FileId, ExprId)> {
    let left = names.checked_sub(1)?;
    match resolver.expr_by_id(file, of) {
        Expr::Instance { of } => declared_key_type_of_map_expr(resolver, file, of, left, budget),
        Expr::Generic { base: None, args } => match resolver.names_of_file(file)?.expr_ids_in_list_range(args) {
            [key, _] => Some((file, *key)),
            _ => None,
        },
        Expr::Name { .. } | Expr::Member { .. } | Expr::Bound { .. } => {
            let [Referent::Def(def)] = *resolver.resolve_expr_as_name(file, of, budget).referents.as_slice() else {
                return None;
            };
            let binding = resolver.binding_of_definition(def)?;
            let list = |span| resolver.names_of_file(def.file)?.expr_ids_in_list_range(span).first().copied();
            let meant = match binding.kind {
                BindingKind::Variable | BindingKind::Parameter | BindingKind::Field => {
                    binding.annotation.or_else(|| list(binding.values))
                }
                BindingKind::Type => list(binding.bases),
                BindingKind::TypeAlias => binding.annotation,
                _ => None,
            };
            declared_key_type_of_map_expr(resolver, def.file, meant?, left, budget)
        }
        _ => None,
    }
}
