//! The list of candidate files without an outline in the first exploration request: one row for each file.

use std::collections::HashMap;
use std::fmt::Write as _;

use peelback_code::CodeAccess;
use peelback_code::syntax::{Symbol, SymbolKind, walk_symbols_with_depth};

use crate::disclosure::known_secrets_of_files;
use crate::markdown::{one_line, truncate_with_ellipsis};
use crate::retrieval::{Candidate, Retrieved, Via};
use crate::secrets::SecretFileRules;

/// The maximum number of characters of the symbols on the rows of the first files, and of the files after them.
const SYMBOLS: [usize; 2] = [300, 150];

/// The maximum number of characters of a symbol's name.
const NAME: usize = 60;

/// The number of rows that have more symbols than the rows after them.
const LONG_ROWS: usize = 4;

/// The rows of the candidate files, each made when it is first needed.
pub(super) struct CandidateRows<'a> {
    access: &'a CodeAccess,
    retrieved: &'a Retrieved,
    secrets: &'a SecretFileRules,
    /// The rows so far, by the place of their file among the candidates and the characters of their symbols.
    made: HashMap<(usize, usize), String>,
}

impl<'a> CandidateRows<'a> {
    pub fn new(access: &'a CodeAccess, retrieved: &'a Retrieved, secrets: &'a SecretFileRules) -> Self {
        Self { access, retrieved, secrets, made: HashMap::new() }
    }

    /// The rows of the candidate files that are not among `outlined`: the path, the price, and the symbols that the
    /// question ranks highest, or the first functions and types of the file. They hold no secrets.
    pub fn further(&mut self, outlined: &[String]) -> String {
        let Self { access, retrieved, secrets, .. } = *self;
        let further = retrieved.candidates.iter().enumerate();
        let further = further.filter(|(_, candidate)| !outlined.contains(&candidate.path));
        let most = |place: usize| SYMBOLS.get(usize::from(place >= LONG_ROWS)).copied().unwrap_or(0);
        let mut rows = String::new();
        for (place, (index, candidate)) in further.enumerate() {
            let row = self.made.entry((index, most(place))).or_insert_with(|| {
                // A value that is known as a secret of the file can be a part of a heading there.
                let known = known_secrets_of_files(access, [candidate.path.as_str()]);
                let mask = |text: &str| secrets.redact_excerpt(text, &known).into_owned();
                mask(&row_of_candidate(access, retrieved, candidate, &mask, most(place)))
            });
            rows.push_str(row);
        }
        rows
    }
}

fn row_of_candidate(
    access: &CodeAccess,
    retrieved: &Retrieved,
    candidate: &Candidate,
    mask: &dyn Fn(&str) -> String,
    max_chars: usize,
) -> String {
    let mut row = candidate.path.clone();
    if let Some(tokens) = candidate.tokens {
        let _ = write!(row, " (~{tokens} tokens)");
    }
    row.push_str(match &candidate.via {
        Via::Imports(_) => ", linked to the best",
        Via::Name => ", defines a name of the question",
        Via::Ranking => "",
    });
    let symbols = symbols_of_candidate(access, retrieved, candidate, mask, max_chars);
    if !symbols.is_empty() {
        let _ = write!(row, ": {symbols}");
    }
    row.push('\n');
    row
}

/// The symbols of a file that tell most about it, each with its first line, in about `max_chars` characters.
fn symbols_of_candidate(
    access: &CodeAccess,
    retrieved: &Retrieved,
    candidate: &Candidate,
    mask: &dyn Fn(&str) -> String,
    max_chars: usize,
) -> String {
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
        // A part of a secret would not be recognised: names are masked before they are cut.
        let part = format!("{} {line}", truncate_with_ellipsis(&one_line(&mask(&name)), NAME));
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

#[cfg(test)]
mod tests {
    use peelback_code::Project;

    use super::*;
    use crate::retrieval::{RetrievalOptions, retrieve_for_question};

    #[test]
    fn a_heading_is_masked_before_it_is_cut() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let text = format!("# Build and release of parcels by token {token}\n\nParcels are built and released.\n");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(".git")).expect("a folder");
        std::fs::write(folder.path().join("release.md"), text).expect("a file");
        let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
        let found = retrieve_for_question(&access, "How are parcels built and released?", &RetrievalOptions::default());
        let found = found.expect("candidates");
        let rows = CandidateRows::new(&access, &found, &SecretFileRules::new(&[])).further(&[]);
        assert!(rows.starts_with("release.md") && rows.contains("Build and release of parcels"), "{rows}");
        assert!(!rows.contains("ghp_a1B2"), "{rows}");
        assert_eq!(
            CandidateRows::new(&access, &found, &SecretFileRules::new(&[])).further(&["release.md".to_owned()]),
            ""
        );
    }
}
