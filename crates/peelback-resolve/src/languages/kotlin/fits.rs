//! How well values fit the types of parameters and receivers in Kotlin.

use super::{library, types};
use crate::languages::jvm;
use crate::languages::jvm::fit::Fit;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the levels of arrays and bounds of type parameters that are compared.
const MAX_LEVELS: usize = 4;

/// How well a value fits a type, where both may have several possibilities.
pub(super) fn fit_of_values(
    resolver: &Resolver<'_>,
    given: &PossibleValues,
    of: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> Fit {
    let Some(of) = of.list.first() else { return Fit::Unknown };
    if given.list.is_empty() {
        return Fit::Unknown;
    }
    let mut best = Fit::Not;
    for value in &given.list {
        best = best.min(fit_of_value(resolver, value, of, MAX_LEVELS, budget));
    }
    if given.missing.is_any() && best == Fit::Not { Fit::Unknown } else { best }
}

fn fit_of_value(
    resolver: &Resolver<'_>,
    value: &Value,
    of: &Value,
    levels: usize,
    budget: &mut EvaluationBudget,
) -> Fit {
    let Some(levels) = levels.checked_sub(1) else { return Fit::Unknown };
    match (value, of) {
        (Value::External, _) | (_, Value::External) => Fit::Unknown,
        (_, Value::Parameter(of)) => {
            let bounds = jvm::types::bounds_of_type_parameter(resolver, *of, budget);
            let fits = bounds.list.iter().map(|bound| fit_of_value(resolver, value, bound, levels, budget));
            fits.max().unwrap_or(Fit::Derived).max(Fit::Derived)
        }
        (Value::Parameter(def), _) => {
            let bounds = jvm::types::bounds_of_type_parameter(resolver, *def, budget);
            if bounds.list.is_empty() {
                return if is_any(of) { Fit::Derived } else { Fit::Not };
            }
            let fits = bounds.list.iter().map(|bound| fit_of_value(resolver, bound, of, levels, budget));
            fits.min().map_or(Fit::Unknown, |fit| fit.max(Fit::Derived))
        }
        _ if is_any(of) => Fit::Derived,
        (Value::Outside(name, _), Value::Outside(of, _)) => library::fit_of_type(name, of),
        (Value::Outside(name, _), _) if **name == *"null" => Fit::Derived,
        (Value::Type(def, _), _) if types::is_object(resolver, *def) => {
            fit_of_value(resolver, &Value::Instance(*def, None), of, levels, budget)
        }
        (Value::Instance(def, _), Value::Instance(of, _)) => fit_of_instance(resolver, *def, *of, budget),
        (Value::Instance(def, _), Value::Outside(of, _)) => {
            let views = jvm::types::views_as_outside_types(resolver, value, budget);
            let fits = views.iter().map(|view| library::fit_of_type(&view.name, of));
            match fits.min().unwrap_or(Fit::Not) {
                Fit::Not if resolver.are_all_bases_known(*def, budget) => Fit::Not,
                Fit::Not => Fit::Unknown,
                fit => fit.max(Fit::Derived),
            }
        }
        (Value::Function(def), Value::Function(of)) => fit_of_function(resolver, *def, *of),
        // An interface with one function.
        (Value::Function(_) | Value::Type(..), Value::Instance(of, _)) => {
            match jvm::lambdas::method_of_functional_interface(resolver, *of, budget) {
                Some(_) => Fit::Unknown,
                None => Fit::Not,
            }
        }
        (Value::Function(_), Value::Outside(of, _)) if library::is_basic_type(of) => Fit::Not,
        (Value::Function(_) | Value::Type(..), _) => Fit::Unknown,
        (Value::Instance(..) | Value::Outside(..) | Value::Container(_), Value::Function(_)) => match value {
            Value::Outside(name, _) if !library::is_basic_type(name) => Fit::Unknown,
            Value::Instance(def, _) if !resolver.are_all_bases_known(*def, budget) => Fit::Unknown,
            _ => Fit::Not,
        },
        // A type of the platform or of a library derives from no type of the project.
        (Value::Outside(..), Value::Instance(..)) => Fit::Not,
        (Value::Container(held), Value::Container(of)) => match (held.first(), of.first()) {
            (Some(held), Some(of)) => fit_of_value(resolver, held, of, levels, budget),
            _ => Fit::Unknown,
        },
        (Value::Container(_), Value::Outside(of, _)) => match &**of {
            "Array" => Fit::Derived,
            name if name.ends_with("Array") => Fit::Not,
            _ => Fit::Not,
        },
        (Value::Outside(name, _), Value::Container(_)) if name.ends_with("Array") => Fit::Derived,
        (Value::Container(_), Value::Instance(..))
        | (Value::Outside(..) | Value::Instance(..), Value::Container(_)) => Fit::Not,
        _ => Fit::Unknown,
    }
}

fn is_any(of: &Value) -> bool {
    matches!(of, Value::Outside(name, _) if matches!(&**name, "Any" | "Object"))
}

fn fit_of_instance(resolver: &Resolver<'_>, def: Def, of: Def, budget: &mut EvaluationBudget) -> Fit {
    if def == of {
        Fit::Exact
    } else if resolver.is_derived_from(def, of, budget) || is_copy(resolver, def, of) {
        Fit::Derived
    } else if resolver.are_all_bases_known(def, budget) && !has_base_with_copy(resolver, def, of, budget) {
        Fit::Not
    } else {
        Fit::Unknown
    }
}

/// Whether two types are one in different source sets.
fn is_copy(resolver: &Resolver<'_>, one: Def, other: Def) -> bool {
    let name = |def: Def| resolver.binding_of_definition(def).map(|binding| resolver.name_text(def.file, binding.name));
    name(one) == name(other) && super::linkage::are_in_other_source_sets(resolver, one.file, other.file)
}

fn has_base_with_copy(resolver: &Resolver<'_>, def: Def, of: Def, budget: &mut EvaluationBudget) -> bool {
    resolver.all_bases_of_type(def, budget).iter().any(|base| is_copy(resolver, *base, of))
}

/// How well a lambda or a reference to a function fits a function type.
fn fit_of_function(resolver: &Resolver<'_>, function: Def, of: Def) -> Fit {
    let Some(binding) = resolver.binding_of_definition(function) else { return Fit::Unknown };
    let is_lambda = binding.body == Some(binding.scope) && !binding.type_only;
    let (Some((count, _)), Some((expected, _))) =
        (resolver.parameter_count_of_function(function), resolver.parameter_count_of_function(of))
    else {
        return Fit::Unknown;
    };
    // A lambda without names for its parameters has one or none.
    let fits = if is_lambda && binding.constant { expected < 2 } else { !is_lambda || count == expected };
    if fits { Fit::Unknown } else { Fit::Not }
}

/// The name of the type that values are of, if they are of one.
pub(super) fn name_of_type(resolver: &Resolver<'_>, values: &PossibleValues) -> Option<String> {
    match values.list.first()? {
        Value::Instance(def, _) => {
            let binding = resolver.binding_of_definition(*def)?;
            Some(resolver.name_text(def.file, binding.name).to_owned())
        }
        Value::Outside(name, _) => Some(library::kotlin_name(name).to_owned()),
        Value::Container(_) => Some("Array".to_owned()),
        _ => None,
    }
}
