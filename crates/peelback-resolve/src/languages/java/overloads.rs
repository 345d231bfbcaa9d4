//! Which of several functions of one name a call means in Java, and which override one another.

use peelback_syntax::names::{BindingKind, ExprId};

use super::functions::{Fit, fit_of_values, may_be_same_type};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::declared_parameters::DeclaredParameters;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::PossibleValues;

/// A function that may take the arguments of a call.
struct Candidate {
    def: Def,
    parameter_count: usize,
    /// The types of the parameters that the arguments are given to, in the order of the arguments.
    expected: Vec<PossibleValues>,
    /// How well each argument fits.
    fits: Vec<Fit>,
    /// How well the worst argument fits.
    fit: Fit,
    /// Whether arguments are gathered for the last parameter.
    gathers_rest: bool,
}

/// Of several functions, those that take the arguments of the call of `callee`: by their number, and by their types as far
/// as these are known.
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
        return functions;
    };
    let by_count: Vec<Def> = functions
        .referents
        .iter()
        .filter_map(|referent| match referent {
            Referent::Def(def) => Some(*def),
            _ => None,
        })
        .filter(|def| takes_number_of_arguments(resolver, *def, arguments.len()))
        .filter(|def| is_accessible(resolver, *def, file))
        .collect();
    // Where a limit left functions out, one of those may take the arguments.
    let none = || match functions.missing {
        Missing::LeftOut => Resolution { missing: Missing::LeftOut, ..Resolution::default() },
        _ => Resolution { sure: false, ..functions.clone() },
    };
    let chosen = match by_count.as_slice() {
        [] => return none(),
        [_] => by_count,
        _ => {
            let given: Vec<PossibleValues> = arguments
                .iter()
                .map(|argument| {
                    budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *argument, budget))
                })
                .collect();
            match functions_fitting_values(resolver, &by_count, &given, budget) {
                fitting if !fitting.is_empty() => fitting,
                _ if functions.missing == Missing::LeftOut => return none(),
                _ => by_count,
            }
        }
    };
    let referents: Vec<Referent> = chosen.into_iter().map(Referent::Def).collect();
    let sure = functions.sure && referents.len() == 1 && functions.missing != Missing::LeftOut;
    Resolution { referents, sure, missing: functions.missing }
}

/// Whether code of a file can call a function. A private one is seen in the type that is around all others of its file.
fn is_accessible(resolver: &Resolver<'_>, def: Def, file: FileId) -> bool {
    def.file == file || resolver.binding_of_definition(def).is_none_or(|binding| !binding.private)
}

fn takes_number_of_arguments(resolver: &Resolver<'_>, def: Def, count: usize) -> bool {
    match resolver.parameter_count_of_function(def) {
        Some((parameters, false)) => parameters == count,
        Some((parameters, true)) => count + 1 >= parameters,
        None => false,
    }
}

/// Of functions that take the number of arguments, those that take these; none if no function does.
fn functions_fitting_values(
    resolver: &Resolver<'_>,
    functions: &[Def],
    given: &[PossibleValues],
    budget: &mut EvaluationBudget,
) -> Vec<Def> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for def in functions {
        let Some(parameters) = resolver.declared_parameters(*def, budget) else { continue };
        let mut best: Option<Candidate> = None;
        for gathers_rest in [false, true] {
            let Some(expected) = expected_types(resolver, &parameters, given.len(), gathers_rest, budget) else {
                continue;
            };
            let fits: Vec<Fit> = given
                .iter()
                .zip(&expected)
                .map(|(given, expected)| fit_of_values(resolver, given, expected, budget))
                .collect();
            let fit = fits.iter().copied().max().unwrap_or(Fit::Exact);
            if fit != Fit::Not && best.as_ref().is_none_or(|known| fit < known.fit) {
                let count = parameters.types.len();
                best = Some(Candidate { def: *def, parameter_count: count, expected, fits, fit, gathers_rest });
            }
        }
        candidates.extend(best);
    }
    if candidates.iter().all(|candidate| candidate.fit != Fit::Unknown) {
        // Functions that take the arguments as they are come before those that need objects made of them.
        let phase = |candidate: &Candidate| (candidate.gathers_rest, candidate.fit == Fit::Boxed);
        let first = candidates.iter().map(phase).min();
        candidates.retain(|candidate| Some(phase(candidate)) == first);
    }
    if candidates.len() > 1 && candidates.iter().all(|candidate| candidate.fit != Fit::Unknown)
        || are_told_apart_by_known_arguments(&candidates, given)
    {
        keep_most_specific(resolver, &mut candidates, budget);
    }
    candidates.into_iter().map(|candidate| candidate.def).collect()
}

/// Whether the candidates have the same types where it is not known how well an argument fits.
fn are_told_apart_by_known_arguments(candidates: &[Candidate], given: &[PossibleValues]) -> bool {
    let mut unknown = (0..given.len())
        .filter(|at| candidates.iter().any(|candidate| candidate.fits.get(*at).is_none_or(|fit| *fit == Fit::Unknown)));
    candidates.len() > 1
        && unknown.all(|at| {
            let mut types = candidates.iter().map(|candidate| candidate.expected.get(at));
            let first = types.next().flatten();
            types.all(|other| match (first, other) {
                (Some(first), Some(other)) => first.list == other.list,
                _ => false,
            })
        })
}

/// Keeps the candidate whose parameters fit those of all others, if there is one.
fn keep_most_specific(resolver: &Resolver<'_>, candidates: &mut Vec<Candidate>, budget: &mut EvaluationBudget) {
    let mut is_more_specific = |one: &Candidate, other: &Candidate| {
        one.expected
            .iter()
            .zip(&other.expected)
            .all(|(one, other)| fit_of_values(resolver, one, other, budget) <= Fit::Derived)
    };
    let best = candidates.iter().position(|one| {
        candidates.iter().all(|other| {
            one.def == other.def
                || is_more_specific(one, other) && (!is_more_specific(other, one) || has_fewer_gathered(one, other))
        })
    });
    if let Some(best) = best {
        let best = candidates.swap_remove(best);
        candidates.clear();
        candidates.push(best);
    }
}

fn has_fewer_gathered(one: &Candidate, other: &Candidate) -> bool {
    one.gathers_rest && other.gathers_rest && one.parameter_count > other.parameter_count
}

/// The types of the parameters that arguments are given to; `None` if the function does not take as many.
fn expected_types(
    resolver: &Resolver<'_>,
    parameters: &DeclaredParameters,
    count: usize,
    gathers_rest: bool,
    budget: &mut EvaluationBudget,
) -> Option<Vec<PossibleValues>> {
    if !gathers_rest {
        return (parameters.types.len() == count).then(|| parameters.types.clone());
    }
    let (rest, first) = parameters.types.split_last().filter(|_| parameters.takes_rest)?;
    let gathered = count.checked_sub(first.len())?;
    let element = resolver.values_yielded_by_values(rest.clone(), budget);
    Some(first.iter().cloned().chain(std::iter::repeat_n(element, gathered)).collect())
}

/// Whether a member of a type hides a member of the same name in a base: a field hides a field, and a method hides one
/// with the same parameters.
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
    let is_method_of_objects = |def: Def| {
        resolver
            .binding_of_definition(def)
            .is_some_and(|binding| binding.kind == BindingKind::Function && !binding.private && !binding.on_type)
    };
    is_method_of_objects(member) && is_method_of_objects(other) && have_same_parameters(resolver, member, other, budget)
}

fn have_same_parameters(resolver: &Resolver<'_>, one: Def, other: Def, budget: &mut EvaluationBudget) -> bool {
    if resolver.parameter_count_of_function(one) != resolver.parameter_count_of_function(other) {
        return false;
    }
    let (Some(one), Some(other)) =
        (resolver.declared_parameters(one, budget), resolver.declared_parameters(other, budget))
    else {
        return false;
    };
    one.types.iter().zip(&other.types).all(|(one, other)| may_be_same_type(one, other))
}
