//! What the text of an answer says of its evidence.

use peelback_code::{Completeness, Evidence};

/// Marks at the end of the name of an analysis. They tell a program what a language lacks, and a reader nothing that the
/// rows do not show.
const MARKS_OF_BASIC_ANALYSIS: [&str; 2] = [" (basic)", " (basic for some files)"];

/// The name of the analysis for the line with the evidence; `None` for a complete answer, of which there is nothing to say.
pub(crate) fn analysis_to_name(evidence: &Evidence) -> Option<&str> {
    let analysis = evidence.analysis.as_str();
    let name = MARKS_OF_BASIC_ANALYSIS.iter().find_map(|mark| analysis.strip_suffix(mark)).unwrap_or(analysis);
    (evidence.completeness != Completeness::Complete || name.contains('(')).then_some(name)
}
