//! Functions, class headers and sections of the best files.

use std::ops::Range;
use std::sync::Arc;

use peelback_syntax::{Facts, Lines, Symbol, SymbolKind, walk_symbols};

use super::score::{Candidate, Scorer, precise};
use super::vector::{TermVector, with_splitter};
use super::words::{Term, identifiers, parts};
use super::{MAX_CONTENT_BYTES, MOST_PARSED, PassageSignals, RankedPassage, RankedPassages};
use crate::access::{CodeAccess, in_order_of};
use crate::error::CodeError;
use crate::evidence::Evidence;
use crate::source::SourceFile;
use crate::store::Signature;

/// The passages of a file, with their words.
pub(crate) struct FilePassages {
    list: Vec<Passage>,
    /// Counts by piece of the text; passages are such pieces.
    words: TermVector,
    /// Which passage each piece is part of.
    owners: Vec<Option<u16>>,
}

/// What is ranked: a function, the header of a class, a section.
struct Passage {
    symbol: Symbol,
    lines: Lines,
    /// The name of the symbol that it is in.
    owner: Option<String>,
    /// Identifiers.
    len: u32,
    /// The terms of its name, and of its qualified name.
    name: Box<[Term]>,
    qualified: Box<[Term]>,
    /// Parts of its name.
    parts: usize,
}

impl FilePassages {
    fn of(text: &str, facts: &Facts) -> Self {
        let mut list = Vec::new();
        let mut owners: Vec<&Symbol> = Vec::new();
        for (symbol, depth) in walk_symbols(&facts.symbols) {
            owners.truncate(depth);
            let owner = owners.last().copied();
            owners.push(symbol);
            let Some(lines) = extent(symbol, owner) else { continue };
            list.push(Passage {
                lines,
                owner: symbol.container.clone().or_else(|| owner.map(|owner| owner.name.clone())),
                len: 0,
                name: terms(&symbol.name),
                qualified: terms(&symbol.qualified_name),
                parts: parts(&symbol.name).len().max(1),
                symbol: symbol.alone(),
            });
            if list.len() == usize::from(u16::MAX) {
                break;
            }
        }
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1));
        let byte = |line: u32| starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(text.len());
        let ranges: Vec<Range<usize>> =
            list.iter().map(|passage| byte(passage.lines.first)..byte(passage.lines.last + 1)).collect();
        let mut bounds: Vec<usize> = ranges.iter().flat_map(|range| [range.start, range.end]).collect();
        bounds.retain(|bound| *bound > 0 && *bound < text.len());
        bounds.sort_unstable();
        bounds.dedup();
        bounds.truncate(usize::from(u16::MAX) - 1);
        // Of passages that overlap, what both hold is of the later one, which is inside.
        let mut owners = vec![None; bounds.len() + 1];
        for (range, index) in ranges.iter().zip(0_u16..) {
            let first = bounds.partition_point(|bound| *bound <= range.start);
            let last = bounds.partition_point(|bound| *bound < range.end);
            owners.get_mut(first..=last).unwrap_or(&mut []).fill(Some(index));
        }
        let words = TermVector::of_pieces(text, bounds);
        for (len, owner) in words.pieces().iter().zip(&owners) {
            if let Some(passage) = owner.and_then(|owner| list.get_mut(usize::from(owner))) {
                passage.len += len;
            }
        }
        Self { list, words, owners }
    }

    /// The memory that it takes, in bytes, about.
    pub fn bytes(&self) -> usize {
        let names = |passage: &Passage| {
            let symbol = &passage.symbol;
            symbol.name.len() + symbol.qualified_name.len() + symbol.signature.len() + 400
        };
        self.words.bytes() + self.owners.len() * 4 + self.list.iter().map(names).sum::<usize>()
    }
}

/// Each term of a text once.
fn terms(text: &str) -> Box<[Term]> {
    let mut all: Vec<Term> = Vec::new();
    for (_, identifier) in identifiers(text) {
        all.extend_from_slice(with_splitter(|splitter| splitter.terms(identifier)).as_slice());
    }
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// What a question gives a passage, before it is known how the others stand.
#[derive(Clone, Copy)]
struct Points {
    /// Which of its file's passages.
    passage: usize,
    words: f32,
    name: f32,
    mention: f32,
}

/// What was found in one file.
struct Parsed {
    file: usize,
    passages: Arc<FilePassages>,
    points: Vec<Points>,
}

/// A passage in its place.
pub(super) struct Placed<'a> {
    pub file: &'a Candidate<'a>,
    parsed: &'a Parsed,
    passage: &'a Passage,
    points: Points,
    pub score: f32,
    pub signals: PassageSignals,
}

impl Placed<'_> {
    /// Its path, the qualified name of its symbol, and its lines.
    pub fn place(&self) -> (&str, &str, Lines) {
        (&self.file.subject.place.path, &self.passage.symbol.qualified_name, self.passage.lines)
    }
}

/// Best first, ties by path and line.
pub(super) fn sort(placed: &mut [Placed<'_>]) {
    placed.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| {
            let (a_path, _, a_lines) = a.place();
            let (b_path, _, b_lines) = b.place();
            (a_path, a_lines.first, a.points.passage).cmp(&(b_path, b_lines.first, b.points.passage))
        })
    });
}

impl CodeAccess {
    /// Parses the best files, and ranks all their passages in which something counts.
    pub(super) fn passages(
        &self,
        scorer: &Scorer<'_>,
        files: &[Candidate<'_>],
        page: &Range<usize>,
        mut evidence: Evidence,
    ) -> RankedPassages {
        let best = files.get(..files.len().min(MOST_PARSED)).unwrap_or(&[]);
        let found: Vec<Option<Signature>> = best
            .iter()
            .map(|file| std::fs::metadata(&file.subject.place.absolute).ok().and_then(|own| Signature::of(&own)))
            .collect();
        let sizes: Vec<u64> = found.iter().map(|found| found.as_ref().map_or(0, |own| own.size)).collect();
        let facts = self.store().of(self.project().root());
        let work = self.project().work();
        let (read, left) = in_order_of(&sizes, work, |index| {
            let place = best.get(index)?.subject.place;
            if sizes.get(index).is_some_and(|size| *size > MAX_CONTENT_BYTES) {
                return None;
            }
            let known = found.get(index).and_then(Option::as_ref).and_then(|own| facts.known_passages(place, own));
            let passages = match known {
                Some(known) => known,
                None => {
                    let text = match SourceFile::read(place) {
                        Ok(text) => text,
                        Err(CodeError::Binary { .. }) => return None,
                        Err(error) => return Some(Err((place.path.clone(), error.to_string()))),
                    };
                    let analysed = self.analyse(text);
                    let made = Arc::new(FilePassages::of(&analysed.file.text, &analysed.facts));
                    // What a backend told without parsing, or what broke off, may be better the next time.
                    let is_final = analysed.evidence.skipped.is_empty();
                    if let Some(settled) = analysed.file.settled.filter(|_| is_final) {
                        facts.keep_passages(place, &settled, &made);
                    }
                    made
                }
            };
            let points = points(scorer, &passages);
            Some(Ok(Parsed { file: index, passages, points }))
        });
        let parsed = sizes.len() - left;
        work.cut_short(left, sizes.len(), &mut evidence);
        let mut all: Vec<Parsed> = Vec::with_capacity(read.len());
        for result in read {
            match result {
                Ok(parsed) => all.push(parsed),
                Err((path, reason)) => evidence.skip(&path, reason),
            }
        }
        let mut placed = placed(scorer, files, &all);
        self.by_meaning(&scorer.question.text, scorer.weights.meaning, &mut placed, &mut evidence);
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for passage in &placed {
            let path = passage.file.subject.place.path.as_str();
            match counts.iter_mut().find(|(known, _)| *known == path) {
                Some((_, count)) => *count += 1,
                None => counts.push((path, 1)),
            }
        }
        // Of those with as many the best.
        let fullest = counts.iter().rev().max_by_key(|(_, count)| *count).filter(|_| counts.len() > 1);
        let fullest = fullest.map(|(path, count)| ((*path).to_owned(), *count));
        let shown = placed.iter().skip(page.start).take(page.len());
        RankedPassages {
            page: shown.map(|passage| scorer.shown(passage)).collect(),
            total: placed.len(),
            fullest,
            parsed,
            files: files.len(),
            evidence,
        }
    }
}

/// All passages in their order, without those that overlap a better one.
fn placed<'a>(scorer: &Scorer<'_>, files: &'a [Candidate<'a>], all: &'a [Parsed]) -> Vec<Placed<'a>> {
    let most = |part: fn(&Points) -> f32| {
        all.iter().flat_map(|parsed| &parsed.points).map(part).fold(f32::MIN_POSITIVE, f32::max)
    };
    let (most_words, most_name) = (most(|points| points.words), most(|points| points.name));
    let weights = scorer.weights;
    let own = |points: &Points| {
        points.words / most_words
            + weights.passage_name * points.name / most_name
            + weights.passage_mention * points.mention
    };
    let most_own = all.iter().flat_map(|parsed| &parsed.points).map(own).fold(f32::MIN_POSITIVE, f32::max);
    let most_file = files.iter().map(|file| file.score).fold(f32::MIN_POSITIVE, f32::max);
    let mut placed: Vec<Placed<'a>> = Vec::new();
    for parsed in all {
        let Some(file) = files.get(parsed.file) else { continue };
        let standing = file.score / most_file;
        for points in &parsed.points {
            let Some(passage) = parsed.passages.list.get(points.passage) else { continue };
            let kind = file.signals.kind;
            let signals = PassageSignals {
                words: points.words / most_words,
                name: points.name / most_name,
                mention: points.mention,
                file: standing,
                kind,
                meaning: None,
            };
            let score = (own(points) / most_own + weights.passage_file * standing) * kind.powf(weights.kind);
            placed.push(Placed { file, parsed, passage, points: *points, score, signals });
        }
    }
    sort(&mut placed);
    let mut taken: Vec<Vec<Lines>> = vec![Vec::new(); files.len().min(MOST_PARSED)];
    placed.retain(|one| {
        let Some(taken) = taken.get_mut(one.parsed.file) else { return true };
        let lines = one.passage.lines;
        let is_apart = taken.iter().all(|other| other.last < lines.first || lines.last < other.first);
        if is_apart {
            taken.push(lines);
        }
        is_apart
    });
    placed
}

/// What the question gives the passages of a file in which something counts.
fn points(scorer: &Scorer<'_>, file: &FilePassages) -> Vec<Points> {
    let mut words = vec![0.0_f32; file.list.len()];
    let mut counts: Vec<(u16, u32)> = Vec::new();
    for (index, word) in scorer.question.words.iter().enumerate() {
        let Some(place) = file.words.place(word.term) else { continue };
        counts.clear();
        for (piece, count) in file.words.hits(place) {
            let Some(owner) = file.owners.get(piece).copied().flatten() else { continue };
            match counts.iter_mut().rev().find(|(known, _)| *known == owner) {
                Some((_, known)) => *known += count,
                None => counts.push((owner, count)),
            }
        }
        for (owner, count) in &counts {
            let owner = usize::from(*owner);
            if let (Some(sum), Some(passage)) = (words.get_mut(owner), file.list.get(owner)) {
                *sum += scorer.bm25_of(index, *count, passage.len);
            }
        }
    }
    let wanted = |passage: &Passage| scorer.kind.is_none_or(|kind| passage.symbol.kind == kind);
    file.list
        .iter()
        .zip(words)
        .enumerate()
        .filter_map(|(index, (passage, words))| {
            let mention = if wanted(passage) { mention(scorer, passage) } else { return None };
            (words > 0.0 || mention > 0.0).then(|| {
                let worth = |term: &Term| scorer.counter.word(*term).and_then(|word| scorer.worth.get(word).copied());
                let own: f32 = passage.name.iter().filter_map(worth).fold(0.0, |sum, worth| sum + worth);
                let outer = passage.qualified.iter().filter(|term| !passage.name.contains(term));
                let outer = outer.filter_map(worth).fold(0.0, |sum, worth| sum + worth);
                let name = (own + 0.5 * outer) / precise(passage.parts).sqrt();
                Points { passage: index, words, name, mention }
            })
        })
        .collect()
}

impl Scorer<'_> {
    fn shown(&self, placed: &Placed<'_>) -> RankedPassage {
        let Placed { file, parsed, passage, points, score, signals } = placed;
        let mut reasons = Vec::new();
        if points.mention > 0.0 {
            reasons.push("mentioned in the question".to_owned());
        }
        let holds = |term: Term| {
            let place = parsed.passages.words.place(term)?;
            let mut owners =
                parsed.passages.words.hits(place).filter_map(|(piece, _)| *parsed.passages.owners.get(piece)?);
            owners.any(|owner| usize::from(owner) == points.passage).then_some(())
        };
        let mut words: Vec<(f32, &str)> = (self.question.words.iter().zip(&self.worth))
            .filter(|(word, _)| holds(word.term).is_some())
            .map(|(word, worth)| (*worth, word.text.as_str()))
            .collect();
        words.sort_by(|a, b| b.0.total_cmp(&a.0));
        if !words.is_empty() {
            let words: Vec<&str> = words.into_iter().map(|(_, word)| word).take(5).collect();
            reasons.push(format!("words: {}", words.join(", ")));
        }
        RankedPassage {
            path: file.subject.place.path.clone(),
            symbol: passage.symbol.clone(),
            lines: passage.lines,
            score: *score,
            signals: *signals,
            reasons,
        }
    }
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
fn mention(scorer: &Scorer<'_>, passage: &Passage) -> f32 {
    let own = passage.owner.as_deref();
    let each = scorer.question.mentions.iter().zip(&scorer.mentions);
    each.filter(|(mention, _)| mention.name == passage.symbol.name)
        .map(|(mention, worth)| {
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

/// Whether a text has a flag of a command line, and not only a longer one.
pub(super) fn holds_flag(text: &str, flag: &str) -> bool {
    text.match_indices(flag).any(|(at, _)| {
        let rest = text.get(at + flag.len()..).unwrap_or("");
        !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'))
    })
}

/// Words in a row that are no accident.
const LEAST_RUN: usize = 4;
