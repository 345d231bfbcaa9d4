//! The passages of one file, independent of any question: functions, class headers, constants and sections, with their
//! word counts.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use peelback_project::{
    AnalysedFile, AttachedValue, CacheKey, ContentHash, FileSignature, MemoryCache, ProjectEntry, ProjectFactsStore,
};
use peelback_syntax::{Import, Lines, NotParsed, ParseCoverage, Symbol, Tier, walk_symbols_with_depth};

use crate::extents::{Extents, SymbolPart, divide_text_into_extents, is_value_symbol_kind};
use crate::vector::{TermVector, with_thread_identifier_splitter};
use crate::words::{Term, identifier_parts, identifiers_in_text};

/// The passages of a file with their word counts.
pub(crate) struct FilePassages {
    pub passages: Vec<Passage>,
    /// The word counts of each chunk of the file's text; every passage consists of whole chunks.
    pub term_counts: TermVector,
    /// For each chunk, the index of the innermost passage that contains the chunk.
    pub chunk_owners: Vec<Option<u16>>,
    /// The reason why a part of the file is in no passage; `None` if no part is missing.
    pub gap: Option<String>,
    /// Whether the file has more values (fields, constants, keys) than the limit; the values beyond it are no passages
    /// of their own.
    pub are_values_truncated: bool,
    /// A remark on how well the file's text was understood, for the evidence of the answer.
    pub remark: Option<String>,
    pub tier: Option<Tier>,
}

/// A passage, the unit of ranking: a function, the header of a class, the text after its methods, a value, or a
/// section.
pub(crate) struct Passage {
    pub symbol: Symbol,
    pub lines: Lines,
    pub bytes: Range<usize>,
    pub part: SymbolPart,
    /// Whether the passage is ranked only if the question mentions its symbol or asks for symbols of its kind.
    pub on_request: bool,
    /// Whether the passage is test code inside the file that it tests.
    pub is_test: bool,
    /// The index, among the file's passages, of the passage around this one; the words of this one count for both.
    pub enclosing: Option<u16>,
    /// The name of the symbol that encloses the passage's symbol, such as the class of a method.
    pub owner: Option<String>,
    /// The length of the passage in identifiers.
    pub len: u32,
    /// The distinct terms of the symbol's name.
    pub name_terms: Box<[Term]>,
    /// The distinct terms of the symbol's qualified name.
    pub qualified_name_terms: Box<[Term]>,
    /// The number of parts of the symbol's name: 2 for `read_all`.
    pub name_part_count: usize,
}

impl FilePassages {
    /// Computes the passages of an analysed file, with their word counts.
    pub fn from_analysed_file(analysed: &AnalysedFile) -> Self {
        let text = analysed.file.text.as_str();
        // `const { a, b } = require("x")` is an import in spite of its syntax: the names are defined in another file.
        let is_import = |symbol: &Symbol| {
            let Lines { first, last } = symbol.lines;
            let holds = |import: &Import| import.lines.first <= first && last <= import.lines.last;
            is_value_symbol_kind(symbol.kind) && analysed.facts.imports.iter().any(holds)
        };
        let mut symbols = Cow::Borrowed(analysed.facts.symbols.as_slice());
        if symbols.iter().any(is_import) {
            symbols.to_mut().retain(|symbol| !is_import(symbol));
        }
        let Extents { list, is_truncated: is_cut, are_values_truncated: lacks_values } =
            divide_text_into_extents(text, &symbols);
        let tests: Vec<Lines> = walk_symbols_with_depth(&symbols)
            .filter(|(symbol, _)| is_test_symbol_by_attributes(symbol))
            .map(|(symbol, _)| symbol.lines)
            .collect();
        let list = list.into_iter().map(|extent| {
            let symbol = extent.symbol;
            // The text after the methods of a class gets no name terms: it must not count as named like the class.
            let names = |text: &str| {
                if extent.part == SymbolPart::Remainder { Box::default() } else { distinct_terms_in_text(text) }
            };
            Passage {
                lines: extent.lines,
                bytes: extent.bytes,
                part: extent.part,
                on_request: extent.on_request,
                is_test: tests.iter().any(|test| test.first <= extent.lines.first && extent.lines.last <= test.last),
                enclosing: extent.enclosing.and_then(|outer| u16::try_from(outer).ok()),
                owner: symbol.container.clone().or_else(|| extent.owner.map(|owner| owner.name.clone())),
                len: 0,
                name_terms: names(&symbol.name),
                qualified_name_terms: names(&symbol.qualified_name),
                name_part_count: identifier_parts(&symbol.name).len().max(1),
                symbol: symbol.without_children(),
            }
        });
        let mut list: Vec<Passage> = list.collect();
        let mut bounds: Vec<usize> = list.iter().flat_map(|passage| [passage.bytes.start, passage.bytes.end]).collect();
        bounds.retain(|bound| *bound > 0 && *bound < text.len());
        bounds.sort_unstable();
        bounds.dedup();
        bounds.truncate(usize::from(u16::MAX) - 1);
        let mut owners = vec![None; bounds.len() + 1];
        for (passage, index) in list.iter().zip(0_u16..) {
            let first = bounds.partition_point(|bound| *bound <= passage.bytes.start);
            let last = bounds.partition_point(|bound| *bound < passage.bytes.end);
            owners.get_mut(first..=last).unwrap_or(&mut []).fill(Some(index));
        }
        let words = TermVector::from_text_with_chunk_offsets(text, bounds);
        for (len, owner) in words.identifier_counts_by_chunk().iter().zip(&owners) {
            let mut owner = *owner;
            while let Some(passage) = owner.and_then(|owner| list.get_mut(usize::from(owner))) {
                passage.len += len;
                owner = passage.enclosing;
            }
        }
        let unread = match &analysed.facts.coverage {
            ParseCoverage::NotParsed(NotParsed::UnknownLanguage) => None,
            _ => analysed.evidence.skipped.first().map(|skipped| skipped.reason.clone()),
        };
        let gap = unread.or_else(|| is_cut.then(|| "has more definitions than are ranked".to_owned()));
        let remark = (!analysed.evidence.notes.is_empty()).then(|| analysed.evidence.notes.join("; "));
        Self {
            passages: list,
            term_counts: words,
            chunk_owners: owners,
            gap,
            are_values_truncated: lacks_values,
            remark,
            tier: analysed.language.map(|language| language.tier),
        }
    }

    /// The indices of the passages that contain the chunk with the index `chunk`, innermost first.
    pub fn passages_containing_chunk(&self, chunk: usize) -> impl Iterator<Item = usize> {
        let inside = |passage: &u16| self.passages.get(usize::from(*passage)).and_then(|passage| passage.enclosing);
        std::iter::successors(self.chunk_owners.get(chunk).copied().flatten(), inside).map(usize::from)
    }

    /// The approximate memory that the passages of the file take, in bytes.
    pub fn memory_size(&self) -> usize {
        let names = |passage: &Passage| {
            let symbol = &passage.symbol;
            symbol.name.len() + symbol.qualified_name.len() + symbol.signature.len() + 450
        };
        self.term_counts.memory_size() + self.chunk_owners.len() * 4 + self.passages.iter().map(names).sum::<usize>()
    }
}

/// The names of attributes in brackets that mark tests and what contains them: `[Fact]`.
const TEST_ATTRIBUTES: &[&str] = &[
    "Fact",
    "Theory",
    "Test",
    "TestCase",
    "TestCaseSource",
    "TestFixture",
    "TestClass",
    "TestMethod",
    "DataTestMethod",
];

/// Whether a symbol is a test or contains tests, by its attributes: `#[test]`, `#[cfg(test)]`, `[Fact]`.
fn is_test_symbol_by_attributes(symbol: &Symbol) -> bool {
    symbol.decorators.iter().any(|decorator| {
        let inner = decorator.trim_start_matches(['#', '[']).trim_end_matches(']').trim();
        let name = inner.split('(').next().unwrap_or("").trim();
        let is_listed = decorator.starts_with('[') && TEST_ATTRIBUTES.contains(&name);
        name == "test" || name.ends_with("::test") || inner == "cfg(test)" || is_listed
    })
}

/// The distinct terms of all identifiers in a text.
pub(crate) fn distinct_terms_in_text(text: &str) -> Box<[Term]> {
    let mut all: Vec<Term> = Vec::new();
    for (_, identifier) in identifiers_in_text(text) {
        all.extend_from_slice(
            with_thread_identifier_splitter(|splitter| splitter.terms_of_identifier(identifier)).as_slice(),
        );
    }
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// The maximum memory for the cached passages of one process, in bytes.
const MAX_MEMORY_BYTES: usize = 96 << 20;

/// The part of the cache key of passages that tells the kind of the value.
const CACHE_KIND: &[u8] = b"passages";

struct PassageMemoryCache(MemoryCache<CacheKey, Arc<FilePassages>>);

impl AttachedValue for PassageMemoryCache {}

/// An in-memory cache of file passages, keyed by the state of each file.
pub(crate) struct PassageCache<'a> {
    facts: &'a ProjectFactsStore,
}

impl<'a> PassageCache<'a> {
    /// Creates the cache for the files of one project.
    pub fn new(facts: &'a ProjectFactsStore) -> Self {
        Self { facts }
    }

    fn memory_cache(&self) -> &MemoryCache<CacheKey, Arc<FilePassages>> {
        &self.facts.values_attached_to_store().get_or_init(|| PassageMemoryCache(MemoryCache::new(MAX_MEMORY_BYTES))).0
    }

    /// The cached passages of a file in the state that `signature` identifies.
    pub fn get(&self, entry: &ProjectEntry, signature: &FileSignature) -> Option<Arc<FilePassages>> {
        self.memory_cache().get(&self.facts.cache_key_of_file_state(CACHE_KIND, entry, signature))
    }

    /// The cached passages of a file with this text.
    pub fn get_by_text(&self, entry: &ProjectEntry, text: ContentHash) -> Option<Arc<FilePassages>> {
        self.memory_cache().get(&self.facts.cache_key_of_file_text(CACHE_KIND, entry, text))
    }

    /// Stores the passages of a file with this text, for a file whose state no signature identifies yet.
    pub fn insert_by_text(&self, entry: &ProjectEntry, text: ContentHash, passages: &Arc<FilePassages>) {
        let key = self.facts.cache_key_of_file_text(CACHE_KIND, entry, text);
        self.memory_cache().insert(key, passages.clone(), passages.memory_size());
    }

    /// Stores the passages of a file in the state that `signature` identifies, for later calls.
    pub fn insert(&self, entry: &ProjectEntry, signature: &FileSignature, passages: &Arc<FilePassages>) {
        let key = self.facts.cache_key_of_file_state(CACHE_KIND, entry, signature);
        self.memory_cache().insert(key, passages.clone(), passages.memory_size());
    }
}
