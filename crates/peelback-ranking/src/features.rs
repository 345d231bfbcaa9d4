//! Computes the features by which the best passages are ranked a second time.

use std::collections::HashMap;

use peelback_syntax::{SymbolKind, Visibility};

use crate::extents::{SymbolPart, is_value_symbol_kind};
use crate::file_passages::{FilePassages, Passage};
use crate::passage_features::PassageFeatures;
use crate::path_features::PathFeatures;
use crate::score::Scorer;
use crate::signals::{FileRankingSignals, PassageSignals};
use crate::words::{Term, count_as_f32, hash_identifier_as_term};

/// One of the best passages, with what the first ranking knows of it.
pub(super) struct Candidate<'a> {
    pub passage: &'a Passage,
    /// All passages of the passage's file.
    pub file: &'a FilePassages,
    /// The index of the passage in its file.
    pub index: usize,
    pub path: &'a str,
    pub path_features: &'a PathFeatures,
    /// The score of the first ranking.
    pub score: f32,
    pub signals: PassageSignals,
    pub file_signals: FileRankingSignals,
}

/// The number of best passages that show by their calls which others belong to them.
const LEADERS: usize = 12;

/// The part of a word's weight that counts where only a word stands that code uses for it.
const RELATED_SHARE: f32 = 0.6;

/// The maximum number of the question's words, the weightiest, that passages are compared by.
const MAX_COMPARED_WORDS: usize = 64;

/// The highest value of the feature `called`.
const MAX_CALLED: f32 = 3.0;

/// The natural logarithm of a passage's length is divided by this, so that the feature is about 1.
const LOGARITHM_OF_LENGTH_SCALE: f32 = 5.0;

/// The least factor of the kind of a file of which a logarithm is taken.
const MIN_KIND_FACTOR: f32 = 0.01;

/// A word of the question by which passages are compared.
struct ComparedWord {
    term: Term,
    weight: f32,
    /// The words that code uses for it.
    related: Vec<Term>,
}

/// The weightiest single words of the question; none if no file contains one.
fn weightiest_words(scorer: &Scorer<'_>) -> Vec<ComparedWord> {
    let words = scorer.question.words.iter().zip(&scorer.word_weights);
    let mut single: Vec<ComparedWord> = words
        .filter(|(word, weight)| word.is_single_word_of_question() && **weight > 0.0)
        .map(|(word, weight)| ComparedWord { term: word.term, weight: *weight, related: Vec::new() })
        .collect();
    single.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    single.truncate(MAX_COMPARED_WORDS);
    for word in &scorer.question.words {
        for own in single.iter_mut().filter(|own| word.stands_for.contains(&own.term)) {
            own.related.push(word.term);
        }
    }
    single
}

/// Computes the features of the best passages, which are sorted by their first score. `None` if no file contains a
/// single word of the question: then there is nothing by which passages could be compared.
pub(super) fn features_of_passages(scorer: &Scorer<'_>, best: &[Candidate<'_>]) -> Option<Vec<PassageFeatures>> {
    let words = weightiest_words(scorer);
    let total: f32 = words.iter().map(|word| word.weight).sum();
    let highest = best.first().map_or(0.0, |first| first.score);
    if total <= 0.0 || highest <= 0.0 {
        return None;
    }
    let mut places: HashMap<&str, f32> = HashMap::new();
    let features = best.iter().enumerate().map(|(index, candidate)| {
        let place = places.entry(candidate.path).or_insert(0.0);
        *place += 1.0;
        let mut features = features_from_words(&words, total, candidate);
        features.called = calls_by_leaders(best, index, candidate).min(MAX_CALLED);
        features.first = candidate.score / highest;
        features.place_in_file = 1.0 / *place;
        features
    });
    Some(features.collect())
}

/// The features that follow from one passage and the words of the question.
fn features_from_words(words: &[ComparedWord], total: f32, candidate: &Candidate<'_>) -> PassageFeatures {
    let Candidate { passage, file, signals, file_signals, path_features, .. } = candidate;
    let in_name = |term: Term| passage.name_terms.contains(&term);
    let in_owner = |term: Term| passage.qualified_name_terms.contains(&term) && !in_name(term);
    let in_passage = |term: Term| in_name(term) || passage_has_term(file, candidate.index, term);
    let in_path = |term: Term| path_features.words.iter().any(|(known, _)| *known == term);
    let share = |has: &dyn Fn(Term) -> bool| {
        let weight = |word: &ComparedWord| {
            if has(word.term) {
                word.weight
            } else if word.related.iter().any(|term| has(*term)) {
                RELATED_SHARE * word.weight
            } else {
                0.0
            }
        };
        words.iter().map(weight).fold(0.0, |sum, part| sum + part) / total
    };
    let matched = words.iter().filter(|word| in_name(word.term)).count();
    let held = words.iter().filter(|word| in_passage(word.term)).take(2).count();
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    let symbol = &passage.symbol;
    PassageFeatures {
        words: signals.words,
        mention: signals.mention.min(1.0),
        file: signals.file,
        kind: signals.kind.max(MIN_KIND_FACTOR).ln(),
        covered_by_owner: share(&in_owner),
        covered_by_all: share(&|term| in_passage(term) || in_owner(term) || in_path(term)),
        name_precision: count_as_f32(matched) / count_as_f32(passage.name_part_count),
        two_words: flag(held >= 2),
        callable: flag(symbol.kind.is_callable()),
        value: flag(is_value_symbol_kind(symbol.kind)),
        header: flag(passage.part == SymbolPart::Header),
        remainder: flag(passage.part == SymbolPart::Remainder),
        section: flag(symbol.kind == SymbolKind::Section),
        length: (count_as_f32(passage.len as usize) + 1.0).ln() / LOGARITHM_OF_LENGTH_SCALE,
        private: flag(symbol.visibility == Visibility::Private),
        path: file_signals.path,
        ..PassageFeatures::default()
    }
}

/// The sum of the scores of the leading passages that contain the name of the passage at `index`, as shares of the
/// highest.
fn calls_by_leaders(best: &[Candidate<'_>], index: usize, candidate: &Candidate<'_>) -> f32 {
    let Some(name) = name_that_calls_show(candidate.passage) else { return 0.0 };
    let highest = best.first().map_or(1.0, |first| first.score);
    let leaders = best.iter().take(LEADERS).enumerate().filter(|(other, _)| *other != index);
    let calling = leaders.filter(|(_, leader)| passage_has_term(leader.file, leader.index, name));
    calling.map(|(_, leader)| leader.score / highest).fold(0.0, |sum, share| sum + share)
}

/// The term of the passage's name, if a call of it can be told from other words: a single word is not told from other
/// uses of it.
fn name_that_calls_show(passage: &Passage) -> Option<Term> {
    let is_clear = passage.symbol.kind.is_callable() && passage.name_part_count > 1;
    is_clear.then(|| hash_identifier_as_term(&passage.symbol.name))
}

/// Whether a passage contains a word, by the counts of its file.
fn passage_has_term(file: &FilePassages, passage: usize, term: Term) -> bool {
    file.term_counts.term_index(term).is_some_and(|entry| {
        file.term_counts
            .counts_of_term_by_chunk(entry)
            .any(|(chunk, _)| file.passages_containing_chunk(chunk).any(|holder| holder == passage))
    })
}
