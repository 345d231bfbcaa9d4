//! Scores files for a question by their word counts and their paths.

use std::borrow::Cow;

use peelback_syntax::{SymbolKind, language};
use rayon::prelude::*;

use crate::file_to_rank::FileToRank;
use crate::kind::FileKind;
use crate::path_features::PathFeatures;
use crate::query::RankQuery;
use crate::question::{FileReference, Mention, Question, Word};
use crate::signals::FileRankingSignals;
use crate::vector::{QuestionWordIndex, TermVector};
use crate::weights::Weights;
use crate::words::{Term, count_as_f32};

/// The maximum number of words or names that one reason for a file's rank lists.
const MAX_LISTED_NAMES: usize = 5;

/// A question prepared for scoring a set of files: every word of the question has a weight that fits these files.
pub(super) struct Scorer<'a> {
    pub question: &'a Question,
    pub weights: &'a Weights,
    /// The only symbol kind whose passages are ranked; `None` for all kinds.
    pub kind: Option<SymbolKind>,
    /// `Some(true)` ranks only tests, `Some(false)` ranks no tests.
    pub tests: Option<bool>,
    pub question_words: QuestionWordIndex,
    /// The weight of each word of the question: its weight in the question times its rarity among the files.
    pub word_weights: Vec<f32>,
    /// For each file, the words of the question that its content contains.
    words_in_files: Vec<WordsInFile>,
    /// The words of the question that a path may abbreviate, with their indices in the question.
    abbreviable_words: Vec<(usize, &'a str)>,
    /// For each file, the words of the question in its path.
    path_hits: Vec<Vec<PathHit>>,
    /// The weight of each word of the question in a path.
    path_word_weights: Vec<PathWordWeights>,
    /// The weight of a word that is stressed most in the question and occurs in only one path. A path whose words have
    /// this weight gets half of the highest path score.
    half_score_path_weight: f32,
    /// The weight of each mentioned name, lower the more files define the name.
    pub mention_weights: Vec<f32>,
    mean_file_len: f32,
}

/// The minimum number of files in one parallel task; smaller tasks cost more to schedule than they save.
const MIN_FILES_PER_TASK: usize = 64;

/// The words of the question that a file contains: for each, its index in the question and its index in the file's term
/// vector.
type WordsInFile = Box<[(u16, u32)]>;

/// The chunk length, in identifiers, that BM25 treats as average. A longer chunk scores lower for equal counts.
const MEAN_CHUNK_LEN: f32 = 120.0;

/// The factor on a file reference in a question that is hardly more than the file's name: that file is the answer.
const ASKED_FILE_FACTOR: f32 = 5.0;

/// The degree to which a path matches a mentioned path with which it shares only the file name, from 0 to 1.
const FILE_NAME_ONLY_MATCH: f32 = 0.35;

/// The total weight of mentioned names that yields half of the highest score. The score saturates because a file that
/// defines one name of a report is nearly as likely as a file that defines three.
const HALF_SCORE_MENTION_WEIGHT: f32 = 0.4;

/// An occurrence of a word of the question in a path.
#[derive(Clone, Copy)]
struct PathHit {
    word: usize,
    /// The share of the path that the word makes up.
    share: f32,
    /// Whether the path holds a short form of the word alone.
    is_abbreviated: bool,
}

/// The weight of a word of the question in a path. Short forms have a weight of their own, so that a folder which looks like
/// one and is in most paths does not lower the weight of the word itself.
#[derive(Clone, Copy)]
struct PathWordWeights {
    exact: f32,
    abbreviated: f32,
}

/// Finds the words of the question in a path; `long` lists the words that the path may abbreviate, with their indices
/// in the question.
fn find_question_words_in_path(
    path_features: &PathFeatures,
    counter: &QuestionWordIndex,
    long: &[(usize, &str)],
) -> Vec<PathHit> {
    let mut hits: Vec<PathHit> = Vec::new();
    let mut add = |word: usize, share: f32, is_abbreviated: bool| match hits.iter_mut().find(|hit| hit.word == word) {
        // A path that holds the word itself needs no short form of it.
        Some(hit) if hit.is_abbreviated == is_abbreviated => hit.share = hit.share.max(share),
        Some(_) => {}
        None => hits.push(PathHit { word, share, is_abbreviated }),
    };
    for (term, share) in &path_features.words {
        if let Some(word) = counter.word_index_of_term(*term) {
            add(word, *share, false);
        }
    }
    for (word, text) in long {
        for (_, share) in
            path_features.abbreviations.iter().filter(|(part, _)| text.len() > part.len() && text.starts_with(&**part))
        {
            add(*word, *share, true);
        }
    }
    hits
}

/// A file in which at least one ranking signal is not zero, with its score.
pub(super) struct ScoredFile<'a> {
    pub subject: &'a FileToRank<'a>,
    pub score: f32,
    pub signals: FileRankingSignals,
}

impl<'a> Scorer<'a> {
    pub fn new(query: &'a RankQuery, subjects: &[FileToRank<'_>]) -> Self {
        let RankQuery { question, weights, .. } = query;
        let known: Vec<&TermVector> =
            subjects.iter().filter_map(|subject| subject.vector.as_deref()).filter(|vector| vector.len > 0).collect();
        let total = count_as_f32(subjects.len().max(1));
        let stress = |word: &Word| {
            let stress = word.weight_in_question(weights);
            stress * (weights.k3 + 1.0) / (stress + weights.k3)
        };
        let held: Vec<WordsInFile> = subjects
            .par_iter()
            .with_min_len(MIN_FILES_PER_TASK)
            .map(|subject| {
                let Some(vector) = &subject.vector else { return WordsInFile::default() };
                let words = (0_u16..).zip(&question.words);
                words
                    .filter_map(|(index, word)| Some((index, u32::try_from(vector.term_index(word.term)?).ok()?)))
                    .collect()
            })
            .collect();
        let mut holders = vec![0_usize; question.words.len()];
        for (word, _) in held.iter().flatten() {
            if let Some(count) = holders.get_mut(usize::from(*word)) {
                *count += 1;
            }
        }
        let rarities = rarities_of_words(question, total, &holders);
        let worth: Vec<f32> = question.words.iter().zip(rarities).map(|(word, rarity)| stress(word) * rarity).collect();
        let counter = QuestionWordIndex::new(question.words.iter().map(|word| word.term));
        let long: Vec<(usize, &str)> = question
            .words
            .iter()
            .enumerate()
            .filter_map(|(index, word)| word.text_if_abbreviable().map(|text| (index, text)))
            .collect();
        let paths: Vec<Vec<PathHit>> = subjects
            .par_iter()
            .with_min_len(MIN_FILES_PER_TASK)
            .map(|subject| find_question_words_in_path(subject.path_features, &counter, &long))
            .collect();
        let (mut exact, mut any) = (vec![0_usize; question.words.len()], vec![0_usize; question.words.len()]);
        for hit in paths.iter().flatten() {
            if let (Some(exact), Some(any)) = (exact.get_mut(hit.word), any.get_mut(hit.word)) {
                *exact += usize::from(!hit.is_abbreviated);
                *any += 1;
            }
        }
        let path_worth: Vec<PathWordWeights> = question
            .words
            .iter()
            .zip(rarities_of_words(question, total, &exact).into_iter().zip(rarities_of_words(question, total, &any)))
            .map(|(word, (exact, any))| PathWordWeights {
                exact: stress(word) * exact,
                abbreviated: stress(word) * any,
            })
            .collect();
        let most_stress = question.words.iter().map(stress).fold(f32::MIN_POSITIVE, f32::max);
        let mentions = question
            .mentions
            .par_iter()
            .map(|mention| {
                let definers = known.iter().filter(|vector| vector.seems_to_define_name(mention.term)).count();
                let stress = mention.weight / (mention.weight + 0.5);
                if definers == 0 { 0.0 } else { stress / (1.0 + count_as_f32(definers).ln()) }
            })
            .collect();
        let len: f32 = known.iter().map(|vector| vector.len as f32).sum();
        Self {
            question,
            weights,
            kind: query.kind,
            tests: query.tests,
            question_words: counter,
            words_in_files: held,
            abbreviable_words: long,
            path_hits: paths,
            path_word_weights: path_worth,
            half_score_path_weight: most_stress * inverse_document_frequency(total, 1.0),
            word_weights: worth,
            mention_weights: mentions,
            mean_file_len: (len / count_as_f32(known.len().max(1))).max(1.0),
        }
    }

    /// The BM25 score of word `word` of the question, which occurs `count` times in a chunk of `len` identifiers.
    pub fn bm25_of_word(&self, word: usize, count: u32, len: u32) -> f32 {
        let Weights { k1, passage_b, .. } = *self.weights;
        let norm = k1 * (1.0 - passage_b + passage_b * len as f32 / MEAN_CHUNK_LEN);
        let worth = self.word_weights.get(word).copied().unwrap_or(0.0);
        worth * (k1 + 1.0) * count as f32 / (count as f32 + norm)
    }

    /// All files in which at least one ranking signal is not zero, best first; files with equal scores are sorted by
    /// path.
    pub fn score_and_sort_matching_files<'b>(&self, subjects: &'b [FileToRank<'b>]) -> Vec<ScoredFile<'b>> {
        let mut found: Vec<ScoredFile<'b>> = subjects
            .par_iter()
            .enumerate()
            .with_min_len(MIN_FILES_PER_TASK)
            .filter_map(|(index, subject)| {
                let signals = self.file_signals(index, subject);
                let is_empty =
                    [signals.words, signals.path, signals.named, signals.mentions].iter().all(|part| *part <= 0.0);
                (!is_empty).then_some(ScoredFile { subject, score: 0.0, signals })
            })
            .collect();
        // Signals without an upper bound are divided by the highest value among the files.
        let most =
            |part: fn(&FileRankingSignals) -> f32| found.iter().map(|file| part(&file.signals)).fold(0.0, f32::max);
        let (words, best) = (most(|signals| signals.words), most(|signals| signals.best));
        for signals in found.iter_mut().map(|file| &mut file.signals) {
            signals.words /= words.max(f32::MIN_POSITIVE);
            signals.mentions /= signals.mentions + HALF_SCORE_MENTION_WEIGHT;
            signals.best /= best.max(f32::MIN_POSITIVE);
        }
        found.iter_mut().for_each(|file| file.score = self.score_from_signals(&file.signals));
        sort_files_best_first(&mut found);
        found
    }

    /// The score of a file: the weighted sum of its ranking signals, lowered by the factor for the kind of the file.
    pub fn score_from_signals(&self, signals: &FileRankingSignals) -> f32 {
        let weights = self.weights;
        let sum = weights.words * signals.words
            + weights.path * signals.path
            + weights.named * signals.named
            + weights.mentions * signals.mentions
            + weights.best * signals.best
            + weights.quoted * signals.quoted;
        // A file that the question names explicitly is wanted whatever its kind, so that part of the sum is not
        // multiplied by the kind's factor.
        let asked_for = if signals.named > 1.0 { weights.named * signals.named } else { 0.0 };
        (sum - asked_for) * signals.kind.powf(weights.kind) + asked_for
    }

    fn file_signals(&self, index: usize, subject: &FileToRank<'_>) -> FileRankingSignals {
        let FileToRank { entry, path_features, vector } = subject;
        let kind = path_features.kind.score_factor(self.question);
        let path = self.path_hits.get(index).map_or(0.0, |hits| self.path_score(hits));
        let mut signals = FileRankingSignals {
            kind,
            path,
            named: self.certainty_of_reference_to_file(&entry.path),
            ..FileRankingSignals::default()
        };
        if let Some(vector) = vector {
            let held = self.words_in_files.get(index).map_or(&[][..], |held| held);
            (signals.words, signals.best) = self.bm25_scores_of_file_and_best_chunks(held, vector);
            signals.mentions = self.weight_of_mentions_defined_in_file(&entry.path, vector);
        }
        signals
    }

    /// The BM25 scores of a whole file and of its best chunks, for the words of the question that the file contains.
    fn bm25_scores_of_file_and_best_chunks(&self, held: &[(u16, u32)], vector: &TermVector) -> (f32, f32) {
        let Weights { k1, b, second, .. } = *self.weights;
        let norm = k1 * (1.0 - b + b * vector.len as f32 / self.mean_file_len);
        let lens = vector.identifier_counts_by_chunk();
        let mut chunks = vec![0.0_f32; lens.len()];
        let mut sum = 0.0;
        for (word, entry) in held {
            let worth = self.word_weights.get(usize::from(*word)).copied().unwrap_or(0.0);
            let mut count = 0;
            for (chunk, here) in vector.counts_of_term_by_chunk(*entry as usize) {
                count += here;
                if let (Some(score), Some(len)) = (chunks.get_mut(chunk), lens.get(chunk)) {
                    *score += self.bm25_of_word(usize::from(*word), here, *len);
                }
            }
            sum += worth * (k1 + 1.0) * count as f32 / (count as f32 + norm);
        }
        // The scores of the three best chunks, highest first.
        let mut best = [0.0_f32; 3];
        for score in chunks {
            let mut score = score;
            for entry in &mut best {
                if score > *entry {
                    std::mem::swap(&mut score, entry);
                }
            }
        }
        let shares = [1.0, second, second * second];
        let best: f32 = best.iter().zip(shares).map(|(score, share)| score * share).sum();
        (sum, best / shares.iter().sum::<f32>())
    }

    /// The score of the words of the question in a path, from 0 to 1.
    fn path_score(&self, hits: &[PathHit]) -> f32 {
        let worth = |hit: &PathHit| {
            let weight =
                |weights: &PathWordWeights| if hit.is_abbreviated { weights.abbreviated } else { weights.exact };
            self.path_word_weights.get(hit.word).map_or(0.0, weight) * hit.share
        };
        let sum = hits.iter().map(worth).fold(0.0, |sum, part| sum + part);
        sum / (sum + self.half_score_path_weight)
    }

    /// How certainly the question refers to a file by its path, module or stack frame; 0 if it does not.
    fn certainty_of_reference_to_file(&self, path: &str) -> f32 {
        let strength = |named: &FileReference| {
            let sure = if named.is_asked_for { ASKED_FILE_FACTOR } else { 1.0 };
            file_reference_match_score(named, path) * sure * named.weight / (named.weight + 0.3)
        };
        self.question.file_references.iter().map(strength).fold(0.0, f32::max)
    }

    /// The line that the question cites of the file at `path`, if the question asks for that file.
    pub fn line_cited_in_question(&self, path: &str) -> Option<u32> {
        let asked_for = self
            .question
            .file_references
            .iter()
            .filter(|named| named.is_asked_for && file_reference_match_score(named, path) > FILE_NAME_ONLY_MATCH);
        asked_for.filter_map(|named| named.line).next()
    }

    /// The total weight of the names that the question mentions and that the file defines.
    fn weight_of_mentions_defined_in_file(&self, path: &str, vector: &TermVector) -> f32 {
        self.mentions_defined_in_file(path, vector).fold(0.0, |sum, (_, worth)| sum + worth)
    }

    fn mentions_defined_in_file<'b>(
        &'b self,
        path: &'b str,
        vector: &'b TermVector,
    ) -> impl Iterator<Item = (&'a Mention, f32)> + 'b {
        let each = self.question.mentions.iter().zip(&self.mention_weights);
        each.filter(|(mention, _)| vector.seems_to_define_name(mention.term)).map(move |(mention, worth)| {
            let owned = mention.owner.as_deref().is_some_and(|owner| {
                vector.seems_to_define_name(crate::words::hash_identifier_as_term(owner))
                    || path.split(['/', '.']).any(|part| part == owner)
            });
            (mention, if owned { worth * 1.5 } else { *worth })
        })
    }

    /// The reasons for a file's rank: the ranking signals that counted, as text, weightiest first.
    pub fn reasons_for_rank(&self, file: &ScoredFile<'_>) -> Vec<String> {
        let (weights, signals) = (self.weights, &file.signals);
        let FileToRank { entry, path_features, vector } = file.subject;
        let mut reasons: Vec<(f32, String)> = Vec::new();
        if signals.named > 0.0 {
            let best = self
                .question
                .file_references
                .iter()
                .map(|named| file_reference_match_score(named, &entry.path))
                .fold(0.0, f32::max);
            let reason = if best > FILE_NAME_ONLY_MATCH {
                "named in the question"
            } else {
                "has a name that is in the question"
            };
            reasons.push((weights.named * signals.named, reason.to_owned()));
        }
        let words = |holds: &dyn Fn(usize) -> bool| {
            let mut held: Vec<(f32, Cow<'_, str>)> = self
                .question
                .words
                .iter()
                .zip(&self.word_weights)
                .enumerate()
                .filter(|(index, _)| holds(*index))
                .map(|(_, (word, worth))| (*worth, self.question.shown_word(word)))
                .collect();
            held.sort_by(|a, b| b.0.total_cmp(&a.0));
            held.into_iter().map(|(_, word)| word).take(MAX_LISTED_NAMES).collect::<Vec<_>>().join(", ")
        };
        if let Some(vector) = vector {
            if signals.mentions > 0.0 {
                let mut names: Vec<&str> = self
                    .mentions_defined_in_file(&entry.path, vector)
                    .map(|(mention, _)| mention.name.as_str())
                    .collect();
                names.dedup();
                names.truncate(MAX_LISTED_NAMES);
                reasons.push((weights.mentions * signals.mentions, format!("defines {}", names.join(", "))));
            }
            let has = |index: usize| {
                self.question.words.get(index).is_some_and(|word| vector.term_index(word.term).is_some())
            };
            if signals.words > 0.0 {
                reasons.push((weights.words * signals.words, format!("words: {}", words(&has))));
            }
        }
        if signals.path > 0.0 {
            let hits = find_question_words_in_path(path_features, &self.question_words, &self.abbreviable_words);
            let has = |index: usize| hits.iter().any(|hit| hit.word == index);
            reasons.push((weights.path * signals.path, format!("path: {}", words(&has))));
        }
        if signals.quoted > 0.0 {
            reasons.push((weights.quoted * signals.quoted, "holds a message that is quoted".to_owned()));
        }
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut reasons: Vec<String> = reasons.into_iter().map(|(_, reason)| reason).collect();
        if path_features.kind != FileKind::Source {
            reasons.push(format!("kind: {}", path_features.kind.as_str()));
        }
        reasons
    }
}

/// Sorts files by score, best first; files with equal scores are sorted by path.
pub(super) fn sort_files_best_first(files: &mut [ScoredFile<'_>]) {
    files.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.subject.entry.path.cmp(&b.subject.entry.path)));
}

/// The inverse document frequency, in Lucene's form, of a word that `holders` of `total` files contain.
fn inverse_document_frequency(total: f32, holders: f32) -> f32 {
    if holders == 0.0 { 0.0 } else { (1.0 + (total - holders + 0.5) / (holders + 0.5)).ln() }
}

/// The inverse document frequency of each word of the question, given the numbers of files that hold them. A word that
/// code uses for another word of the question is taken for no rarer than that word, unless no file holds that word:
/// what the question says itself counts more.
fn rarities_of_words(question: &Question, total: f32, holders: &[usize]) -> Vec<f32> {
    let own: Vec<f32> =
        holders.iter().map(|holders| inverse_document_frequency(total, count_as_f32(*holders))).collect();
    let rarity_of_term = |term: &Term| {
        let index = question.words.iter().position(|word| word.term == *term)?;
        own.get(index).copied().filter(|rarity| *rarity > 0.0)
    };
    let capped = question.words.iter().zip(&own).map(|(word, rarity)| {
        let sources = word.stands_for.iter().filter(|_| !word.is_in_question()).filter_map(rarity_of_term);
        sources.reduce(f32::max).map_or(*rarity, |most| most.min(*rarity))
    });
    capped.collect()
}

/// How well a path matches a file reference in the question, from 0 to 1.
fn file_reference_match_score(named: &FileReference, path: &str) -> f32 {
    let parts: Vec<&str> = path.split('/').collect();
    if named.is_file {
        // Compared from the end: a stack frame's `/usr/lib/x/site-packages/app/core.py` can be `src/app/core.py` in the
        // project.
        let same = named.parts.iter().rev().zip(parts.iter().rev()).take_while(|(a, b)| a.as_str() == **b).count();
        return match same {
            0 => 0.0,
            // A file name alone is weak evidence when the question gives folders that do not match.
            1 if named.parts.len() > 1 && parts.len() > 1 => FILE_NAME_ONLY_MATCH,
            1 => 0.8,
            _ => 1.0,
        };
    }
    // A dotted name such as `pkg.module.Class.method` matches by its longest prefix that is the path of a file.
    let (name, folders) = match parts.split_last() {
        Some((name, folders)) => (name.split('.').next().unwrap_or(name), folders),
        None => return 0.0,
    };
    let is_index = language::well_known_project_files_of_languages().any(|files| files.index_stems.contains(&name));
    let mut module: Vec<&str> = folders.to_vec();
    if !is_index {
        module.push(name);
    }
    for end in (2..=named.parts.len()).rev() {
        let wanted = named.parts.get(..end).unwrap_or(&[]);
        let same = wanted.iter().rev().zip(module.iter().rev()).take_while(|(a, b)| a.as_str() == **b).count();
        if same == end || (same + 1 == end && same >= 2) {
            return if is_index { 0.6 } else { 1.0 };
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str) -> FileReference {
        let is_file = path.ends_with(".py");
        let parts = path.split(if is_file { '/' } else { '.' }).map(str::to_owned).collect();
        FileReference { parts, is_file, weight: 1.0, is_asked_for: false, line: None }
    }

    #[test]
    fn paths_and_modules_fit_files() {
        assert_eq!(file_reference_match_score(&named("usr/lib/app/core.py"), "src/app/core.py"), 1.0);
        assert_eq!(file_reference_match_score(&named("core.py"), "src/app/core.py"), 0.8);
        assert_eq!(file_reference_match_score(&named("x/core.py"), "src/app/core.py"), 0.35);
        assert_eq!(file_reference_match_score(&named("app.core.Engine.start"), "src/app/core.py"), 1.0);
        assert_eq!(file_reference_match_score(&named("app.core.Engine.start"), "src/app/core/__init__.py"), 0.6);
        assert_eq!(file_reference_match_score(&named("app.core.Engine.start"), "src/app/cores.py"), 0.0);
    }

    #[test]
    fn short_forms_do_not_lower_the_weight_of_the_word_itself() {
        let paths: Vec<String> =
            (0..50).map(|number| format!("conf/part{number}.rs")).chain(["configuration.rs".to_owned()]).collect();
        let features: Vec<PathFeatures> = paths.iter().map(|path| PathFeatures::from_path(path)).collect();
        let counter = QuestionWordIndex::new([hash_word("configuration")].into_iter());
        let abbreviable = [(0, "configuration")];
        let hits = |path: usize| find_question_words_in_path(&features[path], &counter, &abbreviable);
        assert!(hits(0)[0].is_abbreviated && !hits(50)[0].is_abbreviated);
        assert_eq!((hits(0).len(), hits(50).len()), (1, 1));
    }

    fn hash_word(word: &str) -> Term {
        crate::words::hash_word_as_term(&crate::words::IdentifierSplitter::new().stem(word))
    }

    #[test]
    fn a_related_word_is_no_rarer_than_the_word_that_it_stands_for() {
        let question = Question::new("search");
        let holders = |of: &[(&str, usize)]| -> Vec<usize> {
            let count = |text: &str| of.iter().find(|(word, _)| *word == text).map_or(0, |(_, count)| *count);
            question.words.iter().map(|word| count(&word.text)).collect()
        };
        let rarity = |holders: &[usize], text: &str| {
            let all = rarities_of_words(&question, 100.0, holders);
            let index = question.words.iter().position(|word| word.text == text).expect(text);
            all[index]
        };
        let common = holders(&[("search", 50), ("lookup", 1)]);
        assert_eq!(rarity(&common, "lookup"), rarity(&common, "search"));
        let absent = holders(&[("lookup", 1)]);
        assert!(rarity(&absent, "lookup") > rarity(&common, "lookup"));
        assert_eq!(rarity(&absent, "search"), 0.0);
    }
}
