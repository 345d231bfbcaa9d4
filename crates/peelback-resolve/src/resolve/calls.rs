//! The results of calls: what functions declare, else what their bodies return, and instances of types that are called.

use peelback_syntax::names::{Expr, ExprId};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

impl Resolver<'_> {
    /// The possible values of a call of the expression `callee`.
    pub fn call_result(&self, file: FileId, callee: ExprId, budget: &mut EvaluationBudget) -> PossibleValues {
        let functions = self.evaluate_callee(file, callee, budget);
        let semantics = self.semantics_of_file_language_or_default(file);
        let mut results = semantics.call_result(self, (file, callee), &functions, budget);
        if !functions.list.contains(&Value::External) || !results.list.contains(&Value::External) {
            return results;
        }
        if results.list == [Value::External]
            && results.missing == Missing::Nothing
            && let Some(open) = semantics.instance_of_open_type(self, file, callee)
        {
            return open;
        }
        if self.is_method_of_open_container(file, callee, budget)
            || semantics.can_outside_call_return_project_value(self, file, callee, budget)
        {
            results.sure = false;
            results.missing |= Missing::Unknown;
        }
        results
    }

    /// Whether an expression is a method of a container from outside the project, of whose elements nothing is known: it can
    /// return one of them.
    fn is_method_of_open_container(&self, file: FileId, callee: ExprId, budget: &mut EvaluationBudget) -> bool {
        let Expr::Member { base, .. } = self.expr_by_id(file, callee) else { return false };
        let is_open =
            |value: &Value| matches!(value, Value::Container(held) if held.missing_elements() == Missing::Unknown);
        self.evaluate_expr(file, base, budget).list.iter().any(is_open)
    }

    /// The possible values of a call of one of these functions.
    pub fn results_of_calling_functions(
        &self,
        functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let mut all = PossibleValues::default();
        for value in &functions.list {
            let cycles = budget.cycles;
            let given = self.result_of_calling_value(value, budget);
            let is_dynamic = matches!(value, Value::Function(def) if self.semantics_of_file_language_or_default(def.file).is_dynamically_typed());
            all.missing |= Missing::unknown_if(is_dynamic && given.list.is_empty() && budget.cycles == cycles);
            all.add(given);
        }
        all
    }

    /// `results`, the values of a call of `functions`, with the type arguments of the receiver that the method is
    /// called on.
    pub fn substitute_receiver_type_arguments_in_results(
        &self,
        (file, callee): (FileId, ExprId),
        mut results: PossibleValues,
        functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        if let Expr::Member { base, .. } = self.expr_by_id(file, callee)
            && results.list.iter().any(|value| matches!(value, Value::Parameter(_) | Value::Container(_)))
        {
            let receiver = self.evaluate_expr(file, base, budget);
            results = self.substitute_receiver_type_arguments(results, &receiver, budget);
        }
        results.sure &= functions.sure;
        results.missing |= functions.missing;
        results
    }

    /// Evaluates the callee of a call. Where a field or module can share its name with a function, the function counts.
    pub(crate) fn evaluate_callee(
        &self,
        file: FileId,
        callee: ExprId,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let named = matches!(self.expr_by_id(file, callee), Expr::Name { .. } | Expr::Member { .. });
        if named && self.semantics_of_file_language_or_default(file).separates_fields_from_methods() {
            let resolution = self.resolve_expr_as_name(file, callee, budget);
            if resolution.referents.len() > 1 {
                let functions = self.keep_functions_or_non_functions(resolution, true);
                let semantics = self.semantics_of_file_language_or_default(file);
                let chosen = semantics.functions_chosen_by_arguments(self, (file, callee), functions, budget);
                return self.evaluate_resolution(&chosen, budget);
            }
        }
        self.evaluate_expr(file, callee, budget)
    }

    pub(crate) fn result_of_calling_value(&self, value: &Value, budget: &mut EvaluationBudget) -> PossibleValues {
        match value {
            Value::Type(def, args) => PossibleValues::single(Value::Instance(*def, args.clone()), true),
            Value::Function(def) => {
                budget.run_nested_within_limits(|budget| self.return_values_of_function(*def, budget))
            }
            Value::Container(values) => {
                // A call of a container calls the functions that it holds, or a method of the container, which likely
                // returns an element.
                let mut all = PossibleValues { missing: values.missing_elements(), ..PossibleValues::default() };
                for value in values.iter() {
                    all.add(match value {
                        Value::Function(_) => self.result_of_calling_value(value, budget),
                        other => PossibleValues::single(Value::Container(vec![other.clone()].into()), false),
                    });
                }
                all.marked_as_inferred()
            }
            Value::Instance(def, _) => {
                self.semantics_of_file_language_or_default(def.file).instance_call_result(self, value, *def, budget)
            }
            Value::External | Value::Outside(..) => PossibleValues::external(),
            // A CommonJS module can be called if its exported value can be: `require('x')()`.
            Value::Object(..) => budget.run_nested_within_limits(|budget| self.call_signature_result(value, budget)),
            Value::Module(_) | Value::Parameter(_) | Value::Tuple(_) => PossibleValues::default(),
        }
    }

    /// The possible return values of a function: as declared, else as its body returns them. Empty if the function is
    /// already being evaluated.
    pub(crate) fn return_values_of_function(&self, def: Def, budget: &mut EvaluationBudget) -> PossibleValues {
        if budget.open_definitions.contains(&def) {
            budget.record_cycle();
            return PossibleValues::default();
        }
        budget.open_definitions.push(def);
        let all = self.evaluate_return_values_without_cycle_check(def, budget);
        budget.open_definitions.pop();
        all
    }

    /// The possible return values of a function or property that is already marked as being evaluated.
    pub(crate) fn evaluate_return_values_without_cycle_check(
        &self,
        def: Def,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let Some(indexed) = self.names_index(def.file) else { return PossibleValues::default() };
        let own = indexed.binding_or_placeholder(def.binding);
        let is_separate = self.semantics_of_file_language_or_default(def.file).overloads_are_separate_definitions();
        let together: Vec<u32> = if is_separate || own.visible_from > 0 || own.body == Some(own.scope) {
            vec![def.binding]
        } else {
            indexed.bindings_of_name_in_scope(own.scope, own.name).to_vec()
        };
        let mut all = PossibleValues::default();
        for part in &together {
            let binding = indexed.binding_or_placeholder(*part);
            if let Some(annotation) = binding.annotation {
                let declared = self.instances_of_type_expr(def.file, annotation, budget);
                all.add(if binding.wrapped { declared.into_container() } else { declared });
            }
        }
        let overloaded = all.list.len() > 1 && self.semantics_of_file_language_or_default(def.file).has_overloads();
        if all.list.is_empty() {
            let mut wrapped = false;
            let mut count = 0;
            for part in &together {
                let binding = indexed.binding_or_placeholder(*part);
                wrapped |= binding.wrapped;
                count += binding.values.len;
                for value in indexed.names().expr_ids_in_list_range(binding.values) {
                    let found = self.evaluate_alternative(def.file, *value, &mut all, budget);
                    all.add(found);
                }
            }
            let semantics = self.semantics_of_file_language_or_default(def.file);
            if count != 1 || !semantics.is_single_result_type_of_function() {
                all = all.marked_as_inferred();
            }
            if wrapped {
                all = all.into_container();
                all.sure = false;
            }
        }
        if overloaded { all.marked_as_inferred() } else { all }
    }
}
