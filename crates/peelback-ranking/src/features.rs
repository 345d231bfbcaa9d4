//! The features by which the best passages are ranked a second time.

use std::collections::HashMap;

use peelback_syntax::{SymbolKind, Visibility};

use crate::extents::{SymbolPart, is_value_symbol_kind};
use crate::file_passages::{FilePassages, Passage};
use crate::path_features::PathFeatures;
use crate::score::Scorer;
use crate::signals::{FileRankingSignals, PassageSignals};
use crate::words::{Term, count_as_f32, hash_identifier_as_term};

/// Defines [`PassageFeatures`] and [`LEARNED_WEIGHTS`] from one list: a feature, what it says, and its weight.
macro_rules! passage_features {
    ($($(#[$doc:meta])* $name:ident: $weight:expr,)*) => {
        /// The features of a passage by which the best passages are ranked a second time.
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct PassageFeatures {
            $($(#[$doc])* pub $name: f32,)*
        }

        impl PassageFeatures {
            /// All features as pairs of name and value.
            pub fn names_and_values(&self) -> Vec<(&'static str, f32)> {
                vec![$((stringify!($name), self.$name),)*]
            }

            /// The sum of the features, each multiplied by its weight.
            fn weighted_sum(&self, weights: &Self) -> f32 {
                0.0 $(+ self.$name * weights.$name)*
            }
        }

        /// The weights of the features as `bench/localization/learn.py` learned them; its README has the command. A
        /// feature that says how well the words agree has no negative weight.
        const LEARNED_WEIGHTS: PassageFeatures = PassageFeatures { $($name: $weight,)* };
    };
}

passage_features! {
    /// The score of the first ranking, as a share of the highest.
    first: 1.625,
    /// The score of the passage's words; see [`PassageSignals::words`].
    words: 1.787,
    /// How certainly the question mentions the symbol, at most 1.
    mention: 1.105,
    /// The score of the file; see [`PassageSignals::file`].
    file: 2.568,
    /// The logarithm of the factor for the kind of the file.
    kind: 2.387,
    /// The share of the question's words, by weight, that are in the name of the class or of whatever else encloses the
    /// symbol, and not in the symbol's own.
    covered_by_owner: 3.624,
    /// The share of them that the passage, the names around it and the path contain together.
    covered_by_all: 2.292,
    /// The share of the name's parts that are words of the question.
    name_precision: 0.466,
    /// Whether the passage contains at least two words of the question.
    two_words: 0.216,
    /// Whether the symbol can be called.
    callable: 1.321,
    /// Whether the symbol is a field, a constant or another value.
    value: 0.689,
    /// Whether the passage is the header of a class.
    header: -0.619,
    /// Whether the passage is the text after the methods of a class.
    remainder: 1.859,
    /// Whether the passage is a section of a document.
    section: -3.653,
    /// The logarithm of the passage's length.
    length: 2.114,
    /// Whether the symbol is visible in its own file or class alone.
    private: 0.407,
    /// The sum of the scores of the leading passages that contain the symbol's name, as shares of the highest, at most 3.
    called: 0.184,
    /// One by the place of the passage among those of its file.
    place_in_file: 0.815,
    /// The score of the words in the path; see [`FileRankingSignals::path`].
    path: 1.436,
}

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

/// The value of a passage in the second ranking. `share` says how far the learned features count beside the first
/// score: 1 as learned, 0 not at all.
pub(super) fn value_by_features(features: &PassageFeatures, share: f32) -> f32 {
    let first = features.first * LEARNED_WEIGHTS.first;
    first + share * (features.weighted_sum(&LEARNED_WEIGHTS) - first)
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

#[cfg(test)]
mod tests {
    use peelback_project::{Project, ProjectReader};

    use super::*;
    use crate::query::RankQuery;
    use crate::question::Question;
    use crate::ranked::RankedPassage;
    use crate::ranker::Ranker;
    use crate::weights::Weights;

    const STORE: &str = "class Store:\n    def remove_entry(self, key):\n        \"\"\"Removes what is kept of a visitor.\"\"\"\n        self._forget(key)\n        return key\n\n    def _forget(self, key):\n        del self.table[key]\n";
    const MAIN: &str = "from store import Store\n\ndef main():\n    store = Store()\n    store.remove_entry(1)\n    open_dir(2)\n\ndef open_dir(number):\n    return number\n";

    /// Ranks the passages of a project of these files for a question.
    fn rank(files: &[(&str, &str)], question: &str, passage_features: f32) -> Vec<RankedPassage> {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let reader = ProjectReader::new(Project::discover(Some(folder.path()), None).expect("a project"));
        let weights = Weights { passage_features, ..Weights::default() };
        let query = RankQuery { question: Question::new(question), page: 0..200, weights, ..RankQuery::default() };
        Ranker::new(&reader, None).rank_passages(&query).expect("a ranking").page
    }

    fn names(ranked: &[RankedPassage]) -> Vec<&str> {
        ranked.iter().map(|passage| passage.symbol.name.as_str()).collect()
    }

    fn scores(ranked: &[RankedPassage]) -> Vec<f32> {
        ranked.iter().map(|passage| passage.score).collect()
    }

    #[test]
    fn without_a_single_word_to_compare_by_the_first_order_stays() {
        let chain = "def and_then(first):\n    return first\n\ndef chain(value):\n    return value.and_then(value)\n";
        for question in ["and_then", "or_else and_then", "folder", "folder eraser"] {
            let files = [("chain.py", chain), ("main.py", MAIN)];
            let (first, second) = (rank(&files, question, 0.0), rank(&files, question, 1.0));
            assert!(!first.is_empty(), "{question}");
            assert_eq!(names(&first), names(&second), "{question}");
            let scores = scores(&second);
            assert!(scores.iter().all(|score| score.is_finite() && *score > 0.0), "{question} {scores:?}");
            assert!(scores.is_sorted_by(|a, b| a >= b), "{question} {scores:?}");
        }
        assert_eq!(names(&rank(&[("main.py", MAIN), ("store.py", STORE)], "folder", 1.0))[0], "open_dir");
    }

    #[test]
    fn the_second_order_has_the_scores_of_the_first() {
        let files = [("store.py", STORE), ("main.py", MAIN)];
        let question = "which function forgets the visitor";
        let (first, second) = (rank(&files, question, 0.0), rank(&files, question, 1.0));
        assert_eq!(scores(&first), scores(&second));
        assert!(first.iter().all(|passage| passage.signals.features == PassageFeatures::default()));
        assert!(second.iter().all(|passage| passage.signals.features.first > 0.0));
    }

    #[test]
    fn features_say_where_the_words_are() {
        let files = [("store.py", STORE), ("main.py", MAIN)];
        let ranked = rank(&files, "remove a visitor from the store", 1.0);
        let of = |name: &str| {
            ranked
                .iter()
                .find(|passage| passage.symbol.name == name)
                .map(|passage| passage.signals.features)
                .expect(name)
        };
        let (remove, main) = (of("remove_entry"), of("main"));
        assert!(remove.covered_by_owner > 0.0 && main.covered_by_owner == 0.0);
        assert!(main.covered_by_all < remove.covered_by_all);
        assert!((remove.covered_by_all - 1.0).abs() < 1e-6, "{remove:?}");
        assert!((remove.name_precision - 0.5).abs() < 1e-6);
        assert_eq!((remove.callable, remove.value, remove.section, remove.private), (1.0, 0.0, 0.0, 0.0));
        assert_eq!((remove.two_words, main.two_words), (1.0, 1.0));
        assert!(remove.called > 0.0 && main.called == 0.0, "{remove:?} {main:?}");
        for (feature, value) in ranked.iter().flat_map(|passage| passage.signals.features.names_and_values()) {
            assert!(value.is_finite(), "{feature}");
        }
    }

    #[test]
    fn related_words_count_less_than_words_of_the_question() {
        let files = [("a.py", "def delete_row(x):\n    return x\n"), ("b.py", "def remove_row(x):\n    return x\n")];
        let ranked = rank(&files, "remove", 1.0);
        assert_eq!(names(&ranked), ["remove_row", "delete_row"]);
        let [own, related] = ranked.as_slice() else { panic!("two passages") };
        assert!((own.signals.features.covered_by_all - 1.0).abs() < 1e-6);
        assert!((related.signals.features.covered_by_all - RELATED_SHARE).abs() < 1e-6);
    }

    #[test]
    fn a_line_that_the_question_cites_stays_in_front() {
        let many = "def ranking_score_of_signals(words):\n    return ranking, score, signals, passage\n";
        let cited = "def first(x):\n    return x\n\ndef other(x):\n    return x + 1\n";
        let files = [("signals.py", many), ("passages.py", cited), ("ranking/score.py", many)];
        let ranked = rank(&files, "passages.py:5 ranking score of signals", 1.0);
        assert_eq!(names(&ranked)[0], "other");
    }

    #[test]
    fn features_of_agreement_have_no_negative_weight() {
        let agreement = [
            "first",
            "words",
            "mention",
            "file",
            "covered_by_owner",
            "covered_by_all",
            "name_precision",
            "two_words",
            "called",
            "path",
        ];
        let weights = LEARNED_WEIGHTS.names_and_values();
        for feature in agreement {
            let weight = weights.iter().find(|(name, _)| *name == feature).expect(feature).1;
            assert!(weight >= 0.0, "{feature} {weight}");
        }
        assert!(weights.iter().all(|(_, weight)| weight.is_finite()) && LEARNED_WEIGHTS.first > 0.0);
    }
}
