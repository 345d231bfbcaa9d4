//! What is known of Kotlin's standard library: its types, what its functions return, and what they pass to lambdas.

mod rules;
mod types;

use peelback_syntax::names::{Expr, ExprId, RECEIVER_PARAMETER};

use super::{calls, parameters};
use crate::languages::jvm;
use crate::languages::jvm::fit::Fit;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};
use rules::{Rule, Spec};

pub(super) use types::{is_basic_type, is_subtype, kotlin_name, member_names};

/// How well a value of a type fits another type.
pub(super) fn fit_of_type(name: &str, of: &str) -> Fit {
    let (name, of) = (kotlin_name(name), kotlin_name(of));
    if name == of {
        return Fit::Exact;
    }
    if name == "null" || of == "Any" {
        return Fit::Derived;
    }
    if is_basic_type(of) {
        return if is_basic_type(name) || is_subtype(name, of) == Some(false) { Fit::Not } else { Fit::Unknown };
    }
    match is_subtype(name, of) {
        Some(true) => Fit::Derived,
        Some(false) => Fit::Not,
        None => Fit::Unknown,
    }
}

/// Whether a type of the library has, or may have, a member.
pub(super) fn has_member(name: &str, member: &str) -> bool {
    rules::rule_of_type(name, member).is_some()
}

/// The names of the functions by which Java has a property.
pub(super) fn accessor_names(property: &str) -> Vec<String> {
    let mut chars = property.chars();
    let capital: String = chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect());
    let mut names = vec![format!("get{capital}"), format!("set{capital}")];
    if let Some(rest) = property.strip_prefix("is").filter(|rest| rest.starts_with(char::is_uppercase)) {
        names.push(property.to_owned());
        names.push(format!("set{rest}"));
    }
    names
}

/// Whether a name is written as types are.
pub(super) fn is_written_as_type(name: &str) -> bool {
    crate::resolve::outside::is_written_as_type(name)
}

/// A call of a function outside the project.
struct LibraryCall<'a> {
    file: FileId,
    arguments: &'a [ExprId],
    receiver: PossibleValues,
    rule: &'static Rule,
    /// The type arguments of the receiver's type that the rule is about.
    type_arguments: Arguments,
    /// The type arguments that the call itself has.
    written: Arguments,
}

/// The possible values of a call of `callee`, a function outside the project.
pub(super) fn result_of_call(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    if let Some(call) = library_call(resolver, (file, callee), budget) {
        return match &call.rule.result {
            Some(result) => values_of_spec(resolver, &call, result, budget),
            None => PossibleValues::external(),
        };
    }
    let named = without_type_arguments(resolver, file, callee);
    let text = resolver.last_name_of_path(file, named);
    // A constructor.
    if is_written_as_type(text) {
        let arguments = match resolver.expr_by_id(file, callee) {
            Expr::Generic { args, .. } => resolver.evaluate_type_arguments(file, args, budget),
            _ => None,
        };
        return PossibleValues::single(Value::Outside(text.into(), arguments), true);
    }
    let values = jvm::platform_methods::result_of_call(resolver, (file, callee), budget);
    if values.list.is_empty() { PossibleValues::unknown() } else { values }
}

/// The value of a parameter of the lambda that is an argument of a call of a function outside the project.
pub(super) fn value_given_to_lambda(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    (argument, parameter): (u32, u32),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let Some(call) = library_call(resolver, (file, callee), budget) else {
        if parameter == RECEIVER_PARAMETER {
            return PossibleValues::default();
        }
        return jvm::platform_methods::value_given_to_lambda(
            resolver,
            (file, callee),
            (argument as usize, parameter as usize),
            budget,
        );
    };
    let spec = match parameter {
        RECEIVER_PARAMETER => call.rule.this.as_ref(),
        parameter => call.rule.given.get(parameter as usize),
    };
    match spec {
        Some(spec) => values_of_spec(resolver, &call, spec, budget),
        None => PossibleValues::default(),
    }
}

/// The value of a property outside the project; `None` if it is not known.
pub(super) fn value_of_property(
    resolver: &Resolver<'_>,
    receiver: &PossibleValues,
    name: &str,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let (rule, type_arguments) = rule_for_receiver(resolver, receiver, name, budget)?;
    let receiver = receiver.clone();
    let call = LibraryCall { file: 0, arguments: &[], receiver, rule, type_arguments, written: None };
    rule.result.as_ref().map(|result| values_of_spec(resolver, &call, result, budget))
}

fn without_type_arguments(resolver: &Resolver<'_>, file: FileId, callee: ExprId) -> ExprId {
    match resolver.expr_by_id(file, callee) {
        Expr::Generic { base: Some(base), .. } => base,
        _ => callee,
    }
}

fn library_call<'r>(
    resolver: &'r Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> Option<LibraryCall<'r>> {
    let named = without_type_arguments(resolver, file, callee);
    let written = match resolver.expr_by_id(file, callee) {
        Expr::Generic { args, .. } => resolver.evaluate_type_arguments(file, args, budget),
        _ => None,
    };
    let method = resolver.last_name_of_path(file, named);
    let arguments = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(named)).unwrap_or(&[]);
    match resolver.expr_by_id(file, named) {
        Expr::Member { base, .. } => {
            let receiver = resolver.evaluate_expr(file, base, budget);
            let receiver = super::types::with_objects_as_instances(resolver, receiver);
            let (rule, type_arguments) = rule_for_receiver(resolver, &receiver, method, budget)?;
            Some(LibraryCall { file, arguments, receiver, rule, type_arguments, written })
        }
        Expr::Name { scope, .. } => {
            if let Some(rule) = rules::rule_of_type("", method) {
                return Some(LibraryCall {
                    file,
                    arguments,
                    receiver: PossibleValues::default(),
                    rule,
                    type_arguments: None,
                    written,
                });
            }
            // A function for an implicit receiver.
            let receiver = resolver.this_value(file, scope, budget);
            let (rule, type_arguments) = rule_for_receiver(resolver, &receiver, method, budget)?;
            Some(LibraryCall { file, arguments, receiver, rule, type_arguments, written })
        }
        _ => None,
    }
}

/// The rule of a member of a receiver, with the type arguments of the type that it is about.
fn rule_for_receiver(
    resolver: &Resolver<'_>,
    receiver: &PossibleValues,
    method: &str,
    budget: &mut EvaluationBudget,
) -> Option<(&'static Rule, Arguments)> {
    for value in &receiver.list {
        match value {
            Value::Container(held) => {
                if let Some(rule) = rules::rule_of_type("Array", method) {
                    let element = held.to_values(receiver.sure);
                    return Some((rule, Some(vec![element].into())));
                }
            }
            Value::Type(def, _) => {
                if let Some(rule) = rules::rule_of_type("<type>", method) {
                    let own = PossibleValues::single(Value::Instance(*def, None), true);
                    return Some((rule, Some(vec![own].into())));
                }
            }
            _ => {
                for view in jvm::types::views_as_outside_types(resolver, value, budget) {
                    if let Some(rule) = rules::rule_of_type(kotlin_name(&view.name), method) {
                        return Some((rule, view.arguments));
                    }
                }
            }
        }
    }
    rules::rule_of_type("Any", method).map(|rule| (rule, None))
}

fn values_of_spec(
    resolver: &Resolver<'_>,
    call: &LibraryCall<'_>,
    spec: &Spec,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let argument = |index: usize, budget: &mut EvaluationBudget| match call.arguments.get(index) {
        Some(argument) => {
            let values = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, *argument, budget));
            super::types::with_objects_as_instances(resolver, values)
        }
        None => PossibleValues::unknown(),
    };
    match spec {
        Spec::Receiver => call.receiver.clone(),
        Spec::TypeArgument(index) => {
            let given = call.type_arguments.as_ref().and_then(|arguments| arguments.get(*index).cloned());
            let mut given = given.unwrap_or_else(PossibleValues::unknown);
            given.sure &= call.receiver.sure;
            given.missing |= call.receiver.missing;
            given
        }
        Spec::Argument(index) => argument(*index, budget),
        Spec::CallTypeArgument(index) => {
            if let Some(written) = &call.written {
                return written.get(*index).cloned().unwrap_or_else(PossibleValues::unknown);
            }
            let mut all = PossibleValues::default();
            for at in 0..call.arguments.len().min(MAX_ARGUMENTS) {
                let given = argument(at, budget);
                let sure = given.sure;
                for value in &given.list {
                    let views = jvm::types::views_as_outside_types(resolver, value, budget);
                    let told = views.into_iter().find_map(|view| view.arguments?.get(*index).cloned());
                    let mut told = told.unwrap_or_else(PossibleValues::unknown);
                    told.sure &= sure;
                    all.add(told);
                }
            }
            if all.list.is_empty() { PossibleValues::unknown() } else { all }
        }
        Spec::ElementsOfArguments => {
            if let Some(written) = &call.written {
                return written.first().cloned().unwrap_or_else(PossibleValues::unknown);
            }
            let mut all = PossibleValues::default();
            for index in 0..call.arguments.len().min(MAX_ARGUMENTS) {
                all.add(argument(index, budget));
            }
            if all.list.is_empty() { PossibleValues::unknown() } else { all }
        }
        Spec::ElementOfArgument(index) => {
            let values = argument(*index, budget);
            resolver.values_yielded_by_values(values, budget)
        }
        Spec::Result => result_of_last_lambda(resolver, call, budget),
        Spec::ElementOfResult => {
            let result = result_of_last_lambda(resolver, call, budget);
            resolver.values_yielded_by_values(result, budget)
        }
        Spec::Named(name, inner) => {
            let arguments: Vec<PossibleValues> =
                inner.iter().map(|spec| values_of_spec(resolver, call, spec, budget)).collect();
            let arguments = (!arguments.is_empty()).then(|| arguments.into());
            PossibleValues::single(Value::Outside((*name).into(), arguments), true)
        }
    }
}

/// The limit on the number of arguments whose values a container is taken to hold.
const MAX_ARGUMENTS: usize = 16;

/// What the last argument of a call returns, if it is a function.
fn result_of_last_lambda(
    resolver: &Resolver<'_>,
    call: &LibraryCall<'_>,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let Some(last) = call.arguments.last() else { return PossibleValues::unknown() };
    let functions = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, *last, budget));
    let mut all = PossibleValues { sure: functions.sure, ..PossibleValues::default() };
    for function in &functions.list {
        match function {
            Value::Function(def) => all.add(result_of_function_value(resolver, *def, call, budget)),
            Value::Type(def, arguments) => {
                all.add(PossibleValues::single(Value::Instance(*def, arguments.clone()), true));
            }
            // A reference to a property (`A::name`) is its value.
            other => all.add(PossibleValues::single(other.clone(), functions.sure)),
        }
    }
    if all.list.is_empty() { PossibleValues::unknown() } else { all }
}

fn result_of_function_value(
    resolver: &Resolver<'_>,
    def: Def,
    call: &LibraryCall<'_>,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let found = calls::declared_or_returned_values(resolver, def, budget);
    match parameters::receiver_type_of_extension(resolver, def) {
        Some(_) => found,
        None => resolver.substitute_receiver_type_arguments(found, &call.receiver, budget),
    }
}

#[cfg(test)]
mod tests {
    use super::types::{BASES, TYPES};
    use super::*;

    #[test]
    fn types_derive_from_others() {
        assert_eq!(is_subtype("MutableList", "Iterable"), Some(true));
        assert_eq!(is_subtype("String", "Number"), Some(false));
        assert_eq!(is_subtype("int", "Int"), Some(true));
        assert_eq!(fit_of_type("Int", "Long"), Fit::Not);
        assert_eq!(fit_of_type("String", "CharSequence"), Fit::Derived);
        assert_eq!(fit_of_type("Mystery", "Path"), Fit::Unknown);
    }

    #[test]
    fn bases_of_types_are_types() {
        for (name, bases) in TYPES {
            for base in *bases {
                assert!(BASES.contains_key(base), "{name}: {base}");
            }
        }
    }
}
