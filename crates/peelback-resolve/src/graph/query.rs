//! Questions about dependencies, answered from the graph, or without it where one file is asked about and there is none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use peelback_syntax::{Language, Names, Tier, language};

use super::cache::{Graphs, Known, Slot, WarmGraph};
use super::edges::{FileEdges, ResolvedImport};
use super::gaps;
use super::reverse_dependencies::{self, Surfaces};
use super::tests_of::is_test;
use crate::analyzer::ProjectAnalyzer;
use crate::languages;
use crate::modules::{FileId, Files, folder_of, name_of};
use crate::semantics::Semantics;
use peelback_project::CancellationToken;
use peelback_project::CodeError;
use peelback_project::NoNames;
use peelback_project::ProjectEntry;
use peelback_project::Snapshot;
use peelback_project::SourceFile;
use peelback_project::coverage_gap;
use peelback_project::{Completeness, Evidence};

/// Which way dependencies are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Both.
    #[default]
    Both,
    /// To what a file depends on.
    Outgoing,
    /// To what depends on it.
    Incoming,
}

/// A question about a file or a folder.
#[derive(Debug, Clone, Default)]
pub struct DependencyQuery {
    /// The file or folder.
    pub path: String,
    /// Which way.
    pub direction: Direction,
    /// Steps to follow; 0 and 1 are direct dependencies.
    pub depth: usize,
}

/// A file at the other end of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// Its path.
    pub path: String,
    /// Steps to it.
    pub depth: usize,
    /// The first line, of whichever file depends on the other, where it takes something; 0 further away.
    pub line: u32,
    /// How many names are taken; of a folder, how many of its files take some.
    pub names: usize,
    /// Whether it is a test.
    pub is_test: bool,
}

/// A package from outside of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// Its name.
    pub name: String,
    /// How many imports lead to it.
    pub imports: usize,
    /// The first line that does; 0 where several files are asked about.
    pub line: u32,
}

/// An import that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// What it names.
    pub source: String,
    /// Why it leads nowhere, where there is more to say than that nothing is there.
    pub reason: Option<String>,
}

/// What a file or folder depends on, and what depends on it.
#[derive(Debug, Clone)]
pub struct Dependencies {
    /// The file or folder, from the root.
    pub path: String,
    /// How many files a folder holds whose imports are known; `None` for a file.
    pub files: Option<usize>,
    /// The file's language.
    pub language: Option<&'static Language>,
    /// Whether imports of such a file are followed at all.
    pub is_followed: bool,
    /// Files that it depends on: of a file in the order of its text, further ones after nearer ones.
    pub outgoing: Vec<Neighbour>,
    /// Packages from outside.
    pub external: Vec<External>,
    /// Links that lead nowhere.
    pub unresolved: Vec<Unresolved>,
    /// Files that depend on it, those that matter most first.
    pub incoming: Vec<Neighbour>,
    /// Every dependency that was followed, from and to.
    pub edges: Vec<(String, String)>,
    /// How far all that can be trusted.
    pub evidence: Evidence,
}

/// A whole project.
#[derive(Debug, Clone)]
pub struct Overview {
    /// Files whose imports are known.
    pub files: usize,
    /// Dependencies between them.
    pub dependencies: usize,
    /// Files that depend on others and that nothing depends on, those that reach most first. Tests are not among them.
    pub entry_points: Vec<Neighbour>,
    /// Tests that nothing depends on.
    pub tests: usize,
    /// Files by how many depend on them: that is in `names`.
    pub most_depended_on: Vec<Neighbour>,
    /// Groups of files in which each takes something from the next in a circle, the largest first.
    pub cycles: Vec<Vec<String>>,
    /// How many groups of files are circular, or as large as they are, only because a parent module declares its child
    /// (`mod a;` in Rust).
    pub module_cycles: usize,
    /// Packages from outside, those with most imports first.
    pub external: Vec<External>,
    /// Links that lead nowhere.
    pub unresolved: Vec<Unresolved>,
    /// Every dependency, from and to.
    pub edges: Vec<(String, String)>,
    /// How far all that can be trusted.
    pub evidence: Evidence,
}

/// What gave the answers.
const ANALYSIS: &str = "syntax";

/// How long the first graph of a project may take in the background.
const BACKGROUND: Duration = Duration::from_secs(600);

impl ProjectAnalyzer {
    /// What a file or folder depends on, and what depends on it.
    ///
    /// # Errors
    /// Those of [`Project::entry`] and [`Project::files`].
    pub fn dependencies(&self, query: &DependencyQuery) -> Result<Dependencies, CodeError> {
        let entry = self.project().entry(&query.path)?;
        if entry.is_folder {
            return self.folder_dependencies(&entry, query);
        }
        let entry = self.project().file(&query.path)?;
        self.file_dependencies(&entry, query, None)
    }

    /// The direct dependencies of a file that was read, as far as they can be told in a while.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn relations(&self, file: &SourceFile, patience: Duration) -> Result<Dependencies, CodeError> {
        let cancellation = self.project().cancellation().within(patience);
        let access = self.clone().with_project(self.project().clone().with_cancellation(cancellation));
        let entry = access.project().file_of_answer(&file.path)?;
        access.file_dependencies(&entry, &DependencyQuery::default(), Some(file))
    }

    /// The whole project.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn overview(&self) -> Result<Overview, CodeError> {
        let snapshot = self.snapshot()?;
        let mut evidence = self.evidence_of(&snapshot);
        let warm = self.graph(&snapshot, &mut evidence);
        let (graph, files) = (warm.graph(), warm.files());
        gaps::note_all(&warm, &mut evidence, |_| true);
        note_others(files, &mut evidence);
        let path = |file: FileId| files.path(file).to_owned();
        let known = warm.code_files();
        let mut entry_points = Vec::new();
        let mut tests = 0;
        for file in known.iter().copied().filter(|file| graph.incoming(*file).is_empty()) {
            if graph.outgoing(file).is_empty() && !is_program(files.path(file)) {
                continue;
            }
            if is_test(files.path(file)) {
                tests += 1;
            } else {
                entry_points.push((graph.outgoing(file).len(), file));
            }
        }
        entry_points.sort_by_key(|(outgoing, file)| (std::cmp::Reverse(*outgoing), *file));
        let entry_points = entry_points.into_iter();
        let entry_points = entry_points.map(|(outgoing, file)| neighbour(files, file, 1, 0, outgoing)).collect();
        let mut most: Vec<(usize, FileId)> = known.iter().map(|file| (graph.incoming(*file).len(), *file)).collect();
        most.retain(|(count, _)| *count > 0);
        most.sort_by_key(|(count, file)| (std::cmp::Reverse(*count), *file));
        let most_depended_on = most.into_iter().map(|(count, file)| neighbour(files, file, 1, 0, count)).collect();
        let cycles = graph.cycles();
        let module_cycles = cycles.by_declaration;
        let cycles = cycles.by_use.into_iter().map(|cycle| cycle.into_iter().map(path).collect()).collect();
        let (external, unresolved) = outside(&warm, &known);
        let edges = known.iter().flat_map(|from| graph.outgoing(*from).iter().map(|to| (path(*from), path(*to))));
        let edges = edges.collect();
        let dependencies = graph.size().1;
        self.note_cache(&mut evidence);
        Ok(Overview {
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
            evidence,
        })
    }

    /// Makes the project's graph, so that later questions find it.
    pub fn warm_graph(&self) {
        let Ok(snapshot) = self.snapshot() else { return };
        self.graph(&snapshot, &mut Evidence::complete(ANALYSIS));
    }

    /// The graph as the snapshot shows it, from the last one as far as that holds.
    fn graph(&self, snapshot: &Snapshot, evidence: &mut Evidence) -> Arc<WarmGraph> {
        let slot = self.slot();
        let before = slot.current();
        let cancellation = self.project().cancellation();
        let (graph, left) = WarmGraph::of(snapshot, before.as_ref(), cancellation);
        cancellation.cut_short(left, snapshot.files().len(), evidence);
        if left == 0 && cancellation.stopped().is_none() && !snapshot.has_extra() {
            slot.put(graph.clone());
        }
        graph
    }

    fn slot(&self) -> Arc<Slot> {
        self.store().extensions().get_or_init(Graphs::default).slot(self.project().root())
    }

    fn evidence_of(&self, snapshot: &Snapshot) -> Evidence {
        let mut evidence = Evidence::complete(ANALYSIS);
        for skipped in snapshot.skipped() {
            evidence.skip(&skipped.path, skipped.reason.clone());
        }
        evidence
    }

    fn file_dependencies(
        &self,
        entry: &ProjectEntry,
        query: &DependencyQuery,
        text: Option<&SourceFile>,
    ) -> Result<Dependencies, CodeError> {
        let mut answer = Dependencies {
            path: entry.path.clone(),
            files: None,
            language: language::of_name(entry.name()),
            is_followed: true,
            outgoing: Vec::new(),
            external: Vec::new(),
            unresolved: Vec::new(),
            incoming: Vec::new(),
            edges: Vec::new(),
            evidence: Evidence::complete(ANALYSIS),
        };
        let read;
        let text = match text {
            Some(text) => text,
            None => {
                read = SourceFile::read(entry)?;
                &read
            }
        };
        answer.language = language::of_file(entry.name(), &text.text);
        let semantics = answer.language.and_then(|language| languages::semantics(language.name));
        let Some(semantics) = semantics else {
            let what = answer.language.map_or("this file", |language| language.name);
            answer.evidence.note(format!("where imports lead is not known of {what}"));
            answer.evidence.weaken(Completeness::Unknown);
            answer.is_followed = false;
            return Ok(answer);
        };
        let snapshot = Snapshot::with(self.project(), self.store(), Some(entry))?;
        answer.evidence = self.evidence_of(&snapshot);
        let Some(file) = snapshot.files().id(&entry.path) else {
            // The walk ended before it came there.
            answer.evidence.weaken(Completeness::Unknown);
            return Ok(answer);
        };
        let warm = !snapshot.has_extra() && self.slot().current().is_some();
        if warm || query.depth > 1 {
            let graph = self.graph(&snapshot, &mut answer.evidence);
            from_graph(&graph, semantics, file, query, text, &mut answer);
        } else {
            without_graph(&snapshot, semantics, file, query, text, self.project().cancellation(), &mut answer);
            self.prepare_graph();
        }
        rank(&mut answer.incoming, &entry.path);
        self.note_cache(&mut answer.evidence);
        Ok(answer)
    }

    /// Makes the graph in the background, where the process lives long enough to use it again.
    fn prepare_graph(&self) {
        let store = self.store();
        if !store.is_long_lived() {
            return;
        }
        let slot = self.slot();
        let project = self.project().clone().with_cancellation(CancellationToken::default().within(BACKGROUND));
        let access = self.clone().with_project(project);
        let make = move || {
            slot.in_turn(|| {
                if slot.current().is_none() {
                    // One thread: the others are for those who wait for something.
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
                    pool.into_iter().for_each(|pool| pool.install(|| access.warm_graph()));
                    access.store().flush();
                }
            });
        };
        // Without a thread there is no graph, and the next call tries again.
        let _ = std::thread::Builder::new().name("graph".to_owned()).spawn(make);
    }

    fn folder_dependencies(&self, entry: &ProjectEntry, query: &DependencyQuery) -> Result<Dependencies, CodeError> {
        let snapshot = self.snapshot()?;
        let mut evidence = self.evidence_of(&snapshot);
        let warm = self.graph(&snapshot, &mut evidence);
        let (graph, files) = (warm.graph(), warm.files());
        let inside = files.below(&entry.path);
        let own: Vec<FileId> = inside.clone().filter(|file| matches!(warm.known(*file), Known::Code(..))).collect();
        let mut edges = Vec::new();
        let mut follow = |next: &dyn Fn(FileId) -> Vec<FileId>, forward: bool| {
            let reached = graph.reach(&own, query.depth.max(1), next);
            let mut ends: BTreeMap<FileId, usize> = BTreeMap::new();
            for file in &own {
                for end in next(*file) {
                    *ends.entry(end).or_default() += 1;
                    let pair = if forward { (*file, end) } else { (end, *file) };
                    edges.push((files.path(pair.0).to_owned(), files.path(pair.1).to_owned()));
                }
            }
            let mut found: Vec<Neighbour> = reached
                .into_iter()
                .filter(|(file, _)| !inside.contains(file))
                .map(|(file, depth)| neighbour(files, file, depth, 0, ends.get(&file).copied().unwrap_or(0)))
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
            _ => follow(&|file| graph.outgoing(file).to_vec(), true),
        };
        let incoming = match query.direction {
            Direction::Outgoing => Vec::new(),
            _ => follow(&|file| graph.incoming(file).to_vec(), false),
        };
        edges.sort();
        edges.dedup();
        let (external, unresolved) =
            if query.direction == Direction::Incoming { Default::default() } else { outside(&warm, &own) };
        gaps::note_all(&warm, &mut evidence, |file| query.direction != Direction::Outgoing || inside.contains(&file));
        self.note_cache(&mut evidence);
        Ok(Dependencies {
            path: entry.path.clone(),
            files: Some(own.len()),
            language: None,
            is_followed: true,
            outgoing,
            external,
            unresolved,
            incoming,
            edges,
            evidence,
        })
    }
}

/// Says which code the graph knows nothing of.
fn note_others(files: &Files, evidence: &mut Evidence) {
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    let mut followed = false;
    for entry in files.entries() {
        match language::of_name(entry.name()) {
            Some(named) if languages::semantics(named.name).is_some() => followed = true,
            Some(named) if named.tier != Tier::Document => *others.entry(named.name).or_default() += 1,
            _ => {}
        }
    }
    if others.is_empty() {
        return;
    }
    let counts: Vec<String> = others.iter().map(|(name, count)| format!("{count} {name}")).collect();
    evidence.note(format!("files whose imports are not followed: {}", counts.join(", ")));
    if !followed {
        evidence.weaken(Completeness::Unknown);
    }
}

/// Fills in what the graph says about a file.
fn from_graph(
    warm: &WarmGraph,
    semantics: &'static dyn Semantics,
    file: FileId,
    query: &DependencyQuery,
    text: &SourceFile,
    answer: &mut Dependencies,
) {
    let (graph, files) = (warm.graph(), warm.files());
    let own = match warm.known(file) {
        Known::Code(code, names) => {
            if code.hash != text.hash() {
                answer.evidence.note(format!("{} changed while it was looked at", answer.path));
                answer.evidence.weaken(Completeness::LowerBound);
            }
            Some(names)
        }
        Known::Gap(reason) => {
            no_links(reason, query, answer);
            None
        }
        Known::Indifferent | Known::NoCode => None,
    };
    let depth = query.depth.max(1);
    if query.direction != Direction::Incoming
        && let (Some(names), Some(edges)) = (own, graph.edges(file))
    {
        own_edges(files, file, edges, names, answer);
        let reached = graph.reach(&[file], depth, |file| graph.outgoing(file).to_vec());
        let further = reached.iter().filter(|(_, steps)| *steps > 1);
        let between: BTreeSet<FileId> =
            reached.iter().filter(|(_, steps)| *steps < depth).map(|(file, _)| *file).collect();
        answer.outgoing.extend(further.map(|(file, steps)| neighbour(files, *file, *steps, 0, 0)));
        let starts = std::iter::once((file, 0)).chain(reached).filter(|(_, steps)| *steps < depth);
        let edges = starts.flat_map(|(from, _)| graph.outgoing(from).iter().map(move |to| (from, *to)));
        answer.edges.extend(edges.map(|(from, to)| (files.path(from).to_owned(), files.path(to).to_owned())));
        if !between.is_empty() {
            gaps::note_all(warm, &mut answer.evidence, |file| between.contains(&file));
        }
    }
    if query.direction != Direction::Outgoing {
        let reached = graph.reach(&[file], depth, |file| graph.incoming(file).to_vec());
        for (user, steps) in &reached {
            let (line, names) = match (warm.known(*user), graph.edges(*user)) {
                (Known::Code(_, names), Some(edges)) if *steps == 1 => edges.use_of(names, file),
                _ => (0, 0),
            };
            answer.incoming.push(neighbour(files, *user, *steps, line, names));
        }
        let ends = std::iter::once((file, 0)).chain(reached.clone()).filter(|(_, steps)| *steps < depth);
        let edges = ends.flat_map(|(to, _)| graph.incoming(to).iter().map(move |from| (*from, to)));
        answer.edges.extend(edges.map(|(from, to)| (files.path(from).to_owned(), files.path(to).to_owned())));
        let between: Vec<FileId> = reached.iter().filter(|(_, steps)| *steps < depth).map(|(file, _)| *file).collect();
        for file in std::iter::once(file).chain(between) {
            gaps::note_users(warm, semantics, file, &mut answer.evidence);
        }
        answer.evidence.skipped.sort();
        answer.evidence.skipped.dedup();
    }
    own_gap(own, answer);
    answer.edges.sort();
    answer.edges.dedup();
}

/// Fills in what can be told of a file without the graph.
fn without_graph(
    snapshot: &Snapshot,
    semantics: &'static dyn Semantics,
    file: FileId,
    query: &DependencyQuery,
    text: &SourceFile,
    cancellation: &CancellationToken,
    answer: &mut Dependencies,
) {
    let module_resolvers = languages::module_resolvers();
    let files = snapshot.files();
    let own = match snapshot.surface_of(file, text) {
        Ok(surface) => Some(surface),
        Err(reason) => {
            no_links(reason, query, answer);
            None
        }
    };
    if let Some(own) = own.filter(|_| query.direction != Direction::Incoming) {
        let project_index = Surfaces(snapshot);
        let edges = FileEdges::of(&module_resolvers, &project_index, file, own.language, &own.names);
        own_edges(files, file, &edges, &own.names, answer);
    }
    if query.direction != Direction::Outgoing {
        let users = reverse_dependencies::users(
            snapshot,
            &module_resolvers,
            semantics,
            file,
            cancellation,
            &mut answer.evidence,
        );
        answer.incoming.extend(users.iter().map(|user| neighbour(files, user.file, 1, user.line, user.names)));
    }
    let own_path = answer.path.as_str();
    let outgoing = answer.outgoing.iter().map(|end| (own_path.to_owned(), end.path.clone()));
    let incoming = answer.incoming.iter().map(|end| (end.path.clone(), own_path.to_owned()));
    answer.edges = outgoing.chain(incoming).collect();
    answer.edges.sort();
    answer.edges.dedup();
    own_gap(own.map(|own| &own.names), answer);
}

/// Says that the imports of the file itself are not known; who depends on it may be, all the same.
fn no_links(reason: &NoNames, query: &DependencyQuery, answer: &mut Dependencies) {
    answer.evidence.skip(&answer.path, reason.gap().unwrap_or_default());
    if query.direction == Direction::Outgoing {
        answer.evidence.weaken(Completeness::Unknown);
    }
}

/// Says where the file itself was not understood.
fn own_gap(names: Option<&Arc<Names>>, answer: &mut Dependencies) {
    let Some(missed) = names.map(|names| names.missed.as_slice()).filter(|missed| !missed.is_empty()) else { return };
    let lines = missed.iter().map(|(first, last)| peelback_syntax::Lines { first: *first, last: *last }).collect();
    let partial = peelback_syntax::Coverage::Partial { regions: missed.len(), lines };
    if let Some(gap) = coverage_gap(&partial) {
        answer.evidence.skip(&answer.path, gap);
    }
}

/// Fills in where the imports of the file itself lead.
fn own_edges(files: &Files, file: FileId, edges: &FileEdges, names: &Names, answer: &mut Dependencies) {
    let direct = edges.files().iter().map(|to| {
        let (line, count) = edges.use_of(names, *to);
        neighbour(files, *to, 1, line, count)
    });
    answer.outgoing.extend(direct);
    collect_outside(files.path(file), edges, names, &mut answer.external, &mut answer.unresolved);
}

/// Packages in the order of the text, each once; imports that lead nowhere, each line.
fn collect_outside(
    path: &str,
    edges: &FileEdges,
    names: &Names,
    external: &mut Vec<External>,
    unresolved: &mut Vec<Unresolved>,
) {
    for (import, resolved_import) in edges.resolved_imports(names) {
        match resolved_import {
            ResolvedImport::External(name) => match external.iter_mut().find(|known| *known.name == **name) {
                Some(known) => known.imports += 1,
                None => external.push(External { name: name.to_string(), imports: 1, line: import.line }),
            },
            ResolvedImport::Unresolved(what) => {
                let source = names.text(import.source).to_owned();
                let reason = (**what != source).then(|| what.to_string());
                unresolved.push(Unresolved { path: path.to_owned(), line: import.line, source, reason });
            }
            ResolvedImport::Files(_) | ResolvedImport::Nothing => {}
        }
    }
}

/// [`collect_outside`] for many files: packages with most imports first.
fn outside(warm: &WarmGraph, of: &[FileId]) -> (Vec<External>, Vec<Unresolved>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unresolved = Vec::new();
    for file in of {
        let (Known::Code(_, names), Some(edges)) = (warm.known(*file), warm.graph().edges(*file)) else { continue };
        let mut none = Vec::new();
        for (_, resolved_import) in edges.resolved_imports(names) {
            if let ResolvedImport::External(name) = resolved_import {
                *counts.entry(name).or_default() += 1;
            }
        }
        if edges
            .resolved_imports(names)
            .any(|(_, resolved_import)| matches!(resolved_import, ResolvedImport::Unresolved(_)))
        {
            collect_outside(warm.files().path(*file), edges, names, &mut none, &mut unresolved);
        }
    }
    let mut external: Vec<External> =
        counts.into_iter().map(|(name, imports)| External { name: name.to_owned(), imports, line: 0 }).collect();
    external.sort_by(|a, b| b.imports.cmp(&a.imports).then_with(|| a.name.cmp(&b.name)));
    (external, unresolved)
}

fn neighbour(files: &Files, file: FileId, depth: usize, line: u32, names: usize) -> Neighbour {
    let path = files.path(file).to_owned();
    let is_test = is_test(&path);
    Neighbour { path, depth, line, names, is_test }
}

/// Puts those first that matter most to who asks about `path`: near ones before far ones, code before tests, the same
/// folder before others, many names before few.
fn rank(incoming: &mut [Neighbour], path: &str) {
    let folder = folder_of(path);
    incoming.sort_by(|a, b| {
        let key =
            |end: &Neighbour| (end.depth, end.is_test, folder_of(&end.path) != folder, std::cmp::Reverse(end.names));
        key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
    });
}

/// Whether a file is run by its name alone.
fn is_program(path: &str) -> bool {
    let stem = name_of(path).rsplit_once('.').map_or(name_of(path), |(stem, _)| stem);
    matches!(stem, "main" | "__main__") || folder_of(path).rsplit('/').next() == Some("bin")
}
