//! The list of candidate files without an outline in the first exploration request: one row for each file.

use std::fmt::Write as _;

use peelback_code::CodeAccess;
use peelback_code::syntax::{Symbol, SymbolKind, walk_symbols_with_depth};

use crate::markdown::{one_line, truncate_with_ellipsis};
use crate::retrieval::{Candidate, Retrieved, Via};

/// The maximum number of characters of the symbols on the rows of the first files, and of the files after them.
const SYMBOLS: [usize; 2] = [300, 150];

/// The number of rows that have more symbols than the rows after them.
const LONG_ROWS: usize = 4;

/// The rows of the candidate files that are not among `outlined`: the path, the price, and the symbols that the question
/// ranks highest, or the first functions and types of the file.
pub(super) fn further_candidate_rows(access: &CodeAccess, retrieved: &Retrieved, outlined: &[String]) -> String {
    let further = retrieved.candidates.iter().filter(|candidate| !outlined.contains(&candidate.path));
    let most = |place: usize| SYMBOLS.get(usize::from(place >= LONG_ROWS)).copied().unwrap_or(0);
    let rows =
        further.enumerate().map(|(place, candidate)| row_of_candidate(access, retrieved, candidate, most(place)));
    rows.collect()
}

fn row_of_candidate(access: &CodeAccess, retrieved: &Retrieved, candidate: &Candidate, max_chars: usize) -> String {
    let mut row = candidate.path.clone();
    if let Some(tokens) = candidate.tokens {
        let _ = write!(row, " (~{tokens} tokens)");
    }
    row.push_str(match &candidate.via {
        Via::Imports(_) => ", linked to the best",
        Via::Name => ", defines a name of the question",
        Via::Ranking => "",
    });
    let symbols = symbols_of_candidate(access, retrieved, candidate, max_chars);
    if !symbols.is_empty() {
        let _ = write!(row, ": {symbols}");
    }
    row.push('\n');
    row
}

/// The symbols of a file that tell most about it, each with its first line, in about `max_chars` characters.
fn symbols_of_candidate(access: &CodeAccess, retrieved: &Retrieved, candidate: &Candidate, max_chars: usize) -> String {
    let Ok(analysed) = access.analyse_file_by_root_path(&candidate.path) else { return String::new() };
    let all: Vec<(&Symbol, usize)> =
        walk_symbols_with_depth(&analysed.facts.symbols).filter(|(symbol, _)| !symbol.local).collect();
    let defined = retrieved.definitions.iter().filter(|definition| definition.path == candidate.path);
    let mut chosen: Vec<(String, u32)> =
        defined.map(|definition| (definition.symbol.qualified_name.clone(), definition.symbol.lines.first)).collect();
    let ranked = retrieved.passages_of_file(&candidate.path);
    chosen.extend(ranked.map(|passage| (passage.symbol.qualified_name.clone(), passage.symbol.lines.first)));
    let is_part = |symbol: &Symbol| {
        symbol.kind.is_callable() || !(symbol.kind.is_value() || matches!(symbol.kind, SymbolKind::Property))
    };
    let top = all.iter().filter(|(symbol, depth)| *depth == 0 && is_part(symbol));
    chosen.extend(top.map(|(symbol, _)| (symbol.qualified_name.clone(), symbol.lines.first)));
    let (mut text, mut named) = (String::new(), Vec::new());
    for (name, line) in chosen {
        if named.contains(&(name.clone(), line)) {
            continue;
        }
        let part = format!("{} {line}", truncate_with_ellipsis(&one_line(&name), 60));
        if text.chars().count() + part.chars().count() + 2 > max_chars {
            break;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&part);
        named.push((name, line));
    }
    let more = all.len().saturating_sub(named.len());
    if more > 0 && !text.is_empty() {
        let _ = write!(text, " (+{more})");
    }
    text
}
