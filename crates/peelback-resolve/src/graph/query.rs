//! Entry points for questions about dependencies: answered from the cached graph, or for one file without it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use peelback_syntax::stack::THREAD_STACK_BYTES;
use peelback_syntax::{Tier, language};

use super::answer::{
    Dependencies, DependencyOverview, DependencyQuery, Direction, Neighbour, build_neighbour,
    sort_dependents_by_relevance,
};
use super::cache::{CachedGraph, FileState, GraphCache, GraphSlot};
use super::file_answer::{
    external_and_unresolved_imports_of_files, fill_dependencies_and_dependents_from_graph,
    fill_dependencies_and_dependents_without_graph,
};
use super::gap_notes;
use super::test_paths::looks_like_test_path;
use crate::analyzer::ProjectAnalyzer;
use crate::languages;
use crate::modules::{FileId, FileTable, file_name_of_path, folder_of_path};
use peelback_project::CancellationToken;
use peelback_project::CodeError;
use peelback_project::ProjectEntry;
use peelback_project::Snapshot;
use peelback_project::SourceFile;
use peelback_project::{Completeness, Evidence, note_consulted_files_that_are_too_large};

/// The name of this crate's analysis in the evidence of answers about dependencies.
const ANALYSIS: &str = "syntax";

/// The time limit for building the first graph of a project in the background.
const BACKGROUND_TIME_LIMIT: Duration = Duration::from_secs(600);

impl ProjectAnalyzer {
    /// The dependencies and dependents of the file or folder that `query` names.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::require_entry`] and [`peelback_project::Project::files_in_scope`].
    pub fn dependencies_and_dependents(&self, query: &DependencyQuery) -> Result<Dependencies, CodeError> {
        let entry = self.project().require_entry(&query.path)?;
        if entry.is_folder {
            return self.dependencies_and_dependents_of_folder(&entry, query);
        }
        let entry = self.project().require_readable_file(&query.path)?;
        self.dependencies_and_dependents_of_file(&entry, query, None)
    }

    /// The direct dependencies and dependents of `file`, whose text was read already, as far as they are found within
    /// the time `patience`.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::files_in_scope`].
    pub fn direct_dependencies_and_dependents(
        &self,
        file: &SourceFile,
        patience: Duration,
    ) -> Result<Dependencies, CodeError> {
        let cancellation = self.project().cancellation().child_with_time_limit(patience);
        let access = self.clone().with_project(self.project().clone().with_cancellation(cancellation));
        let entry = access.project().require_readable_file_by_root_path(&file.path)?;
        access.dependencies_and_dependents_of_file(&entry, &DependencyQuery::default(), Some(file))
    }

    /// An overview of the dependencies between all files of the project.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::files_in_scope`].
    pub fn dependency_overview(&self) -> Result<DependencyOverview, CodeError> {
        let snapshot = self.snapshot()?;
        let mut evidence = self.evidence_with_skipped_entries_of_snapshot(&snapshot);
        let cached = self.update_or_build_cached_graph(&snapshot, &mut evidence);
        let (graph, files) = (cached.dependency_graph(), cached.file_table());
        gap_notes::note_files_with_incompletely_known_imports(&cached, &mut evidence, |_| true);
        let others = files_with_unresolved_imports(files, (0..).take(files.len()));
        note_files_with_unresolved_imports(&others, &mut evidence);
        if !others.is_empty() && !has_language_with_resolved_imports(files) {
            evidence.lower_completeness_to(Completeness::Unknown);
        }
        let path = |file: FileId| files.path_of_file(file).to_owned();
        let known = cached.files_with_known_imports();
        let mut entry_points = Vec::new();
        let mut tests = 0;
        for file in known.iter().copied().filter(|file| graph.dependents_of(*file).is_empty()) {
            let is_entry_point = begins_program(&cached, file).unwrap_or_else(|| {
                !graph.dependencies_of(file).is_empty() || looks_like_entry_point_path(files.path_of_file(file))
            });
            if !is_entry_point {
                continue;
            }
            if looks_like_test_path(files.path_of_file(file)) {
                tests += 1;
            } else {
                entry_points.push((graph.dependencies_of(file).len(), file));
            }
        }
        entry_points.sort_by_key(|(outgoing, file)| (std::cmp::Reverse(*outgoing), *file));
        let entry_points = entry_points.into_iter();
        let entry_points = entry_points.map(|(outgoing, file)| build_neighbour(files, file, 1, 0, outgoing)).collect();
        let mut most: Vec<(usize, FileId)> =
            known.iter().map(|file| (graph.dependents_of(*file).len(), *file)).collect();
        most.retain(|(count, _)| *count > 0);
        most.sort_by_key(|(count, file)| (std::cmp::Reverse(*count), *file));
        let most_depended_on =
            most.into_iter().map(|(count, file)| build_neighbour(files, file, 1, 0, count)).collect();
        let cycles = graph.find_cycles();
        let module_cycles = cycles.declaration_only_count;
        let cycles = cycles.use_cycles.into_iter().map(|cycle| cycle.into_iter().map(path).collect()).collect();
        let (external, unresolved) = external_and_unresolved_imports_of_files(&cached, &known);
        let mut edges = Vec::new();
        let mut submodule_declarations = Vec::new();
        for (from, to) in known.iter().flat_map(|from| graph.dependencies_of(*from).iter().map(|to| (*from, *to))) {
            if graph.edges_of_file(from).is_some_and(|edges| edges.only_declares(to)) {
                submodule_declarations.push((path(from), path(to)));
            }
            edges.push((path(from), path(to)));
        }
        let known_files = known.iter().map(|file| path(*file)).collect();
        let dependencies = graph.file_and_dependency_counts().1;
        self.add_cache_notice(&mut evidence);
        Ok(DependencyOverview {
            files: known.len(),
            dependencies,
            entry_points,
            tests,
            most_depended_on,
            cycles,
            module_cycles,
            external,
            unresolved,
            edges,
            submodule_declarations,
            known_files,
            evidence,
        })
    }

    /// Builds the project's dependency graph, so that later questions find it in the cache.
    pub fn preload_dependency_graph(&self) {
        let Ok(snapshot) = self.snapshot() else { return };
        self.update_or_build_cached_graph(&snapshot, &mut Evidence::new_complete(ANALYSIS));
    }

    /// The dependency graph of the files in `snapshot`: the cached graph, updated where files changed.
    fn update_or_build_cached_graph(&self, snapshot: &Snapshot, evidence: &mut Evidence) -> Arc<CachedGraph> {
        let slot = self.graph_slot();
        let before = slot.latest_graph();
        let cancellation = self.project().cancellation();
        let (graph, left) = CachedGraph::update_or_build_with_unread_count(snapshot, before.as_ref(), cancellation);
        cancellation.note_unprocessed_files_in_evidence(left, snapshot.file_table().len(), evidence);
        if left == 0 && cancellation.stop_cause().is_none() && !snapshot.includes_requested_file_skipped_by_walk() {
            slot.set_latest_graph(graph.clone());
        }
        note_consulted_files_that_are_too_large(graph.consulted_texts(), evidence);
        graph
    }

    fn graph_slot(&self) -> Arc<GraphSlot> {
        self.facts_store().attached_values().get_or_init(GraphCache::default).slot_for_root(self.project().root())
    }

    fn evidence_with_skipped_entries_of_snapshot(&self, snapshot: &Snapshot) -> Evidence {
        let mut evidence = Evidence::new_complete(ANALYSIS);
        for skipped in snapshot.skipped_entries() {
            evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason.clone());
        }
        evidence
    }

    fn dependencies_and_dependents_of_file(
        &self,
        entry: &ProjectEntry,
        query: &DependencyQuery,
        text: Option<&SourceFile>,
    ) -> Result<Dependencies, CodeError> {
        let mut answer = Dependencies {
            path: entry.path.clone(),
            files: None,
            language: language::language_of_file_name(entry.name()),
            are_imports_resolved: true,
            files_with_unresolved_imports: Vec::new(),
            is_search_unfinished: false,
            outgoing: Vec::new(),
            external: Vec::new(),
            unresolved: Vec::new(),
            incoming: Vec::new(),
            edges: Vec::new(),
            submodule_declarations: Vec::new(),
            known_files: Vec::new(),
            evidence: Evidence::new_complete(ANALYSIS),
        };
        let read;
        let text = match text {
            Some(text) => text,
            None => {
                read = SourceFile::read(entry)?;
                &read
            }
        };
        answer.language = language::language_of_file_name_and_text(entry.name(), &text.text);
        let semantics = answer.language.and_then(|language| languages::semantics_of_imports_in_language(language.name));
        let Some(semantics) = semantics else {
            let what = answer.language.map_or("this file", |language| language.name);
            answer.evidence.add_note(format!("imports of {what} are not resolved"));
            answer.evidence.lower_completeness_to(Completeness::Unknown);
            answer.are_imports_resolved = false;
            return Ok(answer);
        };
        let snapshot = Snapshot::of_project_with_file(self.project(), self.facts_store(), Some(entry))?;
        answer.evidence = self.evidence_with_skipped_entries_of_snapshot(&snapshot);
        let Some(file) = snapshot.file_table().id_of_path(&entry.path) else {
            // The walk of the project was cancelled before it reached the file.
            answer.evidence.lower_completeness_to(Completeness::Unknown);
            return Ok(answer);
        };
        let cached = !snapshot.includes_requested_file_skipped_by_walk() && self.graph_slot().latest_graph().is_some();
        if cached || query.depth > 1 {
            let graph = self.update_or_build_cached_graph(&snapshot, &mut answer.evidence);
            fill_dependencies_and_dependents_from_graph(&graph, semantics, file, query, text, &mut answer);
            answer.is_search_unfinished = self.project().cancellation().stop_cause().is_some();
        } else {
            fill_dependencies_and_dependents_without_graph(
                &snapshot,
                semantics,
                file,
                query,
                text,
                self.project().cancellation(),
                &mut answer,
            );
            let consulted = snapshot.file_table().consulted_texts();
            note_consulted_files_that_are_too_large(&consulted, &mut answer.evidence);
            self.build_graph_in_background();
        }
        sort_dependents_by_relevance(&mut answer.incoming, &entry.path);
        self.add_cache_notice(&mut answer.evidence);
        Ok(answer)
    }

    /// Builds the dependency graph in a background thread, if the process lives long enough to use it again.
    fn build_graph_in_background(&self) {
        let store = self.facts_store();
        if !store.is_long_lived() {
            return;
        }
        let slot = self.graph_slot();
        let project = self
            .project()
            .clone()
            .with_cancellation(CancellationToken::default().child_with_time_limit(BACKGROUND_TIME_LIMIT));
        let access = self.clone().with_project(project);
        let make = move || {
            slot.run_build_unless_running(|| {
                if slot.latest_graph().is_none() {
                    // The background build uses one thread only: the others serve waiting calls.
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(THREAD_STACK_BYTES).build();
                    pool.into_iter().for_each(|pool| pool.install(|| access.preload_dependency_graph()));
                    access.facts_store().flush_to_disk();
                }
            });
        };
        // The result is ignored: if no thread can be spawned, there is no graph, and the next call tries again.
        let thread = std::thread::Builder::new().name("graph".to_owned()).stack_size(THREAD_STACK_BYTES);
        let _ = thread.spawn(make);
    }

    fn dependencies_and_dependents_of_folder(
        &self,
        entry: &ProjectEntry,
        query: &DependencyQuery,
    ) -> Result<Dependencies, CodeError> {
        let snapshot = self.snapshot()?;
        let mut evidence = self.evidence_with_skipped_entries_of_snapshot(&snapshot);
        let cached = self.update_or_build_cached_graph(&snapshot, &mut evidence);
        let (graph, files) = (cached.dependency_graph(), cached.file_table());
        let inside = files.files_below_folder(&entry.path);
        let own: Vec<FileId> = inside
            .clone()
            .filter(|file| matches!(cached.known_content_state_of_file(*file), FileState::Code(..)))
            .collect();
        let mut edges = Vec::new();
        let mut submodule_declarations = Vec::new();
        let mut follow = |next: &dyn Fn(FileId) -> Vec<FileId>, forward: bool| {
            let reached = graph.files_reachable_within_depth(&own, query.depth.max(1), next);
            let mut ends: BTreeMap<FileId, usize> = BTreeMap::new();
            for file in &own {
                for end in next(*file) {
                    *ends.entry(end).or_default() += 1;
                    let pair = if forward { (*file, end) } else { (end, *file) };
                    let paths = (files.path_of_file(pair.0).to_owned(), files.path_of_file(pair.1).to_owned());
                    if graph.edges_of_file(pair.0).is_some_and(|edges| edges.only_declares(pair.1)) {
                        submodule_declarations.push(paths.clone());
                    }
                    edges.push(paths);
                }
            }
            let mut found: Vec<Neighbour> = reached
                .into_iter()
                .filter(|(file, _)| !inside.contains(file))
                .map(|(file, depth)| build_neighbour(files, file, depth, 0, ends.get(&file).copied().unwrap_or(0)))
                .collect();
            found.sort_by(|a, b| {
                (a.depth, a.is_test, std::cmp::Reverse(a.names), &a.path).cmp(&(
                    b.depth,
                    b.is_test,
                    std::cmp::Reverse(b.names),
                    &b.path,
                ))
            });
            found
        };
        let outgoing = match query.direction {
            Direction::Incoming => Vec::new(),
            _ => follow(&|file| graph.dependencies_of(file).to_vec(), true),
        };
        let incoming = match query.direction {
            Direction::Outgoing => Vec::new(),
            _ => follow(&|file| graph.dependents_of(file).to_vec(), false),
        };
        for pairs in [&mut edges, &mut submodule_declarations] {
            pairs.sort();
            pairs.dedup();
        }
        let known_files = own.iter().map(|file| files.path_of_file(*file).to_owned()).collect();
        let (external, unresolved) = if query.direction == Direction::Incoming {
            Default::default()
        } else {
            external_and_unresolved_imports_of_files(&cached, &own)
        };
        gap_notes::note_files_with_incompletely_known_imports(&cached, &mut evidence, |file| {
            query.direction != Direction::Outgoing || inside.contains(&file)
        });
        let others = files_with_unresolved_imports(files, inside);
        note_files_with_unresolved_imports(&others, &mut evidence);
        let are_imports_resolved = others.is_empty() || !own.is_empty();
        if !others.is_empty() {
            let known = if own.is_empty() { Completeness::Unknown } else { Completeness::LowerBound };
            evidence.lower_completeness_to(known);
        }
        self.add_cache_notice(&mut evidence);
        Ok(Dependencies {
            path: entry.path.clone(),
            files: Some(own.len()),
            language: None,
            are_imports_resolved,
            files_with_unresolved_imports: others,
            is_search_unfinished: self.project().cancellation().stop_cause().is_some(),
            outgoing,
            external,
            unresolved,
            incoming,
            edges,
            submodule_declarations,
            known_files,
            evidence,
        })
    }
}

/// The languages of code whose imports lead to code and are not resolved, each with how many of `inside` are in it.
fn files_with_unresolved_imports(
    files: &FileTable,
    inside: impl Iterator<Item = FileId>,
) -> Vec<(&'static str, usize)> {
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for file in inside {
        match language::language_of_file_name(files.entry(file).name()) {
            Some(named)
                if named.tier != Tier::Document
                    && named.has_imports
                    && !named.describes_builds
                    && languages::semantics_of_imports_in_language(named.name).is_none() =>
            {
                *others.entry(named.name).or_default() += 1;
            }
            _ => {}
        }
    }
    others.into_iter().collect()
}

/// Notes in the evidence how many files are in languages whose imports are not resolved.
fn note_files_with_unresolved_imports(others: &[(&str, usize)], evidence: &mut Evidence) {
    if others.is_empty() {
        return;
    }
    let counts: Vec<String> = others.iter().map(|(name, count)| format!("{count} {name}")).collect();
    evidence.add_note(format!("files whose imports are not followed: {}", counts.join(", ")));
}

/// Whether a file of the project is in a language whose imports are resolved, judged by its name.
fn has_language_with_resolved_imports(files: &FileTable) -> bool {
    files.entries().iter().any(|entry| {
        language::language_of_file_name(entry.name())
            .is_some_and(|named| languages::semantics_of_imports_in_language(named.name).is_some())
    })
}

/// Whether a program begins in a file; `None` where the language does not tell.
fn begins_program(cached: &CachedGraph, file: FileId) -> Option<bool> {
    let FileState::Code(code, names) = cached.known_content_state_of_file(file) else { return None };
    let semantics = languages::semantics_of_imports_in_language(code.language.name)?;
    semantics.entry_points_begin_programs().then_some(names.begins_program)
}

/// Whether the path of a file looks like that of a program: the file is called `main`, or as some language calls its
/// programs, or is in a folder `bin`.
fn looks_like_entry_point_path(path: &str) -> bool {
    let stem = file_name_of_path(path).rsplit_once('.').map_or(file_name_of_path(path), |(stem, _)| stem);
    let has_program_name = stem == "main"
        || language::well_known_project_files_of_languages().any(|files| files.program_stems.contains(&stem));
    has_program_name || folder_of_path(path).rsplit('/').next() == Some("bin")
}
