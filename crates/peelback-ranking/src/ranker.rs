//! `Ranker`: ranks files and passages for a question.

use std::collections::HashSet;
use std::io::Read as _;
use std::sync::Arc;

use rayon::prelude::*;

use peelback_syntax::{Language, language};

use crate::meaning::Embedder;
use crate::passages::{holds_flag, holds_message};
use crate::path_features::PathFeatures;
use crate::query::RankQuery;
use crate::question::Question;
use crate::ranked::{RankedFile, RankedFiles, RankedPassages};
use crate::score;
use crate::score::{Candidate, Scorer};
use crate::subject::{MAX_CONTENT_BYTES, MOST_PARSED, Subject};
use crate::vector_cache::{SnapshotVectors, count_words};
use crate::words::precise;
use peelback_project::CancellationToken;
use peelback_project::CodeError;
use peelback_project::Evidence;
use peelback_project::FileId;
use peelback_project::Snapshot;
use peelback_project::SourceFile;
use peelback_project::WalkOptions;
use peelback_project::in_order_of;
use peelback_project::{Project, ProjectEntry, ProjectReader, open_regular};
use peelback_resolve::is_test;

/// The least number of bytes that a token has in nearly all source text. The token count of large files is estimated
/// from their size.
const BYTES_PER_TOKEN: u64 = 3;

/// The files that a query covers.
struct Ground {
    /// The project's current snapshot, with the ids of the files to rank.
    snapshot: Option<(Arc<Snapshot>, Vec<FileId>)>,
    /// Files outside the snapshot that the project's directory walk skips, but that the scope of the query names.
    others: Vec<(ProjectEntry, PathFeatures)>,
}

/// Ranks the files and passages that one reader can see.
pub struct Ranker<'a> {
    reader: &'a ProjectReader,
    embedder: Option<&'a dyn Embedder>,
}

impl<'r> Ranker<'r> {
    /// Creates a ranker for the files of `reader`. With an `embedder`, passages are also ordered by meaning.
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
    /// The errors of [`peelback_project::Project::files`].
    pub fn rank_files(&self, query: &RankQuery) -> Result<RankedFiles, CodeError> {
        let mut evidence = Evidence::complete("text");
        let ground = self.ground(query, &mut evidence)?;
        let subjects = self.subjects(&ground, &query.question, &mut evidence);
        let scorer = Scorer::new(query, &subjects);
        let files = standing(&scorer, self.project().cancellation(), scorer.files(&subjects));
        query.question.note_cuts(&mut evidence);
        evidence.skipped.sort();
        evidence.skipped.dedup();
        let is_shown = |index: usize| query.page.contains(&index);
        let price = |file: &Candidate<'_>| {
            let estimate = query.price?;
            let priced = || Some(estimate(&SourceFile::read(file.subject.entry).ok()?.text));
            // The token count is computed only while the call has time left, and large files are not read for this
            // alone.
            self.project().cancellation().stopped().is_none().then(|| match &file.subject.vector {
                Some(vector) => *vector.price.get_or_init(priced),
                None => by_size(file.subject.entry),
            })?
        };
        let ranked = |(index, file): (usize, &Candidate<'_>)| RankedFile {
            path: file.subject.entry.path.clone(),
            score: file.score,
            kind: file.subject.path_features.kind,
            signals: file.signals,
            reasons: if is_shown(index) { scorer.reasons(file) } else { Vec::new() },
            tokens: is_shown(index).then(|| price(file)).flatten(),
        };
        Ok(RankedFiles { files: files.par_iter().enumerate().map(ranked).collect(), evidence })
    }

    /// Ranks the functions, class headers and sections of the best files by relevance to a question.
    ///
    /// # Errors
    /// The errors of [`peelback_project::Project::files`].
    pub fn rank_passages(&self, query: &RankQuery) -> Result<RankedPassages, CodeError> {
        let mut evidence = Evidence::complete("text, syntax");
        let ground = self.ground(query, &mut evidence)?;
        let subjects = self.subjects(&ground, &query.question, &mut evidence);
        let scorer = Scorer::new(query, &subjects);
        let files = standing(&scorer, self.project().cancellation(), scorer.files(&subjects));
        query.question.note_cuts(&mut evidence);
        let mut ranked = self.passages(&scorer, &files, &query.page, evidence);
        ranked.evidence.skipped.sort();
        ranked.evidence.skipped.dedup();
        Ok(ranked)
    }

    /// Selects the files that a query covers.
    fn ground(&self, query: &RankQuery, evidence: &mut Evidence) -> Result<Ground, CodeError> {
        let fits = |entry: &ProjectEntry| {
            query.language.is_none_or(|wanted| {
                // A file without an extension may be a script whose first line (`#!`) names its language.
                let own = language::of_name(entry.name()).or_else(|| of_first_line(entry));
                own.is_some_and(|own| own.name == wanted.name)
            }) && query.tests.is_none_or(|tests| is_test(&entry.path) == tests)
        };
        let with_about = |entry: ProjectEntry| {
            let path_features = PathFeatures::of(&entry.path);
            (entry, path_features)
        };
        if query.walk != WalkOptions::default() {
            let set = self.project().files_of(&query.scope, &query.walk)?;
            for skipped in set.skipped {
                evidence.skip(&skipped.path, skipped.reason);
            }
            return Ok(Ground {
                snapshot: None,
                others: set.entries.into_iter().filter(fits).map(with_about).collect(),
            });
        }
        let snapshot = self.reader.snapshot()?;
        for skipped in snapshot.skipped() {
            evidence.skip(&skipped.path, skipped.reason.clone());
        }
        let (scope, others) = if query.scope.is_empty() {
            (None, Vec::new())
        } else {
            let set = self.project().files_of(&query.scope, &query.walk)?;
            // An ignored folder is searched if the scope names the folder explicitly.
            let is_new = |entry: &&ProjectEntry| snapshot.files().id(&entry.path).is_none() && fits(entry);
            let others: Vec<ProjectEntry> = set.entries.iter().filter(is_new).cloned().collect();
            (Some(set.entries.into_iter().map(|entry| entry.path).collect::<HashSet<String>>()), others)
        };
        let is_all = scope.is_none() && query.language.is_none() && query.tests.is_none();
        let wanted = |entry: &ProjectEntry| {
            is_all || (scope.as_ref().is_none_or(|scope| scope.contains(&entry.path)) && fits(entry))
        };
        let known = (0..).zip(snapshot.files().entries()).filter(|(_, entry)| wanted(entry));
        let known: Vec<FileId> = known.map(|(id, _)| id).collect();
        Ok(Ground { snapshot: Some((snapshot, known)), others: others.into_iter().map(with_about).collect() })
    }

    /// Creates a subject for each selected file, with its word counts.
    fn subjects<'a>(&self, ground: &'a Ground, question: &Question, evidence: &mut Evidence) -> Vec<Subject<'a>> {
        let asked = Arc::new(question.wanted());
        let facts = self.reader.store().of(self.project().root());
        let (snapshot, known) = match &ground.snapshot {
            Some((snapshot, known)) => (Some(snapshot), known.as_slice()),
            None => (None, &[][..]),
        };
        let mut subjects: Vec<Subject<'a>> = Vec::with_capacity(known.len() + ground.others.len());
        if let Some(snapshot) = snapshot {
            let (entries, features) = (snapshot.files().entries(), PathFeatures::of_files(snapshot));
            let vectors = SnapshotVectors::for_snapshot(snapshot);
            let each =
                known.iter().filter_map(|id| Some((entries.get(*id as usize)?, features.get(*id as usize)?, *id)));
            subjects.extend(each.map(|(entry, path_features, id)| Subject {
                entry,
                path_features,
                vector: vectors.known(id),
            }));
        }
        subjects.extend(ground.others.iter().map(|(entry, path_features)| Subject {
            entry,
            path_features,
            vector: None,
        }));
        let missing: Vec<usize> =
            (0..).zip(&subjects).filter(|(_, subject)| subject.vector.is_none()).map(|(index, _)| index).collect();
        let signature = |index: usize| snapshot?.signature(*known.get(index)?);
        let size = |index: &usize| match (signature(*index), subjects.get(*index)) {
            (Some(signature), _) => signature.size,
            (None, Some(subject)) => std::fs::metadata(&subject.entry.absolute).map_or(0, |metadata| metadata.len()),
            (None, None) => 0,
        };
        let sizes: Vec<u64> = missing.iter().map(size).collect();
        let cancellation = self.project().cancellation();
        let (read, left) = in_order_of(&sizes, cancellation, |at| {
            let index = *missing.get(at)?;
            if sizes.get(at).is_some_and(|size| *size > MAX_CONTENT_BYTES) {
                return Some((index, Err("over 1 MB: ranked by its path alone".to_owned())));
            }
            let made = match (snapshot, known.get(index)) {
                (Some(snapshot), Some(id)) => SnapshotVectors::for_snapshot(snapshot).count(snapshot, *id, &asked),
                _ => count_words(&facts, subjects.get(index)?.entry, None, &asked).map(|(vector, _)| vector),
            };
            Some((index, made.map_err(|error| error.to_string())))
        });
        cancellation.cut_short(left, subjects.len(), evidence);
        for (index, result) in read {
            let Some(subject) = subjects.get_mut(index) else { continue };
            match result {
                Ok(vector) => subject.vector = Some(vector),
                Err(reason) => evidence.skip(&subject.entry.path, reason),
            }
        }
        subjects
    }
}

/// The language of a file without an extension, detected from its first line.
fn of_first_line(entry: &ProjectEntry) -> Option<&'static Language> {
    if entry.name().trim_start_matches('.').contains('.') {
        return None;
    }
    let mut head = [0; 128];
    let read = open_regular(&entry.absolute).ok()?.0.read(&mut head).ok()?;
    language::of_file(entry.name(), &String::from_utf8_lossy(head.get(..read)?))
}

/// The estimated token count of an unread file, from its size.
fn by_size(entry: &ProjectEntry) -> Option<usize> {
    let bytes = std::fs::metadata(&entry.absolute).ok()?.len();
    usize::try_from(bytes / BYTES_PER_TOKEN).ok()
}

/// Reranks the best files by how much of the quoted messages and flags their text contains.
fn standing<'a>(
    scorer: &Scorer<'_>,
    cancellation: &CancellationToken,
    mut files: Vec<Candidate<'a>>,
) -> Vec<Candidate<'a>> {
    let Question { quoted, flags, .. } = scorer.question;
    if quoted.is_empty() && flags.is_empty() {
        return files;
    }
    let most = files.len().min(MOST_PARSED);
    let best = files.get_mut(..most).unwrap_or(&mut []);
    let holds = |file: &Candidate<'_>| {
        // A call past its deadline needs no further results.
        if cancellation.stopped().is_some() {
            return None;
        }
        // A file without word counts is too large to search or cannot be read.
        file.subject.vector.as_ref()?;
        let text = SourceFile::read(file.subject.entry).ok()?;
        let message = quoted.iter().map(|message| holds_message(&text.text, message)).fold(0.0, f32::max);
        let flags: Vec<bool> = flags.iter().map(|flag| holds_flag(&text.text, flag)).collect();
        Some((message, flags))
    };
    let held: Vec<(f32, Vec<bool>)> = best.par_iter().map(|file| holds(file).unwrap_or_default()).collect();
    let most = held.iter().map(|(message, _)| *message).fold(f32::MIN_POSITIVE, f32::max);
    // A message that many files contain separates none of them, so its weight is divided by their number. For flags,
    // the count weights files by kind: a document that explains a flag does not make the flag common.
    let holders = precise(held.iter().filter(|(message, _)| *message >= most).count().max(1));
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
            file.score = scorer.sum(&file.signals);
        }
    }
    score::sort(&mut files);
    files
}
