//! The values of macro calls: what the rule that takes as many arguments yields, with the arguments in the place of its
//! metavariables.

use peelback_syntax::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, Span};

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
        let called = self.macros_named_by_expr(file, callee, budget);
        let mut is_sure = called.is_sure;
        let mut rules = Vec::new();
        for found in called.macros {
            let of_macro = self.macro_rules_for_argument_count(found, count);
            is_sure &= of_macro.are_all && of_macro.rules.len() <= 1;
            rules.extend(of_macro.rules);
        }
        is_sure &= rules.len() <= 1;
        let mut all = PossibleValues::default();
        for rule in rules {
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
        if is_sure { all } else { all.marked_as_inferred() }
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
    fn macros_named_by_expr(&self, file: FileId, callee: ExprId, budget: &mut EvaluationBudget) -> NamedMacros {
        let is_macro =
            |def: &Def| self.binding_of_definition(*def).is_some_and(|found| found.kind == BindingKind::Macro);
        let resolution = self.resolve_expr_as_name(file, callee, budget);
        let defs = resolution.referents.iter().filter_map(|referent| match referent {
            Referent::Def(def) => Some(*def),
            _ => None,
        });
        let visible: Vec<Def> = defs.filter(is_macro).collect();
        if !visible.is_empty() {
            return NamedMacros { is_sure: visible.len() == 1 && !resolution.missing.is_any(), macros: visible };
        }
        let none = NamedMacros { is_sure: true, macros: Vec::new() };
        let Some(indexed) = self.names_index(file) else { return none };
        let (name, scope) = match indexed.names().expr_by_id(callee) {
            Expr::Name { name, scope, .. } => (name, scope),
            Expr::Member { name, .. } => (name, FILE_SCOPE),
            _ => return none,
        };
        // An import of the name from outside names a macro of outside.
        let bound = [FILE_SCOPE, scope].map(|scope| indexed.bindings_of_name_in_scope(scope, name));
        let is_import = |id: &BindingId| indexed.binding_or_placeholder(*id).kind == BindingKind::Import;
        if resolution.referents.contains(&Referent::External) && bound.into_iter().flatten().any(is_import) {
            return none;
        }
        let name = self.name_text(file, name);
        let macros = self.semantics_of_file_language_or_default(file).macros_of_project_by_name(self, name).to_vec();
        NamedMacros { is_sure: macros.len() <= 1, macros }
    }

    /// The rules of a macro that take just `count` arguments, or where there is none, those that take any number of at most
    /// as many. Each is the function that stands for the rule.
    fn macro_rules_for_argument_count(&self, called: Def, count: usize) -> FittingRules {
        let mut found = FittingRules::default();
        let Some(indexed) = self.names_index(called.file) else { return found };
        let names = indexed.names();
        let definition = indexed.binding_or_placeholder(called.binding);
        found.are_all = !definition.wrapped;
        let mut with_further_arguments = Vec::new();
        for rule in names.expr_ids_in_list_range(definition.values) {
            let Expr::Function { binding } = names.expr_by_id(*rule) else { continue };
            let Some(body) = indexed.binding_or_placeholder(binding).body else { continue };
            let parameters = indexed.parameters_of_scope(body);
            let takes_further = parameters.last().is_some_and(|last| indexed.binding_or_placeholder(*last).wrapped);
            let rule = Def { file: called.file, binding };
            if takes_further && count >= parameters.len() - 1 {
                with_further_arguments.push(rule);
            } else if !takes_further && parameters.len() == count {
                found.rules.push(rule);
            }
        }
        if found.rules.is_empty() {
            found.rules = with_further_arguments;
        }
        found
    }
}

/// The macros that an expression may name.
struct NamedMacros {
    macros: Vec<Def>,
    /// Whether the expression names these for sure.
    is_sure: bool,
}

/// The rules of a macro that take a number of arguments.
#[derive(Default)]
struct FittingRules {
    rules: Vec<Def>,
    /// Whether each rule of the macro is understood, so that no other rule can be the one that is meant.
    are_all: bool,
}
