//! Whether a place where only the name is the same plausibly means a search target.

use std::cell::OnceCell;

use peelback_syntax::names::{Expr, Names, Occurrence, Role, Target};

use super::classifier::ReferenceClassifier;
use super::name_match::{MembersOfOneName, receiver_name};
use super::receiver_members::MembersUsedOfVariables;
use crate::modules::FileId;
use crate::resolve::definition::Referent;

impl ReferenceClassifier<'_> {
    /// Whether an occurrence of which only the name is known plausibly refers to a target.
    pub(super) fn is_name_match_plausible(
        &self,
        (file, names): (FileId, &Names),
        occurrence: &Occurrence,
        target: usize,
        members_used: &OnceCell<MembersUsedOfVariables>,
    ) -> bool {
        let (Some(found), Some(members)) = (self.targets.get(target), self.members_of_name.get(target)) else {
            return false;
        };
        if !self.can_occurrence_role_fit_target(found, occurrence.role) {
            return false;
        }
        // A component that is registered for the whole project is used by its name alone.
        if found.is_whole_file && occurrence.role == Role::Call && matches!(occurrence.target, Target::Unknown) {
            return true;
        }
        let members = members.get_or_init(|| MembersOfOneName::new(self.search, found, self.scan));
        let Target::Expr(expr) = occurrence.target else { return members.is_target_plausible(None) };
        if self.means_other_member_likely(file, names, occurrence) {
            return false;
        }
        let used = members_used.get_or_init(|| MembersUsedOfVariables::in_file(names)).used_besides(names, expr);
        let told = match used.is_empty() {
            true => None,
            false => members.is_target_told_by_members(self.search, found, &used),
        };
        told.unwrap_or_else(|| members.is_target_plausible(receiver_name(names, expr)))
    }

    /// Whether an occurrence that does not mean a target for sure likely means a member of another type.
    fn means_other_member_likely(&self, file: FileId, names: &Names, occurrence: &Occurrence) -> bool {
        let is_member = matches!(occurrence.target, Target::Expr(expr)
            if matches!(names.expr_by_id(expr), Expr::Member { .. }));
        if !is_member {
            return false;
        }
        let resolution = self.search.resolver.resolve_occurrence(file, occurrence);
        resolution.referents.iter().any(|referent| matches!(referent, Referent::Def(_)))
            && !self.may_lead_through_getter(&resolution)
    }
}
