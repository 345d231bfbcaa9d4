//! Finds the callers and callees of functions, up to a depth.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use peelback_project::{Completeness, Evidence};
use peelback_syntax::names::{BindingId, BindingKind, Role, ScopeKind, WHOLE_FILE};

use super::conditional_code::ConditionalCode;
use super::enclosing::enclosing_definition_at;
use super::reference::{Confidence, Reference};
use super::search::ReferenceSearch;
use super::target::SearchTarget;
use crate::modules::FileId;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::index::NamesIndex;

/// The limit on the number of functions whose calls are followed in one step. More would cover half a project.
const MAX_FUNCTIONS: usize = 400;

impl ReferenceSearch<'_> {
    /// The calls of the search targets, then the calls of the functions that contain those calls, and so on for `depth`
    /// steps.
    pub(super) fn find_transitive_calls_of_targets(
        &self,
        mut targets: Vec<SearchTarget>,
        depth: u32,
        evidence: &mut Evidence,
    ) -> Vec<Reference> {
        let mut seen: BTreeSet<Def> = targets.iter().flat_map(|target| target.definitions.iter().copied()).collect();
        let mut rows = Vec::new();
        for level in 1..=depth {
            let (found, scan) = self.find_references(&mut targets, evidence);
            if level == 1 {
                self.note_overriding_family(&targets, &scan, evidence);
            }
            let mut callers: BTreeMap<Def, usize> = BTreeMap::new();
            for (file, mut found_references) in found {
                found_references.uses.retain(|found| found.role == Role::Call);
                found_references.in_text.clear();
                // A call that only matches by name is a result, but its caller is not followed.
                for found in found_references.uses.iter().filter(|found| found.confidence != Confidence::Name) {
                    let origin = targets.get(found.target).map_or(0, |target| target.origin);
                    if let Some(caller) = self.innermost_named_function_at(file, found.at) {
                        callers.entry(caller).or_insert(origin);
                    }
                }
                let mut more = self.references_from_classified_uses(file, found_references);
                for row in &mut more {
                    row.depth = level;
                    row.other = targets
                        .get(row.symbol)
                        .filter(|_| level > 1)
                        .and_then(|target| self.file_and_outline_name_of_definition(target.def?));
                    row.symbol = targets.get(row.symbol).map_or(0, |target| target.origin);
                }
                rows.append(&mut more);
            }
            callers.retain(|def, _| seen.insert(*def));
            targets = self.search_targets_of_definitions(callers, evidence);
            if targets.is_empty() {
                break;
            }
        }
        rows
    }

    /// The calls inside the search targets, then the calls inside the functions that are called, and so on for `depth`
    /// steps.
    pub(super) fn find_transitive_calls_inside_targets(
        &self,
        targets: Vec<SearchTarget>,
        depth: u32,
        evidence: &mut Evidence,
    ) -> Vec<Reference> {
        // Overloads are one definition, whose calls are listed once.
        let mut seen: BTreeSet<Def> = BTreeSet::new();
        let mut level_defs: Vec<(Def, usize)> = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            let def = target.def.map(|def| self.resolver.representative_of_same_name_in_scope(def));
            level_defs.extend(def.filter(|def| seen.insert(*def)).map(|def| (def, index)));
        }
        let mut rows = Vec::new();
        for level in 1..=depth {
            let mut next: Vec<(Def, usize)> = Vec::new();
            for (def, symbol) in &level_defs {
                if self.resolver.call_end.must_stop_now() {
                    break;
                }
                for (row, callee) in self.calls_in_definition(*def, level, *symbol, evidence) {
                    rows.push(row);
                    next.extend(callee.filter(|callee| seen.insert(*callee)).map(|callee| (callee, *symbol)));
                }
            }
            if next.len() > MAX_FUNCTIONS {
                evidence.add_note(format!("{} more functions were not followed", next.len() - MAX_FUNCTIONS));
                evidence.lower_completeness_to(Completeness::LowerBound);
                next.truncate(MAX_FUNCTIONS);
            }
            level_defs = next;
            if level_defs.is_empty() {
                break;
            }
        }
        rows
    }

    /// The calls inside a definition, each with the definition that is called if that is in the project.
    fn calls_in_definition(
        &self,
        def: Def,
        level: u32,
        symbol: usize,
        evidence: &mut Evidence,
    ) -> Vec<(Reference, Option<Def>)> {
        let made = match self.snapshot.names_in_file(def.file) {
            Ok(made) => made,
            Err(reason) => {
                evidence.add_skipped_and_lower_completeness(
                    self.snapshot.file_table().path_of_file(def.file),
                    reason.describe_for_evidence().unwrap_or_default(),
                );
                return Vec::new();
            }
        };
        let names = &made.names;
        let Some(index) = self.resolver.names_index(def.file) else { return Vec::new() };
        let bodies = self.byte_ranges_of_bodies(def, index);
        let (Some(start), Some(end)) =
            (bodies.iter().map(|body| body.start).min(), bodies.iter().map(|body| body.end).max())
        else {
            return Vec::new();
        };
        let semantics = self.resolver.semantics_of_file_language_or_default(def.file);
        let line = |at: u32| names.occurrences.iter().find(|found| found.at >= at).map_or(u32::MAX, |found| found.line);
        if !names.missed.is_empty() {
            let (first, last) = (line(start), line(end));
            if let Some((from, to)) = names.missed.iter().find(|(from, to)| *from <= last && *to >= first) {
                let path = self.snapshot.file_table().path_of_file(def.file);
                evidence.add_skipped_and_lower_completeness(path, format!("lines not understood: {from}-{to}"));
            }
        }
        let mut rows = Vec::new();
        let conditional = ConditionalCode::new(self.resolver, def.file, names);
        let is_inside = |at: u32| bodies.iter().any(|body| body.contains(&at));
        let calls = names.occurrences.iter().filter(|found| found.role == Role::Call && is_inside(found.at));
        for call in calls {
            if self.resolver.call_end.must_stop_now() {
                break;
            }
            let resolution = self.resolver.resolve_occurrence(def.file, call);
            let callee = resolution.referents.iter().find_map(|referent| match referent {
                Referent::Def(def) => Some(self.resolver.forwarded_or_canonical_definition(*def)),
                _ => None,
            });
            let external = callee.is_none() && !resolution.is_empty() && !resolution.missing.is_any();
            if external {
                continue;
            }
            // A call of a variable calls what it holds, which may be unknown.
            let is_unknown_value = callee
                .and_then(|callee| self.resolver.binding_of_definition(callee))
                .is_some_and(|binding| matches!(binding.kind, BindingKind::Variable | BindingKind::Parameter))
                && self.resolver.callable_definitions_and_certainty(&resolution).0.is_empty();
            let confidence = match (callee, resolution.sure) {
                (None, _) => Confidence::Name,
                (Some(_), _) if is_unknown_value => Confidence::Name,
                (Some(_), true) => Confidence::Resolved,
                (Some(_), false) => Confidence::Likely,
            };
            let enclosing = enclosing_definition_at(index, call.at, semantics.are_function_exprs_definitions());
            let row = Reference {
                path: self.snapshot.file_table().path_of_file(def.file).to_owned(),
                line: call.line,
                at: call.at,
                column: 0,
                byte_column: 0,
                context: String::new(),
                role: Some(Role::Call),
                enclosing: enclosing.qualified_name,
                enclosing_at: enclosing.at,
                confidence,
                is_plausible: confidence != Confidence::Name,
                is_conditional: conditional.contains_line(call.line),
                symbol,
                depth: level,
                other: callee.and_then(|callee| self.file_and_outline_name_of_definition(callee)),
            };
            // What constructs an object names its type, and calls the constructor of that name.
            let kind = |def: Option<Def>| def.and_then(|def| self.resolver.binding_of_definition(def)).map(|b| b.kind);
            let is_constructor_of_last = semantics.overloads_are_separate_definitions()
                && rows.last().is_some_and(|(last, of): &(Reference, Option<Def>)| {
                    last.at == call.at
                        && kind(*of) == Some(BindingKind::Type)
                        && kind(callee) == Some(BindingKind::Function)
                });
            if is_constructor_of_last {
                rows.pop();
            }
            rows.push((row, callee));
        }
        rows
    }

    /// The byte ranges of the bodies of a definition: of each of its overloads and accessors that has one, or of the function
    /// that a variable or field holds, where both are in one file.
    fn byte_ranges_of_bodies(&self, def: Def, index: &NamesIndex) -> Vec<Range<u32>> {
        let names = index.names();
        let range_of_body = |binding: BindingId| {
            let body = names.bindings.get(binding as usize)?.body?;
            names.scopes.get(body as usize).map(|scope| scope.bytes.clone())
        };
        let Some(binding) = names.bindings.get(def.binding as usize) else { return Vec::new() };
        let representative = self.resolver.representative_of_same_name_in_scope(def);
        let is_same = |other: &BindingId| {
            let is_in_scope = names.bindings.get(*other as usize).is_some_and(|other| other.scope == binding.scope);
            let other = Def { file: def.file, binding: *other };
            other == def || (is_in_scope && self.resolver.representative_of_same_name_in_scope(other) == representative)
        };
        let same = index.bindings_of_name(binding.name).iter().copied().filter(is_same);
        let same: BTreeSet<BindingId> = same.chain([def.binding]).collect();
        let mut bodies: Vec<_> = same.iter().copied().filter_map(range_of_body).collect();
        // A setter has a body of its own, and the property has one body at most.
        let is_accessor = |owner: BindingId| {
            same.contains(&owner) && index.binding_or_placeholder(owner).kind == BindingKind::Property
        };
        let accessors = names.scopes.iter().filter(|scope| scope.owner.is_some_and(is_accessor));
        bodies.extend(accessors.map(|scope| scope.bytes.clone()));
        if !bodies.is_empty() {
            return bodies;
        }
        let held = self.resolver.unnamed_function_held_by_definition(def).filter(|held| held.file == def.file);
        held.and_then(|held| range_of_body(held.binding)).into_iter().collect()
    }

    /// The innermost named function around a byte offset in a file.
    fn innermost_named_function_at(&self, file: FileId, at: u32) -> Option<Def> {
        let index = self.resolver.names_index(file)?;
        let names = index.names();
        let semantics = self.resolver.semantics_of_file_language_or_default(file);
        let are_function_exprs_definitions = semantics.are_function_exprs_definitions();
        let mut next = Some(index.innermost_scope_at_offset(at));
        while let Some(scope) = next.and_then(|id| names.scopes.get(id as usize)) {
            if scope.kind == ScopeKind::Function
                && let Some(owner) = scope.owner
                && let Some(binding) = names.bindings.get(owner as usize)
            {
                let named = if binding.body != Some(binding.scope) {
                    Some(owner)
                } else if are_function_exprs_definitions {
                    index.holder_of_function_expr(owner)
                } else {
                    None
                };
                if let Some(binding) = named {
                    return Some(self.resolver.representative_of_same_name_in_scope(Def { file, binding }));
                }
            }
            next = scope.parent;
        }
        None
    }

    fn search_targets_of_definitions(&self, defs: BTreeMap<Def, usize>, evidence: &mut Evidence) -> Vec<SearchTarget> {
        if defs.len() > MAX_FUNCTIONS {
            evidence.add_note(format!("{} more functions were not followed", defs.len() - MAX_FUNCTIONS));
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
        defs.into_iter()
            .take(MAX_FUNCTIONS)
            .filter_map(|(def, origin)| self.search_target_of_definition(def, origin))
            .collect()
    }

    pub(super) fn search_target_of_definition(&self, def: Def, origin: usize) -> Option<SearchTarget> {
        let made = self.snapshot.names_in_file(def.file).ok()?;
        let binding = made.names.bindings.get(def.binding as usize)?;
        let scope = made.names.scopes.get(binding.scope as usize)?;
        Some(SearchTarget {
            name: made.names.name_text(binding.name).to_owned(),
            file: def.file,
            def: Some(def),
            outlined_def: Some(def),
            origin,
            definitions: BTreeSet::from([def]),
            is_member: scope.kind == ScopeKind::Type
                && !(binding.kind == BindingKind::Type
                    && self.resolver.semantics_of_file_language_or_default(def.file).types_have_parts()),
            is_whole_file: made.names.name_text(binding.name) == WHOLE_FILE,
            is_one_overload: false,
            semantics: self.resolver.semantics_of_file_language(def.file),
            language: made.language.name,
        })
    }
}
