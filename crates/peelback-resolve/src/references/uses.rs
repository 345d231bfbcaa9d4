//! Finds the references to search targets, file by file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use peelback_project::{Completeness, Evidence};
use peelback_syntax::names::FILE_SCOPE;
use rayon::prelude::*;

use super::aliases::Aliases;
use super::classifier::{ClassifiedUse, FileReferences, ReferenceClassifier};
use super::enclosing::definition_around_scope;
use super::linkage;
use super::reference::{Confidence, Reference};
use super::scan::{ReferenceWordScan, SearchWords};
use super::search::{ReferenceSearch, join_first_few_items};
use super::target::SearchTarget;
use crate::modules::FileId;

impl ReferenceSearch<'_> {
    /// All references to the search targets, certain or not, by the file that contains them, and the scan that found the
    /// files.
    pub(super) fn find_references(
        &self,
        targets: &mut [SearchTarget],
        evidence: &mut Evidence,
    ) -> (BTreeMap<FileId, FileReferences>, ReferenceWordScan) {
        let mut words: SearchWords = targets.iter().map(|target| target.name.clone()).collect();
        for target in targets.iter() {
            words.extend(target.semantics_or_default().further_search_words(self.resolver, target.def, &target.name));
            words.extend(self.further_names_of_target_member(target).into_iter().map(str::to_owned));
        }
        let mut scan = ReferenceWordScan::default();
        let mut aliases = Aliases::default();
        let mut fresh = words.clone();
        while !fresh.is_empty() {
            scan.scan_files_for_words(self, &fresh, targets, evidence);
            linkage::add_linked_definitions_to_targets(self.resolver, targets, &scan);
            fresh = aliases.find_new_target_names(self, targets, &scan, &words);
            words.extend(fresh.iter().cloned());
        }
        let classifier = ReferenceClassifier::new(self, targets, &words, &aliases, &scan);
        let files: Vec<FileId> = scan.files_with_hits().collect();
        let cancellation = self.analyzer.project().cancellation();
        let left = AtomicUsize::new(0);
        let count = files.len();
        let judge = |file: FileId| {
            if self.resolver.call_end.must_stop_now() {
                left.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            Some((file, classifier.classify_references_in_file(file)?))
        };
        let found_references: BTreeMap<FileId, FileReferences> = files.into_par_iter().filter_map(judge).collect();
        cancellation.note_unprocessed_files_in_evidence(left.into_inner(), count, evidence);
        let mut basic = false;
        for file in scan.files_with_hits() {
            if let Ok(names) = self.snapshot.names_in_file(file) {
                basic |= names.names.basic;
                let lost = classifier.note_about_missed_line(file, found_references.get(&file));
                if let Some(lines) = lost {
                    evidence.add_skipped_and_lower_completeness(self.snapshot.file_table().path_of_file(file), lines);
                }
            }
        }
        if basic {
            evidence.mark_analysis_as_partly_basic();
        }
        self.note_unresolved_targets(targets, evidence);
        (found_references, scan)
    }

    /// Says in the evidence which targets are matched by their names alone: those of a language whose names are not resolved
    /// by the language, others by themselves.
    fn note_unresolved_targets(&self, targets: &[SearchTarget], evidence: &mut Evidence) {
        let unknown = targets.iter().filter(|target| target.def.is_none());
        let (named, others): (Vec<&SearchTarget>, Vec<&SearchTarget>) =
            unknown.partition(|target| target.semantics.is_some() || target.language.is_empty());
        let languages: BTreeSet<&str> = others.iter().map(|target| target.language).collect();
        let languages: Vec<String> = languages.into_iter().map(str::to_owned).collect();
        let named: Vec<String> = named.into_iter().map(|target| self.describe_target(target)).collect();
        for (what, items) in
            [("names are matched, not resolved, in", languages), ("matched by name, not resolved:", named)]
        {
            if !items.is_empty() {
                let note = format!("{what} {}", join_first_few_items(&items));
                if !evidence.notes.contains(&note) {
                    evidence.add_note(note);
                }
                evidence.lower_completeness_to(Completeness::LowerBound);
            }
        }
    }

    /// Says in the evidence which uses of the targets are written without their names.
    pub(super) fn note_uses_without_name(&self, targets: &[SearchTarget], evidence: &mut Evidence) {
        let notes: BTreeSet<&str> =
            targets.iter().filter_map(|target| target.semantics_or_default().uses_without_name(&target.name)).collect();
        for note in notes {
            evidence.add_note(note.to_owned());
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
    }

    /// The classified references of one file as results of the search.
    pub(super) fn references_from_classified_uses(
        &self,
        file: FileId,
        found_references: FileReferences,
    ) -> Vec<Reference> {
        let path = self.snapshot.file_table().path_of_file(file);
        let Some(index) = self.resolver.names_index(file) else { return Vec::new() };
        let mut entries: Vec<u32> = found_references.uses.iter().map(|found| found.at).collect();
        entries.extend(found_references.in_text.iter().map(|(at, _)| *at));
        entries.sort_unstable();
        entries.dedup();
        let scopes = index.names().innermost_scopes_at_sorted_offsets(&entries);
        let scope_of = |at: u32| entries.binary_search(&at).ok().and_then(|index| scopes.get(index).copied());
        let semantics = self.resolver.semantics_of_file_language_or_default(file);
        let are_function_exprs_definitions = semantics.are_function_exprs_definitions();
        let row = |at: u32, line: u32, role, confidence, symbol| {
            let scope = scope_of(at).unwrap_or(FILE_SCOPE);
            let enclosing = definition_around_scope(index, scope, are_function_exprs_definitions);
            Reference {
                path: path.to_owned(),
                line,
                at,
                column: 0,
                byte_column: 0,
                context: String::new(),
                role,
                enclosing: enclosing.qualified_name,
                enclosing_at: enclosing.at,
                confidence,
                is_plausible: confidence != Confidence::Name,
                is_conditional: false,
                symbol,
                depth: 1,
                other: None,
            }
        };
        let uses = found_references.uses.iter();
        let in_text = found_references.in_text.iter();
        let used = |found: &ClassifiedUse| row(found.at, found.line, Some(found.role), found.confidence, found.target);
        uses.map(|found| Reference {
            is_plausible: found.is_plausible,
            is_conditional: found.is_conditional,
            ..used(found)
        })
        .chain(in_text.map(|(at, line)| row(*at, *line, None, Confidence::Name, 0)))
        .collect()
    }
}
