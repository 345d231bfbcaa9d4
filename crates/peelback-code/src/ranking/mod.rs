//! The right place for words: files, symbols and passages ranked for a question or a bug report, without an index to wait
//! for.
//!
//! 1. `question.rs` reads the question: its words, weighed by where they stand, and what it names outright.
//! 2. `vector.rs` counts the words of every file, in pieces that begin where a definition seems to (`pieces.rs`); the
//!    counts are kept by the file's state.
//! 3. `score.rs` ranks all files by them: BM25 of the file and of its best piece, words of the path, what is named, what
//!    the file is for (`kind.rs`). Nothing is parsed for that.
//! 4. `passages.rs` parses the best of them and ranks their functions, class headers and sections.
//!
//! Signals and their origin: BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the
//! inverse document frequency of Lucene; zones of the question, kinds of files and the best function after what a study
//! of public bug reports found to carry such a ranking. What each is worth is measured: see the benchmark page.

mod kind;
mod passages;
mod pieces;
mod question;
mod score;
pub(crate) mod stop;
pub(crate) mod vector;
mod weights;
mod words;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use peelback_syntax::{Language, Lines, Symbol, SymbolKind, language};

use crate::access::{CodeAccess, in_order_of};
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::files::WalkOptions;
use crate::graph::is_test;
use crate::modules::World as _;
use crate::project::Place;
use crate::source::SourceFile;
use crate::store::Signature;
pub use kind::FileKind;
use passages::holds_message;
pub use question::Question;
use score::{Candidate, Scorer};
use vector::TermVector;
pub use weights::Weights;

/// Files over this many bytes are ranked by their path alone.
const MAX_CONTENT_BYTES: u64 = 1 << 20;

/// How many files are parsed for their passages.
const MOST_PARSED: usize = 50;

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
    /// Of which files, from 0, the reasons are wanted.
    pub explained: Range<usize>,
    /// What the signals count.
    pub weights: Weights,
}

/// What each signal gives a file, all from 0 to about 1, before the weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Signals {
    /// See [`Weights::words`].
    pub words: f32,
    /// See [`Weights::coverage`].
    pub coverage: f32,
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
    pub fn each(&self) -> [(&'static str, f32); 8] {
        [
            ("words", self.words),
            ("coverage", self.coverage),
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
            &mut self.coverage,
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
}

impl PassageSignals {
    /// Each signal by its name, in the order of the fields.
    pub fn each(&self) -> [(&'static str, f32); 5] {
        [
            ("words", self.words),
            ("name", self.name),
            ("mention", self.mention),
            ("file", self.file),
            ("kind", self.kind),
        ]
    }

    /// With two digits, which are enough to compare.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let parts = [&mut self.words, &mut self.name, &mut self.mention, &mut self.file, &mut self.kind];
        parts.into_iter().for_each(round);
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
    /// What counted, in words, the weightiest first.
    pub reasons: Vec<String>,
}

/// A function, the header of a class, or a section, and why it ranks where it does.
#[derive(Debug, Clone)]
pub struct RankedPassage {
    /// The path from the root.
    pub path: String,
    /// The symbol, without its children.
    pub symbol: Symbol,
    /// The lines that it was ranked by: of a class, those before its first member.
    pub lines: Lines,
    /// The weighted sum of the signals.
    pub score: f32,
    /// What each signal gave.
    pub signals: PassageSignals,
    /// What counted, in words, the weightiest first.
    pub reasons: Vec<String>,
    /// The text of those lines.
    pub text: String,
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
    /// The passages of the best files in which something counted, best first, ties by path and line.
    pub passages: Vec<RankedPassage>,
    /// How many files were parsed for them.
    pub parsed: usize,
    /// In how many files something counted.
    pub files: usize,
    /// How far the ranking can be trusted.
    pub evidence: Evidence,
}

impl CodeAccess {
    /// Ranks files for a question.
    ///
    /// # Errors
    /// Those of [`crate::Project::files`].
    pub fn rank_files(&self, query: &RankQuery) -> Result<RankedFiles, CodeError> {
        let mut evidence = Evidence::complete("text");
        let (places, signatures) = self.ranked_over(query, &mut evidence)?;
        let vectors = self.vectors(&places, &signatures, &mut evidence);
        let scorer = Scorer::new(query, &places, &vectors);
        let mut files = self.standing(&scorer, scorer.files(&places, &vectors));
        let end = query.explained.end.min(files.len());
        if let Some(explained) = files.get_mut(query.explained.start.min(end)..end) {
            scorer.explain(explained);
        }
        evidence.skipped.sort();
        evidence.skipped.dedup();
        Ok(RankedFiles { files: files.into_iter().map(|file| file.hit).collect(), evidence })
    }

    /// Ranks the functions, class headers and sections of the best files for a question.
    ///
    /// # Errors
    /// Those of [`crate::Project::files`].
    pub fn rank_passages(&self, query: &RankQuery) -> Result<RankedPassages, CodeError> {
        let mut evidence = Evidence::complete("text, syntax");
        let (places, signatures) = self.ranked_over(query, &mut evidence)?;
        let vectors = self.vectors(&places, &signatures, &mut evidence);
        let scorer = Scorer::new(query, &places, &vectors);
        let files = self.standing(&scorer, scorer.files(&places, &vectors));
        let (passages, parsed) = self.passages(&scorer, &files, &mut evidence);
        evidence.skipped.sort();
        evidence.skipped.dedup();
        Ok(RankedPassages { passages, parsed, files: files.len(), evidence })
    }

    /// Ranks the best files anew by what their text holds of the messages that the question quotes.
    fn standing(&self, scorer: &Scorer<'_>, mut files: Vec<Candidate>) -> Vec<Candidate> {
        let quoted = &scorer.question.quoted;
        if quoted.is_empty() {
            return files;
        }
        let most = files.len().min(MOST_PARSED);
        let best = files.get_mut(..most).unwrap_or(&mut []);
        let holds = |file: &Candidate| {
            let text = SourceFile::read(&file.place).ok()?;
            Some(quoted.iter().map(|message| holds_message(&text.text, message)).fold(0.0, f32::max))
        };
        let held: Vec<f32> = best.par_iter().map(|file| holds(file).unwrap_or(0.0)).collect();
        let most = held.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        // What many files hold tells none of them apart.
        let holders = score::precise(held.iter().filter(|share| **share >= most).count().max(1));
        for (file, share) in best.iter_mut().zip(held) {
            if share >= most {
                file.hit.signals.quoted = share / holders;
                file.hit.score = scorer.sum(&file.hit.signals);
            }
        }
        score::sort(&mut files);
        files
    }

    /// The files that a query is about, with their signatures where they are known.
    fn ranked_over(
        &self,
        query: &RankQuery,
        evidence: &mut Evidence,
    ) -> Result<(Vec<Place>, Vec<Option<Signature>>), CodeError> {
        let fits = |place: &Place| {
            query
                .language
                .is_none_or(|wanted| language::of_name(place.name()).is_some_and(|own| own.name == wanted.name))
                && query.tests.is_none_or(|tests| is_test(&place.path) == tests)
        };
        if query.walk != WalkOptions::default() {
            let set = self.project().files_of(&query.scope, &query.walk)?;
            for skipped in set.skipped {
                evidence.skip(&skipped.path, skipped.reason);
            }
            let places: Vec<Place> = set.places.into_iter().filter(fits).collect();
            let signatures = vec![None; places.len()];
            return Ok((places, signatures));
        }
        let snapshot = self.snapshot()?;
        for skipped in snapshot.skipped() {
            evidence.skip(&skipped.path, skipped.reason.clone());
        }
        let (scope, extra) = if query.scope.is_empty() {
            (None, Vec::new())
        } else {
            let set = self.project().files_of(&query.scope, &query.walk)?;
            // A folder that is ignored but named outright is looked in.
            let is_new = |place: &&Place| snapshot.files().id(&place.path).is_none();
            let extra: Vec<Place> = set.places.iter().filter(is_new).cloned().collect();
            (Some(set.places.into_iter().map(|place| place.path).collect::<HashSet<String>>()), extra)
        };
        let known = (0..).zip(snapshot.files().places());
        let known = known.filter(|(_, place)| scope.as_ref().is_none_or(|scope| scope.contains(&place.path)));
        let known = known.map(|(id, place)| (place.clone(), snapshot.signature(id).copied()));
        let mut all: Vec<(Place, Option<Signature>)> =
            known.chain(extra.into_iter().map(|place| (place, None))).collect();
        all.retain(|(place, _)| fits(place));
        all.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        Ok(all.into_iter().unzip())
    }

    /// The words of each file; `None` where they could not be counted.
    fn vectors(
        &self,
        places: &[Place],
        signatures: &[Option<Signature>],
        evidence: &mut Evidence,
    ) -> Vec<Option<Arc<TermVector>>> {
        let facts = self.store().of(self.project().root());
        let work = self.project().work();
        let size = |(place, signature): (&Place, &Option<Signature>)| match signature {
            Some(signature) => signature.size,
            None => std::fs::metadata(&place.absolute).map_or(0, |metadata| metadata.len()),
        };
        let sizes: Vec<u64> = places.iter().zip(signatures).map(size).collect();
        let (read, left) = in_order_of(&sizes, work, |index| {
            let (place, signature) = (places.get(index)?, signatures.get(index)?);
            if sizes.get(index).is_some_and(|size| *size > MAX_CONTENT_BYTES) {
                return Some((index, Err("over 1 MB: ranked by its path alone".to_owned())));
            }
            Some((index, facts.vector(place, signature.as_ref()).map_err(|error| error.to_string())))
        });
        work.cut_short(left, places.len(), evidence);
        let mut vectors = vec![None; places.len()];
        for (index, result) in read {
            match result {
                Ok(vector) => vectors[index] = Some(vector),
                Err(reason) => evidence.skip(&places[index].path, reason),
            }
        }
        vectors
    }
}
