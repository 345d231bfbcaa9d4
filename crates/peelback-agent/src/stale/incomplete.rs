//! The reasons why a renewed document is incomplete: they are decided again where the renewal can have changed them, and
//! kept where it cannot.

use peelback_code::CodeAccess;

use super::citation_edits;
use crate::citations;
use crate::document::{Document, FrontMatter};

/// The front matter keys of earlier versions for what is in [`FrontMatter::left_out`] now, with the words before it.
const EARLIER_LEFT_OUT: &[(&str, &str)] = &[("withheld", "withheld"), ("not_shown_to_model", "not shown to the model")];

/// The front matter key of earlier versions for the number of marked citations, which is a part of the reason why a
/// document is incomplete now.
const EARLIER_NOT_VERIFIED: &str = "citations_not_verified";

/// The beginning of the part of the front matter value `incomplete` that a later renewal may remove.
const NOT_RENEWED: &str = "not renewed: ";

/// The reason of a document that said that it is not complete, but not why. Without words of its own, the reason would be
/// lost with the first gap that is filled.
const REASON_UNKNOWN: &str = "no reason was given";

/// Writes what the citations do not prove to the front matter value `incomplete`, instead of what it says of that.
pub(super) fn record_citation_gaps(document: &mut Document, access: &CodeAccess) {
    adopt_keys_of_earlier_versions(&mut document.front);
    let before = document.front.incomplete.take().map(|before| match before.trim() {
        "" => REASON_UNKNOWN.to_owned(),
        _ => before,
    });
    let before: Vec<&str> = before.iter().flat_map(|before| before.split("; ")).collect();
    let gaps = citation_gaps_of_document(document, access, before.contains(&citations::NO_CITATION));
    let kept = before.iter().filter(|part| !part.is_empty() && !citations::is_citation_gap(part));
    let mut parts: Vec<String> = kept.map(|part| (*part).to_owned()).collect();
    // The sections that were not renewed come last in the value.
    let at = parts.iter().position(|part| part.starts_with(NOT_RENEWED)).unwrap_or(parts.len());
    parts.splice(at..at, gaps);
    document.front.incomplete = (!parts.is_empty()).then(|| parts.join("; "));
}

/// What the citations of a document do not prove. `had_none` says that the document had no citation before.
fn citation_gaps_of_document(document: &Document, access: &CodeAccess, had_none: bool) -> Vec<String> {
    let no_citation = || citations::NO_CITATION.to_owned();
    match document.front.mode.as_deref() {
        // The text of these documents is made from the files, and of a summary that a model wrote.
        Some("context" | "evidence") => {
            let mut gaps = match document.section_text("Summary").filter(|_| document.front.model_used != "none") {
                Some(summary) => citations::summary_gaps(summary, access),
                None if document.front.citations.is_empty() => vec![no_citation()],
                None => Vec::new(),
            };
            let marks = citation_edits::count_unverified_marks(&document.body);
            gaps.retain(|gap| !citations::is_unverified_gap(gap));
            gaps.extend(citations::unverified_gap(marks));
            gaps
        }
        _ => {
            let mut gaps = citations::citation_gaps(&document.body, access);
            // The lists that the program added below the text are no citations of what it says.
            let has_one = !had_none || citations::has_citation_outside_lists(&document.body, access);
            if !has_one && !gaps.iter().any(|gap| gap == citations::NO_CITATION) {
                gaps.insert(0, no_citation());
            }
            gaps
        }
    }
}

/// Whether earlier versions wrote the front matter key for what has another place now.
pub(super) fn is_key_of_earlier_version(key: &str) -> bool {
    key == EARLIER_NOT_VERIFIED || EARLIER_LEFT_OUT.iter().any(|(earlier, _)| *earlier == key)
}

/// Moves the values of front matter keys that earlier versions wrote to the places that they have now.
fn adopt_keys_of_earlier_versions(front: &mut FrontMatter) {
    front.other.retain(|(key, _)| key != EARLIER_NOT_VERIFIED);
    for (key, words) in EARLIER_LEFT_OUT {
        let Some(at) = front.other.iter().position(|(other, _)| other == key) else { continue };
        let (_, value) = front.other.remove(at);
        let before = front.left_out.take().map(|before| format!("{before}; ")).unwrap_or_default();
        front.left_out = Some(format!("{before}{words}: {value}"));
    }
}

/// Writes the sections that were not renewed to the front matter value `incomplete`, and keeps other reasons why the
/// document is incomplete.
pub(super) fn record_unrenewed_sections(front: &mut FrontMatter, failed: &[String], has_left: bool) {
    let before = front.incomplete.clone();
    let kept = before.as_deref().map(|before| match before.find(NOT_RENEWED) {
        // The part of the value about failed renewals is replaced or removed only after a new failure or once no stale
        // citation is left.
        Some(at) if !has_left || !failed.is_empty() => before.get(..at).unwrap_or("").trim_end_matches("; "),
        _ => before,
    });
    let now = (!failed.is_empty()).then(|| format!("{NOT_RENEWED}{}", failed.join("; ")));
    let parts: Vec<String> = kept.filter(|kept| !kept.is_empty()).map(str::to_owned).into_iter().chain(now).collect();
    front.incomplete = (!parts.is_empty()).then(|| parts.join("; "));
}
