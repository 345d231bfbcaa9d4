//! The right place for words: files, symbols and passages ranked for a question or a bug report, without an index to wait
//! for.
//!
//! 1. `question.rs` reads the question: its words, weighed by where they stand, and what it names outright.
//! 2. `vector.rs` counts the words of every file, in pieces that begin where a definition seems to (`pieces.rs`); the
//!    counts are kept by the file's state.
//! 3. `score.rs` ranks all files by them: BM25 of the file and of its best piece, words of the path, what is named, what
//!    the file is for (`kind.rs`). Nothing is parsed for that.
//! 4. `passages.rs` parses the best of them and ranks their functions, class headers, constants and sections, which
//!    `passages/extents.rs` tells apart; `meaning.rs` orders the best of those anew where there is a model for that.
//!
//! Signals and their origin: BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the
//! inverse document frequency of Lucene; zones of the question, kinds of files and the best function after what a study
//! of public bug reports found to carry such a ranking. What each is worth is measured: see the benchmark page.

pub(crate) mod about;
mod kind;
mod meaning;
pub(crate) mod passages;
mod pieces;
mod question;
mod score;
pub(crate) mod stop;
pub(crate) mod vector;
mod weights;
pub(crate) mod words;

use std::collections::HashSet;
use std::io::Read as _;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use peelback_syntax::{Language, Lines, Symbol, SymbolKind, language};

use crate::access::{CodeAccess, in_order_of};
use crate::cancellation::CancellationToken;
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::files::WalkOptions;
use crate::graph::is_test;
use crate::modules::{FileId, ProjectIndex as _};
use crate::project::{ProjectEntry, open_regular};
use crate::snapshot::Snapshot;
use crate::source::SourceFile;
use about::About;
pub use kind::FileKind;
pub use meaning::Embedder;
use passages::{holds_flag, holds_message};
pub use question::Question;
use score::{Candidate, Scorer};
use vector::TermVector;
pub use weights::Weights;

/// Files over this many bytes are ranked by their path alone.
const MAX_CONTENT_BYTES: u64 = 1 << 20;

/// Bytes of a token at least, in nearly all texts of programs: large files are priced by their size.
const BYTES_PER_TOKEN: u64 = 3;

/// How many files are parsed for their passages.
const MOST_PARSED: usize = 40;

/// What is ranked, and for what.
#[derive(Debug, Clone, Default)]
pub struct RankQuery {
    /// The question.
    pub question: Question,
    /// Files, folders or globs to look in; everywhere where it is empty.
    pub scope: Vec<String>,
    /// Which files the walk passes over.
    pub walk: WalkOptions,
    /// Only files of one language.
    pub language: Option<&'static Language>,
    /// Only tests, or no tests.
    pub tests: Option<bool>,
    /// Only passages of one kind.
    pub kind: Option<SymbolKind>,
    /// Which rows are shown, from 0: of others there are no reasons, or no more than their number.
    pub page: Range<usize>,
    /// Tells what a text costs to read, where that is wanted.
    pub price: Option<fn(&str) -> usize>,
    /// What the signals count.
    pub weights: Weights,
}

/// What each signal gives a file, all from 0 to about 1, before the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Signals {
    /// See [`Weights::words`].
    pub words: f32,
    /// See [`Weights::path`].
    pub path: f32,
    /// See [`Weights::named`].
    pub named: f32,
    /// See [`Weights::mentions`].
    pub mentions: f32,
    /// See [`Weights::best`].
    pub best: f32,
    /// See [`Weights::quoted`].
    pub quoted: f32,
    /// What the sum is multiplied with for the kind of the file.
    pub kind: f32,
}

impl Signals {
    /// Each signal by its name, in the order of the fields.
    pub fn each(&self) -> Vec<(&'static str, f32)> {
        vec![
            ("words", self.words),
            ("path", self.path),
            ("named", self.named),
            ("mentions", self.mentions),
            ("best", self.best),
            ("quoted", self.quoted),
            ("kind", self.kind),
        ]
    }

    /// With two digits, which are enough to compare.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let parts = [
            &mut self.words,
            &mut self.path,
            &mut self.named,
            &mut self.mentions,
            &mut self.best,
            &mut self.quoted,
            &mut self.kind,
        ];
        parts.into_iter().for_each(round);
        self
    }
}

/// What each signal gives a passage, all from 0 to 1, before the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct PassageSignals {
    /// BM25 of its words, as a share of the best.
    pub words: f32,
    /// Words of the question in its name, as a share of the best.
    pub name: f32,
    /// The question mentions it.
    pub mention: f32,
    /// How its file stands, as a share of the best.
    pub file: f32,
    /// What the sum is multiplied with for the kind of the file.
    pub kind: f32,
    /// How like the question a model finds it, from 0 for the least like of those that it was asked about to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<f32>,
}

impl PassageSignals {
    /// Each signal that there is by its name, in the order of the fields.
    pub fn each(&self) -> Vec<(&'static str, f32)> {
        let words = [
            ("words", self.words),
            ("name", self.name),
            ("mention", self.mention),
            ("file", self.file),
            ("kind", self.kind),
        ];
        words.into_iter().chain(self.meaning.map(|meaning| ("meaning", meaning))).collect()
    }

    /// With two digits, which are enough to compare.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let parts = [&mut self.words, &mut self.name, &mut self.mention, &mut self.file, &mut self.kind];
        parts.into_iter().chain(&mut self.meaning).for_each(round);
        self
    }
}

/// Leaves two digits.
fn round(value: &mut f32) {
    *value = (*value * 100.0).round() / 100.0;
}

/// A file and why it ranks where it does.
#[derive(Debug, Clone)]
pub struct RankedFile {
    /// The path from the root.
    pub path: String,
    /// The weighted sum of the signals.
    pub score: f32,
    /// What the file is for.
    pub kind: FileKind,
    /// What each signal gave.
    pub signals: Signals,
    /// What counted, in words, the weightiest first; of a file of the page.
    pub reasons: Vec<String>,
    /// What it costs to read; of a file of the page, where the query prices.
    pub tokens: Option<usize>,
}

/// A function, the header of a class, or a section, and why it ranks where it does.
#[derive(Debug, Clone)]
pub struct RankedPassage {
    /// The path from the root.
    pub path: String,
    /// The symbol, without its children.
    pub symbol: Symbol,
    /// The lines that it was ranked by: of a class, those before its first member, or those between and behind them.
    pub lines: Lines,
    /// The weighted sum of the signals.
    pub score: f32,
    /// What each signal gave.
    pub signals: PassageSignals,
    /// What counted, in words, the weightiest first.
    pub reasons: Vec<String>,
}

/// Files for a question.
#[derive(Debug, Clone)]
pub struct RankedFiles {
    /// The files in which something counted, best first, ties by path.
    pub files: Vec<RankedFile>,
    /// How far the ranking can be trusted.
    pub evidence: Evidence,
}

/// Passages for a question.
#[derive(Debug, Clone)]
pub struct RankedPassages {
    /// The passages that were asked for of the best files in which something counted, best first, ties by path and line.
    pub page: Vec<RankedPassage>,
    /// How many there are in all.
    pub total: usize,
    /// The file of the best passage that has several, where there are other files, and how many it has.
    pub best_file: Option<(String, usize)>,
    /// How many files were parsed for them.
    pub parsed: usize,
    /// In how many files something counted.
    pub files: usize,
    /// How far the ranking can be trusted.
    pub evidence: Evidence,
}

/// A file that is ranked.
struct Subject<'a> {
    entry: &'a ProjectEntry,
    about: &'a About,
    /// Its words, where they could be counted.
    vector: Option<Arc<TermVector>>,
}

/// The files that a query is about.
struct Ground {
    /// The project as it is now, and which of its files are ranked.
    snapshot: Option<(Arc<Snapshot>, Vec<FileId>)>,
    /// Files that the project's walk passes over.
    others: Vec<(ProjectEntry, About)>,
}

impl CodeAccess {
    /// Ranks files for a question.
    ///
    /// # Errors
    /// Those of [`crate::Project::files`].
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
            // A price is worth a read only while there is time, and not of a file that is read for nothing else.
            self.project().cancellation().stopped().is_none().then(|| match &file.subject.vector {
                Some(vector) => *vector.price.get_or_init(priced),
                None => by_size(file.subject.entry),
            })?
        };
        let ranked = |(index, file): (usize, &Candidate<'_>)| RankedFile {
            path: file.subject.entry.path.clone(),
            score: file.score,
            kind: file.subject.about.kind,
            signals: file.signals,
            reasons: if is_shown(index) { scorer.reasons(file) } else { Vec::new() },
            tokens: is_shown(index).then(|| price(file)).flatten(),
        };
        Ok(RankedFiles { files: files.par_iter().enumerate().map(ranked).collect(), evidence })
    }

    /// Ranks the functions, class headers and sections of the best files for a question.
    ///
    /// # Errors
    /// Those of [`crate::Project::files`].
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

    /// The files that a query is about.
    fn ground(&self, query: &RankQuery, evidence: &mut Evidence) -> Result<Ground, CodeError> {
        let fits = |entry: &ProjectEntry| {
            query.language.is_none_or(|wanted| {
                // What has no name of its own may be a script that says so in its first line.
                let own = language::of_name(entry.name()).or_else(|| of_first_line(entry));
                own.is_some_and(|own| own.name == wanted.name)
            }) && query.tests.is_none_or(|tests| is_test(&entry.path) == tests)
        };
        let with_about = |entry: ProjectEntry| {
            let about = About::of(&entry.path);
            (entry, about)
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
        let snapshot = self.snapshot()?;
        for skipped in snapshot.skipped() {
            evidence.skip(&skipped.path, skipped.reason.clone());
        }
        let (scope, others) = if query.scope.is_empty() {
            (None, Vec::new())
        } else {
            let set = self.project().files_of(&query.scope, &query.walk)?;
            // A folder that is ignored but named outright is looked in.
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

    /// The files of a ground with their words.
    fn subjects<'a>(&self, ground: &'a Ground, question: &Question, evidence: &mut Evidence) -> Vec<Subject<'a>> {
        let asked = Arc::new(question.wanted());
        let facts = self.store().of(self.project().root());
        let (snapshot, known) = match &ground.snapshot {
            Some((snapshot, known)) => (Some(snapshot), known.as_slice()),
            None => (None, &[][..]),
        };
        let mut subjects: Vec<Subject<'a>> = Vec::with_capacity(known.len() + ground.others.len());
        if let Some(snapshot) = snapshot {
            let (entries, abouts) = (snapshot.files().entries(), snapshot.abouts());
            let each = known.iter().filter_map(|id| Some((entries.get(*id as usize)?, abouts.get(*id as usize)?, *id)));
            subjects.extend(each.map(|(entry, about, id)| Subject { entry, about, vector: snapshot.known_vector(id) }));
        }
        subjects.extend(ground.others.iter().map(|(entry, about)| Subject { entry, about, vector: None }));
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
                (Some(snapshot), Some(id)) => snapshot.vector(*id, &asked),
                _ => facts.vector(subjects.get(index)?.entry, None, &asked).map(|(vector, _)| vector),
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

/// The language of a file without an ending, by its first line.
fn of_first_line(entry: &ProjectEntry) -> Option<&'static Language> {
    if entry.name().trim_start_matches('.').contains('.') {
        return None;
    }
    let mut head = [0; 128];
    let read = open_regular(&entry.absolute).ok()?.0.read(&mut head).ok()?;
    language::of_file(entry.name(), &String::from_utf8_lossy(head.get(..read)?))
}

/// The tokens of a file that is not read, by its size.
fn by_size(entry: &ProjectEntry) -> Option<usize> {
    let bytes = std::fs::metadata(&entry.absolute).ok()?.len();
    usize::try_from(bytes / BYTES_PER_TOKEN).ok()
}

/// Ranks the best files anew by what their text holds of the messages that the question quotes.
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
        // Nobody waits for the rest of an answer that is late.
        if cancellation.stopped().is_some() {
            return None;
        }
        // Without words it is too large to be searched, or cannot be read.
        file.subject.vector.as_ref()?;
        let text = SourceFile::read(file.subject.entry).ok()?;
        let message = quoted.iter().map(|message| holds_message(&text.text, message)).fold(0.0, f32::max);
        let flags: Vec<bool> = flags.iter().map(|flag| holds_flag(&text.text, flag)).collect();
        Some((message, flags))
    };
    let held: Vec<(f32, Vec<bool>)> = best.par_iter().map(|file| holds(file).unwrap_or_default()).collect();
    let most = held.iter().map(|(message, _)| *message).fold(f32::MIN_POSITIVE, f32::max);
    // What many files hold tells none of them apart; a document that explains a flag does not make it common.
    let holders = score::precise(held.iter().filter(|(message, _)| *message >= most).count().max(1));
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
