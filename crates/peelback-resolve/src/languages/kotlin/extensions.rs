//! Extension functions and properties of Kotlin, by the receivers that they fit.

use super::{fits, parameters};
use crate::languages::jvm::fit::Fit;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::PossibleValues;

/// Splits definitions into extensions and others.
pub(super) fn split_extensions(
    resolver: &Resolver<'_>,
    found: Resolution,
    has_extensions: bool,
) -> (Resolution, Resolution) {
    if !has_extensions || found.is_empty() {
        return (Resolution::default(), found);
    }
    let is_extension = |referent: &Referent| match referent {
        Referent::Def(def) => parameters::receiver_type_of_extension(resolver, *def).is_some(),
        _ => false,
    };
    let (extensions, others): (Vec<Referent>, Vec<Referent>) = found.referents.into_iter().partition(is_extension);
    let of = |referents: Vec<Referent>| Resolution {
        sure: found.sure && !referents.is_empty(),
        referents,
        missing: found.missing,
    };
    (of(extensions), of(others))
}

/// Of some extensions, those that fit the first of several receivers that any of them fits.
pub(super) fn extensions_fitting_receivers(
    resolver: &Resolver<'_>,
    extensions: Resolution,
    receivers: &[PossibleValues],
    budget: &mut EvaluationBudget,
) -> Resolution {
    if extensions.is_empty() {
        return Resolution::default();
    }
    let mut possible = Resolution::default();
    for receiver in receivers {
        let found = extensions_fitting_receiver(resolver, extensions.clone(), receiver, budget);
        if !found.is_empty() && found.sure {
            return found;
        }
        possible.add(found);
    }
    possible
}

/// Of some extensions, those that a receiver fits best.
pub(super) fn extensions_fitting_receiver(
    resolver: &Resolver<'_>,
    extensions: Resolution,
    receiver: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let receiver = super::types::with_objects_as_instances(resolver, receiver.clone());
    let mut fitting: Vec<(Fit, Def)> = Vec::new();
    for referent in &extensions.referents {
        let Referent::Def(def) = referent else { continue };
        let Some(of) = receiver_values_of_extension(resolver, *def, budget) else { continue };
        let fit = fits::fit_of_values(resolver, &receiver, &of, budget);
        if fit != Fit::Not {
            fitting.push((fit, *def));
        }
    }
    let best = fitting.iter().map(|(fit, _)| *fit).min();
    if best.is_some_and(|best| best < Fit::Unknown) {
        fitting.retain(|(fit, _)| Some(*fit) == best);
    }
    let sure = extensions.sure && receiver.sure && best.is_some_and(|best| best < Fit::Unknown);
    let referents = fitting.into_iter().map(|(_, def)| Referent::Def(def)).collect();
    Resolution { missing: extensions.missing, ..Resolution::new(referents, sure) }
}

/// Instances of the type of an extension's receiver.
fn receiver_values_of_extension(
    resolver: &Resolver<'_>,
    def: Def,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let of = parameters::receiver_type_of_extension(resolver, def)?;
    Some(budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(def.file, of, budget)))
}
