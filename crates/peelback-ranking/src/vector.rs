//! Word counts of a file by chunk, and the names that the file seems to define. Both come from the text alone, without
//! parsing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::chunks::{ChunkStarts, find_chunk_starts_and_function_names};
use crate::words::{
    DefinitionKeyword, IdentifierSplitter, Term, WantedTerms, hash_identifier_as_term, identifiers_in_text,
};

/// The terms of a text with their counts in each chunk. A chunk begins at a line that looks like a definition.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct TermVector {
    /// The distinct terms, sorted.
    terms: Box<[Term]>,
    /// For each term, the index after its last entry in `chunks` and `counts`.
    ends: Box<[u32]>,
    /// For each term, the indices of the chunks that contain it, in ascending order.
    chunks: Box<[u16]>,
    /// The count of the term in each of the chunks in `chunks`, at most 255.
    counts: Box<[u8]>,
    /// The number of identifiers in each chunk.
    lens: Box<[u32]>,
    /// The terms of whole names that follow a definition keyword, sorted.
    defined: Box<[Term]>,
    /// The number of identifiers in the text.
    pub len: u32,
    /// The cost of reading the text in tokens, once a query has asked for it.
    #[serde(skip)]
    pub token_cost: OnceLock<Option<usize>>,
}

thread_local! {
    static SPLITTER: RefCell<IdentifierSplitter> = RefCell::new(IdentifierSplitter::new());
    static WANTED_SPLITTER: RefCell<Option<(u64, IdentifierSplitter, LastOccurrences)>> = const { RefCell::new(None) };
    static LAST_OCCURRENCES: RefCell<LastOccurrences> = const { RefCell::new(LastOccurrences { chunks: 0, last: Vec::new() }) };
}

/// Calls `run` with this thread's identifier splitter, which remembers identifiers from earlier texts.
pub(super) fn with_thread_identifier_splitter<R>(run: impl FnOnce(&mut IdentifierSplitter) -> R) -> R {
    SPLITTER.with(|splitter| match splitter.try_borrow_mut() {
        Ok(mut splitter) => run(&mut splitter),
        Err(_) => run(&mut IdentifierSplitter::new()),
    })
}

/// How many additional times a word counts where it is the name of a definition.
const DEFINITION_BONUS: u8 = 2;

/// For each identifier, the chunk in which it occurred last while words are counted.
struct LastOccurrences {
    /// The number of chunk numbers that earlier texts used, so that chunk numbers never repeat.
    chunks: u32,
    /// For each identifier id: the number of the chunk, from 1, and the index of the identifier's [`Entry`] for that
    /// chunk.
    last: Vec<(u32, u32)>,
}

impl LastOccurrences {
    /// Reserves chunk numbers for a new text. The numbers of its chunks are above the returned one.
    fn reserve_chunk_numbers(&mut self, most_chunks: usize) -> u32 {
        let most = u32::try_from(most_chunks).unwrap_or(u32::MAX).saturating_add(2);
        let begin = self.chunks;
        match begin.checked_add(most) {
            Some(end) => {
                self.chunks = end;
                begin
            }
            None => {
                self.last.clear();
                self.chunks = most;
                0
            }
        }
    }
}

/// The occurrences of one identifier in one chunk.
struct Entry {
    /// The index of the identifier's id.
    index: usize,
    chunk: u16,
    count: u8,
}

impl TermVector {
    /// Counts the words of `text`, the content of a file called `name`, in chunks guessed from its lines.
    pub fn from_text(name: &str, text: &str) -> Self {
        Self::from_text_and_chunk_starts(text, &find_chunk_starts_and_function_names(name, text))
    }

    /// Counts the words of a text like [`Self::from_text`], but only the `wanted` words, which takes less time.
    pub fn from_text_with_wanted_terms(name: &str, text: &str, wanted: &Arc<WantedTerms>) -> Self {
        let begins = find_chunk_starts_and_function_names(name, text);
        let fresh = || {
            (
                wanted.unique_set_id(),
                IdentifierSplitter::new_for_wanted_terms(Some(wanted.clone())),
                LastOccurrences { chunks: 0, last: Vec::new() },
            )
        };
        WANTED_SPLITTER.with(|known| {
            let Ok(mut known) = known.try_borrow_mut() else {
                let (_, mut splitter, mut seen) = fresh();
                return Self::count_terms_by_chunk(text, &begins, &mut splitter, &mut seen);
            };
            let (_, splitter, seen) = match known.take_if(|(number, ..)| *number == wanted.unique_set_id()) {
                Some(same) => known.insert(same),
                None => known.insert(fresh()),
            };
            Self::count_terms_by_chunk(text, &begins, splitter, seen)
        })
    }

    /// Counts the words of a text in chunks that begin at these byte offsets, sorted and without 0.
    pub fn from_text_with_chunk_offsets(text: &str, starts: Vec<usize>) -> Self {
        Self::from_text_and_chunk_starts(text, &ChunkStarts { starts, function_names: Vec::new() })
    }

    fn from_text_and_chunk_starts(text: &str, begins: &ChunkStarts) -> Self {
        with_thread_identifier_splitter(|splitter| {
            LAST_OCCURRENCES.with(|seen| match seen.try_borrow_mut() {
                Ok(mut seen) => Self::count_terms_by_chunk(text, begins, splitter, &mut seen),
                // A temporary `LastOccurrences` goes with a temporary splitter: identifier ids are valid only for the
                // splitter that created them.
                Err(_) => Self::count_terms_by_chunk(
                    text,
                    begins,
                    splitter,
                    &mut LastOccurrences { chunks: 0, last: Vec::new() },
                ),
            })
        })
    }

    fn count_terms_by_chunk(
        text: &str,
        begins: &ChunkStarts,
        splitter: &mut IdentifierSplitter,
        seen: &mut LastOccurrences,
    ) -> Self {
        splitter.clear_identifiers_if_full();
        let bytes = text.as_bytes();
        let begin = seen.reserve_chunk_numbers(begins.starts.len().min(usize::from(u16::MAX)));
        let seen = &mut seen.last;
        let mut entries: Vec<Entry> = Vec::with_capacity(text.len() / 16);
        let mut defined: Vec<Term> = Vec::new();
        let mut lens: Vec<u32> = vec![0];
        let mut chunk: u16 = 0;
        let mut starts = begins.starts.iter().copied().peekable();
        let mut functions = begins.function_names.iter().copied().peekable();
        let mut before = (DefinitionKeyword::No, 0, 0);
        for (at, identifier) in identifiers_in_text(text) {
            while starts.next_if(|start| *start <= at).is_some() {
                if let Some(next) = chunk.checked_add(1) {
                    chunk = next;
                    lens.push(0);
                }
            }
            if bytes.get(at).is_some_and(u8::is_ascii_digit) && identifier.bytes().all(|byte| byte.is_ascii_digit()) {
                before = (DefinitionKeyword::No, at, at);
                continue;
            }
            if let Some(len) = lens.last_mut() {
                *len += 1;
            }
            let end = at + identifier.len();
            if identifier.len() < 2 {
                before = (DefinitionKeyword::No, at, end);
                continue;
            }
            let id = splitter.get_or_add_identifier_id_at(bytes, at, identifier);
            let mut entry = None;
            if id.has_terms() {
                let term_index = id.index_among_identifiers_with_terms();
                if term_index >= seen.len() {
                    seen.resize(term_index + term_index / 2 + 64, (0, 0));
                }
                let own = begin + u32::from(chunk) + 1;
                match seen.get_mut(term_index) {
                    Some((last, known)) if *last == own => {
                        if let Some(known) = entries.get_mut(*known as usize) {
                            known.count = known.count.saturating_add(1);
                        }
                        entry = Some(*known);
                    }
                    slot => {
                        let made = u32::try_from(entries.len()).unwrap_or(u32::MAX);
                        slot.into_iter().for_each(|slot| *slot = (own, made));
                        entries.push(Entry { index: term_index, chunk, count: 1 });
                        entry = Some(made);
                    }
                }
            }
            let (defining, word_at, word_end) = before;
            let is_defined = match defining {
                DefinitionKeyword::No => {
                    while functions.next_if(|function| *function < at).is_some() {}
                    functions.next_if(|function| *function == at).is_some()
                }
                DefinitionKeyword::Yes => text.get(word_end..at).is_some_and(|between| {
                    between.len() <= 3
                        && between.starts_with([' ', '!', '*'])
                        && !between.contains(['\n', '(', '=', ':', '.', ','])
                }),
                DefinitionKeyword::AtLineStart => {
                    text.get(word_end..at) == Some(" ") && (word_at == 0 || bytes.get(word_at - 1) == Some(&b'\n'))
                }
            };
            if is_defined {
                if let Some(entry) = entry.and_then(|entry| entries.get_mut(entry as usize)) {
                    entry.count = entry.count.saturating_add(DEFINITION_BONUS);
                }
                let name = hash_identifier_as_term(identifier);
                if splitter.should_compute_term(name) {
                    defined.push(name);
                }
            }
            before = (id.definition_keyword_status(), at, end);
        }
        let mut hits: Vec<u64> = Vec::with_capacity(entries.len() * 2);
        for Entry { index, chunk, count } in entries {
            for term in splitter.terms_of_identifier_at_index(index) {
                hits.push(u64::from(*term) << 32 | u64::from(chunk) << 16 | u64::from(count));
            }
        }
        hits.sort_unstable();
        defined.sort_unstable();
        defined.dedup();
        let mut vector = TermVectorBuilder::default();
        for run in hits.chunk_by(|a, b| a >> 16 == b >> 16) {
            let count: u64 = run.iter().map(|hit| hit & 0xffff).sum();
            let Some(first) = run.first() else { continue };
            let (term, chunk) = ((first >> 32) as Term, ((first >> 16) & 0xffff) as u16);
            vector.push_term_count(term, chunk, u8::try_from(count).unwrap_or(u8::MAX));
        }
        Self {
            terms: vector.terms.into(),
            ends: vector.ends.into(),
            chunks: vector.chunks.into(),
            counts: vector.counts.into(),
            len: lens.iter().sum(),
            lens: lens.into(),
            defined: defined.into(),
            token_cost: OnceLock::new(),
        }
    }

    /// The index of a term among the sorted terms of the vector; `None` if the text does not contain the term.
    pub fn term_index(&self, term: Term) -> Option<usize> {
        // Terms are hashes and evenly distributed, so interpolation guesses an index close to the right one.
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

    /// The indices of the chunks that contain the term with this index, each with the term's count in the chunk.
    pub fn counts_of_term_by_chunk(&self, term_index: usize) -> impl Iterator<Item = (usize, u32)> {
        let start = term_index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(term_index).map_or(start, |end| *end as usize);
        let chunks = self.chunks.get(start..end).unwrap_or(&[]);
        let counts = self.counts.get(start..end).unwrap_or(&[]);
        chunks.iter().zip(counts).map(|(chunk, count)| (usize::from(*chunk), u32::from(*count)))
    }

    /// The total count of a term in all chunks.
    #[cfg(test)]
    fn count(&self, term: Term) -> u32 {
        self.term_index(term)
            .map_or(0, |term_index| self.counts_of_term_by_chunk(term_index).map(|(_, count)| count).sum())
    }

    /// The number of identifiers in each chunk of the text.
    pub fn identifier_counts_by_chunk(&self) -> &[u32] {
        &self.lens
    }

    /// Whether the text seems to define the name with this term.
    pub fn seems_to_define_name(&self, name: Term) -> bool {
        self.defined.binary_search(&name).is_ok()
    }

    /// The memory that the vector takes, in bytes.
    pub fn memory_size(&self) -> usize {
        self.terms.len() * 8
            + self.chunks.len() * 3
            + (self.defined.len() + self.lens.len()) * 4
            + size_of::<Self>()
            + 6 * 16
    }
}

/// A `TermVector` under construction.
#[derive(Default)]
struct TermVectorBuilder {
    terms: Vec<Term>,
    ends: Vec<u32>,
    chunks: Vec<u16>,
    counts: Vec<u8>,
}

impl TermVectorBuilder {
    /// Appends the count of a term in a chunk. Terms must come in ascending order, and chunks in ascending order for
    /// each term.
    fn push_term_count(&mut self, term: Term, chunk: u16, count: u8) {
        self.chunks.push(chunk);
        self.counts.push(count);
        let end = u32::try_from(self.chunks.len()).unwrap_or(u32::MAX);
        match self.ends.last_mut().filter(|_| self.terms.last() == Some(&term)) {
            Some(last) => *last = end,
            None => {
                self.terms.push(term);
                self.ends.push(end);
            }
        }
    }
}

/// A map from terms to the indices of a question's words.
pub(super) struct QuestionWordIndex {
    word_indices: HashMap<Term, usize, foldhash::fast::RandomState>,
}

impl QuestionWordIndex {
    pub fn new(terms: impl Iterator<Item = Term>) -> Self {
        Self { word_indices: terms.zip(0..).collect() }
    }

    /// The index of the question's word that has this term; `None` if no word has it.
    pub fn word_index_of_term(&self, term: Term) -> Option<usize> {
        self.word_indices.get(&term).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_definitions_told_by_their_look() {
        let vector = TermVector::from_text(
            "a.x",
            "class PairGrid:\n    def map_diag(self):\n        return map_diag2(self)\n\nlet total = 3\nstatic int read_all(FILE *f)\n{\n  go(1);\n}\nfunc (s *Server) Close() error {\n",
        );
        let mut splitter = IdentifierSplitter::new();
        let map = splitter.terms_of_identifier("map").as_slice()[0];
        // One for the call, and three for the definition: the name of a definition counts two additional times.
        assert_eq!(vector.count(map), 4);
        for name in ["PairGrid", "map_diag", "total", "read_all", "Close"] {
            assert!(vector.seems_to_define_name(hash_identifier_as_term(name)), "{name}");
        }
        for name in ["self", "go", "map_diag2", "Server", "f"] {
            assert!(!vector.seems_to_define_name(hash_identifier_as_term(name)), "{name}");
        }
    }
}
