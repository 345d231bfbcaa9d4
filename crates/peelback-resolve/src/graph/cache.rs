//! The graph of a project, kept for as long as the process lives.
//!
//! Nothing of it is believed: each call walks the project, and what the walk sees is held against what the graph was
//! made from. Files that may have changed are read again. Where they import to others as they did, the graph stands; else
//! all imports are followed anew, which takes no reading.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use peelback_syntax::{Language, Names, language};
use rayon::prelude::*;

use super::DependencyGraph;
use super::edges::FileEdges;
use super::gaps::{Region, needles_of, regions};
use crate::languages;
use crate::modules::{Consulted, FileId, Files, ProjectIndex};
use crate::semantics::{ModuleResolvers, Semantics};
use peelback_project::CancellationToken;
use peelback_project::SourceFile;
use peelback_project::{Code, NoNames, Signature, same_shape};
use peelback_project::{Extension, Snapshot};

/// What is known of a file.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    /// Its name tells that its content makes no difference to the graph.
    Indifferent,
    /// Its content tells that.
    NoCode,
    /// Code of a semantics that knows imports.
    Code(Code, Arc<Names>),
    /// Code whose imports are not known, and why.
    Gap(NoNames),
}

/// A file as the graph was made from it.
#[derive(Debug, Clone)]
struct Record {
    /// What it is known by; `None` where only reading it tells whether it changed.
    signature: Option<Signature>,
    known: Known,
    /// The lines that were not understood.
    missed: OnceLock<Option<Arc<[Region]>>>,
}

impl Record {
    /// What was not looked at.
    fn unseen() -> Self {
        Self { signature: None, known: Known::Gap(NoNames::Changed), missed: OnceLock::new() }
    }
}

/// A graph with the state of the project that it was made from.
pub(crate) struct WarmGraph {
    files: Arc<Files>,
    records: Vec<Record>,
    consulted: Consulted,
    module_resolvers: Arc<ModuleResolvers>,
    graph: Arc<DependencyGraph>,
}

/// The graphs of the projects that a process looks at.
#[derive(Default)]
pub(crate) struct Graphs {
    slots: Mutex<HashMap<PathBuf, Arc<Slot>>>,
}

/// The place of one project's graph.
#[derive(Default)]
pub(crate) struct Slot {
    current: Mutex<Option<Arc<WarmGraph>>>,
    /// Held by whoever makes the first graph in the background.
    making: Mutex<()>,
}

impl Extension for Graphs {}

impl Graphs {
    /// The place of the graph of the project in `root`.
    pub fn slot(&self, root: &Path) -> Arc<Slot> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).entry(root.to_owned()).or_default().clone()
    }
}

impl Slot {
    /// The graph as it was last.
    pub fn current(&self) -> Option<Arc<WarmGraph>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn put(&self, graph: Arc<WarmGraph>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(graph);
    }

    /// Runs `make` unless another thread does already.
    pub fn in_turn(&self, make: impl FnOnce()) {
        if let Ok(_turn) = self.making.try_lock() {
            make();
        }
    }
}

/// The part of a state that imports are followed in.
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

/// Whether the content of a file of this name can make no difference to the graph.
pub(super) fn is_indifferent(name: &str) -> bool {
    // The text of a header, or of a file without an ending, tells more than its name.
    language::of_name(name).is_some_and(|named| languages::semantics(named.name).is_none())
}

impl WarmGraph {
    /// The graph of the project that `snapshot` shows, made from `before` as far as that still holds. Where time runs
    /// out, the number of files that were not looked at comes with it.
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

    /// The graph where the files are the same by name.
    fn renewed(self: &Arc<Self>, snapshot: &Snapshot, cancellation: &CancellationToken) -> (Arc<Self>, usize) {
        let suspects: Vec<FileId> = (0..)
            .zip(&self.records)
            .filter(|(file, record)| {
                let same = record.signature.is_some() && snapshot.signature(*file) == record.signature.as_ref();
                !same && !matches!(record.known, Known::Indifferent)
            })
            .map(|(file, _)| file)
            .collect();
        // Also what was read since, for a look-up in this very graph.
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

    /// The graph from the beginning; what is known of files that are as they were is taken over.
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

    /// Follows all imports.
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

    /// The files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Their graph.
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

    /// The files whose imports are not, or not all.
    pub fn gaps(&self) -> impl Iterator<Item = FileId> + '_ {
        let has_gap = |record: &Record| match &record.known {
            Known::Gap(_) => true,
            Known::Code(_, names) => !names.missed.is_empty(),
            Known::Indifferent | Known::NoCode => false,
        };
        (0..).zip(&self.records).filter(move |(_, record)| has_gap(record)).map(|(id, _)| id)
    }

    /// What is known of a file.
    pub fn known(&self, file: FileId) -> &Known {
        self.records.get(file as usize).map_or(&Known::Indifferent, |record| &record.known)
    }

    /// Texts of which those who depend on a file hold at least one.
    pub fn needles(&self, semantics: &'static dyn Semantics, file: FileId) -> Vec<String> {
        let state = State { files: &self.files, records: &self.records };
        needles_of(&self.module_resolvers, semantics, &state, file)
    }

    /// The lines of a file that were not understood, where there are some.
    pub fn missed(&self, file: FileId) -> Option<Arc<[Region]>> {
        let record = self.records.get(file as usize)?;
        let missed = || match &record.known {
            Known::Code(_, names) if !names.missed.is_empty() => {
                let text = SourceFile::read(self.files.entry(file)).ok()?;
                Some(regions(names, &text).into())
            }
            _ => None,
        };
        record.missed.get_or_init(missed).clone()
    }
}

/// What there is to know of a file, `old` being what was known of it.
fn record(snapshot: &Snapshot, file: FileId, old: Option<&Record>) -> Record {
    let entry = snapshot.files().entry(file);
    let missed = OnceLock::new();
    if is_indifferent(entry.name()) {
        return Record { signature: None, known: Known::Indifferent, missed };
    }
    let code = snapshot.code(file).cloned();
    let signature = snapshot.settled(file);
    let known = match (code, old.map(|old| &old.known)) {
        // Touched, and the same text.
        (Ok(code), Some(Known::Code(before, names))) if code == *before => Known::Code(code, names.clone()),
        (Ok(code), _) if languages::semantics(code.language.name).is_none() => Known::NoCode,
        (Ok(code), _) => match snapshot.surface(file) {
            Ok(surface) => Known::Code(code, surface.names.clone()),
            Err(reason) => Known::Gap(reason.clone()),
        },
        (Err(reason), _) if reason.gap().is_none() => Known::NoCode,
        (Err(reason), _) => Known::Gap(reason.clone()),
    };
    Record { signature, known, missed }
}

/// Whether two states of a file leave the graph as it is.
fn links_alike(old: &Known, new: &Known) -> bool {
    match (old, new) {
        (Known::Code(old, a), Known::Code(new, b)) => {
            old.language == new.language && (old.hash == new.hash || same_shape(a, b))
        }
        (Known::Code(..), _) | (_, Known::Code(..)) => false,
        _ => true,
    }
}
