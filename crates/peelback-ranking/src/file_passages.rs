//! The passages of one file, whatever the question: functions, class headers, constants and sections with their words.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use peelback_project::{Analysed, CacheKey, Extension, MemoryCache, ProjectEntry, ProjectFacts, Signature};
use peelback_syntax::{Coverage, Import, Lines, NotParsed, Symbol, Tier, walk_symbols};

use crate::extents::{Extents, Part, extents, is_value};
use crate::vector::{TermVector, with_splitter};
use crate::words::{Term, identifiers, parts};

/// The passages of a file, with their words.
pub(crate) struct FilePassages {
    pub list: Vec<Passage>,
    /// Counts by piece of the text; passages are such pieces.
    pub words: TermVector,
    /// Which passage each piece is part of, the innermost.
    pub owners: Vec<Option<u16>>,
    /// What of the file is in no passage, and why.
    pub gap: Option<String>,
    /// Whether there are values that are no passages of their own.
    pub lacks_values: bool,
    /// What there is to say of the file's text.
    pub remark: Option<String>,
    pub tier: Option<Tier>,
}

/// What is ranked: a function, the header of a class, what stands behind its methods, a value, a section.
pub(crate) struct Passage {
    pub symbol: Symbol,
    pub lines: Lines,
    pub bytes: Range<usize>,
    pub part: Part,
    /// Ranked only where the question mentions it or wants its kind.
    pub on_request: bool,
    /// It is of tests that stand in the file that they test.
    pub is_test: bool,
    /// The passage that it is in, which has its words, too.
    pub inside: Option<u16>,
    /// The name of the symbol that it is in.
    pub owner: Option<String>,
    /// Identifiers.
    pub len: u32,
    /// The terms of its name, and of its qualified name.
    pub name: Box<[Term]>,
    pub qualified: Box<[Term]>,
    /// Parts of its name.
    pub parts: usize,
}

impl FilePassages {
    /// The passages of a file that was analysed.
    pub fn of(analysed: &Analysed) -> Self {
        let text = analysed.file.text.as_str();
        // `const { a, b } = require("x")` is an import, whatever its syntax: what it names is defined elsewhere.
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
            // What stands behind the methods of a class has not its name.
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
        let words = TermVector::of_pieces(text, bounds);
        for (len, owner) in words.pieces().iter().zip(&owners) {
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

    /// The passages that a piece is part of, the innermost first.
    pub fn holders(&self, piece: usize) -> impl Iterator<Item = usize> {
        let inside = |passage: &u16| self.list.get(usize::from(*passage)).and_then(|passage| passage.inside);
        std::iter::successors(self.owners.get(piece).copied().flatten(), inside).map(usize::from)
    }

    /// The memory that it takes, in bytes, about.
    pub fn bytes(&self) -> usize {
        let names = |passage: &Passage| {
            let symbol = &passage.symbol;
            symbol.name.len() + symbol.qualified_name.len() + symbol.signature.len() + 450
        };
        self.words.bytes() + self.owners.len() * 4 + self.list.iter().map(names).sum::<usize>()
    }
}

/// Whether a symbol is a test, or holds tests, by what stands above it: `#[test]`, `#[cfg(test)]`.
fn is_test_code(symbol: &Symbol) -> bool {
    symbol.decorators.iter().any(|decorator| {
        let inner = decorator.trim_start_matches(['#', '[']).trim_end_matches(']').trim();
        let name = inner.split('(').next().unwrap_or("").trim();
        name == "test" || name.ends_with("::test") || inner == "cfg(test)"
    })
}

/// Each term of a text once.
pub(crate) fn terms(text: &str) -> Box<[Term]> {
    let mut all: Vec<Term> = Vec::new();
    for (_, identifier) in identifiers(text) {
        all.extend_from_slice(with_splitter(|splitter| splitter.terms(identifier)).as_slice());
    }
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// Bytes of passages that a process holds.
const MAX_BYTES: usize = 96 << 20;

/// The kind in the key of kept passages.
const KIND: &[u8] = b"passages";

struct Kept(MemoryCache<CacheKey, Arc<FilePassages>>);

impl Extension for Kept {}

/// The passages of files that a process keeps, by the state of each file.
pub(crate) struct PassageCache<'a> {
    facts: &'a ProjectFacts,
}

impl<'a> PassageCache<'a> {
    /// The passages of the files of one project.
    pub fn new(facts: &'a ProjectFacts) -> Self {
        Self { facts }
    }

    fn memory(&self) -> &MemoryCache<CacheKey, Arc<FilePassages>> {
        &self.facts.extensions().get_or_init(|| Kept(MemoryCache::new(MAX_BYTES))).0
    }

    /// The passages of a file in a state that an earlier call saw.
    pub fn get(&self, entry: &ProjectEntry, signature: &Signature) -> Option<Arc<FilePassages>> {
        self.memory().get(&self.facts.key_of_state(KIND, entry, signature)?)
    }

    /// Keeps the passages of a file for later calls.
    pub fn put(&self, entry: &ProjectEntry, signature: &Signature, passages: &Arc<FilePassages>) {
        if let Some(key) = self.facts.key_of_state(KIND, entry, signature) {
            self.memory().put(key, passages.clone(), passages.bytes());
        }
    }
}
