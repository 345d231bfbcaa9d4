//! The results of calls in Java.

use peelback_syntax::names::{Expr, ExprId};

use super::{operators, platform_methods};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the levels of type arguments in which type parameters are replaced.
const MAX_LEVELS: usize = 6;

/// The possible values of a call of the expression `callee`, whose own values are `functions`.
pub(super) fn call_result(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    functions: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    if let Expr::Name { name, .. } = resolver.expr_by_id(file, callee) {
        let name = resolver.name_text(file, name);
        if operators::is_operator(name) {
            let operands = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(callee));
            return operators::result_of_operator(resolver, (file, name), operands.unwrap_or(&[]), budget);
        }
    }
    let mut all = PossibleValues::default();
    let declared: Vec<&Value> = functions.list.iter().filter(|value| matches!(value, Value::Function(_))).collect();
    for function in &declared {
        all.add(resolver.result_of_calling_value(function, budget));
    }
    if declared.is_empty() && functions.list.contains(&Value::External) {
        all = platform_methods::result_of_call(resolver, (file, callee), budget);
    }
    if !declared.is_empty() {
        all = substitute_type_arguments_of_call(resolver, (file, callee), all, functions, budget);
    }
    all.sure &= functions.sure;
    all.missing |= functions.missing;
    all
}

/// Replaces in `values` the type parameters of the receiver's type, and those of the called function that are written or
/// that the arguments tell.
pub(in crate::languages) fn substitute_type_arguments_of_call(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    mut values: PossibleValues,
    functions: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let has_parameter = |values: &PossibleValues| {
        values.list.iter().any(|value| {
            value.is_or_contains_type_parameter() || resolver.has_type_parameter_in_type_arguments(value, MAX_LEVELS)
        })
    };
    if !has_parameter(&values) {
        return values;
    }
    let named = match resolver.expr_by_id(file, callee) {
        Expr::Generic { base: Some(base), .. } => base,
        _ => callee,
    };
    let receiver = match resolver.expr_by_id(file, named) {
        Expr::Member { base, .. } => resolver.evaluate_expr(file, base, budget),
        Expr::Name { scope, .. } => resolver.this_value(file, scope, budget),
        _ => PossibleValues::default(),
    };
    values = resolver.substitute_receiver_type_arguments(values, &receiver, budget);
    if !has_parameter(&values) || functions.list.len() > 1 {
        return values;
    }
    let arguments = resolver.names_of_file(file).and_then(|names| {
        let at = names.call_arguments.binary_search_by_key(&named, |(callee, _)| *callee).ok()?;
        names.call_arguments.get(at).map(|(_, arguments)| *arguments)
    });
    let types = resolver.written_or_inferred_type_arguments(file, callee, arguments.unwrap_or_default(), budget);
    let is_open = types.iter().any(|(_, values)| values.missing.is_any());
    values = resolver.substitute_type_parameters(values, &types, MAX_LEVELS);
    values.missing |= Missing::unknown_if(is_open);
    values
}
