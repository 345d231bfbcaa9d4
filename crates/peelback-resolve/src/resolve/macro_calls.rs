//! The values of macro calls: what the rule that takes as many arguments yields, with the arguments in the place of its
//! metavariables.

use peelback_syntax::names::{BindingKind, Expr, ExprId, Span};

use crate::modules::FileId;
use crate::resolve::budget::{EvaluationBudget, OpenMacroCall};
use crate::resolve::definition::{Def, Referent};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

impl Resolver<'_> {
    /// The possible values of a call of the macro that `callee` names.
    pub(crate) fn macro_call_value(
        &self,
        file: FileId,
        callee: ExprId,
        arguments: Span,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let Some(names) = self.names_of_file(file) else { return PossibleValues::default() };
        let count = names.expr_ids_in_list_range(arguments).len();
        let macros = self.macros_named_by_expr(file, callee, budget);
        let mut all = PossibleValues::default();
        for rule in macros.iter().filter_map(|found| self.macro_rule_for_argument_count(*found, count)) {
            let Some(names) = self.names_of_file(rule.file) else { continue };
            let Some(values) = names.bindings.get(rule.binding as usize).map(|rule| rule.values) else { continue };
            let call = OpenMacroCall { rule, file, arguments };
            all.add(budget.run_in_macro_call(call, |budget| {
                budget.run_nested_within_limits(|budget| {
                    self.first_known_value_or_all(rule.file, names.expr_ids_in_list_range(values), budget)
                })
            }));
        }
        // A rule whose value comes from outside may still make a value of the project: a trait's `default()`, say.
        all.missing |= Missing::unknown_if(all.list.contains(&Value::External));
        if macros.len() > 1 { all.marked_as_inferred() } else { all }
    }

    /// The possible values of the argument `index` in the call of the macro rule that is being evaluated; none where the
    /// rule is looked at by itself.
    pub(crate) fn macro_argument_value(&self, rule: Def, index: u32, budget: &mut EvaluationBudget) -> PossibleValues {
        budget.truncated = true;
        let Some(at) = budget.open_macro_calls.iter().rposition(|call| call.rule == rule) else {
            return PossibleValues::default();
        };
        // The arguments of a call may themselves stand in a rule, and then belong to the calls around it.
        let inner = budget.open_macro_calls.split_off(at);
        let argument = inner.first().and_then(|call| {
            let names = self.names_of_file(call.file)?;
            Some((call.file, *names.expr_ids_in_list_range(call.arguments).get(index as usize)?))
        });
        let values = match argument {
            Some((file, argument)) => {
                budget.run_nested_within_limits(|budget| self.evaluate_expr(file, argument, budget))
            }
            None => PossibleValues::default(),
        };
        budget.truncated = true;
        budget.open_macro_calls.extend(inner);
        values
    }

    /// The macros that an expression names: those that are visible there, else those of the name that the language finds
    /// elsewhere in the project.
    fn macros_named_by_expr(&self, file: FileId, callee: ExprId, budget: &mut EvaluationBudget) -> Vec<Def> {
        let is_macro =
            |def: &Def| self.binding_of_definition(*def).is_some_and(|found| found.kind == BindingKind::Macro);
        let resolution = self.resolve_expr_as_name(file, callee, budget);
        let defs = resolution.referents.iter().filter_map(|referent| match referent {
            Referent::Def(def) => Some(*def),
            _ => None,
        });
        let visible: Vec<Def> = defs.filter(is_macro).collect();
        if !visible.is_empty() {
            return visible;
        }
        let (Expr::Name { name, .. } | Expr::Member { name, .. }) = self.expr_by_id(file, callee) else {
            return Vec::new();
        };
        let name = self.name_text(file, name);
        self.semantics_of_file_language_or_default(file).macros_of_project_by_name(self, name).to_vec()
    }

    /// The first rule of a macro that takes just `count` arguments, or else the first that takes any number of at most as
    /// many, as the function that it is.
    fn macro_rule_for_argument_count(&self, called: Def, count: usize) -> Option<Def> {
        let indexed = self.names_index(called.file)?;
        let names = indexed.names();
        let rules = names.expr_ids_in_list_range(indexed.binding_or_placeholder(called.binding).values);
        let mut with_further_arguments = None;
        for rule in rules {
            let Expr::Function { binding } = names.expr_by_id(*rule) else { continue };
            let Some(body) = indexed.binding_or_placeholder(binding).body else { continue };
            let parameters = indexed.parameters_of_scope(body);
            let takes_further = parameters.last().is_some_and(|last| indexed.binding_or_placeholder(*last).wrapped);
            let found = Some(Def { file: called.file, binding });
            if takes_further && count >= parameters.len() - 1 {
                with_further_arguments = with_further_arguments.or(found);
            } else if !takes_further && parameters.len() == count {
                return found;
            }
        }
        with_further_arguments
    }
}
