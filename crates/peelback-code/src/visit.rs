//! Reads and analyses many files in parallel on all cores.

use peelback_project::{
    AnalysedFile, CodeError, Evidence, ProjectEntry, SYNTAX_ANALYSIS, Skipped, SourceFile,
    process_files_in_parallel_largest_first,
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

/// Whether all that is not understood of a file are parts of a page or a stylesheet. Those are the marks of a template, and
/// no definitions.
pub(crate) fn are_gaps_in_presentation(analysed: &AnalysedFile) -> bool {
    analysed.language.is_some_and(Language::is_presentation)
        && matches!(analysed.facts.coverage, ParseCoverage::Partial { .. })
}

/// Whether the lines of a file that were not understood may hold a text; `false` is certain.
pub(crate) fn may_gaps_hide_needle(analysed: &AnalysedFile, finder: &Finder) -> bool {
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
    /// listed in the evidence. Binary files contain no code of the project and are skipped.
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
                Err(CodeError::Binary { .. }) => return None,
                Err(error) => return Some(Err(Skipped { path: entry.path.clone(), reason: error.to_string() })),
            };
            // The text of a document may write a name with markup and escapes, so a text search for the name could miss
            // it.
            let can_disguise_names = named.is_some_and(Language::can_disguise_names);
            if !can_disguise_names && finder.as_ref().is_some_and(|finder| !finder.is_needle_in(&file.text)) {
                return None;
            }
            let analysed = self.analyse_source_file(file);
            let may_hide = !are_gaps_in_presentation(&analysed)
                && finder.as_ref().is_none_or(|finder| may_gaps_hide_needle(&analysed, finder));
            let gap = analysed.evidence.skipped.first().filter(|_| may_hide && !analysed.is_in_unknown_language());
            let gap = gap.cloned();
            let basic = analysed.language.is_some_and(|language| language.tier == Tier::Basic);
            Some(Ok(FileResult { value: visit(analysed), gap, basic }))
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
