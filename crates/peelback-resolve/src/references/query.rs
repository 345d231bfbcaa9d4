//! Entry point of the search for references: turns the queried symbols into search targets and runs the search.

use std::collections::BTreeSet;

use peelback_project::{
    CodeError, Completeness, Evidence, Snapshot, WalkOptions, note_consulted_files_that_are_too_large,
};
use peelback_syntax::Symbol;
use peelback_syntax::names::{BindingKind, Exported, Expr, FILE_SCOPE, Names, ScopeId, ScopeKind, WHOLE_FILE};
use rayon::prelude::*;

use super::reference::{Reference, ReferenceQuery, References, Relation, SymbolQuery};
use super::reference_lines;
use super::search::{ReferenceSearch, join_first_few_items};
use super::target::SearchTarget;
use crate::analyzer::ProjectAnalyzer;
use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::snapshot_index::ResolvingSnapshot as _;

/// The limit on the number of steps for which calls are followed.
const MAX_DEPTH: u32 = 10;

impl ProjectAnalyzer {
    /// Finds the references, calls or implementations that `query` asks for, by resolving names.
    pub fn find_references_calls_or_implementations(&self, query: &ReferenceQuery) -> Result<References, CodeError> {
        let snapshot = self.snapshot()?;
        let snapshot: &Snapshot = &snapshot;
        let resolver = Resolver::new(snapshot, snapshot.module_resolvers(), self.project().cancellation());
        let mut evidence = Evidence::new_complete("syntax");
        for skipped in snapshot.skipped_entries() {
            evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason.clone());
        }
        let mut targets = Vec::with_capacity(query.symbols.len());
        for symbol_query in &query.symbols {
            let origin = targets.len();
            targets.push(SearchTarget { origin, ..resolve_search_target(snapshot, &resolver, symbol_query)? });
        }
        let scope = match query.scope.as_slice() {
            [] => None,
            scopes => {
                let set = self.project().files_in_scopes(scopes, &WalkOptions::default())?;
                let unseen =
                    set.entries.iter().filter(|entry| snapshot.file_table().id_of_path(&entry.path).is_none()).count();
                if unseen > 0 {
                    evidence.add_note(format!(
                        "{unseen} of the files in scope are ignored or hidden: they were not searched"
                    ));
                    evidence.lower_completeness_to(Completeness::LowerBound);
                }
                Some(set.entries.into_iter().map(|entry| entry.path).collect::<BTreeSet<String>>())
            }
        };
        let search = ReferenceSearch::new(self, snapshot, &resolver, query.text, query.relation);
        let depth = query.depth.clamp(1, MAX_DEPTH);
        if query.depth > MAX_DEPTH {
            evidence.add_note(format!("calls were followed {MAX_DEPTH} steps"));
        }
        let unknown: Vec<String> =
            targets.iter().filter(|target| target.def.is_none()).map(|target| search.describe_target(target)).collect();
        let unresolved_symbols = unknown.len();
        if matches!(query.relation, Relation::Callees | Relation::Implementations) && !unknown.is_empty() {
            evidence.add_note(format!("not resolved: {}", join_first_few_items(&unknown)));
            evidence.lower_completeness_to(Completeness::Unknown);
        }
        let mut other_meanings = 0;
        let mut references: Vec<Reference> = match query.relation {
            Relation::Uses => {
                let (found, scan) = search.find_references(&mut targets, &mut evidence);
                search.note_overriding_family(&targets, &scan, &mut evidence);
                search.note_uses_without_name(&targets, &mut evidence);
                let is_in_scope = |file: FileId| {
                    scope.as_ref().is_none_or(|scope| scope.contains(snapshot.file_table().path_of_file(file)))
                };
                let of_scope = found.iter().filter(|(file, _)| is_in_scope(**file));
                other_meanings = of_scope.map(|(_, found)| found.other_meanings).sum();
                found
                    .into_par_iter()
                    .flat_map_iter(|(file, found_references)| {
                        search.references_from_classified_uses(file, found_references)
                    })
                    .collect()
            }
            Relation::Callers => search.find_transitive_calls_of_targets(targets, depth, &mut evidence),
            Relation::Callees => search.find_transitive_calls_inside_targets(targets, depth, &mut evidence),
            Relation::Implementations => search.find_implementations(targets, &mut evidence),
        };
        search.note_evaluations_cut_short(&mut evidence);
        if let Some(scope) = scope {
            references.retain(|reference| scope.contains(&reference.path));
        }
        references.sort_by(|a, b| (a.depth, &a.path, a.at).cmp(&(b.depth, &b.path, b.at)));
        note_consulted_files_that_are_too_large(&snapshot.file_table().consulted_texts(), &mut evidence);
        evidence.skipped.sort();
        evidence.skipped.dedup();
        Ok(References { references, unresolved_symbols, other_meanings, evidence })
    }

    /// Fills in the columns and the texts of the lines of references. The search leaves them out, because most answers
    /// show only a few of the references that were found.
    pub fn fill_columns_and_line_texts(&self, references: &mut [Reference]) {
        reference_lines::fill_columns_and_line_texts(self, references);
    }
}

/// Finds the definition of an outline's symbol that a query names.
pub(super) fn resolve_search_target(
    snapshot: &Snapshot,
    resolver: &Resolver<'_>,
    symbol_query: &SymbolQuery,
) -> Result<SearchTarget, CodeError> {
    let Some(file) = snapshot.file_table().id_of_path(&symbol_query.path) else {
        return Err(CodeError::NotFound { path: symbol_query.path.clone(), nearest: Vec::new() });
    };
    let names = snapshot.names_in_file(file).ok().cloned();
    let found = names.as_ref().and_then(|names| first_binding_of_outline_symbol(&names.names, &symbol_query.symbol));
    let own =
        found.map(|binding| Def { file, binding }).map(|own| match resolver.forwarded_or_canonical_definition(own) {
            original if original == resolver.representative_of_same_name_in_scope(own) => own,
            // A definition that only forwards to another one is searched as that other definition.
            original => original,
        });
    let def = own.map(|own| resolver.representative_of_same_name_in_scope(own));
    let file = own.map_or(file, |own| own.file);
    let names = snapshot.names_in_file(def.map_or(file, |def| def.file)).ok().cloned().or(names);
    let language = names.as_ref().map_or("", |names| names.language.name);
    // A class inside another is no member that objects have.
    let is_type_with_parts = def.is_some_and(|def| {
        resolver.semantics_of_file_language_or_default(def.file).types_have_parts()
            && resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Type)
    });
    let is_member = !is_type_with_parts
        && def.is_some_and(|def| {
            let scope =
                names.as_ref().and_then(|names| names.names.bindings.get(def.binding as usize)).map(|b| b.scope);
            let kind = |scope: ScopeId| names.as_ref().and_then(|names| names.names.scopes.get(scope as usize));
            scope.and_then(kind).is_some_and(|scope| scope.kind == ScopeKind::Type)
        });
    // What a file is as a whole is called as the file is, not as its binding.
    let is_whole_file = def.is_some_and(|def| {
        resolver
            .binding_of_definition(def)
            .is_some_and(|binding| resolver.name_text(def.file, binding.name) == WHOLE_FILE)
    });
    let name = def
        .filter(|_| !is_whole_file)
        .and_then(|def| names.as_ref().and_then(|names| names.names.bindings.get(def.binding as usize)))
        .map(|binding| binding.name)
        .and_then(|name| names.as_ref().map(|names| names.names.name_text(name).to_owned()))
        .unwrap_or_else(|| symbol_query.symbol.name.clone());
    Ok(SearchTarget {
        name,
        file,
        def,
        outlined_def: own,
        origin: 0,
        definitions: def.into_iter().chain(def.and_then(|def| parameter_at_place_of_property(resolver, def))).collect(),
        is_member,
        is_whole_file,
        is_one_overload: true,
        semantics: resolver.semantics_of_file_language(file),
        language,
    })
}

/// The parameter that declares a property, and that named arguments mean.
fn parameter_at_place_of_property(resolver: &Resolver<'_>, property: Def) -> Option<Def> {
    let bindings = &resolver.names_of_file(property.file)?.bindings;
    let of = bindings.get(property.binding as usize)?;
    if !matches!(of.kind, BindingKind::Property | BindingKind::Field) {
        return None;
    }
    let is_twin = |binding: &peelback_syntax::names::Binding| {
        binding.kind == BindingKind::Parameter && binding.at == of.at && binding.name == of.name
    };
    let (binding, _) = (0..).zip(bindings).find(|(_, binding)| is_twin(binding))?;
    Some(Def { file: property.file, binding })
}

/// The binding of a symbol: the first binding of its name within the symbol's text.
fn first_binding_of_outline_symbol(names: &Names, symbol: &Symbol) -> Option<u32> {
    if symbol.is_whole_file() {
        return binding_of_whole_file(names);
    }
    let name = symbol.name.rsplit(['.', ':', '#']).next().unwrap_or(&symbol.name);
    let candidates = |name: &str| {
        let id = names.id_of_name(name)?;
        let inside = |at: u32| symbol.bytes.contains(&(at as usize));
        let found = (0..)
            .zip(&names.bindings)
            .filter(|(_, binding)| binding.name == id && inside(binding.at) && binding.kind != BindingKind::Import);
        // A constructor's parameter may share its name with a field: the outer definition comes first in the text. A parameter
        // that declares a property stands at its place.
        found.min_by_key(|(_, binding)| (binding.at, binding.kind == BindingKind::Parameter)).map(|(id, _)| id)
    };
    // Where a constructor is declared by a keyword, its binding has the name of the type.
    let constructor = || {
        let is_own = |binding: &peelback_syntax::names::Binding| {
            binding.kind == BindingKind::Function && symbol.bytes.contains(&(binding.at as usize))
        };
        let found = (0..).zip(&names.bindings).filter(|(_, binding)| is_own(binding));
        found.min_by_key(|(_, binding)| binding.at).map(|(id, _)| id)
    };
    let found = candidates(&symbol.name).or_else(|| candidates(name));
    found.or_else(|| (symbol.kind == peelback_syntax::SymbolKind::Constructor).then(constructor).flatten())
}

/// The binding of what a file defines as a whole, or of the definition that the file exports in place of it.
fn binding_of_whole_file(names: &Names) -> Option<u32> {
    let exports = names.exports.as_deref().unwrap_or(&[]);
    let default = exports.iter().find(|export| names.name_text(export.name) == "default")?;
    let Exported::Expr(expr) = default.what else { return None };
    match names.expr_by_id(expr) {
        Expr::Bound { binding } => Some(binding),
        Expr::Name { name, .. } => {
            let mut bindings = (0..).zip(&names.bindings);
            bindings.find(|(_, binding)| binding.name == name && binding.scope == FILE_SCOPE).map(|(id, _)| id)
        }
        _ => None,
    }
}
