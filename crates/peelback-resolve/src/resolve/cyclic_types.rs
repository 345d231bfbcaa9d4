//! Types that derive from themselves through other types, which no language allows, but a file may say.

use std::collections::{BTreeMap, BTreeSet};

use super::budget::EvaluationBudget;
use super::definition::{Def, Referent};
use super::resolver::Resolver;

/// The limit on the number of types that are followed from one.
const MAX_FOLLOWED: usize = 100_000;

impl Resolver<'_> {
    /// Whether each of two types is known to derive from the other. Only types are known whose members were looked up as
    /// deep as look-ups go: see [`Resolver::find_cycle_of_type`].
    pub(super) fn are_known_to_derive_from_each_other(&self, one: Def, other: Def) -> bool {
        self.known_cycle_of_type(one).is_some_and(|cycle| self.known_cycle_of_type(other) == Some(cycle))
    }

    /// The first type of the cycle that a type is part of, if that was found before.
    pub(super) fn known_cycle_of_type(&self, def: Def) -> Option<Def> {
        self.cycles_of_types.get(&self.first_part_of_type(def)).flatten()
    }

    /// Finds whether a type derives from itself, and marks all types of its cycle. Each cycle is searched once.
    pub(super) fn find_cycle_of_type(&self, def: Def, budget: &mut EvaluationBudget) -> Option<Def> {
        let def = self.first_part_of_type(def);
        if let Some(known) = self.cycles_of_types.get(&def) {
            return known;
        }
        let cycle: Option<BTreeSet<Def>> =
            budget.run_with_own_limits(|budget| self.types_that_derive_from_each_other(def, budget));
        let cycle = cycle?;
        let first = cycle.first().copied();
        self.cycles_of_types.insert(def, first);
        for member in cycle {
            self.cycles_of_types.insert(member, first);
        }
        first
    }

    /// The types that a type derives from and that derive from it, the type itself among them if there are any; `None` if
    /// they are not known.
    fn types_that_derive_from_each_other(&self, def: Def, budget: &mut EvaluationBudget) -> Option<BTreeSet<Def>> {
        let mut derived_from: BTreeMap<Def, Vec<Def>> = BTreeMap::from([(def, Vec::new())]);
        let mut next = vec![def];
        while let Some(at) = next.pop() {
            for base in self.types_named_as_bases(at, budget) {
                if base == at {
                    continue;
                }
                if !derived_from.contains_key(&base) {
                    if derived_from.len() >= MAX_FOLLOWED {
                        return None;
                    }
                    next.push(base);
                }
                derived_from.entry(base).or_default().push(at);
            }
        }
        if budget.truncated {
            return None;
        }
        let mut cycle = BTreeSet::new();
        let mut next = derived_from.get(&def).cloned().unwrap_or_default();
        while let Some(at) = next.pop() {
            if cycle.insert(at) {
                next.extend(derived_from.get(&at).into_iter().flatten().copied());
            }
        }
        Some(cycle)
    }

    fn types_named_as_bases(&self, def: Def, budget: &mut EvaluationBudget) -> Vec<Def> {
        let mut found = Vec::new();
        for &(file, base) in self.bases_of_type(def, budget).iter() {
            let named = budget.evaluate_without_counting_steps(|budget| {
                budget.run_nested_within_limits(|budget| self.resolve_expr_as_name(file, base, budget))
            });
            found.extend(named.referents.into_iter().filter_map(|referent| match referent {
                Referent::Def(base) => Some(self.first_part_of_type(base)),
                _ => None,
            }));
        }
        found
    }
}
