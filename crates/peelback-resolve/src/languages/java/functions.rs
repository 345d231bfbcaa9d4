//! The parameters of Java's functions, and how well a value fits the type of a parameter.

use super::fit::Fit;
use super::platform;
use super::types::{bounds_of_type_parameter, views_as_outside_types};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the levels of arrays and bounds of type parameters that are compared.
const MAX_COMPARED_LEVELS: usize = 4;

/// How well an argument with these possible values fits a parameter.
pub(in super::super) fn fit_of_values(
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
        (Value::Outside(name, _), Value::Outside(of, _)) => platform::fit_of_type(name, of),
        (Value::Outside(name, _), _) if **name == *"null" => Fit::Derived,
        (_, Value::Parameter(of)) => fit_of_type_parameter(resolver, value, *of, levels, budget),
        (Value::Parameter(def), _) => {
            let bounds = bounds_of_type_parameter(resolver, *def, budget);
            if bounds.list.is_empty() {
                return fit_of_value(
                    resolver,
                    &Value::Outside(platform::OBJECT.clone(), None),
                    parameter,
                    levels,
                    budget,
                );
            }
            let fits = bounds.list.iter().map(|bound| fit_of_value(resolver, bound, parameter, levels, budget));
            fits.min().map_or(Fit::Unknown, |fit| fit.max(Fit::Derived))
        }
        (Value::Instance(def, _), Value::Instance(of, _)) => {
            if def == of {
                Fit::Exact
            } else if resolver.is_derived_from(*def, *of, budget) {
                Fit::Derived
            } else {
                fit_of_unrelated_type(resolver, *def, budget)
            }
        }
        (Value::Instance(def, _), Value::Outside(of, _)) => {
            if **of == *"Object" {
                return Fit::Derived;
            }
            let views = views_as_outside_types(resolver, value, budget);
            let fits = views.iter().map(|view| platform::fit_of_type(&view.name, of));
            match fits.min().unwrap_or(Fit::Not) {
                Fit::Not => fit_of_unrelated_type(resolver, *def, budget),
                fit => fit.max(Fit::Derived),
            }
        }
        // A type of the platform or of a library derives from no type of the project.
        (Value::Outside(..), Value::Instance(..)) => Fit::Not,
        (Value::Container(held), Value::Container(of)) => match (held.first(), of.first()) {
            (Some(held), Some(of)) => {
                let fit = fit_of_value(resolver, held, of, levels, budget);
                let is_primitive = |value: &Value| matches!(value, Value::Outside(name, _) if platform::width_of_primitive(name).is_some());
                match is_primitive(held) || is_primitive(of) {
                    true if held != of => Fit::Not,
                    _ => fit,
                }
            }
            _ => Fit::Unknown,
        },
        (Value::Container(_), Value::Outside(of, _)) => match &**of {
            "Object" | "Cloneable" | "Serializable" => Fit::Derived,
            _ => Fit::Not,
        },
        (Value::Container(_), _) | (_, Value::Container(_)) if !matches!(value, Value::Function(_)) => Fit::Not,
        (Value::Function(_) | Value::Type(..), _) => {
            super::lambdas::fit_of_function(resolver, value, parameter, budget)
        }
        _ => Fit::Unknown,
    }
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
    if matches!(value, Value::Function(_) | Value::Type(..)) {
        return Fit::Unknown;
    }
    let is_primitive = matches!(value, Value::Outside(name, _) if platform::width_of_primitive(name).is_some());
    let bounds = bounds_of_type_parameter(resolver, of, budget);
    let fits = bounds.list.iter().map(|bound| fit_of_value(resolver, value, bound, levels, budget));
    let fit = fits.max().unwrap_or(Fit::Derived).max(Fit::Derived);
    if is_primitive { fit.max(Fit::Boxed) } else { fit }
}

/// Whether two parameters have the same type, as far as it is known and without type arguments: then one function can
/// override the other.
pub(in super::super) fn may_be_same_type(one: &PossibleValues, other: &PossibleValues) -> bool {
    match (one.list.first(), other.list.first()) {
        (Some(one), Some(other)) => may_be_same(one, other, MAX_COMPARED_LEVELS),
        _ => true,
    }
}

fn may_be_same(one: &Value, other: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else { return true };
    match (one, other) {
        (Value::Instance(one, _), Value::Instance(other, _)) => one == other,
        (Value::Outside(one, _), Value::Outside(other, _)) => one == other,
        (Value::Parameter(_), Value::Outside(name, _)) | (Value::Outside(name, _), Value::Parameter(_)) => {
            platform::width_of_primitive(name).is_none()
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
