//! Files ranked by what their text and their path tell.

use std::sync::Arc;

use peelback_syntax::SymbolKind;
use rayon::prelude::*;

use super::kind::FileKind;
use super::question::{Mention, Named, Question, Word};
use super::vector::{Counter, TermVector, with_splitter};
use super::weights::Weights;
use super::words::{identifiers, parts};
use super::{RankQuery, RankedFile, Signals};
use crate::project::Place;

/// Reasons of one kind that an answer names.
const MOST_NAMED: usize = 5;

/// A question against a set of files: what each word of it is worth there.
pub(super) struct Scorer<'a> {
    pub question: &'a Question,
    pub weights: &'a Weights,
    /// The kind of passages that are sought.
    pub kind: Option<SymbolKind>,
    pub counter: Counter,
    /// What each word of the question is worth: how much the question stresses it, times how rare it is.
    pub worth: Vec<f32>,
    /// Which words each file has.
    held: Vec<Held>,
    /// The sum of them.
    all_worth: f32,
    /// The words that a path may abbreviate, with their places.
    long: Vec<(usize, &'a str)>,
    /// The words in the path of each file.
    paths: Vec<Vec<PathHit>>,
    /// What each file is for.
    kinds: Vec<FileKind>,
    /// What each word is worth in a path.
    path_worth: Vec<f32>,
    /// The worth of a word that the question stresses most and one path alone has.
    path_half: f32,
    /// What each mention is worth: the less, the more files define the name.
    pub mentions: Vec<f32>,
    mean_len: f32,
}

/// The words of the question that a file has: each by its place in the question and in the file's vector.
type Held = Box<[(u16, u32)]>;

/// Identifiers that a piece may have before its length counts against it.
pub(super) const MEAN_PIECE: f32 = 120.0;

/// Mentions that are worth less than this, all together, tell less than their share.
const LEAST_MENTIONED: f32 = 0.5;

/// A word of the question in a path.
#[derive(Clone, Copy)]
struct PathHit {
    word: usize,
    /// How much of the path it is: 1 for the whole name of the file, a quarter for a folder.
    share: f32,
}

/// The words of the question in paths.
struct PathReader<'a> {
    counter: &'a Counter,
    /// The words that a path may abbreviate, with their places.
    long: &'a [(usize, &'a str)],
    /// The folders of the last path, with their words: the next one is often in the same.
    folders: (&'a str, Vec<PathHit>),
}

impl<'a> PathReader<'a> {
    fn new(counter: &'a Counter, long: &'a [(usize, &'a str)]) -> Self {
        Self { counter, long, folders: ("", Vec::new()) }
    }

    fn hits(&mut self, path: &'a str) -> Vec<PathHit> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let stem = if stem.is_empty() { name } else { stem };
        if self.folders.0 != folders {
            let mut hits = Vec::new();
            self.add(folders, FOLDER_SHARE, &mut hits);
            self.folders = (folders, hits);
        }
        let mut hits = self.folders.1.clone();
        let own = with_splitter(|splitter| splitter.terms(stem).as_slice().len()).max(1);
        // A name that says more than was asked fits less.
        self.add(stem, 1.0 / precise(own).sqrt(), &mut hits);
        hits
    }

    fn add(&self, text: &str, share: f32, hits: &mut Vec<PathHit>) {
        let mut add = |word: usize, share: f32| match hits.iter_mut().find(|hit| hit.word == word) {
            Some(hit) => hit.share = hit.share.max(share),
            None => hits.push(PathHit { word, share }),
        };
        for (_, identifier) in identifiers(text) {
            let terms = with_splitter(|splitter| splitter.terms(identifier));
            for term in terms.as_slice() {
                if let Some(word) = self.counter.word(*term) {
                    add(word, share);
                }
            }
            if self.long.is_empty() {
                continue;
            }
            for part in parts(identifier).into_iter().filter(|part| part.len() >= LEAST_ABBREVIATION) {
                let is_abbreviated = |word: &str| {
                    word.len() > part.len()
                        && word
                            .as_bytes()
                            .get(..part.len())
                            .is_some_and(|head| head.eq_ignore_ascii_case(part.as_bytes()))
                };
                let abbreviated = self.long.iter().filter(|(_, word)| is_abbreviated(word));
                abbreviated.for_each(|(word, _)| add(*word, share * ABBREVIATED));
            }
        }
    }
}

/// Paths that one thread reads in a row.
const PATHS_AT_ONCE: usize = 256;

/// What a word in a folder's name counts beside one that is a file's whole name.
const FOLDER_SHARE: f32 = 0.25;

/// Letters of an abbreviation that is no accident.
const LEAST_ABBREVIATION: usize = 4;

/// What an abbreviation counts (`auth` for `authentication`).
const ABBREVIATED: f32 = 0.8;

/// A file with what is not shown of it.
pub(super) struct Candidate {
    pub hit: RankedFile,
    pub place: Place,
    pub vector: Option<Arc<TermVector>>,
}

impl<'a> Scorer<'a> {
    pub fn new(query: &'a RankQuery, places: &[Place], vectors: &[Option<Arc<TermVector>>]) -> Self {
        let RankQuery { question, weights, .. } = query;
        let known: Vec<&TermVector> =
            vectors.iter().flatten().map(Arc::as_ref).filter(|vector| vector.len > 0).collect();
        let total = precise(places.len().max(1));
        let stress = |word: &Word| {
            let stress = word.stress(weights);
            stress * (weights.k3 + 1.0) / (stress + weights.k3)
        };
        let held: Vec<Held> = vectors
            .par_iter()
            .map(|vector| {
                let Some(vector) = vector else { return Held::default() };
                let words = (0_u16..).zip(&question.words);
                words.filter_map(|(index, word)| Some((index, u32::try_from(vector.place(word.term)?).ok()?))).collect()
            })
            .collect();
        let mut holders = vec![0_usize; question.words.len()];
        for (word, _) in held.iter().flatten() {
            if let Some(count) = holders.get_mut(usize::from(*word)) {
                *count += 1;
            }
        }
        let worth: Vec<f32> = question
            .words
            .iter()
            .zip(holders)
            .map(|(word, holders)| stress(word) * rarity(total, precise(holders)))
            .collect();
        let counter = Counter::new(question.words.iter().map(|word| word.term));
        let long: Vec<(usize, &str)> = question
            .words
            .iter()
            .enumerate()
            .filter_map(|(index, word)| word.long().map(|text| (index, text)))
            .collect();
        let chunks = places.par_chunks(PATHS_AT_ONCE);
        let paths: Vec<Vec<PathHit>> = chunks
            .flat_map_iter(|places| {
                let mut reader = PathReader::new(&counter, &long);
                places.iter().map(move |place| reader.hits(&place.path))
            })
            .collect();
        let kinds: Vec<FileKind> = places.par_iter().map(|place| FileKind::of(&place.path)).collect();
        let mut holders = vec![0_usize; question.words.len()];
        for hit in paths.iter().flatten() {
            if let Some(count) = holders.get_mut(hit.word) {
                *count += 1;
            }
        }
        let path_worth: Vec<f32> = question
            .words
            .iter()
            .zip(holders)
            .map(|(word, holders)| stress(word) * rarity(total, precise(holders)))
            .collect();
        let most_stress = question.words.iter().map(stress).fold(f32::MIN_POSITIVE, f32::max);
        let mentions = question
            .mentions
            .par_iter()
            .map(|mention| {
                let definers = known.iter().filter(|vector| vector.defines(mention.term)).count();
                let stress = mention.weight / (mention.weight + 0.5);
                if definers == 0 { 0.0 } else { stress / (1.0 + precise(definers).ln()) }
            })
            .collect();
        let len: f32 = known.iter().map(|vector| vector.len as f32).sum();
        Self {
            question,
            weights,
            kind: query.kind,
            counter,
            held,
            long,
            paths,
            kinds,
            path_worth,
            path_half: most_stress * rarity(total, 1.0),
            all_worth: worth.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            worth,
            mentions,
            mean_len: (len / precise(known.len().max(1))).max(1.0),
        }
    }

    /// BM25 of counts in a text of so many words.
    pub fn bm25(&self, counts: impl Iterator<Item = u32>, len: u32, mean_len: f32, b: f32) -> f32 {
        let k1 = self.weights.k1;
        let norm = k1 * (1.0 - b + b * len as f32 / mean_len.max(1.0));
        let each = self.worth.iter().zip(counts).filter(|(_, count)| *count > 0);
        each.map(|(worth, count)| worth * (k1 + 1.0) * count as f32 / (count as f32 + norm))
            .fold(0.0, |sum, part| sum + part)
    }

    /// All files in which something counts, best first, ties by path.
    pub fn files(&self, places: &[Place], vectors: &[Option<Arc<TermVector>>]) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = places
            .par_iter()
            .zip(vectors)
            .enumerate()
            .filter_map(|(index, (place, vector))| {
                let signals = self.signals(index, place, vector.as_deref());
                let is_empty =
                    [signals.words, signals.path, signals.named, signals.mentions].iter().all(|part| *part <= 0.0);
                (!is_empty).then(|| Candidate {
                    hit: RankedFile {
                        path: place.path.clone(),
                        score: 0.0,
                        kind: self.kinds.get(index).copied().unwrap_or(FileKind::Source),
                        signals,
                        reasons: Vec::new(),
                    },
                    place: place.clone(),
                    vector: vector.clone(),
                })
            })
            .collect();
        // What has no bound of its own counts as a share of the best.
        let most = |part: fn(&Signals) -> f32| found.iter().map(|file| part(&file.hit.signals)).fold(0.0, f32::max);
        let (words, mentions) = (most(|signals| signals.words), most(|signals| signals.mentions));
        let best = most(|signals| signals.best);
        for signals in found.iter_mut().map(|file| &mut file.hit.signals) {
            signals.words /= words.max(f32::MIN_POSITIVE);
            signals.mentions /= mentions.max(LEAST_MENTIONED);
            signals.best /= best.max(f32::MIN_POSITIVE);
        }
        found.iter_mut().for_each(|file| file.hit.score = self.sum(&file.hit.signals));
        sort(&mut found);
        found
    }

    /// The weighted sum of signals.
    pub fn sum(&self, signals: &Signals) -> f32 {
        let weights = self.weights;
        let sum = weights.words * signals.words
            + weights.coverage * signals.coverage
            + weights.path * signals.path
            + weights.named * signals.named
            + weights.mentions * signals.mentions
            + weights.best * signals.best
            + weights.quoted * signals.quoted;
        sum * signals.kind.powf(weights.kind)
    }

    fn signals(&self, index: usize, place: &Place, vector: Option<&TermVector>) -> Signals {
        let kind = self.kinds.get(index).map_or(1.0, |kind| kind.weight(self.question));
        let path = self.paths.get(index).map_or(0.0, |hits| self.path(hits));
        let mut signals = Signals { kind, path, named: self.named(&place.path), ..Signals::default() };
        if let Some(vector) = vector {
            let held = self.held.get(index).map_or(&[][..], |held| held);
            (signals.words, signals.best) = self.words(held, vector);
            let worth = held.iter().filter_map(|(word, _)| self.worth.get(usize::from(*word)));
            signals.coverage = worth.fold(0.0, |sum, worth| sum + worth) / self.all_worth;
            signals.mentions = self.mentioned(&place.path, vector);
        }
        signals
    }

    /// BM25 of a file, and of the best pieces of it.
    fn words(&self, held: &[(u16, u32)], vector: &TermVector) -> (f32, f32) {
        let Weights { k1, b, passage_b, second, .. } = *self.weights;
        let norm = k1 * (1.0 - b + b * vector.len as f32 / self.mean_len);
        let lens = vector.pieces();
        let mut pieces = vec![0.0_f32; lens.len()];
        let mut sum = 0.0;
        for (word, place) in held {
            let worth = self.worth.get(usize::from(*word)).copied().unwrap_or(0.0);
            let mut count = 0;
            for (piece, here) in vector.hits(*place as usize) {
                count += here;
                if let (Some(score), Some(len)) = (pieces.get_mut(piece), lens.get(piece)) {
                    let norm = k1 * (1.0 - passage_b + passage_b * *len as f32 / MEAN_PIECE);
                    *score += worth * (k1 + 1.0) * here as f32 / (here as f32 + norm);
                }
            }
            sum += worth * (k1 + 1.0) * count as f32 / (count as f32 + norm);
        }
        // The best three, as far as they count.
        let mut best = [0.0_f32; 3];
        for score in pieces {
            let mut score = score;
            for place in &mut best {
                if score > *place {
                    std::mem::swap(&mut score, place);
                }
            }
        }
        let shares = [1.0, second, second * second];
        let best: f32 = best.iter().zip(shares).map(|(score, share)| score * share).sum();
        (sum, best / shares.iter().sum::<f32>())
    }

    /// The words of the question in a path, from 0 to 1.
    fn path(&self, hits: &[PathHit]) -> f32 {
        let worth = |hit: &PathHit| self.path_worth.get(hit.word).copied().unwrap_or(0.0) * hit.share;
        let sum = hits.iter().map(worth).fold(0.0, |sum, part| sum + part);
        sum / (sum + self.path_half)
    }

    /// How surely the question names a file.
    fn named(&self, path: &str) -> f32 {
        let strength = |named: &Named| fit(named, path) * named.weight / (named.weight + 0.3);
        self.question.named.iter().map(strength).fold(0.0, f32::max)
    }

    /// What the names are worth that the question mentions and the file defines.
    fn mentioned(&self, path: &str, vector: &TermVector) -> f32 {
        self.defined(path, vector).fold(0.0, |sum, (_, worth)| sum + worth)
    }

    fn defined<'b>(&'b self, path: &'b str, vector: &'b TermVector) -> impl Iterator<Item = (&'a Mention, f32)> + 'b {
        let each = self.question.mentions.iter().zip(&self.mentions);
        each.filter(|(mention, _)| vector.defines(mention.term)).map(move |(mention, worth)| {
            let owned = mention.owner.as_deref().is_some_and(|owner| {
                vector.defines(super::words::name_term(owner)) || path.split(['/', '.']).any(|part| part == owner)
            });
            (mention, if owned { worth * 1.5 } else { *worth })
        })
    }

    /// Gives files the reasons for their ranks.
    pub fn explain(&self, files: &mut [Candidate]) {
        files.par_iter_mut().for_each(|file| file.hit.reasons = self.reasons(&file.hit, file.vector.as_deref()));
    }

    /// What counted for a file, in words, the weightiest first.
    fn reasons(&self, file: &RankedFile, vector: Option<&TermVector>) -> Vec<String> {
        let (weights, signals) = (self.weights, &file.signals);
        let mut reasons: Vec<(f32, String)> = Vec::new();
        if signals.named > 0.0 {
            reasons.push((weights.named * signals.named, "named in the question".to_owned()));
        }
        let words = |holds: &dyn Fn(usize) -> bool| {
            let mut held: Vec<(f32, &str)> = self
                .question
                .words
                .iter()
                .zip(&self.worth)
                .enumerate()
                .filter(|(index, _)| holds(*index))
                .map(|(_, (word, worth))| (*worth, word.text.as_str()))
                .collect();
            held.sort_by(|a, b| b.0.total_cmp(&a.0));
            held.into_iter().map(|(_, word)| word).take(MOST_NAMED).collect::<Vec<_>>().join(", ")
        };
        if let Some(vector) = vector {
            if signals.mentions > 0.0 {
                let mut names: Vec<&str> =
                    self.defined(&file.path, vector).map(|(mention, _)| mention.name.as_str()).collect();
                names.dedup();
                names.truncate(MOST_NAMED);
                reasons.push((weights.mentions * signals.mentions, format!("defines {}", names.join(", "))));
            }
            let has =
                |index: usize| self.question.words.get(index).is_some_and(|word| vector.place(word.term).is_some());
            if signals.words > 0.0 {
                reasons.push((weights.words * signals.words, format!("words: {}", words(&has))));
            }
        }
        if signals.path > 0.0 {
            let hits = PathReader::new(&self.counter, &self.long).hits(&file.path);
            let has = |index: usize| hits.iter().any(|hit| hit.word == index);
            reasons.push((weights.path * signals.path, format!("path: {}", words(&has))));
        }
        if signals.quoted > 0.0 {
            reasons.push((weights.quoted * signals.quoted, "holds a message that is quoted".to_owned()));
        }
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut reasons: Vec<String> = reasons.into_iter().map(|(_, reason)| reason).collect();
        if file.kind != FileKind::Source {
            reasons.push(format!("kind: {}", file.kind.as_str()));
        }
        reasons
    }
}

/// Best first, ties by path.
pub(super) fn sort(files: &mut [Candidate]) {
    files.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score).then_with(|| a.hit.path.cmp(&b.hit.path)));
}

/// The inverse document frequency as Lucene counts it.
fn rarity(total: f32, holders: f32) -> f32 {
    if holders == 0.0 { 0.0 } else { (1.0 + (total - holders + 0.5) / (holders + 0.5)).ln() }
}

#[expect(clippy::cast_precision_loss, reason = "counts of files and words: the last digits of millions do not matter")]
pub(super) fn precise(count: usize) -> f32 {
    count as f32
}

/// How well a path fits what the question names, from 0 to 1.
fn fit(named: &Named, path: &str) -> f32 {
    let parts: Vec<&str> = path.split('/').collect();
    if named.is_file {
        // What a frame calls `/usr/lib/x/site-packages/app/core.py` is `src/app/core.py` here.
        let same = named.parts.iter().rev().zip(parts.iter().rev()).take_while(|(a, b)| a.as_str() == **b).count();
        return match same {
            0 => 0.0,
            // A name that many files have tells little alone.
            1 if named.parts.len() > 1 && parts.len() > 1 => 0.35,
            1 => 0.8,
            _ => 1.0,
        };
    }
    // `pkg.module.Class.method`: the longest beginning that leads to a file.
    let (name, folders) = match parts.split_last() {
        Some((name, folders)) => (name.split('.').next().unwrap_or(name), folders),
        None => return 0.0,
    };
    let is_index = matches!(name, "__init__" | "index" | "mod" | "lib");
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

    fn named(path: &str) -> Named {
        let is_file = path.ends_with(".py");
        let parts = path.split(if is_file { '/' } else { '.' }).map(str::to_owned).collect();
        Named { parts, is_file, weight: 1.0 }
    }

    #[test]
    fn paths_and_modules_fit_files() {
        assert_eq!(fit(&named("usr/lib/app/core.py"), "src/app/core.py"), 1.0);
        assert_eq!(fit(&named("core.py"), "src/app/core.py"), 0.8);
        assert_eq!(fit(&named("x/core.py"), "src/app/core.py"), 0.35);
        assert_eq!(fit(&named("app.core.Engine.start"), "src/app/core.py"), 1.0);
        assert_eq!(fit(&named("app.core.Engine.start"), "src/app/core/__init__.py"), 0.6);
        assert_eq!(fit(&named("app.core.Engine.start"), "src/app/cores.py"), 0.0);
    }
}
