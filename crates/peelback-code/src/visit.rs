//! Reads and analyses many files in parallel on all cores.

use peelback_project::{
    AnalysedFile, Evidence, ProjectEntry, SYNTAX_ANALYSIS, Skipped, SourceFile, process_files_in_parallel_largest_first,
};
use peelback_syntax::{Language, ParseCoverage, Tier, language};

use crate::access::CodeAccess;
use crate::finder::Finder;
use crate::lookup::Needle;

/// The result of visiting one file.
struct FileResult<T> {
    /// The value that the visitor returned for the file.
    value: T,
    /// The entry for the file in the evidence, if the file could not be read or understood fully.
    gap: Option<Skipped>,
    /// Whether the file's language has only basic analysis: see [`Tier::Basic`].
    basic: bool,
}

/// What the parts of a file that were not understood may hide of what is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HiddenByGaps {
    Nothing,
    /// The searched text stands in the file, but outside of those parts.
    IfNothingElseMatches,
    Something,
}

impl HiddenByGaps {
    /// Whether something may be hidden in a file of which something matches, or nothing does.
    pub(crate) fn can_hide_more(self, has_match: bool) -> bool {
        match self {
            Self::Nothing => false,
            Self::IfNothingElseMatches => !has_match,
            Self::Something => true,
        }
    }
}

/// What the parts of a file that were not understood may hide of the texts that any of `finders` looks for; of all symbols
/// if there is none.
pub(crate) fn what_gaps_may_hide(analysed: &AnalysedFile, finders: &[Finder]) -> HiddenByGaps {
    let language = analysed.language;
    let is_partial = matches!(analysed.facts.coverage, ParseCoverage::Partial { .. });
    if finders.is_empty() {
        // Most gaps in pages and stylesheets are the marks of a template, and no definitions.
        let is_presentation = is_partial && language.is_some_and(Language::is_presentation);
        return if is_presentation { HiddenByGaps::Nothing } else { HiddenByGaps::Something };
    }
    if finders.iter().any(|finder| may_gaps_hide_needle(analysed, finder)) {
        return HiddenByGaps::Something;
    }
    // An error in a document, such as a missing end, can also cost what stands behind the lines with the error.
    let is_document = language.is_some_and(|language| language.tier == Tier::Document);
    if is_document && finders.iter().any(|finder| finder.is_needle_in(&analysed.file.text)) {
        return HiddenByGaps::IfNothingElseMatches;
    }
    HiddenByGaps::Nothing
}

/// Whether the lines of a file that were not understood may hold a text; `false` is certain.
fn may_gaps_hide_needle(analysed: &AnalysedFile, finder: &Finder) -> bool {
    match &analysed.facts.coverage {
        ParseCoverage::Partial { regions, lines } if *regions <= lines.len() => {
            lines.iter().any(|lines| finder.is_needle_in(analysed.file.text_of_lines(lines.first, lines.last)))
        }
        _ => true,
    }
}

impl CodeAccess {
    /// Reads and analyses many files in parallel and calls `visit` for each of them; the results are in the order of
    /// `entries`. A file whose text does not contain `needle` is neither parsed nor visited. Unreadable files are
    /// listed in the evidence. So are binary files with the name of code; others contain no code of the project.
    pub fn visit_analysed_files<T: Send>(
        &self,
        entries: &[ProjectEntry],
        needle: Option<Needle<'_>>,
        visit: impl Fn(AnalysedFile) -> Option<T> + Sync,
    ) -> (Vec<T>, Evidence) {
        let finder = needle.map(Finder::new);
        let cancellation = self.project().cancellation();
        let (results, left) = process_files_in_parallel_largest_first(entries, cancellation, |entry| {
            let named = language::language_of_file_name(entry.name());
            if needle.is_some() && named.is_none() && !entry.has_shebang() {
                return None;
            }
            let file = match SourceFile::read(entry) {
                Ok(file) => file,
                Err(error) => {
                    return Some(Err(Skipped { path: entry.path.clone(), reason: error.describe_for_evidence()? }));
                }
            };
            // The text of a document may write a name with markup and escapes, so a text search for the name could miss
            // it.
            let can_disguise_names = named.is_some_and(Language::can_disguise_names);
            if !can_disguise_names && finder.as_ref().is_some_and(|finder| !finder.is_needle_in(&file.text)) {
                return None;
            }
            let analysed = self.analyse_source_file(file);
            let gap = analysed.evidence.skipped.first().filter(|_| !analysed.is_in_unknown_language()).cloned();
            let hiding = what_gaps_may_hide(&analysed, finder.as_slice());
            let basic = analysed.language.is_some_and(|language| language.tier == Tier::Basic);
            let value = visit(analysed);
            let gap = gap.filter(|_| hiding.can_hide_more(value.is_some()));
            Some(Ok(FileResult { value, gap, basic }))
        });
        let mut evidence = Evidence::new_complete(SYNTAX_ANALYSIS);
        cancellation.note_unprocessed_files_in_evidence(left, entries.len(), &mut evidence);
        let mut values = Vec::with_capacity(results.len());
        let mut basic = false;
        for result in results {
            match result {
                Ok(FileResult { value, gap, basic: is_basic }) => {
                    if let Some(gap) = gap {
                        evidence.add_skipped_and_lower_completeness(&gap.path, gap.reason);
                    }
                    basic |= is_basic && value.is_some();
                    values.extend(value);
                }
                Err(skipped) => evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason),
            }
        }
        if basic {
            evidence.mark_analysis_as_partly_basic();
        }
        (values, evidence)
    }
}
