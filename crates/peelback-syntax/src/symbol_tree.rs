//! Conversion of a flat list of symbols into a tree, and disambiguation of symbols with equal qualified names.

use foldhash::{HashMap, HashMapExt as _};

use crate::facts::Symbol;

/// A symbol with the index of its parent: the input of [`nest`].
pub(crate) struct Entry {
    pub symbol: Symbol,
    /// The index of the enclosing symbol's entry, which always precedes this entry; `None` at the top level.
    pub parent: Option<usize>,
}

/// A qualified name: the owners' names in `prefix` and the simple name, joined by a dot.
pub(crate) fn qualify(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// Builds symbol trees from a list in which parents precede their children. Siblings keep the order of the file.
pub(crate) fn nest(entries: Vec<Entry>) -> Vec<Symbol> {
    let mut roots = Vec::new();
    let mut slots: Vec<(Symbol, Option<usize>)> = entries.into_iter().map(|e| (e.symbol, e.parent)).collect();
    while let Some((mut symbol, parent)) = slots.pop() {
        symbol.children.reverse();
        match parent.and_then(|index| slots.get_mut(index)) {
            Some((owner, _)) => owner.children.push(symbol),
            None => roots.push(symbol),
        }
    }
    roots.reverse();
    roots
}

/// Marks symbols whose qualified name is not unique in the file, and numbers those that begin on the same line.
pub(crate) fn mark_duplicates(symbols: &mut [Symbol]) {
    let all: Vec<&Symbol> = crate::facts::walk_symbols(symbols).map(|(symbol, _)| symbol).collect();
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(all.len());
    let mut again: Vec<usize> = Vec::new();
    for (index, symbol) in all.iter().enumerate() {
        match first.entry(&symbol.qualified_name) {
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(index);
            }
            std::collections::hash_map::Entry::Occupied(slot) => again.extend([*slot.get(), index]),
        }
    }
    if again.is_empty() {
        return;
    }
    again.sort_unstable();
    again.dedup();
    let of = |index: &usize| all.get(*index).map(|symbol| (symbol.qualified_name.as_str(), symbol.lines.first));
    let mut on_line: HashMap<Option<(&str, u32)>, (u32, u32)> = HashMap::default();
    for index in &again {
        on_line.entry(of(index)).or_default().1 += 1;
    }
    let mut marks: Vec<(usize, Option<u32>)> = Vec::with_capacity(again.len());
    for index in &again {
        let (place, count) = on_line.entry(of(index)).or_default();
        *place += 1;
        marks.push((*index, (*count > 1).then_some(*place)));
    }
    let mut marks = marks.into_iter().peekable();
    let mut stack: Vec<&mut Symbol> = symbols.iter_mut().rev().collect();
    let mut index = 0;
    while let Some(symbol) = stack.pop() {
        if let Some((_, place)) = marks.next_if(|mark| mark.0 == index) {
            symbol.unique = false;
            symbol.place_on_line = place;
        }
        index += 1;
        stack.extend(symbol.children.iter_mut().rev());
    }
}
