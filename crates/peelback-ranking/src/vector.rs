//! What the ranking knows of a file from its text alone: how often it has which word in which of its pieces, and which
//! names it defines by the look of it. Nothing is parsed for it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::pieces::{Look, look};
use crate::words::{Defining, Splitter, Term, Wanted, identifiers, name_term};

/// Words of a text with their counts. The text comes in pieces, which begin where a definition seems to.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct TermVector {
    /// In order.
    terms: Box<[Term]>,
    /// Where the hits of each term end.
    ends: Box<[u32]>,
    /// The pieces that have a term, in order.
    pieces: Box<[u16]>,
    /// How often, at most 255.
    counts: Box<[u8]>,
    /// Identifiers of each piece.
    lens: Box<[u32]>,
    /// Whole names that stand behind a word that defines, in order.
    defined: Box<[Term]>,
    /// Identifiers in all.
    pub len: u32,
    /// What the text costs to read, where somebody asked.
    #[serde(skip)]
    pub price: OnceLock<Option<usize>>,
}

thread_local! {
    static SPLITTER: RefCell<Splitter> = RefCell::new(Splitter::new());
    static WANTING: RefCell<Option<(u64, Splitter, Seen)>> = const { RefCell::new(None) };
    static SEEN: RefCell<Seen> = const { RefCell::new(Seen { pieces: 0, last: Vec::new() }) };
}

/// Runs something with this thread's splitter, which knows the identifiers that came by.
pub(super) fn with_splitter<R>(run: impl FnOnce(&mut Splitter) -> R) -> R {
    SPLITTER.with(|splitter| match splitter.try_borrow_mut() {
        Ok(mut splitter) => run(&mut splitter),
        Err(_) => run(&mut Splitter::new()),
    })
}

/// How often more a word counts where it is the name of what the text defines.
const NAMED: u8 = 2;

/// In which piece each identifier was met last.
struct Seen {
    /// Pieces of all texts before, so that none has the number of another.
    pieces: u32,
    /// By the identifier's id: the number of the piece, from 1, and the entry that it made.
    last: Vec<(u32, u32)>,
}

impl Seen {
    /// Begins a text; pieces of it have numbers above this one.
    fn begin(&mut self, most_pieces: usize) -> u32 {
        let most = u32::try_from(most_pieces).unwrap_or(u32::MAX).saturating_add(2);
        let begin = self.pieces;
        match begin.checked_add(most) {
            Some(end) => {
                self.pieces = end;
                begin
            }
            None => {
                self.last.clear();
                self.pieces = most;
                0
            }
        }
    }
}

/// An identifier in a piece.
struct Entry {
    /// That of its id.
    index: usize,
    piece: u16,
    count: u8,
}

impl TermVector {
    /// The words of the text of a file of this name, in pieces by its look.
    pub fn of(name: &str, text: &str) -> Self {
        Self::with(text, &look(name, text))
    }

    /// The same with no other words than those that are wanted, which takes less.
    pub fn of_wanted(name: &str, text: &str, wanted: &Arc<Wanted>) -> Self {
        let look = look(name, text);
        let fresh = || (wanted.number(), Splitter::wanting(Some(wanted.clone())), Seen { pieces: 0, last: Vec::new() });
        WANTING.with(|known| {
            let Ok(mut known) = known.try_borrow_mut() else {
                let (_, mut splitter, mut seen) = fresh();
                return Self::made(text, &look, &mut splitter, &mut seen);
            };
            let (_, splitter, seen) = match known.take_if(|(number, ..)| *number == wanted.number()) {
                Some(same) => known.insert(same),
                None => known.insert(fresh()),
            };
            Self::made(text, &look, splitter, seen)
        })
    }

    /// The words of a text in pieces that begin at these bytes, in order, none of them 0.
    pub fn of_pieces(text: &str, starts: Vec<usize>) -> Self {
        Self::with(text, &Look { starts, functions: Vec::new() })
    }

    fn with(text: &str, look: &Look) -> Self {
        with_splitter(|splitter| {
            SEEN.with(|seen| match seen.try_borrow_mut() {
                Ok(mut seen) => Self::made(text, look, splitter, &mut seen),
                // The ids that were seen are of the thread's splitter, and so is this.
                Err(_) => Self::made(text, look, splitter, &mut Seen { pieces: 0, last: Vec::new() }),
            })
        })
    }

    fn made(text: &str, look: &Look, splitter: &mut Splitter, seen: &mut Seen) -> Self {
        splitter.tidy();
        let bytes = text.as_bytes();
        let begin = seen.begin(look.starts.len().min(usize::from(u16::MAX)));
        let seen = &mut seen.last;
        let mut entries: Vec<Entry> = Vec::with_capacity(text.len() / 16);
        let mut defined: Vec<Term> = Vec::new();
        let mut lens: Vec<u32> = vec![0];
        let mut piece: u16 = 0;
        let mut starts = look.starts.iter().copied().peekable();
        let mut functions = look.functions.iter().copied().peekable();
        let mut before = (Defining::No, 0, 0);
        for (at, identifier) in identifiers(text) {
            while starts.next_if(|start| *start <= at).is_some() {
                if let Some(next) = piece.checked_add(1) {
                    piece = next;
                    lens.push(0);
                }
            }
            let first = bytes[at];
            if first.is_ascii_digit() && identifier.bytes().all(|byte| byte.is_ascii_digit()) {
                before = (Defining::No, at, at);
                continue;
            }
            if let Some(len) = lens.last_mut() {
                *len += 1;
            }
            let end = at + identifier.len();
            if identifier.len() < 2 {
                before = (Defining::No, at, end);
                continue;
            }
            let id = splitter.id_at(bytes, at, identifier);
            let mut entry = None;
            if id.has_terms() {
                let term_index = id.index();
                if term_index >= seen.len() {
                    seen.resize(term_index + term_index / 2 + 64, (0, 0));
                }
                let own = begin + u32::from(piece) + 1;
                match seen[term_index] {
                    (last, known) if last == own => {
                        if let Some(known) = entries.get_mut(known as usize) {
                            known.count = known.count.saturating_add(1);
                        }
                        entry = Some(known);
                    }
                    _ => {
                        let made = u32::try_from(entries.len()).unwrap_or(u32::MAX);
                        seen[term_index] = (own, made);
                        entries.push(Entry { index: term_index, piece, count: 1 });
                        entry = Some(made);
                    }
                }
            }
            let (defining, word_at, word_end) = before;
            let is_defined = match defining {
                Defining::No => {
                    while functions.next_if(|function| *function < at).is_some() {}
                    functions.next_if(|function| *function == at).is_some()
                }
                Defining::Yes => text.get(word_end..at).is_some_and(|between| {
                    between.len() <= 3
                        && between.starts_with([' ', '!', '*'])
                        && !between.contains(['\n', '(', '=', ':', '.', ','])
                }),
                Defining::AtStart => {
                    text.get(word_end..at) == Some(" ") && (word_at == 0 || bytes.get(word_at - 1) == Some(&b'\n'))
                }
            };
            if is_defined {
                if let Some(entry) = entry.and_then(|entry| entries.get_mut(entry as usize)) {
                    entry.count = entry.count.saturating_add(NAMED);
                }
                let name = name_term(identifier);
                if splitter.wants(name) {
                    defined.push(name);
                }
            }
            before = (id.defining(), at, end);
        }
        let mut hits: Vec<u64> = Vec::with_capacity(entries.len() * 2);
        for Entry { index, piece, count } in entries {
            for term in splitter.terms_of(index) {
                hits.push(u64::from(*term) << 32 | u64::from(piece) << 16 | u64::from(count));
            }
        }
        hits.sort_unstable();
        defined.sort_unstable();
        defined.dedup();
        let mut vector = Hits::default();
        for run in hits.chunk_by(|a, b| a >> 16 == b >> 16) {
            let count: u64 = run.iter().map(|hit| hit & 0xffff).sum();
            let (term, piece) = ((run[0] >> 32) as Term, (run[0] >> 16) as u16);
            vector.add(term, piece, u8::try_from(count).unwrap_or(u8::MAX));
        }
        Self {
            terms: vector.terms.into(),
            ends: vector.ends.into(),
            pieces: vector.pieces.into(),
            counts: vector.counts.into(),
            len: lens.iter().sum(),
            lens: lens.into(),
            defined: defined.into(),
            price: OnceLock::new(),
        }
    }

    /// Where a term is among the terms.
    pub fn term_index(&self, term: Term) -> Option<usize> {
        // Terms are hashes, and spread evenly: the first guess is nearly right.
        let terms = &self.terms;
        let mut low = ((u64::from(term) * terms.len() as u64) >> 32) as usize;
        let mut step = 4;
        while low > 0 && terms.get(low).is_none_or(|known| *known > term) {
            low = low.saturating_sub(step);
            step *= 2;
        }
        let (mut high, mut step) = (low, 4);
        while terms.get(high).is_some_and(|known| *known < term) {
            high += step;
            step *= 2;
        }
        let window = terms.get(low..terms.len().min(high + 1))?;
        window.binary_search(&term).ok().map(|index| low + index)
    }

    /// The pieces that have the term at this place, with how often.
    pub fn hits(&self, term_index: usize) -> impl Iterator<Item = (usize, u32)> {
        let start = term_index.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let end = self.ends.get(term_index).map_or(start, |end| *end as usize);
        let pieces = self.pieces.get(start..end).unwrap_or(&[]);
        let counts = self.counts.get(start..end).unwrap_or(&[]);
        pieces.iter().zip(counts).map(|(piece, count)| (usize::from(*piece), u32::from(*count)))
    }

    /// How often a term is there.
    #[cfg(test)]
    fn count(&self, term: Term) -> u32 {
        self.term_index(term).map_or(0, |term_index| self.hits(term_index).map(|(_, count)| count).sum())
    }

    /// Identifiers of each piece.
    pub fn pieces(&self) -> &[u32] {
        &self.lens
    }

    /// Whether the text looks as if it defined the name.
    pub fn defines(&self, name: Term) -> bool {
        self.defined.binary_search(&name).is_ok()
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.terms.len() * 8
            + self.pieces.len() * 3
            + (self.defined.len() + self.lens.len()) * 4
            + size_of::<Self>()
            + 6 * 16
    }
}

/// A vector while it is made.
#[derive(Default)]
struct Hits {
    terms: Vec<Term>,
    ends: Vec<u32>,
    pieces: Vec<u16>,
    counts: Vec<u8>,
}

impl Hits {
    /// Terms and pieces come in order.
    fn add(&mut self, term: Term, piece: u16, count: u8) {
        self.pieces.push(piece);
        self.counts.push(count);
        let end = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        match self.ends.last_mut().filter(|_| self.terms.last() == Some(&term)) {
            Some(last) => *last = end,
            None => {
                self.terms.push(term);
                self.ends.push(end);
            }
        }
    }
}

/// The words of a question by their terms.
pub(super) struct Counter {
    places: HashMap<Term, usize, foldhash::fast::RandomState>,
}

impl Counter {
    pub fn new(terms: impl Iterator<Item = Term>) -> Self {
        Self { places: terms.zip(0..).collect() }
    }

    /// Which word a term is.
    pub fn word(&self, term: Term) -> Option<usize> {
        self.places.get(&term).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_definitions_told_by_their_look() {
        let vector = TermVector::of(
            "a.x",
            "class PairGrid:\n    def map_diag(self):\n        return map_diag2(self)\n\nlet total = 3\nstatic int read_all(FILE *f)\n{\n  go(1);\n}\nfunc (s *Server) Close() error {\n",
        );
        let mut splitter = Splitter::new();
        let map = splitter.terms("map").as_slice()[0];
        // Once where it is called, and three times where it is defined.
        assert_eq!(vector.count(map), 4);
        for name in ["PairGrid", "map_diag", "total", "read_all", "Close"] {
            assert!(vector.defines(name_term(name)), "{name}");
        }
        for name in ["self", "go", "map_diag2", "Server", "f"] {
            assert!(!vector.defines(name_term(name)), "{name}");
        }
    }
}
