//! The keys of Go's maps. A container's value holds only its elements, so the keys come from the map's declared type.

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Referent;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::Values;

/// The most names that are followed from an expression to a map's type.
const MAX_NAMES: usize = 4;

/// The keys of the map that an expression is, if the map's type is written.
pub(super) fn map_keys(
    resolver: &Resolver<'_>,
    file: FileId,
    of: ExprId,
    budget: &mut EvaluationBudget,
) -> Option<Values> {
    let (file, key) = written_key_type(resolver, file, of, MAX_NAMES, budget)?;
    Some(budget.run_nested(|budget| resolver.instance_of_type_expr(file, key, budget)))
}

/// The expression of the key's type in the map's declared type, with its file.
fn written_key_type(
    resolver: &Resolver<'_>,
    file: FileId,
    of: ExprId,
    names: usize,
    budget: &mut EvaluationBudget,
) -> Option<(FileId, ExprId)> {
    let left = names.checked_sub(1)?;
    match resolver.expr(file, of) {
        Expr::Instance { of } => written_key_type(resolver, file, of, left, budget),
        Expr::Generic { base: None, args } => match resolver.names(file)?.expr_list(args) {
            [key, _] => Some((file, *key)),
            _ => None,
        },
        Expr::Name { .. } | Expr::Member { .. } | Expr::Bound { .. } => {
            let [Referent::Def(def)] = *resolver.resolve_expr(file, of, budget).referents.as_slice() else {
                return None;
            };
            let binding = resolver.binding_of(def)?;
            let list = |span| resolver.names(def.file)?.expr_list(span).first().copied();
            let meant = match binding.kind {
                BindingKind::Variable | BindingKind::Parameter | BindingKind::Field => {
                    binding.annotation.or_else(|| list(binding.values))
                }
                BindingKind::Type => list(binding.bases),
                BindingKind::TypeAlias => binding.annotation,
                _ => None,
            };
            written_key_type(resolver, def.file, meant?, left, budget)
        }
        _ => None,
    }
}
