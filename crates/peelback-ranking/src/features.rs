//! The features by which the best passages are ranked a second time.

use std::collections::HashMap;

use peelback_syntax::SymbolKind;

use crate::abbreviations::are_forms_of_one_word;
use crate::extents::{SymbolPart, is_value_symbol_kind};
use crate::file_passages::{FilePassages, Passage, distinct_terms_in_text};
use crate::question::Word;
use crate::score::Scorer;
use crate::signals::{FEATURE_COUNT, Features, FileRankingSignals, PassageSignals};
use crate::words::{Term, count_as_f32, hash_identifier_as_term, identifier_parts};

/// The features with their weights, in the order of their values. `bench/localization/learn.py` learned the weights from
/// commit messages and plain questions.
const LINE: [(&str, f32); FEATURE_COUNT] = [
    ("words", 2.846),
    ("name", 0.884),
    ("mention", 1.254),
    ("file", 4.944),
    ("kind", 2.276),
    ("covered", 1.517),
    ("covered_by_name", -0.668),
    ("name_precision", -0.581),
    ("covered_by_header", 0.875),
    ("callable", 1.822),
    ("value", 0.387),
    ("header", -0.797),
    ("remainder", 2.126),
    ("section", -2.176),
    ("length", 1.741),
    ("private", -0.702),
    ("two_words", 0.196),
    ("forms_in_name", 0.688),
    ("called", 0.27),
    ("calls", -0.226),
    ("place_in_file", 1.0),
    ("path", 0.822),
    ("file_words", -0.204),
    ("file_best", -0.773),
    ("rarest", -0.364),
    ("raw_words", 0.155),
];

/// One of the best passages, with what the first ranking knows of it.
pub(super) struct Candidate<'a> {
    pub passage: &'a Passage,
    /// All passages of the passage's file.
    pub file: &'a FilePassages,
    /// The index of the passage in its file.
    pub index: usize,
    pub path: &'a str,
    /// The score of the first ranking.
    pub score: f32,
    /// The BM25 score of the passage, before it is divided by the highest.
    pub words: f32,
    pub signals: PassageSignals,
    pub file_signals: FileRankingSignals,
}

/// The number of best passages whose names and words tell which others belong to them.
const LEADERS: usize = 12;

/// The weighted sum of the features.
pub(super) fn value_on_line(features: &Features) -> f32 {
    features.iter().zip(LINE).map(|(value, (_, weight))| value * weight).fold(0.0, |sum, part| sum + part)
}

/// The part of a word's weight that counts where only a word stands that code may use for it.
const RELATED_SHARE: f32 = 0.6;

/// Computes the features of the best passages, which are sorted by their first score.
pub(super) fn features_of_passages(scorer: &Scorer<'_>, best: &[Candidate<'_>]) -> Vec<Features> {
    let whole: Vec<(usize, f32, Term)> = scorer
        .question
        .words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.is_whole_or_part())
        .filter_map(|(index, word)| Some((index, *scorer.word_weights.get(index)?, word.term)))
        .collect();
    let total = whole.iter().map(|(_, weight, _)| weight).sum::<f32>().max(f32::MIN_POSITIVE);
    let related: Vec<&Word> = scorer.question.words.iter().filter(|word| !word.stands_for.is_empty()).collect();
    let rarest = whole.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(_, _, term)| term);
    let leaders: Vec<(usize, Term, f32)> = best
        .iter()
        .take(LEADERS)
        .enumerate()
        .filter(|(_, one)| one.passage.symbol.kind.is_callable() && one.passage.name_part_count > 1)
        .map(|(index, one)| (index, hash_identifier_as_term(&one.passage.symbol.name), one.score))
        .collect();
    let most = best.first().map_or(1.0, |one| one.score).max(f32::MIN_POSITIVE);
    let mut seen: HashMap<&str, f32> = HashMap::new();
    best.iter()
        .enumerate()
        .map(|(index, one)| {
            let Candidate { passage, file, .. } = *one;
            let holds = |term: Term| passage_has_term(file, one.index, term);
            let in_name = |term: &Term| passage.name_terms.contains(term);
            let header: Vec<Term> = {
                let doc = passage.symbol.docstring.as_deref().unwrap_or("");
                let mut all = distinct_terms_in_text(&passage.symbol.signature).to_vec();
                all.extend_from_slice(&distinct_terms_in_text(doc));
                all
            };
            let share = |fits: &dyn Fn(&Term) -> bool| {
                let of_word = |(_, weight, term): &(usize, f32, Term)| {
                    let stands_for = |word: &&Word| word.stands_for.contains(term) && fits(&word.term);
                    if fits(term) {
                        *weight
                    } else if related.iter().any(stands_for) {
                        RELATED_SHARE * weight
                    } else {
                        0.0
                    }
                };
                whole.iter().map(of_word).sum::<f32>() / total
            };
            let matched = whole.iter().filter(|(_, _, term)| in_name(term)).count();
            let held = whole.iter().filter(|(_, _, term)| holds(*term) || in_name(term)).count();
            let parts: Vec<String> =
                identifier_parts(&passage.symbol.name).iter().map(|part| part.to_lowercase()).collect();
            let forms = whole.iter().filter(|(index, _, term)| {
                !passage.name_terms.contains(term)
                    && scorer
                        .question
                        .words
                        .get(*index)
                        .is_some_and(|word| parts.iter().any(|part| are_forms_of_one_word(part, &word.text)))
            });
            let forms: f32 = forms.map(|(_, weight, _)| weight).sum::<f32>() / total;
            let own_term = (passage.name_part_count > 1).then(|| hash_identifier_as_term(&passage.symbol.name));
            let called = own_term.map_or(0.0, |own| {
                let callers = best
                    .iter()
                    .take(LEADERS)
                    .enumerate()
                    .filter(|(other, leader)| *other != index && passage_has_term(leader.file, leader.index, own));
                callers.map(|(_, leader)| leader.score / most).sum::<f32>()
            });
            let calls = leaders
                .iter()
                .filter(|(other, term, _)| *other != index && holds(*term))
                .map(|(_, _, score)| score / most)
                .sum::<f32>();
            let place = seen.entry(one.path).or_insert(0.0);
            *place += 1.0;
            let flag = |is: bool| if is { 1.0 } else { 0.0 };
            let signals = &one.signals;
            [
                signals.words,
                signals.name,
                signals.mention.min(1.0),
                signals.file,
                signals.kind.max(0.01).ln(),
                share(&|term| holds(*term) || in_name(term)),
                share(&|term| in_name(term)),
                count_as_f32(matched) / count_as_f32(passage.name_part_count),
                share(&|term| header.contains(term)),
                flag(passage.symbol.kind.is_callable()),
                flag(is_value_symbol_kind(passage.symbol.kind)),
                flag(passage.part == SymbolPart::Header),
                flag(passage.part == SymbolPart::Remainder),
                flag(passage.symbol.kind == SymbolKind::Section),
                (count_as_f32(passage.len as usize) + 1.0).ln() / 5.0,
                flag(passage.symbol.name.starts_with('_')),
                flag(held >= 2),
                forms,
                called.min(3.0),
                calls.min(3.0),
                1.0 / *place,
                one.file_signals.path,
                one.file_signals.words,
                one.file_signals.best,
                flag(rarest.is_some_and(|term| holds(term) || in_name(&term))),
                one.words / total,
            ]
        })
        .collect()
}

/// Whether a passage contains a word, by the counts of its file.
fn passage_has_term(file: &FilePassages, passage: usize, term: Term) -> bool {
    file.term_counts.term_index(term).is_some_and(|entry| {
        file.term_counts
            .counts_of_term_by_chunk(entry)
            .any(|(chunk, _)| file.passages_containing_chunk(chunk).any(|holder| holder == passage))
    })
}
