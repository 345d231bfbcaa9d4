//! Finds the members that types have from their bases, by the names of the heirs.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use peelback_project::{CodeError, Completeness, Evidence, Snapshot};
use peelback_syntax::names::BindingKind;

use super::query::resolve_search_target;
use super::reference::{Endpoint, Relation, SymbolQuery};
use super::search::ReferenceSearch;
use crate::analyzer::ProjectAnalyzer;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::snapshot_index::ResolvingSnapshot as _;

/// The limit on the number of types of one name whose inherited members are looked up.
const MAX_HEIRS: usize = 100;

/// The members that types have from their bases.
#[derive(Debug, Clone)]
pub struct InheritedMembers {
    /// The definitions of the members, in the types that declare them: each once, in the order of their paths and names.
    pub members: Vec<Endpoint>,
    /// Whether the search for the members was complete, and what it left out.
    pub evidence: Evidence,
}

impl ProjectAnalyzer {
    /// The members called `name` that the types `heirs` have from their bases and do not declare themselves. A symbol that
    /// is no type inherits nothing.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::files_in_scope`], and [`CodeError::NotFound`] for a symbol of a file
    /// outside the project.
    pub fn find_inherited_members(&self, heirs: &[SymbolQuery], name: &str) -> Result<InheritedMembers, CodeError> {
        let snapshot = self.snapshot()?;
        let snapshot: &Snapshot = &snapshot;
        let resolver = Resolver::new(snapshot, snapshot.module_resolvers(), self.project().cancellation());
        let search = ReferenceSearch::new(self, snapshot, &resolver, false, Relation::Uses);
        let mut evidence = Evidence::new_complete("syntax");
        let asked = heirs.get(..MAX_HEIRS).unwrap_or(heirs);
        if asked.len() < heirs.len() {
            evidence.add_note(format!(
                "inherited members were looked up only for the first {} of {} types of this name",
                asked.len(),
                heirs.len()
            ));
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
        let mut found = BTreeSet::new();
        for symbol_query in asked {
            if resolver.call_end.must_stop_now() {
                break;
            }
            let Some(own) = resolve_search_target(snapshot, &resolver, symbol_query)?.def else { continue };
            found.extend(search.members_inherited_by_type(own, name));
        }
        let members: BTreeSet<(String, String)> = found
            .into_iter()
            .filter_map(|def| search.file_and_outline_name_of_definition(def))
            .map(|member| (member.path, member.qualified_name))
            .collect();
        search.note_end_of_call_if_work_cut(&mut evidence);
        if search.evaluations_cut_short.load(Ordering::Relaxed) > 0 {
            evidence.add_note("the bases of its type are too deep to follow");
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
        let endpoint = |(path, qualified_name)| Endpoint { path, qualified_name };
        Ok(InheritedMembers { members: members.into_iter().map(endpoint).collect(), evidence })
    }
}

impl ReferenceSearch<'_> {
    /// The members called `name` that a type has from its bases and does not declare itself, and the functions that are members
    /// of the type under this name, though they are declared elsewhere (`Node.prototype.walk = walk`).
    fn members_inherited_by_type(&self, own: Def, name: &str) -> BTreeSet<Def> {
        let kind = self.resolver.binding_of_definition(own).map(|binding| binding.kind);
        if !matches!(kind, Some(BindingKind::Type | BindingKind::Function)) {
            return BTreeSet::new();
        }
        let resolution = self.evaluate_and_count_if_cut(|budget| {
            // A type may declare a member that is no symbol of the outline, such as a field that a method assigns.
            let mut members = self.resolver.own_or_extension_member(own, name, budget);
            if members.is_empty() {
                return self.resolver.inherited_members(own, name, budget);
            }
            members.referents.retain(|referent| {
                matches!(referent, Referent::Def(def)
                    if self.resolver.forwarded_or_canonical_definition(*def)
                        != self.resolver.representative_of_same_name_in_scope(*def))
            });
            members
        });
        let members = resolution.referents.into_iter().filter_map(|referent| match referent {
            Referent::Def(def) => Some(self.resolver.forwarded_or_canonical_definition(def)),
            _ => None,
        });
        members.filter(|member| self.is_member_inherited(*member)).collect()
    }

    fn is_member_inherited(&self, member: Def) -> bool {
        self.resolver.binding_of_definition(member).is_some_and(|binding| {
            let name = self.resolver.name_text(member.file, binding.name);
            self.resolver.semantics_of_file_language_or_default(member.file).is_member_inherited(binding, name)
        })
    }
}
