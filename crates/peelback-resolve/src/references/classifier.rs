//! Classifies each occurrence of a searched name: a reference to a search target, to something else, or unknown.

use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use peelback_syntax::names::{BindingKind, Expr, NameId, Names, Occurrence, Role, Target};

use super::aliases::Aliases;
use super::conditional_code::ConditionalCode;
use super::family::are_members_related_by_override;
use super::meaning::Meaning;
use super::name_match::MembersOfOneName;
use super::overloads::{OverloadMeaning, Overloads, may_call};
use super::reference::Confidence;
use super::scan::{Hits, ReferenceWordScan, SearchWords};
use super::search::ReferenceSearch;
use super::target::SearchTarget;
use crate::modules::{FileId, Module};

/// An occurrence of a name that refers to a search target.
#[derive(Debug, Clone)]
pub(super) struct ClassifiedUse {
    pub at: u32,
    pub line: u32,
    pub role: Role,
    pub confidence: Confidence,
    /// Whether the place plausibly means the target: always, unless only the name is the same.
    pub is_plausible: bool,
    /// Whether only some builds compile the line of the reference.
    pub is_conditional: bool,
    pub target: usize,
}

/// The references to search targets in one file.
#[derive(Debug, Clone, Default)]
pub(super) struct FileReferences {
    pub uses: Vec<ClassifiedUse>,
    /// The places of a target's name inside strings and comments: byte offset and line.
    pub in_text: Vec<(u32, u32)>,
    /// The number of places with a target's name that mean another function or type for sure.
    pub other_meanings: usize,
}

/// Decides which occurrences of names refer to the targets of a search. Holds what the classification of every file
/// needs to know of the whole search.
pub(super) struct ReferenceClassifier<'a> {
    pub(super) search: &'a ReferenceSearch<'a>,
    pub(super) targets: &'a [SearchTarget],
    words: &'a SearchWords,
    aliases: &'a Aliases,
    pub(super) scan: &'a ReferenceWordScan,
    /// For each definition that is one with a search target, the index of that target.
    pub(super) by_def: HashMap<Def, usize>,
    /// For each definition whose call calls a search target, the index of that target.
    by_called_def: HashMap<Def, usize>,
    /// For each name, the indexes of the search targets of that name.
    by_name: HashMap<&'a str, Vec<usize>>,
    /// For each trait member that is a search target, by the member's name and its trait, the index of that target.
    by_trait_member: HashMap<(&'a str, Def), usize>,
    /// For each member that search targets override, the indexes of these targets and the types that they belong to, where a
    /// use through a base likely means the target.
    overriding_targets: HashMap<Def, Vec<(usize, Def)>>,
    overloads: Overloads,
    /// For each search target, whether the only members of its name are the target and the members that it overrides.
    is_only_member: Vec<bool>,
    /// For each search target, the members that have its name; compared when a place needs it.
    pub(super) members_of_name: Vec<OnceLock<MembersOfOneName>>,
}

impl<'a> ReferenceClassifier<'a> {
    pub fn new(
        search: &'a ReferenceSearch<'a>,
        targets: &'a [SearchTarget],
        words: &'a SearchWords,
        aliases: &'a Aliases,
        scan: &'a ReferenceWordScan,
    ) -> Self {
        let mut only: Vec<bool> = Vec::with_capacity(targets.len());
        let mut previous: Option<&SearchTarget> = None;
        for target in targets {
            // Of many definitions of one member, each is a target, and what holds for one holds for all.
            let is_same = previous.is_some_and(|previous| previous.is_same_member(target));
            let known = only.last().copied().filter(|_| is_same);
            only.push(known.unwrap_or_else(|| is_only_member_of_its_name(search, target, scan)));
            previous = Some(target);
        }
        let mut by_def = HashMap::new();
        for (at, target) in targets.iter().enumerate() {
            for def in &target.definitions {
                by_def.entry(*def).or_insert(at);
            }
        }
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut by_trait_member = HashMap::new();
        for (at, target) in targets.iter().enumerate() {
            by_name.entry(&target.name).or_default().push(at);
            let further = search.further_names_of_target_function(target).into_iter();
            for name in further.chain(search.further_names_of_target_member(target)) {
                by_name.entry(name).or_default().push(at);
            }
            if target.is_whole_file {
                // Files in which no import names a component use it by a name of its own.
                let further = search.further_names_of_target(target);
                let names = further.iter().filter(|name| name.starts_with(char::is_uppercase) && **name != target.name);
                for name in names.filter_map(|name| words.get(name)) {
                    by_name.entry(name).or_default().push(at);
                }
            }
            let implemented = target.is_member && target.semantics_or_default().implementing_member_is_reference();
            if let Some(own) = target.def.filter(|_| implemented)
                && let Some(owner) = search.evaluate_and_count_if_cut(|budget| search.resolver.owner_type(own, budget))
            {
                by_trait_member.entry((target.name.as_str(), owner)).or_insert(at);
            }
        }
        let by_called_def = search.called_target_index_by_definition(targets);
        let overriding_targets = overriding_targets_by_overridden_member(search, targets);
        Self {
            search,
            targets,
            words,
            aliases,
            scan,
            by_def,
            by_called_def,
            by_name,
            by_trait_member,
            overriding_targets,
            overloads: Overloads::new(search, targets),
            is_only_member: only,
            members_of_name: targets.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Classifies the occurrences of the searched names in a file; `None` if none of them is a reference.
    pub fn classify_references_in_file(&self, file: FileId) -> Option<FileReferences> {
        let index = self.search.resolver.names_index(file)?;
        let names = index.names();
        let hits = self.scan.hits_in_file(file)?;
        let mut searched_names: BTreeSet<NameId> =
            self.words.iter().filter_map(|word| index.name_id_of_text(word)).collect();
        searched_names.extend(self.aliases.local_target_names_in_file(file));
        let mut found_references = FileReferences::default();
        let mut known: BTreeSet<u32> = BTreeSet::new();
        let mut other_meanings: BTreeSet<u32> = BTreeSet::new();
        let mut previous_use: Option<&Occurrence> = None;
        let members_used = OnceCell::new();
        let conditional = ConditionalCode::new(self.search.resolver, file, names);
        for occurrence in names.occurrences.iter().filter(|occurrence| searched_names.contains(&occurrence.name)) {
            if self.search.resolver.call_end.must_stop_now() {
                break;
            }
            known.insert(occurrence.at);
            if self.declares_target_as_parameter(file, names, occurrence) {
                continue;
            }
            let meaning = match self.classify_occurrence(file, names, occurrence) {
                Meaning::Target(target, confidence) => {
                    match self.overloads.meaning_of_use((target, confidence), (file, names), occurrence) {
                        Some(OverloadMeaning::Target(target, confidence)) => Meaning::Target(target, confidence),
                        Some(OverloadMeaning::Other) if occurrence.role == Role::Definition => Meaning::NotKnown,
                        Some(OverloadMeaning::Other) => Meaning::OtherDefinition,
                        None => Meaning::Target(target, confidence),
                    }
                }
                meaning => meaning,
            };
            if let Meaning::Target(target, confidence) = meaning {
                if confidence != Confidence::Resolved
                    && self.is_own_definition_in_argument(file, names, occurrence, target)
                {
                    continue;
                }
                let Occurrence { at, line, .. } = *occurrence;
                let some_builds = conditional.contains_line(line);
                let found = ClassifiedUse {
                    at,
                    line,
                    role: role_shown_in_answer(names, occurrence),
                    confidence,
                    is_plausible: confidence != Confidence::Name
                        || self.is_name_match_plausible((file, names), occurrence, target, &members_used),
                    is_conditional: some_builds,
                    target,
                };
                match found_references.uses.last_mut() {
                    // `a as b` in an import is one reference: the other name belongs to the importing file.
                    Some(last) if is_local_name_of_import(occurrence) && may_be_parts_of_one_import(last, &found) => {}
                    // So is `a as b` in an export: other files know the name by which it is exported.
                    Some(last)
                        if previous_use.is_some_and(|previous| {
                            previous.at == last.at && is_exported_name_of(names, previous, occurrence)
                        }) => {}
                    // A place with two occurrences of the name counts once, as the surer one.
                    Some(last) if last.at == found.at => {
                        if found.confidence < last.confidence {
                            *last = found;
                        }
                    }
                    _ => found_references.uses.push(found),
                }
                previous_use = Some(occurrence);
            } else if matches!(meaning, Meaning::OtherDefinition)
                && self.is_name_of_target(names.name_text(occurrence.name))
            {
                other_meanings.insert(occurrence.at);
            }
        }
        for found in &found_references.uses {
            other_meanings.remove(&found.at);
        }
        found_references.other_meanings = other_meanings.len();
        if self.search.text {
            found_references.in_text = name_places_in_strings_and_comments(hits, &known, self.targets);
        }
        let FileReferences { uses, in_text, other_meanings } = &found_references;
        let is_any = !uses.is_empty() || !in_text.is_empty() || *other_meanings > 0;
        is_any.then_some(found_references)
    }

    /// Whether an occurrence is the parameter by which a searched property is declared.
    fn declares_target_as_parameter(&self, file: FileId, names: &Names, occurrence: &Occurrence) -> bool {
        let Target::Binding(binding) = occurrence.target else { return false };
        let kind = names.bindings.get(binding as usize).map(|binding| binding.kind);
        occurrence.role == Role::Definition
            && kind == Some(BindingKind::Parameter)
            && self.by_def.contains_key(&Def { file, binding })
    }

    /// Whether an occurrence is the name in the definition of the target, as a member of an object that is passed to a function
    /// of which it is not known what members it expects.
    fn is_own_definition_in_argument(
        &self,
        file: FileId,
        names: &Names,
        occurrence: &Occurrence,
        target: usize,
    ) -> bool {
        let Some(own) = self.targets.get(target).and_then(|target| target.outlined_def) else { return false };
        let Target::Expr(mut expr) = occurrence.target else { return false };
        let is_there = own.file == file
            && names.bindings.get(own.binding as usize).is_some_and(|binding| binding.at == occurrence.at);
        if !is_there {
            return false;
        }
        loop {
            match names.expr_by_id(expr) {
                // An expression comes after its operands.
                Expr::Member { base, .. } if base < expr => expr = base,
                Expr::Element { of } if of < expr => expr = of,
                Expr::Argument { .. } => return true,
                _ => return false,
            }
        }
    }

    /// Whether a definition is that of a search target, where overloads are one definition.
    pub(super) fn is_definition_of_overload(&self, def: Def) -> bool {
        self.targets.iter().any(|target| target.outlined_def == Some(def) && target.is_tellable_overload())
    }

    /// Whether a search target is called `name`. The search also looks for names that targets have elsewhere, such as the
    /// alias of an import, and one file's alias says nothing about the same word in other files.
    fn is_name_of_target(&self, name: &str) -> bool {
        let of_name = self.by_name.get(name).into_iter().flatten();
        of_name.filter_map(|at| self.targets.get(*at)).any(|target| target.name == name)
    }

    /// The index of the target that an occurrence with this resolution refers to, and how surely; `None` if it refers to
    /// something else.
    pub(super) fn target_of_resolved_occurrence(
        &self,
        file: FileId,
        names: &Names,
        occurrence: &Occurrence,
        resolution: &Resolution,
    ) -> Option<(usize, Confidence)> {
        let text = names.name_text(occurrence.name);
        let resolver = self.search.resolver;
        // A name that may also mean something unknown is no sure reference.
        let is_sure = resolution.sure && !resolution.missing.is_any();
        let mut best: Option<(usize, Confidence)> = None;
        for referent in &resolution.referents {
            let Some(target) = self.index_of_target_meant_by_referent(referent) else { continue };
            let confidence =
                if is_sure && resolution.referents.len() == 1 { Confidence::Resolved } else { Confidence::Likely };
            // An import takes all overloads of a function.
            let takes_all = occurrence.role == Role::Import && self.are_overloads(&resolution.referents);
            let sure = is_sure
                && (takes_all
                    || self.are_all_referents_target(&resolution.referents, target)
                    || self.are_referents_alternative_definitions(file, &resolution.referents));
            let confidence = if sure { Confidence::Resolved } else { confidence };
            if best.is_none_or(|(_, known)| confidence < known) {
                best = Some((target, confidence));
            }
        }
        if best.is_some() {
            return best;
        }
        // What calls a type calls its constructor, which may be one that no declaration shows: that of copies.
        if may_call(occurrence.role)
            && let [Referent::Def(def)] = resolution.referents.as_slice()
            && let Some(target) =
                self.overloads.constructor_target_of_type(resolver.forwarded_or_canonical_definition(*def))
        {
            let count = match occurrence.target {
                Target::Expr(expr) => names.arguments_of_call(expr).map(<[_]>::len),
                _ => None,
            };
            let is_told = is_sure && count.is_some_and(|count| count != 1);
            return Some((target, if is_told { Confidence::Resolved } else { Confidence::Likely }));
        }
        if self.search.calls && occurrence.role == Role::Call && !resolution.is_empty() {
            let (held, sure) = resolver.callable_definitions_and_certainty(resolution);
            let confidence = if sure && held.len() == 1 { Confidence::Resolved } else { Confidence::Likely };
            if let Some(target) = held.iter().filter_map(|def| self.by_called_def.get(def)).min() {
                return Some((*target, confidence));
            }
        }
        if let Some(target) = self.index_of_target_overriding_used_member(file, names, occurrence, resolution) {
            return Some((target, Confidence::Likely));
        }
        // The name means something else for sure.
        if !resolution.is_empty() && !resolution.missing.is_any() && !self.may_lead_through_getter(resolution) {
            return None;
        }
        let usable = self.by_name.get(text)?.iter().copied().filter(|at| {
            self.targets.get(*at).is_some_and(|target| self.can_language_of_file_use_target(target, file))
        });
        let usable: Vec<usize> = usable.collect();
        let can_fit = |at: &&usize| {
            self.targets.get(**at).is_some_and(|target| self.can_occurrence_role_fit_target(target, occurrence.role))
        };
        // A type can have a field and a method of one name.
        let fitting = usable.iter().find(can_fit);
        let target = *fitting.or(usable.first())?;
        let is_member = matches!(occurrence.target, Target::Expr(expr)
            if matches!(names.expr_by_id(expr), peelback_syntax::names::Expr::Member { .. }));
        let found = self.targets.get(target)?;
        let is_only = self.is_only_member.get(target) == Some(&true) && found.name == text;
        if resolution.is_empty() && is_member && found.is_member && is_only {
            return fitting.map(|target| (*target, Confidence::Likely));
        }
        // A bare name never means a member, and the name of a parameter belongs to its function alone.
        let bare = matches!(occurrence.target, Target::Expr(_)) && !is_member;
        if (bare && found.is_member) || matches!(occurrence.target, Target::Parameter { .. }) {
            return None;
        }
        // Where names are not resolved, the name of a definition is no use of it.
        if occurrence.role == Role::Definition && found.def.is_none() {
            return None;
        }
        if resolution.missing == Missing::LeftOut {
            self.search.count_evaluation_cut_short();
        }
        Some((target, Confidence::Name))
    }

    /// Whether an occurrence with this role can refer to the target: a call is never a field, if fields are separate
    /// from methods.
    pub(super) fn can_occurrence_role_fit_target(&self, target: &SearchTarget, role: Role) -> bool {
        if !target.semantics_or_default().separates_fields_from_methods() {
            return true;
        }
        match target.def.and_then(|def| binding_kind_of_definition(self.search, def)) {
            Some(BindingKind::Function) => matches!(role, Role::Call | Role::Read),
            Some(BindingKind::Field) => matches!(role, Role::Member | Role::Read | Role::Write),
            _ => true,
        }
    }

    fn can_language_of_file_use_target(&self, target: &SearchTarget, file: FileId) -> bool {
        match target.semantics {
            Some(semantics) => {
                let names = self.search.snapshot.names_in_file(file);
                names.is_ok_and(|names| semantics.can_names_be_used_from_language(names.language.name))
            }
            None => true,
        }
    }

    /// Whether each of the referents means the search target with the index `target`.
    fn are_all_referents_target(&self, referents: &[Referent], target: usize) -> bool {
        referents.iter().all(|referent| self.index_of_target_meant_by_referent(referent) == Some(target))
    }

    /// Whether all referents are functions of one scope.
    fn are_overloads(&self, referents: &[Referent]) -> bool {
        let scope = |referent: &Referent| match referent {
            Referent::Def(def) => {
                let binding = self.search.resolver.binding_of_definition(*def)?;
                (binding.kind == BindingKind::Function).then_some((def.file, binding.scope))
            }
            _ => None,
        };
        let first = referents.first().and_then(scope);
        first.is_some() && referents.iter().all(|referent| scope(referent) == first)
    }

    /// Whether the referents of a name are alternative definitions of which one is compiled. Members that several
    /// traits give to one type are no alternatives.
    fn are_referents_alternative_definitions(&self, file: FileId, referents: &[Referent]) -> bool {
        if !self
            .search
            .resolver
            .semantics_of_file_language_or_default(file)
            .multiple_definitions_are_build_alternatives()
        {
            return false;
        }
        let mut holders = BTreeSet::new();
        referents.iter().all(|referent| match referent {
            Referent::Def(def) => {
                let holder =
                    self.search.evaluate_and_count_if_cut(|budget| self.search.resolver.owner_type(*def, budget));
                holder.is_none_or(|holder| holders.insert(holder))
            }
            // A module and a function can share a name.
            Referent::Module(_) => true,
            _ => false,
        })
    }

    /// The index of the target that a referent is, or that it re-exports by a getter.
    fn index_of_target_meant_by_referent(&self, referent: &Referent) -> Option<usize> {
        self.index_of_target_that_is_referent(referent).or_else(|| {
            let Referent::Def(def) = referent else { return None };
            let originals = self.search.resolver.originals_of_exported_getter(*def)?;
            originals.referents.iter().find_map(|original| self.index_of_target_that_is_referent(original))
        })
    }

    /// Whether a name may mean more than the definition that it resolves to, because that is a getter of a module's exports
    /// whose result is not known.
    pub(super) fn may_lead_through_getter(&self, resolution: &Resolution) -> bool {
        resolution.referents.iter().any(|referent| match referent {
            Referent::Def(def) => {
                let originals = self.search.resolver.originals_of_exported_getter(*def);
                originals.is_some_and(|originals| originals.missing.is_any())
            }
            _ => false,
        })
    }

    fn index_of_target_that_is_referent(&self, referent: &Referent) -> Option<usize> {
        let resolver = self.search.resolver;
        let def = match referent {
            Referent::Def(def) => def,
            // The value of the module is the target: `module.exports = f`.
            Referent::Module(Module::File(file)) => {
                let means = |target: &SearchTarget, referent: &Referent| match referent {
                    Referent::Def(def) => {
                        target.definitions.contains(&resolver.forwarded_or_canonical_definition(*def))
                    }
                    _ => false,
                };
                return self.targets.iter().position(|target| {
                    target.semantics_or_default().whole_module_export_can_be_definition()
                        && resolver.does_exported_module_value_match(*file, |found| means(target, found))
                });
            }
            _ => return None,
        };
        let canonical = resolver.forwarded_or_canonical_definition(*def);
        let exact = self.by_def.get(&canonical).copied();
        exact
            .or_else(|| {
                // A member that implements a trait's member refers to it, and so does a use of that member.
                let name = self.name_of_definition(canonical).filter(|_| !self.by_trait_member.is_empty())?;
                let traits = self
                    .search
                    .evaluate_and_count_if_cut(|budget| resolver.traits_of_impl_containing_member(canonical, budget));
                traits.iter().filter_map(|of| self.by_trait_member.get(&(name, *of)).copied()).min()
            })
            .or_else(|| self.index_of_target_related_by_override(canonical))
    }

    /// The index of the target that is related to `member` by overriding: one overrides the other, or both override a
    /// third.
    pub(super) fn index_of_target_related_by_override(&self, member: Def) -> Option<usize> {
        let is_related = |at: &usize| {
            self.targets.get(*at).is_some_and(|target| {
                target.is_member
                    && target.semantics_or_default().reference_search_unites_overriding_members()
                    && target.def.is_some_and(|own| are_members_related_by_override(self.search, own, member))
            })
        };
        self.by_name.get(self.name_of_definition(member)?)?.iter().copied().find(is_related)
    }

    /// The index of the target that overrides the member to which an occurrence resolves, where the receiver may be of an
    /// heir of its type: the object behind it may be of the target's type.
    fn index_of_target_overriding_used_member(
        &self,
        file: FileId,
        names: &Names,
        occurrence: &Occurrence,
        resolution: &Resolution,
    ) -> Option<usize> {
        let resolver = self.search.resolver;
        let overriding_targets = |referent: &Referent| match referent {
            Referent::Def(def) if !self.overriding_targets.is_empty() => {
                self.overriding_targets.get(&resolver.forwarded_or_canonical_definition(*def))
            }
            _ => None,
        };
        let overriding: Vec<&Vec<(usize, Def)>> = resolution.referents.iter().filter_map(overriding_targets).collect();
        if overriding.is_empty() {
            return None;
        }
        let Target::Expr(expr) = occurrence.target else { return None };
        let Expr::Member { base, .. } = names.expr_by_id(expr) else { return None };
        if matches!(names.expr_by_id(base), Expr::Super { .. }) {
            return None;
        }
        self.search.evaluate_and_count_if_cut(|budget| {
            let types = resolver.types_whose_heirs_receiver_may_be(file, base, budget);
            let mut may_be = |owner: Def| types.iter().any(|base| resolver.is_derived_from(owner, *base, budget));
            let mut first_of = |targets: &[(usize, Def)]| {
                let looked_at = targets.iter().take_while(|_| !types.is_empty() && !resolver.call_end.must_stop_now());
                looked_at.copied().find(|(_, owner)| may_be(*owner)).map(|(index, _)| index)
            };
            overriding.into_iter().filter_map(|targets| first_of(targets)).min()
        })
    }

    fn name_of_definition(&self, def: Def) -> Option<&str> {
        let names = self.search.resolver.names_of_file(def.file)?;
        Some(names.name_text(names.bindings.get(def.binding as usize)?.name))
    }

    /// A note about a line that contains a searched name and was not understood, if no reference was found on it.
    pub fn note_about_missed_line(&self, file: FileId, found_references: Option<&FileReferences>) -> Option<String> {
        let names = self.search.resolver.names_of_file(file)?;
        if names.missed.is_empty() {
            return None;
        }
        // The parser's guess about a broken region counts as a reference only if it resolves: a matching name alone
        // does not.
        let uses = found_references.into_iter().flat_map(|found_references| &found_references.uses);
        let used: BTreeSet<u32> =
            uses.filter(|found| found.confidence != Confidence::Name).map(|found| found.at).collect();
        let hits = self.scan.hits_in_file(file)?;
        let lost = hits.entries.iter().find(|(at, (line, _))| {
            !used.contains(at) && names.missed.iter().any(|(first, last)| (*first..=*last).contains(line))
        });
        lost.map(|(_, (line, _))| format!("not understood where it holds the name (line {line})"))
    }
}

/// Whether an occurrence is the local name of an import that renames.
fn is_local_name_of_import(occurrence: &Occurrence) -> bool {
    occurrence.role == Role::Import && matches!(occurrence.target, Target::Binding(_))
}

/// Whether `occurrence` is the name under which an export renames the name of `previous`: `b` of `a as b`. Both refer to what
/// `a` means, and `previous` is the occurrence that names it.
fn is_exported_name_of(names: &Names, previous: &Occurrence, occurrence: &Occurrence) -> bool {
    let exported = match previous.target {
        Target::Imported(_, name) => name,
        Target::Expr(expr) => match names.expr_by_id(expr) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => Some(name),
            _ => None,
        },
        _ => None,
    };
    previous.role == Role::Export
        && occurrence.role == Role::Export
        && exported == Some(previous.name)
        && previous.target == occurrence.target
        && previous.name != occurrence.name
}

/// Whether two references to the same target are parts of one import.
fn may_be_parts_of_one_import(before: &ClassifiedUse, found: &ClassifiedUse) -> bool {
    before.role == Role::Import && before.line == found.line && before.target == found.target
}

/// The role of an occurrence in the answer. A variable or field that is bound again is written.
fn role_shown_in_answer(names: &Names, occurrence: &Occurrence) -> Role {
    let Target::Binding(binding) = occurrence.target else { return occurrence.role };
    match names.bindings.get(binding as usize).map(|binding| binding.kind) {
        Some(BindingKind::Field | BindingKind::Variable) if occurrence.role == Role::Definition => Role::Write,
        _ => occurrence.role,
    }
}

/// The places of a target's own name that are no occurrences: names in strings and comments. Each is a byte offset and
/// a line.
fn name_places_in_strings_and_comments(
    hits: &Hits,
    known: &BTreeSet<u32>,
    targets: &[SearchTarget],
) -> Vec<(u32, u32)> {
    let own = |len: u32| targets.iter().any(|target| target.name.len() == len as usize);
    let free = hits.entries.iter().filter(|(at, (_, len))| !known.contains(at) && own(*len));
    free.map(|(at, (line, _))| (*at, *line)).collect()
}

/// Whether a target and the members related to it by overriding are the only members of their name, so that an unknown
/// receiver's member of that name likely is the target. A name that builtin types have too indicates nothing.
fn is_only_member_of_its_name(search: &ReferenceSearch<'_>, target: &SearchTarget, scan: &ReferenceWordScan) -> bool {
    let (Some(own), true, Some(semantics)) = (target.def, target.is_member, target.semantics) else { return false };
    if semantics.is_builtin_member_name(&target.name) {
        return false;
    }
    for (def, binding) in scan.members_of_name(search.resolver, &target.name) {
        let def = search.resolver.forwarded_or_canonical_definition(def);
        // Where fields are separate from methods, a function and a field of one name do not compete for a reference.
        let apart = semantics.separates_fields_from_methods()
            && is_function_kind(binding_kind_of_definition(search, own)) != is_function_kind(Some(binding.kind));
        if !apart && !target.definitions.contains(&def) && !are_members_related_by_override(search, own, def) {
            return false;
        }
    }
    true
}

/// For each member that targets override, the indexes of these targets and the types that they belong to, where a use
/// through a base likely means the target.
fn overriding_targets_by_overridden_member(
    search: &ReferenceSearch<'_>,
    targets: &[SearchTarget],
) -> HashMap<Def, Vec<(usize, Def)>> {
    let mut overriding: HashMap<Def, Vec<(usize, Def)>> = HashMap::new();
    for (at, target) in targets.iter().enumerate() {
        let is_likely = target.is_member && target.semantics_or_default().use_through_base_likely_means_override();
        let Some(own) = target.def.filter(|_| is_likely) else { continue };
        if search.resolver.call_end.must_stop_now() {
            break;
        }
        search.evaluate_and_count_if_cut(|budget| {
            let Some(owner) = search.resolver.owner_type(own, budget) else { return };
            for overridden in search.resolver.member_and_overridden_members(own, budget).iter() {
                if *overridden != own {
                    overriding.entry(*overridden).or_default().push((at, owner));
                }
            }
        });
    }
    overriding
}

pub(super) fn binding_kind_of_definition(search: &ReferenceSearch<'_>, def: Def) -> Option<BindingKind> {
    search.resolver.names_of_file(def.file)?.bindings.get(def.binding as usize).map(|binding| binding.kind)
}

fn is_function_kind(kind: Option<BindingKind>) -> bool {
    kind == Some(BindingKind::Function)
}
