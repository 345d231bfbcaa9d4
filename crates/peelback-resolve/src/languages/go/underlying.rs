//! The types that underlie Go's defined types: for `type Names []string` the slice `[]string`.

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// Instances of the types that underlie a defined Go type.
pub(super) fn instances_of_underlying_go_types(
    resolver: &Resolver<'_>,
    def: Def,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let mut all = PossibleValues::default();
    for &(file, base) in resolver.bases_of_type(def, budget).iter() {
        all.add(budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(file, base, budget)));
    }
    all.list.retain(|value| *value != Value::External);
    all
}
