//! The types of Java's operators. The binder writes an operator as a call of a function that no source can name.

use peelback_syntax::names::ExprId;

use super::platform;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The name that the binder gives to operators whose operands are numbers, texts or truth values.
const PROMOTION: &str = "+";

/// The name that the binder gives to `a ? b : c`.
const CONDITIONAL: &str = "?:";

/// Whether the binder gives an operator this name.
pub(super) fn is_operator(name: &str) -> bool {
    name == PROMOTION || name == CONDITIONAL
}

/// The value of an operator with these operands.
pub(super) fn result_of_operator(
    resolver: &Resolver<'_>,
    (file, name): (FileId, &str),
    operands: &[ExprId],
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let mut values = operands
        .iter()
        .map(|operand| budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *operand, budget)));
    if name == PROMOTION { promoted(values) } else { conditional(&values.by_ref().collect::<Vec<_>>()) }
}

/// The type of numbers, texts and truth values that an operator joins.
fn promoted(operands: impl Iterator<Item = PossibleValues>) -> PossibleValues {
    let of = |name: &str| PossibleValues::single(Value::Outside(name.into(), None), true);
    let mut widest = "";
    let mut is_unknown = false;
    for operand in operands {
        let [Value::Outside(name, _)] = operand.list.as_slice() else {
            is_unknown = true;
            continue;
        };
        if **name == *"String" {
            return of("String");
        }
        let Some(primitive) = platform::primitive_of_value(name).filter(|_| !operand.missing.is_any()) else {
            is_unknown = true;
            continue;
        };
        if platform::width_of_primitive(primitive) >= platform::width_of_primitive(widest) {
            widest = primitive;
        }
    }
    match widest {
        _ if is_unknown => PossibleValues::unknown(),
        "" => PossibleValues::unknown(),
        "byte" | "short" | "char" => of("int"),
        of_all => of(of_all),
    }
}

/// What `a ? b : c` is, of the values of `b` and `c`. Where numbers are mixed with other types, it is not known.
fn conditional(parts: &[PossibleValues]) -> PossibleValues {
    let is_null =
        |part: &&PossibleValues| matches!(part.list.as_slice(), [Value::Outside(name, _)] if **name == *"null");
    let is_number =
        |value: &Value| matches!(value, Value::Outside(name, _) if platform::primitive_of_value(name).is_some());
    let has_number = parts.iter().any(|part| part.list.iter().any(is_number));
    let first = parts.first().map_or(&[] as &[Value], |part| &part.list);
    if has_number && parts.iter().any(|part| part.list != first || part.list.len() != 1) {
        return PossibleValues::unknown();
    }
    let given: Vec<&PossibleValues> = parts.iter().filter(|part| !is_null(part)).collect();
    let mut all = PossibleValues::default();
    for part in if given.is_empty() { parts.iter().collect() } else { given } {
        all.missing |= if part.list.is_empty() { crate::resolve::missing::Missing::Unknown } else { part.missing };
        if part.list.iter().any(|value| !all.list.contains(value)) || !part.sure {
            all.add(part.clone());
        }
    }
    all.sure &= all.list.len() < 2;
    all
}
