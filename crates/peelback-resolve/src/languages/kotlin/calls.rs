//! The results of calls in Kotlin.

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use super::{library, parameters};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
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
    let mut all = PossibleValues::default();
    let mut called = Vec::new();
    for value in &functions.list {
        match value {
            Value::Function(def) => {
                called.push(*def);
                all.add(declared_or_returned_values(resolver, *def, budget));
            }
            Value::Type(def, None) => {
                let arguments = arguments_of_constructed_type(resolver, (file, callee), *def, budget);
                all.add(PossibleValues::single(Value::Instance(*def, arguments), true));
            }
            Value::Type(def, arguments) => {
                all.add(PossibleValues::single(Value::Instance(*def, arguments.clone()), true));
            }
            Value::Instance(def, _) => {
                let member = budget.run_nested_within_limits(|budget| resolver.type_member(*def, "invoke", budget));
                for referent in member.referents {
                    if let Referent::Def(def) = referent {
                        called.push(def);
                        all.add(declared_or_returned_values(resolver, def, budget));
                    }
                }
            }
            _ => {}
        }
    }
    if called.is_empty() && all.list.is_empty() {
        if functions.list.iter().any(|value| matches!(value, Value::External | Value::Outside(..))) {
            all = library::result_of_call(resolver, (file, callee), budget);
        }
    } else {
        all = substitute_type_arguments(resolver, (file, callee), all, (called.as_slice(), true), budget);
    }
    all.sure &= functions.sure;
    all.missing |= functions.missing;
    all
}

/// What a function declares that it returns, else what its body returns.
pub(super) fn declared_or_returned_values(
    resolver: &Resolver<'_>,
    def: Def,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let Some(indexed) = resolver.names_index(def.file) else { return PossibleValues::default() };
    let binding = indexed.binding_or_placeholder(def.binding);
    if let Some(annotation) = binding.annotation {
        return budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(def.file, annotation, budget));
    }
    if let Some(behind) = parameters::definition_behind_accessor(resolver, def) {
        return budget.run_nested_within_limits(|budget| resolver.evaluate_definition(behind, budget));
    }
    if budget.open_definitions.contains(&def) {
        budget.record_cycle();
        return PossibleValues::default();
    }
    budget.open_definitions.push(def);
    let mut all = PossibleValues::default();
    for value in indexed.names().expr_ids_in_list_range(binding.values) {
        all.add(budget.run_nested_within_limits(|budget| resolver.evaluate_expr(def.file, *value, budget)));
    }
    budget.open_definitions.pop();
    all
}

/// The type arguments that the arguments of a constructor tell.
fn arguments_of_constructed_type(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    def: Def,
    budget: &mut EvaluationBudget,
) -> crate::resolve::value::Arguments {
    let indexed = resolver.names_index(def.file)?;
    let binding = indexed.binding_or_placeholder(def.binding);
    let around = indexed.parent_scope(binding.body?)?;
    if around == binding.scope {
        return None;
    }
    let own: Vec<Def> =
        indexed.type_parameters_of_scope(around).into_iter().map(|binding| Def { file: def.file, binding }).collect();
    if own.is_empty() {
        return None;
    }
    let constructor = constructors_of_type(resolver, def)
        .into_iter()
        .find(|constructor| parameters::takes_arguments(resolver, (file, callee), *constructor))?;
    let types = types_told_by_arguments(resolver, (file, callee), constructor, (own.as_slice(), false), budget);
    let of = |parameter: &Def| {
        types.iter().find(|(known, _)| known == parameter).map(|(_, values)| values.clone()).unwrap_or_default()
    };
    (!types.is_empty()).then(|| own.iter().map(of).collect())
}

/// The constructors that a type declares.
pub(super) fn constructors_of_type(resolver: &Resolver<'_>, def: Def) -> Vec<Def> {
    let Some(indexed) = resolver.names_index(def.file) else { return Vec::new() };
    let binding = indexed.binding_or_placeholder(def.binding);
    let Some(body) = binding.body else { return Vec::new() };
    let of_name = indexed.bindings_of_name_in_scope(body, binding.name).iter();
    of_name
        .filter(|id| indexed.binding_or_placeholder(**id).kind == BindingKind::Function)
        .map(|id| Def { file: def.file, binding: *id })
        .collect()
}

/// The values of type parameters `own` that the arguments of a call tell.
fn types_told_by_arguments(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    function: Def,
    (own, takes_lambdas): (&[Def], bool),
    budget: &mut EvaluationBudget,
) -> InferredTypes {
    let mut types = InferredTypes::new();
    let Some(arguments) = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(callee)) else {
        return types;
    };
    let Some(declared) = parameters::parameters_of_function(resolver, function) else { return types };
    let Some(taking) = parameters::parameters_taking_arguments(resolver, (file, callee), arguments.len(), &declared)
    else {
        return types;
    };
    let Some(names) = resolver.names_of_file(function.file) else { return types };
    let Some(binding) = resolver.binding_of_definition(function) else { return types };
    let annotations = names.expr_ids_in_list_range(binding.bases);
    for (argument, at) in arguments.iter().zip(taking) {
        let Some(annotation) = annotations.get(at) else { continue };
        let mut given = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *argument, budget));
        given = super::types::with_objects_as_instances(resolver, given);
        if !takes_lambdas {
            // What a lambda returns depends on what it is given.
            given.list.retain(|value| !matches!(value, Value::Function(_)));
        }
        if declared.get(at).is_some_and(|parameter| parameter.takes_rest) {
            given = given.into_container();
        }
        if !given.list.is_empty() {
            resolver.infer_type_parameters_from_passed_values(
                function.file,
                *annotation,
                given,
                own,
                (&mut types, MAX_LEVELS),
                budget,
            );
        }
    }
    types
}

/// The type parameters that a function declares.
fn type_parameters_of_function(resolver: &Resolver<'_>, function: Def) -> Vec<Def> {
    let Some(indexed) = resolver.names_index(function.file) else { return Vec::new() };
    let Some(body) = indexed.binding_or_placeholder(function.binding).body else { return Vec::new() };
    let own = indexed.type_parameters_of_scope(body);
    own.into_iter().map(|binding| Def { file: function.file, binding }).collect()
}

/// Replaces in `values` the type parameters of the receiver's type, and those of the called functions that are written, or
/// that the receiver and the arguments tell.
pub(super) fn substitute_type_arguments(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    mut values: PossibleValues,
    (called, takes_lambdas): (&[Def], bool),
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
    let (named, written) = match resolver.expr_by_id(file, callee) {
        Expr::Generic { base: Some(base), args } => (base, resolver.evaluate_type_arguments(file, args, budget)),
        _ => (callee, None),
    };
    let receiver = match resolver.expr_by_id(file, named) {
        Expr::Member { base, .. } => resolver.evaluate_expr(file, base, budget),
        Expr::Name { scope, .. } => resolver.this_value(file, scope, budget),
        _ => PossibleValues::default(),
    };
    values = resolver.substitute_receiver_type_arguments(values, &receiver, budget);
    for function in called.iter().take(2) {
        if !has_parameter(&values) {
            break;
        }
        let own = type_parameters_of_function(resolver, *function);
        if own.is_empty() {
            continue;
        }
        let mut types: InferredTypes = match &written {
            Some(written) => own.iter().copied().zip(written.iter().cloned()).collect(),
            None => InferredTypes::new(),
        };
        if let Some(of) = parameters::receiver_type_of_extension(resolver, *function)
            && !receiver.list.is_empty()
        {
            resolver.infer_type_parameters_from_passed_values(
                function.file,
                of,
                receiver.clone(),
                &own,
                (&mut types, MAX_LEVELS),
                budget,
            );
        }
        values = resolver.substitute_type_parameters(values, &types, MAX_LEVELS);
        if has_parameter(&values) {
            let told =
                types_told_by_arguments(resolver, (file, named), *function, (own.as_slice(), takes_lambdas), budget);
            values = resolver.substitute_type_parameters(values, &told, MAX_LEVELS);
        }
    }
    values
}
