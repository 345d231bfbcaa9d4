//! The lines of a body that document: doc comments above definitions, and docstrings.

use std::ops::Range;

use peelback_code::AnalysedFile;
use peelback_code::syntax::{FoldKind, Symbol, walk_symbols_with_depth};

/// The lines of a symbol's text that document it or what it defines, each with the first and the last line, in order. Only
/// whole lines: a comment behind code stays.
pub(super) fn lines_of_documentation(analysed: &AnalysedFile, symbol: &Symbol) -> Vec<(u32, u32)> {
    let text = analysed.file.text.as_str();
    let whole = symbol.outer_start..symbol.bytes.end;
    let symbols: Vec<&Symbol> = walk_symbols_with_depth(&analysed.facts.symbols)
        .map(|(symbol, _)| symbol)
        .filter(|inner| whole.contains(&inner.outer_start) && inner.bytes.end <= whole.end)
        .collect();
    let mut documented: Vec<Range<usize>> = Vec::new();
    for fold in
        analysed.facts.folds.iter().filter(|fold| fold.kind == FoldKind::Comment && whole.contains(&fold.bytes.start))
    {
        let is_above =
            symbols.iter().any(|symbol| (symbol.outer_start..symbol.bytes.start).contains(&fold.bytes.start));
        if is_above || is_string_literal(text.get(fold.bytes.clone()).unwrap_or("")) {
            documented.push(fold.bytes.clone());
        }
    }
    // What stands inside of a body is not folded once more: above a local definition without decorators, all is comment.
    for local in symbols.iter().filter(|symbol| symbol.local && symbol.decorators.is_empty()) {
        documented.push(local.outer_start..local.bytes.start);
    }
    let mut lines: Vec<(u32, u32)> = documented.into_iter().filter_map(|bytes| whole_lines(text, &bytes)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Whether a text that documents is a string and no comment.
fn is_string_literal(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with(['"', '\''])
}

/// The lines that hold nothing but a part of a text; `None` where code stands beside it.
fn whole_lines(text: &str, bytes: &Range<usize>) -> Option<(u32, u32)> {
    let part = text.get(bytes.clone())?;
    let (before, after) = (text.get(..bytes.start)?, text.get(bytes.end..)?);
    let is_blank = |text: &str| text.chars().all(char::is_whitespace);
    let line_before = before.rsplit('\n').next().unwrap_or("");
    let line_after = if part.ends_with('\n') { "" } else { after.split('\n').next().unwrap_or("") };
    let is_alone = is_blank(line_before) && (is_blank(line_after) || is_blank(part.rsplit('\n').next().unwrap_or("")));
    if !is_alone || is_blank(part) {
        return None;
    }
    let line_of = |at: usize| u32::try_from(text.get(..at).map_or(0, |text| text.matches('\n').count()) + 1).ok();
    let end = bytes.start + part.trim_end().len();
    Some((line_of(bytes.start)?, line_of(end)?))
}
