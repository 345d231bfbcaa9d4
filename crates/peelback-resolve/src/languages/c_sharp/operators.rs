//! The values of C#'s operators. The binder writes an operator as a call of a function that no source can name.

use peelback_syntax::names::ExprId;

use super::platform;
use super::views::outside_views;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Referent;
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The names that the binder gives to operators.
const OPERATORS: &[&str] = &["+", "?:", "[]", "await", "foreach", "group", "select"];

/// Whether the binder gives an operator this name.
pub(super) fn is_operator(name: &str) -> bool {
    OPERATORS.contains(&name)
}

/// The value of an operator with these operands.
pub(super) fn result_of_operator(
    resolver: &Resolver<'_>,
    (file, name): (FileId, &str),
    operands: &[ExprId],
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let values: Vec<PossibleValues> = operands
        .iter()
        .map(|operand| budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *operand, budget)))
        .collect();
    let first = values.first().cloned().unwrap_or_default();
    match name {
        "+" => promoted(&values),
        "?:" => first_known(values),
        "[]" => for_each_value(first, |value| indexed_value(resolver, value, budget)),
        "await" => for_each_value(first, |value| Some(awaited_value(resolver, value, budget))),
        "foreach" => for_each_value(first, |value| element_of_value(resolver, value, budget)),
        "select" => platform::instance_of_type("IEnumerable", Some(vec![first].into())),
        "group" => {
            let element = values.get(1).cloned().unwrap_or_default();
            let group = platform::instance_of_type("IGrouping", Some(vec![first, element].into()));
            platform::instance_of_type("IEnumerable", Some(vec![group].into()))
        }
        _ => PossibleValues::unknown(),
    }
}

fn for_each_value(values: PossibleValues, mut of: impl FnMut(&Value) -> Option<PossibleValues>) -> PossibleValues {
    let mut all = PossibleValues { missing: values.missing, ..PossibleValues::default() };
    for value in &values.list {
        match of(value) {
            Some(found) => all.add(found),
            None => all.missing |= Missing::Unknown,
        }
    }
    all.sure &= values.sure;
    all
}

/// What iterating over a value gives.
pub(super) fn element_of_value(
    resolver: &Resolver<'_>,
    value: &Value,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    match value {
        Value::Container(held) => return Some(held.to_values(true)),
        Value::External => return Some(PossibleValues::external()),
        _ => {}
    }
    if let Some(element) = element_of_outside_views(resolver, value, budget) {
        return Some(element);
    }
    let Value::Instance(def, _) = value else { return None };
    let receiver = PossibleValues::single(value.clone(), true);
    for referent in resolver.type_member(*def, "GetEnumerator", budget).referents {
        let Referent::Def(method) = referent else { continue };
        let found = budget.run_nested_within_limits(|budget| resolver.return_values_of_function(method, budget));
        for enumerator in &found.list {
            let element = match enumerator {
                Value::Outside(_, Some(arguments)) => arguments.last().cloned(),
                Value::Instance(of, _) => {
                    let current = resolver.type_member(*of, "Current", budget);
                    Some(resolver.evaluate_resolution(&current, budget))
                }
                _ => None,
            };
            if let Some(element) = element {
                return Some(resolver.substitute_receiver_type_arguments(element, &receiver, budget));
            }
        }
    }
    None
}

/// The element of a value that is a sequence by a type outside the project.
pub(super) fn element_of_outside_views(
    resolver: &Resolver<'_>,
    value: &Value,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    if let Value::Container(held) = value {
        return Some(held.to_values(true));
    }
    outside_views(resolver, value, budget)
        .into_iter()
        .find_map(|view| platform::element_of_sequence(&view.name, view.arguments.as_ref()?))
}

/// What indexing a value gives.
fn indexed_value(resolver: &Resolver<'_>, value: &Value, budget: &mut EvaluationBudget) -> Option<PossibleValues> {
    match value {
        Value::Instance(def, _) => {
            let indexers = resolver.type_member(*def, "this", budget);
            if indexers.referents.iter().any(|referent| *referent != Referent::External) {
                let receiver = PossibleValues::single(value.clone(), true);
                let values = resolver.evaluate_resolution(&indexers, budget);
                return Some(resolver.substitute_receiver_type_arguments(values, &receiver, budget));
            }
            let views = outside_views(resolver, value, budget);
            views.into_iter().find_map(|view| view.arguments?.last().cloned())
        }
        Value::Outside(name, Some(arguments)) if platform::is_indexed_by_last_argument(name) => {
            arguments.last().cloned()
        }
        Value::Outside(name, None) if **name == *"string" => Some(platform::instance_of_type("char", None)),
        Value::Outside(_, None) | Value::External => Some(PossibleValues::external()),
        Value::Container(held) => Some(held.to_values(true)),
        _ => None,
    }
}

/// What `await` gives.
pub(super) fn awaited_value(resolver: &Resolver<'_>, value: &Value, budget: &mut EvaluationBudget) -> PossibleValues {
    match value {
        Value::Outside(name, Some(arguments)) if platform::is_task(name) => {
            arguments.last().cloned().unwrap_or_default()
        }
        Value::Outside(_, None) | Value::External => PossibleValues::external(),
        Value::Instance(def, _) => {
            let receiver = PossibleValues::single(value.clone(), true);
            for referent in resolver.type_member(*def, "GetAwaiter", budget).referents {
                let Referent::Def(method) = referent else { continue };
                let awaiter =
                    budget.run_nested_within_limits(|budget| resolver.return_values_of_function(method, budget));
                if let Some(Value::Outside(_, Some(arguments))) = awaiter.list.first() {
                    let result = arguments.last().cloned().unwrap_or_default();
                    return resolver.substitute_receiver_type_arguments(result, &receiver, budget);
                }
            }
            PossibleValues::unknown()
        }
        _ => PossibleValues::unknown(),
    }
}

/// The type of numbers and texts that an operator joins, or what the operator of a type of the project gives.
fn promoted(operands: &[PossibleValues]) -> PossibleValues {
    let mut widest: Option<&str> = None;
    for operand in operands {
        match operand.list.as_slice() {
            [Value::Outside(name, _)] if **name == *"string" => return platform::instance_of_type("string", None),
            [Value::Outside(name, _)] if platform::width_of_number(name).is_some() => {
                if widest.is_none_or(|known| platform::width_of_number(name) >= platform::width_of_number(known)) {
                    widest = Some(name);
                }
            }
            // An operator of a type mostly gives the type, and so do flags of an enum.
            [value @ Value::Instance(..)] => {
                return PossibleValues::single(value.clone(), false);
            }
            _ => return PossibleValues::unknown(),
        }
    }
    match widest {
        Some("byte" | "sbyte" | "short" | "ushort" | "char") => platform::instance_of_type("int", None),
        Some(name) => platform::instance_of_type(name, None),
        None => PossibleValues::unknown(),
    }
}

/// What one of several alternatives is, which have a common type: the values of all but `null`.
fn first_known(parts: Vec<PossibleValues>) -> PossibleValues {
    let is_null =
        |part: &PossibleValues| matches!(part.list.as_slice(), [Value::Outside(name, _)] if **name == *"null");
    let mut all = PossibleValues::default();
    let is_any_known = parts.iter().any(|part| !is_null(part));
    for part in parts.into_iter().filter(|part| !is_any_known || !is_null(part)) {
        all.missing |= if part.list.is_empty() { Missing::Unknown } else { part.missing };
        if part.list.iter().any(|value| !all.list.contains(value)) || !part.sure {
            all.add(part);
        }
    }
    all.sure &= all.list.len() < 2;
    all
}
