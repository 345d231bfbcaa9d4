//! Describes the family of a member: what it overrides, and what overrides it.

use std::collections::BTreeSet;

use peelback_project::Evidence;

use super::scan::ReferenceWordScan;
use super::search::ReferenceSearch;
use super::target::SearchTarget;
use crate::resolve::definition::Def;

/// The limit on the number of members of the target's name that are looked at, since a name such as `get` belongs to
/// thousands of types.
const MAX_MEMBERS: usize = 200;

/// The limit on the number of members that are named, of those that are counted.
const MAX_NAMED: usize = 2;

impl ReferenceSearch<'_> {
    /// Says in the evidence what the only target of a question overrides and what overrides it, with the number of each,
    /// where uses through a base count as its uses. `scan` has the files that hold the target's name.
    pub(super) fn note_overriding_family(
        &self,
        targets: &[SearchTarget],
        scan: &ReferenceWordScan,
        evidence: &mut Evidence,
    ) {
        let [target] = targets else { return };
        if let Some(note) = self.describe_overriding_family(target, scan) {
            evidence.add_note(note);
        }
    }

    /// What a target overrides and what overrides it; `None` for a member that is alone. Only the remark depends on this, so
    /// what a limit leaves out is told there and not counted for the answer.
    fn describe_overriding_family(&self, target: &SearchTarget, scan: &ReferenceWordScan) -> Option<String> {
        let own = target.def.filter(|_| target.is_member)?;
        if !target.semantics_or_default().use_through_base_likely_means_override() {
            return None;
        }
        let mut is_whole = true;
        let mut overridden = self.members_and_overridden(own, &mut is_whole);
        overridden.remove(&own);
        let mut overriding = BTreeSet::new();
        for (looked_at, (def, _)) in scan.members_of_name(self.resolver, &target.name).enumerate() {
            if looked_at >= MAX_MEMBERS || self.resolver.call_end.must_stop_now() {
                is_whole = false;
                break;
            }
            let def = self.resolver.forwarded_or_canonical_definition(def);
            if def != own && self.members_and_overridden(def, &mut is_whole).contains(&own) {
                overriding.insert(def);
            }
        }
        let at_least = if is_whole { "" } else { "at least " };
        let parts = [
            self.describe_members("overrides", "", &overridden),
            self.describe_members("is overridden by", at_least, &overriding),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let (name, parts) = (&target.name, parts.join(", "));
        match (parts.is_empty(), is_whole) {
            (true, true) => None,
            (true, false) => Some(format!("not all members named {name} were checked for overrides of it")),
            (false, true) => Some(format!("{name} {parts}")),
            (false, false) => Some(format!("{name} {parts}; not all members named {name} were checked")),
        }
    }

    /// A member together with those that it overrides. Sets `is_whole` to `false` if a limit left out some of them.
    fn members_and_overridden(&self, def: Def, is_whole: &mut bool) -> BTreeSet<Def> {
        let mut budget = self.resolver.new_budget();
        let found = self.resolver.member_and_overridden_members(def, &mut budget);
        *is_whole &= !budget.exhausted;
        BTreeSet::clone(&found)
    }

    /// The number of members, and the ids of the first few. Only these are looked up in their outlines, which cost a parse.
    fn describe_members(&self, verb: &str, at_least: &str, members: &BTreeSet<Def>) -> Option<String> {
        let ids = members.iter().take(MAX_NAMED).filter_map(|def| self.file_and_outline_name_of_definition(*def));
        let mut named: Vec<String> = ids.map(|member| format!("{}:{}", member.path, member.qualified_name)).collect();
        if members.len() > named.len() {
            named.push(format!("{} more", members.len() - named.len()));
        }
        let noun = if members.len() == 1 { "member" } else { "members" };
        (!members.is_empty()).then(|| format!("{verb} {at_least}{} {noun} ({})", members.len(), named.join(", ")))
    }
}

/// Whether a use of one of two members that have the same name may mean the other.
pub(super) fn are_members_related_by_override(search: &ReferenceSearch<'_>, one: Def, other: Def) -> bool {
    let semantics = search.resolver.semantics_of_file_language_or_default(one.file);
    search.evaluate_and_count_if_cut(|budget| {
        semantics.are_members_related_by_override(search.resolver, one, other, budget)
    })
}
