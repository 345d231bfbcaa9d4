//! What functions declare of their parameters, in languages where the binder records the types of parameters as the bases
//! of the function's binding.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, ScopeKind};

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::PossibleValues;

/// What a function declares of its parameters.
pub(crate) struct DeclaredParameters {
    /// Instances of the type of each parameter.
    pub types: Vec<PossibleValues>,
    /// Whether the last parameter takes all further arguments.
    pub takes_rest: bool,
}

impl Resolver<'_> {
    /// The parameters of a function; `None` for any other definition. Results are memoized: each call of a function that has
    /// many overloads asks for the parameters of all.
    pub(crate) fn declared_parameters(
        &self,
        def: Def,
        budget: &mut EvaluationBudget,
    ) -> Option<Arc<DeclaredParameters>> {
        if let Some(known) = self.declared_parameters.get(&def) {
            return Some(known);
        }
        let (_, takes_rest) = self.parameter_count_of_function(def)?;
        let indexed = self.names_index(def.file)?;
        let types = indexed.names().expr_ids_in_list_range(indexed.binding_or_placeholder(def.binding).bases);
        let before = std::mem::replace(&mut budget.truncated, false);
        // The functions that one call asks for can be so many that their steps would leave none for the call.
        let types = budget.evaluate_without_counting_steps(|budget| {
            let of_type =
                |of: &u32| budget.run_nested_within_limits(|budget| self.instances_of_type_expr(def.file, *of, budget));
            types.iter().map(of_type).collect()
        });
        let made = Arc::new(DeclaredParameters { types, takes_rest });
        if !budget.truncated {
            self.declared_parameters.insert(def, made.clone());
        }
        budget.truncated |= before;
        Some(made)
    }

    /// The number of parameters of a function, without their types, and whether the last takes all further arguments; `None`
    /// for any other definition. Results are memoized, since finding the last parameter takes a look at all locals of
    /// the body.
    pub(crate) fn parameter_count_of_function(&self, def: Def) -> Option<(usize, bool)> {
        let indexed = self.names_index(def.file)?;
        let binding = indexed.binding_or_placeholder(def.binding);
        if binding.kind != BindingKind::Function {
            return None;
        }
        let count = binding.bases.len as usize;
        if let Some(takes_rest) = self.functions_taking_rest.get(&def) {
            return Some((count, takes_rest));
        }
        let body = binding.body.filter(|body| indexed.scope_kind(*body) == ScopeKind::Function);
        let last = body.and_then(|body| indexed.parameters_of_scope(body).last().copied());
        let takes_rest = last.is_some_and(|last| indexed.binding_or_placeholder(last).wrapped);
        self.functions_taking_rest.insert(def, takes_rest);
        Some((count, takes_rest))
    }
}
