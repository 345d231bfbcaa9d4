//! What C#'s lambdas are given and what they return: by the delegate that they become.

use peelback_syntax::names::{BindingKind, Expr, ExprId, ScopeKind};

use super::super::type_parameters::substitute_type_arguments_of_call;
use super::fit::Fit;
use super::{calls, methods, platform, platform_methods};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The number that the binder writes for a variable that is an argument: what it is given is the type of the parameter.
const OUT_PARAMETER: usize = u32::MAX as usize;

/// The value of parameter `parameter` of the lambda that is argument `argument` of a call of `callee`.
pub(super) fn value_given_to_lambda(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    (argument, parameter): (u32, u32),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let functions = resolver.evaluate_callee(file, callee, budget);
    let (argument, parameter) = (argument as usize, parameter as usize);
    let mut all = PossibleValues::default();
    let is_static_call = calls::is_called_on_type(resolver, (file, callee), budget);
    for value in &functions.list {
        let Value::Function(def) = value else { continue };
        let Some(parameters) = resolver.declared_parameters(*def, budget) else { continue };
        let before = usize::from(!is_static_call && methods::is_extension_method(resolver, *def));
        let Some(declared) = parameters.types.get(argument + before).or(parameters.types.last()) else { continue };
        let mut given = PossibleValues { missing: declared.missing, sure: declared.sure, list: Vec::new() };
        match parameter {
            OUT_PARAMETER => given = declared.clone(),
            _ => {
                for delegate in &declared.list {
                    given.add(value_given_by_delegate(resolver, delegate, parameter, budget));
                }
            }
        }
        if !given.list.is_empty() {
            given = match before {
                0 => substitute_type_arguments_of_call(resolver, (file, callee), given, &functions, budget),
                _ => calls::substitute_types_of_extension_call(resolver, (file, callee), *def, given, budget),
            };
        }
        all.add(given);
    }
    if all.list.is_empty() && functions.list.contains(&Value::External) {
        return platform_methods::value_given_to_lambda(resolver, (file, callee), (argument, parameter), budget);
    }
    all.sure &= functions.sure;
    all.missing |= functions.missing;
    all
}

/// The value of a parameter of a delegate.
fn value_given_by_delegate(
    resolver: &Resolver<'_>,
    delegate: &Value,
    parameter: usize,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    match delegate {
        Value::Outside(name, Some(arguments)) => {
            if platform::is_quoted_function(name)
                && let Some(inner) = arguments.first().and_then(|inner| inner.list.first())
            {
                return budget
                    .run_nested_within_limits(|budget| value_given_by_delegate(resolver, inner, parameter, budget));
            }
            match platform::delegate_parameter_positions(name, arguments.len()) {
                Some(count) if parameter < count => arguments.get(parameter).cloned().unwrap_or_default(),
                Some(_) if **name == *"EventHandler" && parameter == 1 => {
                    arguments.first().cloned().unwrap_or_default()
                }
                _ => PossibleValues::default(),
            }
        }
        Value::Instance(def, arguments) => {
            let Some(invoke) = method_of_delegate(resolver, *def) else { return PossibleValues::default() };
            let Some(parameters) = resolver.declared_parameters(invoke, budget) else {
                return PossibleValues::default();
            };
            let declared = parameters.types.get(parameter).cloned().unwrap_or_default();
            let receiver = PossibleValues::single(Value::Instance(*def, arguments.clone()), true);
            resolver.substitute_receiver_type_arguments(declared, &receiver, budget)
        }
        _ => PossibleValues::default(),
    }
}

/// The method `Invoke` of a delegate of the project; `None` if the type is none.
pub(super) fn method_of_delegate(resolver: &Resolver<'_>, def: Def) -> Option<Def> {
    let indexed = resolver.names_index(def.file)?;
    let body = indexed.binding_or_placeholder(def.binding).body?;
    let [only] = indexed.bindings_of_scope(body) else { return None };
    let binding = indexed.binding_or_placeholder(*only);
    let is_invoke = binding.kind == BindingKind::Function
        && binding.constant
        && indexed.names().name_text(binding.name) == "Invoke"
        && indexed.names().scopes.get(body as usize).is_some_and(|scope| scope.bytes.is_empty());
    is_invoke.then_some(Def { file: def.file, binding: *only })
}

/// What a call of a delegate returns.
pub(super) fn result_of_delegate(
    resolver: &Resolver<'_>,
    delegate: &Value,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    match delegate {
        Value::Instance(def, _) => {
            let Some(invoke) = method_of_delegate(resolver, *def) else { return PossibleValues::default() };
            let result = budget.run_nested_within_limits(|budget| resolver.return_values_of_function(invoke, budget));
            let receiver = PossibleValues::single(delegate.clone(), true);
            resolver.substitute_receiver_type_arguments(result, &receiver, budget)
        }
        Value::Outside(name, Some(arguments)) if **name == *"Func" => arguments.last().cloned().unwrap_or_default(),
        Value::Outside(..) => PossibleValues::external(),
        _ => PossibleValues::default(),
    }
}

/// How well a lambda or a method fits the type of a parameter.
pub(super) fn fit_of_function(
    resolver: &Resolver<'_>,
    function: &Value,
    parameter: &Value,
    budget: &mut EvaluationBudget,
) -> Fit {
    let count = match function {
        Value::Function(def) => {
            let is_lambda =
                resolver.binding_of_definition(*def).is_some_and(|binding| binding.body == Some(binding.scope));
            is_lambda.then(|| resolver.parameter_count_of_function(*def).map_or(0, |(count, _)| count))
        }
        _ => None,
    };
    let expected = match parameter {
        Value::Outside(name, arguments) => {
            let written = arguments.as_ref().map_or(0, |arguments| arguments.len());
            if platform::is_quoted_function(name) {
                let inner = arguments.as_ref().and_then(|arguments| arguments.first()?.list.first().cloned());
                return inner.map_or(Fit::Unknown, |inner| {
                    budget
                        .run_within_nesting_limit(|budget| fit_of_function(resolver, function, &inner, budget))
                        .unwrap_or(Fit::Unknown)
                });
            }
            match platform::delegate_parameter_positions(name, written) {
                Some(count) => Some(count),
                None if platform::is_known_type(name) => return Fit::Not,
                None => None,
            }
        }
        Value::Instance(def, _) => match method_of_delegate(resolver, *def) {
            Some(invoke) => resolver.parameter_count_of_function(invoke).map(|(count, _)| count),
            None => return Fit::Not,
        },
        Value::Container(_) => return Fit::Not,
        _ => None,
    };
    match (count, expected) {
        (Some(count), Some(expected)) if count != expected => Fit::Not,
        // Whether the lambda returns something tells `Action` from `Func`.
        (Some(_), Some(_)) => match (function, parameter) {
            (Value::Function(def), Value::Outside(name, _)) => fit_of_result(resolver, *def, name),
            _ => Fit::Unknown,
        },
        _ => Fit::Unknown,
    }
}

/// How well a lambda fits a delegate by whether it returns a value.
fn fit_of_result(resolver: &Resolver<'_>, lambda: Def, delegate: &str) -> Fit {
    let Some(indexed) = resolver.names_index(lambda.file) else { return Fit::Unknown };
    let binding = indexed.binding_or_placeholder(lambda.binding);
    let values = indexed.names().expr_ids_in_list_range(binding.values);
    let is_block = indexed.scope_kind(binding.scope) == ScopeKind::Function && values.is_empty();
    let returns_call = values.iter().any(|value| {
        matches!(indexed.names().expr_by_id(*value), Expr::Call { .. } | Expr::Instance { .. } | Expr::Unknown)
    });
    match delegate {
        "Func" | "Predicate" | "Comparison" | "Converter" if is_block => Fit::Not,
        "Action" if !values.is_empty() && !returns_call => Fit::Not,
        _ => Fit::Unknown,
    }
}

/// What a call of a function value returns: a lambda or a method.
pub(super) fn result_of_function_value(
    resolver: &Resolver<'_>,
    function: &Value,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    match function {
        Value::Function(def) => {
            let Some(indexed) = resolver.names_index(def.file) else { return PossibleValues::default() };
            let binding = indexed.binding_or_placeholder(def.binding);
            if binding.annotation.is_some() {
                return budget.run_nested_within_limits(|budget| resolver.return_values_of_function(*def, budget));
            }
            let mut all = PossibleValues::default();
            for value in indexed.names().expr_ids_in_list_range(binding.values) {
                all.add(budget.run_nested_within_limits(|budget| resolver.evaluate_expr(def.file, *value, budget)));
            }
            all
        }
        _ => result_of_delegate(resolver, function, budget),
    }
}
