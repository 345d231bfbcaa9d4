//! What instances of a defined type consist of: `type Names []string`.

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Value, Values};

/// What instances of a type are made of where it is defined by another type: a list, a function.
pub(super) fn underlying(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> Values {
    let mut all = Values::default();
    for (file, base) in resolver.bases(def, budget) {
        all.add(budget.descend(|budget| resolver.instance_of(file, base, budget)));
    }
    all.list.retain(|value| *value != Value::External);
    all
}
