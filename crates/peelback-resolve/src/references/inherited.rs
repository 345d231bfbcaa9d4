//! Finds the members that types have from their bases, by the names of the heirs.

use std::collections::BTreeSet;

use peelback_project::{CodeError, Snapshot};
use peelback_syntax::names::BindingKind;

use super::query::resolve_search_target;
use super::reference::{Endpoint, Relation, SymbolQuery};
use super::search::ReferenceSearch;
use crate::analyzer::ProjectAnalyzer;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::snapshot_index::ResolvingSnapshot as _;

/// A member that a type inherits, found by the name of the heir.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InheritedMember {
    /// The index of the heir among the types that were asked for.
    pub heir: usize,
    /// The definition of the member, in the type that declares it.
    pub member: Endpoint,
}

impl ProjectAnalyzer {
    /// The members called `name` that the types `heirs` have from their bases, in the order of the heirs. A symbol that
    /// is no type inherits nothing.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::files_in_scope`], and [`CodeError::NotFound`] for a symbol of a file
    /// outside the project.
    pub fn find_inherited_members(&self, heirs: &[SymbolQuery], name: &str) -> Result<Vec<InheritedMember>, CodeError> {
        let snapshot = self.snapshot()?;
        let snapshot: &Snapshot = &snapshot;
        let resolver = Resolver::new(snapshot, snapshot.module_resolvers(), self.project().cancellation());
        let search = ReferenceSearch::new(self, snapshot, &resolver, false, Relation::Uses);
        let mut found = Vec::new();
        for (heir, symbol_query) in heirs.iter().enumerate() {
            let Some(own) = resolve_search_target(snapshot, &resolver, symbol_query)?.def else { continue };
            for def in search.members_inherited_by_type(own, name) {
                found.extend(
                    search.file_and_outline_name_of_definition(def).map(|member| InheritedMember { heir, member }),
                );
            }
        }
        Ok(found)
    }
}

impl ReferenceSearch<'_> {
    /// The members called `name` that a type has from its bases and does not declare itself.
    fn members_inherited_by_type(&self, own: Def, name: &str) -> BTreeSet<Def> {
        let kind = self.resolver.binding_of_definition(own).map(|binding| binding.kind);
        if !matches!(kind, Some(BindingKind::Type | BindingKind::Function)) {
            return BTreeSet::new();
        }
        let resolution = self.evaluate_and_count_if_cut(|budget| self.resolver.inherited_member(own, name, budget));
        let members = resolution.referents.into_iter().filter_map(|referent| match referent {
            Referent::Def(def) => Some(self.resolver.forwarded_or_canonical_definition(def)),
            _ => None,
        });
        members.collect()
    }
}
