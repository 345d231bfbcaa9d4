//! Adds to the evidence of an answer the files whose imports the cached graph does not know.

use peelback_project::{Evidence, NamesError, SourceFile};
use peelback_syntax::language;

use super::cache::{CachedGraph, FileState};
use super::gaps::{
    IMPORT_IN_UNKNOWN_LANGUAGE, ImportTextFinder, can_depend_on_served_languages, has_import_in_unknown_language,
    missed_regions_note,
};
use crate::languages;
use crate::modules::FileId;
use crate::semantics::LanguageSemantics;

/// Adds a gap to the evidence for each file, among those that `counts` accepts, whose imports are not all known.
pub(super) fn note_files_with_incompletely_known_imports(
    cached: &CachedGraph,
    evidence: &mut Evidence,
    counts: impl Fn(FileId) -> bool,
) {
    for file in cached.files_with_incompletely_known_imports().filter(|file| counts(*file)) {
        let gap = match cached.known_content_state_of_file(file) {
            FileState::UnknownImports(reason) => reason.describe_for_evidence(),
            FileState::Code(code, _) => {
                let semantics = languages::semantics_of_imports_in_language(code.language.name);
                let may_import = |text: &str| semantics.is_none_or(|semantics| semantics.may_text_hold_import(text));
                cached.regions_missed_by_parser(file).and_then(|regions| missed_regions_note(&regions, may_import))
            }
            FileState::IrrelevantByName | FileState::IrrelevantByContent => None,
        };
        gap.into_iter()
            .for_each(|gap| evidence.add_skipped_and_lower_completeness(cached.file_table().path_of_file(file), gap));
    }
}

/// Adds a gap to the evidence for each file that may depend on `to` although none of its known imports does.
pub(super) fn note_possible_dependents_with_unknown_imports(
    cached: &CachedGraph,
    semantics: &'static dyn LanguageSemantics,
    to: FileId,
    evidence: &mut Evidence,
) {
    let files = cached.file_table();
    let gaps: Vec<FileId> = cached
        .files_with_incompletely_known_imports()
        .filter(|file| *file != to && can_depend_on_served_languages(files, semantics, *file))
        .collect();
    let is_unknown = |file: &FileId| {
        language::language_of_file_name(files.entry(*file).name()).is_none()
            && matches!(cached.known_content_state_of_file(*file), FileState::IrrelevantByContent)
    };
    let can_be_unknown = !semantics.extensions_of_unknown_files_with_imports().is_empty();
    let unknown = (0..).take(files.len()).filter(|file| can_be_unknown && is_unknown(file));
    if gaps.is_empty() && !can_be_unknown {
        return;
    }
    let needles = ImportTextFinder::new(&cached.texts_every_dependent_contains_one_of(semantics, to));
    for file in unknown.filter(|file| has_import_in_unknown_language(semantics, files.entry(*file), &needles)) {
        evidence.add_skipped_and_lower_completeness(files.path_of_file(file), IMPORT_IN_UNKNOWN_LANGUAGE);
    }
    for file in gaps {
        let entry = cached.file_table().entry(file);
        let gap = match cached.known_content_state_of_file(file) {
            FileState::UnknownImports(reason @ NamesError::Unread(_)) => {
                reason.describe_for_evidence().filter(|_| language::language_of_file_name(entry.name()).is_some())
            }
            FileState::UnknownImports(reason) => {
                let may_use = SourceFile::read(entry).is_ok_and(|file| needles.has_match_or_seeks_nothing(&file.text));
                reason.describe_for_evidence().filter(|_| may_use || *reason == NamesError::Changed)
            }
            FileState::Code(code, _) if semantics.can_files_be_imported_from_language(code.language.name) => {
                let may_import =
                    |text: &str| needles.has_match_or_seeks_nothing(text) && semantics.may_text_hold_import(text);
                cached.regions_missed_by_parser(file).and_then(|regions| missed_regions_note(&regions, may_import))
            }
            FileState::Code(..) | FileState::IrrelevantByName | FileState::IrrelevantByContent => None,
        };
        gap.into_iter().for_each(|gap| evidence.add_skipped_and_lower_completeness(&entry.path, gap));
    }
}
