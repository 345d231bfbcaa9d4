//! The facts store: what is known of contents, so that a text is parsed once.
//!
//! A value stands under the hash of the text that it was made from, so that it can never be stale. Which text a file
//! holds is another question, and asked anew in every call: by reading the file, or by a [`Signature`] that cannot lie.

mod hash;
mod memory;
mod signature;

use std::sync::Arc;

use peelback_syntax::names::{Binding, Exported, Expr, Extension, Link, Occurrence, Scope};
use peelback_syntax::{Language, Limits, Names, NotParsed, language};

use crate::analysis::coverage_gap;
use crate::error::CodeError;
use crate::project::Place;
use crate::source::SourceFile;

pub(crate) use hash::ContentHash;
use memory::Memory;
pub(crate) use signature::{Signature, now};

/// Bytes of names that a process holds.
const MEMORY_BYTES: usize = 256 << 20;

/// The names of one content, read as one language.
#[derive(Debug)]
pub(crate) struct FileNames {
    /// The language.
    pub language: &'static Language,
    /// The content.
    pub hash: ContentHash,
    /// What its names mean.
    pub names: Arc<Names>,
    /// Its lines.
    pub line_count: u32,
}

/// Why a file has no names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoNames {
    /// It could not be read.
    Unread(CodeError),
    /// It was not parsed; [`NotParsed::UnknownLanguage`] is said of documents too.
    NotParsed(NotParsed),
    /// It changed while the call ran.
    Changed,
}

impl NoNames {
    /// The gap that the file leaves in an answer about code; `None` where it holds no code.
    pub fn gap(&self) -> Option<String> {
        match self {
            Self::Unread(CodeError::Binary { .. }) | Self::NotParsed(NotParsed::UnknownLanguage) => None,
            Self::Unread(error) => Some(error.to_string()),
            Self::NotParsed(reason) => coverage_gap(&peelback_syntax::Coverage::NotParsed(*reason)),
            Self::Changed => Some("it changed while it was looked at".to_owned()),
        }
    }
}

/// What is known of contents. One is shared by all calls of a process.
pub struct FactsStore {
    limits: Limits,
    names: Memory<(ContentHash, &'static str), Arc<FileNames>>,
}

impl Default for FactsStore {
    fn default() -> Self {
        Self { limits: Limits::default(), names: Memory::new(MEMORY_BYTES) }
    }
}

impl std::fmt::Debug for FactsStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactsStore").finish_non_exhaustive()
    }
}

impl FactsStore {
    /// The names of a file as it is now.
    pub(crate) fn names(&self, place: &Place) -> Result<Arc<FileNames>, NoNames> {
        if language::of_name(place.name()).is_none() && !place.may_be_script() {
            return Err(NoNames::NotParsed(NotParsed::UnknownLanguage));
        }
        self.names_of(&SourceFile::read(place).map_err(NoNames::Unread)?)
    }

    /// The names of a text that was read.
    pub(crate) fn names_of(&self, file: &SourceFile) -> Result<Arc<FileNames>, NoNames> {
        let unknown = NoNames::NotParsed(NotParsed::UnknownLanguage);
        let language = language::of_file(file.name(), &file.text).ok_or(unknown)?;
        let hash = ContentHash::of(&file.text);
        let key = (hash, language.name);
        if let Some(known) = self.names.get(&key) {
            return Ok(known);
        }
        let names = peelback_syntax::names(language, &file.text, &self.limits).map_err(NoNames::NotParsed)?;
        let bytes = bytes_of(&names);
        let made = Arc::new(FileNames { language, hash, names: Arc::new(names), line_count: file.line_count() });
        self.names.put(key, made.clone(), bytes);
        Ok(made)
    }
}

/// The memory that names take, about.
fn bytes_of(names: &Names) -> usize {
    /// What an allocation costs beside its bytes.
    const ALLOCATION: usize = 16;
    let strings: usize = names.strings.iter().map(|text| text.len() + ALLOCATION + size_of::<Box<str>>()).sum();
    let links: usize = names.links.iter().map(|link| size_of::<Link>() + link.names.len() * 4 + ALLOCATION).sum();
    strings
        + links
        + names.scopes.len() * size_of::<Scope>()
        + names.bindings.len() * size_of::<Binding>()
        + names.exprs.len() * size_of::<Expr>()
        + names.lists.len() * 4
        + names.occurrences.len() * size_of::<Occurrence>()
        + names.exports.as_ref().map_or(0, Vec::len) * (size_of::<Exported>() + 8)
        + names.extensions.len() * size_of::<Extension>()
        + size_of::<FileNames>()
}
