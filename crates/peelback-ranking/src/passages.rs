//! Ranks the functions, class headers, constants and sections of the best files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use peelback_syntax::{Lines, NotParsed, ParseCoverage, Tier};

use crate::extents::{SymbolPart, is_value_symbol_kind};
use crate::features::{Candidate, features_of_passages};
use crate::file_passages::{FilePassages, Passage, PassageCache};
use crate::file_to_rank::{MAX_CONTENT_BYTES, MAX_PARSED_FILES};
use crate::kind::FileKind;
use crate::passage_features::{PassageFeatures, value_by_features};
use crate::ranked::{RankedPassage, RankedPassages};
use crate::ranker::Ranker;
use crate::score::{ScoredFile, Scorer};
use crate::signals::PassageSignals;
use crate::words::Term;
use crate::words::count_as_f32;
use peelback_project::CodeError;
use peelback_project::FileSignature;
use peelback_project::SourceFile;
use peelback_project::process_items_in_parallel_largest_first;
use peelback_project::{Completeness, Evidence};

/// The weight of words in a one-line value, or in the text after the methods of a class, relative to other passages. It
/// applies if the question does not ask for the passage by name or kind.
const SMALL_PASSAGE_WEIGHT: f32 = 0.6;

/// The maximum number of passages that are ranked a second time, by more features.
const MAX_PASSAGES_WITH_FEATURES: usize = 100;

/// The maximum number of remarks on how files were read that one answer lists; further remarks are only counted, so
/// that other notes remain visible.
const MAX_REMARKS: usize = 2;

/// The mention score of a passage that contains a line which the question cites; a mention of the passage's name scores
/// 1.
const CITED_LINE_SCORE: f32 = 3.0;

/// The scores of a passage before they are normalised against other passages.
#[derive(Clone, Copy)]
struct PassageScores {
    /// The index of the passage in its file.
    passage: usize,
    words: f32,
    name: f32,
    mention: f32,
}

/// A parsed file: its passages with their scores, and its index among the ranked files.
struct ParsedFile {
    file: usize,
    passages: Arc<FilePassages>,
    scores: Vec<PassageScores>,
}

/// A passage with its scores and the file that contains it.
pub(super) struct ScoredPassage<'a> {
    pub file: &'a ScoredFile<'a>,
    parsed: &'a ParsedFile,
    passage: &'a Passage,
    scores: PassageScores,
    pub score: f32,
    pub signals: PassageSignals,
}

impl ScoredPassage<'_> {
    /// The passage's path, the qualified name of its symbol, and its lines.
    pub fn path_symbol_name_and_lines(&self) -> (&str, &str, Lines) {
        (&self.file.subject.entry.path, &self.passage.symbol.qualified_name, self.passage.lines)
    }

    /// What the second ranking needs to know of the passage.
    fn as_candidate(&self) -> Candidate<'_> {
        Candidate {
            passage: self.passage,
            file: &self.parsed.passages,
            index: self.scores.passage,
            path: &self.file.subject.entry.path,
            path_features: self.file.subject.path_features,
            score: self.score,
            signals: self.signals,
            file_signals: self.file.signals,
        }
    }

    /// The passage's text, given the file that contains the passage.
    pub fn text<'t>(&self, file: &'t SourceFile) -> &'t str {
        file.text.get(self.passage.bytes.clone()).unwrap_or("")
    }
}

/// Sorts passages by score, best first; passages with equal scores are sorted by path and line.
pub(super) fn sort_passages_best_first(placed: &mut [ScoredPassage<'_>]) {
    placed.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| {
            let (a_path, _, a_lines) = a.path_symbol_name_and_lines();
            let (b_path, _, b_lines) = b.path_symbol_name_and_lines();
            (a_path, a_lines.first, a.scores.passage).cmp(&(b_path, b_lines.first, b.scores.passage))
        })
    });
}

impl Ranker<'_> {
    /// Parses the best files and ranks all their passages in which at least one ranking signal is not zero.
    pub(super) fn rank_passages_in_best_files(
        &self,
        scorer: &Scorer<'_>,
        files: &[ScoredFile<'_>],
        page: &Range<usize>,
        mut evidence: Evidence,
    ) -> RankedPassages {
        let best = files.get(..files.len().min(MAX_PARSED_FILES)).unwrap_or(&[]);
        let states = best.iter().map(|file| file.subject.entry.size_and_reliable_signature().unwrap_or((0, None)));
        let (sizes, found): (Vec<u64>, Vec<Option<FileSignature>>) = states.unzip();
        let facts = self
            .reader()
            .store()
            .store_for_project(self.reader().project().root(), self.reader().project().cancellation());
        let cache = PassageCache::new(&facts);
        let cancellation = self.reader().project().cancellation();
        let (read, left) = process_items_in_parallel_largest_first(&sizes, cancellation, |index| {
            let entry = best.get(index)?.subject.entry;
            if sizes.get(index).is_some_and(|size| *size > MAX_CONTENT_BYTES) {
                return None;
            }
            let known = found.get(index).and_then(Option::as_ref).and_then(|own| cache.get(entry, own));
            let passages = match known {
                Some(known) => known,
                None => {
                    let text = match SourceFile::read(entry) {
                        Ok(text) => text,
                        Err(CodeError::Binary { .. }) => return None,
                        Err(error) => return Some(Err((entry.path.clone(), error.to_string()))),
                    };
                    let hash = text.content_hash();
                    if let Some(known) = cache.get_by_text(entry, hash) {
                        let points =
                            score_matching_passages_in_file(scorer, &known, scorer.line_cited_in_question(&entry.path));
                        return Some(Ok(ParsedFile { file: index, passages: known, scores: points }));
                    }
                    let analysed = self.reader().analyse_file(text);
                    let made = Arc::new(FilePassages::from_analysed_file(&analysed));
                    // The result is not cached if parsing hit the deadline or if syntax analysis stood in for a
                    // backend: a later attempt may be better.
                    let broke_off = matches!(
                        analysed.facts.coverage,
                        ParseCoverage::NotParsed(NotParsed::Deadline | NotParsed::Memory)
                    );
                    let own_notes = usize::from(analysed.file.decoding_note.is_some());
                    let is_final = !broke_off && analysed.evidence.notes.len() == own_notes;
                    match analysed.file.settled_signature {
                        Some(settled) if is_final => cache.insert(entry, &settled, &made),
                        None if is_final => cache.insert_by_text(entry, hash, &made),
                        _ => {}
                    }
                    made
                }
            };
            let points = score_matching_passages_in_file(scorer, &passages, scorer.line_cited_in_question(&entry.path));
            Some(Ok(ParsedFile { file: index, passages, scores: points }))
        });
        let parsed = sizes.len() - left;
        cancellation.note_unprocessed_files_in_evidence(left, sizes.len(), &mut evidence);
        let mut all: Vec<ParsedFile> = Vec::with_capacity(read.len());
        for result in read {
            match result {
                Ok(parsed) => all.push(parsed),
                Err((path, reason)) => evidence.add_skipped_and_lower_completeness(&path, reason),
            }
        }
        if parsed < files.len() {
            evidence.lower_completeness_to(Completeness::LowerBound);
        }
        let mut placed = rank_non_overlapping_passages(scorer, files, &all);
        rerank_best_passages_by_features(scorer, &mut placed);
        self.rerank_passages_by_words_and_meaning(
            &scorer.question.text,
            scorer.weights.meaning,
            &mut placed,
            &mut evidence,
        );
        note_unranked_parts_in_evidence(scorer, files, &all, &mut evidence);
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for passage in &placed {
            let path = passage.file.subject.entry.path.as_str();
            match counts.iter_mut().find(|(known, _)| *known == path) {
                Some((_, count)) => *count += 1,
                None => counts.push((path, 1)),
            }
        }
        // The numbers of passages by file are in the order in which the files appear among the ranked passages.
        let best_file = counts.iter().find(|(_, count)| *count > 1).filter(|_| counts.len() > 1);
        let best_file = best_file.map(|(path, count)| ((*path).to_owned(), *count));
        let shown = placed.iter().skip(page.start).take(page.len());
        RankedPassages {
            page: shown.map(|passage| scorer.build_ranked_passage(passage)).collect(),
            total: placed.len(),
            best_file,
            parsed,
            files: files.len(),
            evidence,
        }
    }
}

/// Ranks the best passages a second time, by features whose weights were learned; passages that the question cites by
/// their lines stay in front. The scores that the first ranking gave are dealt out anew in the new order, so that they
/// remain on its scale and above those of the other passages.
fn rerank_best_passages_by_features(scorer: &Scorer<'_>, placed: &mut [ScoredPassage<'_>]) {
    let weight = scorer.weights.passage_features;
    let Some(best) = placed.get_mut(..placed.len().min(MAX_PASSAGES_WITH_FEATURES)).filter(|_| weight > 0.0) else {
        return;
    };
    let candidates: Vec<Candidate<'_>> = best.iter().map(ScoredPassage::as_candidate).collect();
    let Some(features) = features_of_passages(scorer, &candidates) else { return };
    let scores: Vec<f32> = best.iter().map(|passage| passage.score).collect();
    for (passage, features) in best.iter_mut().zip(features) {
        passage.signals.features = features;
    }
    let key = |passage: &ScoredPassage<'_>| {
        (passage.signals.mention >= CITED_LINE_SCORE, value_by_features(&passage.signals.features, weight))
    };
    // The sort is stable: passages of equal value keep their order.
    best.sort_by(|a, b| {
        let ((a_is_cited, a_value), (b_is_cited, b_value)) = (key(a), key(b));
        b_is_cited.cmp(&a_is_cited).then_with(|| b_value.total_cmp(&a_value))
    });
    best.iter_mut().zip(scores).for_each(|(passage, score)| passage.score = score);
}

/// All passages of the parsed files in rank order, without passages that overlap a better one.
fn rank_non_overlapping_passages<'a>(
    scorer: &Scorer<'_>,
    files: &'a [ScoredFile<'a>],
    all: &'a [ParsedFile],
) -> Vec<ScoredPassage<'a>> {
    let most = |part: fn(&PassageScores) -> f32| {
        all.iter().flat_map(|parsed| &parsed.scores).map(part).fold(f32::MIN_POSITIVE, f32::max)
    };
    let (most_words, most_name) = (most(|points| points.words), most(|points| points.name));
    let weights = scorer.weights;
    let own = |points: &PassageScores| {
        points.words / most_words
            + weights.passage_name * points.name / most_name
            + weights.passage_mention * points.mention
    };
    let most_own = all.iter().flat_map(|parsed| &parsed.scores).map(own).fold(f32::MIN_POSITIVE, f32::max);
    let most_file = files.iter().map(|file| file.score).fold(f32::MIN_POSITIVE, f32::max);
    let mut placed: Vec<ScoredPassage<'a>> = Vec::new();
    for parsed in all {
        let Some(file) = files.get(parsed.file) else { continue };
        let standing = file.score / most_file;
        for points in &parsed.scores {
            let Some(passage) = parsed.passages.passages.get(points.passage) else { continue };
            let tests = if passage.is_test { FileKind::Test.score_factor(scorer.question) } else { 1.0 };
            let kind = file.signals.kind.min(tests);
            let signals = PassageSignals {
                words: points.words / most_words,
                name: points.name / most_name,
                mention: points.mention,
                file: standing,
                kind,
                meaning: None,
                features: PassageFeatures::default(),
            };
            let score = (own(points) / most_own + weights.passage_file * standing) * kind.powf(weights.kind);
            placed.push(ScoredPassage { file, parsed, passage, scores: *points, score, signals });
        }
    }
    sort_passages_best_first(&mut placed);
    // The byte ranges of the passages accepted so far, for each file, keyed by first byte. These ranges do not overlap.
    let mut taken: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new(); files.len().min(MAX_PARSED_FILES)];
    placed.retain(|one| {
        let Some(taken) = taken.get_mut(one.parsed.file) else { return true };
        let Range { start, end } = one.passage.bytes;
        let is_apart = taken.range(..end).next_back().is_none_or(|(_, other_end)| *other_end <= start);
        if is_apart {
            taken.insert(start, end);
        }
        is_apart
    });
    placed
}

/// Notes in the evidence of the answer which parts of the files are in no passage, and why.
fn note_unranked_parts_in_evidence(
    scorer: &Scorer<'_>,
    files: &[ScoredFile<'_>],
    all: &[ParsedFile],
    evidence: &mut Evidence,
) {
    let mut remarks: Vec<(&str, &str)> = Vec::new();
    let (mut unknown, mut basic) = (0, false);
    let wants_values = scorer.kind.is_some_and(is_value_symbol_kind);
    for ParsedFile { file, passages, .. } in all {
        let Some(path) = files.get(*file).map(|file| file.subject.entry.path.as_str()) else { continue };
        if let Some(gap) = &passages.gap {
            evidence.add_skipped_and_lower_completeness(path, gap.as_str());
        }
        if passages.are_values_truncated && wants_values {
            evidence.add_skipped_and_lower_completeness(path, "has more values than are ranked");
        }
        remarks.extend(passages.remark.as_deref().map(|remark| (remark, path)));
        basic |= passages.tier == Some(Tier::Basic) && !passages.passages.is_empty();
        unknown += usize::from(passages.tier.is_none());
    }
    if basic {
        evidence.mark_analysis_as_partly_basic();
    }
    if unknown > 0 {
        let are = if unknown == 1 { "is" } else { "are" };
        evidence
            .add_note(format!("{unknown} of the {} files {are} in no known language and without passages", all.len()));
    }
    remarks.sort_unstable();
    // A remark that applies to many files is written once.
    let said = remarks.chunk_by(|a, b| a.0 == b.0).map(|same| {
        let (remark, path) = same.first().copied().unwrap_or_default();
        match same.len() - 1 {
            0 => format!("{path}: {remark}"),
            more => format!("{path} and {more} more: {remark}"),
        }
    });
    let said: Vec<String> = said.collect();
    let more = said.len().saturating_sub(MAX_REMARKS);
    said.into_iter().take(MAX_REMARKS).for_each(|remark| evidence.add_note(remark));
    if more > 0 {
        evidence.add_note(format!("{more} more remarks on how files were read"));
    }
}

/// Scores the passages of a file that contain a word of the question or that the question mentions. `line` is the line
/// of the file that the question cites.
fn score_matching_passages_in_file(scorer: &Scorer<'_>, file: &FilePassages, line: Option<u32>) -> Vec<PassageScores> {
    let mut words = vec![0.0_f32; file.passages.len()];
    let mut counts = vec![0_u32; file.passages.len()];
    let mut counted: Vec<usize> = Vec::new();
    for (index, word) in scorer.question.words.iter().enumerate() {
        let Some(entry) = file.term_counts.term_index(word.term) else { continue };
        for (chunk, count) in file.term_counts.counts_of_term_by_chunk(entry) {
            for holder in file.passages_containing_chunk(chunk) {
                if let Some(sum) = counts.get_mut(holder) {
                    if *sum == 0 {
                        counted.push(holder);
                    }
                    *sum += count;
                }
            }
        }
        for holder in counted.drain(..) {
            let here = (counts.get_mut(holder), words.get_mut(holder), file.passages.get(holder));
            if let (Some(count), Some(sum), Some(passage)) = here {
                *sum += scorer.bm25_of_word(index, std::mem::take(count), passage.len);
            }
        }
    }
    let wanted = |passage: &Passage| {
        let may_be = !(passage.is_test && scorer.tests == Some(false));
        may_be && scorer.kind.is_none_or(|kind| passage.symbol.kind == kind)
    };
    file.passages
        .iter()
        .zip(words)
        .enumerate()
        .filter_map(|(index, (passage, words))| {
            let mut mention =
                if wanted(passage) { certainty_question_names_symbol(scorer, passage) } else { return None };
            if line.is_some_and(|line| passage.lines.first <= line && line <= passage.lines.last) {
                mention = mention.max(CITED_LINE_SCORE);
            }
            let is_asked_for = mention > 0.0 || scorer.kind.is_some();
            if passage.on_request && !is_asked_for {
                return None;
            }
            let is_line = is_value_symbol_kind(passage.symbol.kind) && passage.symbol.lines.count() == 1;
            let is_small = is_line || passage.part == SymbolPart::Remainder;
            let share = if is_small && !is_asked_for { SMALL_PASSAGE_WEIGHT } else { 1.0 };
            (words > 0.0 || mention > 0.0).then(|| {
                let worth = |term: &Term| {
                    scorer
                        .question_words
                        .word_index_of_term(*term)
                        .and_then(|word| scorer.word_weights.get(word).copied())
                };
                let own: f32 = passage.name_terms.iter().filter_map(worth).fold(0.0, |sum, worth| sum + worth);
                let outer = passage.qualified_name_terms.iter().filter(|term| !passage.name_terms.contains(term));
                let outer = outer.filter_map(worth).fold(0.0, |sum, worth| sum + worth);
                let name = (own + 0.5 * outer) / count_as_f32(passage.name_part_count).sqrt();
                PassageScores { passage: index, words: words * share, name: name * share, mention }
            })
        })
        .collect()
}

impl Scorer<'_> {
    fn build_ranked_passage(&self, placed: &ScoredPassage<'_>) -> RankedPassage {
        let ScoredPassage { file, parsed, passage, scores: points, score, signals } = placed;
        let mut reasons = Vec::new();
        if points.mention > 0.0 {
            reasons.push("mentioned in the question".to_owned());
        }
        let holds = |term: Term| {
            let entry = parsed.passages.term_counts.term_index(term)?;
            let mut holders = parsed
                .passages
                .term_counts
                .counts_of_term_by_chunk(entry)
                .flat_map(|(chunk, _)| parsed.passages.passages_containing_chunk(chunk));
            holders.any(|holder| holder == points.passage).then_some(())
        };
        let mut words: Vec<(f32, Cow<'_, str>)> = (self.question.words.iter().zip(&self.word_weights))
            .filter(|(word, _)| holds(word.term).is_some())
            .map(|(word, worth)| (*worth, self.question.shown_word(word)))
            .collect();
        words.sort_by(|a, b| b.0.total_cmp(&a.0));
        if !words.is_empty() {
            let words: Vec<Cow<'_, str>> = words.into_iter().map(|(_, word)| word).take(5).collect();
            reasons.push(format!("words: {}", words.join(", ")));
        }
        RankedPassage {
            path: file.subject.entry.path.clone(),
            symbol: passage.symbol.clone(),
            lines: passage.lines,
            score: *score,
            signals: *signals,
            reasons,
        }
    }
}

/// How certainly the question mentions the symbol of a passage by name, from 0 to 1.
fn certainty_question_names_symbol(scorer: &Scorer<'_>, passage: &Passage) -> f32 {
    if passage.part == SymbolPart::Remainder {
        return 0.0;
    }
    let own = passage.owner.as_deref();
    let each = scorer.question.mentions.iter().zip(&scorer.mention_weights);
    each.filter(|(mention, _)| mention.name == passage.symbol.name)
        .map(|(mention, worth)| {
            let owned = mention.owner.is_some() && mention.owner.as_deref() == own;
            if owned { 1.0 } else { (*worth).max(0.15) }
        })
        .fold(0.0, f32::max)
}

/// How much of a quoted program message a text contains, from 0 to 1. The program inserted names and numbers when it
/// printed the message, so a partial match is enough.
pub(super) fn share_of_message_in_text(text: &str, message: &str) -> f32 {
    // The message as the source writes it, with its placeholders.
    if text.contains(message) {
        return 1.0;
    }
    let is_plain = |word: &str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | ',' | '-'));
    let words: Vec<&str> = message.split_whitespace().collect();
    let mut longest = 0;
    for run in words.split(|word| !is_plain(word)).filter(|run| run.len() >= MIN_MATCHING_WORDS) {
        for start in 0..=run.len() - MIN_MATCHING_WORDS {
            // Only runs of words longer than the best one so far are tried, because a run contains all shorter runs
            // from the same word.
            let mut end = start + longest.max(MIN_MATCHING_WORDS - 1) + 1;
            while run.get(start..end).is_some_and(|part| text.contains(&part.join(" "))) {
                longest = end - start;
                end += 1;
            }
        }
    }
    match longest {
        0 => 0.0,
        _ => (count_as_f32(longest) / 6.0).min(1.0),
    }
}

/// Whether a text contains a command-line flag as a whole, not only as the start of a longer flag.
pub(super) fn has_command_line_flag(text: &str, flag: &str) -> bool {
    text.match_indices(flag).any(|(at, _)| {
        let rest = text.get(at + flag.len()..).unwrap_or("");
        !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'))
    })
}

/// The minimum number of consecutive words of a message that counts as a match and not as a coincidence.
const MIN_MATCHING_WORDS: usize = 4;
