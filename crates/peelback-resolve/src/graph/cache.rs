//! The dependency graph of a project, cached while the process lives.
//!
//! Each call validates the cached graph: it walks the project, and compares signatures with those that the graph was
//! built from. Files that may have changed are read again. If their imports did not change, the graph is reused; else
//! all imports are resolved again, which reads no file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use peelback_syntax::{Language, Names, language};
use rayon::prelude::*;

use super::dependency_graph::DependencyGraph;
use super::edges::FileEdges;
use super::gaps::{Region, import_needles, is_indifferent, missed_regions};
use crate::languages;
use crate::modules::{Consulted, FileId, Files, ProjectIndex};
use crate::semantics::{ModuleResolvers, Semantics};
use peelback_project::CancellationToken;
use peelback_project::SourceFile;
use peelback_project::{Code, NoNames, Signature, same_shape};
use peelback_project::{Extension, Snapshot};

/// The state of a file in the graph.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    /// The file's name shows that its content does not matter to the graph.
    Indifferent,
    /// The file's content shows that it does not matter to the graph.
    NoCode,
    /// Code in a language whose imports are resolved.
    Code(Code, Arc<Names>),
    /// Code whose imports are not known, with the reason.
    Gap(NoNames),
}

/// A file as the graph was built from it.
#[derive(Debug, Clone)]
struct Record {
    /// The file's signature; `None` if only reading the file shows whether it changed.
    signature: Option<Signature>,
    known: Known,
    /// The lines that were not understood.
    missed: OnceLock<Option<Arc<[Region]>>>,
}

impl Record {
    /// The record of a file that was not looked at.
    fn unseen() -> Self {
        Self { signature: None, known: Known::Gap(NoNames::Changed), missed: OnceLock::new() }
    }
}

/// A graph with the state of the project that it was built from.
pub(crate) struct CachedGraph {
    files: Arc<Files>,
    records: Vec<Record>,
    consulted: Consulted,
    module_resolvers: Arc<ModuleResolvers>,
    graph: Arc<DependencyGraph>,
}

/// The cached graphs of all projects that the process works on.
#[derive(Default)]
pub(crate) struct GraphCache {
    slots: Mutex<HashMap<PathBuf, Arc<GraphSlot>>>,
}

/// The cache entry of one project's graph.
#[derive(Default)]
pub(crate) struct GraphSlot {
    current: Mutex<Option<Arc<CachedGraph>>>,
    /// Held by the thread that builds the first graph in the background.
    making: Mutex<()>,
}

impl Extension for GraphCache {}

impl GraphCache {
    /// The cache entry for the project at `root`.
    pub fn slot(&self, root: &Path) -> Arc<GraphSlot> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).entry(root.to_owned()).or_default().clone()
    }
}

impl GraphSlot {
    /// The latest graph.
    pub fn current(&self) -> Option<Arc<CachedGraph>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn put(&self, graph: Arc<CachedGraph>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(graph);
    }

    /// Runs `make` unless another thread is running it.
    pub fn in_turn(&self, make: impl FnOnce()) {
        if let Ok(_turn) = self.making.try_lock() {
            make();
        }
    }
}

/// The files and names that imports are resolved in.
struct State<'a> {
    files: &'a Files,
    records: &'a [Record],
}

impl ProjectIndex for State<'_> {
    fn files(&self) -> &Files {
        self.files
    }

    fn names(&self, file: FileId) -> Option<Arc<Names>> {
        match &self.records.get(file as usize)?.known {
            Known::Code(_, names) => Some(names.clone()),
            Known::Indifferent | Known::NoCode | Known::Gap(_) => None,
        }
    }

    fn language(&self, file: FileId) -> Option<&'static Language> {
        match &self.records.get(file as usize)?.known {
            Known::Code(code, _) => Some(code.language),
            _ => language::of_name(self.files.entry(file).name()),
        }
    }
}

impl CachedGraph {
    /// The graph of the project that `snapshot` shows, reusing `before` as far as it is still valid. Also returns the
    /// number of files that were not looked at because time ran out.
    pub fn of(snapshot: &Snapshot, before: Option<&Arc<Self>>, cancellation: &CancellationToken) -> (Arc<Self>, usize) {
        let same_files = before.filter(|before| {
            let (old, new) = (before.files.entries(), snapshot.files().entries());
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.path == new.path)
        });
        match same_files {
            Some(before) => before.renewed(snapshot, cancellation),
            None => Self::made(snapshot, before, cancellation),
        }
    }

    /// Updates the graph after changes of contents, if the set of files is the same.
    fn renewed(self: &Arc<Self>, snapshot: &Snapshot, cancellation: &CancellationToken) -> (Arc<Self>, usize) {
        let suspects: Vec<FileId> = (0..)
            .zip(&self.records)
            .filter(|(file, record)| {
                let same = record.signature.is_some() && snapshot.signature(*file) == record.signature.as_ref();
                !same && !matches!(record.known, Known::Indifferent)
            })
            .map(|(file, _)| file)
            .collect();
        // Includes the files that a look-up in the reused graph read meanwhile.
        let mut consulted = self.files.consulted();
        consulted.extend(self.consulted.iter().map(|(path, text)| (path.clone(), *text)));
        let same_texts = self.files.still_hold(&mut consulted, |file| snapshot.signature(file).copied());
        if suspects.is_empty() && same_texts {
            return (self.clone(), 0);
        }
        cancellation.expect(suspects.len());
        let looked: Vec<Option<Record>> = suspects
            .par_iter()
            .map(|file| cancellation.step().then(|| record(snapshot, *file, self.records.get(*file as usize))))
            .collect();
        let left = looked.iter().filter(|record| record.is_none()).count();
        let mut records = self.records.clone();
        let mut same_shapes = true;
        for (file, fresh) in suspects.iter().zip(looked) {
            let fresh = fresh.unwrap_or_else(Record::unseen);
            if let Some(old) = records.get_mut(*file as usize) {
                same_shapes &= links_alike(&old.known, &fresh.known);
                *old = fresh;
            }
        }
        if same_shapes && same_texts {
            let (files, module_resolvers, graph) =
                (self.files.clone(), self.module_resolvers.clone(), self.graph.clone());
            return (Arc::new(Self { files, records, consulted, module_resolvers, graph }), left);
        }
        (Arc::new(Self::with_edges(self.files.fresh(), records)), left)
    }

    /// Builds the graph anew, with the records of files that did not change.
    fn made(snapshot: &Snapshot, before: Option<&Arc<Self>>, cancellation: &CancellationToken) -> (Arc<Self>, usize) {
        let files = snapshot.files();
        let ids: Vec<FileId> = (0..).take(files.len()).collect();
        cancellation.expect(ids.len());
        let looked: Vec<Option<Record>> = ids
            .into_par_iter()
            .map(|file| {
                let old = before.and_then(|before| before.record(files.path(file)));
                let unchanged =
                    old.filter(|old| old.signature.is_some() && snapshot.signature(file) == old.signature.as_ref());
                match unchanged {
                    Some(old) => Some(old.clone()),
                    None => cancellation.step().then(|| record(snapshot, file, old)),
                }
            })
            .collect();
        let left = looked.iter().filter(|record| record.is_none()).count();
        let records = looked.into_iter().map(|record| record.unwrap_or_else(Record::unseen)).collect();
        (Arc::new(Self::with_edges(files.fresh(), records)), left)
    }

    /// Resolves all imports of these records.
    fn with_edges(files: Files, records: Vec<Record>) -> Self {
        let state = State { files: &files, records: &records };
        let module_resolvers = languages::module_resolvers();
        let edges = |record: &Record, file| match &record.known {
            Known::Code(code, names) => FileEdges::of(&module_resolvers, &state, file, code.language, names),
            Known::Indifferent | Known::NoCode | Known::Gap(_) => FileEdges::default(),
        };
        let ids: Vec<FileId> = (0..).take(records.len()).collect();
        let edges = records.par_iter().zip(ids).map(|(record, file)| edges(record, file)).collect();
        let graph = Arc::new(DependencyGraph::new(edges));
        let consulted = files.consulted();
        Self { files: Arc::new(files), records, consulted, module_resolvers: Arc::new(module_resolvers), graph }
    }

    fn record(&self, path: &str) -> Option<&Record> {
        self.records.get(self.files.id(path)? as usize)
    }

    pub fn files(&self) -> &Files {
        &self.files
    }

    pub fn graph(&self) -> &DependencyGraph {
        &self.graph
    }

    /// The files whose imports are known.
    pub fn code_files(&self) -> Vec<FileId> {
        (0..)
            .zip(&self.records)
            .filter(|(_, record)| matches!(record.known, Known::Code(..)))
            .map(|(id, _)| id)
            .collect()
    }

    /// The files whose imports are not, or not all, known.
    pub fn gaps(&self) -> impl Iterator<Item = FileId> + '_ {
        let has_gap = |record: &Record| match &record.known {
            Known::Gap(_) => true,
            Known::Code(_, names) => !names.missed.is_empty(),
            Known::Indifferent | Known::NoCode => false,
        };
        (0..).zip(&self.records).filter(move |(_, record)| has_gap(record)).map(|(id, _)| id)
    }

    /// The state of a file.
    pub fn known(&self, file: FileId) -> &Known {
        self.records.get(file as usize).map_or(&Known::Indifferent, |record| &record.known)
    }

    /// Texts of which each file that depends on `file` contains at least one.
    pub fn needles(&self, semantics: &'static dyn Semantics, file: FileId) -> Vec<String> {
        let state = State { files: &self.files, records: &self.records };
        import_needles(&self.module_resolvers, semantics, &state, file)
    }

    /// The lines of a file that were not understood; `None` if all were.
    pub fn missed(&self, file: FileId) -> Option<Arc<[Region]>> {
        let record = self.records.get(file as usize)?;
        let missed = || match &record.known {
            Known::Code(_, names) if !names.missed.is_empty() => {
                let text = SourceFile::read(self.files.entry(file)).ok()?;
                Some(missed_regions(names, &text).into())
            }
            _ => None,
        };
        record.missed.get_or_init(missed).clone()
    }
}

/// Reads the state of a file, given its `old` record.
fn record(snapshot: &Snapshot, file: FileId, old: Option<&Record>) -> Record {
    let entry = snapshot.files().entry(file);
    let missed = OnceLock::new();
    if is_indifferent(entry.name()) {
        return Record { signature: None, known: Known::Indifferent, missed };
    }
    let code = snapshot.code(file).cloned();
    let signature = snapshot.settled(file);
    let known = match (code, old.map(|old| &old.known)) {
        // The file was touched, but its text is unchanged.
        (Ok(code), Some(Known::Code(before, names))) if code == *before => Known::Code(code, names.clone()),
        (Ok(code), _) if languages::semantics(code.language.name).is_none() => Known::NoCode,
        (Ok(code), _) => match snapshot.module_interface(file) {
            Ok(interface) => Known::Code(code, interface.names.clone()),
            Err(reason) => Known::Gap(reason.clone()),
        },
        (Err(reason), _) if reason.gap().is_none() => Known::NoCode,
        (Err(reason), _) => Known::Gap(reason.clone()),
    };
    Record { signature, known, missed }
}

/// Whether two states of a file have the same imports, so that the graph is unchanged.
fn links_alike(old: &Known, new: &Known) -> bool {
    match (old, new) {
        (Known::Code(old, a), Known::Code(new, b)) => {
            old.language == new.language && (old.hash == new.hash || same_shape(a, b))
        }
        (Known::Code(..), _) | (_, Known::Code(..)) => false,
        _ => true,
    }
}
