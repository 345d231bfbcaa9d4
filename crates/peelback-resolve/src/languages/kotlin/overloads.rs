//! Which of several functions of one name a call means in Kotlin, and which override one another.

use peelback_syntax::names::{BindingKind, ExprId};

use super::{fits, linkage, parameters};
use crate::languages::jvm::fit::Fit;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// Of several functions, those that take the arguments of the call of `callee`: by their number and names, and by their
/// types as far as these are known.
pub(super) fn functions_chosen_by_arguments(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    functions: Resolution,
    budget: &mut EvaluationBudget,
) -> Resolution {
    if functions.referents.len() < 2 {
        return functions;
    }
    let Some(arguments) = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(callee)) else {
        return nearest_of_copies(resolver, file, functions);
    };
    let is_function =
        |def: Def| resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Function);
    let mut candidates: Vec<(Def, Vec<usize>)> = Vec::new();
    let mut others = Vec::new();
    for referent in &functions.referents {
        match referent {
            Referent::Def(def) if is_function(*def) => {
                let Some(parameters) = parameters::parameters_of_function(resolver, *def) else { continue };
                let taking =
                    parameters::parameters_taking_arguments(resolver, (file, callee), arguments.len(), &parameters);
                candidates.extend(taking.map(|taking| (*def, taking)));
            }
            other => others.push(other.clone()),
        }
    }
    if candidates.is_empty() {
        return match others.is_empty() || functions.missing == Missing::LeftOut {
            true => Resolution { sure: false, ..functions },
            false => Resolution { referents: others, ..functions },
        };
    }
    let mut sure = functions.sure && functions.missing != Missing::LeftOut;
    if candidates.len() > 1 {
        let given: Vec<PossibleValues> = arguments
            .iter()
            .map(|argument| {
                let given = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *argument, budget));
                super::types::with_objects_as_instances(resolver, given)
            })
            .collect();
        candidates = keep_best(resolver, candidates, &given, budget);
    }
    let referents = candidates.iter().map(|(def, _)| Referent::Def(*def)).collect();
    let chosen = nearest_of_copies(resolver, file, Resolution { referents, sure, missing: functions.missing });
    sure &= chosen.referents.len() == 1;
    Resolution { sure, ..chosen }
}

/// A function, with the position of the parameter that takes each argument.
type Candidate = (Def, Vec<usize>);

/// Keeps the functions whose parameters the arguments fit best; all if they fit none.
fn keep_best(
    resolver: &Resolver<'_>,
    candidates: Vec<Candidate>,
    given: &[PossibleValues],
    budget: &mut EvaluationBudget,
) -> Vec<Candidate> {
    let mut judged: Vec<(Vec<Fit>, usize, Candidate)> = Vec::new();
    for (def, taking) in &candidates {
        let Some(declared) = resolver.declared_parameters(*def, budget) else { continue };
        let named = parameters::parameters_of_function(resolver, *def).unwrap_or_default();
        let fits: Vec<Fit> = given
            .iter()
            .zip(taking)
            .map(|(given, at)| {
                let Some(of) = declared.types.get(*at) else { return Fit::Unknown };
                let is_rest = named.get(*at).is_some_and(|parameter| parameter.takes_rest);
                let of = if is_rest { resolver.values_yielded_by_values(of.clone(), budget) } else { of.clone() };
                fits::fit_of_values(resolver, given, &of, budget)
            })
            .collect();
        if !fits.contains(&Fit::Not) {
            judged.push((fits, declared.types.len(), (*def, taking.clone())));
        }
    }
    if judged.is_empty() {
        return candidates;
    }
    // A function is worse than another if no argument fits it better, and one fits it less.
    let is_worse = |one: &[Fit], other: &[Fit]| {
        let pairs = || one.iter().zip(other);
        pairs().all(|(one, other)| *other <= *one && *one != Fit::Unknown && *other != Fit::Unknown || one == other)
            && pairs().any(|(one, other)| other < one)
    };
    let all: Vec<Vec<Fit>> = judged.iter().map(|(fits, ..)| fits.clone()).collect();
    judged.retain(|(fits, ..)| !all.iter().any(|other| is_worse(fits, other)));
    // A function that needs no defaults comes first.
    let fewest = judged.iter().map(|(_, count, _)| *count).min();
    let first = judged.first().map(|(fits, ..)| fits.clone()).unwrap_or_default();
    if judged.iter().all(|(fits, ..)| *fits == first && !fits.contains(&Fit::Unknown)) {
        judged.retain(|(_, count, _)| Some(*count) == fewest);
    }
    judged.into_iter().map(|(_, _, candidate)| candidate).collect()
}

/// Of definitions that are one in several source sets, keeps the one that is nearest to a file.
pub(super) fn nearest_of_copies(resolver: &Resolver<'_>, file: FileId, mut found: Resolution) -> Resolution {
    if found.referents.len() < 2 {
        return found;
    }
    let table = resolver.project_index().project_file_table();
    let own = table.path_of_file(file);
    let distance = |def: Def| {
        let path = table.path_of_file(def.file);
        let shared = own.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
        (std::cmp::Reverse(shared), !path.contains("/common"), def)
    };
    let defs: Vec<Def> = found
        .referents
        .iter()
        .filter_map(|referent| match referent {
            Referent::Def(def) => Some(*def),
            _ => None,
        })
        .collect();
    let kind = |def: Def| {
        resolver.binding_of_definition(def).map(|binding| (binding.kind == BindingKind::Function, binding.name))
    };
    let is_copy = |one: Def, other: Def| {
        one.file != other.file
            && kind(one).map(|(is_function, _)| is_function) == kind(other).map(|(is_function, _)| is_function)
            && linkage::are_in_other_source_sets(resolver, one.file, other.file)
            && resolver.parameter_count_of_function(one) == resolver.parameter_count_of_function(other)
            && linkage::has_same_types(resolver, one, other)
    };
    found.referents.retain(|referent| match referent {
        Referent::Def(def) => {
            !defs.iter().any(|other| *other != *def && distance(*other) < distance(*def) && is_copy(*def, *other))
        }
        _ => true,
    });
    resolver.nearest_of_same_name(file, found)
}

/// Whether a member of a type hides a member of the same name in a base.
pub(super) fn hides_inherited_member(
    resolver: &Resolver<'_>,
    own: Def,
    inherited: Def,
    budget: &mut EvaluationBudget,
) -> bool {
    let kind = |def: Def| resolver.binding_of_definition(def).map(|binding| binding.kind);
    match (kind(own), kind(inherited)) {
        (Some(BindingKind::Function), Some(BindingKind::Function)) => {
            own == inherited || have_same_parameters(resolver, own, inherited, budget)
        }
        (Some(BindingKind::Function), _) | (_, Some(BindingKind::Function)) => false,
        (Some(BindingKind::Type), Some(BindingKind::Type)) => true,
        (Some(BindingKind::Type), _) | (_, Some(BindingKind::Type)) => false,
        _ => true,
    }
}

/// Whether a member can override another one of the same name, which is in a base.
pub(super) fn can_override(resolver: &Resolver<'_>, member: Def, other: Def, budget: &mut EvaluationBudget) -> bool {
    let of = |def: Def| {
        resolver
            .binding_of_definition(def)
            .filter(|binding| !binding.private && !binding.on_type)
            .map(|binding| binding.kind)
    };
    match (of(member), of(other)) {
        (Some(BindingKind::Function), Some(BindingKind::Function)) => {
            have_same_parameters(resolver, member, other, budget)
        }
        (Some(one), Some(other)) => {
            let is_property = |kind| matches!(kind, BindingKind::Field | BindingKind::Property);
            is_property(one) && is_property(other)
        }
        _ => false,
    }
}

fn have_same_parameters(resolver: &Resolver<'_>, one: Def, other: Def, budget: &mut EvaluationBudget) -> bool {
    if resolver.parameter_count_of_function(one) != resolver.parameter_count_of_function(other) {
        return false;
    }
    let receiver = |def: Def| parameters::receiver_type_of_extension(resolver, def).is_some();
    if receiver(one) != receiver(other) {
        return false;
    }
    let (Some(one), Some(other)) =
        (resolver.declared_parameters(one, budget), resolver.declared_parameters(other, budget))
    else {
        return false;
    };
    one.types.iter().zip(&other.types).all(|(one, other)| may_be_same_type(resolver, one, other))
}

/// Whether two parameters have the same type, as far as it is known and without type arguments.
fn may_be_same_type(resolver: &Resolver<'_>, one: &PossibleValues, other: &PossibleValues) -> bool {
    let (Some(first), Some(second)) = (one.list.first(), other.list.first()) else { return true };
    if matches!(first, Value::Parameter(_)) || matches!(second, Value::Parameter(_)) {
        return true;
    }
    match (fits::name_of_type(resolver, one), fits::name_of_type(resolver, other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}
