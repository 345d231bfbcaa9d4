//! Whether a place where only the name is the same plausibly means a search target: what the receiver's name tells, and how
//! many other members have that name.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use peelback_syntax::names::{BindingKind, Expr, ExprId, Names};

use super::family::are_members_related_by_override;
use super::scan::ReferenceWordScan;
use super::search::ReferenceSearch;
use super::target::SearchTarget;
use crate::graph::looks_like_test_path;
use crate::resolve::definition::{Def, Referent};

/// The limit on the number of members of one name that are compared. Where more have the name, it tells little.
const MAX_COMPARED_MEMBERS: usize = 400;

/// The number of other members of the name up to which a member of a receiver without a telling name means the target.
const MAX_RIVALS: usize = 1;

/// The limit on the number of types of which is asked whether they have the members that code uses of a receiver. Where more
/// types have the name, the members tell nothing. [`OwnerSet`] has one bit for each.
const MAX_OWNERS_WITH_ASKED_MEMBERS: usize = OwnerSet::BITS as usize;

/// The limit on the number of types whose bases are looked at.
const MAX_COMPARED_TYPES: usize = 1_000;

/// The least number of letters by which a receiver's name can shorten a type's name: `doc` for `Document`.
const MIN_SHORT_FORM_LETTERS: usize = 3;

/// The longest name, in bytes, that is compared with others. A longer one is generated, and tells little.
const MAX_COMPARED_NAME_BYTES: usize = 100;

/// The limit on the number of calls and elements that are passed on the way to a receiver's name.
const MAX_RECEIVER_STEPS: usize = 8;

/// The types that have a member of a search target's name.
#[derive(Debug, Default)]
pub(super) struct MembersOfOneName {
    /// The names of the types whose member is the target, or is related to it by overriding.
    own_types: BTreeSet<String>,
    /// The names of the other types.
    other_types: BTreeSet<String>,
    /// The types that `own_types` names, without heirs that have no such member themselves.
    own_owners: BTreeSet<Def>,
    /// The types that `other_types` names.
    other_owners: BTreeSet<Def>,
    /// Whether most members of the name are the target and those related to it, hardly another type has one, and no builtin
    /// type does.
    is_mostly_target: bool,
    /// What [`MembersOfOneName::is_target_plausible`] found for the names of receivers so far: most stand in many places.
    plausible_receivers: Mutex<BTreeMap<String, bool>>,
    /// What [`MembersOfOneName::is_target_told_by_members`] found so far, by the names of the members that it asked for: code
    /// uses few members at many places.
    owners_with_member: Mutex<BTreeMap<String, AskedOwners>>,
}

/// A set of the types in `own_owners` and `other_owners`: bit `n` stands for the one at `n` of the former followed by the
/// latter.
type OwnerSet = u64;

/// Which types have a member of some name.
#[derive(Debug, Default, Clone, Copy)]
struct AskedOwners {
    /// The types that were asked so far.
    asked: OwnerSet,
    /// Those of them that have the member.
    with_member: OwnerSet,
}

impl MembersOfOneName {
    /// Compares the members that have the name of `target` in the files of `scan`.
    pub fn new(search: &ReferenceSearch<'_>, target: &SearchTarget, scan: &ReferenceWordScan) -> Self {
        let mut found = Self::default();
        let Some(own) = target.def.filter(|_| target.is_member) else { return found };
        let own_path = search.snapshot.file_table().path_of_file(target.file);
        let (mut own_count, mut other_count) = (0_usize, 0_usize);
        for (def, _) in scan.members_of_name(search.resolver, &target.name) {
            if own_count + other_count == MAX_COMPARED_MEMBERS || search.resolver.call_end.must_stop_now() {
                // The types seen so far would tell of the first files alone.
                return Self::default();
            }
            let def = search.resolver.forwarded_or_canonical_definition(def);
            let is_own = target.definitions.contains(&def) || are_members_related_by_override(search, own, def);
            let name = name_of_owner(search, def).map(str::to_owned);
            // The stand-ins of tests are mostly named for what they stand in for.
            let path = search.snapshot.file_table().path_of_file(def.file);
            if !is_own && looks_like_test_path(path) && !looks_like_test_path(own_path) {
                continue;
            }
            let (count, types, owners) = match is_own {
                true => (&mut own_count, &mut found.own_types, &mut found.own_owners),
                false => (&mut other_count, &mut found.other_types, &mut found.other_owners),
            };
            *count += 1;
            types.extend(name);
            owners.extend(search.evaluate_and_count_if_cut(|budget| search.resolver.owner_type(def, budget)));
        }
        found.add_names_of_heirs(search, scan);
        found.is_mostly_target = own_count > other_count
            && other_count <= MAX_RIVALS
            && !target.semantics_or_default().is_builtin_member_name(&target.name);
        found
    }

    /// Adds the names of the types in the files of `scan` that derive from one with the target.
    fn add_names_of_heirs(&mut self, search: &ReferenceSearch<'_>, scan: &ReferenceWordScan) {
        let mut left = MAX_COMPARED_TYPES;
        for file in scan.files_with_hits() {
            let Some(names) = search.resolver.names_of_file(file) else { continue };
            for (id, binding) in (0..).zip(&names.bindings) {
                if binding.kind != BindingKind::Type || names.expr_ids_in_list_range(binding.bases).is_empty() {
                    continue;
                }
                if left == 0 || search.resolver.call_end.must_stop_now() {
                    return;
                }
                left -= 1;
                let heir = Def { file, binding: id };
                let is_heir = search.evaluate_and_count_if_cut(|budget| {
                    self.own_owners.iter().any(|owner| search.resolver.is_derived_from(heir, *owner, budget))
                });
                if is_heir {
                    self.own_types.insert(names.name_text(binding.name).to_owned());
                }
            }
        }
    }

    /// Whether a member of an unknown receiver plausibly means the target. `receiver` is the receiver's last name, if it has
    /// one.
    pub fn is_target_plausible(&self, receiver: Option<&str>) -> bool {
        let Some(receiver) = receiver.filter(|name| name.len() <= MAX_COMPARED_NAME_BYTES) else {
            return self.is_mostly_target;
        };
        let known = || self.plausible_receivers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_plausible) = known().get(receiver) {
            return *is_plausible;
        }
        let is_plausible = self.does_receiver_fit_target(receiver);
        known().insert(receiver.to_owned(), is_plausible);
        is_plausible
    }

    /// Whether the other members that code uses of a receiver tell that it is of a type with the target, or that it is of
    /// another type with a member of that name; `None` if they tell nothing.
    pub fn is_target_told_by_members(
        &self,
        search: &ReferenceSearch<'_>,
        target: &SearchTarget,
        used: &[&str],
    ) -> Option<bool> {
        // A type of the project may wrap one from elsewhere and have the same members. Hardly any code uses members of the latter
        // whose names say that they are internal.
        let is_internal = |name: &str| name.starts_with('_') && !name.starts_with("__");
        if !is_internal(&target.name) && !used.iter().any(|name| is_internal(name)) {
            return None;
        }
        let owner_count = self.own_owners.len() + self.other_owners.len();
        if owner_count > MAX_OWNERS_WITH_ASKED_MEMBERS {
            return None;
        }
        let first = |count: usize| (0..count).fold(0, |set: OwnerSet, at| set | 1 << at);
        let mut left = first(owner_count);
        for name in used {
            left &= self.owners_with_member_among(search, name, left)?;
            if left == 0 {
                return None;
            }
        }
        let own = first(self.own_owners.len());
        match (left & own != 0, left & !own != 0) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Those of `owners` that have a member called `name`; `None` if the call must stop.
    fn owners_with_member_among(&self, search: &ReferenceSearch<'_>, name: &str, owners: OwnerSet) -> Option<OwnerSet> {
        let all = || self.owners_with_member.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = all().get(name).copied().unwrap_or_default();
        if owners & !known.asked != 0 {
            for (at, owner) in self.own_owners.iter().chain(&self.other_owners).enumerate() {
                let bit: OwnerSet = 1 << at;
                if bit & owners & !known.asked == 0 {
                    continue;
                }
                if search.resolver.call_end.must_stop_now() {
                    return None;
                }
                let found =
                    search.evaluate_and_count_if_cut(|budget| search.resolver.type_member(*owner, name, budget));
                known.asked |= bit;
                if found.referents.iter().any(|referent| matches!(referent, Referent::Def(_))) {
                    known.with_member |= bit;
                }
            }
            let mut all = all();
            let stored = all.entry(name.to_owned()).or_default();
            stored.asked |= known.asked;
            stored.with_member |= known.with_member;
        }
        Some(known.with_member & owners)
    }

    /// Whether the name of a receiver fits the target's types better than the others.
    fn does_receiver_fit_target(&self, receiver: &str) -> bool {
        let fit = |name: &String| fit_of_name_to_type(receiver, name);
        let own = self.own_types.iter().map(fit).max().unwrap_or(Fit::None);
        // Declarations of one type can stand in several files, so another type of the same name tells nothing.
        let other = self.other_types.difference(&self.own_types).map(fit).max().unwrap_or(Fit::None);
        match own.cmp(&other) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => self.is_mostly_target,
        }
    }
}

/// The name of the type or object that a member belongs to.
fn name_of_owner<'a>(search: &'a ReferenceSearch<'_>, member: Def) -> Option<&'a str> {
    let index = search.resolver.names_index(member.file)?;
    let names = index.names();
    let scope = names.bindings.get(member.binding as usize)?.scope;
    if let Some(extension) = names.extensions.iter().find(|extension| extension.scope == scope) {
        return last_name(names, extension.target);
    }
    let owner = index.scope_owner(scope)?;
    Some(names.name_text(names.bindings.get(owner as usize)?.name))
}

/// The last name of the receiver of a member: `doc` for `self.doc.apply`, `get_doc` for `get_doc().apply`.
pub(super) fn receiver_name(names: &Names, member: ExprId) -> Option<&str> {
    match names.expr_by_id(member) {
        Expr::Member { base, .. } => last_name(names, base),
        _ => None,
    }
}

/// The last name of an expression: that of a path, of a called function, of a type without its arguments.
fn last_name(names: &Names, mut expr: ExprId) -> Option<&str> {
    for _ in 0..MAX_RECEIVER_STEPS {
        match names.expr_by_id(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => return Some(names.name_text(name)),
            Expr::Bound { binding } => return Some(names.name_text(names.bindings.get(binding as usize)?.name)),
            Expr::Call { callee } | Expr::Applied { callee, .. } | Expr::Given { callee, .. } => expr = callee,
            Expr::Element { of }
            | Expr::Subscript { of, .. }
            | Expr::Item { of, .. }
            | Expr::Instance { of }
            | Expr::Matched { of, .. } => expr = of,
            Expr::Generic { base: Some(base), .. } => expr = base,
            _ => return None,
        }
    }
    None
}

/// How well the name of a variable or function fits the values of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    None,
    /// The name is one of the words of the type's name: `bits` for `BitSlice`.
    Word,
    /// The name is the type's last word, a short form of it, or the initials: `doc` and `new_document` for `Document`, `qs`
    /// for `QuerySet`.
    LastWord,
    /// The name ends in all words of a type's name, which are several: `old_query_set` for `QuerySet`.
    AllWords,
}

fn fit_of_name_to_type(name: &str, type_name: &str) -> Fit {
    if name.len().max(type_name.len()) > MAX_COMPARED_NAME_BYTES {
        return Fit::None;
    }
    let name_words = lowercase_words(name);
    let type_words = lowercase_words(type_name);
    let (Some(last), Some(type_last)) = (name_words.last(), type_words.last()) else { return Fit::None };
    let singular = last.strip_suffix('s').filter(|singular| singular.len() >= MIN_SHORT_FORM_LETTERS).unwrap_or(last);
    let is_short_form = |short: &str| short.len() >= MIN_SHORT_FORM_LETTERS && type_last.starts_with(short);
    // Several words at the end of the type's name, written as one or by their initials.
    let is_end_of_type_name =
        (0..type_words.len().saturating_sub(1)).filter_map(|from| type_words.get(from..)).any(|end| {
            let initials: String = end.iter().filter_map(|word| word.chars().next()).collect();
            *last == initials || *last == end.concat()
        });
    if type_words.len() > 1 && name_words.ends_with(&type_words) {
        Fit::AllWords
    } else if is_short_form(last)
        || is_short_form(singular)
        || is_end_of_type_name
        || is_name_of_managers(last, type_last)
    {
        Fit::LastWord
    } else if name_words.len() == 1 && type_words.iter().any(|word| word == last || word == singular) {
        Fit::Word
    } else {
        Fit::None
    }
}

/// Whether a name is the one that Django and its like give to managers and query sets.
fn is_name_of_managers(name: &str, type_last_word: &str) -> bool {
    name == "objects" && matches!(type_last_word, "manager" | "set" | "queryset")
}

/// The words of an identifier, in lower case: they are separated by `_` and by capital letters.
fn lowercase_words(identifier: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut starts_word = true;
    let mut previous_is_lower = false;
    for c in identifier.chars() {
        if !c.is_alphanumeric() {
            starts_word = true;
            continue;
        }
        if starts_word || (c.is_uppercase() && previous_is_lower) {
            words.push(String::new());
            starts_word = false;
        }
        previous_is_lower = !c.is_uppercase();
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_the_types_that_they_name_or_shorten() {
        for (name, type_name) in [
            ("doc", "Document"),
            ("document", "Document"),
            ("new_document", "Document"),
            ("documents", "Document"),
            ("qs", "QuerySet"),
            ("queryset", "QuerySet"),
            ("currentUser", "User"),
            ("conn", "HttpConnection"),
            ("queryset", "LogEntryQuerySet"),
            ("qs", "LogEntryQuerySet"),
            ("objects", "BaseQuerySet"),
        ] {
            assert_eq!(fit_of_name_to_type(name, type_name), Fit::LastWord, "{name} {type_name}");
        }
        for (name, type_name) in
            [("d", "Document"), ("do", "Document"), ("text", "Document"), ("document_id", "Document"), ("", "Document")]
        {
            assert_eq!(fit_of_name_to_type(name, type_name), Fit::None, "{name} {type_name}");
        }
    }

    #[test]
    fn all_words_of_a_type_fit_most() {
        for (name, type_name) in
            [("query_set", "QuerySet"), ("oldQuerySet", "QuerySet"), ("virtualType", "VirtualType")]
        {
            assert_eq!(fit_of_name_to_type(name, type_name), Fit::AllWords, "{name} {type_name}");
        }
        assert_eq!(fit_of_name_to_type("virtualType", "SchemaType"), Fit::LastWord);
        assert_eq!(fit_of_name_to_type("type", "SchemaType"), Fit::LastWord);
    }

    #[test]
    fn a_name_of_thousands_of_words_fits_nothing() {
        let long = "Ab".repeat(50_000);
        assert_eq!(fit_of_name_to_type("doc", &long), Fit::None);
        assert_eq!(fit_of_name_to_type(&long, "Document"), Fit::None);
    }

    #[test]
    fn one_word_of_a_type_fits_less() {
        assert_eq!(fit_of_name_to_type("bits", "BitSlice"), Fit::Word);
        assert_eq!(fit_of_name_to_type("query_bit", "BitSlice"), Fit::None);
    }

    #[test]
    fn a_receiver_named_for_another_type_is_not_plausible() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut members = MembersOfOneName {
            own_types: set(&["Document"]),
            other_types: set(&["Transaction"]),
            is_mostly_target: false,
            ..MembersOfOneName::default()
        };
        assert!(members.is_target_plausible(Some("doc")));
        assert!(!members.is_target_plausible(Some("transaction")));
        assert!(!members.is_target_plausible(Some("x")));
        assert!(!members.is_target_plausible(None));
        members = MembersOfOneName { is_mostly_target: true, plausible_receivers: Mutex::default(), ..members };
        assert!(members.is_target_plausible(Some("x")));
        assert!(members.is_target_plausible(None));
        assert!(!members.is_target_plausible(Some("transaction")));
    }
}
