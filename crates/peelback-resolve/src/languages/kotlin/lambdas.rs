//! What Kotlin's lambdas are given: by the function types and the interfaces that they implement.

use peelback_syntax::names::{Expr, ExprId, RECEIVER_PARAMETER};

use super::{calls, library, parameters};
use crate::languages::jvm;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The value of parameter `parameter` of the lambda that is argument `argument` of a call of `callee`.
pub(super) fn value_given_to_lambda(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    (argument, parameter): (u32, u32),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let named = match resolver.expr_by_id(file, callee) {
        Expr::Generic { base: Some(base), .. } => base,
        _ => callee,
    };
    let functions = resolver.evaluate_callee(file, named, budget);
    let mut all = PossibleValues::default();
    let mut called = Vec::new();
    for value in &functions.list {
        match value {
            Value::Function(def) => called.push(*def),
            Value::Type(def, _) => called.extend(calls::constructors_of_type(resolver, *def).into_iter().take(4)),
            _ => {}
        }
    }
    for function in &called {
        let Some(at) = parameter_taking_argument(resolver, (file, named), *function, argument) else { continue };
        let Some(declared) = resolver.declared_parameters(*function, budget) else { continue };
        let Some(of) = declared.types.get(at) else { continue };
        let mut given = PossibleValues { missing: of.missing, sure: of.sure, list: Vec::new() };
        for value in &of.list {
            given.add(value_given_by_type(resolver, value, parameter, budget));
        }
        if !given.list.is_empty() {
            given = calls::substitute_type_arguments(
                resolver,
                (file, callee),
                given,
                (std::slice::from_ref(function), false),
                budget,
            );
        }
        all.add(given);
    }
    if called.is_empty() && functions.list.iter().any(|value| matches!(value, Value::External | Value::Outside(..))) {
        all = library::value_given_to_lambda(resolver, (file, callee), (argument, parameter), budget);
    }
    all.sure &= functions.sure;
    // A lambda of which it is not known what it is given has a receiver only if something says so.
    if parameter != RECEIVER_PARAMETER || functions.list.is_empty() {
        all.missing |= functions.missing;
    }
    all
}

/// The index of the parameter that takes an argument of a call.
fn parameter_taking_argument(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    function: Def,
    argument: u32,
) -> Option<usize> {
    let Some(count) = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(callee)).map(<[u32]>::len)
    else {
        return usize::try_from(argument).ok();
    };
    let declared = parameters::parameters_of_function(resolver, function)?;
    let taking = parameters::parameters_taking_arguments(resolver, (file, callee), count, &declared)?;
    taking.get(argument as usize).copied()
}

/// The value of a parameter, or of `this`, of a function of a type.
pub(super) fn value_given_by_type(
    resolver: &Resolver<'_>,
    of: &Value,
    parameter: u32,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    match of {
        Value::Function(def) => {
            let Some(indexed) = resolver.names_index(def.file) else { return PossibleValues::default() };
            let types = indexed.names().expr_ids_in_list_range(indexed.binding_or_placeholder(def.binding).bases);
            let declared = match parameter {
                RECEIVER_PARAMETER => parameters::receiver_type_of_extension(resolver, *def),
                parameter => types.get(parameter as usize).copied(),
            };
            declared.map_or_else(PossibleValues::default, |declared| {
                budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(def.file, declared, budget))
            })
        }
        _ if parameter == RECEIVER_PARAMETER => PossibleValues::default(),
        _ => jvm::lambdas::value_given_by_interface(resolver, of, parameter as usize, budget),
    }
}
