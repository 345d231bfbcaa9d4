//! Which of several functions of one name a call means in C#, and which override one another.

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use super::fit::Fit;
use super::functions::{fit_of_values, may_be_same_type};
use super::{calls, extensions, methods};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
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

/// A call whose function is sought.
struct Call<'a> {
    file: FileId,
    callee: ExprId,
    arguments: &'a [ExprId],
    type_argument_count: usize,
    /// Whether extension methods are given their receivers as arguments.
    is_on_type: bool,
}

/// Of several functions, those that take the arguments of the call of `callee`: by their number, and by their types as far
/// as these are known.
pub(super) fn functions_chosen_by_arguments(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    functions: Resolution,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let Some(names) = resolver.names_of_file(file) else { return functions };
    let Some(arguments) = names.arguments_of_call(callee) else { return functions };
    let functions = without_explicit_implementations(resolver, functions);
    let defs: Vec<Def> = functions
        .referents
        .iter()
        .filter_map(|referent| match referent {
            Referent::Def(def) => Some(*def),
            _ => None,
        })
        .filter(|def| is_function(resolver, *def))
        .collect();
    if defs.is_empty() {
        return functions;
    }
    let call = Call {
        file,
        callee,
        arguments,
        type_argument_count: names.type_argument_count_of_name(callee) as usize,
        is_on_type: calls::is_called_on_type(resolver, (file, callee), budget),
    };
    let by_count = functions_taking_number(resolver, &call, &defs);
    if by_count.is_empty() {
        // Where no member of the receiver takes the arguments, an extension method may.
        let extensions = extension_methods(resolver, &call, budget);
        let extensions = functions_taking_number(resolver, &call, &extensions);
        if !extensions.is_empty() {
            return chosen_among(resolver, &call, (extensions, &functions), budget);
        }
        return match functions.missing {
            Missing::LeftOut => Resolution { missing: Missing::LeftOut, ..Resolution::default() },
            _ => Resolution { sure: false, ..functions },
        };
    }
    chosen_among(resolver, &call, (by_count, &functions), budget)
}

fn chosen_among(
    resolver: &Resolver<'_>,
    call: &Call<'_>,
    (by_count, functions): (Vec<Def>, &Resolution),
    budget: &mut EvaluationBudget,
) -> Resolution {
    let chosen = match by_count.as_slice() {
        [_] => by_count,
        _ => match functions_fitting_values(resolver, call, &by_count, budget) {
            fitting if !fitting.is_empty() => fitting,
            _ if functions.missing == Missing::LeftOut => {
                return Resolution { missing: Missing::LeftOut, ..Resolution::default() };
            }
            _ => by_count,
        },
    };
    let referents: Vec<Referent> = chosen.into_iter().map(Referent::Def).collect();
    let sure = functions.sure && referents.len() == 1 && functions.missing != Missing::LeftOut;
    Resolution { referents, sure, missing: functions.missing }
}

fn is_function(resolver: &Resolver<'_>, def: Def) -> bool {
    resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Function)
}

/// The extension methods that the receiver of a call can have.
fn extension_methods(resolver: &Resolver<'_>, call: &Call<'_>, budget: &mut EvaluationBudget) -> Vec<Def> {
    let Expr::Member { base, name, .. } = resolver.expr_by_id(call.file, call.callee) else { return Vec::new() };
    if call.is_on_type {
        return Vec::new();
    }
    let receiver = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, base, budget));
    let name = resolver.name_text(call.file, name);
    let found = extensions::extension_methods_of_receiver(resolver, call.file, &receiver, name, budget);
    let referents = found.map(|found| found.referents).unwrap_or_default();
    referents
        .into_iter()
        .filter_map(|referent| match referent {
            Referent::Def(def) => Some(def),
            _ => None,
        })
        .collect()
}

/// The functions that take as many arguments and type arguments as a call has.
fn functions_taking_number(resolver: &Resolver<'_>, call: &Call<'_>, functions: &[Def]) -> Vec<Def> {
    let takes = |def: &&Def| {
        let Some((most, takes_rest)) = resolver.parameter_count_of_function(**def) else { return false };
        let count = call.arguments.len() + usize::from(has_receiver_argument(resolver, call, **def));
        let takes_types = call.type_argument_count == 0
            || type_parameter_count_of_function(resolver, **def) == call.type_argument_count;
        let fewest = || required_parameter_count(resolver, **def).unwrap_or(most);
        takes_types && (takes_rest || count <= most) && (count == most || count >= fewest())
    };
    functions.iter().filter(takes).copied().collect()
}

/// Whether the receiver of a call is the first argument of a function.
fn has_receiver_argument(resolver: &Resolver<'_>, call: &Call<'_>, def: Def) -> bool {
    !call.is_on_type && methods::is_extension_method(resolver, def)
}

/// The number of parameters of a function that must be given.
fn required_parameter_count(resolver: &Resolver<'_>, def: Def) -> Option<usize> {
    let indexed = resolver.names_index(def.file)?;
    let body = indexed.binding_or_placeholder(def.binding).body?;
    let parameters = indexed.parameters_of_scope(body);
    let is_required = |id: &&u32| {
        let binding = indexed.binding_or_placeholder(**id);
        binding.values.len == 0 && !binding.wrapped
    };
    Some(parameters.iter().filter(is_required).count())
}

fn type_parameter_count_of_function(resolver: &Resolver<'_>, def: Def) -> usize {
    let Some(indexed) = resolver.names_index(def.file) else { return 0 };
    let body = indexed.binding_or_placeholder(def.binding).body;
    body.map_or(0, |body| indexed.type_parameters_of_scope(body).len())
}

/// Of functions that take the number of arguments, those that take these; none if no function does.
fn functions_fitting_values(
    resolver: &Resolver<'_>,
    call: &Call<'_>,
    functions: &[Def],
    budget: &mut EvaluationBudget,
) -> Vec<Def> {
    let mut evaluate =
        |expr: ExprId| budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, expr, budget));
    let arguments: Vec<PossibleValues> = call.arguments.iter().map(|argument| evaluate(*argument)).collect();
    let receiver = match resolver.expr_by_id(call.file, call.callee) {
        Expr::Member { base, .. } if !call.is_on_type => Some(evaluate(base)),
        _ => None,
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    for def in functions {
        let Some(parameters) = resolver.declared_parameters(*def, budget) else { continue };
        let own_receiver = receiver.as_ref().filter(|_| has_receiver_argument(resolver, call, *def));
        let given: Vec<&PossibleValues> = own_receiver.into_iter().chain(&arguments).collect();
        let mut best: Option<Candidate> = None;
        for gathers_rest in [false, true] {
            let Some(expected) =
                expected_types(resolver, (&parameters.types, parameters.takes_rest), given.len(), gathers_rest, budget)
            else {
                continue;
            };
            let mut fits: Vec<Fit> = given
                .iter()
                .zip(&expected)
                .map(|(given, expected)| fit_of_values(resolver, given, expected, budget))
                .collect();
            // The receivers are compared apart: not all candidates have one.
            let receiver_fit = own_receiver.is_some().then(|| fits.remove(0));
            let mut expected = expected;
            if receiver_fit.is_some() {
                expected.remove(0);
            }
            let fit = fits.iter().copied().chain(receiver_fit).max().unwrap_or(Fit::Exact);
            if fit != Fit::Not && best.as_ref().is_none_or(|known| fit < known.fit) {
                let parameter_count = parameters.types.len() - usize::from(receiver_fit.is_some());
                best = Some(Candidate { def: *def, parameter_count, expected, fits, fit, gathers_rest });
            }
        }
        candidates.extend(best);
    }
    let is_unknown = candidates.iter().any(|candidate| candidate.fit == Fit::Unknown);
    if !is_unknown {
        let first = candidates.iter().map(|candidate| candidate.gathers_rest).min();
        candidates.retain(|candidate| Some(candidate.gathers_rest) == first);
    }
    if candidates.len() > 1 && (!is_unknown || are_told_apart_by_known_arguments(&candidates, arguments.len())) {
        keep_best(&mut candidates);
    }
    if candidates.len() > 1 && (!is_unknown || are_told_apart_by_known_arguments(&candidates, arguments.len())) {
        keep_most_specific(resolver, &mut candidates, budget);
    }
    if candidates.len() > 1 && !is_unknown {
        // Of functions that fit alike, the one without defaults and with fewer type parameters is meant.
        let surplus = |candidate: &Candidate| {
            (
                candidate.parameter_count.saturating_sub(arguments.len()),
                type_parameter_count_of_function(resolver, candidate.def),
            )
        };
        let fewest = candidates.iter().map(surplus).min();
        candidates.retain(|candidate| Some(surplus(candidate)) == fewest);
    }
    candidates.into_iter().map(|candidate| candidate.def).collect()
}

/// Keeps the candidate that each argument fits at least as well as it fits any other one, if there is one.
fn keep_best(candidates: &mut Vec<Candidate>) {
    let best = candidates.iter().position(|one| {
        candidates.iter().all(|other| {
            one.def == other.def
                || one.fits.iter().zip(&other.fits).all(|(one, other)| one <= other)
                    && one.fits.iter().zip(&other.fits).any(|(one, other)| one < other)
        })
    });
    if let Some(best) = best {
        let best = candidates.swap_remove(best);
        candidates.clear();
        candidates.push(best);
    }
}

/// Whether the candidates have the same types where it is not known how well an argument fits.
fn are_told_apart_by_known_arguments(candidates: &[Candidate], count: usize) -> bool {
    let mut unknown = (0..count)
        .filter(|at| candidates.iter().any(|candidate| candidate.fits.get(*at).is_none_or(|fit| *fit == Fit::Unknown)));
    unknown.all(|at| {
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
            .all(|(one, other)| one.list == other.list || fit_of_values(resolver, one, other, budget) <= Fit::Converted)
    };
    let best = candidates.iter().position(|one| {
        candidates
            .iter()
            .all(|other| one.def == other.def || is_more_specific(one, other) && !is_more_specific(other, one))
    });
    if let Some(best) = best {
        let best = candidates.swap_remove(best);
        candidates.clear();
        candidates.push(best);
    }
}

/// The types of the parameters that arguments are given to; `None` if the function does not take as many.
fn expected_types(
    resolver: &Resolver<'_>,
    (types, takes_rest): (&[PossibleValues], bool),
    count: usize,
    gathers_rest: bool,
    budget: &mut EvaluationBudget,
) -> Option<Vec<PossibleValues>> {
    if !gathers_rest {
        // Parameters that are not given have defaults.
        return types.get(..count).map(<[PossibleValues]>::to_vec);
    }
    let (rest, first) = types.split_last().filter(|_| takes_rest)?;
    let gathered = count.checked_sub(first.len())?;
    let element = resolver.values_yielded_by_values(rest.clone(), budget);
    Some(first.iter().cloned().chain(std::iter::repeat_n(element, gathered)).collect())
}

/// A resolution without the members that implement one of an interface and are no members of their type by name, unless
/// there are no others.
pub(super) fn without_explicit_implementations(resolver: &Resolver<'_>, mut found: Resolution) -> Resolution {
    let is_plain = |referent: &Referent| match referent {
        Referent::Def(def) => resolver.binding_of_definition(*def).is_none_or(|binding| !binding.type_only),
        _ => true,
    };
    if found.referents.len() > 1 && found.referents.iter().any(is_plain) {
        found.referents.retain(is_plain);
    }
    found
}

/// Whether a member of a type hides a member of the same name in a base: a method hides one with the same parameters.
pub(super) fn hides_inherited_member(
    resolver: &Resolver<'_>,
    own: Def,
    inherited: Def,
    budget: &mut EvaluationBudget,
) -> bool {
    match (is_function(resolver, own), is_function(resolver, inherited)) {
        (true, true) => own == inherited || have_same_parameters(resolver, own, inherited, budget),
        _ => true,
    }
}

/// Whether a member can override another one of the same name, which is in a base.
pub(super) fn can_override(resolver: &Resolver<'_>, member: Def, other: Def, budget: &mut EvaluationBudget) -> bool {
    let (Some(one), Some(two)) = (resolver.binding_of_definition(member), resolver.binding_of_definition(other)) else {
        return false;
    };
    if one.on_type || two.on_type || two.private {
        return false;
    }
    match (one.kind, two.kind) {
        (BindingKind::Function, BindingKind::Function) => have_same_parameters(resolver, member, other, budget),
        (BindingKind::Property | BindingKind::Field, BindingKind::Property | BindingKind::Field) => true,
        _ => false,
    }
}

/// Whether two methods are the declaration and the body of one method of a type with several parts.
pub(super) fn are_parts_of_one_method(
    resolver: &Resolver<'_>,
    one: Def,
    other: Def,
    budget: &mut EvaluationBudget,
) -> bool {
    if one == other || !is_function(resolver, one) || !is_function(resolver, other) {
        return false;
    }
    let (Some(first), Some(second)) = (resolver.owner_type(one, budget), resolver.owner_type(other, budget)) else {
        return false;
    };
    first == second && !resolver.parts_of_type(first).is_empty() && have_same_parameters(resolver, one, other, budget)
}

fn have_same_parameters(resolver: &Resolver<'_>, one: Def, other: Def, budget: &mut EvaluationBudget) -> bool {
    if resolver.parameter_count_of_function(one) != resolver.parameter_count_of_function(other)
        || type_parameter_count_of_function(resolver, one) != type_parameter_count_of_function(resolver, other)
    {
        return false;
    }
    let (Some(one), Some(other)) =
        (resolver.declared_parameters(one, budget), resolver.declared_parameters(other, budget))
    else {
        return false;
    };
    one.types.iter().zip(&other.types).all(|(one, other)| may_be_same_type(one, other))
}
