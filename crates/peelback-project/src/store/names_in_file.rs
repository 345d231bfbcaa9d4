//! `NamesInFile`: the names that occur in one file content. Also the reasons why a file has none, and estimates of the
//! memory that names and outlines take.

use std::sync::Arc;

use peelback_syntax::names::{Binding, Condition, Exported, Expr, Extension, ModuleImport, Occurrence, Scope};
use peelback_syntax::{Facts, Fold, Language, Names, NotParsed, Symbol};

use crate::attached_values::AttachedValues;
use crate::coverage::describe_parse_coverage_gap;
use crate::error::CodeError;

/// The names that occur in one file content, analysed in one language.
#[derive(Debug)]
pub struct NamesInFile {
    /// The language of the analysis.
    pub language: &'static Language,
    /// The names that occur in the file, with their scopes and bindings. For a module interface, only the part that
    /// other files can see.
    pub names: Arc<Names>,
    /// The approximate memory size in bytes: see [`NamesInFile::memory_bytes`].
    pub(super) bytes: usize,
    /// Values that other crates compute from the names.
    pub extensions: AttachedValues,
}

impl NamesInFile {
    /// The approximate memory size of the names in bytes. Lookup tables add a few per cent.
    pub fn memory_bytes(&self) -> usize {
        self.bytes
    }
}

/// Which part of a file's names is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NamesPart {
    /// All names in the file.
    Whole,
    /// Imports, exports, modules and the names bound in modules.
    ModuleInterface,
}

/// Why a file has no names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamesError {
    /// The file could not be read.
    Unread(CodeError),
    /// The file was not parsed. Documents are also reported as [`NotParsed::UnknownLanguage`].
    NotParsed(NotParsed),
    /// The file changed during the call.
    Changed,
}

impl NamesError {
    /// The error for a file that contains no code.
    pub(super) const NO_CODE: Self = Self::NotParsed(NotParsed::UnknownLanguage);

    /// A message for an answer's evidence: why the names of the file are missing. `None` if the file contains no code.
    pub fn describe_for_evidence(&self) -> Option<String> {
        match self {
            Self::NotParsed(NotParsed::UnknownLanguage) => None,
            Self::Unread(error) => error.describe_for_evidence(),
            Self::NotParsed(reason) => describe_parse_coverage_gap(&peelback_syntax::ParseCoverage::NotParsed(*reason)),
            Self::Changed => Some("it changed while it was read".to_owned()),
        }
    }
}

/// The approximate memory size, in bytes, of the facts about a text.
pub(super) fn facts_memory_bytes(facts: &Facts) -> usize {
    /// The allocation overhead of a symbol's texts, in bytes.
    const TEXTS: usize = 96;
    /// The allocation size of a name or source in an import or export, in bytes.
    const NAME: usize = size_of::<String>() + 16;
    let decorators = |symbol: &Symbol| symbol.decorators.iter().map(|text| text.len() + NAME).sum::<usize>();
    let symbols = peelback_syntax::walk_symbols_with_depth(&facts.symbols).map(|(symbol, _)| {
        let texts = [&symbol.name, &symbol.qualified_name, &symbol.signature].map(String::len).iter().sum::<usize>();
        let documentation = symbol.docstring.as_ref().map_or(0, String::len);
        size_of::<Symbol>() + TEXTS + texts + documentation + decorators(symbol)
    });
    let imports = facts
        .imports
        .iter()
        .map(|import| size_of_val(import) + import.text.len() + import.source.len() + import.names.len() * NAME);
    let exports = facts.exports.iter().map(|export| size_of_val(export) + NAME);
    let folds = facts.folds.len() * size_of::<Fold>();
    size_of::<Facts>() + symbols.sum::<usize>() + imports.sum::<usize>() + exports.sum::<usize>() + folds
}

/// The approximate memory size, in bytes, of the names in a file.
pub(super) fn names_memory_bytes(names: &Names) -> usize {
    /// The overhead of one allocation, in bytes.
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
        + size_of::<NamesInFile>()
}
