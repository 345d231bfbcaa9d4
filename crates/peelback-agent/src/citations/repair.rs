//! Application of the repairs and marks from the citation check to a document's text.

use super::check::{CheckedCitation, Verdict};
use super::edit::{self, Edit};

/// The document's text with the repairs and marks that the verdicts require.
pub(super) fn apply_citation_repairs_and_marks(markdown: &str, citations: &[CheckedCitation]) -> String {
    let mut edits: Vec<Edit> = Vec::new();
    let mut marks: Vec<Edit> = Vec::new();
    for checked in citations {
        let citation = &checked.citation;
        match &checked.verdict {
            // The mark of a correct citation comes from an earlier check and is removed, unless another citation in the
            // same Markdown element still needs a mark.
            Verdict::True(_) => marks.push(citation.edit_to_remove_unverified_mark()),
            Verdict::Marked { reason } => marks.push(citation.edit_to_set_unverified_mark(reason)),
            Verdict::Repaired(repair) => {
                marks.push(citation.edit_to_remove_unverified_mark());
                let Some(entry) = &checked.entry else { continue };
                if let Some(path_at) = citation.path_at.clone()
                    && entry.path != citation.path
                    && !repair.to.is_empty()
                {
                    edits.push((path_at, entry.path.clone()));
                }
                if let (Some(lines_at), Some(lines)) = (citation.lines_at.clone(), entry.lines)
                    && citation.lines != Some((lines.first, lines.last))
                {
                    let written = markdown.get(lines_at.clone()).unwrap_or("");
                    edits.push((lines_at, edit::format_line_range_like_existing(written, lines)));
                }
            }
        }
    }
    edits.extend(edit::keep_one_mark_edit_per_element(marks));
    edit::text_range_with_edits_applied(markdown, 0..markdown.len(), edits)
}
