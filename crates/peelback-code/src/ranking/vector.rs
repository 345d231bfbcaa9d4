//! What the ranking knows of a file from its text alone: how often it has which word, and which names it defines by the
//! look of it. Nothing is parsed for it.

use std::cell::RefCell;
use std::collections::HashMap;

use super::words::{Splitter, Term, identifiers, is_word, name_term};

/// Words of a text with their counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct TermVector {
    /// In order.
    terms: Box<[Term]>,
    /// Of each term, at most 255.
    counts: Box<[u8]>,
    /// Whole names that stand behind a word that defines, in order.
    defined: Box<[Term]>,
    /// Identifiers in all.
    pub len: u32,
}

/// Words behind which a definition's name stands, in the languages that there are.
const DEFINING: &[&str] = &[
    "class",
    "def",
    "defmodule",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "macro_rules",
    "mod",
    "module",
    "namespace",
    "object",
    "protocol",
    "record",
    "struct",
    "trait",
    "type",
    "typedef",
    "union",
];

/// The same where they begin a line.
const DEFINING_AT_START: &[&str] = &["const", "let", "static", "val", "var"];

thread_local! {
    static SPLITTER: RefCell<Splitter> = RefCell::new(Splitter::new());
}

/// Runs something with this thread's splitter, which knows the identifiers that came by.
pub(super) fn with_splitter<R>(run: impl FnOnce(&mut Splitter) -> R) -> R {
    SPLITTER.with(|splitter| match splitter.try_borrow_mut() {
        Ok(mut splitter) => run(&mut splitter),
        Err(_) => run(&mut Splitter::new()),
    })
}

impl TermVector {
    /// The words of a text.
    pub fn of(text: &str) -> Self {
        with_splitter(|splitter| Self::made(text, splitter))
    }

    fn made(text: &str, splitter: &mut Splitter) -> Self {
        let bytes = text.as_bytes();
        let mut all: Vec<Term> = Vec::with_capacity(text.len() / 6);
        let mut defined: Vec<Term> = Vec::new();
        let mut len = 0;
        let mut before = ("", 0, 0);
        for (at, identifier) in identifiers(text) {
            len += 1;
            all.extend_from_slice(splitter.terms(identifier).as_slice());
            let (word, word_at, end) = before;
            if is_defined(text, word, word_at, end, at) || is_c_function(bytes, at, identifier.len()) {
                defined.push(name_term(identifier));
            }
            before = (identifier, at, at + identifier.len());
        }
        all.sort_unstable();
        let mut terms: Vec<Term> = Vec::new();
        let mut counts: Vec<u8> = Vec::new();
        for run in all.chunk_by(|a, b| a == b) {
            terms.extend(run.first());
            counts.push(u8::try_from(run.len()).unwrap_or(u8::MAX));
        }
        defined.sort_unstable();
        defined.dedup();
        Self { terms: terms.into(), counts: counts.into(), defined: defined.into(), len }
    }

    /// How often a term is there.
    pub fn count(&self, term: Term) -> u8 {
        let Ok(index) = self.terms.binary_search(&term) else { return 0 };
        self.counts.get(index).copied().unwrap_or(0)
    }

    /// Whether the text looks as if it defined the name.
    pub fn defines(&self, name: Term) -> bool {
        self.defined.binary_search(&name).is_ok()
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.terms.len() * 5 + self.defined.len() * 4 + size_of::<Self>() + 64
    }
}

/// Whether the identifier at `at` is defined by the `word` before it, which ends at `end`.
fn is_defined(text: &str, word: &str, word_at: usize, end: usize, at: usize) -> bool {
    if DEFINING.binary_search(&word).is_err() {
        let starts_line = || word_at == 0 || text.as_bytes().get(word_at - 1) == Some(&b'\n');
        return DEFINING_AT_START.contains(&word) && text.get(end..at) == Some(" ") && starts_line();
    }
    let Some(between) = text.get(end..at) else { return false };
    between.len() <= 3 && between.starts_with([' ', '!', '*']) && !between.contains(['\n', '(', '=', ':', '.', ','])
}

/// Whether an identifier is called at the beginning of a line that does not end there, or is the method of a Go
/// receiver: `static int read_all(FILE *f)`, `func (s *Server) Close() error`.
fn is_c_function(bytes: &[u8], at: usize, len: usize) -> bool {
    if bytes.get(at + len) != Some(&b'(') {
        return false;
    }
    let start = memchr::memrchr(b'\n', bytes.get(..at).unwrap_or(&[])).map_or(0, |newline| newline + 1);
    let head = bytes.get(start..at).unwrap_or(&[]);
    let Some(first) = head.first() else { return false };
    if head.starts_with(b"func (") {
        return head.iter().filter(|byte| **byte == b'(').count() == 1 && head.ends_with(b") ");
    }
    if !first.is_ascii_alphabetic() || !head.iter().all(|byte| is_word(*byte) || matches!(byte, b' ' | b'*')) {
        return false;
    }
    let rest = bytes.get(at..).unwrap_or(&[]);
    let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or(rest);
    !head.starts_with(b"return ") && !head.starts_with(b"else ") && !line.contains(&b';')
}

/// The words of a question, for counting them in a piece of text.
pub(super) struct Counter {
    places: HashMap<Term, usize, foldhash::fast::RandomState>,
}

impl Counter {
    pub fn new(terms: impl Iterator<Item = Term>) -> Self {
        Self { places: terms.zip(0..).collect() }
    }

    /// How often each term is in a text, in their order, and how many identifiers the text has.
    pub fn count(&self, text: &str) -> (Vec<u32>, u32) {
        let mut counts = vec![0; self.places.len()];
        let mut len = 0;
        with_splitter(|splitter| {
            for (_, identifier) in identifiers(text) {
                len += 1;
                for term in splitter.terms(identifier).as_slice() {
                    if let Some(count) = self.places.get(term).and_then(|place| counts.get_mut(*place)) {
                        *count += 1;
                    }
                }
            }
        });
        (counts, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_definitions_told_by_their_look() {
        let vector = TermVector::of(
            "class PairGrid:\n    def map_diag(self):\n        return map_diag2(self)\n\nlet total = 3\nstatic int read_all(FILE *f)\n{\n  go(1);\n}\nfunc (s *Server) Close() error {\n",
        );
        let mut splitter = Splitter::new();
        let map = splitter.terms("map").as_slice()[0];
        assert_eq!(vector.count(map), 2);
        for name in ["PairGrid", "map_diag", "total", "read_all", "Close"] {
            assert!(vector.defines(name_term(name)), "{name}");
        }
        for name in ["self", "go", "map_diag2", "Server", "f"] {
            assert!(!vector.defines(name_term(name)), "{name}");
        }
    }

    #[test]
    fn the_words_that_define_are_sorted() {
        assert!(DEFINING.is_sorted());
    }

    #[test]
    fn a_counter_counts_what_it_was_given() {
        let mut splitter = Splitter::new();
        let terms: Vec<Term> = ["model", "matrix"].iter().map(|word| splitter.terms(word).as_slice()[0]).collect();
        assert_eq!(Counter::new(terms.into_iter()).count("Models of models; the_matrix"), (vec![2, 1], 4));
    }
}
