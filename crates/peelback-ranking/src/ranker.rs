//! `Ranker`: ranks files and passages for a question.

use std::collections::HashSet;
use std::io::Read as _;
use std::sync::Arc;

use rayon::prelude::*;

use peelback_syntax::{Language, language};

use crate::file_to_rank::{FileToRank, MAX_CONTENT_BYTES, MAX_PARSED_FILES};
use crate::meaning::Embedder;
use crate::passages::{has_command_line_flag, share_of_message_in_text};
use crate::path_features::PathFeatures;
use crate::query::RankQuery;
use crate::question::Question;
use crate::ranked::{RankedFile, RankedFiles, RankedPassages};
use crate::score;
use crate::score::{ScoredFile, Scorer};
use crate::vector_cache::{SnapshotTermVectors, load_or_count_words_of_file};
use crate::words::count_as_f32;
use peelback_project::CancellationToken;
use peelback_project::CodeError;
use peelback_project::Evidence;
use peelback_project::FileId;
use peelback_project::Snapshot;
use peelback_project::SourceFile;
use peelback_project::WalkOptions;
use peelback_project::process_items_in_parallel_largest_first;
use peelback_project::{Project, ProjectEntry, ProjectReader};
use peelback_resolve::looks_like_test_path;

/// The minimum number of bytes per token in nearly all source text, by which the token count of large files is
/// estimated from their size.
const BYTES_PER_TOKEN: u64 = 3;

/// The files that a query selects for ranking.
struct SelectedFiles {
    /// The project's current snapshot, with the ids of the files to rank.
    snapshot: Option<(Arc<Snapshot>, Vec<FileId>)>,
    /// Files outside the snapshot that the project's directory walk skips, but that the scope of the query names.
    files_outside_snapshot: Vec<(ProjectEntry, PathFeatures)>,
}

/// Ranks the files of the project that one [`ProjectReader`] reads, and the passages in these files.
pub struct Ranker<'a> {
    reader: &'a ProjectReader,
    embedder: Option<&'a dyn Embedder>,
}

impl<'r> Ranker<'r> {
    /// Creates a ranker for the files that `reader` reads. With an `embedder`, an embedding model, passages are also
    /// ordered by meaning.
    pub fn new(reader: &'r ProjectReader, embedder: Option<&'r dyn Embedder>) -> Self {
        Self { reader, embedder }
    }

    pub(crate) fn reader(&self) -> &'r ProjectReader {
        self.reader
    }

    pub(crate) fn embedder(&self) -> Option<&'r dyn Embedder> {
        self.embedder
    }

    pub(crate) fn project(&self) -> &'r Project {
        self.reader.project()
    }

    /// Ranks files by relevance to a question.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::files_in_scope`].
    pub fn rank_files(&self, query: &RankQuery) -> Result<RankedFiles, CodeError> {
        let mut evidence = Evidence::new_complete("text");
        let ground = self.select_files_for_query(query, &mut evidence)?;
        let subjects = self.build_files_to_rank(&ground, &query.question, &mut evidence);
        let scorer = Scorer::new(query, &subjects);
        let files = rerank_files_by_messages_and_flags(
            &scorer,
            self.project().cancellation(),
            scorer.score_and_sort_matching_files(&subjects),
        );
        query.question.note_ignored_parts_in_evidence(&mut evidence);
        evidence.skipped.sort();
        evidence.skipped.dedup();
        let is_shown = |index: usize| query.page.contains(&index);
        let price = |file: &ScoredFile<'_>| {
            let estimate = query.token_counter?;
            let priced = || Some(estimate(&SourceFile::read(file.subject.entry).ok()?.text));
            // The token count is computed only while the call has time left, and large files are not read only to count
            // tokens.
            self.project().cancellation().stop_cause().is_none().then(|| match &file.subject.vector {
                Some(vector) => *vector.token_cost.get_or_init(priced),
                None => estimate_tokens_from_file_size(file.subject.entry),
            })?
        };
        let ranked = |(index, file): (usize, &ScoredFile<'_>)| RankedFile {
            path: file.subject.entry.path.clone(),
            score: file.score,
            kind: file.subject.path_features.kind,
            signals: file.signals,
            reasons: if is_shown(index) { scorer.reasons_for_rank(file) } else { Vec::new() },
            tokens: is_shown(index).then(|| price(file)).flatten(),
        };
        Ok(RankedFiles { files: files.par_iter().enumerate().map(ranked).collect(), evidence })
    }

    /// Ranks the functions, class headers and sections of the best files by relevance to a question.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::files_in_scope`].
    pub fn rank_passages(&self, query: &RankQuery) -> Result<RankedPassages, CodeError> {
        let mut evidence = Evidence::new_complete("text, syntax");
        let ground = self.select_files_for_query(query, &mut evidence)?;
        let subjects = self.build_files_to_rank(&ground, &query.question, &mut evidence);
        let scorer = Scorer::new(query, &subjects);
        let files = rerank_files_by_messages_and_flags(
            &scorer,
            self.project().cancellation(),
            scorer.score_and_sort_matching_files(&subjects),
        );
        query.question.note_ignored_parts_in_evidence(&mut evidence);
        let mut ranked = self.rank_passages_in_best_files(&scorer, &files, &query.page, evidence);
        ranked.evidence.skipped.sort();
        ranked.evidence.skipped.dedup();
        Ok(ranked)
    }

    /// Selects the files that a query covers, by its scope, language and test filter.
    fn select_files_for_query(&self, query: &RankQuery, evidence: &mut Evidence) -> Result<SelectedFiles, CodeError> {
        let fits = |entry: &ProjectEntry| {
            query.language.is_none_or(|wanted| {
                // A file without an extension may be a script whose first line (`#!`) names its language.
                let own = language::language_of_file_name(entry.name())
                    .or_else(|| extensionless_file_language_by_first_line(entry));
                own.is_some_and(|own| own.name == wanted.name)
            }) && query.tests.is_none_or(|tests| looks_like_test_path(&entry.path) == tests)
        };
        let with_about = |entry: ProjectEntry| {
            let path_features = PathFeatures::from_path(&entry.path);
            (entry, path_features)
        };
        if query.walk != WalkOptions::default() {
            let set = self.project().files_in_scopes(&query.scope, &query.walk)?;
            for skipped in set.skipped {
                evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
            }
            return Ok(SelectedFiles {
                snapshot: None,
                files_outside_snapshot: set.entries.into_iter().filter(fits).map(with_about).collect(),
            });
        }
        let snapshot = self.reader.shared_or_new_snapshot()?;
        for skipped in snapshot.skipped_entries() {
            evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason.clone());
        }
        let (scope, others) = if query.scope.is_empty() {
            (None, Vec::new())
        } else {
            let set = self.project().files_in_scopes(&query.scope, &query.walk)?;
            // An ignored folder is searched if the scope names the folder explicitly.
            let is_new = |entry: &&ProjectEntry| snapshot.file_table().id_of_path(&entry.path).is_none() && fits(entry);
            let others: Vec<ProjectEntry> = set.entries.iter().filter(is_new).cloned().collect();
            (Some(set.entries.into_iter().map(|entry| entry.path).collect::<HashSet<String>>()), others)
        };
        let is_all = scope.is_none() && query.language.is_none() && query.tests.is_none();
        let wanted = |entry: &ProjectEntry| {
            is_all || (scope.as_ref().is_none_or(|scope| scope.contains(&entry.path)) && fits(entry))
        };
        let known = (0..).zip(snapshot.file_table().entries()).filter(|(_, entry)| wanted(entry));
        let known: Vec<FileId> = known.map(|(id, _)| id).collect();
        Ok(SelectedFiles {
            snapshot: Some((snapshot, known)),
            files_outside_snapshot: others.into_iter().map(with_about).collect(),
        })
    }

    /// Creates a [`FileToRank`] for each selected file, with its path features and word counts.
    fn build_files_to_rank<'a>(
        &self,
        ground: &'a SelectedFiles,
        question: &Question,
        evidence: &mut Evidence,
    ) -> Vec<FileToRank<'a>> {
        let asked = Arc::new(question.terms_to_count_in_files());
        let facts = self.reader.store().store_for_project(self.project().root(), self.project().cancellation());
        let (snapshot, known) = match &ground.snapshot {
            Some((snapshot, known)) => (Some(snapshot), known.as_slice()),
            None => (None, &[][..]),
        };
        let mut subjects: Vec<FileToRank<'a>> = Vec::with_capacity(known.len() + ground.files_outside_snapshot.len());
        if let Some(snapshot) = snapshot {
            let (entries, features) = (snapshot.file_table().entries(), PathFeatures::for_snapshot_files(snapshot));
            let vectors = SnapshotTermVectors::for_snapshot(snapshot);
            let each =
                known.iter().filter_map(|id| Some((entries.get(*id as usize)?, features.get(*id as usize)?, *id)));
            subjects.extend(each.map(|(entry, path_features, id)| FileToRank {
                entry,
                path_features,
                vector: vectors.cached_word_counts(id),
            }));
        }
        subjects.extend(ground.files_outside_snapshot.iter().map(|(entry, path_features)| FileToRank {
            entry,
            path_features,
            vector: None,
        }));
        let missing: Vec<usize> =
            (0..).zip(&subjects).filter(|(_, subject)| subject.vector.is_none()).map(|(index, _)| index).collect();
        let signature = |index: usize| snapshot?.file_signature(*known.get(index)?);
        let size = |index: &usize| match (signature(*index), subjects.get(*index)) {
            (Some(signature), _) => signature.size,
            (None, Some(subject)) => subject.entry.file_metadata().map_or(0, |metadata| metadata.len()),
            (None, None) => 0,
        };
        let sizes: Vec<u64> = missing.iter().map(size).collect();
        let cancellation = self.project().cancellation();
        let (read, left) = process_items_in_parallel_largest_first(&sizes, cancellation, |at| {
            let index = *missing.get(at)?;
            if sizes.get(at).is_some_and(|size| *size > MAX_CONTENT_BYTES) {
                return Some((index, Err("over 1 MB: ranked by its path alone".to_owned())));
            }
            let made = match (snapshot, known.get(index)) {
                (Some(snapshot), Some(id)) => {
                    SnapshotTermVectors::for_snapshot(snapshot).word_counts_of_file(snapshot, *id, &asked)
                }
                _ => load_or_count_words_of_file(&facts, subjects.get(index)?.entry, None, &asked)
                    .map(|(vector, _)| vector),
            };
            Some((index, made.map_err(|error| error.to_string())))
        });
        cancellation.note_unprocessed_files_in_evidence(left, subjects.len(), evidence);
        for (index, result) in read {
            let Some(subject) = subjects.get_mut(index) else { continue };
            match result {
                Ok(vector) => subject.vector = Some(vector),
                Err(reason) => evidence.add_skipped_and_lower_completeness(&subject.entry.path, reason),
            }
        }
        subjects
    }
}

/// The language of a file without an extension, detected from its first line; `None` if the first line names none.
fn extensionless_file_language_by_first_line(entry: &ProjectEntry) -> Option<&'static Language> {
    if entry.name().trim_start_matches('.').contains('.') {
        return None;
    }
    let mut head = [0; 128];
    let read = entry.open().ok()?.0.read(&mut head).ok()?;
    language::language_of_file_name_and_text(entry.name(), &String::from_utf8_lossy(head.get(..read)?))
}

/// The estimated token count of an unread file, from its size.
fn estimate_tokens_from_file_size(entry: &ProjectEntry) -> Option<usize> {
    let bytes = entry.file_metadata().ok()?.len();
    usize::try_from(bytes / BYTES_PER_TOKEN).ok()
}

/// Reranks the best files by how much of the quoted messages and flags of the question their text contains.
fn rerank_files_by_messages_and_flags<'a>(
    scorer: &Scorer<'_>,
    cancellation: &CancellationToken,
    mut files: Vec<ScoredFile<'a>>,
) -> Vec<ScoredFile<'a>> {
    let Question { quoted_messages: quoted, flags, .. } = scorer.question;
    if quoted.is_empty() && flags.is_empty() {
        return files;
    }
    let most = files.len().min(MAX_PARSED_FILES);
    let best = files.get_mut(..most).unwrap_or(&mut []);
    let holds = |file: &ScoredFile<'_>| {
        // A call past its deadline needs no further results.
        if cancellation.stop_cause().is_some() {
            return None;
        }
        // A file without word counts is too large to search or cannot be read.
        file.subject.vector.as_ref()?;
        let text = SourceFile::read(file.subject.entry).ok()?;
        let message = quoted.iter().map(|message| share_of_message_in_text(&text.text, message)).fold(0.0, f32::max);
        let flags: Vec<bool> = flags.iter().map(|flag| has_command_line_flag(&text.text, flag)).collect();
        Some((message, flags))
    };
    let held: Vec<(f32, Vec<bool>)> = best.par_iter().map(|file| holds(file).unwrap_or_default()).collect();
    let most = held.iter().map(|(message, _)| *message).fold(f32::MIN_POSITIVE, f32::max);
    // A message that many files contain separates none of them, so its weight is divided by their number. For flags,
    // the count weights files by kind: a document that explains a flag does not make the flag common.
    let holders = count_as_f32(held.iter().filter(|(message, _)| *message >= most).count().max(1));
    let kinds: Vec<f32> = best.iter().map(|file| file.signals.kind).collect();
    let flag_holders: Vec<f32> = (0..flags.len())
        .map(|flag| {
            let each = held.iter().zip(&kinds).filter(|((_, flags), _)| flags.get(flag) == Some(&true));
            each.map(|(_, kind)| *kind).fold(0.0, |sum, kind| sum + kind).max(1.0)
        })
        .collect();
    for (file, (message, flags)) in best.iter_mut().zip(held) {
        let message = if message >= most { message / holders } else { 0.0 };
        let each = flags.iter().zip(&flag_holders).filter(|(held, _)| **held);
        let flag = each.map(|(_, holders)| 1.0 / holders).fold(0.0, f32::max);
        if message > 0.0 || flag > 0.0 {
            file.signals.quoted = message.max(flag);
            file.score = scorer.score_from_signals(&file.signals);
        }
    }
    score::sort_files_best_first(&mut files);
    files
}
