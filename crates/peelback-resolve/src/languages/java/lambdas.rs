//! What Java's lambdas are given and what they return: by the interface that they implement.

use peelback_syntax::names::{BindingKind, ExprId};

use super::fit::Fit;
use super::types::views_as_outside_types;
use super::{calls, platform, platform_members, platform_methods};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the number of members of an interface and its bases that are looked at.
const MAX_MEMBERS: usize = 200;

/// The limit on the levels of bases in which the method of an interface is sought.
const MAX_LEVELS: usize = 8;

/// The value of parameter `parameter` of the lambda that is argument `argument` of a call of `callee`.
pub(in super::super) fn value_given_to_lambda(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    (argument, parameter): (u32, u32),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let functions = resolver.evaluate_callee(file, callee, budget);
    let (argument, parameter) = (argument as usize, parameter as usize);
    let mut all = PossibleValues::default();
    for value in &functions.list {
        let Value::Function(def) = value else { continue };
        let Some(parameters) = resolver.declared_parameters(*def, budget) else { continue };
        let Some(declared) = parameters.types.get(argument).or(parameters.types.last()) else { continue };
        let mut given = PossibleValues { missing: declared.missing, sure: declared.sure, list: Vec::new() };
        for interface in &declared.list {
            given.add(value_given_by_interface(resolver, interface, parameter, budget));
        }
        if !given.list.is_empty() {
            given = calls::substitute_type_arguments_of_call(resolver, (file, callee), given, &functions, budget);
        }
        all.add(given);
    }
    if all.list.is_empty() && functions.list.contains(&Value::External) {
        all = platform_methods::value_given_to_lambda(resolver, (file, callee), (argument, parameter), budget);
    }
    all.sure &= functions.sure;
    all.missing |= functions.missing;
    all
}

/// The value of a parameter of the only method of an interface.
pub(in super::super) fn value_given_by_interface(
    resolver: &Resolver<'_>,
    interface: &Value,
    parameter: usize,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    match interface {
        Value::Outside(name, Some(arguments)) => {
            let given =
                platform::parameters_of_functional_interface(name).and_then(|given| given.get(parameter).copied());
            given.and_then(|at| arguments.get(at).cloned()).unwrap_or_default()
        }
        Value::Instance(def, arguments) => {
            let Some(method) = method_of_functional_interface(resolver, *def, budget) else {
                // An interface that derives from one of the platform.
                let views = views_as_outside_types(resolver, interface, budget);
                return views
                    .into_iter()
                    .filter(|view| platform::parameters_of_functional_interface(&view.name).is_some())
                    .map(|view| {
                        let view = Value::Outside(view.name, view.arguments);
                        budget.run_nested_within_limits(|budget| {
                            value_given_by_interface(resolver, &view, parameter, budget)
                        })
                    })
                    .next()
                    .unwrap_or_default();
            };
            let Some(parameters) = resolver.declared_parameters(method, budget) else {
                return PossibleValues::default();
            };
            let declared = parameters.types.get(parameter).cloned().unwrap_or_default();
            let receiver = PossibleValues::single(Value::Instance(*def, arguments.clone()), true);
            resolver.substitute_receiver_type_arguments(declared, &receiver, budget)
        }
        _ => PossibleValues::default(),
    }
}

/// The only method without a body that an interface of the project has or inherits.
pub(in super::super) fn method_of_functional_interface(
    resolver: &Resolver<'_>,
    interface: Def,
    budget: &mut EvaluationBudget,
) -> Option<Def> {
    let mut seen = vec![interface];
    let mut level = vec![interface];
    for _ in 0..MAX_LEVELS {
        let mut found = None;
        let mut next = Vec::new();
        for def in level {
            let indexed = resolver.names_index(def.file)?;
            let body = indexed.binding_or_placeholder(def.binding).body?;
            for id in indexed.bindings_of_scope(body).iter().take(MAX_MEMBERS) {
                let binding = indexed.binding_or_placeholder(*id);
                // The binder marks such methods.
                let is_object_method =
                    platform_members::is_method_of_every_object(indexed.names().name_text(binding.name));
                if binding.kind == BindingKind::Function && binding.constant && !binding.on_type && !is_object_method {
                    if found.is_some() {
                        return None;
                    }
                    found = Some(Def { file: def.file, binding: *id });
                }
            }
            for &(file, base) in resolver.bases_of_type(def, budget).iter() {
                for referent in resolver.resolve_expr_as_name(file, base, budget).referents {
                    if let Referent::Def(base) = referent
                        && !seen.contains(&base)
                    {
                        seen.push(base);
                        next.push(base);
                    }
                }
            }
        }
        if found.is_some() {
            return found;
        }
        level = next;
    }
    None
}

/// How well a lambda or a method reference fits the type of a parameter.
pub(in super::super) fn fit_of_function(
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
        Value::Outside(name, _) => match platform::parameters_of_functional_interface(name) {
            Some(parameters) => Some(parameters.len()),
            None if is_known_not_to_be_functional(name) => return Fit::Not,
            None => None,
        },
        Value::Instance(def, _) => match method_of_functional_interface(resolver, *def, budget) {
            Some(method) => resolver.parameter_count_of_function(method).map(|(count, _)| count),
            None => {
                let views = views_as_outside_types(resolver, parameter, budget);
                let functional = views.iter().find_map(|view| platform::parameters_of_functional_interface(&view.name));
                match functional {
                    Some(parameters) => Some(parameters.len()),
                    None if views.iter().any(|view| !is_known_not_to_be_functional(&view.name)) => None,
                    None if !resolver.are_all_bases_known(*def, budget) => None,
                    None => return Fit::Not,
                }
            }
        },
        Value::Container(_) => return Fit::Not,
        _ => None,
    };
    match (count, expected) {
        (Some(count), Some(expected)) if count != expected => Fit::Not,
        // The result of the function decides, too.
        _ => Fit::Unknown,
    }
}

/// Whether a type of the platform that is no interface that a lambda can implement has this name. Of types that are known
/// by name alone it is not known.
fn is_known_not_to_be_functional(name: &str) -> bool {
    platform::bases_of_type(name).is_some() || platform::width_of_primitive(name).is_some()
}

/// What a call of a function value returns: a lambda, a method reference or a reference to a constructor.
pub(in super::super) fn result_of_function_value(
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
        Value::Type(def, arguments) => PossibleValues::single(Value::Instance(*def, arguments.clone()), true),
        _ => PossibleValues::default(),
    }
}
