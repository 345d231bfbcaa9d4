//! The symbols of one file that an outline lists.

use peelback_code::syntax::{Symbol, SymbolKind, walk_symbols_with_depth};
use peelback_tokens::LineCosts;

use crate::rows::SymbolRow;

/// Whether an outline lists a symbol: it has the requested kind, and it is not local to a function unless full detail
/// is requested. The children of a symbol of another kind are still considered.
pub(super) fn is_symbol_listed_in_outline(symbol: &Symbol, kind: Option<SymbolKind>, is_full: bool) -> bool {
    kind.is_none_or(|kind| symbol.kind == kind) && (is_full || !symbol.local)
}

/// The rows of the symbols of a file that an outline lists: a flat list where the call requests a kind, otherwise a
/// tree.
pub(super) fn rows_of_listed_symbols(
    path: &str,
    symbols: Vec<Symbol>,
    kind: Option<SymbolKind>,
    depth: usize,
    is_full: bool,
    costs: &LineCosts,
) -> Vec<SymbolRow> {
    if kind.is_some() {
        return walk_symbols_with_depth(&symbols)
            .filter(|(symbol, level)| *level < depth && is_symbol_listed_in_outline(symbol, kind, is_full))
            .map(|(symbol, _)| SymbolRow {
                name: symbol.qualified_name.clone(),
                ..SymbolRow::new_without_children(path, symbol, costs)
            })
            .collect();
    }
    SymbolRow::build_row_trees_of_kept_symbols(path, symbols, costs, depth, &|symbol| {
        is_symbol_listed_in_outline(symbol, None, is_full)
    })
}

/// The symbols with those of namespaces in place of the namespaces. A namespace around a whole file says nothing of it, nor
/// does one that is only declared at its head, where the file has other symbols.
pub(super) fn symbols_of_namespaces(symbols: Vec<Symbol>) -> Vec<Symbol> {
    let mut out = Vec::with_capacity(symbols.len());
    let mut stack: Vec<Symbol> = symbols.into_iter().rev().collect();
    while let Some(mut symbol) = stack.pop() {
        if symbol.kind == SymbolKind::Namespace && !symbol.children.is_empty() {
            stack.extend(std::mem::take(&mut symbol.children).into_iter().rev());
        } else {
            out.push(symbol);
        }
    }
    if out.iter().any(|symbol| symbol.kind != SymbolKind::Namespace) {
        out.retain(|symbol| symbol.kind != SymbolKind::Namespace);
    }
    out
}
