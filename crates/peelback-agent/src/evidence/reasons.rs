//! Short reasons why the evidence document lists a file.

use std::collections::BTreeSet;

use super::parts::without_line_breaks_backticks_and_pipes;
use crate::retrieval::{Candidate, Via};

/// The maximum number of reasons that are shown for one file.
const MOST: usize = 2;

/// The two weightiest reasons for listing each candidate file. Reasons that all candidates share are left out, because
/// they distinguish no file.
pub(super) fn short_reasons_per_candidate(candidates: &[Candidate]) -> Vec<String> {
    let ranked: Vec<BTreeSet<(&str, &str)>> = candidates
        .iter()
        .filter(|candidate| candidate.via == Via::Ranking)
        .map(|candidate| candidate.reasons.iter().flat_map(|reason| split_reason_items(reason)).collect())
        .collect();
    let is_shared = |item: &(&str, &str)| ranked.len() > 1 && ranked.iter().all(|items| items.contains(item));
    candidates
        .iter()
        .map(|candidate| {
            let short_reasons = candidate.reasons.iter().filter_map(|reason| {
                if candidate.via != Via::Ranking {
                    return Some(reason.clone());
                }
                let label = reason.split_once(": ").map(|(label, _)| label);
                let kept: Vec<&str> = split_reason_items(reason)
                    .into_iter()
                    .filter(|item| !is_shared(item))
                    .map(|(_, item)| item)
                    .collect();
                let shown = kept.join(", ");
                (!kept.is_empty()).then(|| label.map_or(shown.clone(), |label| format!("{label}: {shown}")))
            });
            without_line_breaks_backticks_and_pipes(&short_reasons.take(MOST).collect::<Vec<_>>().join("; "))
                .into_owned()
        })
        .collect()
}

/// Splits the reason for a file's rank, such as `words: a, b`, into its items, each with the label before the colon.
fn split_reason_items(reason: &str) -> Vec<(&str, &str)> {
    match reason.split_once(": ") {
        Some((label, items)) => items.split(", ").map(|item| (label, item)).collect(),
        None => vec![("", reason)],
    }
}

#[cfg(test)]
mod tests {
    use peelback_code::FileKind;

    use super::*;

    fn candidate(reasons: &[&str]) -> Candidate {
        Candidate {
            path: "a.py".to_owned(),
            score: 1.0,
            kind: FileKind::Source,
            via: Via::Ranking,
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
            tokens: None,
        }
    }

    #[test]
    fn what_all_share_is_not_said() {
        let all = [candidate(&["words: hold, cabin", "path: hold", "kind: test"]), candidate(&["words: hold"])];
        assert_eq!(short_reasons_per_candidate(&all), ["words: cabin; path: hold", ""]);
        assert_eq!(short_reasons_per_candidate(&all[..1]), ["words: hold, cabin; path: hold"]);
    }
}
