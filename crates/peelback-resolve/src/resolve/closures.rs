//! The parameters of closures: what a call passes to a function that is one of its arguments.

use peelback_syntax::names::{BindingKind, Expr, ExprId, ScopeKind};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Referent;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

impl Resolver<'_> {
    /// The value of parameter `parameter` of the closure that is argument `argument` of a call of `callee`, as the
    /// signature of `callee` declares it. Both indices count from 0.
    pub(crate) fn closure_parameter_value(
        &self,
        file: FileId,
        callee: ExprId,
        argument: u32,
        parameter: u32,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        if let Some(given) = self.semantics_of_file_language_or_default(file).value_given_to_closure(
            self,
            (file, callee),
            (argument, parameter),
            budget,
        ) {
            return given;
        }
        let functions = self.evaluate_callee(file, callee, budget);
        let base = match self.expr_by_id(file, callee) {
            Expr::Member { base, .. } => Some(base),
            _ => None,
        };
        let receiver = base.map(|base| self.evaluate_expr(file, base, budget)).unwrap_or_default();
        let on_type = receiver.list.iter().any(|value| matches!(value, Value::Type(..)));
        let mut all = PossibleValues::default();
        for value in &functions.list {
            let Value::Function(def) = value else { continue };
            let Some(indexed) = self.names_index(def.file) else { continue };
            let binding = indexed.binding_or_placeholder(def.binding);
            // In `Type::method(receiver, …)` the receiver is an argument too.
            let is_method = indexed.scope_kind(binding.scope) == ScopeKind::Type && !binding.on_type;
            let before = u32::from(on_type && is_method);
            let entry = argument.checked_sub(before).and_then(|entry| usize::try_from(entry).ok());
            let declared = entry.and_then(|entry| indexed.names().expr_ids_in_list_range(binding.bases).get(entry));
            if let Some(declared) = declared {
                all.add(self.parameter_instances_of_function_type(def.file, *declared, parameter, budget));
            }
        }
        all = self.substitute_receiver_type_arguments(all, &receiver, budget);
        all.sure &= functions.sure;
        all.missing |= functions.missing;
        all
    }

    /// Instances of the type of parameter `parameter`, counted from 0, of a function type that is written out, or named
    /// by an alias or a bound.
    fn parameter_instances_of_function_type(
        &self,
        file: FileId,
        of: ExprId,
        parameter: u32,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        budget.run_nested_within_limits(|budget| match self.expr_by_id(file, of) {
            Expr::Function { binding } => {
                let Some(indexed) = self.names_index(file) else { return PossibleValues::default() };
                let types = indexed.names().expr_ids_in_list_range(indexed.binding_or_placeholder(binding).bases);
                let declared = usize::try_from(parameter).ok().and_then(|parameter| types.get(parameter));
                declared.map_or_else(PossibleValues::default, |declared| {
                    self.instances_of_type_expr(file, *declared, budget)
                })
            }
            Expr::Either(parts) => {
                let Some(names) = self.names_of_file(file) else { return PossibleValues::default() };
                let given = names
                    .expr_ids_in_list_range(parts)
                    .iter()
                    .map(|part| self.parameter_instances_of_function_type(file, *part, parameter, budget));
                given.into_iter().find(|given| !given.list.is_empty()).unwrap_or_default()
            }
            // A wrapper around a function type, as in `Option<F>`.
            Expr::Generic { args, .. } => {
                let last =
                    self.names_of_file(file).and_then(|names| names.expr_ids_in_list_range(args).last().copied());
                last.map_or_else(PossibleValues::default, |last| {
                    self.parameter_instances_of_function_type(file, last, parameter, budget)
                })
            }
            Expr::Name { .. } | Expr::Member { .. } | Expr::Bound { .. } => {
                let mut all = PossibleValues::default();
                for referent in self.resolve_expr_as_name(file, of, budget).referents {
                    let Referent::Def(def) = referent else { continue };
                    let Some(binding) = self.binding_of_definition(def) else { continue };
                    if let (BindingKind::TypeParameter | BindingKind::TypeAlias, Some(meant)) =
                        (binding.kind, binding.annotation)
                    {
                        all.add(self.parameter_instances_of_function_type(def.file, meant, parameter, budget));
                    }
                }
                all
            }
            _ => PossibleValues::default(),
        })
    }
}
