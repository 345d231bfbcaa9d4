//! The names of one content, why a file has none, and the memory that names and outlines take.

use std::sync::Arc;

use peelback_syntax::names::{Binding, Condition, Exported, Expr, Extension, ModuleImport, Occurrence, Scope};
use peelback_syntax::{Facts, Fold, Language, Names, NotParsed, Symbol};

use crate::coverage::coverage_gap;
use crate::error::CodeError;
use crate::extensions::Extensions;

/// The names of one content, read as one language.
#[derive(Debug)]
pub struct FileNames {
    /// The language.
    pub language: &'static Language,
    /// What its names mean; of a module interface, what other files can see of that.
    pub names: Arc<Names>,
    /// See [`FileNames::bytes`].
    pub(super) bytes: usize,
    /// What other crates compute from the names.
    pub extensions: Extensions,
}

impl FileNames {
    /// The memory that it takes, in bytes, about; what makes look-ups quick adds a few in a hundred.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// How much of a file's names is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Everything.
    Whole,
    /// Links, exports, modules and what is bound in them.
    ModuleInterface,
}

/// Why a file has no names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoNames {
    /// It could not be read.
    Unread(CodeError),
    /// It was not parsed; [`NotParsed::UnknownLanguage`] is said of documents too.
    NotParsed(NotParsed),
    /// It changed while the call ran.
    Changed,
}

impl NoNames {
    /// It holds no code.
    pub(super) const NO_CODE: Self = Self::NotParsed(NotParsed::UnknownLanguage);

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

/// The memory that the facts of a text of so many bytes take, about: signatures and names are parts of the text.
pub(super) fn bytes_of_facts(facts: &Facts, text: usize) -> usize {
    /// The texts of a symbol, as allocations.
    const TEXTS: usize = 96;
    let symbols = peelback_syntax::walk_symbols(&facts.symbols).count();
    /// A name or source in an import or export, as an allocation.
    const NAME: usize = size_of::<String>() + 16;
    let imports: usize = facts.imports.iter().map(|import| size_of_val(import) + import.names.len() * NAME).sum();
    let exports: usize = facts.exports.iter().map(|export| size_of_val(export) + NAME).sum();
    text + symbols * (size_of::<Symbol>() + TEXTS) + facts.folds.len() * size_of::<Fold>() + imports + exports
}

/// The memory that names take, about.
pub(super) fn bytes_of(names: &Names) -> usize {
    /// What an allocation costs beside its bytes.
    const ALLOCATION: usize = 16;
    let strings: usize = names.strings.iter().map(|text| text.len() + ALLOCATION + size_of::<Box<str>>()).sum();
    let imports: usize =
        names.imports.iter().map(|import| size_of::<ModuleImport>() + import.names.len() * 4 + ALLOCATION).sum();
    strings
        + imports
        + names.scopes.len() * size_of::<Scope>()
        + names.bindings.len() * size_of::<Binding>()
        + names.exprs.len() * size_of::<Expr>()
        + names.lists.len() * 4
        + names.occurrences.len() * size_of::<Occurrence>()
        + names.exports.as_ref().map_or(0, Vec::len) * (size_of::<Exported>() + 8)
        + names.extensions.len() * size_of::<Extension>()
        + names.missed.len() * size_of::<(u32, u32)>()
        + names.conditions.len() * size_of::<Condition>()
        + size_of::<FileNames>()
}
