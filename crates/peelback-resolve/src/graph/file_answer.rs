//! The dependencies of one file, read from the cached graph or computed without it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use peelback_project::{
    CancellationToken, Completeness, NamesError, Snapshot, SourceFile, describe_parse_coverage_gap,
};
use peelback_syntax::Names;

use super::answer::{
    Dependencies, DependencyQuery, Direction, ExternalPackage, UnresolvedImport, build_direct_neighbour,
    build_neighbour,
};
use super::cache::{CachedGraph, FileState};
use super::edges::{FileEdges, ResolvedImport};
use super::gap_notes;
use super::reverse_dependencies::{self, ModuleInterfaces};
use crate::languages;
use crate::modules::{FileId, FileTable};
use crate::semantics::LanguageSemantics;

/// Fills in the dependencies and dependents of a file in `answer`, from the cached graph.
pub(super) fn fill_dependencies_and_dependents_from_graph(
    cached: &CachedGraph,
    semantics: &'static dyn LanguageSemantics,
    file: FileId,
    query: &DependencyQuery,
    text: &SourceFile,
    answer: &mut Dependencies,
) {
    let (graph, files) = (cached.dependency_graph(), cached.file_table());
    let own = match cached.known_content_state_of_file(file) {
        FileState::Code(code, names) => {
            if code.hash != text.content_hash() {
                answer.evidence.add_note(format!("{} changed while it was read", answer.path));
                answer.evidence.lower_completeness_to(Completeness::LowerBound);
            }
            Some(names)
        }
        FileState::UnknownImports(reason) => {
            note_unknown_imports_of_queried_file(reason, query, answer);
            None
        }
        FileState::IrrelevantByName | FileState::IrrelevantByContent => None,
    };
    let depth = query.depth.max(1);
    if query.direction != Direction::Incoming
        && let (Some(names), Some(edges)) = (own, graph.edges_of_file(file))
    {
        fill_import_targets(files, file, edges, names, answer);
        let reached = graph.files_reachable_within_depth(&[file], depth, |file| graph.dependencies_of(file).to_vec());
        let further = reached.iter().filter(|(_, steps)| *steps > 1);
        let between: BTreeSet<FileId> =
            reached.iter().filter(|(_, steps)| *steps < depth).map(|(file, _)| *file).collect();
        answer.outgoing.extend(further.map(|(file, steps)| build_neighbour(files, *file, *steps, 0, 0)));
        let starts = std::iter::once((file, 0)).chain(reached).filter(|(_, steps)| *steps < depth);
        let edges = starts.flat_map(|(from, _)| graph.dependencies_of(from).iter().map(move |to| (from, *to)));
        answer
            .edges
            .extend(edges.map(|(from, to)| (files.path_of_file(from).to_owned(), files.path_of_file(to).to_owned())));
        if !between.is_empty() {
            gap_notes::note_files_with_incompletely_known_imports(cached, &mut answer.evidence, |file| {
                between.contains(&file)
            });
        }
    }
    if query.direction != Direction::Outgoing {
        let reached = graph.files_reachable_within_depth(&[file], depth, |file| graph.dependents_of(file).to_vec());
        for (user, steps) in &reached {
            let dependent = match (cached.known_content_state_of_file(*user), graph.edges_of_file(*user)) {
                (FileState::Code(_, names), Some(edges)) if *steps == 1 => {
                    build_direct_neighbour(files, *user, edges.imports_from_file(names, file))
                }
                _ => build_neighbour(files, *user, *steps, 0, 0),
            };
            answer.incoming.push(dependent);
        }
        let ends = std::iter::once((file, 0)).chain(reached.clone()).filter(|(_, steps)| *steps < depth);
        let edges = ends.flat_map(|(to, _)| graph.dependents_of(to).iter().map(move |from| (*from, to)));
        answer
            .edges
            .extend(edges.map(|(from, to)| (files.path_of_file(from).to_owned(), files.path_of_file(to).to_owned())));
        let between: Vec<FileId> = reached.iter().filter(|(_, steps)| *steps < depth).map(|(file, _)| *file).collect();
        for file in std::iter::once(file).chain(between) {
            gap_notes::note_possible_dependents_with_unknown_imports(cached, semantics, file, &mut answer.evidence);
        }
        answer.evidence.skipped.sort();
        answer.evidence.skipped.dedup();
    }
    note_lines_missed_by_parser(own, answer);
    answer.edges.sort();
    answer.edges.dedup();
}

/// Fills in the direct dependencies and dependents of a file in `answer`, without the cached graph.
pub(super) fn fill_dependencies_and_dependents_without_graph(
    snapshot: &Snapshot,
    semantics: &'static dyn LanguageSemantics,
    file: FileId,
    query: &DependencyQuery,
    text: &SourceFile,
    cancellation: &CancellationToken,
    answer: &mut Dependencies,
) {
    let module_resolvers = languages::new_module_resolvers();
    let files = snapshot.file_table();
    let own = match snapshot.module_interface_given_text(file, text) {
        Ok(interface) => Some(interface),
        Err(reason) => {
            note_unknown_imports_of_queried_file(reason, query, answer);
            None
        }
    };
    if let Some(own) = own.filter(|_| query.direction != Direction::Incoming) {
        let project_index = ModuleInterfaces(snapshot);
        let edges = FileEdges::resolve_imports(&module_resolvers, &project_index, file, own.language, &own.names);
        fill_import_targets(files, file, &edges, &own.names, answer);
    }
    if query.direction != Direction::Outgoing {
        let found = reverse_dependencies::find_dependents(
            snapshot,
            &module_resolvers,
            semantics,
            file,
            cancellation,
            &mut answer.evidence,
        );
        let dependents = found.dependents.iter();
        answer.incoming.extend(dependents.map(|user| build_direct_neighbour(files, user.file, user.imports)));
        answer.is_search_unfinished = found.is_unfinished;
    }
    let own_path = answer.path.as_str();
    let outgoing = answer.outgoing.iter().map(|end| (own_path.to_owned(), end.path.clone()));
    let incoming = answer.incoming.iter().map(|end| (end.path.clone(), own_path.to_owned()));
    answer.edges = outgoing.chain(incoming).collect();
    answer.edges.sort();
    answer.edges.dedup();
    note_lines_missed_by_parser(own.map(|own| &own.names), answer);
}

/// Notes in the evidence of `answer` that the imports of the queried file are not known. Its dependents may be known
/// nevertheless.
fn note_unknown_imports_of_queried_file(reason: &NamesError, query: &DependencyQuery, answer: &mut Dependencies) {
    answer
        .evidence
        .add_skipped_and_lower_completeness(&answer.path, reason.describe_for_evidence().unwrap_or_default());
    if query.direction == Direction::Outgoing {
        answer.evidence.lower_completeness_to(Completeness::Unknown);
    }
}

/// Notes in the evidence of `answer` which lines of the queried file the parser did not understand.
fn note_lines_missed_by_parser(names: Option<&Arc<Names>>, answer: &mut Dependencies) {
    let Some(missed) = names.map(|names| names.missed.as_slice()).filter(|missed| !missed.is_empty()) else { return };
    let lines = missed.iter().map(|(first, last)| peelback_syntax::Lines { first: *first, last: *last }).collect();
    let partial = peelback_syntax::ParseCoverage::Partial { regions: missed.len(), lines };
    if let Some(gap) = describe_parse_coverage_gap(&partial) {
        answer.evidence.add_skipped_and_lower_completeness(&answer.path, gap);
    }
}

/// Fills in the targets of the queried file's imports in `answer`: files, external packages, and imports not resolved.
fn fill_import_targets(files: &FileTable, file: FileId, edges: &FileEdges, names: &Names, answer: &mut Dependencies) {
    let direct = edges.dependency_files().iter();
    answer.outgoing.extend(direct.map(|to| build_direct_neighbour(files, *to, edges.imports_from_file(names, *to))));
    collect_external_and_unresolved_imports(
        files.path_of_file(file),
        edges,
        names,
        &mut answer.external,
        &mut answer.unresolved,
    );
}

/// Collects from one file's imports the external packages in source order, each once, and every import whose target was
/// not found.
fn collect_external_and_unresolved_imports(
    path: &str,
    edges: &FileEdges,
    names: &Names,
    external: &mut Vec<ExternalPackage>,
    unresolved: &mut Vec<UnresolvedImport>,
) {
    for (import, resolved_import) in edges.imports_with_resolved_targets(names) {
        match resolved_import {
            ResolvedImport::External(name) => match external.iter_mut().find(|known| *known.name == **name) {
                Some(known) => known.imports += 1,
                None => external.push(ExternalPackage { name: name.to_string(), imports: 1, line: import.line }),
            },
            ResolvedImport::Unresolved(what) => {
                let source = names.name_text(import.source).to_owned();
                let reason = (**what != source).then(|| what.to_string());
                unresolved.push(UnresolvedImport { path: path.to_owned(), line: import.line, source, reason });
            }
            ResolvedImport::Files(_) | ResolvedImport::NoOtherFile => {}
        }
    }
}

/// The external packages and unresolved imports of many files, see [`collect_external_and_unresolved_imports`];
/// packages with most imports first.
pub(super) fn external_and_unresolved_imports_of_files(
    cached: &CachedGraph,
    of: &[FileId],
) -> (Vec<ExternalPackage>, Vec<UnresolvedImport>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unresolved = Vec::new();
    for file in of {
        let (FileState::Code(_, names), Some(edges)) =
            (cached.known_content_state_of_file(*file), cached.dependency_graph().edges_of_file(*file))
        else {
            continue;
        };
        let mut none = Vec::new();
        for (_, resolved_import) in edges.imports_with_resolved_targets(names) {
            if let ResolvedImport::External(name) = resolved_import {
                *counts.entry(name).or_default() += 1;
            }
        }
        if edges
            .imports_with_resolved_targets(names)
            .any(|(_, resolved_import)| matches!(resolved_import, ResolvedImport::Unresolved(_)))
        {
            collect_external_and_unresolved_imports(
                cached.file_table().path_of_file(*file),
                edges,
                names,
                &mut none,
                &mut unresolved,
            );
        }
    }
    let mut external: Vec<ExternalPackage> =
        counts.into_iter().map(|(name, imports)| ExternalPackage { name: name.to_owned(), imports, line: 0 }).collect();
    external.sort_by(|a, b| b.imports.cmp(&a.imports).then_with(|| a.name.cmp(&b.name)));
    (external, unresolved)
}
