//! Finds the files that depend on one file, without the dependency graph.
//!
//! Files whose imports are cached are checked first. Of the other files only those are parsed whose text contains a
//! name of the module, files in near folders first, so that the nearest are found even if time runs out.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use peelback_syntax::{Language, Names, language};
use rayon::prelude::*;

use super::edges::{FileEdges, ImportsFromFile};
use super::gaps::{
    IMPORT_IN_UNKNOWN_LANGUAGE, ImportTextFinder, can_depend_on_served_languages, has_import_in_unknown_language,
    missed_regions_note, regions_missed_by_parser, texts_every_dependent_contains_one_of,
};
use crate::modules::{FileId, FileTable, ProjectIndex};
use crate::semantics::{LanguageSemantics, ModuleResolvers};
use peelback_project::CancellationToken;
use peelback_project::Snapshot;
use peelback_project::{Evidence, Skipped};
use peelback_project::{NamesError, NamesInFile};

/// A project index that takes module interfaces from a snapshot: the names of files without those in function bodies.
pub(super) struct ModuleInterfaces<'a>(pub &'a Snapshot);

impl ProjectIndex for ModuleInterfaces<'_> {
    fn project_file_table(&self) -> &FileTable {
        self.0.file_table()
    }

    fn names_of_file(&self, file: FileId) -> Option<Arc<Names>> {
        self.0.module_interface(file).ok().map(|interface| interface.names.clone())
    }

    fn language_of_project_file(&self, file: FileId) -> Option<&'static Language> {
        self.0.language_of_file(file)
    }
}

/// A file that depends on the queried file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dependent {
    pub file: FileId,
    /// What the dependent file imports from the queried file.
    pub imports: ImportsFromFile,
}

/// The files that depend on the queried file, as far as they were found.
pub(super) struct FoundDependents {
    /// The dependents in the order of paths.
    pub dependents: Vec<Dependent>,
    /// Whether the search was stopped before it looked at all files.
    pub is_unfinished: bool,
}

/// Finds the files that depend on `to`.
pub(super) fn find_dependents(
    snapshot: &Snapshot,
    module_resolvers: &ModuleResolvers,
    semantics: &'static dyn LanguageSemantics,
    to: FileId,
    cancellation: &CancellationToken,
    evidence: &mut Evidence,
) -> FoundDependents {
    let project_index = ModuleInterfaces(snapshot);
    let files = snapshot.file_table();
    let target = files.path_of_file(to);
    let needles =
        ImportTextFinder::new(&texts_every_dependent_contains_one_of(module_resolvers, semantics, &project_index, to));
    let concerned = |file: &FileId| *file != to && can_depend_on_served_languages(files, semantics, *file);
    let candidates: Vec<FileId> = (0..).take(files.len()).filter(concerned).collect();
    let uses = |file: FileId, interface: &NamesInFile| {
        if !semantics.can_files_be_imported_from_language(interface.language.name) {
            return None;
        }
        let edges =
            FileEdges::resolve_imports(module_resolvers, &project_index, file, interface.language, &interface.names);
        let is_dependent = edges.dependency_files().contains(&to);
        is_dependent.then(|| Dependent { file, imports: edges.imports_from_file(&interface.names, to) })
    };
    let gaps: Mutex<Vec<Skipped>> = Mutex::default();
    let gap = |file: FileId, reason: String| {
        let skipped = Skipped { path: files.path_of_file(file).to_owned(), reason };
        gaps.lock().unwrap_or_else(PoisonError::into_inner).push(skipped);
    };
    let missed = |file: FileId, interface: &NamesInFile| {
        if interface.names.missed.is_empty() || !semantics.can_files_be_imported_from_language(interface.language.name)
        {
            return;
        }
        let Ok(text) = snapshot.read_current_file(file) else { return };
        if let Some(reason) = missed_regions_note(&regions_missed_by_parser(&interface.names, &text), |text| {
            needles.has_match_or_seeks_nothing(text) && semantics.may_text_hold_import(text)
        }) {
            gap(file, reason);
        }
    };
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let asked: Vec<Option<Option<Dependent>>> = candidates
        .par_iter()
        .map(|file| {
            if cancellation.stop_cause().is_some() {
                return None;
            }
            let interface = snapshot.module_interface_without_reading(*file)?.ok()?;
            missed(*file, interface);
            Some(uses(*file, interface))
        })
        .collect();
    for (file, asked) in candidates.iter().zip(asked) {
        match asked {
            Some(user) => known.extend(user),
            None => unknown.push(*file),
        }
    }
    unknown.sort_by_key(|file| Reverse(shared_leading_folder_count(files.path_of_file(*file), target)));
    cancellation.add_expected_files(unknown.len());
    let look = |file: FileId| {
        if language::language_of_file_name(files.entry(file).name()).is_none()
            && snapshot.code_file_identity(file).is_err()
        {
            if has_import_in_unknown_language(semantics, files.entry(file), &needles) {
                gap(file, IMPORT_IN_UNKNOWN_LANGUAGE.to_owned());
            }
            return None;
        }
        let text = match snapshot.read_current_file(file) {
            Ok(text) => text,
            Err(error) => {
                NamesError::Unread(error).describe_for_evidence().into_iter().for_each(|reason| gap(file, reason));
                return None;
            }
        };
        if !needles.has_match_or_seeks_nothing(&text.text) {
            return None;
        }
        match snapshot.module_interface_given_text(file, &text) {
            Ok(interface) => {
                missed(file, interface);
                uses(file, interface)
            }
            Err(reason) => {
                reason.describe_for_evidence().into_iter().for_each(|reason| gap(file, reason));
                None
            }
        }
    };
    // Threads take the files in this order, those in near folders first, so that the nearest were read if time runs
    // out.
    let (next, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Mutex<Vec<Dependent>> = Mutex::new(known);
    rayon::broadcast(|_| {
        while let Some(file) = unknown.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !cancellation.count_processed_file_unless_stopped() {
                left.fetch_add(1, Ordering::Relaxed);
            } else if let Some(user) = look(*file) {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(user);
            }
        }
    });
    let (mut known, left) = (found.into_inner().unwrap_or_else(PoisonError::into_inner), left.into_inner());
    known.sort_unstable_by_key(|user| user.file);
    cancellation.note_unprocessed_files_in_evidence(left, candidates.len(), evidence);
    let mut gaps = gaps.into_inner().unwrap_or_else(PoisonError::into_inner);
    gaps.sort();
    gaps.into_iter().for_each(|gap| evidence.add_skipped_and_lower_completeness(&gap.path, gap.reason));
    FoundDependents { dependents: known, is_unfinished: left > 0 }
}

/// The number of leading folders that the paths of two files share.
fn shared_leading_folder_count(a: &str, b: &str) -> usize {
    let folders = |path: &'_ str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (a, b) = (folders(a), folders(b));
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}
