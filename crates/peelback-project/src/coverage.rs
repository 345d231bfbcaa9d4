//! Describes in words which parts of a file the parser did not understand.

use peelback_syntax::{NotParsed, ParseCoverage};

/// A message for an answer's evidence: which parts of a file the parser did not understand, or why it did not parse the
/// file. `None` if it understood the whole file.
pub fn describe_parse_coverage_gap(coverage: &ParseCoverage) -> Option<String> {
    match coverage {
        ParseCoverage::Whole => None,
        ParseCoverage::Partial { regions, lines } => {
            let shown: Vec<String> = lines.iter().take(5).map(|l| format!("{}-{}", l.first, l.last)).collect();
            let more = regions.saturating_sub(shown.len());
            let more = if more > 0 { format!(", +{more} more") } else { String::new() };
            let s = if *regions == 1 { "" } else { "s" };
            Some(format!("{regions} region{s} not understood (lines {}{more})", shown.join(", ")))
        }
        ParseCoverage::NotParsed(NotParsed::UnknownLanguage) => Some("in no known language: not parsed".to_owned()),
        ParseCoverage::NotParsed(NotParsed::NoGrammar) => {
            Some("this build has no grammar of its language: not parsed".to_owned())
        }
        ParseCoverage::NotParsed(NotParsed::TooLarge) => Some("over the size limit for parsing (4 MB)".to_owned()),
        ParseCoverage::NotParsed(NotParsed::BrokenNotebook) => {
            Some("not read as a notebook: its text is no JSON with cells".to_owned())
        }
        ParseCoverage::NotParsed(NotParsed::Deadline) => Some("its parse passed the deadline".to_owned()),
        ParseCoverage::NotParsed(NotParsed::Memory) => Some("its parse passed a limit on memory or nesting".to_owned()),
    }
}
