//! How well a value fits the type of a parameter in C#.

use super::super::type_parameters::bounds_of_type_parameter;
use super::fit::Fit;
use super::platform;
use super::views::outside_views;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the levels of arrays and bounds of type parameters that are compared.
const MAX_COMPARED_LEVELS: usize = 4;

/// How well an argument with these possible values fits a parameter.
pub(super) fn fit_of_values(
    resolver: &Resolver<'_>,
    argument: &PossibleValues,
    parameter: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> Fit {
    let Some(parameter) = parameter.list.first() else { return Fit::Unknown };
    if argument.list.is_empty() {
        return Fit::Unknown;
    }
    let mut worst = Fit::Exact;
    for value in &argument.list {
        worst = worst.max(fit_of_value(resolver, value, parameter, MAX_COMPARED_LEVELS, budget));
    }
    worst
}

fn fit_of_value(
    resolver: &Resolver<'_>,
    value: &Value,
    parameter: &Value,
    levels: usize,
    budget: &mut EvaluationBudget,
) -> Fit {
    let Some(levels) = levels.checked_sub(1) else { return Fit::Unknown };
    match (value, parameter) {
        (Value::External, _) | (_, Value::External) => Fit::Unknown,
        (Value::Function(_) | Value::Type(..), _) => {
            super::lambdas::fit_of_function(resolver, value, parameter, budget)
        }
        (Value::Outside(name, arguments), Value::Outside(of, wanted)) => {
            let fit = platform::fit_of_type(name, of);
            match (fit, arguments, wanted) {
                // Types that derive from others mostly pass their type arguments on.
                (Fit::Exact | Fit::Derived, Some(arguments), Some(wanted)) if arguments.len() == wanted.len() => {
                    let fits = arguments.iter().zip(wanted.iter()).map(|(given, wanted)| {
                        budget
                            .run_nested_within_limits(|budget| {
                                fit_of_type_arguments(resolver, given, wanted, levels, budget)
                            })
                            .unwrap_or(Fit::Unknown)
                    });
                    fits.max().unwrap_or(fit).max(fit)
                }
                (Fit::Exact, Some(_), None) | (Fit::Exact, None, Some(_)) => Fit::Not,
                _ => fit,
            }
        }
        (Value::Outside(name, _), _) if **name == *"null" => Fit::Derived,
        (_, Value::Parameter(of)) => fit_of_type_parameter(resolver, value, *of, levels, budget),
        (Value::Parameter(def), _) => {
            if matches!(parameter, Value::Outside(of, _) if **of == *"object") {
                return Fit::Derived;
            }
            let bounds = bounds_of_type_parameter(resolver, *def, budget);
            let fits = bounds.list.iter().map(|bound| fit_of_value(resolver, bound, parameter, levels, budget));
            fits.min().map_or(Fit::Not, |fit| fit.max(Fit::Derived))
        }
        (Value::Instance(def, arguments), Value::Instance(of, wanted)) => {
            if def == of {
                return match (arguments, wanted) {
                    (Some(arguments), Some(wanted)) if arguments.len() == wanted.len() => {
                        let fits = arguments.iter().zip(wanted.iter()).map(|(given, wanted)| {
                            budget
                                .run_nested_within_limits(|budget| {
                                    fit_of_type_arguments(resolver, given, wanted, levels, budget)
                                })
                                .unwrap_or(Fit::Unknown)
                        });
                        fits.max().unwrap_or(Fit::Exact)
                    }
                    _ => Fit::Exact,
                };
            }
            if resolver.is_derived_from(*def, *of, budget) {
                Fit::Derived
            } else if has_conversions(resolver, *of, budget) || has_conversions(resolver, *def, budget) {
                Fit::Unknown
            } else {
                fit_of_unrelated_type(resolver, *def, budget)
            }
        }
        (Value::Instance(def, _), Value::Outside(of, _)) => {
            if **of == *"object" {
                return Fit::Converted;
            }
            let views = outside_views(resolver, value, budget);
            let fits = views.iter().map(|view| platform::fit_of_type(&view.name, of));
            match fits.min().unwrap_or(Fit::Not) {
                Fit::Not if has_conversions(resolver, *def, budget) => Fit::Converted,
                Fit::Not => fit_of_unrelated_type(resolver, *def, budget),
                fit => fit.max(Fit::Derived),
            }
        }
        // A type of the platform or of a library derives from no type of the project, but may be converted to it.
        (Value::Outside(..) | Value::Container(_), Value::Instance(of, _)) => {
            if has_conversions(resolver, *of, budget) { Fit::Converted } else { Fit::Not }
        }
        (Value::Container(held), Value::Container(of)) => match (held.first(), of.first()) {
            (Some(held), Some(of)) => match fit_of_value(resolver, held, of, levels, budget) {
                Fit::Converted => Fit::Not,
                fit => fit,
            },
            _ => Fit::Unknown,
        },
        (Value::Container(held), Value::Outside(of, wanted)) => {
            if **of == *"object" {
                return Fit::Converted;
            }
            if !platform::can_be_array(of) {
                return Fit::Not;
            }
            match (held.first(), wanted.as_ref().and_then(|wanted| wanted.first())) {
                (Some(held), Some(wanted)) => {
                    let held = PossibleValues::single(held.clone(), true);
                    fit_of_type_arguments(resolver, &held, wanted, levels, budget)
                        .unwrap_or(Fit::Unknown)
                        .max(Fit::Derived)
                }
                _ => Fit::Derived,
            }
        }
        (Value::Outside(..) | Value::Instance(..), Value::Container(_)) => Fit::Not,
        _ => Fit::Unknown,
    }
}

fn fit_of_type_arguments(
    resolver: &Resolver<'_>,
    given: &PossibleValues,
    wanted: &PossibleValues,
    levels: usize,
    budget: &mut EvaluationBudget,
) -> Option<Fit> {
    let (given, wanted) = (given.list.first()?, wanted.list.first()?);
    Some(match fit_of_value(resolver, given, wanted, levels, budget) {
        Fit::Converted => Fit::Derived,
        fit => fit,
    })
}

/// Whether a type declares conversions.
fn has_conversions(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> bool {
    resolver.type_member(def, "operator", budget).referents.iter().any(|referent| *referent != Referent::External)
}

/// How well an instance of a type fits another one that is not among the known bases of the type.
fn fit_of_unrelated_type(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> Fit {
    if resolver.are_all_bases_known(def, budget) { Fit::Not } else { Fit::Unknown }
}

fn fit_of_type_parameter(
    resolver: &Resolver<'_>,
    value: &Value,
    of: Def,
    levels: usize,
    budget: &mut EvaluationBudget,
) -> Fit {
    if *value == Value::Parameter(of) {
        return Fit::Exact;
    }
    let bounds = bounds_of_type_parameter(resolver, of, budget);
    let fits = bounds.list.iter().map(|bound| fit_of_value(resolver, value, bound, levels, budget));
    fits.max().unwrap_or(Fit::Derived).max(Fit::Derived)
}

/// Whether two parameters have the same type, as far as it is known and without type arguments: then one function can
/// override the other.
pub(super) fn may_be_same_type(one: &PossibleValues, other: &PossibleValues) -> bool {
    match (one.list.first(), other.list.first()) {
        (Some(one), Some(other)) => may_be_same(one, other, MAX_COMPARED_LEVELS),
        _ => true,
    }
}

fn may_be_same(one: &Value, other: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else { return true };
    match (one, other) {
        (Value::Instance(one, _), Value::Instance(other, _)) => one == other,
        (Value::Outside(one, first), Value::Outside(other, second)) => {
            one == other && first.as_ref().map_or(0, |list| list.len()) == second.as_ref().map_or(0, |list| list.len())
        }
        (Value::Container(one), Value::Container(other)) => match (one.first(), other.first()) {
            (Some(one), Some(other)) => may_be_same(one, other, levels),
            _ => true,
        },
        (Value::Container(_), Value::Instance(..) | Value::Outside(..))
        | (Value::Instance(..) | Value::Outside(..), Value::Container(_))
        | (Value::Instance(..), Value::Outside(..))
        | (Value::Outside(..), Value::Instance(..)) => false,
        _ => true,
    }
}
