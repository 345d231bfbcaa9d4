//! Search for the files that the best passages use: files that the passages' files import, and whose symbols the
//! passages name.
//!
//! A question often concerns two files of which the first only calls the second; the called file then contains few of
//! the question's words.

use std::collections::{BTreeSet, HashMap};

use peelback_code::syntax::{SymbolKind, walk_symbols_with_depth};
use peelback_code::{CodeAccess, RankedPassage};

use super::{Candidate, sort_candidates_by_score};

/// The number of top-ranked files whose passages are inspected. These files keep their ranks.
const BEST: usize = 3;

/// The maximum number of inspected passages in each top-ranked file.
const PASSAGES: usize = 4;

/// The minimum length of a symbol name that counts as distinctive, in bytes.
const MIN_NAME: usize = 4;

/// The weight in the score of a candidate file that the best passages use most. The file ranking and the best passage
/// have the weight 1 each.
const WEIGHT: f32 = 0.8;

/// Reorders the candidate files behind the top-ranked files: files whose symbols the passages of the top-ranked files
/// name move up.
pub(super) fn reorder_lower_candidates_by_use(
    access: &CodeAccess,
    candidates: &mut Vec<Candidate>,
    passages: &[RankedPassage],
    edges: &[(String, String)],
) {
    let shares = usage_weight_by_file(access, candidates, passages, edges);
    let most = shares.values().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut rest = candidates.split_off(candidates.len().min(BEST));
    for candidate in &mut rest {
        candidate.score += WEIGHT * shares.get(&candidate.path).copied().unwrap_or(0.0) / most;
    }
    sort_candidates_by_score(&mut rest);
    // The score expresses the order of the candidates, so a file behind the top-ranked files must not exceed their
    // scores.
    let least = candidates.last().map_or(f32::MAX, |candidate| candidate.score);
    rest.iter_mut().for_each(|candidate| candidate.score = candidate.score.min(least));
    candidates.append(&mut rest);
}

/// For each candidate file, a weight for how much the best passages use it: for each name of the file's symbols in a
/// passage, the score of the passage's file, divided by the number of files that define the name.
fn usage_weight_by_file(
    access: &CodeAccess,
    candidates: &[Candidate],
    passages: &[RankedPassage],
    edges: &[(String, String)],
) -> HashMap<String, f32> {
    let best = candidates.get(..candidates.len().min(BEST)).unwrap_or(&[]);
    let known: BTreeSet<&str> = candidates.iter().map(|candidate| candidate.path.as_str()).collect();
    let imported = |from: &str, to: &str| edges.iter().any(|(a, b)| a == from && b == to);
    let wanted: BTreeSet<&str> = edges
        .iter()
        .filter(|(from, to)| known.contains(to.as_str()) && best.iter().any(|candidate| candidate.path == *from))
        .map(|(_, to)| to.as_str())
        .collect();
    let mut definitions: HashMap<String, Vec<&str>> = HashMap::new();
    for path in wanted {
        let Ok(analysed) = access.analyse_file_by_root_path(path) else { continue };
        let names: BTreeSet<String> = walk_symbols_with_depth(&analysed.facts.symbols)
            .map(|(symbol, _)| symbol)
            .filter(|symbol| !symbol.local && symbol.name.len() >= MIN_NAME)
            .filter(|symbol| !matches!(symbol.kind, SymbolKind::Field | SymbolKind::Property | SymbolKind::Impl))
            .map(|symbol| symbol.name.clone())
            .collect();
        for name in names {
            definitions.entry(name).or_default().push(path);
        }
    }
    let mut shares: HashMap<String, f32> = HashMap::new();
    for candidate in best {
        let Ok(file) = access.read_file_by_root_path(&candidate.path) else { continue };
        for passage in passages.iter().filter(|passage| passage.path == candidate.path).take(PASSAGES) {
            let text = file.text_of_lines(passage.lines.first, passage.lines.last);
            let words: BTreeSet<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).collect();
            for name in words {
                let Some(paths) = definitions.get(name) else { continue };
                for path in paths.iter().filter(|path| **path != candidate.path && imported(&candidate.path, path)) {
                    #[expect(clippy::cast_precision_loss, reason = "a handful of files")]
                    let share = candidate.score / paths.len() as f32;
                    *shares.entry((*path).to_owned()).or_default() += share;
                }
            }
        }
    }
    shares
}
