//! The underlying type of a defined type: of `type Names []string` the list.

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Value, Values};

/// Instances of the underlying types of a defined type.
pub(super) fn underlying_instances(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> Values {
    let mut all = Values::default();
    for (file, base) in resolver.bases_of_type(def, budget) {
        all.add(budget.run_nested(|budget| resolver.instance_of_type_expr(file, base, budget)));
    }
    all.list.retain(|value| *value != Value::External);
    all
}
