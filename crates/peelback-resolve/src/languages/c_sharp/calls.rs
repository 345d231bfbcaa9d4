//! The results of calls in C#.

use peelback_syntax::names::{Expr, ExprId};

use super::super::type_parameters::substitute_type_arguments_of_call;
use super::{lambdas, methods, operators, platform_methods};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::inference::InferredTypes;
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
    let is_static_call =
        calls_need_receiver(resolver, functions) && is_called_on_type(resolver, (file, callee), budget);
    for value in &functions.list {
        match value {
            Value::Function(def) => {
                let result = resolver.result_of_calling_value(value, budget);
                let is_extension = !is_static_call && methods::is_extension_method(resolver, *def);
                all.add(match is_extension {
                    true => substitute_types_of_extension_call(resolver, (file, callee), *def, result, budget),
                    false => substitute_type_arguments_of_call(resolver, (file, callee), result, functions, budget),
                });
            }
            Value::Instance(..) | Value::Outside(..) => all.add(lambdas::result_of_delegate(resolver, value, budget)),
            _ => {}
        }
    }
    all.sure &= functions.sure;
    if all.list.is_empty() && functions.list.contains(&Value::External) {
        // What the platform's methods return follows from their receivers.
        return platform_methods::result_of_call(resolver, (file, callee), budget);
    }
    all.missing |= functions.missing;
    all
}

fn calls_need_receiver(resolver: &Resolver<'_>, functions: &PossibleValues) -> bool {
    functions
        .list
        .iter()
        .any(|value| matches!(value, Value::Function(def) if methods::is_extension_method(resolver, *def)))
}

/// Whether a method is called through the name of its type, or by its bare name: then an extension method is given its
/// receiver as an argument.
pub(super) fn is_called_on_type(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> bool {
    match named_callee(resolver, file, callee) {
        Expr::Member { base, .. } => {
            let receiver = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, base, budget));
            receiver.list.iter().any(|value| matches!(value, Value::Type(..)))
        }
        _ => true,
    }
}

/// A callee without its type arguments.
fn named_callee(resolver: &Resolver<'_>, file: FileId, callee: ExprId) -> Expr {
    match resolver.expr_by_id(file, callee) {
        Expr::Generic { base: Some(base), .. } => resolver.expr_by_id(file, base),
        expr => expr,
    }
}

/// Replaces the type parameters of an extension method in `values`, by the receiver and the arguments of a call.
pub(super) fn substitute_types_of_extension_call(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    method: Def,
    values: PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let Expr::Member { base, .. } = named_callee(resolver, file, callee) else { return values };
    let Some(indexed) = resolver.names_index(method.file) else { return values };
    let Some(body) = indexed.binding_or_placeholder(method.binding).body else { return values };
    let own: Vec<Def> =
        indexed.type_parameters_of_scope(body).into_iter().map(|binding| Def { file: method.file, binding }).collect();
    if own.is_empty() {
        return values;
    }
    let mut types = InferredTypes::new();
    if let Expr::Generic { args, .. } = resolver.expr_by_id(file, callee) {
        if let Some(written) = resolver.evaluate_type_arguments(file, args, budget) {
            types.extend(own.iter().copied().zip(written.iter().cloned()));
        }
    } else {
        let plain = match resolver.expr_by_id(file, callee) {
            Expr::Generic { base: Some(base), .. } => base,
            _ => callee,
        };
        let arguments = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(plain)).unwrap_or(&[]);
        let declared = indexed.names().expr_ids_in_list_range(indexed.binding_or_placeholder(method.binding).bases);
        for (of, given) in declared.iter().zip(std::iter::once(&base).chain(arguments)) {
            let given = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *given, budget));
            if !given.list.is_empty() {
                resolver.infer_type_parameters_from_passed_values(
                    method.file,
                    *of,
                    given,
                    &own,
                    (&mut types, MAX_LEVELS),
                    budget,
                );
            }
        }
    }
    resolver.substitute_type_parameters(values, &types, MAX_LEVELS)
}
