//! Describes in words which part of a file was not understood.

use peelback_syntax::{Coverage, NotParsed};

/// The text for the evidence that describes the gap in one file's coverage; `None` if the whole file was understood.
pub fn describe_coverage_gap(coverage: &Coverage) -> Option<String> {
    match coverage {
        Coverage::Whole => None,
        Coverage::Partial { regions, lines } => {
            let shown: Vec<String> = lines.iter().take(5).map(|l| format!("{}-{}", l.first, l.last)).collect();
            let more = regions.saturating_sub(shown.len());
            let more = if more > 0 { format!(", +{more} more") } else { String::new() };
            let s = if *regions == 1 { "" } else { "s" };
            Some(format!("{regions} region{s} not understood (lines {}{more})", shown.join(", ")))
        }
        Coverage::NotParsed(NotParsed::UnknownLanguage) => Some("in no known language: not parsed".to_owned()),
        Coverage::NotParsed(NotParsed::NoGrammar) => {
            Some("this build has no grammar of its language: not parsed".to_owned())
        }
        Coverage::NotParsed(NotParsed::TooLarge) => Some("over the size limit for parsing (4 MB)".to_owned()),
        Coverage::NotParsed(NotParsed::Deadline) => Some("its parse passed the deadline".to_owned()),
    }
}
