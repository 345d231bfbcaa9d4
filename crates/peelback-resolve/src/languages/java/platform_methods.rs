//! What methods of the Java platform return, and what they pass to lambdas, where that can be of a type of the project.

use peelback_syntax::names::{Expr, ExprId};

use super::platform_results::{is_maker, result_by_table};
use super::platform_rules::{KnownRule, Spec, rule_of_method};
use super::types::views_as_outside_types;
use super::{lambdas, platform};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::outside::{FirstName, is_written_as_type};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// A call of a method outside the project.
struct OutsideCall<'a> {
    file: FileId,
    /// The arguments of the call, as expressions of the file.
    arguments: &'a [ExprId],
    /// The possible values of the receiver; empty where there is none.
    receiver: PossibleValues,
    /// The name of the type outside the project that the method is called on, if it is.
    type_name: Option<&'a str>,
    /// The rule of the method with the type arguments of the receiver's type that it is about.
    rule: Option<(KnownRule, Arguments)>,
}

/// The possible values of a call of `callee`, a method outside the project.
pub(in super::super) fn result_of_call(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let (named, method) = name_of_callee(resolver, file, callee);
    let call = outside_call(resolver, file, named, method, budget);
    if let Some(result) = result_by_receiver(&call, method) {
        return result;
    }
    if method == "collect"
        && let Some(collected) = result_of_collecting(resolver, &call, budget)
    {
        return collected;
    }
    match &call.rule {
        Some((KnownRule::Rule(rule), arguments)) => {
            return values_of_spec(resolver, &call, (&rule.result, arguments), budget);
        }
        Some((KnownRule::OtherOverload, _)) => return PossibleValues::unknown(),
        None => {}
    }
    if let Some(result) = result_of_plain_method(resolver, &call, method, budget) {
        return result;
    }
    // A method of which nothing is known is open if it can return a value of the project: one that an argument holds, or a type
    // argument of the call or of a type that the receiver's type derives from.
    let may_return = |values: &PossibleValues| {
        values.missing.is_any() || values.list.is_empty() || values.list.iter().any(may_hold_project_value)
    };
    let mut is_open = call.arguments.iter().any(|argument| {
        may_return(&budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *argument, budget)))
    });
    if let (Expr::Generic { args, .. }, Some(names)) = (resolver.expr_by_id(file, callee), resolver.names_of_file(file))
    {
        is_open = is_open
            || names.expr_ids_in_list_range(args).iter().any(|of| {
                may_return(
                    &budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(file, *of, budget)),
                )
            });
    }
    is_open = is_open
        || call.receiver.list.iter().any(|value| {
            views_as_outside_types(resolver, value, budget)
                .into_iter()
                .any(|view| may_hold_project_value(&Value::Outside(view.name, view.arguments)))
        });
    if is_open { PossibleValues::unknown() } else { PossibleValues::external() }
}

/// The value of parameter `parameter` of the lambda that is argument `argument` of a call of `callee`.
pub(in super::super) fn value_given_to_lambda(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    (argument, parameter): (usize, usize),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let (named, method) = name_of_callee(resolver, file, callee);
    let call = outside_call(resolver, file, named, method, budget);
    let Some((KnownRule::Rule(rule), arguments)) = &call.rule else { return PossibleValues::unknown() };
    let given = rule.lambdas.iter().find(|(of, _)| *of == argument);
    match given.and_then(|(_, given)| given.get(parameter)) {
        Some(spec) => values_of_spec(resolver, &call, (spec, arguments), budget),
        None => PossibleValues::unknown(),
    }
}

/// A callee without its type arguments, and its name.
fn name_of_callee<'r>(resolver: &'r Resolver<'_>, file: FileId, callee: ExprId) -> (ExprId, &'r str) {
    let named = match resolver.expr_by_id(file, callee) {
        Expr::Generic { base: Some(base), .. } => base,
        _ => callee,
    };
    (named, resolver.last_name_of_path(file, named))
}

fn outside_call<'r>(
    resolver: &'r Resolver<'_>,
    file: FileId,
    callee: ExprId,
    method: &str,
    budget: &mut EvaluationBudget,
) -> OutsideCall<'r> {
    let arguments = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(callee)).unwrap_or(&[]);
    let (receiver, type_name) = match resolver.expr_by_id(file, callee) {
        Expr::Member { base, .. } => {
            let receiver = resolver.evaluate_expr(file, base, budget);
            let name = resolver.last_name_of_path(file, base);
            let is_type = receiver.list == [Value::External] && is_written_as_type(name);
            (receiver, is_type.then_some(name))
        }
        Expr::Name { scope, .. } => {
            // A static import, or a method that the type around the call inherits.
            let imported = match resolver.first_name_of_path(file, callee) {
                FirstName::Imported(source) => source.rsplit('.').next(),
                _ => None,
            };
            let receiver = match imported {
                Some(_) => PossibleValues::default(),
                None => resolver.this_value(file, scope, budget),
            };
            (receiver, imported)
        }
        _ => (PossibleValues::default(), None),
    };
    let rule = match type_name {
        Some(name) => rule_of_method(name, method, arguments.len()).map(|rule| (rule, None)),
        None => receiver.list.iter().find_map(|value| {
            let views = views_as_outside_types(resolver, value, budget);
            views
                .into_iter()
                .find_map(|view| rule_of_method(&view.name, method, arguments.len()).map(|rule| (rule, view.arguments)))
        }),
    };
    OutsideCall { file, arguments, receiver, type_name, rule }
}

/// The result of a method whose type has no arguments that could be of the project.
fn result_of_plain_method(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    method: &str,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    if let Some(name) = call.type_name {
        if let Some(result) = result_by_table(name, method) {
            return Some(PossibleValues::single(result, true));
        }
        if name == "Math" && matches!(method, "abs" | "max" | "min") {
            let mut all = PossibleValues::default();
            for argument in call.arguments {
                all.add(budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, *argument, budget)));
            }
            return Some(all);
        }
        let makes_own = platform::is_well_known_type(name) && is_maker(method);
        return makes_own.then(|| PossibleValues::single(Value::Outside(name.into(), None), true));
    }
    let mut all = PossibleValues::default();
    for value in &call.receiver.list {
        let views = views_as_outside_types(resolver, value, budget);
        let result = views.iter().find_map(|view| result_by_table(&view.name, method))?;
        all.add(PossibleValues::single(result, call.receiver.sure));
    }
    (!all.list.is_empty()).then_some(all)
}

/// The value of a field outside the project: the length of an array, and constants of numbers and the like.
pub(in super::super) fn value_of_field(
    resolver: &Resolver<'_>,
    (file, base): (FileId, ExprId),
    name: &str,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let of_type = |name: &str| Some(PossibleValues::single(Value::Outside(name.into(), None), true));
    let type_name = resolver.last_name_of_path(file, base);
    // `NaN` is the only constant with a small letter.
    if is_written_as_type(type_name)
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9' | b'N' | b'a'))
    {
        if let Some(primitive) = platform::primitive_of_box(type_name) {
            return if primitive == "boolean" { of_type(type_name) } else { of_type(primitive) };
        }
        if matches!(type_name, "BigDecimal" | "BigInteger" | "Duration" | "Instant" | "Locale" | "TimeUnit") {
            return of_type(type_name);
        }
    }
    let receiver = resolver.evaluate_expr(file, base, budget);
    match (name, receiver.list.first()) {
        ("length", Some(Value::Container(_))) => of_type("int"),
        _ => None,
    }
}

/// The result of a method that every object, every array or every enum has.
fn result_by_receiver(call: &OutsideCall<'_>, method: &str) -> Option<PossibleValues> {
    let first = call.receiver.list.first()?;
    let known = |value: Value| Some(PossibleValues::single(value, call.receiver.sure));
    match (method, first) {
        ("getClass", _) if call.arguments.is_empty() => {
            known(Value::Outside("Class".into(), Some(vec![call.receiver.clone()].into())))
        }
        ("clone", Value::Container(_)) => known(first.clone()),
        ("values", Value::Type(def, _)) => known(Value::Container(vec![Value::Instance(*def, None)].into())),
        ("valueOf", Value::Type(def, _)) => known(Value::Instance(*def, None)),
        ("toString" | "name", _) if call.arguments.is_empty() => known(Value::Outside("String".into(), None)),
        ("hashCode" | "ordinal", _) if call.arguments.is_empty() => known(Value::Outside("int".into(), None)),
        _ => None,
    }
}

/// The result of `stream.collect(…)`, if the argument is a call of a usual collector.
fn result_of_collecting(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let stream = call.receiver.list.iter().find_map(|value| match value {
        Value::Outside(name, Some(arguments)) if **name == *"Stream" => Some(arguments.clone()),
        _ => None,
    })?;
    let Expr::Call { callee } = resolver.expr_by_id(call.file, *call.arguments.first()?) else { return None };
    let (named, collector) = name_of_callee(resolver, call.file, callee);
    let element = || stream.first().cloned().unwrap_or_default();
    let container = |name: &str, arguments: Vec<PossibleValues>| {
        Some(PossibleValues::single(Value::Outside(name.into(), Some(arguments.into())), call.receiver.sure))
    };
    let arguments = resolver.names_of_file(call.file)?.arguments_of_call(named).unwrap_or(&[]);
    let inner =
        OutsideCall { file: call.file, arguments, receiver: PossibleValues::default(), type_name: None, rule: None };
    match collector {
        "toList" | "toUnmodifiableList" => container("List", vec![element()]),
        "toSet" | "toUnmodifiableSet" => container("Set", vec![element()]),
        "toMap" | "toUnmodifiableMap" => {
            let key = values_of_spec(resolver, &inner, (&Spec::ResultOfArgument(0), &None), budget);
            let value = values_of_spec(resolver, &inner, (&Spec::ResultOfArgument(1), &None), budget);
            container("Map", vec![key, value])
        }
        "groupingBy" if arguments.len() == 1 => {
            let key = values_of_spec(resolver, &inner, (&Spec::ResultOfArgument(0), &None), budget);
            let list = container("List", vec![element()])?;
            container("Map", vec![key, list])
        }
        "joining" => Some(PossibleValues::single(Value::Outside("String".into(), None), true)),
        _ => None,
    }
}

fn values_of_spec(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    (spec, type_arguments): (&Spec, &Arguments),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let argument = |index: usize, budget: &mut EvaluationBudget| match call.arguments.get(index) {
        Some(argument) => {
            budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, *argument, budget))
        }
        None => PossibleValues::unknown(),
    };
    let result_of = |index: usize, budget: &mut EvaluationBudget| match call.arguments.get(index) {
        Some(argument) => {
            let functions =
                budget.run_nested_within_limits(|budget| resolver.evaluate_callee(call.file, *argument, budget));
            let mut all = PossibleValues { sure: functions.sure, ..PossibleValues::default() };
            for function in &functions.list {
                all.add(lambdas::result_of_function_value(resolver, function, budget));
            }
            if all.list.is_empty() { PossibleValues::unknown() } else { all }
        }
        None => PossibleValues::unknown(),
    };
    match spec {
        // The type argument may not be written: `List list`.
        Spec::TypeArgument(index) => {
            let given = type_arguments.as_ref().and_then(|arguments| arguments.get(*index).cloned());
            let mut given = given.unwrap_or_else(PossibleValues::unknown);
            given.sure &= call.receiver.sure;
            given.missing |= call.receiver.missing;
            given
        }
        Spec::Argument(index) => argument(*index, budget),
        Spec::ElementOfArgument(index) => {
            let values = argument(*index, budget);
            match values.list.iter().any(|value| matches!(value, Value::Container(_) | Value::Outside(_, Some(_)))) {
                true => resolver.values_yielded_by_values(values, budget),
                false => values,
            }
        }
        Spec::ResultOfArgument(index) => result_of(*index, budget),
        Spec::ElementOfResult(index) => {
            let result = result_of(*index, budget);
            resolver.values_yielded_by_values(result, budget)
        }
        Spec::TypeArgumentOfArgument(index) => {
            let values = argument(*index, budget);
            let of = values.list.iter().find_map(|value| match value {
                Value::Outside(_, Some(arguments)) => arguments.first().cloned(),
                _ => None,
            });
            of.unwrap_or_else(PossibleValues::unknown)
        }
        Spec::Named(name, inner) => {
            let arguments: Vec<PossibleValues> =
                inner.iter().map(|spec| values_of_spec(resolver, call, (spec, type_arguments), budget)).collect();
            let arguments = (!arguments.is_empty()).then(|| arguments.into());
            PossibleValues::single(Value::Outside((*name).into(), arguments), true)
        }
        Spec::Array(element) => {
            let element = values_of_spec(resolver, call, (element, type_arguments), budget);
            if element.list.is_empty() { PossibleValues::unknown() } else { element.into_container() }
        }
    }
}

/// Whether a value is of a type of the project, or may hold one.
fn may_hold_project_value(value: &Value) -> bool {
    match value {
        // `new Box<>(…)`: the arguments of the constructor decide.
        Value::Outside(_, Some(arguments)) if arguments.is_empty() => true,
        Value::Outside(_, Some(arguments)) => arguments.iter().any(|argument| {
            argument.missing.is_any() || argument.list.is_empty() || argument.list.iter().any(may_hold_project_value)
        }),
        Value::Outside(_, None) | Value::External => false,
        Value::Container(held) => held.iter().any(may_hold_project_value),
        _ => true,
    }
}
