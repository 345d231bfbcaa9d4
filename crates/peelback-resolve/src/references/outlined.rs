//! What the outline calls a definition: an answer's ids are those that lead back to it.

use std::sync::{Arc, PoisonError};

use peelback_syntax::{Facts, Symbol, SymbolKind};

use super::{Endpoint, Search};
use crate::modules::FileId;
use crate::resolve::definition::Def;

impl Search<'_> {
    /// Where a definition stands and what the outline calls it; `None` where the outline does not have it.
    pub(super) fn endpoint(&self, def: Def) -> Option<Endpoint> {
        self.of_symbol(def, |path, symbol| Endpoint { path: path.to_owned(), qualified_name: symbol.address() })
    }

    /// What a definition is to the outline.
    pub(super) fn kind_of(&self, def: Def) -> Option<SymbolKind> {
        self.of_symbol(def, |_, symbol| symbol.kind)
    }

    /// The implementation (`impl Trait for Type`) around a byte.
    pub(super) fn implementation_at(&self, file: FileId, at: u32) -> Option<Endpoint> {
        let facts = self.outline_of(file)?;
        let symbol = innermost(&facts.symbols, at, &|symbol| symbol.kind == SymbolKind::Impl)?;
        Some(Endpoint { path: self.snapshot.files().path(file).to_owned(), qualified_name: symbol.address() })
    }

    fn of_symbol<R>(&self, def: Def, give: impl FnOnce(&str, &Symbol) -> R) -> Option<R> {
        let names = self.resolver.names(def.file)?;
        let binding = names.bindings.get(def.binding as usize)?;
        let name = names.text(binding.name);
        let facts = self.outline_of(def.file)?;
        let is_it = |symbol: &Symbol| symbol.name.rsplit(['.', ':', '#']).next() == Some(name);
        let symbol = innermost(&facts.symbols, binding.at, &is_it)?;
        Some(give(self.snapshot.files().path(def.file), symbol))
    }

    fn outline_of(&self, file: FileId) -> Option<Arc<Facts>> {
        let lock = || self.outlines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&file) {
            return known.clone();
        }
        let made = self.snapshot.read(file).ok().map(|text| self.access.analyse(text).facts);
        lock().insert(file, made.clone());
        made
    }
}

/// The smallest symbol around a byte that fits.
fn innermost<'s>(symbols: &'s [Symbol], at: u32, fits: &dyn Fn(&Symbol) -> bool) -> Option<&'s Symbol> {
    let around = |symbol: &&Symbol| symbol.bytes.contains(&(at as usize));
    symbols
        .iter()
        .filter(around)
        .find_map(|symbol| innermost(&symbol.children, at, fits).or_else(|| fits(symbol).then_some(symbol)))
}
