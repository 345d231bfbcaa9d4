//! Finds the symbol of the outline that a definition is. Answers name definitions by symbol, so that follow-up calls
//! find them.

use std::sync::{Arc, PoisonError};

use peelback_syntax::{Facts, Symbol, SymbolKind};

use super::reference::Endpoint;
use super::search::ReferenceSearch;
use crate::modules::FileId;
use crate::resolve::definition::Def;

impl ReferenceSearch<'_> {
    /// The file of a definition and its qualified name in the outline; `None` if the outline does not contain it.
    pub(super) fn file_and_outline_name_of_definition(&self, def: Def) -> Option<Endpoint> {
        self.map_outline_symbol_of_definition(def, |path, symbol| Endpoint {
            path: path.to_owned(),
            qualified_name: symbol.unique_address_in_file(),
        })
    }

    /// The kind of the outline's symbol that a definition is.
    pub(super) fn outline_symbol_kind_of_definition(&self, def: Def) -> Option<SymbolKind> {
        self.map_outline_symbol_of_definition(def, |_, symbol| symbol.kind)
    }

    /// The `impl` block around a byte offset in a file, as the outline names it.
    pub(super) fn file_and_name_of_impl_at(&self, file: FileId, at: u32) -> Option<Endpoint> {
        let facts = self.load_outline(file)?;
        let symbol = innermost_accepted_symbol_at(&facts.symbols, at, &|symbol| symbol.kind == SymbolKind::Impl)?;
        Some(Endpoint {
            path: self.snapshot.file_table().path_of_file(file).to_owned(),
            qualified_name: symbol.unique_address_in_file(),
        })
    }

    fn map_outline_symbol_of_definition<R>(&self, def: Def, give: impl FnOnce(&str, &Symbol) -> R) -> Option<R> {
        let names = self.resolver.names_of_file(def.file)?;
        let binding = names.bindings.get(def.binding as usize)?;
        let name = names.name_text(binding.name);
        let facts = self.load_outline(def.file)?;
        let is_it = |symbol: &Symbol| symbol.name.rsplit(['.', ':', '#']).next() == Some(name);
        let symbol = innermost_accepted_symbol_at(&facts.symbols, binding.at, &is_it)?;
        Some(give(self.snapshot.file_table().path_of_file(def.file), symbol))
    }

    fn load_outline(&self, file: FileId) -> Option<Arc<Facts>> {
        let lock = || self.outlines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&file) {
            return known.clone();
        }
        let made = self.snapshot.read_current_file(file).ok().map(|text| self.analyzer.analyse_file(text).facts);
        lock().insert(file, made.clone());
        made
    }
}

/// The innermost symbol around the byte offset `at` that `fits` accepts, among `symbols` and all their children.
pub(super) fn innermost_accepted_symbol_at<'s>(
    symbols: &'s [Symbol],
    at: u32,
    fits: &dyn Fn(&Symbol) -> bool,
) -> Option<&'s Symbol> {
    let around = |symbol: &&Symbol| symbol.bytes.contains(&(at as usize));
    symbols.iter().filter(around).find_map(|symbol| {
        innermost_accepted_symbol_at(&symbol.children, at, fits).or_else(|| fits(symbol).then_some(symbol))
    })
}
