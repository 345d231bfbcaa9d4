//! The right place for words: files, symbols and passages ranked for a question or a bug report, without an index to wait
//! for.
//!
//! 1. `question.rs` reads the question: its words, weighed by where they stand, and what it names outright.
//! 2. `vector.rs` counts the words of every file; the counts are kept by the file's state.
//! 3. `score.rs` ranks all files by them: BM25, words of the path, what is named, what the file is for (`kind.rs`).
//! 4. `passages.rs` parses the best of them and ranks their functions, class headers and sections; the best one counts
//!    for its file, too.
//!
//! Signals and their origin: BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the
//! inverse document frequency of Lucene; zones of the question, kinds of files and the best function after what a study
//! of public bug reports found to carry such a ranking. What each is worth is measured: see the benchmark page.

mod kind;
mod passages;
mod question;
mod score;
pub(crate) mod stop;
pub(crate) mod vector;
mod weights;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use peelback_syntax::{Language, Lines, Symbol, language};

use crate::access::{CodeAccess, in_order_of};
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::files::WalkOptions;
use crate::graph::is_test;
use crate::modules::World as _;
use crate::project::Place;
use crate::store::Signature;
pub use kind::FileKind;
pub use question::Question;
use score::Scorer;
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
    /// See [`Weights::names`].
    pub names: f32,
    /// What the sum is multiplied with for the kind of the file.
    pub kind: f32,
}

impl Signals {
    /// Each signal by its name, in the order of the fields.
    pub fn each(&self) -> [(&'static str, f32); 9] {
        [
            ("words", self.words),
            ("coverage", self.coverage),
            ("path", self.path),
            ("named", self.named),
            ("mentions", self.mentions),
            ("best", self.best),
            ("quoted", self.quoted),
            ("names", self.names),
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
            &mut self.names,
            &mut self.kind,
        ];
        parts.into_iter().for_each(|part| *part = (*part * 100.0).round() / 100.0);
        self
    }
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
    /// What counted, in words, the weightiest first.
    pub reasons: Vec<String>,
    /// The text of those lines.
    pub text: String,
}

/// Files and passages for a question.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The files in which something counted, best first, ties by path.
    pub files: Vec<RankedFile>,
    /// The passages of the best files in which something counted, best first, ties by path and line.
    pub passages: Vec<RankedPassage>,
    /// How many files were parsed for the passages.
    pub parsed: usize,
    /// How far the ranking can be trusted.
    pub evidence: Evidence,
}

impl CodeAccess {
    /// Ranks files, and the passages of the best of them, for a question.
    ///
    /// # Errors
    /// Those of [`crate::Project::files`].
    pub fn rank(&self, query: &RankQuery) -> Result<Ranking, CodeError> {
        let mut evidence = Evidence::complete("text, syntax");
        let (places, signatures) = self.ranked_over(query, &mut evidence)?;
        let vectors = self.vectors(&places, &signatures, &mut evidence);
        let scorer = Scorer::new(query, &places, &vectors);
        let mut files = scorer.files(&places, &vectors);
        let (passages, parsed) = self.passages(&scorer, &mut files, &mut evidence);
        evidence.skipped.sort();
        evidence.skipped.dedup();
        Ok(Ranking { files: files.into_iter().map(|file| file.hit).collect(), passages, parsed, evidence })
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
