//! Describes the family of a member: what it overrides, and what overrides it.

use std::collections::BTreeSet;

use peelback_syntax::names::ScopeKind;

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
    /// What a target overrides and what overrides it, with the number of each, where uses through a base count as its
    /// uses; `None` for a member that is alone.
    pub(super) fn describe_overriding_family(&self, target: &SearchTarget, scan: &ReferenceWordScan) -> Option<String> {
        let own = target.def.filter(|_| target.is_member)?;
        let semantics = target.semantics_or_default();
        if !semantics.use_through_base_likely_means_override() {
            return None;
        }
        let overridden = self.members_and_overridden(own).into_iter().filter(|def| *def != own).collect();
        let (mut overriding, mut looked_at) = (BTreeSet::new(), 0);
        'files: for file in scan.files_with_hits() {
            let Some(index) = self.resolver.names_index(file) else { continue };
            let Some(name) = index.name_id_of_text(&target.name) else { continue };
            for id in index.bindings_of_name(name) {
                if index.scope_kind(index.binding_or_placeholder(*id).scope) != ScopeKind::Type {
                    continue;
                }
                looked_at += 1;
                if looked_at > MAX_MEMBERS {
                    break 'files;
                }
                let def = self.resolver.representative_of_same_name_in_scope(Def { file, binding: *id });
                if def != own && self.members_and_overridden(def).contains(&own) {
                    overriding.insert(def);
                }
            }
        }
        let more = if looked_at > MAX_MEMBERS { "at least " } else { "" };
        let parts = [
            self.describe_members("overrides", "", &overridden),
            self.describe_members("is overridden by", more, &overriding),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("{} {}", target.name, parts.join(", ")))
    }

    fn members_and_overridden(&self, def: Def) -> BTreeSet<Def> {
        let found = self.evaluate_and_count_if_cut(|budget| self.resolver.member_and_overridden_members(def, budget));
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
