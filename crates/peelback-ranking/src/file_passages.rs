//! The passages of one file, independent of any question: functions, class headers, constants and sections, with their
//! word counts.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use peelback_project::{Analysed, CacheKey, Extension, MemoryCache, ProjectEntry, ProjectFacts, Signature};
use peelback_syntax::{Coverage, Import, Lines, NotParsed, Symbol, Tier, walk_symbols};

use crate::extents::{Extents, Part, extents, is_value};
use crate::vector::{TermVector, with_splitter};
use crate::words::{Term, identifiers, parts};

/// The passages of a file with their word counts.
pub(crate) struct FilePassages {
    pub list: Vec<Passage>,
    /// Word counts for each chunk of the text; every passage consists of whole chunks.
    pub words: TermVector,
    /// The innermost passage that each chunk belongs to, by the chunk's index.
    pub owners: Vec<Option<u16>>,
    /// Which part of the file is in no passage, and why.
    pub gap: Option<String>,
    /// Whether the file has values beyond the limit, which are no passages of their own.
    pub lacks_values: bool,
    /// A remark on how well the file's text was understood, for the evidence.
    pub remark: Option<String>,
    pub tier: Option<Tier>,
}

/// A passage, the unit of ranking: a function, the header of a class, the text after its methods, a value, or a
/// section.
pub(crate) struct Passage {
    pub symbol: Symbol,
    pub lines: Lines,
    pub bytes: Range<usize>,
    pub part: Part,
    /// Whether the passage is ranked only if the question mentions it or asks for its kind.
    pub on_request: bool,
    /// Whether the passage is test code inside the file that it tests.
    pub is_test: bool,
    /// The index of the enclosing passage, which also contains this passage's words.
    pub inside: Option<u16>,
    /// The name of the enclosing symbol.
    pub owner: Option<String>,
    /// The length of the passage in identifiers.
    pub len: u32,
    /// The distinct terms of the symbol's name, and of its qualified name.
    pub name: Box<[Term]>,
    pub qualified: Box<[Term]>,
    /// The number of parts of the symbol's name.
    pub parts: usize,
}

impl FilePassages {
    /// Computes the passages of an analysed file.
    pub fn of(analysed: &Analysed) -> Self {
        let text = analysed.file.text.as_str();
        // `const { a, b } = require("x")` is an import in spite of its syntax: the names are defined in another file.
        let is_import = |symbol: &Symbol| {
            let Lines { first, last } = symbol.lines;
            let holds = |import: &Import| import.lines.first <= first && last <= import.lines.last;
            is_value(symbol.kind) && analysed.facts.imports.iter().any(holds)
        };
        let mut symbols = Cow::Borrowed(analysed.facts.symbols.as_slice());
        if symbols.iter().any(is_import) {
            symbols.to_mut().retain(|symbol| !is_import(symbol));
        }
        let Extents { list, is_cut, lacks_values } = extents(text, &symbols);
        let tests: Vec<Lines> =
            walk_symbols(&symbols).filter(|(symbol, _)| is_test_code(symbol)).map(|(symbol, _)| symbol.lines).collect();
        let list = list.into_iter().map(|extent| {
            let symbol = extent.symbol;
            // The text after the methods of a class does not count as named like the class.
            let names = |text: &str| if extent.part == Part::Rest { Box::default() } else { terms(text) };
            Passage {
                lines: extent.lines,
                bytes: extent.bytes,
                part: extent.part,
                on_request: extent.on_request,
                is_test: tests.iter().any(|test| test.first <= extent.lines.first && extent.lines.last <= test.last),
                inside: extent.inside.and_then(|outer| u16::try_from(outer).ok()),
                owner: symbol.container.clone().or_else(|| extent.owner.map(|owner| owner.name.clone())),
                len: 0,
                name: names(&symbol.name),
                qualified: names(&symbol.qualified_name),
                parts: parts(&symbol.name).len().max(1),
                symbol: symbol.alone(),
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
        let words = TermVector::with_chunks(text, bounds);
        for (len, owner) in words.chunks().iter().zip(&owners) {
            let mut owner = *owner;
            while let Some(passage) = owner.and_then(|owner| list.get_mut(usize::from(owner))) {
                passage.len += len;
                owner = passage.inside;
            }
        }
        let unread = match &analysed.facts.coverage {
            Coverage::NotParsed(NotParsed::UnknownLanguage) => None,
            _ => analysed.evidence.skipped.first().map(|skipped| skipped.reason.clone()),
        };
        let gap = unread.or_else(|| is_cut.then(|| "has more definitions than are ranked".to_owned()));
        let remark = (!analysed.evidence.notes.is_empty()).then(|| analysed.evidence.notes.join("; "));
        Self { list, words, owners, gap, lacks_values, remark, tier: analysed.language.map(|language| language.tier) }
    }

    /// The passages that contain a chunk, innermost first.
    pub fn holders(&self, chunk: usize) -> impl Iterator<Item = usize> {
        let inside = |passage: &u16| self.list.get(usize::from(*passage)).and_then(|passage| passage.inside);
        std::iter::successors(self.owners.get(chunk).copied().flatten(), inside).map(usize::from)
    }

    /// The approximate memory size, in bytes.
    pub fn bytes(&self) -> usize {
        let names = |passage: &Passage| {
            let symbol = &passage.symbol;
            symbol.name.len() + symbol.qualified_name.len() + symbol.signature.len() + 450
        };
        self.words.bytes() + self.owners.len() * 4 + self.list.iter().map(names).sum::<usize>()
    }
}

/// Whether a symbol is a test or contains tests, by its attributes: `#[test]`, `#[cfg(test)]`.
fn is_test_code(symbol: &Symbol) -> bool {
    symbol.decorators.iter().any(|decorator| {
        let inner = decorator.trim_start_matches(['#', '[']).trim_end_matches(']').trim();
        let name = inner.split('(').next().unwrap_or("").trim();
        name == "test" || name.ends_with("::test") || inner == "cfg(test)"
    })
}

/// The distinct terms of a text.
pub(crate) fn terms(text: &str) -> Box<[Term]> {
    let mut all: Vec<Term> = Vec::new();
    for (_, identifier) in identifiers(text) {
        all.extend_from_slice(with_splitter(|splitter| splitter.terms(identifier)).as_slice());
    }
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// The most bytes of passages that a process keeps in memory.
const MAX_BYTES: usize = 96 << 20;

/// The kind in the cache key of passages.
const KIND: &[u8] = b"passages";

struct Kept(MemoryCache<CacheKey, Arc<FilePassages>>);

impl Extension for Kept {}

/// An in-memory cache of file passages, keyed by the state of each file.
pub(crate) struct PassageCache<'a> {
    facts: &'a ProjectFacts,
}

impl<'a> PassageCache<'a> {
    /// Creates the cache for the files of one project.
    pub fn new(facts: &'a ProjectFacts) -> Self {
        Self { facts }
    }

    fn memory(&self) -> &MemoryCache<CacheKey, Arc<FilePassages>> {
        &self.facts.extensions().get_or_init(|| Kept(MemoryCache::new(MAX_BYTES))).0
    }

    /// The cached passages of a file with this signature.
    pub fn get(&self, entry: &ProjectEntry, signature: &Signature) -> Option<Arc<FilePassages>> {
        self.memory().get(&self.facts.key_of_state(KIND, entry, signature))
    }

    /// Stores the passages of a file for later calls.
    pub fn put(&self, entry: &ProjectEntry, signature: &Signature, passages: &Arc<FilePassages>) {
        let key = self.facts.key_of_state(KIND, entry, signature);
        self.memory().put(key, passages.clone(), passages.bytes());
    }
}
