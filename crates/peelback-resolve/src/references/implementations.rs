//! Finds the types and members that extend, implement or override a search target.

use crate::resolve::definition::{Def, Referent};
use crate::resolve::structural::InterfaceFit;
use crate::semantics::StructuralTyping;
use peelback_project::{Completeness, Evidence};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use peelback_syntax::SymbolKind;
use peelback_syntax::names::{BindingKind, Expr, ExprId, Names, Role};

use super::aliases::Aliases;
use super::derived::{Derived, DerivedByBase};
use super::enclosing::enclosing_definition_at;
use super::reference::{Confidence, Endpoint, Reference};
use super::scan::{ReferenceWordScan, SearchWords};
use super::search::ReferenceSearch;
use super::target::SearchTarget;
use crate::modules::FileId;

/// The limit on the number of types whose derived types are searched for one answer.
const MAX_TYPES: usize = 400;

/// The limit on the number of rounds of a search for types that embed others. Each round finds what embeds the types of
/// the round before.
const MAX_ROUNDS: usize = 8;

impl ReferenceSearch<'_> {
    /// The types that extend or implement the search targets, at any depth, or the members that override or implement
    /// them.
    pub(super) fn find_implementations(&self, targets: Vec<SearchTarget>, evidence: &mut Evidence) -> Vec<Reference> {
        let mut rows = Vec::new();
        let base_and_member = |target: &SearchTarget| {
            let own = target.def?;
            let is_type = self.resolver.binding_of_definition(own).is_some_and(|own| own.kind == BindingKind::Type);
            let is_base = is_type && target.semantics_or_default().nested_types_are_bases();
            Some(match self.find_owner_type_and_record_cut(own).filter(|_| target.is_member && !is_base) {
                Some(holder) => {
                    let further = self.further_names_of_target_function(target).into_iter().map(str::to_owned);
                    (holder, further.chain([target.name.clone()]).collect::<Vec<String>>())
                }
                None => (self.resolver.representative_of_same_name_in_scope(own), Vec::new()),
            })
        };
        let based: Vec<_> = targets.iter().map(base_and_member).collect();
        // Many targets may have one name, and the files that hold it are the same for all.
        let bases: BTreeSet<Def> = based.iter().flatten().map(|(base, _)| *base).collect();
        let first_scan = self.scan_for_targets_and_aliases(&self.search_targets_of_types(bases), evidence);
        for (symbol, (target, based)) in targets.iter().zip(based).enumerate() {
            let Some((base, names)) = based else { continue };
            for (derived, level, confidence) in self.transitively_derived_definitions(base, &first_scan, evidence) {
                let made: Vec<Reference> = match names.as_slice() {
                    [] => self.derived_definition_as_reference(derived).into_iter().collect(),
                    names => {
                        let found = names.iter().flat_map(|name| self.implementing_members(target, derived, name));
                        let other = found.filter(|found| !target.definitions.contains(found));
                        other.filter_map(|def| self.definition_as_reference(def)).collect()
                    }
                };
                rows.extend(made.into_iter().map(|row| Reference { depth: level, symbol, confidence, ..row }));
            }
        }
        rows.sort_by(|a: &Reference, b| {
            (&a.path, a.at, a.depth, a.confidence).cmp(&(&b.path, b.at, b.depth, b.confidence))
        });
        rows.dedup_by(|a, b| (&a.path, a.at) == (&b.path, b.at));
        rows
    }

    /// All types and implementations that derive from `base`, at any depth, each with the number of steps between them
    /// and the confidence. `first_scan` has the files that hold names of `base`.
    fn transitively_derived_definitions(
        &self,
        base: Def,
        first_scan: &ReferenceWordScan,
        evidence: &mut Evidence,
    ) -> Vec<(Derived, u32, Confidence)> {
        let mut all: Vec<(Derived, u32, Confidence)> = Vec::new();
        let mut seen = BTreeSet::from([Derived::Type(base)]);
        let mut level = vec![base];
        for step in 1.. {
            let targets = self.search_targets_of_types(level.iter().copied());
            if targets.is_empty() {
                break;
            }
            if seen.iter().filter(|derived| matches!(derived, Derived::Type(_))).count() > MAX_TYPES {
                evidence
                    .add_note(format!("types derived from the last {} of the types were not followed", targets.len()));
                evidence.lower_completeness_to(Completeness::LowerBound);
                break;
            }
            let further_scan = (step > 1).then(|| self.scan_for_targets_and_aliases(&targets, evidence));
            let scan = further_scan.as_ref().unwrap_or(first_scan);
            let mut next = Vec::new();
            for file in scan.files_with_hits() {
                for derived in self.directly_derived_definitions_in_file(file, &level) {
                    if seen.insert(derived) {
                        all.push((derived, step, Confidence::Resolved));
                        next.extend(match derived {
                            Derived::Type(def) => Some(def),
                            Derived::Implementation(..) => None,
                        });
                    }
                }
            }
            if step == 1 {
                for (def, confidence) in self.types_satisfying_interface_structurally(base, evidence) {
                    if seen.insert(Derived::Type(def)) {
                        all.push((Derived::Type(def), step, confidence));
                    }
                }
            }
            level = next;
        }
        all
    }

    fn search_targets_of_types(&self, definitions: impl IntoIterator<Item = Def>) -> Vec<SearchTarget> {
        definitions.into_iter().filter_map(|def| self.search_target_of_definition(def, 0)).collect()
    }

    fn scan_for_targets_and_aliases(&self, targets: &[SearchTarget], evidence: &mut Evidence) -> ReferenceWordScan {
        let mut words: SearchWords = targets.iter().map(|target| target.name.clone()).collect();
        let mut scan = ReferenceWordScan::default();
        let mut aliases = Aliases::default();
        let mut fresh = words.clone();
        while !fresh.is_empty() {
            scan.scan_files_for_words(self, &fresh, targets, evidence);
            fresh = aliases.find_new_target_names(self, targets, &scan, &words);
            words.extend(fresh.iter().cloned());
        }
        self.note_searched_names_on_missed_lines(&scan, evidence);
        scan
    }

    /// Adds a gap to the evidence for each file that contains a searched name on a line that was not understood: a type
    /// may begin there.
    fn note_searched_names_on_missed_lines(&self, scan: &ReferenceWordScan, evidence: &mut Evidence) {
        for file in scan.files_with_hits() {
            let (Some(names), Some(hits)) = (self.resolver.names_of_file(file), scan.hits_in_file(file)) else {
                continue;
            };
            if names.basic {
                evidence.mark_analysis_as_partly_basic();
            }
            let is_missed = |line: u32| names.missed.iter().any(|(first, last)| (*first..=*last).contains(&line));
            if let Some((line, _)) = hits.entries.values().find(|(line, _)| is_missed(*line)) {
                let path = self.snapshot.file_table().path_of_file(file);
                evidence.add_skipped_and_lower_completeness(
                    path,
                    format!("not understood where it holds the name (line {line})"),
                );
            }
        }
    }

    fn find_owner_type_and_record_cut(&self, def: Def) -> Option<Def> {
        self.evaluate_and_count_if_cut(|budget| self.resolver.owner_type(def, budget))
    }

    /// The types and extensions in a file that name one of `bases` as a base, in source order.
    fn directly_derived_definitions_in_file(&self, file: FileId, bases: &[Def]) -> Vec<Derived> {
        let by_base = self.derived_definitions_by_base(file);
        let mut found: BTreeSet<usize> = BTreeSet::new();
        for base in bases {
            found.extend(by_base.indexes.get(base).into_iter().flatten());
        }
        found.into_iter().filter_map(|index| by_base.derived.get(index)).flatten().copied().collect()
    }

    /// What derives from each definition in a file. It is found once for a search, because a search for derived types
    /// asks it anew in every round.
    fn derived_definitions_by_base(&self, file: FileId) -> Arc<DerivedByBase> {
        let lock = || self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&file) {
            return known.clone();
        }
        let made = Arc::new(self.find_derived_definitions_by_base(file));
        lock().insert(file, made.clone());
        made
    }

    fn find_derived_definitions_by_base(&self, file: FileId) -> DerivedByBase {
        let mut made = DerivedByBase::default();
        let Some(names) = self.resolver.names_of_file(file) else { return made };
        let mut add = |bases: &[ExprId], derived: &dyn Fn() -> Vec<Derived>| {
            let index = made.derived.len();
            let mut is_derived = false;
            for base in bases {
                let resolution =
                    self.evaluate_and_count_if_cut(|budget| self.resolver.resolve_expr_as_name(file, *base, budget));
                for referent in resolution.referents {
                    let named = self.evaluate_and_count_if_cut(|budget| {
                        self.resolver.definitions_named_by_referent(referent, budget)
                    });
                    for def in named {
                        let base = self.resolver.forwarded_or_canonical_definition(def);
                        let kind = self.resolver.binding_of_definition(base).map(|binding| binding.kind);
                        if kind == Some(BindingKind::Function) && !self.can_function_be_type(base) {
                            continue;
                        }
                        made.indexes.entry(base).or_default().push(index);
                        is_derived = true;
                    }
                }
            }
            if is_derived {
                made.derived.push(derived());
            }
        };
        for (id, binding) in (0..).zip(&names.bindings) {
            if binding.kind == BindingKind::Type {
                let own = || {
                    vec![Derived::Type(self.resolver.representative_of_same_name_in_scope(Def { file, binding: id }))]
                };
                add(names.expr_ids_in_list_range(binding.bases), &own);
            }
        }
        for (index, extension) in names.extensions.iter().enumerate() {
            let own = || {
                let extended = self.project_type_of_extension(file, extension.target).map(Derived::Type);
                extended.into_iter().chain([Derived::Implementation(file, index)]).collect()
            };
            add(extension.implements.as_slice(), &own);
        }
        made
    }

    /// The type of the project that an extension (such as a Rust `impl`) extends. An extension of a slice does not
    /// extend the type of its elements.
    fn project_type_of_extension(&self, file: FileId, target: ExprId) -> Option<Def> {
        let names = self.resolver.names_of_file(file)?;
        let target = match names.expr_by_id(target) {
            Expr::Generic { base, .. } => base?,
            _ => target,
        };
        let resolution =
            self.evaluate_and_count_if_cut(|budget| self.resolver.resolve_expr_as_name(file, target, budget));
        resolution.referents.iter().find_map(|referent| {
            let Referent::Def(def) = referent else { return None };
            let def = self.resolver.representative_of_same_name_in_scope(*def);
            let kind = self.resolver.names_of_file(def.file)?.bindings.get(def.binding as usize)?.kind;
            let is_type = match kind {
                BindingKind::Type | BindingKind::TypeAlias => true,
                BindingKind::Function => self.can_function_be_type(def),
                _ => false,
            };
            is_type.then_some(def)
        })
    }

    /// Whether a function can be a type: as the constructor of objects that have the members of its prototype.
    fn can_function_be_type(&self, function: Def) -> bool {
        self.resolver.semantics_of_file_language_or_default(function.file).prototype_member_name().is_some()
    }

    /// The types that satisfy an interface without naming it, where the language has structural typing.
    fn types_satisfying_interface_structurally(&self, base: Def, evidence: &mut Evidence) -> Vec<(Def, Confidence)> {
        let Some(structural) = self.resolver.semantics_of_file_language_or_default(base.file).structural_typing_rules()
        else {
            return Vec::new();
        };
        if self.outline_symbol_kind_of_definition(base) != Some(SymbolKind::Interface) {
            return Vec::new();
        }
        let demand = self
            .evaluate_and_count_if_cut(|budget| structural.methods_required_by_interface(self.resolver, base, budget));
        let outside = demand.has_other_requirements;
        if outside {
            evidence.add_note(
                "it embeds a type that is outside the project or has no method set: types were not compared with that",
            );
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
        let name_of = |def: &Def| {
            let names = self.resolver.names_of_file(def.file)?;
            Some(names.name_text(names.bindings.get(def.binding as usize)?.name).to_owned())
        };
        let methods: SearchWords = demand.methods.iter().filter_map(name_of).collect();
        let Some(target) = self.search_target_of_definition(base, 0).filter(|_| !methods.is_empty()) else {
            return Vec::new();
        };
        let mut scan = ReferenceWordScan::default();
        scan.scan_files_for_words(self, &methods, std::slice::from_ref(&target), evidence);
        self.note_searched_names_on_missed_lines(&scan, evidence);
        let mut candidates: BTreeSet<Def> = BTreeSet::new();
        for file in scan.files_with_hits() {
            let Some(index) = self.resolver.names_index(file) else { continue };
            for name in methods.iter().filter_map(|method| index.name_id_of_text(method)) {
                let is_function = |id: &&u32| index.binding_or_placeholder(**id).kind == BindingKind::Function;
                for id in index.bindings_of_name(name).iter().filter(is_function) {
                    candidates.extend(self.find_owner_type_and_record_cut(Def { file, binding: *id }));
                }
            }
        }
        self.add_types_embedding_given_types(structural, &mut candidates, evidence);
        let mut found = Vec::new();
        let mut unknown = 0;
        for holder in candidates.into_iter().filter(|holder| *holder != base) {
            let fit = self.evaluate_and_count_if_cut(|budget| {
                structural.fit_of_type_to_interface(self.resolver, holder, base, budget)
            });
            match fit {
                InterfaceFit::Complete => {
                    found.push((holder, if outside { Confidence::Likely } else { Confidence::Resolved }))
                }
                InterfaceFit::Unknown => unknown += 1,
                InterfaceFit::Missing => {}
            }
        }
        if unknown > 0 {
            evidence.add_note(format!("types that may get methods from outside of the project: {unknown}"));
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
        found
    }

    /// Adds the types that embed one of `types` and so have its methods, at any depth.
    fn add_types_embedding_given_types(
        &self,
        structural: &dyn StructuralTyping,
        types: &mut BTreeSet<Def>,
        evidence: &mut Evidence,
    ) {
        let mut fresh: Vec<Def> = types.iter().copied().collect();
        for _ in 0..MAX_ROUNDS {
            let targets: Vec<SearchTarget> =
                fresh.iter().filter_map(|def| self.search_target_of_definition(*def, 0)).collect();
            if targets.is_empty() {
                return;
            }
            let scan = self.scan_for_targets_and_aliases(&targets, evidence);
            let mut found = Vec::new();
            for file in scan.files_with_hits() {
                found.extend(self.directly_derived_definitions_in_file(file, &fresh).into_iter().filter_map(
                    |derived| match derived {
                        Derived::Type(def)
                            if structural.has_embedded_types(self.resolver, def)
                                || self.outline_symbol_kind_of_definition(def) == Some(SymbolKind::Interface) =>
                        {
                            Some(def)
                        }
                        _ => None,
                    },
                ));
            }
            fresh = found.into_iter().filter(|def| types.insert(*def)).collect();
        }
        if !fresh.is_empty() {
            evidence.add_note("types that embed others at a great depth were not followed");
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
    }

    /// The member called `name` that a derived type or implementation declares itself.
    /// Where overloads are definitions of their own, those members of a derived type that override the search target.
    fn implementing_members(&self, target: &SearchTarget, derived: Derived, name: &str) -> Vec<Def> {
        let (Derived::Type(holder), Some(overridden)) = (derived, target.def) else {
            return self.implementing_member(derived, name).into_iter().collect();
        };
        let semantics = self.resolver.semantics_of_file_language_or_default(holder.file);
        if !semantics.overloads_are_separate_definitions() {
            return self.implementing_member(derived, name).into_iter().collect();
        }
        let own = self
            .evaluate_and_count_if_cut(|budget| self.resolver.own_or_extension_member(holder, name, budget))
            .referents
            .into_iter()
            .filter_map(|referent| match referent {
                Referent::Def(def) => Some(self.resolver.representative_of_same_name_in_scope(def)),
                _ => None,
            });
        own.filter(|def| {
            self.evaluate_and_count_if_cut(|budget| {
                semantics.can_member_override_other(self.resolver, *def, overridden, budget)
            })
        })
        .collect()
    }

    fn implementing_member(&self, derived: Derived, name: &str) -> Option<Def> {
        match derived {
            // The members are in the implementations of the trait, which count as derived definitions of their own.
            Derived::Type(holder)
                if self
                    .resolver
                    .semantics_of_file_language_or_default(holder.file)
                    .implementing_members_live_in_extensions() =>
            {
                None
            }
            Derived::Type(holder) => {
                let resolution =
                    self.evaluate_and_count_if_cut(|budget| self.resolver.type_member(holder, name, budget));
                let def = resolution.referents.iter().find_map(|referent| match referent {
                    Referent::Def(def) => Some(self.resolver.representative_of_same_name_in_scope(*def)),
                    _ => None,
                })?;
                // With structural typing, a member that comes from an embedded type implements the interface's member
                // too.
                let own = self
                    .resolver
                    .semantics_of_file_language_or_default(holder.file)
                    .structural_typing_rules()
                    .is_some()
                    || self.find_owner_type_and_record_cut(def) == Some(holder);
                own.then_some(def)
            }
            Derived::Implementation(file, index) => {
                let names = self.resolver.names_index(file)?;
                let scope = names.names().extensions.get(index)?.scope;
                let binding = names.bindings_of_name_text_in_scope(scope, name).iter().copied().min()?;
                Some(Def { file, binding })
            }
        }
    }

    fn derived_definition_as_reference(&self, derived: Derived) -> Option<Reference> {
        match derived {
            Derived::Type(def) => self.definition_as_reference(def),
            Derived::Implementation(file, index) => {
                let made = self.snapshot.names_in_file(file).ok()?;
                let extension = made.names.extensions.get(index)?;
                // An implementation for a type of the project is shown as that type; one for `u8`, `Vec<T>` or `&T` is
                // shown by itself.
                if self.project_type_of_extension(file, extension.target).is_some() {
                    return None;
                }
                let at = last_name_offset_in_expr(&made.names, extension.implements?)?;
                let other = self.file_and_name_of_impl_at(file, at);
                self.definition_reference_at(file, at, other)
            }
        }
    }

    /// A definition as a result of the search, at the place of its name.
    fn definition_as_reference(&self, def: Def) -> Option<Reference> {
        let made = self.snapshot.names_in_file(def.file).ok()?;
        let at = made.names.bindings.get(def.binding as usize)?.at;
        self.definition_reference_at(def.file, at, self.file_and_outline_name_of_definition(def))
    }

    fn definition_reference_at(&self, file: FileId, at: u32, other: Option<Endpoint>) -> Option<Reference> {
        let made = self.snapshot.names_in_file(file).ok()?;
        let semantics = self.resolver.semantics_of_file_language_or_default(file);
        let index = self.resolver.names_index(file)?;
        let enclosing = enclosing_definition_at(index, at, semantics.are_function_exprs_definitions());
        Some(Reference {
            path: self.snapshot.file_table().path_of_file(file).to_owned(),
            line: made.names.line_of_identifier_at_offset(at)?,
            at,
            column: 0,
            byte_column: 0,
            context: String::new(),
            role: Some(Role::Definition),
            enclosing: enclosing.qualified_name,
            enclosing_at: enclosing.at,
            confidence: Confidence::Resolved,
            is_plausible: true,
            is_conditional: false,
            symbol: 0,
            depth: 1,
            other,
        })
    }
}

/// The byte offset of the last name in an expression that is a path of names.
fn last_name_offset_in_expr(names: &Names, mut expr: ExprId) -> Option<u32> {
    loop {
        expr = match names.expr_by_id(expr) {
            Expr::Name { at, .. } | Expr::Member { at, .. } => return Some(at),
            Expr::Generic { base: Some(base), .. } => base,
            _ => return None,
        };
    }
}
