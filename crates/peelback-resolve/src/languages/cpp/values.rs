//! Values in C++ behind pointers, operators and the containers of the standard library.

use peelback_syntax::names::{Expr, ExprId, NameId};

use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// Methods of containers and smart pointers that give a pointer to what they hold, or another holder of it.
const METHODS_GIVING_HOLDERS: &[&str] = &[
    "begin",
    "cbegin",
    "cend",
    "crbegin",
    "crend",
    "data",
    "end",
    "equal_range",
    "erase",
    "find",
    "get",
    "insert",
    "lock",
    "lower_bound",
    "rbegin",
    "release",
    "rend",
    "subspan",
    "upper_bound",
];

/// Methods of containers that give an element.
const METHODS_GIVING_ELEMENTS: &[&str] =
    &["at", "back", "emplace_back", "emplace_front", "front", "load", "top", "value", "value_or"];

/// The result of a call of a method of a container or smart pointer; `None` if the call is of something else.
pub(super) fn result_of_container_method(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let Expr::Member { base, name, .. } = resolver.expr_by_id(file, callee) else { return None };
    let receiver = resolver.evaluate_expr(file, base, budget);
    if receiver.list.is_empty() || !receiver.list.iter().all(|value| matches!(value, Value::Container(_))) {
        return None;
    }
    let name = resolver.name_text(file, name);
    if METHODS_GIVING_HOLDERS.binary_search(&name).is_ok() {
        return Some(receiver);
    }
    if METHODS_GIVING_ELEMENTS.binary_search(&name).is_ok() {
        return Some(resolver.values_yielded_by_values(receiver, budget));
    }
    Some(PossibleValues::unknown())
}

/// The value of a member that is read. The pairs that containers hold are known by what is in them.
pub(super) fn value_of_read_member(
    resolver: &Resolver<'_>,
    (file, base, name): (FileId, ExprId, NameId),
    found: PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    if found.list.iter().any(|value| *value != Value::External) {
        return found;
    }
    let holder = resolver.evaluate_expr(file, base, budget);
    let is_pair_member = matches!(resolver.name_text(file, name), "first" | "second");
    let is_container = holder.list.iter().any(|value| matches!(value, Value::Container(_)));
    match (is_container, is_pair_member) {
        (true, true) => resolver.values_yielded_by_values(holder, budget).marked_as_inferred(),
        (false, true) if found.list.is_empty() && !holder.list.is_empty() => holder.marked_as_inferred(),
        (true, false) => PossibleValues::unknown(),
        _ => found,
    }
}

/// What `*`, `->` or a loop gives of an instance of a type of the project; `None` if the type does not declare it.
pub(super) fn values_behind_instance(
    resolver: &Resolver<'_>,
    def: Def,
    arguments: &Arguments,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    for (operator, gives_pointer) in [("operator->", true), ("operator*", false), ("begin", true)] {
        let found = result_of_operator(resolver, def, arguments, operator, budget);
        if found.list.is_empty() {
            continue;
        }
        if !gives_pointer {
            return Some(found);
        }
        let own = |value: &Value| matches!(value, Value::Instance(other, _) if *other == def);
        if found.list.iter().any(own) {
            return None;
        }
        return Some(budget.run_nested_within_limits(|budget| resolver.values_yielded_by_values(found, budget)));
    }
    None
}

/// The results of a member function without arguments, or of an operator, of an instance.
pub(super) fn result_of_operator(
    resolver: &Resolver<'_>,
    def: Def,
    arguments: &Arguments,
    name: &str,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let member = budget.run_nested_within_limits(|budget| resolver.type_member(def, name, budget));
    let mut all = PossibleValues::default();
    for referent in &member.referents {
        if let Referent::Def(function) = referent {
            let given = Value::Function(*function);
            all.add(budget.run_nested_within_limits(|budget| resolver.result_of_calling_value(&given, budget)));
        }
    }
    let receiver = PossibleValues::single(Value::Instance(def, arguments.clone()), true);
    resolver.substitute_receiver_type_arguments(all, &receiver, budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(METHODS_GIVING_HOLDERS.is_sorted() && METHODS_GIVING_ELEMENTS.is_sorted());
    }
}
