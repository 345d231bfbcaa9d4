//! Functions, class headers and sections of the best files.

use peelback_syntax::{Lines, Symbol, SymbolKind, walk_symbols};

use super::score::{Candidate, MEAN_PIECE, Scorer, precise};
use super::{MOST_PARSED, PassageSignals, RankedPassage};
use crate::access::{Analysed, CodeAccess, in_order_of};
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::source::SourceFile;

/// A passage before it is known how its file stands.
struct Piece {
    symbol: Symbol,
    lines: Lines,
    text: String,
    bm25: f32,
    name: f32,
    mention: f32,
    words: Vec<usize>,
}

/// What was found in one file.
struct Parsed {
    file: usize,
    pieces: Vec<Piece>,
}

impl CodeAccess {
    /// Parses the best files, and returns all their passages in which something counts, best first; and how many files
    /// were parsed.
    pub(super) fn passages(
        &self,
        scorer: &Scorer<'_>,
        files: &[Candidate],
        evidence: &mut Evidence,
    ) -> (Vec<RankedPassage>, usize) {
        let best = files.get(..files.len().min(MOST_PARSED)).unwrap_or(&[]);
        let size = |file: &Candidate| std::fs::metadata(&file.place.absolute).map_or(0, |metadata| metadata.len());
        let sizes: Vec<u64> = best.iter().map(size).collect();
        let work = self.project().work();
        let (read, left) = in_order_of(&sizes, work, |file| {
            let place = &best.get(file)?.place;
            if sizes.get(file).is_some_and(|size| *size > super::MAX_CONTENT_BYTES) {
                return None;
            }
            let text = match SourceFile::read(place) {
                Ok(text) => text,
                Err(CodeError::Binary { .. }) => return None,
                Err(error) => return Some(Err((place.path.clone(), error.to_string()))),
            };
            Some(Ok(Parsed { file, pieces: pieces(scorer, &self.analyse(text)) }))
        });
        let parsed = sizes.len() - left;
        work.cut_short(left, sizes.len(), evidence);
        let mut all: Vec<Parsed> = Vec::with_capacity(read.len());
        for result in read {
            match result {
                Ok(parsed) => all.push(parsed),
                Err((path, reason)) => evidence.skip(&path, reason),
            }
        }
        let most = |part: fn(&Piece) -> f32| {
            all.iter().flat_map(|parsed| &parsed.pieces).map(part).fold(f32::MIN_POSITIVE, f32::max)
        };
        let (most_bm25, most_name) = (most(|piece| piece.bm25), most(|piece| piece.name));
        let weights = scorer.weights;
        let own = |piece: &Piece| {
            piece.bm25 / most_bm25
                + weights.passage_name * piece.name / most_name
                + weights.passage_mention * piece.mention
        };
        let most_own = all.iter().flat_map(|parsed| &parsed.pieces).map(own).fold(f32::MIN_POSITIVE, f32::max);
        let most_file = files.iter().map(|file| file.hit.score).fold(f32::MIN_POSITIVE, f32::max);
        let mut passages: Vec<RankedPassage> = Vec::new();
        for parsed in all {
            let Some(file) = files.get(parsed.file) else { continue };
            let standing = file.hit.score / most_file;
            for piece in parsed.pieces {
                if scorer.kind.is_some_and(|kind| piece.symbol.kind != kind) {
                    continue;
                }
                let kind = file.hit.signals.kind;
                let score = (own(&piece) / most_own + weights.passage_file * standing) * kind.powf(weights.kind);
                let signals = PassageSignals {
                    words: piece.bm25 / most_bm25,
                    name: piece.name / most_name,
                    mention: piece.mention,
                    file: standing,
                    kind,
                };
                let reasons = scorer.passage_reasons(&piece);
                let Piece { symbol, lines, text, .. } = piece;
                let path = file.hit.path.clone();
                passages.push(RankedPassage { path, symbol, lines, score, signals, reasons, text });
            }
        }
        let place = |passage: &RankedPassage| (passage.path.clone(), passage.lines.first, passage.symbol.bytes.start);
        passages.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
        (apart(passages), parsed)
    }
}

impl Scorer<'_> {
    fn passage_reasons(&self, piece: &Piece) -> Vec<String> {
        let mut reasons = Vec::new();
        if piece.mention > 0.0 {
            reasons.push("mentioned in the question".to_owned());
        }
        let mut words: Vec<(f32, &str)> = piece
            .words
            .iter()
            .filter_map(|index| Some((*self.worth.get(*index)?, self.question.words.get(*index)?.text.as_str())))
            .collect();
        words.sort_by(|a, b| b.0.total_cmp(&a.0));
        if !words.is_empty() {
            let words: Vec<&str> = words.into_iter().map(|(_, word)| word).take(5).collect();
            reasons.push(format!("words: {}", words.join(", ")));
        }
        reasons
    }
}

/// Without the passages that overlap a better one of their file.
fn apart(passages: Vec<RankedPassage>) -> Vec<RankedPassage> {
    let mut taken: std::collections::HashMap<String, Vec<Lines>> = std::collections::HashMap::new();
    let mut kept = Vec::with_capacity(passages.len());
    for passage in passages {
        let taken = taken.entry(passage.path.clone()).or_default();
        if taken.iter().all(|other| other.last < passage.lines.first || passage.lines.last < other.first) {
            taken.push(passage.lines);
            kept.push(passage);
        }
    }
    kept
}

/// The passages of a file in which something counts.
fn pieces(scorer: &Scorer<'_>, analysed: &Analysed) -> Vec<Piece> {
    let mut owners: Vec<&Symbol> = Vec::new();
    let mut pieces = Vec::new();
    for (symbol, depth) in walk_symbols(&analysed.facts.symbols) {
        owners.truncate(depth);
        let owner = owners.last().copied();
        owners.push(symbol);
        let Some(lines) = extent(symbol, owner) else { continue };
        let text = analysed.file.lines(lines.first, lines.last);
        let (counts, len) = scorer.counter.count(text);
        let bm25 = scorer.bm25(counts.iter().copied(), len, MEAN_PIECE, scorer.weights.passage_b);
        let in_name = scorer.counter.count(&symbol.qualified_name).0;
        let own_name = scorer.counter.count(&symbol.name).0;
        let name: f32 = scorer
            .worth
            .iter()
            .zip(own_name.iter().zip(&in_name))
            .map(|(worth, (own, all))| {
                if *own > 0 {
                    *worth
                } else if *all > 0 {
                    0.5 * worth
                } else {
                    0.0
                }
            })
            .sum();
        let name = name / precise(super::words::parts(&symbol.name).len().max(1)).sqrt();
        let mention = mention(scorer, symbol, owner);
        if bm25 <= 0.0 && mention <= 0.0 {
            continue;
        }
        let words = counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(index, _)| index).collect();
        pieces.push(Piece { symbol: symbol.alone(), lines, text: text.to_owned(), bm25, name, mention, words });
    }
    pieces
}

/// The lines that a symbol is ranked by: all of a function, a class up to its first member, a section up to the next
/// one; `None` for what is part of another passage.
fn extent(symbol: &Symbol, owner: Option<&Symbol>) -> Option<Lines> {
    use SymbolKind as Kind;
    let in_function = owner.is_some_and(|owner| owner.kind.is_callable());
    if symbol.local || in_function {
        return None;
    }
    let first = symbol.outer_line.min(symbol.lines.first);
    let last = match symbol.kind {
        // Its head says no more than the type that it is of.
        Kind::Impl => return None,
        _ if symbol.kind.is_callable() => symbol.lines.last,
        Kind::Variable | Kind::Constant | Kind::Field | Kind::Property | Kind::EnumMember | Kind::Key => {
            // Large tables are looked for; a field belongs to its type.
            let is_large = owner.is_none() && symbol.lines.last > symbol.lines.first;
            return is_large.then_some(Lines { first, last: symbol.lines.last });
        }
        _ => {
            let is_member = |child: &&Symbol| child.kind.is_callable() || child.kind == symbol.kind;
            let member = symbol.children.iter().find(is_member);
            member.map_or(symbol.lines.last, |member| member.outer_line.min(member.lines.first).saturating_sub(1))
        }
    };
    Some(Lines { first, last: last.max(symbol.lines.first).max(first) })
}

/// How surely the question mentions a symbol, from 0 to 1.
fn mention(scorer: &Scorer<'_>, symbol: &Symbol, owner: Option<&Symbol>) -> f32 {
    let own = symbol.container.as_deref().or(owner.map(|owner| owner.name.as_str()));
    let each = scorer.question.mentions.iter().zip(&scorer.mentions).filter(|(mention, _)| mention.name == symbol.name);
    each.map(|(mention, worth)| {
        let owned = mention.owner.is_some() && mention.owner.as_deref() == own;
        if owned { 1.0 } else { (*worth).max(0.15) }
    })
    .fold(0.0, f32::max)
}

/// How much of a message that a program printed a text holds, from 0 to 1: names and numbers were put in when it was
/// printed, so that part of it is enough.
pub(super) fn holds_message(text: &str, message: &str) -> f32 {
    let is_plain = |word: &str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | ',' | '-'));
    let words: Vec<&str> = message.split_whitespace().collect();
    let mut longest = 0;
    for run in words.split(|word| !is_plain(word)).filter(|run| run.len() >= LEAST_RUN) {
        for start in 0..=run.len() - LEAST_RUN {
            // Longer runs from the same word hold the shorter ones.
            let mut end = start + longest.max(LEAST_RUN - 1) + 1;
            while run.get(start..end).is_some_and(|part| text.contains(&part.join(" "))) {
                longest = end - start;
                end += 1;
            }
        }
    }
    match longest {
        0 => 0.0,
        _ => (precise(longest) / 6.0).min(1.0),
    }
}

/// Words in a row that are no accident.
const LEAST_RUN: usize = 4;
