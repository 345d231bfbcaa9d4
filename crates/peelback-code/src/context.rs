//! The context that a reader needs to understand a symbol's body: the imports that the body uses, and the headers of
//! the enclosing symbols.

use std::collections::HashSet;
use std::sync::Arc;

use peelback_project::AnalysedFile;
use peelback_syntax::{Facts, Import, ImportKind, Symbol, walk_symbols_with_depth};

use crate::lookup::NameMatch;

/// A symbol's text, with the imports and enclosing headers that explain it.
#[derive(Debug, Clone)]
pub struct SymbolBody {
    /// The symbol's text, from the indentation of its first decorator, attribute or doc comment to the end of its last
    /// line.
    pub text: String,
    /// The imports and enclosing headers that the text needs.
    pub context: SymbolContext,
}

impl SymbolBody {
    /// Creates the body of a symbol that [`crate::CodeAccess::find_matching_symbols`] found in this file.
    pub fn new(analysed: &AnalysedFile, hit: &NameMatch) -> Self {
        let source = &analysed.file.text;
        let start = start_including_indentation(source, hit.symbol.outer_start);
        let text = source.get(start..hit.symbol.bytes.end).unwrap_or("").to_owned();
        let context = SymbolContext::for_symbol(&text, &hit.symbol, &hit.owners, &analysed.facts);
        Self { text, context }
    }
}

/// The start of the line that contains byte `at`, if only white space is between them; else `at`.
fn start_including_indentation(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or("");
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    if before.get(start..).is_some_and(|indent| indent.trim().is_empty()) { start } else { at }
}

/// The imports and the headers of enclosing symbols that explain a symbol's body.
#[derive(Debug, Clone, Default)]
pub struct SymbolContext {
    /// The file's imports whose names the body uses, and its glob imports, which may provide any name.
    pub imports: Vec<Import>,
    /// The headers of the enclosing symbols, outermost first, each with its line number.
    pub headers: Vec<(u32, String)>,
}

impl SymbolContext {
    /// The context of `symbol`, whose text is `body`, enclosed by `owners` in a file with these `facts`.
    pub fn for_symbol(body: &str, symbol: &Symbol, owners: &[Arc<Symbol>], facts: &Facts) -> Self {
        let visible = |import: &Import| {
            let holders = walk_symbols_with_depth(&facts.symbols)
                .map(|(holder, _)| holder)
                .filter(|holder| holder.kind.is_callable())
                .filter(|holder| (holder.lines.first..=holder.lines.last).contains(&import.lines.first));
            // An import inside a function is visible only in that function.
            holders
                .into_iter()
                .all(|holder| holder.lines.first <= symbol.lines.first && symbol.lines.last <= holder.lines.last)
        };
        // Visibility is checked only for the imports that the body uses: few of a file's imports are used, and the
        // search among the functions is slower.
        let mut imports = imports_that_text_may_use(body, &facts.imports);
        imports.retain(visible);
        Self { imports, headers: owners.iter().map(|owner| (owner.lines.first, owner.signature.clone())).collect() }
    }
}

/// The imports whose names occur in `body` as whole identifiers, and the imports that may provide any name: globs, and
/// includes, which list no names.
pub fn imports_that_text_may_use(body: &str, imports: &[Import]) -> Vec<Import> {
    let identifiers: HashSet<&str> =
        body.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty()).collect();
    let mut seen = HashSet::new();
    imports
        .iter()
        .filter(|import| {
            let used = matches!(import.kind, ImportKind::Glob | ImportKind::Include)
                || import.names.iter().any(|name| identifiers.contains(name_bound_by_import_entry(name)))
                || (import.names.is_empty() && identifiers.contains(last_import_path_part(&import.source)));
            used && !body.contains(import.text.as_str()) && seen.insert((import.lines.first, import.text.as_str()))
        })
        .cloned()
        .collect()
}

/// The name that an import entry binds: `c` for `b as c`, `a` for Python's `a.b`, `c` for `a::b::c`.
fn name_bound_by_import_entry(entry: &str) -> &str {
    if let Some((_, alias)) = entry.rsplit_once(" as ") {
        return alias.trim();
    }
    let entry = entry.trim().trim_start_matches("type ").trim();
    match entry.rsplit_once("::") {
        Some((owner, "self")) => last_import_path_part(owner),
        Some((_, last)) => last,
        None => entry.split('.').next().unwrap_or(entry),
    }
}

/// The last part of an import source: `fmt` for `std::fmt`, `http` for `net/http`.
fn last_import_path_part(source: &str) -> &str {
    source.rsplit(['/', ':', '.']).next().unwrap_or(source)
}
