//! Conversion of a flat list of symbols into a tree, and marking of symbols with equal qualified names.

use foldhash::{HashMap, HashMapExt as _};

use crate::facts::Symbol;

/// A symbol with the index of its parent: the input of [`build_symbol_tree`].
pub(crate) struct SymbolEntry {
    pub symbol: Symbol,
    /// The index of the entry of the enclosing symbol, which always precedes this entry; `None` at the top level.
    pub parent: Option<usize>,
}

/// The qualified name of a symbol: its owners' names in `prefix` and its simple name, joined by a dot.
pub(crate) fn join_qualified_name(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// Builds symbol trees from a list in which parents precede their children. Siblings keep the order of the file. A symbol
/// holds its children: in broken text, what the parser takes for its attributes can hold some of them.
pub(crate) fn build_symbol_tree(entries: Vec<SymbolEntry>) -> Vec<Symbol> {
    let mut roots = Vec::new();
    let mut slots: Vec<(Symbol, Option<usize>)> = entries.into_iter().map(|e| (e.symbol, e.parent)).collect();
    while let Some((mut symbol, parent)) = slots.pop() {
        symbol.children.reverse();
        match parent.and_then(|index| slots.get_mut(index)) {
            Some((owner, _)) => {
                if symbol.container.is_none() {
                    widen_to_hold_child(owner, &symbol);
                }
                owner.children.push(symbol);
            }
            None => roots.push(symbol),
        }
    }
    roots.reverse();
    roots
}

fn widen_to_hold_child(symbol: &mut Symbol, child: &Symbol) {
    if child.bytes.start < symbol.bytes.start {
        symbol.bytes.start = child.bytes.start;
        symbol.outer_start = symbol.outer_start.min(child.bytes.start);
        symbol.lines.first = symbol.lines.first.min(child.lines.first);
        symbol.outer_line = symbol.outer_line.min(symbol.lines.first);
    }
    if child.bytes.end > symbol.bytes.end {
        symbol.bytes.end = child.bytes.end;
        symbol.lines.last = symbol.lines.last.max(child.lines.last);
    }
}

/// Marks symbols whose qualified name is not unique in the file, and numbers those that begin on the same line.
pub(crate) fn mark_duplicate_qualified_names(symbols: &mut [Symbol]) {
    let all: Vec<&Symbol> = crate::facts::walk_symbols_with_depth(symbols).map(|(symbol, _)| symbol).collect();
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(all.len());
    let mut duplicates: Vec<usize> = Vec::new();
    for (index, symbol) in all.iter().enumerate() {
        match first.entry(&symbol.qualified_name) {
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(index);
            }
            std::collections::hash_map::Entry::Occupied(slot) => duplicates.extend([*slot.get(), index]),
        }
    }
    if duplicates.is_empty() {
        return;
    }
    duplicates.sort_unstable();
    duplicates.dedup();
    let name_and_line =
        |index: &usize| all.get(*index).map(|symbol| (symbol.qualified_name.as_str(), symbol.lines.first));
    let mut on_line: HashMap<Option<(&str, u32)>, (u32, u32)> = HashMap::default();
    for index in &duplicates {
        on_line.entry(name_and_line(index)).or_default().1 += 1;
    }
    let mut marks: Vec<(usize, Option<u32>)> = Vec::with_capacity(duplicates.len());
    for index in &duplicates {
        let (place, count) = on_line.entry(name_and_line(index)).or_default();
        *place += 1;
        marks.push((*index, (*count > 1).then_some(*place)));
    }
    let mut marks = marks.into_iter().peekable();
    let mut stack: Vec<&mut Symbol> = symbols.iter_mut().rev().collect();
    let mut index = 0;
    while let Some(symbol) = stack.pop() {
        if let Some((_, place)) = marks.next_if(|mark| mark.0 == index) {
            symbol.has_unique_name = false;
            symbol.ordinal_on_line = place;
        }
        index += 1;
        stack.extend(symbol.children.iter_mut().rev());
    }
}
