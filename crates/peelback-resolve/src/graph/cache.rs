//! The dependency graph of a project, cached while the process lives.
//!
//! Each call validates the cached graph: it walks the project, and compares the signatures of files with those that the
//! graph was built from. Files that may have changed are read again. If their imports did not change, the graph is
//! reused; else all imports are resolved again, which reads no file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use peelback_syntax::{Language, Names, language};
use rayon::prelude::*;

use super::dependency_graph::DependencyGraph;
use super::edges::FileEdges;
use super::gaps::{
    MissedRegion, is_file_name_irrelevant_to_graph, regions_missed_by_parser, texts_every_dependent_contains_one_of,
};
use crate::languages;
use crate::modules::{ConsultedTexts, FileId, FileTable, ProjectIndex};
use crate::semantics::{LanguageSemantics, ModuleResolvers};
use peelback_project::CancellationToken;
use peelback_project::SourceFile;
use peelback_project::{AttachedValue, Snapshot};
use peelback_project::{CodeIdentity, FileSignature, NamesError, are_module_interfaces_equal_except_lines};

/// What the dependency graph knows of the content of one file.
#[derive(Debug, Clone)]
pub(crate) enum FileState {
    /// The file's name shows that its content does not matter to the graph.
    IrrelevantByName,
    /// The file's content shows that it does not matter to the graph.
    IrrelevantByContent,
    /// The file is code in a language whose imports are resolved: the properties of its text, and the names in it.
    Code(CodeIdentity, Arc<Names>),
    /// The file is code whose imports are not known, for this reason.
    UnknownImports(NamesError),
}

/// The signature and the state of one file, from which the cached graph was built.
#[derive(Debug, Clone)]
struct FileRecord {
    /// The file's signature; `None` if only reading the file shows whether it changed.
    signature: Option<FileSignature>,
    state: FileState,
    /// The lines of the file that the parser did not understand, found on first use; `None` if it understood all.
    missed_regions: OnceLock<Option<Arc<[MissedRegion]>>>,
}

impl FileRecord {
    /// The record of a file that was not read before the call was stopped.
    fn new_unread() -> Self {
        Self { signature: None, state: FileState::UnknownImports(NamesError::Changed), missed_regions: OnceLock::new() }
    }
}

/// A dependency graph with the state of the project that it was built from, which shows whether the graph is still
/// valid.
pub(crate) struct CachedGraph {
    files: Arc<FileTable>,
    records: Vec<FileRecord>,
    consulted: ConsultedTexts,
    module_resolvers: Arc<ModuleResolvers>,
    graph: Arc<DependencyGraph>,
}

/// The cached dependency graphs of all projects that the process works on, by the root folder of the project.
#[derive(Default)]
pub(crate) struct GraphCache {
    slots: Mutex<HashMap<PathBuf, Arc<GraphSlot>>>,
}

/// The cache entry for the dependency graph of one project.
#[derive(Default)]
pub(crate) struct GraphSlot {
    current: Mutex<Option<Arc<CachedGraph>>>,
    /// The lock of the thread that builds the project's first graph in the background, so that no other thread builds
    /// it too.
    build_lock: Mutex<()>,
}

impl AttachedValue for GraphCache {}

impl GraphCache {
    /// The cache entry for the dependency graph of the project at `root`.
    pub fn slot_for_root(&self, root: &Path) -> Arc<GraphSlot> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).entry(root.to_owned()).or_default().clone()
    }
}

impl GraphSlot {
    /// The latest dependency graph of the project; `None` if none was built yet.
    pub fn latest_graph(&self) -> Option<Arc<CachedGraph>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_latest_graph(&self, graph: Arc<CachedGraph>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(graph);
    }

    /// Runs `make`, which builds the project's graph, unless another thread is running it.
    pub fn run_build_unless_running(&self, make: impl FnOnce()) {
        if let Ok(_turn) = self.build_lock.try_lock() {
            make();
        }
    }
}

/// The project index in which the imports of the graph are resolved: the table of files, and the names in their
/// records.
struct RecordedFiles<'a> {
    files: &'a FileTable,
    records: &'a [FileRecord],
}

impl ProjectIndex for RecordedFiles<'_> {
    fn project_file_table(&self) -> &FileTable {
        self.files
    }

    fn names_of_file(&self, file: FileId) -> Option<Arc<Names>> {
        match &self.records.get(file as usize)?.state {
            FileState::Code(_, names) => Some(names.clone()),
            FileState::IrrelevantByName | FileState::IrrelevantByContent | FileState::UnknownImports(_) => None,
        }
    }

    fn language_of_project_file(&self, file: FileId) -> Option<&'static Language> {
        match &self.records.get(file as usize)?.state {
            FileState::Code(code, _) => Some(code.language),
            _ => language::language_of_file_name(self.files.entry(file).name()),
        }
    }
}

impl CachedGraph {
    /// The graph of the project that `snapshot` shows, reusing the cached graph `before` as far as it is still valid.
    /// Also returns the number of files that were not read because time ran out.
    pub fn update_or_build_with_unread_count(
        snapshot: &Snapshot,
        before: Option<&Arc<Self>>,
        cancellation: &CancellationToken,
    ) -> (Arc<Self>, usize) {
        let same_files = before.filter(|before| {
            let (old, new) = (before.files.entries(), snapshot.file_table().entries());
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.path == new.path)
        });
        match same_files {
            Some(before) => before.update_for_changed_files(snapshot, cancellation),
            None => Self::rebuild_reusing_unchanged_records(snapshot, before, cancellation),
        }
    }

    /// Updates the graph after the contents of files changed, if the list of files is the same as before.
    fn update_for_changed_files(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        cancellation: &CancellationToken,
    ) -> (Arc<Self>, usize) {
        let suspects: Vec<FileId> = (0..)
            .zip(&self.records)
            .filter(|(file, record)| {
                let same = record.signature.is_some() && snapshot.file_signature(*file) == record.signature.as_ref();
                !same && !matches!(record.state, FileState::IrrelevantByName)
            })
            .map(|(file, _)| file)
            .collect();
        // The consulted texts include those that look-ups in the reused graph have read since it was built.
        let mut consulted = self.files.consulted_texts();
        consulted.extend(self.consulted.iter().map(|(path, text)| (path.clone(), *text)));
        let same_texts =
            self.files.are_recorded_texts_unchanged(&mut consulted, |file| snapshot.file_signature(file).copied());
        if suspects.is_empty() && same_texts {
            return (self.clone(), 0);
        }
        cancellation.add_expected_files(suspects.len());
        let looked: Vec<Option<FileRecord>> = suspects
            .par_iter()
            .map(|file| {
                cancellation
                    .count_processed_file_unless_stopped()
                    .then(|| build_file_record(snapshot, *file, self.records.get(*file as usize)))
            })
            .collect();
        let left = looked.iter().filter(|record| record.is_none()).count();
        let mut records = self.records.clone();
        let mut same_shapes = true;
        for (file, fresh) in suspects.iter().zip(looked) {
            let fresh = fresh.unwrap_or_else(FileRecord::new_unread);
            if let Some(old) = records.get_mut(*file as usize) {
                same_shapes &= has_same_imports(&old.state, &fresh.state);
                *old = fresh;
            }
        }
        if same_shapes && same_texts {
            let (files, module_resolvers, graph) =
                (self.files.clone(), self.module_resolvers.clone(), self.graph.clone());
            return (Arc::new(Self { files, records, consulted, module_resolvers, graph }), left);
        }
        (Arc::new(Self::from_records(self.files.copy_without_record_of_reads(), records)), left)
    }

    /// Builds the graph anew. The records of files that did not change are taken from the graph `before`.
    fn rebuild_reusing_unchanged_records(
        snapshot: &Snapshot,
        before: Option<&Arc<Self>>,
        cancellation: &CancellationToken,
    ) -> (Arc<Self>, usize) {
        let files = snapshot.file_table();
        let ids: Vec<FileId> = (0..).take(files.len()).collect();
        cancellation.add_expected_files(ids.len());
        let looked: Vec<Option<FileRecord>> = ids
            .into_par_iter()
            .map(|file| {
                let old = before.and_then(|before| before.record_of_file_at_path(files.path_of_file(file)));
                let unchanged = old
                    .filter(|old| old.signature.is_some() && snapshot.file_signature(file) == old.signature.as_ref());
                match unchanged {
                    Some(old) => Some(old.clone()),
                    None => cancellation
                        .count_processed_file_unless_stopped()
                        .then(|| build_file_record(snapshot, file, old)),
                }
            })
            .collect();
        let left = looked.iter().filter(|record| record.is_none()).count();
        let records = looked.into_iter().map(|record| record.unwrap_or_else(FileRecord::new_unread)).collect();
        (Arc::new(Self::from_records(files.copy_without_record_of_reads(), records)), left)
    }

    /// Builds the graph of `files` by resolving all imports in their records.
    fn from_records(files: FileTable, records: Vec<FileRecord>) -> Self {
        let state = RecordedFiles { files: &files, records: &records };
        let module_resolvers = languages::new_module_resolvers();
        let edges = |record: &FileRecord, file| match &record.state {
            FileState::Code(code, names) => {
                FileEdges::resolve_imports(&module_resolvers, &state, file, code.language, names)
            }
            FileState::IrrelevantByName | FileState::IrrelevantByContent | FileState::UnknownImports(_) => {
                FileEdges::default()
            }
        };
        let ids: Vec<FileId> = (0..).take(records.len()).collect();
        let edges = records.par_iter().zip(ids).map(|(record, file)| edges(record, file)).collect();
        let graph = Arc::new(DependencyGraph::new(edges));
        let consulted = files.consulted_texts();
        Self { files: Arc::new(files), records, consulted, module_resolvers: Arc::new(module_resolvers), graph }
    }

    fn record_of_file_at_path(&self, path: &str) -> Option<&FileRecord> {
        self.records.get(self.files.id_of_path(path)? as usize)
    }

    /// The files that were read to locate modules when the graph was built.
    pub fn consulted_texts(&self) -> &ConsultedTexts {
        &self.consulted
    }

    pub fn file_table(&self) -> &FileTable {
        &self.files
    }

    pub fn dependency_graph(&self) -> &DependencyGraph {
        &self.graph
    }

    /// The files of the graph whose imports are known.
    pub fn files_with_known_imports(&self) -> Vec<FileId> {
        (0..)
            .zip(&self.records)
            .filter(|(_, record)| matches!(record.state, FileState::Code(..)))
            .map(|(id, _)| id)
            .collect()
    }

    /// The files of the graph whose imports are not, or not all, known.
    pub fn files_with_incompletely_known_imports(&self) -> impl Iterator<Item = FileId> + '_ {
        let has_gap = |record: &FileRecord| match &record.state {
            FileState::UnknownImports(_) => true,
            FileState::Code(_, names) => !names.missed.is_empty(),
            FileState::IrrelevantByName | FileState::IrrelevantByContent => false,
        };
        (0..).zip(&self.records).filter(move |(_, record)| has_gap(record)).map(|(id, _)| id)
    }

    /// What the graph knows of the content of a file.
    pub fn known_content_state_of_file(&self, file: FileId) -> &FileState {
        self.records.get(file as usize).map_or(&FileState::IrrelevantByName, |record| &record.state)
    }

    /// Texts of which each file that depends on `file` contains at least one.
    pub fn texts_every_dependent_contains_one_of(
        &self,
        semantics: &'static dyn LanguageSemantics,
        file: FileId,
    ) -> Vec<String> {
        let state = RecordedFiles { files: &self.files, records: &self.records };
        texts_every_dependent_contains_one_of(&self.module_resolvers, semantics, &state, file)
    }

    /// The lines of a file that the parser did not understand, with their text; `None` if it understood
    /// all, or if no names of the file are known.
    pub fn regions_missed_by_parser(&self, file: FileId) -> Option<Arc<[MissedRegion]>> {
        let record = self.records.get(file as usize)?;
        let missed = || match &record.state {
            FileState::Code(_, names) if !names.missed.is_empty() => {
                let text = SourceFile::read(self.files.entry(file)).ok()?;
                Some(regions_missed_by_parser(names, &text).into())
            }
            _ => None,
        };
        record.missed_regions.get_or_init(missed).clone()
    }
}

/// Reads a file for the graph, reusing the names in its `old` record if the text is unchanged.
fn build_file_record(snapshot: &Snapshot, file: FileId, old: Option<&FileRecord>) -> FileRecord {
    let entry = snapshot.file_table().entry(file);
    let missed = OnceLock::new();
    if is_file_name_irrelevant_to_graph(entry.name()) {
        return FileRecord { signature: None, state: FileState::IrrelevantByName, missed_regions: missed };
    }
    let code = snapshot.code_file_identity(file).cloned();
    let signature = snapshot.signature_of_taken_content(file);
    let known = match (code, old.map(|old| &old.state)) {
        // The file was touched, but its text is unchanged.
        (Ok(code), Some(FileState::Code(before, names))) if code == *before => FileState::Code(code, names.clone()),
        (Ok(code), _) if languages::semantics_of_imports_in_language(code.language.name).is_none() => {
            FileState::IrrelevantByContent
        }
        (Ok(code), _) => match snapshot.module_interface(file) {
            Ok(interface) => FileState::Code(code, interface.names.clone()),
            Err(reason) => FileState::UnknownImports(reason.clone()),
        },
        (Err(reason), _) if reason.describe_for_evidence().is_none() => FileState::IrrelevantByContent,
        (Err(reason), _) => FileState::UnknownImports(reason.clone()),
    };
    FileRecord { signature, state: known, missed_regions: missed }
}

/// Whether two states of a file have the same imports, so that the graph is unchanged.
fn has_same_imports(old: &FileState, new: &FileState) -> bool {
    match (old, new) {
        (FileState::Code(old, a), FileState::Code(new, b)) => {
            old.language == new.language && (old.hash == new.hash || are_module_interfaces_equal_except_lines(a, b))
        }
        (FileState::Code(..), _) | (_, FileState::Code(..)) => false,
        _ => true,
    }
}
